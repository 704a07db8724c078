// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers and lists are parsed whole or refused with option, value and range. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"
#include "unit.h"

#define WHAT "--nr_maps"

static void assert_names(const struct err *e, const char *value)
{
	assert_int_equal(e->class, ERR_USAGE);
	assert_non_null(strstr(e->msg, WHAT));
	assert_non_null(strstr(e->msg, value));
}

static void refuse_u64(const char *text, int code)
{
	struct err e = { 0 };
	uint64_t v = 77;

	assert_int_equal(num_parse_u64(WHAT, text, 1, 1000, &v, &e), code);
	assert_names(&e, text);
	assert_non_null(strstr(e.msg, "1 to 1000"));
	assert_int_equal(v, 77);
}

static void test_u64(void **state)
{
	struct err e = { 0 };
	uint64_t v;

	(void)state;
	assert_int_equal(num_parse_u64(WHAT, "1", 1, 1000, &v, &e), 0);
	assert_int_equal(v, 1);
	assert_int_equal(num_parse_u64(WHAT, "0001000", 1, 1000, &v, &e), 0);
	assert_int_equal(v, 1000);
	assert_int_equal(num_parse_u64(WHAT, "18446744073709551615", 0, UINT64_MAX, &v, &e), 0);
	assert_true(v == UINT64_MAX);
	assert_false(err_is_set(&e));

	static const char *const wrong[] = { "",     " 5",  "5 ",  "10abc", "-5",    "+5",
					     "0x10", "1e3", "1.0", "\t",    "1_000", "٣" };
	static const char *const outside[] = { "0",
					       "1001",
					       "99999999999999999999",
					       "18446744073709551616",
					       "18446744073709551617",
					       "36893488147419103233" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err again = { 0 };

		assert_int_equal(num_parse_u64(WHAT, wrong[i], 1, 1000, &v, &again), -EINVAL);
		assert_int_equal(again.class, ERR_USAGE);
		assert_non_null(strstr(again.msg, "1 to 1000"));
	}
	refuse_u64("10abc", -EINVAL);
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++)
		refuse_u64(outside[i], -ERANGE);
}

static void test_hostile_text(void **state)
{
	char text[5000];
	struct err e = { 0 };
	uint64_t v;

	(void)state;
	memset(text, '7', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(num_parse_u64(WHAT, text, 1, 1000, &v, &e), -ERANGE);
	assert_non_null(strstr(e.msg, "7...'"));
	assert_true(strlen(e.msg) < 300);
	err_clear(&e);
	assert_int_equal(num_parse_u64(WHAT, "5\033[2J", 1, 1000, &v, &e), -EINVAL);
	assert_null(strchr(e.msg, '\033'));
}

static void test_double(void **state)
{
	static const char *const wrong[] = { "",    ".",     "-",  "-1", "1e3",	  "nan",
					     "inf", "0x1p3", " 1", "1 ", "1.2.3", "1,5" };
	struct err e = { 0 };
	double v = 0;

	(void)state;
	assert_int_equal(num_parse_double(WHAT, "2.5", 0, 10, &v, &e), 0);
	assert_true(v == 2.5);
	assert_int_equal(num_parse_double(WHAT, ".5", 0, 10, &v, &e), 0);
	assert_true(v == 0.5);
	assert_int_equal(num_parse_double(WHAT, "-3", -10, 10, &v, &e), 0);
	assert_true(v == -3);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err again = { 0 };

		assert_int_equal(num_parse_double(WHAT, wrong[i], 0, 10, &v, &again), -EINVAL);
		assert_names(&again, wrong[i]);
	}
	assert_int_equal(num_parse_double(WHAT, "10.01", 0, 10, &v, &e), -ERANGE);
	assert_names(&e, "10.01");
	assert_true(v == -3);
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "90", 90000000000 },	{ "90s", 90000000000 },	 { "1.5m", 90000000000 },
		{ "250ms", 250000000 }, { "1h", 3600000000000 }, { "0.1", 100000000 },
		{ "0.001ms", 1000 },	{ "7us", 7000 },	 { "1.7ms", 1700000 },
	};
	static const char *const wrong[] = { "", "s", "1 s", "1S", "1d", "-1s", "1..5s", "1sec", "1e3s", ".s" };
	struct err e = { 0 };
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(num_parse_duration(WHAT, good[i].text, 1, UINT64_MAX, &ns, &e), 0);
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err again = { 0 };

		assert_int_equal(num_parse_duration(WHAT, wrong[i], 1, UINT64_MAX, &ns, &again), -EINVAL);
		assert_names(&again, wrong[i]);
	}
	assert_int_equal(num_parse_duration(WHAT, "11s", 1000000, 10000000000, &ns, &e), -ERANGE);
	assert_names(&e, "11s");
	assert_non_null(strstr(e.msg, "1ms to 10s"));
	err_clear(&e);
	assert_int_equal(num_parse_duration(WHAT, "99999999999999999999999h", 0, UINT64_MAX, &ns, &e), -ERANGE);
	assert_true(ns == good[8].ns);
}

static void test_pair(void **state)
{
	static const char *const wrong[] = { "", ":", "7", "7:", ":7", "7:31:9", "7-31", "31:7", "7: 31" };
	struct err e = { 0 };
	uint64_t lo = 1, hi = 2;

	(void)state;
	assert_int_equal(num_parse_pair(WHAT, "7:31", 1, 1000, &lo, &hi, &e), 0);
	assert_int_equal(lo, 7);
	assert_int_equal(hi, 31);
	assert_int_equal(num_parse_pair(WHAT, "7:7", 1, 1000, &lo, &hi, &e), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err again = { 0 };

		assert_int_equal(num_parse_pair(WHAT, wrong[i], 1, 1000, &lo, &hi, &again), -EINVAL);
		assert_int_equal(again.class, ERR_USAGE);
		assert_non_null(strstr(again.msg, WHAT));
	}
	assert_int_equal(num_parse_pair(WHAT, "0:7", 1, 1000, &lo, &hi, &e), -ERANGE);
	assert_int_equal(lo, 7);
	assert_int_equal(hi, 7);
}

static void expect_list(const char *text, const uint64_t *want, size_t n)
{
	struct err e = { 0 };
	uint64_t *list;
	size_t len;

	assert_int_equal(num_parse_list(WHAT, text, 0, UINT64_MAX, 100, &list, &len, &e), 0);
	assert_int_equal(len, n);
	assert_memory_equal(list, want, n * sizeof(*want));
	free(list);
}

static void refuse_list(const char *text, int code)
{
	struct err e = { 0 };
	uint64_t *list = (uint64_t *)&e;
	size_t len = 5;

	assert_int_equal(num_parse_list(WHAT, text, 1, UINT64_MAX, 100, &list, &len, &e), code);
	assert_int_equal(e.class, ERR_USAGE);
	assert_non_null(strstr(e.msg, WHAT));
	assert_ptr_equal(list, &e);
	assert_int_equal(len, 5);
}

static void test_list(void **state)
{
	(void)state;
	expect_list("5", (uint64_t[]){ 5 }, 1);
	expect_list("1,16..20,100", (uint64_t[]){ 1, 16, 17, 18, 19, 20, 100 }, 7);
	expect_list("100,3,3,1..4,2", (uint64_t[]){ 1, 2, 3, 4, 100 }, 5);
	expect_list("1..3,4..5,2..4", (uint64_t[]){ 1, 2, 3, 4, 5 }, 5);
	expect_list("18446744073709551614..18446744073709551615", (uint64_t[]){ UINT64_MAX - 1, UINT64_MAX }, 2);
	/* duplicates do not count against the limit */
	uint64_t hundred[100];

	for (size_t i = 0; i < 100; i++)
		hundred[i] = i + 1;
	expect_list("1..100,1..100,50", hundred, 100);

	refuse_list("", -EINVAL);
	refuse_list(",", -EINVAL);
	refuse_list("1,", -EINVAL);
	refuse_list(",1", -EINVAL);
	refuse_list("1,,2", -EINVAL);
	refuse_list("1..", -EINVAL);
	refuse_list("..2", -EINVAL);
	refuse_list("1..2..3", -EINVAL);
	refuse_list("1-3", -EINVAL);
	refuse_list("3..1", -EINVAL);
	refuse_list("1 ,2", -EINVAL);
	refuse_list("0..2", -ERANGE);
	refuse_list("1..18446744073709551616", -ERANGE);
	refuse_list("1..101", -E2BIG);
	refuse_list("1..1000000000", -E2BIG);
	refuse_list("1..18446744073709551615", -E2BIG);
}

/* 0..UINT64_MAX has one element more than 64 bits count. */
static void test_list_of_everything(void **state)
{
	struct err e = { 0 };
	uint64_t *list;
	size_t len;

	(void)state;
	assert_int_equal(num_parse_list(WHAT, "0..18446744073709551615", 0, UINT64_MAX, SIZE_MAX, &list, &len, &e),
			 -E2BIG);
}

static void test_cpus(void **state)
{
	static const char *const wrong[] = { "", "0,", "a", "3-1", "0..3", "-1", "0-", "1;2" };
	static const int want[] = { 5, 0, 1, 2, 3 };
	struct err e = { 0 };
	int *cpus;
	size_t n;

	(void)state;
	assert_int_equal(num_parse_cpus(WHAT, "5,0-3,2,5", 8, &cpus, &n, &e), 0);
	assert_int_equal(n, 5);
	assert_memory_equal(cpus, want, sizeof(want));
	free(cpus);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err again = { 0 };

		assert_int_equal(num_parse_cpus(WHAT, wrong[i], 8, &cpus, &n, &again), -EINVAL);
		assert_int_equal(again.class, ERR_USAGE);
	}
	assert_int_equal(num_parse_cpus(WHAT, "0,8", 8, &cpus, &n, &e), -ERANGE);
	assert_names(&e, "8");
	err_clear(&e);
	assert_int_equal(num_parse_cpus(WHAT, "0-4294967295", 8, &cpus, &n, &e), -ERANGE);
	err_clear(&e);
	assert_int_equal(num_parse_cpus(WHAT, "0", 0, &cpus, &n, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_hostile_text),
		cmocka_unit_test(test_double),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_list_of_everything),
		cmocka_unit_test(test_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
