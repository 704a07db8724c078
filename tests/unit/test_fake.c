// SPDX-License-Identifier: GPL-2.0-or-later
/* The fake engine: what a script may say, what is refused with its line, and that it invents no figure. */
#include "fake_fixture.h"

#include <time.h>

#include "lib/cleanup.h"

static void refuse(const char *script, const char *part1, const char *part2)
{
	struct fixture *f = fixture_open(script);

	assert_null(f->state);
	assert_true(err_is_set(&f->e));
	if (!strstr(f->e.msg, part1) || !strstr(f->e.msg, part2))
		fail_msg("'%s' lacks '%s' or '%s'", f->e.msg, part1, part2);
	assert_non_null(strstr(f->e.msg, f->path));
	fixture_free(f);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse("", "empty", "");
	refuse("\n  \n", "empty", "");
	refuse("{\"gross\": 5}\nnot json\n", ":2:", "not JSON");
	refuse("{\"gross\": 5}\n{\"gross\": 5", ":2:", "not JSON");
	refuse("[1]", ":1:", "object");
	refuse("5", ":1:", "object");
	refuse("{\"gross\": \"5\"}", ":1:", "'gross' is not a number");
	refuse("{\"gross\": -1}", ":1:", "'gross'");
	refuse("{\"gross\": []}", ":1:", "'gross'");
	refuse("{\"gross\": [1, null]}", ":1:", "'gross'");
	refuse("{\"gross\": 1e300}", ":1:", "'gross'");
	refuse("\n\n{\"gros\": 5}", ":3:", "nearest is gross");
	refuse("{\"nulls\": 1.5}", ":1:", "'nulls'");
	refuse("{\"nulls\": -1}", ":1:", "'nulls'");
	refuse("{\"errno\": \"EWHAT\"}", ":1:", "'errno'");
	refuse("{\"errno\": 0}", ":1:", "'errno'");
	refuse("{\"class\": \"none\"}", ":1:", "'class'");
	refuse("{\"at\": \"somewhere\"}", ":1:", "'at'");
	refuse("{\"die\": \"SEGV\"}", ":1:", "'die'");
	refuse("{\"die\": 99}", ":1:", "'die'");
	refuse("{\"hang\": 1}", ":1:", "'hang'");
	refuse("{\"hang\": true, \"at\": \"open\"}", ":1:", "trial");
	refuse("{\"match\": {\"nr_map\": 3}, \"gross\": 5}", ":1:", "'nr_map'");
	refuse("{\"match\": {\"bench\": \"seq\"}, \"gross\": 5}", ":1:", "no benchmark 'seq'");
	refuse("{\"match\": {\"trial\": \"1\"}, \"gross\": 5}", ":1:", "'trial'");
	refuse("{\"match\": {\"nr_maps\": [1]}, \"gross\": 5}", ":1:", "'nr_maps'");
	refuse("{\"match\": 3}", ":1:", "'match'");
	refuse("{\"match\": null}", ":1:", "'match'");
	refuse("{\"machine\": {\"slots\": 0}}", ":1:", "'slots'");
	refuse("{\"machine\": {\"slots\": 65}}", ":1:", "'slots'");
	refuse("{\"machine\": {\"slotz\": 6}}", ":1:", "'slotz'");
	refuse("{\"machine\": {\"jit\": 1}}", ":1:", "'jit'");
	refuse("{\"machine\": {\"foreign_maps\": {\"task\": 1}}}", ":1:", "foreign_maps");
	refuse("{\"machine\": {\"mitigations\": {\"a\": 1}}}", ":1:", "'mitigations'");
	refuse("{\"machine\": {}, \"gross\": 5}", ":1:", "'machine'");
	refuse("{\"run\": {\"unit\": \"s\"}}", ":1:", "unit");
	refuse("{\"gross\": 5, \"gross\": 6}", ":1:", "duplicate");
}

static void test_not_a_file(void **state)
{
	struct engine_config cfg = { .script = "/nonexistent/script" };
	struct err e = { 0 };
	void *s = NULL;

	(void)state;
	assert_int_equal(engine_fake.open(&cfg, &s, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/nonexistent/script"));
	err_clear(&e);
	cfg.script = "/";
	assert_true(engine_fake.open(&cfg, &s, &e) < 0);
	err_clear(&e);
	/* Without an end: read up to the limit, not for ever. */
	cfg.script = "/dev/zero";
	assert_true(engine_fake.open(&cfg, &s, &e) < 0);
	assert_non_null(strstr(e.msg, "bytes"));
	err_clear(&e);
	cfg.script = NULL;
	assert_true(engine_fake.open(&cfg, &s, &e) < 0);
	assert_int_equal(e.class, ERR_USAGE);
	assert_non_null(strstr(e.msg, "--script"));
	assert_null(s);
}

static void test_error_at_open(void **state)
{
	struct fixture *f =
		fixture_open("{\"at\": \"open\", \"errno\": \"EPERM\", \"class\": \"machine\", \"gross\": 5}");

	(void)state;
	assert_null(f->state);
	assert_int_equal(f->e.class, ERR_MACHINE);
	assert_int_equal(f->e.code, -EPERM);
	fixture_free(f);
}

static const uint64_t two[] = { 1, 40 };

static void test_resolve(void **state)
{
	struct fixture *f = fixture_seq("{\"match\": {\"nr_maps\": 40}, \"gross\": 5}", two, 2);

	(void)state;
	/* No figure is made up. */
	assert_int_equal(f->res.rows[0].outcome, OUTCOME_FAILED);
	assert_non_null(strstr(f->res.rows[0].reason, "gross"));
	assert_non_null(strstr(f->res.rows[0].reason, f->path));
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_OK);
	assert_string_equal(f->res.rows[1].point.trigger, "raw_tp");
	assert_string_equal(f->res.rows[1].point.loop, "hoisted");
	fixture_free(f);

	f = fixture_seq("{\"gross\": 5, \"trigger\": \"syscall\", \"loop\": \"single\"}", two, 2);
	assert_string_equal(f->res.rows[0].point.trigger, "syscall");
	assert_string_equal(f->res.rows[0].point.loop, "single");
	fixture_free(f);
}

static void test_resolve_fails(void **state)
{
	static const char *const names[] = { SEQ, NULL };
	struct plan_options plan = { .benches = names };
	struct fixture *f =
		fixture_open("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"at\": \"resolve\", \"message\": "
			     "\"seccomp denies bpf()\", \"class\": \"machine\"}");

	(void)state;
	assert_int_equal(plan_rows(&plan, &f->res, &f->e), 0);
	assert_true(engine_fake.resolve(f->state, &f->res, &f->e) < 0);
	assert_int_equal(f->e.class, ERR_MACHINE);
	assert_string_equal(f->e.msg, "seccomp denies bpf()");
	fixture_free(f);
}

static void test_missing_in_one_trial(void **state)
{
	struct fixture *f = fixture_seq("{\"match\": {\"trial\": 0}, \"gross\": 5}", two, 1);

	(void)state;
	assert_int_equal(f->res.rows[0].outcome, OUTCOME_OK);
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].outcome, OUTCOME_FAILED);
	assert_non_null(strstr(f->res.rows[0].reason, "trial 1"));
	assert_int_equal(f->res.rows[0].nr_reps, 1);
	fixture_free(f);
}

static void test_describe(void **state)
{
	struct fixture *f =
		fixture_open("{\"machine\": {\"slots\": 24, \"jit\": false, \"cpu\": \"x\", \"foreign_maps\": "
			     "{\"task_storage\": 3}, \"mitigations\": {\"spectre_v2\": \"none\"}}}\n"
			     "{\"run\": {\"unit\": \"insn\", \"accel\": \"icount\"}}\n{\"gross\": 5}");
	const struct machine *m = &f->res.run.machine;

	(void)state;
	assert_int_equal(m->slots, 24);
	assert_int_equal(m->jit, 0);
	assert_int_equal(m->inlined_hit, -1);
	assert_string_equal(m->cpu, "x");
	/* Not the host's. */
	assert_string_equal(m->arch, "");
	assert_int_equal(m->foreign.task, 3);
	assert_int_equal(m->foreign.sk, -1);
	assert_int_equal(m->nr_mitigations, 1);
	assert_string_equal(m->mitigations[0].state, "none");
	assert_string_equal(f->res.run.unit, "insn");
	assert_string_equal(f->res.run.accel, "icount");
	fixture_free(f);
}

/* One trial's repetition of row 0. */
static struct rep once(const char *script, int trial)
{
	struct fixture *f = fixture_seq(script, two, 1);
	struct rep rep;

	f->opt.trials_min = f->opt.trials_max = trial + 1;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, trial + 1);
	rep = f->res.rows[0].reps[trial];
	fixture_free(f);
	return rep;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6 * b;
}

static void test_later_lines_win_by_field(void **state)
{
	static const char script[] = "{\"gross\": [5, 6], \"overhead\": 1}\n"
				     "{\"match\": {\"bench\": \"" SEQ
				     "\", \"nr_maps\": 1, \"trial\": 3}, \"gross\": 9}\n"
				     "{\"match\": {\"nr_maps\": 2}, \"gross\": 100}\n"
				     "{\"match\": {\"bench\": \"" HASH "\"}, \"gross\": 100}\n";
	static const double want[] = { 5, 6, 5, 9, 5 };

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct rep rep = once(script, i);

		assert_true(near(rep.gross, want[i]));
		assert_true(near(rep.overhead, 1));
	}
	/* null takes a field back. */
	assert_true(near(once("{\"gross\": 5, \"nulls\": 7}\n{\"nulls\": null}", 0).gross, 5));
	assert_int_equal(once("{\"gross\": 5, \"nulls\": 7}\n{\"nulls\": null}", 0).counters.nulls, 0);
}

static void test_noise(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 100, \"overhead\": 50, \"noise\": 0.05}", two, 2);
	double sum = 0, sum2 = 0;
	int n = 0;

	(void)state;
	f->opt.trials_min = f->opt.trials_max = 100;
	assert_int_equal(fixture_run(f), 0);
	for (int r = 0; r < 2; r++)
		for (int i = 0; i < f->res.rows[r].nr_reps; i++) {
			double x = log(f->res.rows[r].reps[i].gross / 100);

			sum += x;
			sum2 += x * x;
			n++;
		}
	assert_int_equal(n, 200);
	/* Five standard errors; the seed is fixed. */
	assert_true(fabs(sum / n) < 5 * 0.05 / sqrt(200));
	assert_true(fabs(sqrt(sum2 / n) - 0.05) < 5 * 0.05 / sqrt(400));
	assert_true(f->res.rows[0].reps[0].gross != f->res.rows[1].reps[0].gross);
	fixture_free(f);
}

static void test_hash_row(void **state)
{
	static const char *const names[] = { HASH, NULL };
	static const uint64_t keys[] = { 10 };
	struct plan_options plan = { .benches = names, .nr_keys = keys, .n_nr_keys = 1 };
	struct fixture *f = fixture_open("{\"match\": {\"hashmap_key\": \"random\"}, \"gross\": 14, \"hash_ms\": 900}\n"
					 "{\"hash_ms\": 1000}");

	(void)state;
	assert_int_equal(plan_rows(&plan, &f->res, &f->e), 0);
	assert_int_equal(engine_fake.resolve(f->state, &f->res, &f->e), 0);
	assert_string_equal(f->res.rows[0].point.loop, "hash");
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].outcome, OUTCOME_OK);
	assert_true(near(f->res.rows[0].gross.mid, 14));
	assert_true(isnan(f->res.rows[0].slots.miss_share));
	assert_false(row_has_warning(&f->res.rows[0], "slots-unseen"));
	assert_true(f->res.run.setup_hash_ms == 1000);
	fixture_free(f);
}

static void test_real_time(void **state)
{
	struct fixture *f = fixture_seq("{\"gross\": 5, \"real_time\": true}", two, 1);
	struct timespec a, b;

	(void)state;
	f->opt.trials_min = f->opt.trials_max = 1;
	f->opt.row_ns = 50000000;
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(fixture_run(f), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9 > 0.05);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),      cmocka_unit_test(test_not_a_file),
		cmocka_unit_test(test_error_at_open), cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_fails), cmocka_unit_test(test_missing_in_one_trial),
		cmocka_unit_test(test_describe),      cmocka_unit_test(test_later_lines_win_by_field),
		cmocka_unit_test(test_noise),	      cmocka_unit_test(test_hash_row),
		cmocka_unit_test(test_real_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
