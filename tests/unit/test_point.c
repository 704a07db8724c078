// SPDX-License-Identifier: GPL-2.0-or-later
/* Points and counters: lists of parameters with their limits, equality, sums. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "core/point.h"

static void params_keep_order_and_replace_in_place(void **state)
{
	struct params p = { .n = 0 };

	(void)state;
	assert_true(params_set_num(&p, "nr_maps", 16));
	assert_true(params_set_text(&p, "hashmap_fill", "all"));
	assert_true(params_set_num(&p, "nr_maps", 17));
	assert_int_equal(p.n, 2);
	assert_string_equal(p.v[0].name, "nr_maps");
	assert_int_equal(params_num(&p, "nr_maps", 1), 17);
	assert_string_equal(params_text(&p, "hashmap_fill", "used"), "all");
	/* A kind that does not fit is as good as absent. */
	assert_int_equal(params_num(&p, "hashmap_fill", 5), 5);
	assert_string_equal(params_text(&p, "nr_maps", "x"), "x");
	assert_null(params_find(&p, "nr_map"));
	/* A number may become a text. */
	assert_true(params_set_text(&p, "nr_maps", "many"));
	assert_int_equal(p.n, 2);
	assert_string_equal(params_text(&p, "nr_maps", ""), "many");
}

static void params_refuse_what_does_not_fit(void **state)
{
	const char *long_text = "0123456789012345678901234567890123456789";
	struct params p = { .n = 0 }, before;

	(void)state;
	for (int i = 0; i < PARAMS_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "p%d", i);
		assert_true(params_set_num(&p, name, (uint64_t)i));
	}
	before = p;
	assert_false(params_set_num(&p, "one_more", 1));
	assert_false(params_set_text(&p, "p1", long_text));
	assert_false(params_set_text(&p, long_text, "x"));
	assert_false(params_set_num(&p, long_text, 1));
	assert_false(params_set_num(&p, "p1", (uint64_t)INT64_MAX + 1));
	assert_memory_equal(&p, &before, sizeof(p));
	assert_true(params_set_num(&p, "p1", INT64_MAX));
	/* 31 bytes and the end just fit. */
	assert_true(params_set_text(&p, "p2", long_text + 9));
	assert_false(params_set_text(&p, "p2", long_text + 8));
}

static void params_equal_ignores_order_only(void **state)
{
	struct params a = { .n = 0 }, b = { .n = 0 };

	(void)state;
	assert_true(params_equal(&a, &b));
	params_set_num(&a, "nr_maps", 16);
	params_set_text(&a, "key", "tid");
	params_set_text(&b, "key", "tid");
	assert_false(params_equal(&a, &b));
	params_set_num(&b, "nr_maps", 16);
	assert_true(params_equal(&a, &b));
	params_set_num(&b, "nr_maps", 17);
	assert_false(params_equal(&a, &b));
	params_set_text(&b, "nr_maps", "16");
	assert_false(params_equal(&a, &b));
}

static void same_row_ignores_trigger_and_loop(void **state)
{
	struct point a = { .bench = "b", .store = "task", .trigger = "raw_tp", .loop = "hoisted" };
	struct point b = { .bench = "b", .store = "task", .trigger = "fentry", .loop = "single" };

	(void)state;
	assert_true(point_same_row(&a, &b));
	snprintf(b.store, sizeof(b.store), "hash");
	assert_false(point_same_row(&a, &b));
	b = a;
	snprintf(b.bench, sizeof(b.bench), "c");
	assert_false(point_same_row(&a, &b));
	b = a;
	params_set_num(&b.params, "nr_maps", 1);
	assert_false(point_same_row(&a, &b));
}

static void counters_add_up(void **state)
{
	struct counters sum = { .ops = 10, .hits = 9, .important_hits = 1, .nulls = 1 };
	const struct counters more = { .ops = 5, .hits = 2, .important_hits = 2, .nulls = 2, .errors = 1 };

	(void)state;
	assert_true(counters_sum_holds(&sum));
	assert_true(counters_sum_holds(&more));
	counters_add(&sum, &more);
	assert_int_equal(sum.ops, 15);
	assert_int_equal(sum.hits, 11);
	assert_int_equal(sum.important_hits, 3);
	assert_int_equal(sum.nulls, 3);
	assert_int_equal(sum.errors, 1);
	assert_true(counters_sum_holds(&sum));
	sum.hits++;
	assert_false(counters_sum_holds(&sum));
}

static void counters_do_not_wrap(void **state)
{
	struct counters sum = { .ops = INT64_MAX - 1 };
	const struct counters big = { .ops = UINT64_MAX, .hits = 3 };
	/* Wraps to 1, which is what ops says. */
	const struct counters wraps = { .ops = 1, .hits = UINT64_MAX, .nulls = 2 };

	(void)state;
	counters_add(&sum, &big);
	assert_int_equal(sum.ops, INT64_MAX);
	assert_int_equal(sum.hits, 3);
	assert_false(counters_sum_holds(&wraps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(params_keep_order_and_replace_in_place),
		cmocka_unit_test(params_refuse_what_does_not_fit),
		cmocka_unit_test(params_equal_ignores_order_only),
		cmocka_unit_test(same_row_ignores_trigger_and_loop),
		cmocka_unit_test(counters_add_up),
		cmocka_unit_test(counters_do_not_wrap),
	};

	return cmocka_run_group_tests_name("point", tests, NULL, NULL);
}
