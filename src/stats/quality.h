/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Written rules that turn repetitions into warnings; none of them removes a value. The thresholds stand here
 * and in docs/statistics.md, and the tests check by simulation how often plain noise sets them off.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row is noisy when the half-width of its interval exceeds this share of its median. */
#define QUALITY_NOISY_HALFWIDTH 0.04
/*
 * Two modes: the largest of the gaps between sorted values that leave >= 2 values and >= 16 % of them on each side (so
 * that one or two outliers neither make nor hide a mode) splits them; the medians of the two clusters are over 10 %
 * apart, and the gap takes up more than 3/4 of that distance (from 13 values on 3/5: a few values leave wide gaps by
 * chance). Fewer than 7 values, or any value <= 0: no judgement.
 *
 * The clusters' own ranges are not asked for: they grow with the number of values, and a rule on them (the distance
 * over four times the range) found two modes 40 % apart at 3 % noise in 59 % of rows of 7 trials, but in 3 % of rows
 * of 31.
 */
#define QUALITY_MODE_MIN_VALUES 7
#define QUALITY_MODE_MEMBERS 2
#define QUALITY_MODE_MEMBER_SHARE 0.16
#define QUALITY_MODE_DISTANCE 0.10
#define QUALITY_MODE_EMPTY_FEW 0.75
#define QUALITY_MODE_EMPTY_MANY 0.60
#define QUALITY_MODE_MANY 13

struct modes {
	bool two;
	double low, high; /* medians of the two clusters */
	int nr_low, nr_high;
};
struct modes quality_modes(const double *v, size_t n);

/* Drift is a warning when p is below this: one run in a hundred of plain noise gets it. */
#define QUALITY_DRIFT_P 0.01

/*
 * Drift: lag-1 correlation of the residuals pooled over rows, or a trend that all rows share, judged by permuting
 * rounds (statistics A2; the correlation alone finds a trend of two deviations over 7 rounds in one run of five only).
 * x[row * rounds + round], NAN where a row had no repetition in a round; values are natural logs. Fixed seed.
 * Residuals are in units of the row's own deviation, else the noisiest row would decide alone. Rounds are permuted all
 * rows together, and only among rounds that the same rows took part in (the stopping rule closes quiet rows early).
 * corr is NAN (p 1) with fewer than 5 rounds, no row of 5 values, or no variation. Rounds past 1000 are ignored.
 */
struct drift {
	double corr;   /* less what permuted rounds show on average (a short row's residuals repel each other) */
	double p;      /* share of permutations with a correlation at least as large, or with a trend
			* at least as steep: twice the smaller of both */
	double change; /* median over rows of the log change from the first half of a row's values to the second */
};
struct drift quality_drift(const double *x, int rows, int rounds);
