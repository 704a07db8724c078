// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Written rules from what was measured to outcomes and warnings (docs/method.md lists them). None removes a value.
 *
 * Not obvious: the audit counts whole rounds in the steady state, so its misses are exactly those the slots imply.
 * Anything else means that the row did not measure what it says, unless a foreign map was seen to take a slot of ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run_priv.h"
#include "lib/cleanup.h"
#include "stats/interval.h"
#include "stats/quality.h"

#define STEAL_SHARE 0.01    /* mean share of stolen time over the row's repetitions */
#define PREEMPTED_REPS 0.25 /* share of repetitions that were interrupted much */
#define CLOCK_SPREAD 0.03   /* (fastest - slowest) / slowest core clock */
#define FEW_TRIALS 6	    /* fewer have no interval */
#define DRIFT_P 0.01

/* ---- a repetition ---- */

static void make_invalid(struct row *row, int trial, const char *what)
{
	if (row->outcome != OUTCOME_OK)
		return;
	row->outcome = OUTCOME_INVALID;
	snprintf(row->reason, sizeof(row->reason), "trial %d: %s", trial, what);
}

static void judge_misses(struct row *row, struct row_track *t, const struct record *rec)
{
	const struct audit *a = &rec->rep.audit;
	double expected = rec->rep.slots.miss_share * (double)a->gets;
	char text[256];

	if (!isfinite(expected) || fabs((double)a->misses - expected) <= 0.5)
		return;
	t->audit_differs++;
	row_warn(row, "audit-differs");
	if (rec->rep.rep.evicted || !rec->rep.slots.seen)
		return;
	snprintf(text, sizeof(text), "the audit counted %llu misses in %llu gets, %.0f were expected from the slots",
		 (unsigned long long)a->misses, (unsigned long long)a->gets, expected);
	make_invalid(row, rec->rep.rep.trial, text);
}

void run_judge_rep(struct run *r, const struct record *rec)
{
	struct row *row = &r->res->rows[rec->row];
	struct row_track *t = &r->rows[rec->row];
	const struct audit *a = &rec->rep.audit;
	char text[256];

	row->slots = rec->rep.slots;
	t->preempted += rec->rep.preempted_much;
	/* A hash has no slots to see. */
	t->slots_unseen += !rec->rep.slots.seen && rec->rep.slots.n > 0;
	if (!a->visits_match) {
		row_warn(row, "audit-differs");
		snprintf(text, sizeof(text), "audit: %s", a->mismatch[0] ? a->mismatch : "the visits of a map differ");
		make_invalid(row, rec->rep.rep.trial, text);
	}
	if (a->done) {
		t->audit_gets += a->gets;
		t->audit_misses += a->misses;
		judge_misses(row, t, rec);
	}
	row->slots.miss_share_audited = t->audit_gets ? (double)t->audit_misses / (double)t->audit_gets : NAN;
}

/* ---- a row ---- */

static bool clock_moved(const struct row *row)
{
	double lo = INFINITY, hi = 0;

	for (int i = 0; i < row->nr_reps; i++) {
		if (!isfinite(row->reps[i].ghz))
			continue;
		lo = fmin(lo, row->reps[i].ghz);
		hi = fmax(hi, row->reps[i].ghz);
	}
	return hi > 0 && hi - lo > CLOCK_SPREAD * lo;
}

static double mean_steal(const struct row *row)
{
	double sum = 0;

	for (int i = 0; i < row->nr_reps; i++)
		sum += row->reps[i].steal;
	return row->nr_reps ? sum / row->nr_reps : 0;
}

static bool any_evicted(const struct row *row)
{
	for (int i = 0; i < row->nr_reps; i++)
		if (row->reps[i].evicted)
			return true;
	return false;
}

static bool two_modes(const struct row *row)
{
	_cleanup_free_ double *v = calloc((size_t)row->nr_reps + 1, sizeof(*v));
	size_t n = 0;

	for (int i = 0; v && i < row->nr_reps; i++)
		if (isfinite(row->reps[i].gross))
			v[n++] = row->reps[i].gross;
	return v && quality_modes(v, n).two;
}

void run_judge_row(const struct run *r, int i)
{
	struct row *row = &r->res->rows[i];
	const struct row_track *t = &r->rows[i];
	const struct summary *g = &row->gross;
	bool insn = results_unit_is_insn(r->res);

	row_summarize(row, insn);
	if (row->nr_reps == 0)
		return;
	if (row->counters.nulls)
		row_warn(row, "nulls");
	if (!insn && g->n < FEW_TRIALS)
		row_warn(row, "few-trials");
	if (!insn && two_modes(row))
		row_warn(row, "bimodal");
	if (g->interval && (g->hi - g->lo) / 2 > QUALITY_NOISY_HALFWIDTH * g->mid)
		row_warn(row, "noisy");
	if (any_evicted(row))
		row_warn(row, "foreign-eviction");
	if (t->preempted > 0 && t->preempted >= PREEMPTED_REPS * row->nr_reps)
		row_warn(row, "preempted");
	if (mean_steal(row) > STEAL_SHARE)
		row_warn(row, "steal");
	if (clock_moved(row))
		row_warn(row, "clock-moved");
	if (t->slots_unseen)
		row_warn(row, "slots-unseen");
}

/* ---- the run ---- */

static void judge_drift(struct run *r)
{
	struct results *res = r->res;
	size_t rounds = (size_t)r->trial;
	_cleanup_free_ double *x = calloc((size_t)res->nr_rows * rounds + 1, sizeof(*x));
	struct drift d;

	if (!x || rounds == 0)
		return;
	for (size_t i = 0; i < (size_t)res->nr_rows * rounds; i++)
		x[i] = NAN;
	for (int i = 0; i < res->nr_rows; i++)
		for (int k = 0; k < res->rows[i].nr_reps; k++) {
			const struct rep *rep = &res->rows[i].reps[k];

			if (rep->gross > 0 && rep->trial >= 0 && (size_t)rep->trial < rounds)
				x[(size_t)i * rounds + (size_t)rep->trial] = log(rep->gross);
		}
	d = quality_drift(x, res->nr_rows, (int)rounds);
	if (!isfinite(d.corr) || d.p >= DRIFT_P)
		return;
	run_warn(&res->run,
		 "rows drifted together while this was measured (lag-1 correlation %.2f, p = %.2g; second half of the "
		 "rounds against the first: %+.1f %%): intervals cover less than they say; measure again on a "
		 "quieter machine",
		 d.corr, d.p, 100 * expm1(d.change));
}

static void warn_advice(void *arg, const char *sentence)
{
	run_warn(arg, "%s", sentence);
}

void run_judge_run(struct run *r)
{
	struct run_info *run = &r->res->run;

	run->setup_storage_ms = interval_median(r->storage_ms, (size_t)r->nr_setups).mid;
	run->setup_hash_ms = interval_median(r->hash_ms, (size_t)r->nr_setups).mid;
	if (!results_unit_is_insn(r->res))
		judge_drift(r);
	machine_advise(&run->machine, warn_advice, run);
}
