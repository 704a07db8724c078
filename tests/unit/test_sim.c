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
		print_message("    %-36s %7.2f %% %7.1f %8.1f %%\n", cases[c].name, 100.0 * covered / runs,
			      trials / runs, 100.0 * precise / runs);
		assert_true(covered >= .95 * runs);
		/* An interval that always covers would be far too wide: the rule would have been applied wrongly. */
		assert_true(covered <= .995 * runs);
	}
}

/* Trials that hang together: what the drift warning is for. */
static void test_coverage_under_drift(void **state)
{
	static const double sds[] = { .01, .02, .03 };
	const double ar = 0.5;
	const int runs = 20000;

	(void)state;
	print_message("A2  the same, trials correlated .5          covered\n");
	for (size_t c = 0; c < sizeof(sds) / sizeof(sds[0]); c++) {
		struct rng r = { 1100 + c };
		int covered = 0;

		for (int i = 0; i < runs; i++) {
			double v[TRIALS_MAX], noise = normal(&r);
			struct interval got = { .known = false };
			int have = 0;

			for (int look = interval_next_look(0); look; look = interval_next_look(look)) {
				for (; have < look; noise = ar * noise + sqrt(1 - ar * ar) * normal(&r))
					v[have++] = exp(sds[c] * noise);
				got = interval_median(v, (size_t)have);
				if ((got.hi - got.lo) / 2 <= PRECISION * got.mid)
					break;
			}
			covered += got.lo <= 1 && 1 <= got.hi;
		}
		print_message("    %.0f %%                                  %7.2f %%\n", 100 * sds[c],
			      100.0 * covered / runs);
		/* If this kept its 95 %, there would be nothing to warn of. */
		assert_true(covered >= .75 * runs && covered < .95 * runs);
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

#define NR_AT 5
static const int at[NR_AT] = { 7, 10, 13, 17, 31 };

static void modes_line(const struct noise *n, int runs, uint64_t seed, double *ret_share)
{
	for (int k = 0; k < NR_AT; k++)
		ret_share[k] = modes_share(n, at[k], runs, seed + (uint64_t)k);
	print_message("    %-34s %6.2f %6.2f %6.2f %6.2f %6.2f\n", n->name, 100 * ret_share[0], 100 * ret_share[1],
		      100 * ret_share[2], 100 * ret_share[3], 100 * ret_share[4]);
}

static void test_bimodal_false_alarms(void **state)
{
	static const struct {
		struct noise noise;
		double bound;
	} cases[] = {
		{ { "1 %", .01, 0, 1 }, .01 },
		{ { "2 %", .02, 0, 1 }, .01 },
		{ { "3 %", .03, 0, 1 }, .01 },
		{ { "1 %, 1.5 % of them +15 %", .01, .015, 1.15 }, .01 },
		{ { "2 %, 1.5 % of them +15 %", .02, .015, 1.15 }, .01 },
		{ { "3 %, 1.5 % of them +15 %", .03, .015, 1.15 }, .01 },
		{ { "5 %", .05, 0, 1 }, .03 },
		{ { "10 %", .10, 0, 1 }, .10 },
		{ { "20 %", .20, 0, 1 }, .10 },
	};

	(void)state;
	print_message("\"bimodal\", raised by one mode (%%), trials:   7     10     13     17     31\n");
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		double share[NR_AT];

		modes_line(&cases[c].noise, 20000, 2000 + 10 * c, share);
		for (int k = 0; k < NR_AT; k++)
			assert_true(share[k] < cases[c].bound);
	}
}

static void test_bimodal_found(void **state)
{
	static const struct {
		struct noise noise;
		double bound; /* from 10 trials on; with 7 every eighth row has less than two values of one mode */
	} cases[] = {
		{ { "x 1.2, half of them, noise 1 %", .01, .5, 1.2 }, .95 },
		{ { "x 1.4, half of them, noise 2 %", .02, .5, 1.4 }, .93 },
		{ { "x 1.5, a third of them, noise 2 %", .02, 1 / 3., 1.5 }, .83 },
		{ { "x 1.4, half of them, noise 3 %", .03, .5, 1.4 }, .70 },
	};

	(void)state;
	print_message("\"bimodal\", two modes found (%%), trials:      7     10     13     17     31\n");
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		double share[NR_AT];

		modes_line(&cases[c].noise, 5000, 3000 + 10 * c, share);
		assert_true(share[0] > .65);
		for (int k = 1; k < NR_AT; k++)
			assert_true(share[k] > cases[c].bound);
	}
}

/* ---- A2: drift ---- */

#define DRIFT_ROWS 22

/* How repetitions of a sweep hang together. */
struct series {
	const char *name;
	int rounds;
	bool stopping; /* rows close as they get precise, as in a sweep */
	double own_ar; /* lag-1 correlation of a row's own noise */
	double common; /* sd of a part that all rows of a round share, in units of a row's own */
	double common_ar;
	double trend; /* of all rows, over the whole run, likewise */
};

/* Rows differ in noise: .5 % to 4 %, one of them 15 % as from 100 maps on. */
static double sd_of_row(int row)
{
	return row == 0 ? .15 : .005 + .035 * row / DRIFT_ROWS;
}

static double ar_step(struct rng *r, double before, double ar, bool first)
{
	return first ? normal(r) : ar * before + sqrt(1 - ar * ar) * normal(r);
}

static void draw_series(struct rng *r, const struct series *s, double *x)
{
	double common = 0, own[DRIFT_ROWS];

	for (int t = 0; t < s->rounds; t++) {
		common = ar_step(r, common, s->common_ar, t == 0);
		for (int row = 0; row < DRIFT_ROWS; row++) {
			own[row] = ar_step(r, own[row], s->own_ar, t == 0);
			x[row * s->rounds + t] =
				sd_of_row(row) * (own[row] + s->common * common + s->trend * t / (s->rounds - 1));
		}
	}
	for (int row = 0; s->stopping && row < DRIFT_ROWS; row++)
		for (int look = 7; look < s->rounds; look = interval_next_look(look)) {
			struct interval i = interval_median(x + row * s->rounds, (size_t)look);

			if ((i.hi - i.lo) / 2 > PRECISION)
				continue;
			for (int t = look; t < s->rounds; t++)
				x[row * s->rounds + t] = NAN;
			break;
		}
}

static void test_drift(void **state)
{
	static const struct {
		struct series s;
		double lo, hi; /* bounds of the share with a warning */
	} cases[] = {
		{ { "none, 7 rounds", 7, false, 0, 0, 0, 0 }, 0, .02 },
		{ { "none, 31 rounds", 31, false, 0, 0, 0, 0 }, 0, .02 },
		{ { "none, 31 rounds, rows closing", 31, true, 0, 0, 0, 0 }, 0, .02 },
		{ { "none, rounds shared, 7 rounds", 7, false, 0, 1, 0, 0 }, 0, .02 },
		{ { "none, rounds shared, rows closing", 31, true, 0, 1, 0, 0 }, 0, .02 },
		{ { "each row .5, 7 rounds", 7, false, .5, 0, 0, 0 }, .55, 1 },
		{ { "each row .5, 13 rounds", 13, false, .5, 0, 0, 0 }, .95, 1 },
		{ { "each row .5, rows closing", 31, true, .5, 0, 0, 0 }, .95, 1 },
		{ { "shared .5, 13 rounds", 13, false, 0, 1, .5, 0 }, .05, 1 },
		{ { "shared .5, 31 rounds", 31, false, 0, 1, .5, 0 }, .3, 1 },
		{ { "shared .8, 31 rounds", 31, false, 0, 1, .8, 0 }, .75, 1 },
		{ { "trend of 2 sd, 7 rounds", 7, false, 0, 0, 0, 2 }, .85, 1 },
		{ { "trend of 2 sd, rows closing", 31, true, 0, 0, 0, 2 }, .2, 1 },
	};
	const int runs = 600;
	static double x[DRIFT_ROWS * TRIALS_MAX];

	(void)state;
	print_message("A2  drift of %d rows, warning at p < %.2f    warned   correlation\n", DRIFT_ROWS,
		      QUALITY_DRIFT_P);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct rng r = { 4000 + c };
		int warned = 0;
		double corr = 0;

		for (int i = 0; i < runs; i++) {
			struct drift d;

			draw_series(&r, &cases[c].s, x);
			d = quality_drift(x, DRIFT_ROWS, cases[c].s.rounds);
			warned += d.p < QUALITY_DRIFT_P;
			corr += d.corr / runs;
		}
		print_message("    %-36s %8.1f %% %9.2f\n", cases[c].s.name, 100.0 * warned / runs, corr);
		assert_true(warned >= cases[c].lo * runs && warned <= cases[c].hi * runs);
	}
}

/* ---- D18, D19: the curve ---- */

#define CURVE_TRIALS 7
#define CURVE_MAX 24

struct machine_model {
	const char *name;
	double sd;   /* of one repetition */
	bool shared; /* half of the variance is the trial's: all its rows move together */
	bool clock;  /* repetitions of rows below the cliff sit at 4.70, 4.86 or 5.01 ns */
};

struct sim_curve {
	struct cliff_row rows[CURVE_MAX];
	double values[CURVE_MAX][CURVE_TRIALS], shared[CURVE_TRIALS];
	size_t n;
};

static double share_of(uint32_t maps, uint32_t slots)
{
	return fmin(1, fmax(0, 2.0 * ((double)maps - slots) / maps));
}

/* ns: a hit is 5, a list step 1 up to 32 maps, 2.5 up to 100, 9 from there on. */
static double walk_of(double maps)
{
	double steps = (maps + 1) / 2, near = fmin(steps, 16.5), middle = fmin(fmax(steps - 16.5, 0), 34);

	return near + 2.5 * middle + 9 * fmax(steps - 50.5, 0);
}

static double cost_of(uint32_t maps, uint32_t slots)
{
	return 5 + share_of(maps, slots) * (2 + walk_of(maps));
}

static void add_row(struct rng *r, const struct machine_model *m, uint32_t slots, uint32_t maps, struct sim_curve *c)
{
	static const double clocks[] = { 4.70 / 4.86, 1, 5.01 / 4.86 };
	double own = m->shared ? m->sd * M_SQRT1_2 : m->sd;
	double *v = c->values[c->n];

	for (int k = 0; k < CURVE_TRIALS; k++) {
		/* From 100 maps on a process sits in one of two modes. */
		double mode = maps >= 100 && rng_below(r, 2) ? 1.4 : 1;
		double clock = m->clock && maps <= 24 ? clocks[rng_below(r, 3)] : 1;

		v[k] = cost_of(maps, slots) * mode * clock * exp(own * normal(r) + (m->shared ? c->shared[k] : 0));
	}
	c->rows[c->n++] = (struct cliff_row){ .maps = maps, .values = v, .n = CURVE_TRIALS };
}

static void draw_shared(struct rng *r, const struct machine_model *m, struct sim_curve *c)
{
	for (int k = 0; k < CURVE_TRIALS; k++)
		c->shared[k] = m->sd * M_SQRT1_2 * normal(r);
}

/* A published sweep and up to five extra rows; returns what it says about the slots. */
static struct cliff_bracket sweep_once(struct rng *r, const struct machine_model *m, uint32_t slots)
{
	static const uint32_t maps[] = { 1, 10, 16, 17, 24, 32, 100, 1000 };
	struct sim_curve c = { .n = 0 };
	struct cliff_bracket b;

	draw_shared(r, m, &c);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		add_row(r, m, slots, maps[i], &c);
	b = cliff_bracket(c.rows, c.n, NULL);
	for (int extra = 0; extra < 5 && cliff_next(&b); extra++) {
		add_row(r, m, slots, cliff_next(&b), &c);
		b = cliff_bracket(c.rows, c.n, NULL);
	}
	return b;
}

static void test_bracket(void **state)
{
	static const struct machine_model models[] = {
		{ "1 %", .01, false, false },
		{ "2 %", .02, false, false },
		{ "3 %", .03, false, false },
		{ "2 %, half of it the trial's", .02, true, false },
		{ "1 %, three clocks", .01, false, true },
		{ "2 %, three clocks", .02, false, true },
	};
	static const uint32_t slots[] = { 16, 12, 20, 26 };
	const int runs = 500;

	(void)state;
	print_message("D18 slots from a curve of 7 trials        exact   wider   wrong  disturbed  (%d each)\n", runs);
	for (size_t s = 0; s < sizeof(slots) / sizeof(slots[0]); s++)
		for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
			struct rng r = { 5000 + 10 * s + m };
			int exact = 0, wrong = 0, disturbed = 0;

			for (int i = 0; i < runs; i++) {
				struct cliff_bracket b = sweep_once(&r, &models[m], slots[s]);

				wrong += b.known && (slots[s] < b.slots_lo || (b.slots_hi && slots[s] > b.slots_hi));
				exact += b.adjacent && b.slots_lo == slots[s];
				disturbed += b.disturbed;
			}
			print_message("    %2u slots, %-26s %6.1f %% %5.1f %% %5.1f %% %6.1f %%\n", slots[s],
				      models[m].name, 100.0 * exact / runs, 100.0 * (runs - exact - wrong) / runs,
				      100.0 * wrong / runs, 100.0 * disturbed / runs);
			assert_int_equal(wrong, 0);
			if (slots[s] == 16)
				assert_true(exact >= .8 * runs);
		}
}

/* Costs from one curve: the truth must lie in their intervals. */
static void test_cost_intervals(void **state)
{
	static const struct machine_model models[] = {
		{ "1 %", .01, false, false },
		{ "2 %", .02, false, false },
		{ "3 %", .03, false, false },
		{ "2 %, half of it the trial's", .02, true, false },
	};
	static const uint32_t maps[] = { 1, 10, 16, 17, 32, 48 };
	const enum cliff_state states[] = {
		CLIFF_FLAT, CLIFF_FLAT, CLIFF_FLAT, CLIFF_RAISED, CLIFF_RAISED, CLIFF_RAISED
	};
	const int runs = 10000;

	(void)state;
	print_message("D19 covered at 7 trials                     hit   miss(17)   miss(32)   step\n");
	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		struct rng r = { 6000 + m };
		int in[4] = { 0 };

		for (int i = 0; i < runs; i++) {
			struct sim_curve c = { .n = 0 };
			struct interval hit, net[6], got[4];
			const double truth[4] = { 5, 2 + walk_of(17), 2 + walk_of(32),
						  2 * (walk_of(48) - walk_of(32)) / (48 - 32) };

			draw_shared(&r, &models[m], &c);
			for (size_t k = 0; k < 6; k++) {
				add_row(&r, &models[m], 16, maps[k], &c);
				net[k] = interval_median(c.values[k], CURVE_TRIALS);
			}
			hit = got[0] = cliff_hit(c.rows, states, 6);
			got[1] = cliff_miss(net[3], hit, share_of(17, 16));
			got[2] = cliff_miss(net[4], hit, 1);
			got[3] = cliff_walk(32, net[4], 48, net[5]);
			for (int k = 0; k < 4; k++)
				in[k] += got[k].lo <= truth[k] && truth[k] <= got[k].hi;
		}
		print_message("    %-32s %8.1f %% %8.1f %% %8.1f %% %6.1f %%\n", models[m].name, 100.0 * in[0] / runs,
			      100.0 * in[1] / runs, 100.0 * in[2] / runs, 100.0 * in[3] / runs);
		for (int k = 0; k < 4; k++)
			assert_true(in[k] >= .95 * runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coverage_of_stopping_rows),
		cmocka_unit_test(test_coverage_under_drift),
		cmocka_unit_test(test_bimodal_false_alarms),
		cmocka_unit_test(test_bimodal_found),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_bracket),
		cmocka_unit_test(test_cost_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
