// SPDX-License-Identifier: GPL-2.0-or-later
/* Benchmarks and stores as data: parameters, sequences, counters by formula against counting, intended slots. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench.h"
#include "core/slots.h"
#include "core/store.h"
#include "lib/cleanup.h"

#define SEQ "local-storage-cache-seq-get"
#define INT "local-storage-cache-int-get"
#define HASH "local-storage-cache-hashmap-control"

static struct params with(const char *name, uint64_t value)
{
	struct params p = { 0 };

	assert_true(params_set_num(&p, name, value));
	return p;
}

static void test_registry(void **state)
{
	static const char *const names[] = { SEQ, INT, HASH, "local-storage-hit", "local-storage-miss" };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_non_null(bench_find(names[i]));
		assert_string_equal(bench_find(names[i])->name, names[i]);
	}
	assert_null(bench_find("local-storage"));
	assert_null(bench_find(""));
	while (benches[n]) {
		assert_non_null(store_find(benches[n]->dflt_store));
		assert_true(store_find(benches[n]->dflt_store)->measured);
		n++;
	}
	assert_true(n >= ARRAY_SIZE(names));
}

static void test_stores(void **state)
{
	(void)state;
	for (size_t i = 0; stores[i]; i++) {
		bool measured = !strcmp(stores[i]->name, "task") || !strcmp(stores[i]->name, "hash");

		assert_int_equal(stores[i]->measured, measured);
		/* Local storage must not be preallocated; the kernel refuses a map without the flag or with entries. */
		assert_int_equal(stores[i]->flags, stores[i]->local_storage ? 1 : 0);
		assert_int_equal(stores[i]->max_entries > 0, !stores[i]->local_storage);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(stores[i]->type, stores[k]->type);
	}
	assert_int_equal(store_find("task")->type, 29);
	assert_int_equal(store_find("cgrp")->type, 32);
	assert_int_equal(store_find("hash")->type, 1);
	assert_null(store_find("tree"));
}

static void test_set_param_refuses(void **state)
{
	static const char *const bad[] = { "0", "1001", "10abc", "", "-5", "+5", " 5", "99999999999999999999", "0x10" };
	const struct bench *b = bench_find(SEQ);
	struct params p = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = { 0 };

		assert_true(bench_set_param(b, "--nr_maps", "nr_maps", bad[i], &p, &e) < 0);
		assert_int_equal(e.class, ERR_USAGE);
		assert_non_null(strstr(e.msg, "--nr_maps"));
		assert_non_null(strstr(e.msg, bad[i]));
		assert_int_equal(p.n, 0);
	}
}

static void test_set_param(void **state)
{
	const struct bench *b = bench_find(HASH);
	struct params p = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(bench_set_param(b, "--hashmap_capacity", "hashmap_capacity", "4096", &p, &e), 0);
	assert_int_equal(bench_set_param(b, "--hashmap_fill", "hashmap_fill", "used", &p, &e), 0);
	assert_int_equal(params_num(&p, "hashmap_capacity", 0), 4096);
	assert_string_equal(params_text(&p, "hashmap_fill", ""), "used");

	assert_true(bench_set_param(b, "--hashmap-fill", "hashmap_fill", "uesd", &p, &e) < 0);
	assert_non_null(strstr(e.msg, "--hashmap-fill"));
	assert_non_null(strstr(e.msg, "all and used"));
	err_clear(&e);
	assert_true(bench_set_param(b, "--list_len", "list_len", "3", &p, &e) < 0);
	assert_int_equal(e.class, ERR_USAGE);
	assert_non_null(strstr(e.msg, "--list_len"));
	assert_non_null(strstr(e.msg, HASH));
	assert_string_equal(params_text(&p, "hashmap_fill", ""), "used");
}

static void test_complete(void **state)
{
	struct params p = with("hashmap_capacity", 5000);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(bench_complete_params(bench_find(HASH), &p, &e), 0);
	assert_int_equal(p.n, 6);
	assert_string_equal(p.v[0].name, "hashmap_nr_keys_used");
	assert_int_equal(p.v[0].num, 1000);
	assert_int_equal(params_num(&p, "nr_maps", 0), 1);
	assert_int_equal(params_num(&p, "hashmap_capacity", 0), 5000);
	assert_string_equal(params_text(&p, "hashmap_fill", ""), "all");
	assert_string_equal(params_text(&p, "hashmap_seed", ""), "zero");
	assert_string_equal(params_text(&p, "hashmap_key", ""), "random");

	p = (struct params){ 0 };
	assert_int_equal(bench_complete_params(bench_find(SEQ), &p, &e), 0);
	assert_int_equal(params_num(&p, "nr_maps", 0), 1000);
}

static void refuse(const char *bench, struct params p, const char *part1, const char *part2)
{
	struct params before = p;
	struct err e = { 0 };

	assert_true(bench_complete_params(bench_find(bench), &p, &e) < 0);
	assert_int_equal(e.class, ERR_USAGE);
	assert_non_null(strstr(e.msg, part1));
	assert_non_null(strstr(e.msg, part2));
	assert_true(params_equal(&p, &before));
}

static void test_complete_refuses(void **state)
{
	struct params p = with("hashmap_capacity", 999), text = { 0 };

	(void)state;
	refuse(HASH, p, "999", "1000");
	refuse(SEQ, with("nr_maps", 0), "--nr_maps", "1 to 1000");
	refuse(SEQ, with("nr_maps", 1001), "1001", "1 to 1000");
	refuse(SEQ, with("list_len", 3), "list_len", SEQ);
	refuse("local-storage-miss", with("list_len", 1), "--list_len", "2 to 1000");
	refuse(HASH, with("hashmap_fill", 1), "hashmap_fill", "1");
	assert_true(params_set_text(&text, "nr_maps", "many"));
	refuse(SEQ, text, "nr_maps", "many");
	text = (struct params){ 0 };
	assert_true(params_set_text(&text, "hashmap_key", "tidy"));
	refuse(HASH, text, "hashmap_key", "'tid'");
}

/* Iteration by iteration, as the kernel's bench does it. */
static struct counters count(bool interleaved, uint64_t n, uint64_t iterations)
{
	struct counters c = { 0 };

	for (uint64_t i = 0; i < iterations; i++) {
		c.ops++;
		c.important_hits += i % n == 0;
		if (interleaved && i % n % 3 == 0) {
			c.ops++;
			c.important_hits++;
		}
	}
	c.hits = c.ops;
	return c;
}

static void test_expected(void **state)
{
	static const uint64_t maps[] = { 1, 2, 3, 4, 10, 16, 17, 31, 1000 };
	static const uint64_t rounds[] = { 0, 1, 2, 3, 5, 16, 17, 999, 1000, 1001, 2500 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		for (size_t k = 0; k < ARRAY_SIZE(rounds); k++) {
			struct params p = with("nr_maps", maps[i]);
			struct counters got, want;

			bench_find(SEQ)->expected(&p, rounds[k], &got);
			want = count(false, maps[i], rounds[k]);
			assert_memory_equal(&got, &want, sizeof(got));
			bench_find(HASH)->expected(&p, rounds[k], &got);
			assert_memory_equal(&got, &want, sizeof(got));
			bench_find(INT)->expected(&p, rounds[k], &got);
			want = count(true, maps[i], rounds[k]);
			assert_memory_equal(&got, &want, sizeof(got));
		}
}

/* A sequence is one round: what the formulas say for N = n. */
static void test_sequences(void **state)
{
	(void)state;
	for (size_t b = 0; benches[b]; b++) {
		for (uint64_t n = benches[b]->params[0].min; benches[b]->family == BENCH_STORAGE && n <= 1000;
		     n += 37) {
			struct params p = with(benches[b]->swept, n);
			_cleanup_free_ uint16_t *seq = NULL;
			uint32_t len = 0, important = 0, maps = benches[b]->nr_maps(&p);
			struct counters want;

			assert_int_equal(maps, n);
			assert_int_equal(benches[b]->sequence(&p, &seq, &len), 0);
			for (uint32_t i = 0; i < len; i++) {
				assert_true(seq[i] < maps);
				important += seq[i] == 0;
			}
			benches[b]->expected(&p, !strcmp(benches[b]->swept, "nr_maps") ? n : len, &want);
			assert_int_equal(len, want.ops);
			assert_int_equal(important, want.important_hits);
		}
	}
}

static void test_int_order(void **state)
{
	static const uint16_t want[] = { 0, 0, 1, 2, 3, 0, 4 };
	struct params p = with("nr_maps", 5);
	_cleanup_free_ uint16_t *seq = NULL;
	uint32_t len;

	(void)state;
	assert_int_equal(bench_find(INT)->sequence(&p, &seq, &len), 0);
	assert_int_equal(len, ARRAY_SIZE(want));
	assert_memory_equal(seq, want, sizeof(want));
}

static double share(const char *bench, const char *param, uint64_t n, uint32_t slots)
{
	const struct bench *b = bench_find(bench);
	struct params p = with(param, n);
	_cleanup_free_ uint16_t *seq = NULL;
	uint8_t slot[1000];
	uint32_t len;

	assert_int_equal(b->sequence(&p, &seq, &len), 0);
	for (uint32_t i = 0; i < n; i++) {
		slot[i] = (uint8_t)b->slot(&p, i, slots);
		/* The engine asks without parameters: rows of one benchmark share a list of maps. */
		assert_int_equal(b->slot(NULL, i, slots), slot[i]);
		assert_true(slot[i] < slots);
	}
	return slots_miss_share(slot, slots, seq, len);
}

/* The published shares of misses. */
static void test_miss_shares(void **state)
{
	static const struct {
		uint64_t maps;
		double seq, inter;
	} table[] = {
		{ 1, 0, 0 },	 { 16, 0, 0 },	   { 17, .118, .087 }, { 24, .667, .500 },
		{ 32, 1, .744 }, { 100, 1, .784 }, { 1000, 1, .795 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		assert_true(fabs(share(SEQ, "nr_maps", table[i].maps, 16) - table[i].seq) < 6e-4);
		assert_true(fabs(share(INT, "nr_maps", table[i].maps, 16) - table[i].inter) < 6e-4);
	}
}

static void test_isolating(void **state)
{
	static const uint32_t slots[] = { 2, 16, 32 };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(slots); s++)
		for (uint64_t len = 2; len <= 1000; len += 13) {
			assert_true(share("local-storage-hit", "list_len", len, slots[s]) == 0);
			assert_true(share("local-storage-miss", "list_len", len, slots[s]) == 1);
			/* Nobody else sits in the slot that is read. */
			for (uint32_t i = 1; i < len; i++)
				assert_int_not_equal(bench_find("local-storage-hit")->slot(NULL, i, slots[s]), 0);
			for (uint32_t i = 2; i < len; i++)
				assert_int_not_equal(bench_find("local-storage-miss")->slot(NULL, i, slots[s]), 0);
		}
	assert_int_equal(bench_find("local-storage-hit")->slot(NULL, 5, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),	  cmocka_unit_test(test_stores),
		cmocka_unit_test(test_set_param_refuses), cmocka_unit_test(test_set_param),
		cmocka_unit_test(test_complete),	  cmocka_unit_test(test_complete_refuses),
		cmocka_unit_test(test_expected),	  cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_int_order),	  cmocka_unit_test(test_miss_shares),
		cmocka_unit_test(test_isolating),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
