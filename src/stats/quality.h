/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Written rules that turn repetitions into warnings; none of them removes a value. The thresholds stand here
 * and in docs/method.md, and the tests check by simulation how often plain noise sets them off.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row is noisy when the half-width of its interval exceeds this share of its median. */
#define QUALITY_NOISY_HALFWIDTH 0.04
/*
 * Two modes: of the gaps between sorted values that leave >= 2 values on each side (so that one outlier neither makes
 * nor hides a mode) the largest splits them; the medians of the two clusters are over 10 % apart and over 4 times
 * the larger range within a cluster. Fewer than 7 values, or any value <= 0: no judgement.
 */
#define QUALITY_MODE_MIN_VALUES 7
#define QUALITY_MODE_MEMBERS 2
#define QUALITY_MODE_GAP 0.10
#define QUALITY_MODE_SPREADS 4.0

struct modes {
	bool two;
	double low, high; /* medians of the two clusters */
	int nr_low, nr_high;
};
struct modes quality_modes(const double *v, size_t n);

/* Drift is a warning when p is below this: one run in a hundred of plain noise gets it. */
#define QUALITY_DRIFT_P 0.01

/*
 * Drift: lag-1 correlation of the residuals pooled over rows, judged by permuting rounds (statistics A2).
 * x[row * rounds + round], NAN where a row had no repetition in a round; values are natural logs. Fixed seed.
 * Residuals are in units of the row's own deviation, else the noisiest row would decide alone. Rounds are permuted all
 * rows together, and only among rounds that the same rows took part in (the stopping rule closes quiet rows early).
 * corr is NAN (p 1) with fewer than 5 rounds, no row of 5 values, or no variation. Rounds past 1000 are ignored.
 */
struct drift {
	double corr;	       /* less what permuted rounds show on average (a short row's residuals repel each other) */
	double p;	       /* one-sided: share of permutations with a correlation at least as large */
	double change;	       /* median over rows of the log change from the first half of a row's values to the second */
};
struct drift quality_drift(const double *x, int rows, int rounds);
