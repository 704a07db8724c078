// SPDX-License-Identifier: GPL-2.0-or-later
/* The written rules of warnings, at and around their thresholds; how often noise sets them off is in test_sim.c. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "stats/quality.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void test_modes_found(void **state)
{
	/* 1000 maps, measured here: a process sits at 2.75 or 4.15 us. */
	const double v[] = { 2750, 4150, 2761, 4139, 4170, 2744, 2755 };
	struct modes m = quality_modes(v, N(v));

	(void)state;
	assert_true(m.two);
	assert_int_equal(m.nr_low, 4);
	assert_int_equal(m.nr_high, 3);
	assert_true(m.low == 2752.5 && m.high == 4150);
	assert_true(v[0] == 2750 && v[1] == 4150);
}

static void test_modes_needs_ten_percent(void **state)
{
	const double at[] = { 100, 100, 100, 100, 110, 110, 110 }, over[] = { 100, 100, 100, 100, 110.5, 110.5, 110.5 };

	(void)state;
	assert_false(quality_modes(at, N(at)).two);
	assert_true(quality_modes(over, N(over)).two);
}

static void test_modes_needs_a_clear_gap(void **state)
{
	/* Medians 40 apart, the gap 31 or 30 wide. */
	const double clear[] = { 100, 110, 119, 150, 150, 150, 150 }, blurred[] = { 100, 110, 120, 150, 150, 150, 150 };
	double many[14];

	(void)state;
	assert_true(quality_modes(clear, N(clear)).two);
	assert_false(quality_modes(blurred, N(blurred)).two);
	/* From 13 values on 3/5 are enough. */
	for (int i = 0; i < 14; i++)
		many[i] = blurred[i % 7];
	assert_true(quality_modes(many, 14).two);
	many[0] = many[2] = 130; /* medians 35 apart, the gap 20 wide */
	assert_false(quality_modes(many, 14).two);
}

/* Two of 31 are outliers, five could be a mode. */
static void test_modes_needs_members(void **state)
{
	double v[31];

	(void)state;
	for (int outliers = 1; outliers <= 8; outliers++) {
		for (int i = 0; i < 31; i++)
			v[i] = i < outliers ? 150 + i * .01 : 100 + i * .01;
		assert_int_equal(quality_modes(v, 31).two, outliers >= 5);
	}
}

static void test_one_outlier_is_no_mode(void **state)
{
	const double v[] = { 100, 101, 99, 100, 101, 100, 300 };

	(void)state;
	assert_false(quality_modes(v, N(v)).two);
}

/* The widest gap is the outlier's, yet the two modes are there. */
static void test_outlier_does_not_hide_modes(void **state)
{
	const double v[] = { 100, 100, 101, 101, 150, 151, 150, 151, 20 };

	(void)state;
	assert_true(quality_modes(v, N(v)).two);
	assert_int_equal(quality_modes(v, N(v)).nr_low, 5);
}

static void test_modes_hostile(void **state)
{
	const double six[] = { 1, 1, 1, 2, 2, 2 }, zero[] = { 0, 0, 0, 0, 5, 5, 5 },
		     negative[] = { -2, -2, -2, -1, -1, -1, -1 };
	const double same[] = { 4, 4, 4, 4, 4, 4, 4 };
	const double gaps[] = { 1, NAN, 1, INFINITY, 1, 1, 2, 2, -INFINITY, 2 };

	(void)state;
	assert_false(quality_modes(NULL, 0).two);
	assert_false(quality_modes(six, N(six)).two);
	assert_false(quality_modes(zero, N(zero)).two);
	assert_false(quality_modes(negative, N(negative)).two);
	assert_false(quality_modes(same, N(same)).two);
	assert_true(quality_modes(gaps, N(gaps)).two); /* the seven finite ones */
	assert_int_equal(quality_modes(gaps, N(gaps)).nr_low, 4);
}

/* One sine-shaped period over the rounds in every row, and a little that differs from row to row. */
static void fill_drifting(double *x, int rows, int rounds)
{
	for (int r = 0; r < rows; r++)
		for (int t = 0; t < rounds; t++)
			x[r * rounds + t] =
				log(100.0 + r) + .01 * sin(2 * M_PI * t / rounds) + .0005 * ((t * 7 + r * 3) % 5);
}

static void test_drift_found(void **state)
{
	double x[6 * 13];
	struct drift d;

	(void)state;
	fill_drifting(x, 6, 13);
	d = quality_drift(x, 6, 13);
	assert_true(d.p < QUALITY_DRIFT_P);
	assert_true(d.corr > .5);
	/* A sine's halves: 2 * mean |sin| apart. */
	assert_true(d.change < -.008 && d.change > -.016);
}

static void test_trend_found_with_its_size(void **state)
{
	double x[8 * 10];
	struct drift d;

	(void)state;
	for (int r = 0; r < 8; r++)
		for (int t = 0; t < 10; t++)
			x[r * 10 + t] = r + .01 * t + .001 * ((t * 3 + r) % 4);
	d = quality_drift(x, 8, 10);
	assert_true(d.p < QUALITY_DRIFT_P);
	/* Five rounds apart, one hundredth a round. */
	assert_true(fabs(d.change - .05) < .002);
}

static void test_alternation_is_not_drift(void **state)
{
	double x[4 * 12];
	struct drift d;

	(void)state;
	for (int i = 0; i < 4 * 12; i++)
		x[i] = i % 2 ? 1.01 : 1;
	d = quality_drift(x, 4, 12);
	assert_true(d.corr < -.5);
	assert_true(d.p > .9);
}

static void test_drift_is_reproducible_and_free_of_scale(void **state)
{
	double x[6 * 13], y[6 * 13];
	struct drift a, b;

	(void)state;
	fill_drifting(x, 6, 13);
	a = quality_drift(x, 6, 13);
	b = quality_drift(x, 6, 13);
	assert_true(a.p == b.p && a.corr == b.corr && a.change == b.change);
	/* A row ten times as noisy does not weigh more: same residuals, another scale and level. */
	memcpy(y, x, sizeof(y));
	for (int t = 0; t < 13; t++)
		y[t] = 3 + 10 * x[t];
	b = quality_drift(y, 6, 13);
	assert_true(fabs(a.corr - b.corr) < 1e-9);
}

/* Missing values move with their round and disturb nothing else. */
static void test_drift_with_gaps(void **state)
{
	double x[6 * 13];
	struct drift d;

	(void)state;
	fill_drifting(x, 6, 13);
	x[2] = x[13 + 5] = NAN;
	x[26 + 7] = INFINITY;
	for (int t = 7; t < 13; t++)
		x[3 * 13 + t] = NAN; /* closed after 7 trials */
	for (int t = 0; t < 6; t++)
		x[4 * 13 + t] = NAN; /* a row that was added later */
	d = quality_drift(x, 6, 13);
	assert_true(d.p < .05);
	assert_true(isfinite(d.corr) && isfinite(d.change));
}

/* Each row begins and ends elsewhere: no two rounds hold the same rows, so no shuffle says anything. */
static void test_no_exchangeable_rounds(void **state)
{
	double x[5 * 9];
	struct drift d;

	(void)state;
	for (int r = 0; r < 5; r++)
		for (int t = 0; t < 9; t++)
			x[r * 9 + t] = t >= r && t < r + 5 ? t : NAN;
	d = quality_drift(x, 5, 9);
	assert_true(d.p == 1);
	/* With the rows side by side the same figures are a drift. */
	for (int r = 0; r < 5; r++)
		for (int t = 0; t < 9; t++)
			x[r * 9 + t] = t;
	assert_true(quality_drift(x, 5, 9).p < QUALITY_DRIFT_P);
}

static void test_drift_hostile(void **state)
{
	double x[5 * 8], huge[8] = { 1e308, -1e308, 1e308, -1e308, 1e308, 1e308, 1e308, 1e308 };
	struct drift d;

	(void)state;
	for (int i = 0; i < 40; i++)
		x[i] = NAN;
	assert_true(isnan(quality_drift(NULL, 3, 8).corr));
	assert_true(isnan(quality_drift(x, 0, 8).corr));
	assert_true(isnan(quality_drift(x, -1, 8).corr));
	assert_true(isnan(quality_drift(x, 5, -8).corr));
	assert_true(isnan(quality_drift(x, 10, 4).corr));
	d = quality_drift(x, 5, 8);
	assert_true(isnan(d.corr) && d.p == 1 && isnan(d.change));
	for (int i = 0; i < 40; i++)
		x[i] = 1.1; /* equal up to rounding of the mean */
	d = quality_drift(x, 5, 8);
	assert_true(isnan(d.corr) && d.p == 1);
	d = quality_drift(huge, 1, 8);
	assert_true(d.p > 0 && d.p <= 1);
}

/* More rounds than are looked at. */
static void test_drift_very_long(void **state)
{
	static double x[2 * 1200];
	struct drift d;

	(void)state;
	for (int t = 0; t < 1200; t++) {
		x[t] = sin(t / 50.0);
		x[1200 + t] = cos(t / 50.0);
	}
	d = quality_drift(x, 2, 1200);
	assert_true(d.p < QUALITY_DRIFT_P && d.corr > .9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes_found),
		cmocka_unit_test(test_modes_needs_ten_percent),
		cmocka_unit_test(test_modes_needs_a_clear_gap),
		cmocka_unit_test(test_modes_needs_members),
		cmocka_unit_test(test_one_outlier_is_no_mode),
		cmocka_unit_test(test_outlier_does_not_hide_modes),
		cmocka_unit_test(test_modes_hostile),
		cmocka_unit_test(test_drift_found),
		cmocka_unit_test(test_trend_found_with_its_size),
		cmocka_unit_test(test_alternation_is_not_drift),
		cmocka_unit_test(test_drift_is_reproducible_and_free_of_scale),
		cmocka_unit_test(test_drift_with_gaps),
		cmocka_unit_test(test_no_exchangeable_rounds),
		cmocka_unit_test(test_drift_hostile),
		cmocka_unit_test(test_drift_very_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
