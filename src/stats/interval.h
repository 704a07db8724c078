/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Medians and their intervals over few repetitions (the project's statistics, section A): order statistics,
 * no assumption on the distribution beyond independence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The looks: interval and stopping rule are evaluated at these numbers of trials only. */
#define INTERVAL_NR_LOOKS 6
extern const int interval_looks[INTERVAL_NR_LOOKS]; /* 7, 10, 13, 17, 21, 31 */

bool interval_is_look(int n);
/* The smallest look > n, or 0 after the last. */
int interval_next_look(int n);

/*
 * Ranks (from 1) of the interval of the median of n values: at a look those of the table (1..7, 2..9, 3..11,
 * 4..14, 6..16, 10..22), n = 6: 1..6, other n >= 7 the innermost symmetric pair that covers >= 97 % (binomial
 * n, 1/2). n < 6: false.
 */
bool interval_ranks(int n, int *ret_lo, int *ret_hi);

struct interval {
	bool known; /* false: n < 6; lo and hi are NAN then */
	double mid, lo, hi;
	int n;
};

/* Does not change v. n = 0: mid NAN. Values that are not finite are not counted. Out of memory: as n = 0. */
struct interval interval_median(const double *v, size_t n);
double stat_median(const double *v, size_t n); /* of the finite values; NAN if there are none */
/* The finite values of v in ascending order into ret (room for n); returns how many. */
size_t stat_sorted(const double *v, size_t n, double *ret);

/*
 * Statistics D19: interval of f(a, b) from the intervals of independent a and b by square-and-add (MOVER). An
 * operand without an interval gives a result without one, n is the smaller n.
 */
struct interval interval_sub(struct interval a, struct interval b);   /* a - b */
struct interval interval_ratio(struct interval a, struct interval b); /* a / b, on logs; both > 0 else not known */
struct interval interval_scale(struct interval a, double factor);
