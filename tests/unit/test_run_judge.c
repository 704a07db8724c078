// SPDX-License-Identifier: GPL-2.0-or-later
/* What the scheduler makes of the figures: audits, warnings, extra rows at the cliff, the time a plan will take. */
#include "fake_fixture.h"

#include "lib/cleanup.h"

static const uint64_t three[] = { 1, 17, 32 };

/* ---- audits ---- */

static void invalid(const char *more, const char *reason)
{
	char script[512];
	struct fixture *f;

	snprintf(script, sizeof(script), "{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, %s}", more);
	f = fixture_seq(script, three, 3);
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_INVALID);
	assert_non_null(strstr(f->res.rows[1].reason, reason));
	assert_int_equal(f->ended[1], 1);
	assert_int_equal(f->res.rows[0].outcome, OUTCOME_OK);
	assert_int_equal(run_exit_status(&f->res), 1);
	fixture_free(f);
}

static void test_audits_that_break(void **state)
{
	(void)state;
	invalid("\"visits_match\": false", "visits of a map differ");
	invalid("\"audit_misses\": 3", "3 misses in 17 gets, 2 were expected");
	invalid("\"miss_share\": 0.5", "2 misses in 17 gets");
	invalid("\"uncounted\": 2", "do not add up");
}

static void test_foreign_eviction_explains_misses(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"audit_misses\": 4, \"evicted\": true}", three + 1, 1);
	struct row *row = &f->res.rows[0];

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(row->outcome, OUTCOME_OK);
	assert_true(row_has_warning(row, "foreign-eviction"));
	assert_true(row_has_warning(row, "audit-differs"));
	assert_true(fabs(row->slots.miss_share - 2 / 17.0) < 1e-9);
	assert_true(fabs(row->slots.miss_share_audited - 4 / 17.0) < 1e-9);
	fixture_free(f);
}

static void test_slots_unseen(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"slots_seen\": false}", three, 1);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_true(row_has_warning(&f->res.rows[0], "slots-unseen"));
	assert_true(isnan(f->res.rows[0].slots.miss_share_audited));
	assert_true(run_warned(f, "slots could not be read"));
	fixture_free(f);
}

/* ---- warnings of the run ---- */

static void test_drift(void **state)
{
	static const uint64_t maps[] = { 1, 2, 3, 4 };
	struct fixture *f =
		fixture_seq("{\"gross\": [10, 10.5, 11, 11.5, 12, 12.5, 13, 13.5, 14, 14.5, 15, 15.5, 16, 16.5, 17, "
			    "17.5, 18, 18.5, 19, 19.5, 20, 20.5]}",
			    maps, 4);

	(void)state;
	f->opt.trials_max = 21;
	assert_int_equal(fixture_run(f), 0);
	assert_true(run_warned(f, "drifted"));
	fixture_free(f);
	f = fixture_seq("{\"gross\": 10, \"noise\": 0.03}", maps, 4);
	f->opt.trials_max = 21;
	assert_int_equal(fixture_run(f), 0);
	assert_false(run_warned(f, "drifted"));
	fixture_free(f);
}

static void test_random_seed(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"random_seed\": true}", three, 1);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_true(run_warned(f, "hash seed is random"));
	fixture_free(f);
}

static void test_batches(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}", three, 1);

	(void)state;
	f->opt.trials_min = f->opt.trials_max = 2;
	f->opt.keep_batches = true;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->nr_batches, (int)(f->res.rows[0].reps[0].batches + f->res.rows[0].reps[1].batches));
	fixture_free(f);
}

/* ---- refining ---- */

/* Flat up to `slots`, dearer beyond. */
static char *curve(int slots)
{
	char *script = NULL;
	size_t size = 0;
	FILE *m = open_memstream(&script, &size);

	fprintf(m, "{\"machine\": {\"slots\": %d}}\n{\"noise\": 0.002}\n", slots);
	for (int n = 1; n <= 64; n++)
		fprintf(m, "{\"match\": {\"nr_maps\": %d}, \"gross\": %d}\n", n, n <= slots ? 5 : 5 + n - slots);
	fclose(m);
	return script;
}

static bool has_maps(const struct results *res, uint64_t maps)
{
	for (int i = 0; i < res->nr_rows; i++)
		if (params_num(&res->rows[i].point.params, "nr_maps", 0) == maps && res->rows[i].nr_reps >= 7)
			return true;
	return false;
}

static void refine(int slots, const uint64_t *maps, int n)
{
	_cleanup_free_ char *script = curve(slots);
	struct fixture *f = fixture_seq(script, maps, (size_t)n);

	f->opt.refine = true;
	assert_int_equal(fixture_run(f), 0);
	assert_true(f->res.nr_rows > n && f->res.nr_rows <= n + 5);
	/* Both neighbours of the step were measured. */
	assert_true(has_maps(&f->res, (uint64_t)slots));
	assert_true(has_maps(&f->res, (uint64_t)slots + 1));
	for (int i = 0; i < f->res.nr_rows; i++) {
		assert_int_equal(f->res.rows[i].order, i);
		assert_int_equal(f->ended[i], 1);
		assert_true(f->res.rows[i].nr_reps >= 7);
		assert_string_equal(f->res.rows[i].point.trigger, "raw_tp");
		assert_int_not_equal(f->res.rows[i].stopped_by, STOPPED_NOT);
	}
	fixture_free(f);
}

static void test_refine_finds_the_step(void **state)
{
	static const uint64_t wide[] = { 1, 8, 32 }, near[] = { 1, 10, 24 };

	(void)state;
	refine(16, wide, 3);
	refine(16, near, 3);
	refine(11, near, 3);
}

static void test_no_refining(void **state)
{
	static const uint64_t adjacent[] = { 1, 16, 17 }, flat[] = { 1, 8, 16 }, no_pool[] = { 12, 32 };
	_cleanup_free_ char *script = curve(16);
	const struct {
		const uint64_t *maps;
		int n;
		bool on;
	} cases[] = {
		{ adjacent, 3, true },
		{ flat, 3, true },
		{ no_pool, 2, true },
		{ three, 3, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *f = fixture_seq(script, cases[i].maps, (size_t)cases[i].n);

		f->opt.refine = cases[i].on;
		assert_int_equal(fixture_run(f), 0);
		assert_int_equal(f->res.nr_rows, cases[i].n);
		assert_int_equal(f->nr_rounds, 7);
		fixture_free(f);
	}
}

static void test_refining_has_a_budget(void **state)
{
	static const uint64_t wide[] = { 1, 8, 32 };
	_cleanup_free_ char *script = curve(16);
	struct fixture *f = fixture_seq(script, wide, 3);

	(void)state;
	f->opt.refine = true;
	f->opt.budget_ns = 1000000;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.nr_rows, 3);
	assert_true(run_warned(f, "8..31"));
	fixture_free(f);
}

/* A new row that the engine cannot measure ends refining, not the sweep. */
static void test_refined_row_unsupported(void **state)
{
	static const uint64_t wide[] = { 1, 8, 32 };
	struct fixture *f = fixture_seq("{\"unsupported\": \"no\", \"gross\": 5}\n"
					"{\"match\": {\"nr_maps\": 1}, \"unsupported\": null}\n"
					"{\"match\": {\"nr_maps\": 8}, \"unsupported\": null}\n"
					"{\"match\": {\"nr_maps\": 32}, \"unsupported\": null, \"gross\": 50}",
					wide, 3);

	(void)state;
	f->opt.refine = true;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.nr_rows, 4);
	assert_int_equal(f->res.rows[3].outcome, OUTCOME_UNSUPPORTED);
	assert_string_equal(f->res.rows[3].reason, "no");
	assert_int_equal(f->ended[3], 1);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	fixture_free(f);
}

/* ---- expectation ---- */

static void test_expect(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}", three, 3);
	double typical, most, typical2, most2;

	(void)state;
	f->opt.row_ns = 80000000;
	run_expect(&f->opt, &f->res, &typical, &most);
	assert_true(typical > 7 * 3 * 0.08 && most > 31 * 3 * 0.08);
	assert_true(typical < most);
	f->opt.budget_ns = 3000000000;
	run_expect(&f->opt, &f->res, &typical2, &most2);
	assert_true(typical2 <= most2 && most2 < most);
	f->res.rows[0].outcome = f->res.rows[1].outcome = f->res.rows[2].outcome = OUTCOME_UNSUPPORTED;
	run_expect(&f->opt, &f->res, &typical, &most);
	assert_true(typical == 0 && most == 0);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audits_that_break),
		cmocka_unit_test(test_foreign_eviction_explains_misses),
		cmocka_unit_test(test_slots_unseen),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_random_seed),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_refine_finds_the_step),
		cmocka_unit_test(test_no_refining),
		cmocka_unit_test(test_refining_has_a_budget),
		cmocka_unit_test(test_refined_row_unsupported),
		cmocka_unit_test(test_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
