// SPDX-License-Identifier: GPL-2.0-or-later
/* From benchmarks and lists to rows. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "core/plan.h"
#include "lib/cleanup.h"

#define SEQ "local-storage-cache-seq-get"
#define INT "local-storage-cache-int-get"
#define HASH "local-storage-cache-hashmap-control"

static int count_rows(const struct results *r, const char *bench, const char *param, uint64_t value)
{
	int n = 0;

	for (int i = 0; i < r->nr_rows; i++)
		if (!strcmp(r->rows[i].point.bench, bench) &&
		    (!param || params_num(&r->rows[i].point.params, param, UINT64_MAX) == value))
			n++;
	return n;
}

static void test_published(void **state)
{
	static const uint64_t maps[] = { 1, 10, 16, 17, 24, 32, 100, 1000 },
			      keys[] = { 10, 1000, 10000, 100000, 4194304 };
	struct plan_options opt = { .tid_row = true };
	struct results r;
	struct err e = { 0 };
	int tid = 0;

	(void)state;
	results_init(&r);
	assert_int_equal(plan_rows(&opt, &r, &e), 0);
	assert_int_equal(r.nr_rows, 22);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		assert_int_equal(count_rows(&r, SEQ, "nr_maps", maps[i]), 1);
		assert_int_equal(count_rows(&r, INT, "nr_maps", maps[i]), 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_true(count_rows(&r, HASH, "hashmap_nr_keys_used", keys[i]) >= 1);
	for (int i = 0; i < r.nr_rows; i++) {
		const struct row *row = &r.rows[i];

		tid += !strcmp(params_text(&row->point.params, "hashmap_key", ""), "tid");
		assert_int_equal(row->order, i);
		assert_int_equal(row->nr_reps, 0);
		assert_int_equal(row->outcome, OUTCOME_OK);
		assert_string_equal(row->point.store, strcmp(row->point.bench, HASH) ? "task" : "hash");
	}
	assert_int_equal(tid, 1);
	results_free(&r);
}

static void test_isolating(void **state)
{
	struct plan_options opt = { .isolating = true };
	struct results r;
	struct err e = { 0 };

	(void)state;
	results_init(&r);
	assert_int_equal(plan_rows(&opt, &r, &e), 0);
	assert_int_equal(count_rows(&r, "local-storage-hit", NULL, 0), 1);
	/* A list step is the difference of two. */
	assert_true(count_rows(&r, "local-storage-miss", NULL, 0) >= 2);
	assert_int_equal(count_rows(&r, "local-storage-miss", "list_len", 32), 1);
	results_free(&r);
}

static void test_lists(void **state)
{
	static const char *const names[] = { INT, HASH, NULL };
	static const uint64_t maps[] = { 3, 5, 3 }, keys[] = { 7 };
	struct params common = { 0 };
	struct plan_options opt = {
		.benches = names, .nr_maps = maps, .n_nr_maps = 3, .nr_keys = keys, .n_nr_keys = 1, .common = &common
	};
	struct results r;
	struct err e = { 0 };

	(void)state;
	results_init(&r);
	params_set_num(&common, "hashmap_capacity", 64);
	assert_int_equal(plan_rows(&opt, &r, &e), 0);
	/* The second 3 is the same row. */
	assert_int_equal(r.nr_rows, 3);
	assert_int_equal(count_rows(&r, INT, "nr_maps", 5), 1);
	assert_int_equal(count_rows(&r, HASH, "hashmap_nr_keys_used", 7), 1);
	assert_int_equal(count_rows(&r, HASH, "hashmap_capacity", 64), 1);
	/* The list of maps is not one of hashes. */
	assert_int_equal(count_rows(&r, HASH, "nr_maps", 1), 1);
	results_free(&r);
}

static void test_common_replaces_default(void **state)
{
	static const char *const names[] = { "local-storage-miss", NULL };
	struct params common = { 0 };
	struct plan_options opt = { .benches = names, .common = &common };
	struct results r;
	struct err e = { 0 };

	(void)state;
	results_init(&r);
	params_set_num(&common, "list_len", 50);
	assert_int_equal(plan_rows(&opt, &r, &e), 0);
	assert_int_equal(r.nr_rows, 1);
	assert_int_equal(count_rows(&r, "local-storage-miss", "list_len", 50), 1);
	results_free(&r);
}

static void refuse(struct plan_options opt, const char *part1, const char *part2)
{
	struct results r;
	struct err e = { 0 };

	results_init(&r);
	assert_true(plan_rows(&opt, &r, &e) < 0);
	assert_int_equal(e.class, ERR_USAGE);
	assert_non_null(strstr(e.msg, part1));
	assert_non_null(strstr(e.msg, part2));
	results_free(&r);
}

static void test_refusals(void **state)
{
	static const char *const seq[] = { SEQ, NULL }, *const none[] = { "no-such", NULL };
	static const uint64_t maps[] = { 0 }, keys[] = { 5000 };
	struct params len = { 0 }, capacity = { 0 };

	(void)state;
	params_set_num(&len, "list_len", 5);
	params_set_num(&capacity, "hashmap_capacity", 4999);
	refuse((struct plan_options){ .benches = none }, "no-such", "list");
	refuse((struct plan_options){ .benches = seq, .common = &len }, "list_len", "no benchmark");
	refuse((struct plan_options){ .common = &capacity, .nr_keys = keys, .n_nr_keys = 1 }, "5000", "4999");
	refuse((struct plan_options){ .benches = seq, .nr_maps = maps, .n_nr_maps = 1 }, "--nr_maps", "1 to 1000");
}

/* The tid row looks up one key: a small hash must not refuse it for its default. */
static void test_tid_row_in_small_hash(void **state)
{
	static const uint64_t keys[] = { 10 };
	struct params common = { 0 };
	struct plan_options opt = { .common = &common, .nr_keys = keys, .n_nr_keys = 1, .tid_row = true };
	struct results r;
	struct err e = { 0 };

	(void)state;
	results_init(&r);
	params_set_num(&common, "hashmap_capacity", 10);
	assert_int_equal(plan_rows(&opt, &r, &e), 0);
	assert_int_equal(count_rows(&r, HASH, NULL, 0), 2);
	results_free(&r);
}

static void test_add_like(void **state)
{
	static const char *const names[] = { SEQ, NULL };
	struct plan_options opt = { .benches = names };
	struct results r;
	struct err e = { 0 };
	struct row *row;

	(void)state;
	results_init(&r);
	assert_int_equal(plan_rows(&opt, &r, &e), 0);
	for (uint64_t i = 0; i < 100; i++) { /* the array moves on the way */
		row = plan_add_like(&r, 2, "nr_maps", 200 + i);
		assert_non_null(row);
		assert_int_equal(params_num(&row->point.params, "nr_maps", 0), 200 + i);
		assert_string_equal(row->point.bench, SEQ);
		assert_int_equal(row->nr_reps, 0);
	}
	assert_int_equal(params_num(&r.rows[2].point.params, "nr_maps", 0), 16);
	assert_null(plan_add_like(&r, 2, "nr_maps", UINT64_MAX));
	results_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published), cmocka_unit_test(test_isolating),
		cmocka_unit_test(test_lists),	  cmocka_unit_test(test_common_replaces_default),
		cmocka_unit_test(test_refusals),  cmocka_unit_test(test_tid_row_in_small_hash),
		cmocka_unit_test(test_add_like),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
