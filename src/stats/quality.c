// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Warnings from repetitions. Not obvious: the drift test may only shuffle rounds between which the same rows were
 * measured. A sweep closes rows as they get precise, so later rounds hold the noisy rows only; shuffling across that
 * border would compare what never could have been exchanged, and alarm about the stopping rule itself.
 */
#include "stats/quality.h"

#include <math.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "lib/rng.h"
#include "stats/interval.h"

#define DRIFT_MIN_ROUNDS 5
#define DRIFT_MAX_ROUNDS 1000 /* rounds beyond are not looked at: the table of products is a square */
#define DRIFT_SHUFFLES 1999   /* p comes in steps of 1/1000 */
#define DRIFT_SEED UINT64_C(0x6c73626e63683032)

static double sorted_middle(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

/* The split 0..k-1, k..n-1 with the largest gap among those with enough members on both sides; 0: there is none. */
static size_t widest_gap(const double *sorted, size_t n)
{
	size_t members = (size_t)ceil(QUALITY_MODE_MEMBER_SHARE * (double)n), at = 0;

	if (members < QUALITY_MODE_MEMBERS)
		members = QUALITY_MODE_MEMBERS;
	for (size_t k = members; k + members <= n; k++)
		if (at == 0 || sorted[k] - sorted[k - 1] > sorted[at] - sorted[at - 1])
			at = k;
	return at;
}

struct modes quality_modes(const double *v, size_t n)
{
	struct modes ret = { .low = NAN, .high = NAN };
	_cleanup_free_ double *sorted = n ? calloc(n, sizeof(*sorted)) : NULL;
	double empty, distance;
	size_t at;

	if (!sorted)
		return ret;
	n = stat_sorted(v, n, sorted);
	/* Costs are positive; a share of a median that is not says nothing. */
	if (n < QUALITY_MODE_MIN_VALUES || n > INT32_MAX || !(sorted[0] > 0))
		return ret;
	at = widest_gap(sorted, n);
	if (at == 0)
		return ret;
	ret.low = sorted_middle(sorted, at);
	ret.high = sorted_middle(sorted + at, n - at);
	ret.nr_low = (int)at;
	ret.nr_high = (int)(n - at);
	empty = n < QUALITY_MODE_MANY ? QUALITY_MODE_EMPTY_FEW : QUALITY_MODE_EMPTY_MANY;
	distance = ret.high - ret.low;
	ret.two = distance > QUALITY_MODE_DISTANCE * ret.low && sorted[at] - sorted[at - 1] > empty * distance;
	return ret;
}

struct drift_work {
	int rounds;
	double *resid;	 /* one row's standardized residuals, 0 where it has none */
	double *product; /* rounds x rounds: sum over rows of resid[a] * resid[b] */
	double *total;	 /* sum over rows of resid */
	bool *border;	 /* border[r]: round r begins a stretch with other rows than r - 1 */
	int *order;	 /* rounds as shuffled */
	double pairs;	 /* neighbouring rounds with a value in both, over all rows */
};

/* Mean of the second half less mean of the first; the middle value of an odd number belongs to neither. */
static double halves_change(const double *v, int n)
{
	double first = 0, second = 0;
	int half = n / 2;

	for (int i = 0; i < half; i++) {
		first += v[i];
		second += v[n - 1 - i];
	}
	return (second - first) / half;
}

/* Adds one row; false if it says nothing about drift (too few values, or all equal). */
static bool drift_add_row(struct drift_work *w, const double *x, double *ret_change)
{
	double mean = 0, square = 0;
	int n = 0, first = -1, last = -1;

	for (int r = 0; r < w->rounds; r++) {
		if (!isfinite(x[r]))
			continue;
		w->resid[n++] = x[r];
		mean += x[r];
		last = r;
		if (first < 0)
			first = r;
	}
	if (n < DRIFT_MIN_ROUNDS)
		return false;
	*ret_change = halves_change(w->resid, n);
	mean /= n;
	for (int i = 0; i < n; i++)
		square += (w->resid[i] - mean) * (w->resid[i] - mean);
	/* Rounding alone must not look like a spread. */
	if (!isfinite(square) || !(sqrt(square / n) > 1e-12 * fmax(1, fabs(mean))))
		return false;
	for (int r = 0; r < w->rounds; r++)
		w->resid[r] = isfinite(x[r]) ? (x[r] - mean) / sqrt(square / n) : 0;
	for (int a = first; a <= last; a++)
		for (int b = first; b <= last; b++)
			w->product[(size_t)a * w->rounds + b] += w->resid[a] * w->resid[b];
	for (int r = first; r <= last; r++)
		w->total[r] += w->resid[r];
	for (int r = first; r < last; r++)
		w->pairs += isfinite(x[r]) && isfinite(x[r + 1]);
	w->border[first] = true;
	if (last + 1 < w->rounds)
		w->border[last + 1] = true;
	return true;
}

static double lag_sum(const struct drift_work *w)
{
	double sum = 0;

	for (int r = 0; r + 1 < w->rounds; r++)
		sum += w->product[(size_t)w->order[r] * w->rounds + w->order[r + 1]];
	return sum;
}

/* How far all rows together lean to one end of the run. */
static double trend_sum(const struct drift_work *w)
{
	double sum = 0;

	for (int r = 0; r < w->rounds; r++)
		sum += (r - (w->rounds - 1) / 2.0) * w->total[w->order[r]];
	return fabs(sum);
}

/* Fisher-Yates within each stretch of rounds that the same rows took part in. */
static void shuffle_stretches(struct drift_work *w, struct rng *rng)
{
	int begin = 0;

	for (int end = 1; end <= w->rounds; end++) {
		if (end < w->rounds && !w->border[end])
			continue;
		for (int i = end - 1; i > begin; i--) {
			int j = begin + (int)rng_below(rng, (uint64_t)i - (uint64_t)begin + 1);
			int kept = w->order[i];

			w->order[i] = w->order[j];
			w->order[j] = kept;
		}
		begin = end;
	}
}

static void drift_judge(struct drift_work *w, struct drift *ret)
{
	/* Fixed seed: a reader of the file gets the same p as the sweep did. */
	struct rng rng = { DRIFT_SEED };
	double real, real_trend, sum, mean = 0;
	int as_large = 0, as_steep = 0;

	for (int r = 0; r < w->rounds; r++)
		w->order[r] = r;
	real = lag_sum(w);
	real_trend = trend_sum(w);
	for (int i = 0; i < DRIFT_SHUFFLES; i++) {
		shuffle_stretches(w, &rng);
		sum = lag_sum(w);
		mean += sum / DRIFT_SHUFFLES;
		/* The same sum in another order of additions counts as equal. */
		as_large += sum >= real - 1e-9 * (1 + fabs(real));
		as_steep += trend_sum(w) >= real_trend - 1e-9 * (1 + real_trend);
	}
	ret->corr = (real - mean) / w->pairs;
	/* The better of two looks at the same thing counts half. */
	ret->p = fmin(1, 2 * (1.0 + (as_large < as_steep ? as_large : as_steep)) / (1.0 + DRIFT_SHUFFLES));
}

struct drift quality_drift(const double *x, int rows, int rounds)
{
	struct drift ret = { .corr = NAN, .p = 1, .change = NAN };
	int looked_at = rounds < DRIFT_MAX_ROUNDS ? rounds : DRIFT_MAX_ROUNDS;
	size_t n = looked_at > 0 ? (size_t)looked_at : 0;
	size_t nr_changes = 0;

	if (!x || rows < 1 || rounds < DRIFT_MIN_ROUNDS)
		return ret;

	_cleanup_free_ double *resid = calloc(n, sizeof(*resid));
	_cleanup_free_ double *product = calloc(n * n, sizeof(*product));
	_cleanup_free_ double *total = calloc(n, sizeof(*total));
	_cleanup_free_ bool *border = calloc(n, sizeof(*border));
	_cleanup_free_ int *order = calloc(n, sizeof(*order));
	_cleanup_free_ double *changes = calloc((size_t)rows, sizeof(*changes));
	struct drift_work w = { looked_at, resid, product, total, border, order, 0 };

	if (!resid || !product || !total || !border || !order || !changes)
		return ret;
	for (int row = 0; row < rows; row++)
		if (drift_add_row(&w, x + (size_t)row * rounds, &changes[nr_changes]))
			nr_changes++;
	if (nr_changes == 0 || !(w.pairs > 0))
		return ret;
	ret.change = stat_median(changes, nr_changes);
	drift_judge(&w, &ret);
	return ret;
}
