// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One run's results in memory. Not obvious: a summary is always computed here from the repetitions, by the
 * sweep and by every reader alike, so a file cannot claim an interval that its repetitions do not have.
 */
#include "core/results.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"
#include "stats/interval.h"

static const char *const outcome_names[] = {
	[OUTCOME_OK] = "ok",
	[OUTCOME_UNSUPPORTED] = "unsupported",
	[OUTCOME_INVALID] = "invalid",
	[OUTCOME_FAILED] = "failed",
};

static const char *const stopped_by_names[] = {
	[STOPPED_NOT] = "",
	[STOPPED_PRECISION] = "precision",
	[STOPPED_BUDGET] = "budget",
	[STOPPED_TRIALS] = "trials",
};

void results_init(struct results *r)
{
	memset(r, 0, sizeof(*r));
	r->run.setup_storage_ms = NAN;
	r->run.setup_hash_ms = NAN;
	r->run.machine.inlined_hit = -1;
	r->run.machine.jit = -1;
	r->run.machine.smt = -1;
	r->run.machine.foreign = (struct foreign_maps){ -1, -1, -1, -1 };
}

void results_free(struct results *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->nr_rows; i++)
		free(r->rows[i].reps);
	free(r->rows);
	for (char **arg = r->run.argv; arg && *arg; arg++)
		free(*arg);
	free(r->run.argv);
	/* Empty, so that freeing twice or adding rows again is harmless. */
	results_init(r);
}

/* Room for one more element of `size`; the array grows by doubling. NULL (array untouched): no memory. */
static void *grow(void *array, int n, int *cap, size_t size)
{
	int new_cap = *cap ? *cap : 8;
	void *new;

	if (n < *cap)
		return array;
	if (*cap && __builtin_mul_overflow(*cap, 2, &new_cap))
		return NULL;
	new = reallocarray(array, (size_t)new_cap, size);
	if (new)
		*cap = new_cap;
	return new;
}

struct row *results_add_row(struct results *r)
{
	const struct summary unknown = { .mid = NAN, .lo = NAN, .hi = NAN };
	struct row *rows = grow(r->rows, r->nr_rows, &r->cap_rows, sizeof(*rows));
	struct row *row;

	if (!rows)
		return NULL;
	r->rows = rows;
	row = &rows[r->nr_rows];
	memset(row, 0, sizeof(*row));
	row->order = r->nr_rows++;
	row->slots.miss_share = NAN;
	row->slots.miss_share_audited = NAN;
	row->setup_ms = NAN;
	row->gross = row->overhead = row->net = unknown;
	return row;
}

int row_add_rep(struct row *row, const struct rep *rep)
{
	struct rep *reps = grow(row->reps, row->nr_reps, &row->cap_reps, sizeof(*reps));

	if (!reps)
		return -ENOMEM;
	row->reps = reps;
	reps[row->nr_reps++] = *rep;
	counters_add(&row->counters, &rep->counters);
	return 0;
}

bool row_has_warning(const struct row *row, const char *name)
{
	for (int i = 0; i < row->nr_warnings; i++)
		if (strcmp(row->warnings[i], name) == 0)
			return true;
	return false;
}

void row_warn(struct row *row, const char *name)
{
	char kept[sizeof(row->warnings[0])];

	/* Compared as it will be kept: a name that is cut must not come twice. */
	str_copy(kept, sizeof(kept), name);
	if (row->nr_warnings >= ROW_WARNINGS_MAX || row_has_warning(row, kept))
		return;
	memcpy(row->warnings[row->nr_warnings++], kept, sizeof(kept));
}

static bool run_has_warning(const struct run_info *run, const char *sentence)
{
	for (int i = 0; i < run->nr_warnings; i++)
		if (strcmp(run->warnings[i], sentence) == 0)
			return true;
	return false;
}

void run_warn(struct run_info *run, const char *fmt, ...)
{
	char sentence[sizeof(run->warnings[0])];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	if (run->nr_warnings >= ROW_WARNINGS_MAX || run_has_warning(run, sentence))
		return;
	if (run->nr_warnings == ROW_WARNINGS_MAX - 1)
		snprintf(sentence, sizeof(sentence), "there were more warnings than the %d that are kept",
			 ROW_WARNINGS_MAX - 1);
	memcpy(run->warnings[run->nr_warnings++], sentence, sizeof(sentence));
}

/* In exact counts the minimum repeats best and has no interval: lo = hi = the minimum. */
static struct summary summarize_exact(const double *v, size_t n)
{
	struct summary s = { .mid = NAN };

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		if (s.n++ == 0 || v[i] < s.mid)
			s.mid = v[i];
	}
	s.known = s.interval = s.n > 0;
	s.lo = s.hi = s.mid;
	return s;
}

static struct summary summarize_times(const double *v, size_t n)
{
	struct interval i = interval_median(v, n);

	return (struct summary){
		.known = i.n > 0,
		.interval = i.known,
		.mid = i.mid,
		.lo = i.known ? i.lo : NAN,
		.hi = i.known ? i.hi : NAN,
		.n = i.n,
	};
}

void row_summarize(struct row *row, bool unit_insn)
{
	struct summary (*summarize)(const double *, size_t) = unit_insn ? summarize_exact : summarize_times;
	const struct summary unknown = { .mid = NAN, .lo = NAN, .hi = NAN };
	size_t n = (size_t)row->nr_reps;
	_cleanup_free_ double *v = calloc(n ? n : 1, 4 * sizeof(*v));
	double *gross, *overhead, *net, *setup;
	struct interval setup_ms;

	row->gross = row->overhead = row->net = unknown;
	if (!v)
		return;
	gross = v;
	overhead = gross + n;
	net = overhead + n;
	setup = net + n;
	for (size_t i = 0; i < n; i++) {
		gross[i] = row->reps[i].gross;
		overhead[i] = row->reps[i].overhead;
		/* Each repetition's own difference: the two medians may come from different repetitions. */
		net[i] = gross[i] - overhead[i];
		setup[i] = row->reps[i].setup_ms;
	}
	row->gross = summarize(gross, n);
	row->overhead = summarize(overhead, n);
	row->net = summarize(net, n);
	setup_ms = interval_median(setup, n);
	if (setup_ms.n > 0)
		row->setup_ms = setup_ms.mid;
}

void results_summarize(struct results *r)
{
	bool insn = results_unit_is_insn(r);

	for (int i = 0; i < r->nr_rows; i++)
		row_summarize(&r->rows[i], insn);
}

bool results_unit_is_insn(const struct results *r)
{
	return strcmp(r->run.unit, "insn") == 0;
}

static int name_index(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

const char *outcome_name(enum outcome o)
{
	return (size_t)o < ARRAY_SIZE(outcome_names) ? outcome_names[o] : "failed";
}

bool outcome_from_name(const char *name, enum outcome *ret)
{
	int i = name_index(outcome_names, ARRAY_SIZE(outcome_names), name);

	if (i >= 0)
		*ret = (enum outcome)i;
	return i >= 0;
}

const char *stopped_by_name(enum stopped_by s)
{
	return (size_t)s < ARRAY_SIZE(stopped_by_names) ? stopped_by_names[s] : "";
}

bool stopped_by_from_name(const char *name, enum stopped_by *ret)
{
	int i = name_index(stopped_by_names, ARRAY_SIZE(stopped_by_names), name);

	if (i >= 0)
		*ret = (enum stopped_by)i;
	return i >= 0;
}
