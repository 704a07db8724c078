// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sweep: round after round until every row is done, the budget is used or a signal comes.
 *
 * Not obvious: this process forks and so has no threads of its own, holds no map and no program, and keeps every
 * repetition the moment it arrives: whatever happens later, it is in the results and in the caller's file.
 */
#include "core/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/run_priv.h"
#include "lib/cleanup.h"

int run_grow_tracks(struct run *r)
{
	int cap = r->res->nr_rows + 8;
	struct row_track *rows;

	if (r->res->nr_rows <= r->cap_rows && r->rows)
		return 0;
	rows = reallocarray(r->rows, (size_t)cap, sizeof(*rows));
	if (!rows)
		return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", r->res->nr_rows);
	memset(rows + r->cap_rows, 0, (size_t)(cap - r->cap_rows) * sizeof(*rows));
	r->rows = rows;
	r->cap_rows = cap;
	return 0;
}

int run_close_row(struct run *r, int row, enum stopped_by by)
{
	r->rows[row].open = false;
	r->res->rows[row].stopped_by = by;
	run_judge_row(r, row);
	return r->ev->row_end ? r->ev->row_end(r->ev->arg, r->res, row, r->e) : 0;
}

int run_take_rep(struct run *r, const struct record *rec)
{
	struct row *row = &r->res->rows[rec->row];
	int rc;

	if (row_add_rep(row, &rec->rep.rep))
		return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for the repetitions of a row");
	run_judge_rep(r, rec);
	row_summarize(row, results_unit_is_insn(r->res));
	rc = r->ev->rep ? r->ev->rep(r->ev->arg, r->res, rec->row, &row->reps[row->nr_reps - 1], r->e) : 0;
	if (!rc && row->outcome != OUTCOME_OK)
		rc = run_close_row(r, rec->row, STOPPED_NOT);
	return rc;
}

/* One trial of every open row. 0, 1 (the trial failed as a whole), -EINTR or -errno. */
static int run_round(struct run *r)
{
	_cleanup_free_ int *order = calloc((size_t)r->res->nr_rows + 1, sizeof(*order));
	int n, rc;

	if (!order)
		return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", r->res->nr_rows);
	n = run_open_rows(r, order);
	run_shuffle(r, order, n);
	rc = run_trial(r, order, n);
	r->trial++;
	if (rc)
		return rc;
	r->rounds++;
	for (int i = 0; i < n; i++)
		r->rows[order[i]].attempts++;
	return 0;
}

static int close_done_rows(struct run *r)
{
	for (int i = 0; i < r->res->nr_rows; i++) {
		enum stopped_by by;
		int rc;

		if (!r->rows[i].open)
			continue;
		by = run_row_stop(r, i);
		rc = by == STOPPED_NOT ? 0 : run_close_row(r, i, by);
		if (rc)
			return rc;
	}
	return 0;
}

/* Rows that have not had their minimum go on; an interval needs them. */
static int close_for_budget(struct run *r)
{
	if (!run_budget_over(r, run_open_rows(r, NULL)))
		return 0;
	for (int i = 0; i < r->res->nr_rows; i++) {
		int rc;

		if (!r->rows[i].open || r->rows[i].attempts < r->opt->trials_min)
			continue;
		rc = run_close_row(r, i, STOPPED_BUDGET);
		if (rc)
			return rc;
	}
	return 0;
}

static int run_rounds(struct run *r)
{
	int rc, open;

	while (run_open_rows(r, NULL)) {
		rc = run_stopped(r) ? -EINTR : run_round(r);
		if (rc == 1)
			continue;
		if (!rc)
			rc = run_refine(r);
		if (!rc)
			rc = close_done_rows(r);
		if (!rc)
			rc = close_for_budget(r);
		if (rc)
			return rc;
		open = run_open_rows(r, NULL);
		if (r->ev->round)
			r->ev->round(r->ev->arg, r->rounds, open, run_now_s() - r->started_s, open ? run_left_s(r) : 0);
	}
	return 0;
}

/* After a signal or an error: what is there is judged as it stands. */
static void judge_open_rows(struct run *r)
{
	for (int i = 0; i < r->res->nr_rows; i++)
		if (r->rows[i].open)
			run_judge_row(r, i);
}

int run_sweep(const struct run_options *opt, const struct engine *eng, void *state, struct results *res,
	      const struct run_events *ev, struct err *e)
{
	static const struct run_events none;
	struct run r = {
		.opt = opt,
		.eng = eng,
		.state = state,
		.res = res,
		.ev = ev ? ev : &none,
		.e = e,
		.started_s = run_now_s(),
		.refining = opt->refine && !results_unit_is_insn(res),
	};
	int rc = run_grow_tracks(&r);

	if (rc)
		return rc;
	for (int i = 0; i < res->nr_rows; i++)
		r.rows[i].open = res->rows[i].outcome == OUTCOME_OK;
	rc = run_rounds(&r);
	judge_open_rows(&r);
	run_judge_run(&r);
	free(r.rows);
	free(r.storage_ms);
	free(r.hash_ms);
	return rc;
}

int run_exit_status(const struct results *res)
{
	for (int i = 0; i < res->nr_rows; i++)
		if (res->rows[i].outcome == OUTCOME_FAILED || res->rows[i].outcome == OUTCOME_INVALID)
			return 1;
	return 0;
}
