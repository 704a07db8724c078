// SPDX-License-Identifier: GPL-2.0-or-later
/* The scheduler on the fake engine: when rows close, what a signal, a dying child and a failing row do, what is warned. */
#include "fake_fixture.h"

#include <signal.h>
#include <time.h>

#include "lib/cleanup.h"
#include "stats/cliff.h"

static const uint64_t three[] = { 1, 17, 32 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- closing ---- */

static void test_precise_at_the_first_look(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"overhead\": 1, \"noise\": 0.001, \"storage_ms\": 3}", three, 3);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	for (int i = 0; i < 3; i++) {
		const struct row *row = &f->res.rows[i];

		assert_int_equal(row->nr_reps, 7);
		assert_int_equal(row->stopped_by, STOPPED_PRECISION);
		assert_true(row->gross.interval && fabs(row->gross.mid - 5) < 0.05);
		assert_true(fabs(row->net.mid - 4) < 0.05);
		assert_int_equal(f->ended[i], 1);
		assert_true(row->slots.miss_share == row->slots.miss_share_audited);
		assert_int_equal(row->nr_warnings - row_has_warning(row, "clock-moved") - row_has_warning(row, "preempted") -
				 row_has_warning(row, "steal"), 0);
	}
	assert_int_equal(f->nr_rounds, 7);
	assert_int_equal(f->nr_setups, 7);
	assert_int_equal(f->nr_reps, 21);
	assert_true(f->res.run.setup_storage_ms == 3);
	assert_true(isnan(f->res.run.setup_hash_ms));
	assert_int_equal(run_exit_status(&f->res), 0);
	fixture_free(f);
}

/* One outlier of ten: inside the ranks of 7 and 8 values, outside those of 10. In between nobody looks. */
static void test_closes_at_looks_only(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": [10, 10, 10, 12, 10, 10, 10, 10, 10, 10]}", three, 1);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, 10);
	assert_int_equal(f->res.rows[0].stopped_by, STOPPED_PRECISION);
	fixture_free(f);
}

static void test_trials_max(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"gross\": [10, 15]}", three, 3);

	(void)state;
	f->opt.trials_max = 21;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_int_equal(f->res.rows[1].nr_reps, 21);
	assert_int_equal(f->res.rows[1].stopped_by, STOPPED_TRIALS);
	/* Nothing is trimmed: two modes are said. */
	assert_true(row_has_warning(&f->res.rows[1], "bimodal"));
	assert_true(row_has_warning(&f->res.rows[1], "noisy"));
	assert_false(row_has_warning(&f->res.rows[0], "noisy"));
	fixture_free(f);
}

static void test_few_trials(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}", three, 2);

	(void)state;
	f->opt.trials_min = f->opt.trials_max = 3;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, 3);
	assert_int_equal(f->res.rows[0].stopped_by, STOPPED_TRIALS);
	assert_false(f->res.rows[0].gross.interval);
	assert_true(row_has_warning(&f->res.rows[0], "few-trials"));
	fixture_free(f);
}

static void test_budget_keeps_the_minimum(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": [10, 15], \"delay_ms\": 1}", three, 2);

	(void)state;
	f->opt.budget_ns = 1;
	assert_int_equal(fixture_run(f), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(f->res.rows[i].nr_reps, 7);
		assert_int_equal(f->res.rows[i].stopped_by, STOPPED_BUDGET);
	}
	fixture_free(f);
}

static void test_budget_ends_rounds(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": [10, 15], \"delay_ms\": 40, \"delay_at\": \"enter\"}", three, 1);
	double start = now_s(), used;

	(void)state;
	f->opt.trials_min = 2;
	f->opt.budget_ns = 400000000;
	assert_int_equal(fixture_run(f), 0);
	used = now_s() - start;
	assert_int_equal(f->res.rows[0].stopped_by, STOPPED_BUDGET);
	assert_true(f->res.rows[0].nr_reps >= 2 && f->res.rows[0].nr_reps <= 10);
	/* A round takes 40 ms and more; a round is not begun to overrun by more than half. */
	assert_true(used < 1.0);
	fixture_free(f);
}

static void test_only_nulls(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"nulls\": 1000000000}", three, 1);
	struct row *row = &f->res.rows[0];

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(row->nr_reps, 7);
	assert_int_equal(row->outcome, OUTCOME_OK);
	assert_int_equal(row->gross.n, 0);
	assert_true(row_has_warning(row, "nulls"));
	fixture_free(f);
}

/* ---- order ---- */

static void test_order_follows_the_seed(void **state)
{
	static const uint64_t maps[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct fixture *a = fixture_seq("{\"gross\": 5, \"noise\": 0.001}", maps, 8);
	struct fixture *b = fixture_seq("{\"gross\": 5, \"noise\": 0.001}", maps, 8);
	struct fixture *c = fixture_seq("{\"gross\": 5, \"noise\": 0.001}", maps, 8);
	int same_as_plan = 0;

	(void)state;
	c->opt.seed = 2;
	c->res.run.seed = 2;
	assert_int_equal(fixture_run(a), 0);
	assert_int_equal(fixture_run(b), 0);
	assert_int_equal(fixture_run(c), 0);
	assert_int_equal(a->nr_begun, 56);
	assert_int_equal(b->nr_begun, 56);
	assert_memory_equal(a->order, b->order, 56 * sizeof(int));
	assert_memory_not_equal(a->order, c->order, 56 * sizeof(int));
	for (int round = 0; round < 7; round++) {
		int seen = 0;

		for (int i = 0; i < 8; i++) {
			seen |= 1 << a->order[round * 8 + i];
			same_as_plan += a->order[round * 8 + i] == i;
		}
		assert_int_equal(seen, 0xff); /* every row once */
	}
	assert_true(same_as_plan < 30);
	assert_memory_not_equal(a->order, a->order + 8, 8 * sizeof(int));
	/* And so are the figures. */
	for (int i = 0; i < 8; i++) {
		assert_true(a->res.rows[i].gross.mid == b->res.rows[i].gross.mid);
		assert_true(a->res.rows[i].gross.mid != c->res.rows[i].gross.mid);
	}
	fixture_free(a);
	fixture_free(b);
	fixture_free(c);
}

/* ---- signals ---- */

static void test_signal_keeps_what_was_measured(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}", three, 3);

	(void)state;
	f->stop_at_begin = 8; /* the second row of the third round */
	assert_int_equal(fixture_run(f), -EINTR);
	assert_false(err_is_set(&f->e));
	assert_true(f->nr_reps >= 7 && f->nr_reps <= 8);
	for (int i = 0; i < 3; i++) {
		assert_true(f->res.rows[i].nr_reps >= 2);
		assert_int_equal(f->res.rows[i].gross.n, f->res.rows[i].nr_reps);
	}
	fixture_free(f);
}

static void test_signal_while_a_child_hangs(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"at\": \"batch\", \"hang\": true}",
					three + 1, 1);
	double start = now_s();
	int fds[2];

	(void)state;
	/* Through the flag alone ... */
	f->stop_at_begin = 1;
	assert_int_equal(fixture_run(f), -EINTR);
	assert_true(now_s() - start < 1);
	/* ... and through the descriptor alone. */
	f->stop = f->stop_at_begin = 0;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	f->opt.stop_fd = fds[0];
	assert_int_equal(fixture_run(f), -EINTR);
	close(fds[0]);
	close(fds[1]);
	fixture_free(f);
}

static void test_signal_before_anything(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}", three, 3);

	(void)state;
	f->stop = SIGTERM;
	assert_int_equal(fixture_run(f), -EINTR);
	assert_int_equal(f->nr_setups, 0);
	fixture_free(f);
}

/* ---- children that die ---- */

static void test_killed_child_loses_one_repetition(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n"
					"{\"match\": {\"nr_maps\": 17, \"trial\": 3}, \"die\": \"SIGKILL\"}", three, 3);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	/* The look comes one round later for the row that lost one. */
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_int_equal(f->res.rows[1].nr_reps, 7);
	assert_int_equal(f->res.rows[2].nr_reps, 7);
	assert_int_equal(f->nr_rounds, 8);
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_OK);
	assert_true(run_warned(f, "trial 3: the child was killed by signal 9 (SIGKILL) while measuring " SEQ " nr_maps=17; "
				  "its repetition is lost"));
	for (int i = 0; i < f->res.rows[1].nr_reps; i++)
		assert_int_not_equal(f->res.rows[1].reps[i].trial, 3);
	assert_int_equal(run_exit_status(&f->res), 0);
	fixture_free(f);
}

static void test_row_that_kills_children_fails(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"die\": \"SIGABRT\"}", three, 3);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_FAILED);
	assert_non_null(strstr(f->res.rows[1].reason, "SIGABRT"));
	assert_int_equal(f->ended[1], 1);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_int_equal(f->res.rows[2].nr_reps, 7);
	assert_int_equal(run_exit_status(&f->res), 1);
	fixture_free(f);
}

static void test_death_in_setup_ends(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"at\": \"setup\", \"die\": \"SIGKILL\"}", three, 2);

	(void)state;
	assert_int_equal(fixture_run(f), -ECHILD);
	assert_non_null(strstr(f->e.msg, "during set-up"));
	assert_non_null(strstr(f->e.msg, "SIGKILL"));
	fixture_free(f);
}

static void test_hung_child_is_ended(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n"
					"{\"match\": {\"nr_maps\": 1, \"trial\": 2}, \"at\": \"enter\", \"hang\": true}", three, 2);

	(void)state;
	f->opt.hang_ns = 500000000;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_true(run_warned(f, "trial 2: the child sent nothing for 0.5 s"));
	fixture_free(f);
}

/* ---- failures ---- */

static void test_failing_row(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17, \"trial\": 2}, \"at\": \"batch\", "
					"\"errno\": \"EPERM\", \"message\": \"not permitted here\"}", three, 3);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_FAILED);
	assert_string_equal(f->res.rows[1].reason, "trial 2: not permitted here");
	assert_int_equal(f->res.rows[1].nr_reps, 2); /* kept */
	assert_int_equal(f->ended[1], 1);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_int_equal(run_exit_status(&f->res), 1);
	fixture_free(f);
}

static void test_unsupported_row_is_left_alone(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"unsupported\": \"too old\"}", three, 3);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_UNSUPPORTED);
	assert_string_equal(f->res.rows[1].reason, "too old");
	assert_int_equal(f->res.rows[1].nr_reps, 0);
	assert_int_equal(f->ended[1], 0);
	assert_int_equal(run_exit_status(&f->res), 0);
	fixture_free(f);
}

static void test_machine_cannot(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"at\": \"setup\", \"errno\": \"EPERM\", \"class\": \"machine\", "
					"\"message\": \"CAP_BPF is missing\"}", three, 2);

	(void)state;
	assert_int_equal(fixture_run(f), -EPERM);
	assert_int_equal(f->e.class, ERR_MACHINE);
	assert_string_equal(f->e.msg, "CAP_BPF is missing");
	assert_int_equal(f->nr_reps, 0);
	fixture_free(f);
}

static void test_one_failed_trial_is_a_warning(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"trial\": 2}, \"at\": \"setup\", \"errno\": \"ENOMEM\", "
					"\"class\": \"machine\"}", three, 2);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_true(run_warned(f, "trial 2 could not be set up"));
	fixture_free(f);
}

static void test_failing_for_good(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"match\": {\"trial\": 2}, \"at\": \"setup\", \"errno\": \"ENOMEM\"}\n"
					"{\"match\": {\"trial\": 3}, \"at\": \"setup\", \"errno\": \"ENOMEM\"}\n"
					"{\"match\": {\"trial\": 4}, \"at\": \"setup\", \"errno\": \"ENOMEM\"}", three, 2);

	(void)state;
	assert_int_equal(fixture_run(f), -ENOMEM);
	assert_non_null(strstr(f->e.msg, "3 trials in a row"));
	assert_int_equal(f->res.rows[0].nr_reps, 2);
	fixture_free(f);
}

static void test_caller_that_cannot_keep(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5}", three, 3);

	(void)state;
	f->fail_at_rep = 5;
	assert_int_equal(fixture_run(f), -ENOSPC);
	assert_string_equal(f->e.msg, "disk full");
	assert_int_equal(f->nr_reps, 5);
	fixture_free(f);
}

static void test_nothing_to_do(void **state)
{
	struct fixture *f = fixture_open("{\"gross\": 5}");

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->nr_rounds, 0);
	fixture_free(f);
}

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
	struct fixture *f = fixture_seq("{\"gross\": [10, 10.5, 11, 11.5, 12, 12.5, 13, 13.5, 14, 14.5, 15, 15.5, 16, 16.5, 17, "
					"17.5, 18, 18.5, 19, 19.5, 20, 20.5]}", maps, 4);

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
	const struct { const uint64_t *maps; int n; bool on; } cases[] = {
		{ adjacent, 3, true }, { flat, 3, true }, { no_pool, 2, true }, { three, 3, false },
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
					"{\"match\": {\"nr_maps\": 32}, \"unsupported\": null, \"gross\": 50}", wide, 3);

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
		cmocka_unit_test(test_precise_at_the_first_look),
		cmocka_unit_test(test_closes_at_looks_only),
		cmocka_unit_test(test_trials_max),
		cmocka_unit_test(test_few_trials),
		cmocka_unit_test(test_budget_keeps_the_minimum),
		cmocka_unit_test(test_budget_ends_rounds),
		cmocka_unit_test(test_only_nulls),
		cmocka_unit_test(test_order_follows_the_seed),
		cmocka_unit_test(test_signal_keeps_what_was_measured),
		cmocka_unit_test(test_signal_while_a_child_hangs),
		cmocka_unit_test(test_signal_before_anything),
		cmocka_unit_test(test_killed_child_loses_one_repetition),
		cmocka_unit_test(test_row_that_kills_children_fails),
		cmocka_unit_test(test_death_in_setup_ends),
		cmocka_unit_test(test_hung_child_is_ended),
		cmocka_unit_test(test_failing_row),
		cmocka_unit_test(test_unsupported_row_is_left_alone),
		cmocka_unit_test(test_machine_cannot),
		cmocka_unit_test(test_one_failed_trial_is_a_warning),
		cmocka_unit_test(test_failing_for_good),
		cmocka_unit_test(test_caller_that_cannot_keep),
		cmocka_unit_test(test_nothing_to_do),
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
