// SPDX-License-Identifier: GPL-2.0-or-later
/* The scheduler on the fake engine: when rows close, what a signal, a dying child and a failing row do, what is warned.
 */
#include "fake_fixture.h"

#include <signal.h>
#include <time.h>

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
	struct fixture *f =
		fixture_seq("{\"gross\": 5, \"overhead\": 1, \"noise\": 0.001, \"storage_ms\": 3}", three, 3);

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
		assert_int_equal(row->nr_warnings - row_has_warning(row, "clock-moved") -
					 row_has_warning(row, "preempted") - row_has_warning(row, "steal"),
				 0);
	}
	assert_int_equal(f->nr_rounds, 7);
	assert_int_equal(f->nr_setups, 7);
	assert_int_equal(f->nr_reps, 21);
	assert_true(f->res.run.setup_storage_ms == 3);
	assert_true(isnan(f->res.run.setup_hash_ms));
	assert_int_equal(run_exit_status(&f->res), 0);
	fixture_free(f);
}

static int reps_until_precise(const char *script)
{
	struct fixture *f = fixture_seq(script, three, 1);
	int n;

	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].stopped_by, STOPPED_PRECISION);
	n = f->res.rows[0].nr_reps;
	fixture_free(f);
	return n;
}

/* Outliers inside the ranks of one look and outside those of the next. Three would be outside at 16, where nobody
 * looks. */
static void test_closes_at_looks_only(void **state)
{
	(void)state;
	assert_int_equal(reps_until_precise("{\"gross\": [10, 10, 10, 12, 10, 10, 10, 10, 10, 10]}"), 10);
	assert_int_equal(reps_until_precise(
				 "{\"gross\": [10, 12, 10, 12, 10, 12, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10]}"),
			 17);
}

static void test_trials_max(void **state)
{
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"gross\": [10, 15]}", three, 3);

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
	assert_true(used < 3.0);
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
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"at\": \"batch\", \"hang\": true}",
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
					"{\"match\": {\"nr_maps\": 17, \"trial\": 3}, \"die\": \"SIGKILL\"}",
					three, 3);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	/* The look comes one round later for the row that lost one. */
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_int_equal(f->res.rows[1].nr_reps, 7);
	assert_int_equal(f->res.rows[2].nr_reps, 7);
	assert_int_equal(f->nr_rounds, 8);
	assert_int_equal(f->res.rows[1].outcome, OUTCOME_OK);
	assert_true(run_warned(f, "trial 3: the child was killed by signal 9 (SIGKILL) while measuring " SEQ
				  " nr_maps=17; "
				  "its repetition is lost"));
	for (int i = 0; i < f->res.rows[1].nr_reps; i++)
		assert_int_not_equal(f->res.rows[1].reps[i].trial, 3);
	assert_int_equal(run_exit_status(&f->res), 0);
	fixture_free(f);
}

static void test_row_that_kills_children_fails(void **state)
{
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"die\": \"SIGABRT\"}", three, 3);

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
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n"
			    "{\"match\": {\"nr_maps\": 1, \"trial\": 2}, \"at\": \"enter\", \"hang\": true}",
			    three, 2);

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
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17, \"trial\": 2}, \"at\": \"batch\", "
			    "\"errno\": \"EPERM\", \"message\": \"not permitted here\"}",
			    three, 3);

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
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"nr_maps\": 17}, \"unsupported\": \"too old\"}", three, 3);

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
	struct fixture *f =
		fixture_seq("{\"gross\": 5, \"at\": \"setup\", \"errno\": \"EPERM\", \"class\": \"machine\", "
			    "\"message\": \"CAP_BPF is missing\"}",
			    three, 2);

	(void)state;
	assert_int_equal(fixture_run(f), -EPERM);
	assert_int_equal(f->e.class, ERR_MACHINE);
	assert_string_equal(f->e.msg, "CAP_BPF is missing");
	assert_int_equal(f->nr_reps, 0);
	fixture_free(f);
}

static void test_one_failed_trial_is_a_warning(void **state)
{
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"trial\": 2}, \"at\": \"setup\", \"errno\": \"ENOMEM\", "
			    "\"class\": \"machine\"}",
			    three, 2);

	(void)state;
	assert_int_equal(fixture_run(f), 0);
	assert_int_equal(f->res.rows[0].nr_reps, 7);
	assert_true(run_warned(f, "trial 2 could not be set up"));
	fixture_free(f);
}

static void test_failing_for_good(void **state)
{
	struct fixture *f =
		fixture_seq("{\"gross\": 5}\n{\"match\": {\"trial\": 2}, \"at\": \"setup\", \"errno\": \"ENOMEM\"}\n"
			    "{\"match\": {\"trial\": 3}, \"at\": \"setup\", \"errno\": \"ENOMEM\"}\n"
			    "{\"match\": {\"trial\": 4}, \"at\": \"setup\", \"errno\": \"ENOMEM\"}",
			    three, 2);

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
