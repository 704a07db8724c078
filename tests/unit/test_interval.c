// SPDX-License-Identifier: GPL-2.0-or-later
/* Medians, ranks and their coverage against libRmath's binomial, interval arithmetic, hostile numbers. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "stats/interval.h"

/* Probability that ranks lo..hi of n values hold the median. */
static double coverage(int n, int lo, int hi)
{
	return pbinom(hi - 1, n, 0.5, 1, 0) - pbinom(lo - 1, n, 0.5, 1, 0);
}

static void test_published_ranks(void **state)
{
	static const int table[][3] = { { 7, 1, 7 },   { 10, 2, 9 },  { 13, 3, 11 },
					{ 17, 4, 14 }, { 21, 6, 16 }, { 31, 10, 22 } };
	int lo, hi;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_true(interval_is_look(table[i][0]));
		assert_true(interval_ranks(table[i][0], &lo, &hi));
		assert_int_equal(lo, table[i][1]);
		assert_int_equal(hi, table[i][2]);
		assert_true(coverage(table[i][0], lo, hi) >= 0.97055); /* printed as 97.06 % */
	}
	assert_true(interval_ranks(6, &lo, &hi));
	assert_int_equal(lo, 1);
	assert_int_equal(hi, 6);
}

static void test_every_n_covers_and_is_innermost(void **state)
{
	(void)state;
	for (int n = 6; n <= 60; n++) {
		int lo = -1, hi = -1;

		assert_true(interval_ranks(n, &lo, &hi));
		assert_int_equal(lo + hi, n + 1);
		assert_true(lo >= 1 && lo < hi);
		if (n == 6) {
			assert_true(fabs(coverage(6, lo, hi) - 0.96875) < 1e-12);
			continue;
		}
		assert_true(coverage(n, lo, hi) >= 0.97);
		assert_true(coverage(n, lo + 1, hi - 1) < 0.97);
	}
}

static void test_large_n(void **state)
{
	int lo, hi;

	(void)state;
	for (int n = 100; n <= 1000000; n *= 10) {
		assert_true(interval_ranks(n, &lo, &hi));
		assert_true(coverage(n, lo, hi) >= 0.97);
		assert_true(coverage(n, lo + 1, hi - 1) < 0.97);
	}
}

static void test_too_few(void **state)
{
	int lo = 77, hi = 78;

	(void)state;
	for (int n = -3; n < 6; n++)
		assert_false(interval_ranks(n, &lo, &hi));
	assert_int_equal(lo, 77);
	assert_int_equal(hi, 78);
}

static void test_looks(void **state)
{
	(void)state;
	assert_int_equal(interval_next_look(-5), 7);
	assert_int_equal(interval_next_look(0), 7);
	assert_int_equal(interval_next_look(7), 10);
	assert_int_equal(interval_next_look(12), 13);
	assert_int_equal(interval_next_look(30), 31);
	assert_int_equal(interval_next_look(31), 0);
	assert_false(interval_is_look(8));
	assert_false(interval_is_look(0));
}

static void test_median(void **state)
{
	const double odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 };

	(void)state;
	assert_true(stat_median(odd, 3) == 5);
	assert_true(stat_median(even, 4) == 2.5);
	assert_true(isnan(stat_median(NULL, 0)));
	assert_true(odd[0] == 9 && odd[1] == 1); /* unchanged */
}

static void test_interval_of_seven(void **state)
{
	const double v[] = { 5.2, 5.0, 5.1, 4.9, 5.3, 5.6, 4.7 };
	struct interval i = interval_median(v, 7);

	(void)state;
	assert_true(i.known);
	assert_int_equal(i.n, 7);
	assert_true(i.mid == 5.1 && i.lo == 4.7 && i.hi == 5.6);
	i = interval_median(v, 5);
	assert_false(i.known);
	assert_int_equal(i.n, 5);
	assert_true(i.mid == 5.1 && isnan(i.lo) && isnan(i.hi));
}

static void test_interval_of_many(void **state)
{
	double v[301];
	struct interval i;
	int lo, hi;

	(void)state;
	/* 1..301 in a scattered order: 101 and 301 have no common factor. */
	for (int k = 0; k < 301; k++)
		v[k] = 1 + (k * 101) % 301;
	assert_true(interval_ranks(301, &lo, &hi));
	i = interval_median(v, 301);
	assert_true(i.known && i.mid == 151 && i.lo == lo && i.hi == hi);
}

static void test_hostile_values(void **state)
{
	const double v[] = { NAN, 3, INFINITY, 1, -INFINITY, 2, NAN, 4, 5, 6 };
	const double nothing[] = { NAN, INFINITY };
	const double huge[] = { 1.7e308, 1.7e308 };
	const double same[] = { 2, 2, 2, 2, 2, 2, 2 };
	struct interval i = interval_median(v, 10);

	(void)state;
	assert_int_equal(i.n, 6);
	assert_true(i.known && i.mid == 3.5 && i.lo == 1 && i.hi == 6);
	i = interval_median(nothing, 2);
	assert_true(i.n == 0 && !i.known && isnan(i.mid));
	assert_true(stat_median(huge, 2) == 1.7e308);
	i = interval_median(same, 7);
	assert_true(i.known && i.mid == 2 && i.lo == 2 && i.hi == 2);
}

static void test_sorted(void **state)
{
	const double v[] = { 3, NAN, -1, INFINITY, 2 };
	double ret[5];

	(void)state;
	assert_int_equal(stat_sorted(v, 5, ret), 3);
	assert_true(ret[0] == -1 && ret[1] == 2 && ret[2] == 3);
	assert_int_equal(stat_sorted(v, 0, ret), 0);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void test_subtraction(void **state)
{
	/* Limits 3 below and 5 above, 4 below and 12 above: 3-4-5 and 5-12-13 triangles. */
	struct interval a = { true, 100, 97, 105, 7 }, b = { true, 40, 28, 44, 10 };
	struct interval d = interval_sub(a, b);

	(void)state;
	assert_true(d.known && near(d.mid, 60) && near(d.lo, 55) && near(d.hi, 73));
	assert_int_equal(d.n, 7);
}

static void test_ratio(void **state)
{
	struct interval a = { true, 20, 10, 40, 9 }, exact = { true, 5, 5, 5, 7 };
	struct interval r = interval_ratio(a, exact);

	(void)state;
	assert_true(r.known && near(r.mid, 4) && near(r.lo, 2) && near(r.hi, 8));
	/* A ratio and its inverse are the same statement. */
	a = (struct interval){ true, 3, 2, 4, 9 };
	exact = (struct interval){ true, 7, 6, 9, 9 };
	r = interval_ratio(a, exact);
	a = interval_ratio(exact, a);
	assert_true(near(r.lo * a.hi, 1) && near(r.hi * a.lo, 1) && near(r.mid * a.mid, 1));
}

static void test_scale(void **state)
{
	struct interval a = { true, 4, 3, 6, 8 };
	struct interval s = interval_scale(a, -2);

	(void)state;
	assert_true(s.known && s.mid == -8 && s.lo == -12 && s.hi == -6 && s.n == 8);
	s = interval_scale(a, 0.5);
	assert_true(s.known && s.mid == 2 && s.lo == 1.5 && s.hi == 3);
}

static void test_arithmetic_without_intervals(void **state)
{
	struct interval a = { true, 4, 3, 6, 8 }, none = { false, 2, NAN, NAN, 3 }, zero = { true, 0, -1, 1, 8 };
	struct interval touches = { true, 4, 0, 6, 8 }, huge = { true, 1.7e308, 1.6e308, 1.7e308, 8 };
	struct interval r;

	(void)state;
	r = interval_sub(a, none);
	assert_true(!r.known && r.mid == 2 && isnan(r.lo) && isnan(r.hi) && r.n == 3);
	r = interval_ratio(a, none);
	assert_true(!r.known && r.mid == 2);
	r = interval_ratio(a, zero);
	assert_true(!r.known && isnan(r.mid));
	r = interval_ratio(zero, a);
	assert_true(!r.known);
	r = interval_ratio(a, touches);
	assert_true(!r.known && r.mid == 1);
	assert_false(interval_scale(none, 2).known);
	assert_false(interval_scale(a, NAN).known);
	assert_false(interval_scale(a, INFINITY).known);
	assert_false(interval_sub(huge, interval_scale(huge, -1)).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_ranks),
		cmocka_unit_test(test_every_n_covers_and_is_innermost),
		cmocka_unit_test(test_large_n),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_interval_of_seven),
		cmocka_unit_test(test_interval_of_many),
		cmocka_unit_test(test_hostile_values),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_subtraction),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_arithmetic_without_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
