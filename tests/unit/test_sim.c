// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The statistics' promises, by simulation with fixed seeds: what docs/statistics.md says about coverage, false alarms
 * and the slot bracket is what this program prints. Bounds are asserted with room for the simulation's own error only.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "lib/rng.h"
#include "stats/cliff.h"
#include "stats/interval.h"
#include "stats/quality.h"

#define TRIALS_MAX 31
#define PRECISION 0.02

static double normal(struct rng *r)
{
	return sqrt(-2 * log(rng_unit(r))) * cos(2 * M_PI * rng_unit(r));
}

/* ---- A1: the interval of a row that stops by precision ---- */

/* One repetition: log-normal noise around 1; with chance p_other around `other` instead. */
struct noise {
	const char *name;
	double sd, p_other, other;
};

static double draw(struct rng *r, const struct noise *n)
{
	double centre = rng_unit(r) < n->p_other ? n->other : 1;

	return centre * exp(n->sd * normal(r));
}

/* The median of the distribution itself, by bisection on its cumulative function. */
static double true_median(const struct noise *n)
{
	double lo = 0.5, hi = 2;

	for (int i = 0; i < 200; i++) {
		double mid = (lo + hi) / 2;
		double below = (1 - n->p_other) * pnorm(log(mid), 0, n->sd, 1, 0) +
			       (n->p_other > 0 ? n->p_other * pnorm(log(mid / n->other), 0, n->sd, 1, 0) : 0);

		*(below < 0.5 ? &lo : &hi) = mid;
	}
	return lo;
}

/* A row as a sweep measures it with --trials 7:31 --precision 2. */
static struct interval measure_row(struct rng *r, const struct noise *n)
{
	double v[TRIALS_MAX];
	struct interval i = { .known = false };
	int have = 0;

	for (int look = interval_next_look(0); look && look <= TRIALS_MAX; look = interval_next_look(look)) {
		while (have < look)
			v[have++] = draw(r, n);
		i = interval_median(v, (size_t)have);
		if ((i.hi - i.lo) / 2 <= PRECISION * i.mid)
			break;
	}
	return i;
}

static void test_coverage_of_stopping_rows(void **state)
{
	static const struct noise cases[] = {
		{ "1 %", .01, 0, 1 },
		{ "2 %", .02, 0, 1 },
		{ "3 %", .03, 0, 1 },
		{ "5 %", .05, 0, 1 },
		{ "1 %, 1.5 % of them +15 %", .01, .015, 1.15 },
		{ "2 %, 1.5 % of them +15 %", .02, .015, 1.15 },
		{ "3 %, 1.5 % of them +15 %", .03, .015, 1.15 },
		{ "1 %, 30 % of them x 1.4", .01, .3, 1.4 },
		{ "2 %, 40 % of them x 1.4", .02, .4, 1.4 },
		{ "2 %, 45 % of them x 1.5", .02, .45, 1.5 },
	};
	const int runs = 20000;

	(void)state;
	print_message("A1  a row until +-2 %%, 7 to 31 trials    covered   trials   precise\n");
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct rng r = { 1000 + c };
		double truth = true_median(&cases[c]), trials = 0;
		int covered = 0, precise = 0;

		for (int i = 0; i < runs; i++) {
			struct interval v = measure_row(&r, &cases[c]);

			covered += v.lo <= truth && truth <= v.hi;
			precise += (v.hi - v.lo) / 2 <= PRECISION * v.mid;
			trials += v.n;
		}
		print_message("    %-36s %7.2f %% %7.1f %8.1f %%\n", cases[c].name, 100.0 * covered / runs, trials / runs,
			      100.0 * precise / runs);
		assert_true(covered >= .95 * runs);
		/* An interval that always covers would be far too wide: the rule would have been applied wrongly. */
		assert_true(covered <= .995 * runs);
	}
}

/* ---- bimodal ---- */

static double modes_share(const struct noise *n, int values, int runs, uint64_t seed)
{
	struct rng r = { seed };
	double v[TRIALS_MAX];
	int two = 0;

	for (int i = 0; i < runs; i++) {
		for (int k = 0; k < values; k++)
			v[k] = draw(&r, n);
		two += quality_modes(v, (size_t)values).two;
	}
	return (double)two / runs;
}

static void test_bimodal_false_alarms(void **state)
{
	static const double sds[] = { .01, .02, .03, .05, .10, .20 };

	(void)state;
	print_message("\"bimodal\" raised by one mode's noise, at    7       10       17       31 trials\n");
	for (size_t s = 0; s < sizeof(sds) / sizeof(sds[0]); s++)
		for (int outliers = 0; outliers < 2; outliers++) {
			const struct noise n = { "", sds[s], outliers ? .015 : 0, 1.15 };
			double share[4];
			int at[4] = { 7, 10, 17, 31 };

			for (int k = 0; k < 4; k++)
				share[k] = modes_share(&n, at[k], 20000, 77 + s * 8 + (size_t)outliers);
			print_message("    %2.0f %%%-26s %8.3f %% %6.3f %% %6.3f %% %6.3f %%\n", 100 * sds[s],
				      outliers ? ", 1.5 % of them +15 %" : "", 100 * share[0], 100 * share[1], 100 * share[2],
				      100 * share[3]);
			for (int k = 0; k < 4; k++)
				assert_true(share[k] < (sds[s] <= .03 ? .01 : .05));
		}
}

static void test_bimodal_found(void **state)
{
	static const struct noise cases[] = {
		{ "x 1.4, half of them, noise 2 %", .02, .5, 1.4 },
		{ "x 1.4, half of them, noise 3 %", .03, .5, 1.4 },
		{ "x 1.5, a third of them, noise 2 %", .02, .333, 1.5 },
		{ "x 1.2, half of them, noise 1 %", .01, .5, 1.2 },
	};

	(void)state;
	print_message("two modes found, at                         7       10       17       31 trials\n");
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		double share[4];
		int at[4] = { 7, 10, 17, 31 };

		for (int k = 0; k < 4; k++)
			share[k] = modes_share(&cases[c], at[k], 5000, 99 + c);
		print_message("    %-33s %6.1f %% %6.1f %% %6.1f %% %6.1f %%\n", cases[c].name, 100 * share[0], 100 * share[1],
			      100 * share[2], 100 * share[3]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coverage_of_stopping_rows),
		cmocka_unit_test(test_bimodal_false_alarms),
		cmocka_unit_test(test_bimodal_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
