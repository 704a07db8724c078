// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who is measured next, when a row is done, how long it will take: decisions from numbers, no acts.
 *
 * Not obvious: a row may close for its precision at looks only (statistics A1). Looking after every trial would stop at
 * lucky moments and cover less than promised.
 */
#include <math.h>
#include <string.h>

#include "core/bench.h"
#include "core/run_priv.h"
#include "lib/rng.h"
#include "stats/interval.h"

/* For an estimate before anything is measured, from a 2-core machine (seconds). */
#define EXPECT_LOAD_S 0.25	   /* process, programs loaded, maps created, slots read */
#define EXPECT_ROW_S 0.01	   /* of a row beyond its windows: thread, storage, core clock, audit */
#define EXPECT_HASH_ENTRY_S 3.0e-7 /* per entry filled */

int run_open_rows(const struct run *r, int *ret_order)
{
	int n = 0;

	for (int i = 0; i < r->res->nr_rows; i++) {
		if (!r->rows[i].open)
			continue;
		if (ret_order)
			ret_order[n] = i;
		n++;
	}
	return n;
}

/* The order of a trial depends on the seed, the trial and which rows are open; not on what was measured before. */
void run_shuffle(const struct run *r, int *order, int n)
{
	struct rng rng = { .state = rng_mix(r->opt->seed) ^ ((uint64_t)r->trial << 32) };

	for (int i = n - 1; i > 0; i--) {
		int k = (int)rng_below(&rng, (uint64_t)i + 1), swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
}

static bool is_precise(const struct row *row, double precision)
{
	const struct summary *g = &row->gross;

	return g->interval && (g->hi - g->lo) / 2 <= precision * g->mid;
}

enum stopped_by run_row_stop(const struct run *r, int i)
{
	const struct row *row = &r->res->rows[i];
	const struct row_track *t = &r->rows[i];
	bool exact = results_unit_is_insn(r->res);

	/* The rows that new ones are compared with are measured beside them, in the same rounds. */
	if (r->refining && run_is_seq_row(row) && params_num(&row->point.params, "nr_maps", 0) <= RUN_POOL_MAPS)
		return STOPPED_NOT;
	if (t->attempts >= r->opt->trials_min) {
		if ((exact || interval_is_look(row->gross.n)) && is_precise(row, r->opt->precision))
			return STOPPED_PRECISION;
		/* No get ever returned a value: more trials would not give it a latency. */
		if (row->nr_reps > 0 && row->gross.n == 0)
			return STOPPED_TRIALS;
	}
	return t->attempts >= r->opt->trials_max ? STOPPED_TRIALS : STOPPED_NOT;
}

double run_round_s(const struct run *r, int open_rows)
{
	double row_s = r->row_n ? r->row_sum_s / r->row_n : (double)r->opt->row_ns * 1e-9 + EXPECT_ROW_S;

	return r->last_setup_s + open_rows * row_s;
}

bool run_budget_over(const struct run *r, int open_rows)
{
	double used_s = run_now_s() - r->started_s, budget_s = (double)r->opt->budget_ns * 1e-9;

	return r->opt->budget_ns && (used_s >= budget_s || used_s + run_round_s(r, open_rows) / 2 > budget_s);
}

/* Trials the row will need in all, if its spread stays: the half-width shrinks with the root of their number. */
static int needed_trials(const struct run *r, int i)
{
	const struct row *row = &r->res->rows[i];
	const struct summary *g = &row->gross;
	int need = r->opt->trials_min;

	if (g->interval && g->mid > 0 && r->opt->precision > 0 && interval_next_look(g->n)) {
		double ratio = (g->hi - g->lo) / 2 / (r->opt->precision * g->mid);
		double n = fmin(ceil(g->n * ratio * ratio), r->opt->trials_max);

		if (n > need)
			need = (int)n;
		if (need > r->opt->trials_min && !interval_is_look(need) && interval_next_look(need))
			need = interval_next_look(need);
	} else if (g->interval) {
		need = r->opt->trials_max;
	}
	return need < r->opt->trials_max ? need : r->opt->trials_max;
}

double run_left_s(const struct run *r)
{
	double row_s = run_round_s(r, 1) - r->last_setup_s, rows_s = 0, left_s;
	double budget_left_s = (double)r->opt->budget_ns * 1e-9 - (run_now_s() - r->started_s);
	int rounds = 0;

	for (int i = 0; i < r->res->nr_rows; i++) {
		int left;

		if (!r->rows[i].open)
			continue;
		left = needed_trials(r, i) - r->rows[i].attempts;
		if (left < 1)
			left = 1;
		rounds = left > rounds ? left : rounds;
		rows_s += left * row_s;
	}
	left_s = rounds * r->last_setup_s + rows_s;
	if (r->opt->budget_ns && r->rounds >= r->opt->trials_min)
		left_s = fmin(left_s, fmax(budget_left_s, 0));
	return left_s;
}

static bool same_hash(const struct params *a, const struct params *b)
{
	return params_num(a, "hashmap_capacity", 0) == params_num(b, "hashmap_capacity", 0) &&
	       strcmp(params_text(a, "hashmap_fill", ""), params_text(b, "hashmap_fill", "")) == 0;
}

/* Entries that one trial fills: hashes of the same capacity and fill are shared by rows. */
static double filled_entries(const struct results *res)
{
	double sum = 0;

	for (int i = 0; i < res->nr_rows; i++) {
		const struct params *p = &res->rows[i].point.params;
		bool all = strcmp(params_text(p, "hashmap_fill", "all"), "all") == 0, counted = false;

		if (!params_find(p, "hashmap_capacity") || res->rows[i].outcome != OUTCOME_OK)
			continue;
		for (int k = 0; k < i && all; k++)
			counted |= res->rows[k].outcome == OUTCOME_OK && same_hash(p, &res->rows[k].point.params) &&
				   params_find(&res->rows[k].point.params, "hashmap_capacity");
		if (!counted)
			sum += (double)params_num(p, all ? "hashmap_capacity" : "hashmap_nr_keys_used", 0) *
			       (double)params_num(p, "nr_maps", 1);
	}
	return sum;
}

void run_expect(const struct run_options *opt, const struct results *res, double *ret_typical_s, double *ret_max_s)
{
	double setup_s = EXPECT_LOAD_S + filled_entries(res) * EXPECT_HASH_ENTRY_S, round_s, max_s;
	int rows = 0;

	for (int i = 0; i < res->nr_rows; i++)
		rows += res->rows[i].outcome == OUTCOME_OK;
	round_s = rows ? setup_s + rows * ((double)opt->row_ns * 1e-9 + EXPECT_ROW_S) : 0;
	max_s = opt->trials_max * round_s;
	if (opt->budget_ns)
		max_s = fmin(max_s, fmax((double)opt->budget_ns * 1e-9 + round_s / 2, opt->trials_min * round_s));
	*ret_typical_s = fmin(opt->trials_min * round_s, max_s);
	*ret_max_s = max_s;
}
