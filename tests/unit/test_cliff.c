// SPDX-License-Identifier: GPL-2.0-or-later
/* The slot bracket, costs and break-even of statistics D on curves whose answer is known. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "stats/cliff.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define ROWS_MAX 16

struct curve {
	struct cliff_row rows[ROWS_MAX];
	double values[ROWS_MAX][7];
	size_t n;
};

/* Seven repetitions of a row, spread by +-`spread` of the cost. */
static void add(struct curve *c, uint32_t maps, double cost, double spread)
{
	double *v = c->values[c->n];

	for (int k = 0; k < 7; k++)
		v[k] = cost * (1 + spread * (k - 3) / 3.0);
	c->rows[c->n++] = (struct cliff_row){ .maps = maps, .values = v, .n = 7 };
}

static void test_published_rows(void **state)
{
	struct curve c = { .n = 0 };
	enum cliff_state s[ROWS_MAX];
	struct cliff_bracket b;

	(void)state;
	add(&c, 1, 5, .01);
	add(&c, 10, 5.02, .01);
	add(&c, 16, 5.05, .01);
	add(&c, 17, 6.1, .01);
	add(&c, 32, 20, .01);
	b = cliff_bracket(c.rows, c.n, s);
	assert_true(b.known && b.adjacent && !b.disturbed);
	assert_int_equal(b.slots_lo, 16);
	assert_int_equal(b.slots_hi, 16);
	assert_int_equal(cliff_next(&b), 0);
	assert_int_equal(s[0], CLIFF_FLAT);
	assert_int_equal(s[1], CLIFF_FLAT);
	assert_int_equal(s[2], CLIFF_FLAT);
	assert_int_equal(s[3], CLIFF_RAISED);
	assert_int_equal(s[4], CLIFF_RAISED);
	/* The states are optional. */
	b = cliff_bracket(c.rows, c.n, NULL);
	assert_true(b.adjacent);
}

/* The rows are added in any order here; only the answer of each new row counts. */
static void test_bisection(void **state)
{
	(void)state;
	for (uint32_t slots = 10; slots < 100; slots++) {
		struct curve c = { .n = 0 };
		struct cliff_bracket b;
		int extra = 0;

		add(&c, 10, 5, .005);
		add(&c, 100, 50, .005);
		for (;;) {
			uint32_t next;

			b = cliff_bracket(c.rows, c.n, NULL);
			next = cliff_next(&b);
			if (next == 0)
				break;
			assert_true(next > b.slots_lo && next <= b.slots_hi);
			assert_true(extra++ < 8);
			add(&c, next, next <= slots ? 5 : 6, .005);
		}
		assert_true(b.adjacent);
		assert_int_equal(b.slots_lo, slots);
	}
}

/* A row that cannot be judged must not be asked for again. */
static void test_next_avoids_measured_rows(void **state)
{
	struct curve c = { .n = 0 };
	struct cliff_bracket b;

	(void)state;
	add(&c, 10, 5, .01);
	add(&c, 13, 5.3, .1);
	add(&c, 16, 8, .01);
	b = cliff_bracket(c.rows, c.n, NULL);
	assert_true(b.known && b.slots_lo == 10 && b.slots_hi == 15);
	assert_int_equal(cliff_next(&b), 14);
	add(&c, 14, 5.3, .1);
	b = cliff_bracket(c.rows, c.n, NULL);
	assert_int_equal(cliff_next(&b), 12);
	add(&c, 12, 5.3, .1);
	add(&c, 11, 5.3, .1);
	add(&c, 15, 5.3, .1);
	b = cliff_bracket(c.rows, c.n, NULL);
	assert_true(b.known && !b.adjacent);
	assert_int_equal(cliff_next(&b), 0);
}

static void test_thresholds(void **state)
{
	static const struct {
		double cost, spread;
		enum cliff_state want;
	} rows[] = {
		{ 5.14, 0, CLIFF_FLAT },       /* 1.028 */
		{ 5.16, 0, CLIFF_RAISED },     /* 1.032 */
		{ 5.2, .02, CLIFF_FLAT },      /* 1.019 .. 1.061 */
		{ 5.2, .05, CLIFF_UNDECIDED }, /* .988 .. 1.092 */
		{ 5.5, .05, CLIFF_RAISED },    /* 1.045 .. 1.155 */
		{ 4, .01, CLIFF_FLAT },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct curve c = { .n = 0 };
		enum cliff_state s[ROWS_MAX];

		add(&c, 1, 5, 0);
		add(&c, 20, rows[i].cost, rows[i].spread);
		cliff_bracket(c.rows, c.n, s);
		assert_int_equal(s[1], rows[i].want);
	}
}

static void test_no_cliff_seen(void **state)
{
	struct curve c = { .n = 0 };
	struct cliff_bracket b;

	(void)state;
	add(&c, 1, 5, .01);
	add(&c, 16, 5, .01);
	b = cliff_bracket(c.rows, c.n, NULL);
	assert_true(b.known && !b.adjacent);
	assert_int_equal(b.slots_lo, 16);
	assert_int_equal(b.slots_hi, 0);
	assert_int_equal(cliff_next(&b), 0);
}

static void test_disturbed(void **state)
{
	struct curve c = { .n = 0 };
	struct cliff_bracket b;

	(void)state;
	add(&c, 10, 5, .01);
	add(&c, 12, 5, .01);
	add(&c, 14, 6, .01);
	add(&c, 16, 5, .01);
	add(&c, 17, 6, .01);
	b = cliff_bracket(c.rows, c.n, NULL);
	assert_true(b.known && b.disturbed && !b.adjacent);
	/* Both stories fit into it: 14 was right, or 16 was. */
	assert_int_equal(b.slots_lo, 12);
	assert_int_equal(b.slots_hi, 16);
	assert_int_equal(cliff_next(&b), 0);
}

static void test_bracket_hostile(void **state)
{
	double nan7[7] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN }, zeros[7] = { 0 };
	struct curve c = { .n = 0 };
	enum cliff_state s[ROWS_MAX];
	struct cliff_bracket b;

	(void)state;
	b = cliff_bracket(NULL, 0, NULL);
	assert_true(!b.known && b.slots_lo == 0 && b.slots_hi == 0 && cliff_next(&b) == 0);
	/* No pool. */
	add(&c, 16, 5, .01);
	add(&c, 17, 6, .01);
	assert_false(cliff_bracket(c.rows, c.n, NULL).known);
	/* A pool of nothing, of zeros; too few repetitions. */
	add(&c, 1, 5, .01);
	c.rows[2].values = nan7;
	assert_false(cliff_bracket(c.rows, c.n, NULL).known);
	c.rows[2].values = zeros;
	assert_false(cliff_bracket(c.rows, c.n, NULL).known);
	c.rows[2].values = c.values[2];
	c.rows[2].n = 5;
	assert_false(cliff_bracket(c.rows, c.n, NULL).known);
	c.rows[2].n = 7;
	assert_true(cliff_bracket(c.rows, c.n, NULL).known);
	/* Only the pool: nothing was judged. */
	assert_false(cliff_bracket(&c.rows[2], 1, NULL).known);
	/* Absurd numbers of maps. */
	memset(&c, 0, sizeof(c));
	add(&c, 0, 5, .01);
	add(&c, 1, 5, .01);
	add(&c, UINT32_MAX - 1, 5, .01);
	add(&c, UINT32_MAX, 9, .01);
	b = cliff_bracket(c.rows, c.n, s);
	assert_int_equal(s[0], CLIFF_UNDECIDED);
	assert_true(b.adjacent && b.slots_lo == UINT32_MAX - 1);
	c.rows[2].maps = 2;
	b = cliff_bracket(c.rows, c.n, s);
	assert_true(cliff_next(&b) > 0x7fffffff && cliff_next(&b) < 0x80000010);
	/* The same number twice, judged differently. */
	c.rows[2].maps = UINT32_MAX;
	b = cliff_bracket(c.rows, c.n, s);
	assert_true(b.known && b.disturbed && cliff_next(&b) == 0);
}

static void test_exact_rows(void **state)
{
	const double a[] = { 105, 100, 102 }, b16[] = { 101 }, b17[] = { 112, 111 };
	const struct cliff_row rows[] = {
		{ 1, a, 3, NULL, true },
		{ 16, b16, 1, NULL, true },
		{ 17, b17, 2, NULL, true },
	};
	struct cliff_bracket b = cliff_bracket(rows, 3, NULL);

	(void)state;
	assert_true(b.known && b.adjacent && b.slots_lo == 16);
}

/* Repetitions are put together by trial, whatever their order and whichever are missing. */
static void test_hit_by_trial(void **state)
{
	const double a[] = { 7, 1, 2, 3, 4, 5, 6 }, b[] = { 3, 4, 5, 6, 7, 8, 19, NAN };
	const int a_trials[] = { 6, 0, 1, 2, 3, 4, 5 }, b_trials[] = { 0, 1, 2, 3, 4, 5, 7, 6 };
	const struct cliff_row rows[] = { { 1, a, 7, a_trials, false }, { 16, b, 8, b_trials, false } };
	const enum cliff_state s[] = { CLIFF_FLAT, CLIFF_FLAT };
	struct interval hit = cliff_hit(rows, s, 2);

	(void)state;
	/* Trials 0..5 have 2, 3, 4, 5, 6, 7; trial 6 only a's 7, trial 7 only b's 19. */
	assert_int_equal(hit.n, 8);
	assert_true(hit.known && hit.mid == 5.5);
	assert_true(hit.lo == 2 && hit.hi == 19);
}

static void test_costs(void **state)
{
	struct curve c = { .n = 0 };
	const enum cliff_state s[] = { CLIFF_FLAT, CLIFF_FLAT, CLIFF_UNDECIDED };
	struct interval hit, miss, walk;

	(void)state;
	add(&c, 1, 5, .03);
	add(&c, 16, 5, .03);
	add(&c, 17, 500, .03);
	hit = cliff_hit(c.rows, s, 3);
	assert_true(hit.known && hit.mid == 5 && hit.n == 7);
	assert_true(hit.lo == 5 * .97 && hit.hi == 5 * 1.03);
	assert_false(cliff_hit(c.rows, s, 0).known);

	/* 3-4-5: 23 [19..27] less 5 [2..8] is 18 +- 5; half of the gets miss. */
	miss = cliff_miss((struct interval){ true, 23, 19, 27, 7 }, (struct interval){ true, 5, 2, 8, 7 }, .5);
	assert_true(miss.known && miss.mid == 36 && fabs(miss.lo - 26) < 1e-9 && fabs(miss.hi - 46) < 1e-9);
	assert_false(cliff_miss(hit, hit, 0).known);
	assert_false(cliff_miss(hit, hit, -1).known);
	assert_false(cliff_miss(hit, hit, NAN).known);
	assert_false(cliff_miss(hit, hit, INFINITY).known);
	assert_false(cliff_miss(hit, hit, 1e-320).known);

	walk = cliff_walk(32, (struct interval){ true, 20, 19, 21, 7 }, 100,
			  (struct interval){ true, 105, 104, 106, 7 });
	assert_true(walk.known && walk.mid == 2.5);
	assert_true(fabs(walk.hi - 2 * (85 + sqrt(2)) / 68) < 1e-9);
	assert_false(cliff_walk(32, hit, 32, hit).known);
	assert_false(cliff_walk(33, hit, 32, hit).known);
	/* A miss or step of zero is an interval around zero, not clamped. */
	assert_true(cliff_miss(hit, hit, 1).lo < 0);
}

static struct cliff_point at(uint32_t maps, double lo, double mid, double hi)
{
	return (struct cliff_point){ maps, { true, mid, lo, hi, 7 } };
}

static void test_breakeven(void **state)
{
	const struct cliff_point curve[] = { at(1, 4, 5, 6), at(10, 4, 5, 6), at(100, 40, 50, 60),
					     at(1000, 4000, 5000, 6000) };
	struct interval hash = { true, 20, 18, 22, 7 };
	struct cliff_breakeven b = cliff_breakeven(curve, 4, hash);

	(void)state;
	assert_true(b.crosses && b.always == 0);
	/* The limits rise by 10 from 10 to 100, so maps = 10 * level / limit(10). */
	assert_true(fabs(b.maps_lo - 10 * 18 / 6.0) < 1e-9);
	assert_true(fabs(b.maps_hi - 10 * 22 / 4.0) < 1e-9);
	b = cliff_breakeven(curve, 4, (struct interval){ true, 2, 1, 3, 7 });
	assert_true(!b.crosses && b.always == 1);
	b = cliff_breakeven(curve, 4, (struct interval){ true, 7e6, 6.9e6, 7.1e6, 7 });
	assert_true(!b.crosses && b.always == -1);
	/* Surely below up to somewhere, then neither. */
	b = cliff_breakeven(curve, 4, (struct interval){ true, 5000, 4100, 5900, 7 });
	assert_true(b.crosses && isinf(b.maps_hi) && b.maps_lo > 100 && b.maps_lo < 1000);
	/* Neither at first, then surely above. */
	b = cliff_breakeven(curve, 4, (struct interval){ true, 5, 4.5, 5.5, 7 });
	assert_true(b.crosses && b.maps_lo == 1 && b.maps_hi > 10 && b.maps_hi < 100);
	/* Neither everywhere. */
	b = cliff_breakeven(curve, 2, (struct interval){ true, 5, 4.5, 5.5, 7 });
	assert_true(!b.crosses && b.always == 0);
}

static void test_breakeven_hostile(void **state)
{
	struct cliff_point curve[] = { at(1, 4, 5, 6), at(10, 4, 5, 6), at(100, 40, 50, 60) };
	struct interval hash = { true, 20, 18, 22, 7 }, bad = { false, 20, NAN, NAN, 3 };
	struct cliff_breakeven b;

	(void)state;
	b = cliff_breakeven(NULL, 0, hash);
	assert_true(!b.crosses && b.always == 0);
	b = cliff_breakeven(curve, 3, bad);
	assert_true(!b.crosses && b.always == 0);
	b = cliff_breakeven(curve, 3, (struct interval){ true, 1, 0, 2, 7 });
	assert_true(!b.crosses && b.always == 0);
	b = cliff_breakeven(curve, 3, (struct interval){ true, NAN, NAN, NAN, 7 });
	assert_true(!b.crosses && b.always == 0);
	/* A row that has no interval is left out: 1 and 100 remain. */
	curve[1].cost.known = false;
	b = cliff_breakeven(curve, 3, hash);
	assert_true(b.crosses && fabs(b.maps_lo - pow(100, log(3) / log(10))) < 1e-9);
	curve[0].cost.lo = -1;
	curve[2].maps = 0;
	b = cliff_breakeven(curve, 3, hash);
	assert_true(!b.crosses && b.always == 0);
	/* Falls instead of rising: not one crossing from below. */
	curve[0] = at(1, 40, 50, 60);
	curve[2] = at(100, 4, 5, 6);
	b = cliff_breakeven(curve, 3, hash);
	assert_true(!b.crosses && b.always == 0);
}

static void test_interpolate(void **state)
{
	const struct cliff_point curve[] = { at(10, 9, 10, 11),
					     { 20, { false, 1, NAN, NAN, 3 } },
					     at(100, 90, 100, 110) };
	struct interval i;

	(void)state;
	/* Proportional: line and power law agree. */
	i = cliff_interpolate(curve, 3, 20);
	assert_true(i.known && fabs(i.mid - 20) < 1e-9 && i.lo < 19 && i.hi > 21 && i.lo > 17.9 && i.hi < 22.1);
	i = cliff_interpolate(curve, 3, 10);
	assert_true(i.known && i.mid == 10 && i.lo == 9 && i.hi == 11);
	assert_false(cliff_interpolate(curve, 3, 9.9).known);
	assert_false(cliff_interpolate(curve, 3, 100.1).known);
	assert_false(cliff_interpolate(curve, 3, NAN).known);
	assert_false(cliff_interpolate(NULL, 0, 5).known);
	/* Convex: the two differ and the interval takes in both. */
	const struct cliff_point convex[] = { at(100, 90, 90, 90), at(1000, 2750, 2750, 2750) };

	i = cliff_interpolate(convex, 2, 198);
	assert_true(i.lo < 250 && i.hi > 379 && i.mid > i.lo && i.mid < i.hi);
}

/* net(n) of 6.12 in instructions, with another number of slots too. */
static void test_model(void **state)
{
	static const uint32_t maps[] = { 1, 10, 16, 17, 24, 32, 100, 1000 };

	(void)state;
	for (uint32_t slots = 12; slots <= 24; slots += 4) {
		struct cliff_point p[N(maps)];
		struct cliff_model m;

		for (size_t i = 0; i < N(maps); i++) {
			double share = fmin(1, fmax(0, 2.0 * ((double)maps[i] - slots) / maps[i]));
			double net = 111 + share * (62 + 9 * (maps[i] + 1) / 2.0);

			net *= 1 + (i % 2 ? 5e-5 : -5e-5);
			p[i] = at(maps[i], net, net, net);
		}
		m = cliff_fit(p, N(maps));
		assert_true(m.known);
		assert_int_equal(m.slots, slots);
		assert_true(fabs(m.hit - 111) < .1 && fabs(m.miss - 62) < 1 && fabs(m.step - 9) < .02);
		assert_true(m.worst < 5e-4);
	}
}

static void test_model_refuses(void **state)
{
	/* A list step that is not constant, as in ns: 2.5 up to 100 maps, 9 from there on. */
	struct cliff_point ns[] = {
		at(1, 5, 5, 5),	    at(10, 5, 5, 5),	    at(16, 5, 5, 5),	       at(17, 6.1, 6.1, 6.1),
		at(32, 20, 20, 20), at(100, 105, 105, 105), at(1000, 4155, 4155, 4155)
	};
	struct cliff_point flat[] = { at(1, 5, 5, 5), at(2, 5, 5, 5), at(3, 5, 5, 5), at(4, 5, 5, 5), at(5, 5, 5, 5) };

	(void)state;
	assert_false(cliff_fit(ns, N(ns)).known);
	assert_false(cliff_fit(flat, N(flat)).known);
	assert_false(cliff_fit(ns, 4).known);
	assert_false(cliff_fit(NULL, 0).known);
	flat[0].cost.lo = flat[0].cost.mid = 0;
	assert_false(cliff_fit(flat, N(flat)).known);
	flat[0] = at(UINT32_MAX, 1e308, 1e308, 1e308);
	assert_false(cliff_fit(flat, N(flat)).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_rows),
		cmocka_unit_test(test_bisection),
		cmocka_unit_test(test_next_avoids_measured_rows),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_no_cliff_seen),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_bracket_hostile),
		cmocka_unit_test(test_exact_rows),
		cmocka_unit_test(test_hit_by_trial),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_breakeven),
		cmocka_unit_test(test_breakeven_hostile),
		cmocka_unit_test(test_interpolate),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_model_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
