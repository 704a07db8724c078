// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extra rows until the number of cache slots is known to the map (statistics D18).
 *
 * Not obvious: a new row joins the ordinary rounds, and the small rows it is compared with stay open until refining
 * ends. So both are measured by the same children, and a clock that changes between rounds moves both alike.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan.h"
#include "core/run_priv.h"
#include "lib/cleanup.h"
#include "stats/cliff.h"

#define SEQ_BENCH "local-storage-cache-seq-get"

bool run_is_seq_row(const struct row *row)
{
	return row->outcome == OUTCOME_OK && strcmp(row->point.bench, SEQ_BENCH) == 0 &&
	       strcmp(row->point.store, "task") == 0;
}

static uint32_t maps_of(const struct row *row)
{
	return (uint32_t)params_num(&row->point.params, "nr_maps", 0);
}

static int by_maps(const void *a, const void *b)
{
	const struct cliff_row *x = a, *y = b;

	return (x->maps > y->maps) - (x->maps < y->maps);
}

/* The figures of all seq-get rows, sorted; values (of all of them) is the caller's to free, *ret_n 0 if there are none.
 */
static int gather(const struct results *res, struct cliff_row **ret_rows, double **ret_values, size_t *ret_n)
{
	size_t n = 0, total = 0;
	struct cliff_row *rows;
	double *values;

	for (int i = 0; i < res->nr_rows; i++)
		total += run_is_seq_row(&res->rows[i]) ? (size_t)res->rows[i].nr_reps : 0;
	rows = calloc((size_t)res->nr_rows + 1, sizeof(*rows));
	values = calloc(total + 1, sizeof(*values));
	if (!rows || !values) {
		free(rows);
		free(values);
		return -ENOMEM;
	}
	total = 0;
	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];

		if (!run_is_seq_row(row) || row->gross.n == 0)
			continue;
		rows[n].maps = maps_of(row);
		rows[n].values = values + total;
		for (int k = 0; k < row->nr_reps; k++)
			if (row->reps[k].gross == row->reps[k].gross) /* not NAN */
				values[total + rows[n].n++] = row->reps[k].gross;
		total += rows[n].n;
		n++;
	}
	qsort(rows, n, sizeof(*rows), by_maps);
	*ret_rows = rows;
	*ret_values = values;
	*ret_n = n;
	return 0;
}

/* Trigger and loop of the new row, asked for it alone: rows that were measured keep theirs. */
static int resolve_row(struct run *r, int row, struct err *e)
{
	struct results one;
	struct row *only;
	int rc;

	results_init(&one);
	only = results_add_row(&one);
	if (!only)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	only->point = r->res->rows[row].point;
	one.run.machine = r->res->run.machine;
	one.run.seed = r->res->run.seed;
	rc = r->eng->resolve(r->state, &one, e);
	if (!rc) {
		struct row *new = &r->res->rows[row];

		new->point = only->point;
		new->outcome = only->outcome;
		memcpy(new->reason, only->reason, sizeof(new->reason));
	}
	results_free(&one);
	return rc;
}

static int add_refined(struct run *r, int like, uint32_t maps)
{
	struct err e = { 0 };
	int new = r->res->nr_rows;
	int rc;

	if (!plan_add_like(r->res, like, "nr_maps", maps) || run_grow_tracks(r))
		return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", new + 1);
	rc = resolve_row(r, new, &e);
	if (rc) {
		struct row *row = &r->res->rows[new];

		row->outcome = OUTCOME_UNSUPPORTED;
		memcpy(row->reason, e.msg, sizeof(row->reason) - 1);
	}
	r->rows[new].open = r->res->rows[new].outcome == OUTCOME_OK;
	if (!r->rows[new].open) {
		r->refining = false;
		return run_close_row(r, new, STOPPED_NOT);
	}
	return 0;
}

/* Any row of the curve that has not had its minimum yet: too early to judge. */
static bool curve_is_young(const struct run *r)
{
	for (int i = 0; i < r->res->nr_rows; i++)
		if (run_is_seq_row(&r->res->rows[i]) && r->rows[i].open && r->rows[i].attempts < r->opt->trials_min)
			return true;
	return false;
}

static int find_maps(const struct results *res, uint32_t maps)
{
	for (int i = 0; i < res->nr_rows; i++)
		if (strcmp(res->rows[i].point.bench, SEQ_BENCH) == 0 && maps_of(&res->rows[i]) == maps)
			return i;
	return -1;
}

/* Its trials_min trials, of this row and the pool, would not fit into the budget. */
static bool no_time(const struct run *r)
{
	double need_s = r->opt->trials_min * run_round_s(r, 3);

	return r->opt->budget_ns && run_now_s() - r->started_s + need_s > (double)r->opt->budget_ns * 1e-9;
}

int run_refine(struct run *r)
{
	_cleanup_free_ struct cliff_row *rows = NULL;
	_cleanup_free_ double *values = NULL;
	struct cliff_bracket bracket;
	size_t n = 0;
	uint32_t next;
	int like;

	if (!r->refining || curve_is_young(r))
		return 0;
	if (gather(r->res, &rows, &values, &n))
		return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for the curve's figures");
	r->refining = false;
	if (n < 2 || rows[0].maps > RUN_POOL_MAPS)
		return 0;
	bracket = cliff_bracket(rows, n, NULL);
	next = cliff_next(&bracket);
	like = find_maps(r->res, rows[0].maps);
	if (!next || like < 0 || find_maps(r->res, next) >= 0 || r->refine_steps >= RUN_REFINE_MAX)
		return 0;
	if (no_time(r)) {
		run_warn(&r->res->run,
			 "the budget leaves no time for extra rows: the number of slots is bracketed as "
			 "%" PRIu32 "..%" PRIu32 " only; a larger --budget narrows it down",
			 bracket.slots_lo, bracket.slots_hi);
		return 0;
	}
	r->refining = true;
	r->refine_steps++;
	return add_refined(r, like, next);
}
