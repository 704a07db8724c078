// SPDX-License-Identifier: GPL-2.0-or-later
/* Results in memory: growth, warnings, and summaries that come from the repetitions alone. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/results.h"

static void add_rep(struct row *row, double gross, double overhead)
{
	const struct rep rep = {
		.trial = row->nr_reps,
		.cpu = -1,
		.gross = gross,
		.overhead = overhead,
		.setup_ms = 10 + row->nr_reps,
		.counters = { .ops = 100, .hits = 100, .important_hits = 7 },
	};

	assert_int_equal(row_add_rep(row, &rep), 0);
}

static void rows_and_repetitions_grow(void **state)
{
	struct results res;

	(void)state;
	results_init(&res);
	for (int i = 0; i < 300; i++) {
		struct row *row = results_add_row(&res);

		assert_non_null(row);
		assert_int_equal(row->order, i);
		assert_int_equal(row->nr_reps, 0);
		assert_true(isnan(row->setup_ms) && isnan(row->slots.miss_share) &&
			    isnan(row->slots.miss_share_audited));
		for (int k = 0; k < i % 40; k++)
			add_rep(row, i + k, 1);
	}
	assert_int_equal(res.nr_rows, 300);
	assert_int_equal(res.rows[39].nr_reps, 39);
	assert_true(res.rows[39].reps[38].gross == 77);
	assert_int_equal(res.rows[39].counters.ops, 3900);
	assert_int_equal(res.rows[39].counters.important_hits, 39 * 7);
	results_free(&res);
	/* Free again, and nothing at all: harmless. */
	results_free(&res);
	results_free(NULL);
}

static void nothing_is_known_at_first(void **state)
{
	struct results res;

	(void)state;
	results_init(&res);
	assert_true(isnan(res.run.setup_storage_ms) && isnan(res.run.setup_hash_ms));
	assert_int_equal(res.run.machine.inlined_hit, -1);
	assert_int_equal(res.run.machine.jit, -1);
	assert_int_equal(res.run.machine.foreign.sk, -1);
	assert_false(res.partial);
}

static void median_of_seven_has_an_interval(void **state)
{
	static const double gross[] = { 5.3, 5.0, 5.1, 5.9, 4.9, 5.2, 5.05 };
	struct results res;
	struct row *row;

	(void)state;
	results_init(&res);
	row = results_add_row(&res);
	for (int i = 0; i < 7; i++)
		add_rep(row, gross[i], 0.5);
	results_summarize(&res);
	assert_true(row->gross.known && row->gross.interval);
	assert_int_equal(row->gross.n, 7);
	assert_true(row->gross.mid == 5.1 && row->gross.lo == 4.9 && row->gross.hi == 5.9);
	assert_true(row->overhead.mid == 0.5);
	assert_true(fabs(row->net.mid - 4.6) < 1e-12);
	assert_true(row->setup_ms == 13);
	results_free(&res);
}

/* Medians 10 and 5 differ by 5; the repetitions' own differences are 1, 5, 6 ... and have the median 6. */
static void net_is_the_median_of_differences(void **state)
{
	static const double gross[] = { 10, 10, 11, 9, 10, 16, 9 }, overhead[] = { 9, 5, 5, 3, 4, 8, 3 };
	struct row row = { .nr_reps = 0 };

	(void)state;
	for (int i = 0; i < 7; i++)
		add_rep(&row, gross[i], overhead[i]);
	row_summarize(&row, false);
	assert_true(row.gross.mid == 10 && row.overhead.mid == 5);
	assert_true(row.net.mid == 6);
	free(row.reps);
}

static void few_repetitions_have_no_interval(void **state)
{
	struct row row = { .nr_reps = 0 };

	(void)state;
	row_summarize(&row, false);
	assert_false(row.gross.known || row.gross.interval);
	assert_true(isnan(row.gross.mid) && isnan(row.gross.lo));
	for (int i = 0; i < 5; i++)
		add_rep(&row, 1 + i, 0);
	row_summarize(&row, false);
	assert_true(row.gross.known);
	assert_false(row.gross.interval);
	assert_true(row.gross.mid == 3 && isnan(row.gross.lo) && isnan(row.gross.hi));
	add_rep(&row, 6, 0);
	row_summarize(&row, false);
	assert_true(row.gross.interval && row.gross.lo == 1 && row.gross.hi == 6);
	free(row.reps);
}

static void unknown_values_do_not_count(void **state)
{
	struct row row = { .nr_reps = 0 };

	(void)state;
	for (int i = 0; i < 7; i++)
		add_rep(&row, i == 3 ? NAN : 10 + i, i == 4 ? NAN : 1);
	row_summarize(&row, false);
	assert_int_equal(row.nr_reps, 7);
	assert_int_equal(row.gross.n, 6);
	assert_int_equal(row.overhead.n, 6);
	/* A difference needs both. */
	assert_int_equal(row.net.n, 5);
	assert_false(row.net.interval);
	free(row.reps);
	row = (struct row){ .nr_reps = 0 };
	add_rep(&row, NAN, NAN);
	row_summarize(&row, false);
	assert_false(row.gross.known || row.net.known);
	row_summarize(&row, true);
	assert_false(row.gross.known || row.gross.interval);
	free(row.reps);
}

static void exact_counts_take_the_minimum(void **state)
{
	struct results res;
	struct row *row;

	(void)state;
	results_init(&res);
	assert_false(results_unit_is_insn(&res));
	snprintf(res.run.unit, sizeof(res.run.unit), "insn");
	assert_true(results_unit_is_insn(&res));
	row = results_add_row(&res);
	add_rep(row, 134.2, 19.2);
	add_rep(row, 134.1, 19.5);
	add_rep(row, NAN, 19.1);
	results_summarize(&res);
	assert_true(row->gross.mid == 134.1 && row->gross.lo == 134.1 && row->gross.hi == 134.1);
	assert_true(row->gross.interval && row->gross.n == 2);
	assert_true(row->overhead.mid == 19.1);
	assert_true(fabs(row->net.mid - 114.6) < 1e-12);
	results_free(&res);
}

static void warnings_are_kept_once(void **state)
{
	struct row row = { .nr_warnings = 0 };
	struct run_info run = { .nr_warnings = 0 };
	char name[16];

	(void)state;
	row_warn(&row, "noisy");
	row_warn(&row, "bimodal");
	row_warn(&row, "noisy");
	assert_int_equal(row.nr_warnings, 2);
	assert_true(row_has_warning(&row, "bimodal"));
	assert_false(row_has_warning(&row, "bimoda"));
	row_warn(&row, "a name that is longer than the thirty-one bytes there are");
	row_warn(&row, "a name that is longer than the thirty-one bytes there are");
	assert_int_equal(row.nr_warnings, 3);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "w%d", i);
		row_warn(&row, name);
		run_warn(&run, "warning %d", i);
		run_warn(&run, "warning %d", i);
	}
	assert_int_equal(row.nr_warnings, ROW_WARNINGS_MAX);
	assert_int_equal(run.nr_warnings, ROW_WARNINGS_MAX);
	assert_string_equal(run.warnings[1], "warning 1");
	/* That some are missing is said. */
	assert_non_null(strstr(run.warnings[ROW_WARNINGS_MAX - 1], "more warnings"));
}

static void names_go_both_ways(void **state)
{
	enum outcome outcome = OUTCOME_OK;
	enum stopped_by stopped = STOPPED_NOT;

	(void)state;
	for (int i = OUTCOME_OK; i <= OUTCOME_FAILED; i++) {
		assert_true(outcome_from_name(outcome_name((enum outcome)i), &outcome));
		assert_int_equal(outcome, i);
	}
	for (int i = STOPPED_NOT; i <= STOPPED_TRIALS; i++) {
		assert_true(stopped_by_from_name(stopped_by_name((enum stopped_by)i), &stopped));
		assert_int_equal(stopped, i);
	}
	assert_string_equal(outcome_name(OUTCOME_UNSUPPORTED), "unsupported");
	assert_string_equal(stopped_by_name(STOPPED_BUDGET), "budget");
	assert_false(outcome_from_name("fine", &outcome));
	assert_int_equal(outcome, OUTCOME_FAILED);
	assert_false(stopped_by_from_name("boredom", &stopped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_repetitions_grow),
		cmocka_unit_test(nothing_is_known_at_first),
		cmocka_unit_test(median_of_seven_has_an_interval),
		cmocka_unit_test(net_is_the_median_of_differences),
		cmocka_unit_test(few_repetitions_have_no_interval),
		cmocka_unit_test(unknown_values_do_not_count),
		cmocka_unit_test(exact_counts_take_the_minimum),
		cmocka_unit_test(warnings_are_kept_once),
		cmocka_unit_test(names_go_both_ways),
	};

	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
