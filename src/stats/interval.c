// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Medians and intervals from order statistics. Not obvious: the looks have a table although the rule for other
 * numbers of trials gives the same ranks (a test holds them together): the table is the promise of the stopping
 * rule, and a sweep asks for it thousands of times.
 */
#include "stats/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "lib/cleanup.h"

#define COVERAGE 0.97 /* of one look; with the repeated looking 95 % is what remains */
#define ON_STACK 64   /* more values than a sweep has trials by default */

const int interval_looks[INTERVAL_NR_LOOKS] = { 7, 10, 13, 17, 21, 31 };
static const int look_rank_lo[INTERVAL_NR_LOOKS] = { 1, 2, 3, 4, 6, 10 };

static int look_index(int n)
{
	for (int i = 0; i < INTERVAL_NR_LOOKS; i++)
		if (interval_looks[i] == n)
			return i;
	return -1;
}

bool interval_is_look(int n)
{
	return look_index(n) >= 0;
}

int interval_next_look(int n)
{
	for (int i = 0; i < INTERVAL_NR_LOOKS; i++)
		if (interval_looks[i] > n)
			return interval_looks[i];
	return 0;
}

/*
 * The largest l with P(B < l) <= (1 - COVERAGE) / 2, B binomial(n, 1/2): then ranks l .. n + 1 - l hold the median with
 * at least COVERAGE. qbinom alone may be one off where a probability falls on the bound.
 */
static int innermost_rank(int n)
{
	const double tail = (1 - COVERAGE) / 2;
	int l = (int)qbinom(tail, n, 0.5, 1, 0);

	while (l > 1 && pbinom(l - 1, n, 0.5, 1, 0) > tail)
		l--;
	while (pbinom(l, n, 0.5, 1, 0) <= tail)
		l++;
	return l;
}

bool interval_ranks(int n, int *ret_lo, int *ret_hi)
{
	int look = look_index(n), lo;

	if (n < 6)
		return false;
	if (look >= 0)
		lo = look_rank_lo[look];
	else if (n == 6)
		lo = 1; /* 96.9 %: the widest there is */
	else
		lo = innermost_rank(n);
	*ret_lo = lo;
	*ret_hi = n + 1 - lo;
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

size_t stat_sorted(const double *v, size_t n, double *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			ret[kept++] = v[i];
	if (kept > 1)
		qsort(ret, kept, sizeof(*ret), by_value);
	return kept;
}

static double sorted_median(const double *sorted, size_t n)
{
	if (n == 0)
		return NAN;
	if (n % 2)
		return sorted[n / 2];
	/* Halved first: the sum of two huge values is not a number one can print. */
	return sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

static struct interval no_interval(double mid, int n)
{
	return (struct interval){ .known = false, .mid = mid, .lo = NAN, .hi = NAN, .n = n };
}

struct interval interval_median(const double *v, size_t n)
{
	double stack[ON_STACK], *sorted = stack;
	_cleanup_free_ double *heap = NULL;
	struct interval ret;
	int lo, hi;

	if (n > INT32_MAX)
		return no_interval(NAN, 0);
	if (n > ON_STACK) {
		heap = calloc(n, sizeof(*heap));
		if (!heap)
			return no_interval(NAN, 0);
		sorted = heap;
	}
	n = stat_sorted(v, n, sorted);
	ret = no_interval(sorted_median(sorted, n), (int)n);
	if (interval_ranks((int)n, &lo, &hi)) {
		ret.known = true;
		ret.lo = sorted[lo - 1];
		ret.hi = sorted[hi - 1];
	}
	return ret;
}

double stat_median(const double *v, size_t n)
{
	return interval_median(v, n).mid;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* A result that overflowed is no interval. */
static struct interval checked(struct interval i)
{
	if (!i.known || !isfinite(i.mid) || !isfinite(i.lo) || !isfinite(i.hi))
		return no_interval(i.mid, i.n);
	return i;
}

struct interval interval_sub(struct interval a, struct interval b)
{
	struct interval ret = no_interval(a.mid - b.mid, smaller(a.n, b.n));

	if (!a.known || !b.known)
		return ret;
	ret.known = true;
	ret.lo = ret.mid - hypot(a.mid - a.lo, b.hi - b.mid);
	ret.hi = ret.mid + hypot(a.hi - a.mid, b.mid - b.lo);
	return checked(ret);
}

static struct interval log_of(struct interval i)
{
	i.mid = log(i.mid);
	if (i.known) {
		i.lo = log(i.lo);
		i.hi = log(i.hi);
	}
	return i;
}

struct interval interval_ratio(struct interval a, struct interval b)
{
	struct interval ret = no_interval(NAN, smaller(a.n, b.n));

	if (!(a.mid > 0) || !(b.mid > 0))
		return ret;
	ret.mid = a.mid / b.mid;
	if (!a.known || !b.known || !(a.lo > 0) || !(b.lo > 0))
		return ret;
	ret = interval_sub(log_of(a), log_of(b));
	ret.mid = a.mid / b.mid;
	ret.lo = exp(ret.lo);
	ret.hi = exp(ret.hi);
	return checked(ret);
}

struct interval interval_scale(struct interval a, double factor)
{
	struct interval ret = a;

	ret.mid = a.mid * factor;
	ret.lo = (factor < 0 ? a.hi : a.lo) * factor;
	ret.hi = (factor < 0 ? a.lo : a.hi) * factor;
	return checked(ret);
}
