// SPDX-License-Identifier: GPL-2.0-or-later
/* From rows of a run to its cliff: made-up runs whose hit, miss, list step and slots are known. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/analysis.h"

#define SEQ "local-storage-cache-seq-get"
#define HASH "local-storage-cache-hashmap-control"
#define OVERHEAD 0.2

/* What a made-up machine costs: net = hit + share * (walk to the element), a list step of `step`. */
struct truth {
	double hit, miss, step;
	uint32_t slots;
};
static const struct truth plain = { 4.8, 3, 2.5, 16 };

static double share_of(const struct truth *t, uint32_t maps)
{
	return fmin(1, fmax(0, 2.0 * ((double)maps - t->slots) / maps));
}

static double net_of_maps(const struct truth *t, uint32_t maps)
{
	return t->hit + share_of(t, maps) * (t->miss + t->step * (maps + 1) / 2.0);
}

/* `n` repetitions around net, half a percent to either side. */
static struct row *add_row(struct results *res, const char *bench, const char *store, const char *param, uint64_t value,
			   double net, int n)
{
	struct row *row = results_add_row(res);

	assert_non_null(row);
	snprintf(row->point.bench, sizeof(row->point.bench), "%s", bench);
	snprintf(row->point.store, sizeof(row->point.store), "%s", store);
	assert_true(params_set_num(&row->point.params, param, value));
	for (int k = 0; k < n; k++) {
		struct rep rep = { .trial = k, .ghz = NAN, .overhead = OVERHEAD, .setup_ms = NAN };

		rep.gross = net * (1 + .005 * ((k * 3) % 7 - 3) / 3.0) + OVERHEAD;
		assert_int_equal(row_add_rep(row, &rep), 0);
	}
	return row;
}

static struct row *add_seq(struct results *res, const struct truth *t, uint32_t maps)
{
	return add_row(res, SEQ, "task", "nr_maps", maps, net_of_maps(t, maps), 7);
}

static void add_published(struct results *res, const struct truth *t)
{
	static const uint32_t maps[] = { 1000, 1, 10, 17, 16, 24, 32, 100 }; /* in no order */

	results_init(res);
	strcpy(res->run.unit, "ns");
	res->run.machine.slots = 16;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		add_seq(res, t, maps[i]);
}

static struct analysis *compute(struct results *res)
{
	static struct analysis a;

	/* As after a file was read: nothing of an earlier analysis may shine through. */
	memset(&a, 0x5a, sizeof(a));
	results_summarize(res);
	analysis_compute(res, &a);
	return &a;
}

static void test_whole_curve(void **state)
{
	struct results res;
	struct analysis *a;

	(void)state;
	add_published(&res, &plain);
	a = compute(&res);
	assert_true(a->known);
	assert_string_equal(a->why_not, "");
	assert_int_equal(a->slots_btf, 16);
	assert_true(a->bracket.known && a->bracket.adjacent && a->bracket.slots_lo == 16);
	assert_int_equal(a->onset_maps, 17);
	assert_int_equal(a->all_miss_maps, 32);
	assert_true(a->hit.known && fabs(a->hit.mid - 4.8) < .03);
	assert_int_equal(a->hit.n, 7); /* trials, not the 21 repetitions of three rows */
	assert_int_equal(a->nr_miss, 5);
	for (int i = 0; i < a->nr_miss; i++) {
		double truth = plain.miss + plain.step * (a->miss[i].maps + 1) / 2.0;

		assert_true(a->miss[i].cost.lo <= truth && truth <= a->miss[i].cost.hi);
		assert_true(fabs(a->miss[i].share - share_of(&plain, a->miss[i].maps)) < 1e-12);
	}
	assert_int_equal(a->miss[0].maps, 17);
	assert_int_equal(a->nr_walk, 2);
	assert_true(a->walk[0].from == 32 && a->walk[0].to == 100 && a->walk[1].to == 1000);
	for (int i = 0; i < 2; i++)
		assert_true(a->walk[i].per_step.lo < 2.5 && 2.5 < a->walk[i].per_step.hi &&
			    fabs(a->walk[i].per_step.mid - 2.5) < .05);
	assert_true(a->nr_breakeven == 0 && a->nr_ratio == 0 && a->nr_isolated == 0);
	results_free(&res);
}

/* Shares come from the slots the maps had, not from the number of slots. */
static void test_shares_of_the_row(void **state)
{
	struct results res;
	struct analysis *a;

	(void)state;
	add_published(&res, &plain);
	res.rows[3].slots.miss_share = .25;	 /* 17 maps */
	res.rows[5].slots.miss_share = INFINITY; /* 24 maps: simulated instead */
	a = compute(&res);
	assert_true(a->miss[0].share == .25);
	assert_true(fabs(a->miss[0].cost.mid - (net_of_maps(&plain, 17) - 4.8) / .25) < .3);
	assert_true(fabs(a->miss[1].share - 16 / 24.0) < 1e-12);
	results_free(&res);
}

static void test_without_btf(void **state)
{
	static const struct truth eight = { 4.8, 3, 2.5, 12 };
	struct results res;
	struct analysis *a;

	(void)state;
	/* The curve itself shows 12 slots. */
	add_published(&res, &eight);
	add_seq(&res, &eight, 12);
	add_seq(&res, &eight, 13);
	res.run.machine.slots = 0;
	a = compute(&res);
	assert_true(a->known && a->slots_btf == 0 && a->bracket.adjacent);
	assert_int_equal(a->onset_maps, 13);
	assert_int_equal(a->all_miss_maps, 24);
	assert_int_equal(a->miss[0].maps, 13);
	results_free(&res);

	/* It shows only that they are 10 to 15: nothing can be simulated, and no share is made up. */
	add_published(&res, &eight);
	res.run.machine.slots = 0;
	a = compute(&res);
	assert_true(a->known && !a->bracket.adjacent && a->bracket.slots_lo == 10 && a->bracket.slots_hi == 15);
	assert_int_equal(a->onset_maps, 0);
	assert_int_equal(a->all_miss_maps, 0);
	assert_int_equal(a->nr_miss, 0);
	assert_int_equal(a->nr_walk, 0);
	results_free(&res);
}

static void test_hostile_slots(void **state)
{
	struct results res;
	struct analysis *a;

	(void)state;
	add_published(&res, &plain);
	res.run.machine.slots = INT32_MAX;
	a = compute(&res);
	assert_true(a->known && a->slots_btf == INT32_MAX && a->onset_maps == 0 && a->nr_miss == 0);
	res.run.machine.slots = -7;
	a = compute(&res);
	assert_true(a->known && a->slots_btf == 0 && a->onset_maps == 17); /* from the bracket */
	results_free(&res);
}

static void refused(struct results *res, const char *needle)
{
	struct analysis *a = compute(res);

	assert_false(a->known);
	assert_non_null(strstr(a->why_not, needle));
	assert_true(a->nr_miss == 0 && a->nr_walk == 0 && a->nr_isolated == 0 && !a->bracket.known);
	results_free(res);
	results_init(res);
	strcpy(res->run.unit, "ns");
}

static void test_refusals(void **state)
{
	struct results res;

	(void)state;
	results_init(&res);
	strcpy(res.run.unit, "ns");
	refused(&res, "no row of " SEQ);

	add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 10, 20, 7);
	add_row(&res, SEQ, "cgrp", "nr_maps", 1, 5, 7); /* another storage */
	add_row(&res, SEQ, "task", "nr_maps", 0, 5, 7);
	add_row(&res, SEQ, "task", "nr_maps", 1ull << 40, 5, 7);
	add_row(&res, SEQ, "task", "other", 1, 5, 7);
	add_row(&res, SEQ, "task", "nr_maps", 3, 5, 0);
	add_row(&res, SEQ, "task", "nr_maps", 4, 5, 7)->outcome = OUTCOME_INVALID;
	add_row(&res, SEQ, "task", "nr_maps", 5, 5, 7)->outcome = OUTCOME_FAILED;
	refused(&res, "no row of " SEQ);

	add_seq(&res, &plain, 16);
	add_seq(&res, &plain, 17);
	refused(&res, "10 maps or fewer");

	add_seq(&res, &plain, 1);
	add_seq(&res, &plain, 10);
	refused(&res, "more than 10 maps");

	add_row(&res, SEQ, "task", "nr_maps", 1, 5, 5);
	add_row(&res, SEQ, "task", "nr_maps", 32, 50, 5);
	refused(&res, "fewer than 6 repetitions");
	results_free(&res);
}

/* Nothing but garbage in the repetitions. */
static void test_hostile_values(void **state)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY, 0, -5, 1e308, 1e-310 };
	struct results res;

	(void)state;
	for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
		add_published(&res, &plain);
		add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 10, bad[b], 7);
		add_row(&res, "local-storage-hit", "task", "list_len", 16, bad[b], 7);
		add_row(&res, "local-storage-miss", "task", "list_len", 32, bad[b], 7);
		add_row(&res, "local-storage-miss", "task", "list_len", 100, bad[b], 7);
		for (int i = 0; i < res.nr_rows; i++)
			for (int k = 0; k < res.rows[i].nr_reps; k++)
				res.rows[i].reps[k].gross = k % 2 ? bad[b] : -bad[b];
		compute(&res);
		for (int i = 0; i < res.nr_rows; i++)
			for (int k = 0; k < res.rows[i].nr_reps; k++)
				res.rows[i].reps[k].overhead = res.rows[i].reps[k].gross = bad[b];
		assert_true(compute(&res)->nr_isolated == 0 || bad[b] > -10);
		results_free(&res);
	}
}

static void test_hashes(void **state)
{
	struct results res;
	struct analysis *a;
	struct row *tid;

	(void)state;
	add_published(&res, &plain);
	add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 10, 20, 7);
	add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 4194304, 1e6, 7);
	tid = add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 1000, 2, 7);
	assert_true(params_set_text(&tid->point.params, "hashmap_key", "tid"));
	add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 77, 2, 7)->outcome = OUTCOME_UNSUPPORTED;
	a = compute(&res);
	assert_int_equal(a->nr_breakeven, 3);
	assert_int_equal(a->breakeven[0].hash_row, 8);
	/* 20 ns lie between 17 (7.8) and 24 (28). */
	assert_true(a->breakeven[0].at.crosses);
	assert_true(a->breakeven[0].at.maps_lo > 17 && a->breakeven[0].at.maps_lo < a->breakeven[0].at.maps_hi &&
		    a->breakeven[0].at.maps_hi < 24);
	assert_true(!a->breakeven[1].at.crosses && a->breakeven[1].at.always == -1);
	assert_true(!a->breakeven[2].at.crosses && a->breakeven[2].at.always == 1);
	assert_int_equal(a->nr_ratio, 3 * 8);
	/* Gross over gross, rows of the curve by maps. */
	assert_int_equal(a->ratio[0].hash_row, 8);
	assert_int_equal(a->ratio[0].storage_row, 1);
	assert_true(fabs(a->ratio[0].ratio.mid - 20.2 / 5) < 1e-9);
	assert_true(a->ratio[0].ratio.lo < 4.04 && 4.04 < a->ratio[0].ratio.hi);
	assert_int_equal(a->ratio[7].storage_row, 0);
	results_free(&res);
}

/* Without a cliff a hash can still be compared. */
static void test_hash_beside_refusal(void **state)
{
	struct results res;
	struct analysis *a;

	(void)state;
	results_init(&res);
	strcpy(res.run.unit, "ns");
	add_seq(&res, &plain, 16);
	add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 10, 20, 7);
	a = compute(&res);
	assert_false(a->known);
	assert_int_equal(a->nr_ratio, 1);
	assert_true(a->breakeven[0].at.always == -1);
	results_free(&res);
}

/* Index of the entry that must be there. */
static int isolated_at(const struct analysis *a, int row, const char *what)
{
	for (int i = 0; i < a->nr_isolated; i++)
		if (a->isolated[i].row == row && strcmp(a->isolated[i].what, what) == 0)
			return i;
	fail_msg("no \"%s\" of row %d", what, row);
	return 0;
}

/* The two elements at the tail of L walk L and L - 1. */
static double net_of_miss(const struct truth *t, uint32_t list_len)
{
	return t->hit + t->miss + t->step * (list_len - .5);
}

static void test_isolating_rows(void **state)
{
	struct results res;
	struct analysis *a;
	int i;

	(void)state;
	add_published(&res, &plain);
	add_row(&res, "local-storage-hit", "task", "list_len", 16, 4.4, 7);			   /* row 8 */
	add_row(&res, "local-storage-miss", "task", "list_len", 100, net_of_miss(&plain, 100), 7); /* 9 */
	add_row(&res, "local-storage-miss", "task", "list_len", 2, net_of_miss(&plain, 2), 7);	   /* 10 */
	add_row(&res, "local-storage-miss", "task", "list_len", 32, net_of_miss(&plain, 32), 7);   /* 11 */
	a = compute(&res);
	/* The hit; misses of 32 and 100 (2 walks less than any row that always misses); one step: 32 to 100. */
	assert_int_equal(a->nr_isolated, 4);

	i = isolated_at(a, 8, "hit");
	assert_true(fabs(a->isolated[i].direct.mid - 4.4) < .01 && a->isolated[i].curve.mid == a->hit.mid);
	assert_true(fabs(a->isolated[i].ratio.mid - 4.4 / 4.8) < .02);

	i = isolated_at(a, 11, "miss");
	assert_true(fabs(a->isolated[i].direct.mid - (net_of_miss(&plain, 32) - 4.4)) < .5);
	assert_true(a->isolated[i].curve.lo < net_of_miss(&plain, 32) - 4.8 &&
		    net_of_miss(&plain, 32) - 4.8 < a->isolated[i].curve.hi);
	assert_true(a->isolated[i].ratio.lo < 1 && a->isolated[i].ratio.hi > 1 && a->isolated[i].ratio.known);

	i = isolated_at(a, 9, "list step");
	assert_true(fabs(a->isolated[i].direct.mid - 2.5) < .05 && fabs(a->isolated[i].curve.mid - 2.5) < .05);
	assert_true(a->isolated[i].ratio.lo < 1 && a->isolated[i].ratio.hi > 1);
	results_free(&res);
}

/* With a hit row of the same length that one is subtracted; without any the curve's. */
static void test_hit_of_the_same_length(void **state)
{
	struct results res;
	struct analysis *a;
	int i;

	(void)state;
	add_published(&res, &plain);
	add_row(&res, "local-storage-miss", "task", "list_len", 32, net_of_miss(&plain, 32), 7); /* row 8 */
	a = compute(&res);
	i = isolated_at(a, 8, "miss");
	assert_true(fabs(a->isolated[i].direct.mid - (net_of_miss(&plain, 32) - 4.8)) < .5);
	add_row(&res, "local-storage-hit", "task", "list_len", 16, 40, 7);
	add_row(&res, "local-storage-hit", "task", "list_len", 32, 20, 7);
	a = compute(&res);
	i = isolated_at(a, 8, "miss");
	assert_true(fabs(a->isolated[i].direct.mid - (net_of_miss(&plain, 32) - 20)) < .5);
	results_free(&res);
}

/* Rows of the same number of maps: the first one planned. */
static void test_duplicates(void **state)
{
	struct results res;
	struct analysis *a;

	(void)state;
	add_published(&res, &plain);
	add_row(&res, SEQ, "task", "nr_maps", 16, 500, 7);
	a = compute(&res);
	assert_true(a->bracket.adjacent && !a->bracket.disturbed && a->bracket.slots_lo == 16);
	results_free(&res);
}

/* Hundreds of rows: lists are thinned, the ends kept, nothing overflows. */
static void test_many_rows(void **state)
{
	struct results res;
	struct analysis *a;

	(void)state;
	results_init(&res);
	strcpy(res.run.unit, "ns");
	res.run.machine.slots = 16;
	for (uint32_t n = 1; n <= 400; n++)
		add_seq(&res, &plain, n);
	for (int i = 0; i < 100; i++) {
		add_row(&res, HASH, "hash", "hashmap_nr_keys_used", 10 + i, 20, 7);
		add_row(&res, "local-storage-hit", "task", "list_len", 1 + i, 5, 7);
		add_row(&res, "local-storage-miss", "task", "list_len", 20 + i, net_of_miss(&plain, 20 + i), 7);
	}
	a = compute(&res);
	assert_true(a->known && a->bracket.adjacent && a->bracket.slots_lo == 16);
	assert_int_equal(a->nr_miss, ANALYSIS_MAX);
	assert_int_equal(a->miss[0].maps, 17);
	assert_int_equal(a->miss[ANALYSIS_MAX - 1].maps, 400);
	assert_int_equal(a->nr_walk, ANALYSIS_MAX);
	assert_int_equal(a->walk[0].from, 32);
	for (int i = 1; i < a->nr_walk; i++)
		assert_int_equal(a->walk[i].from, a->walk[i - 1].to);
	assert_int_equal(a->walk[ANALYSIS_MAX - 1].to, 400);
	assert_int_equal(a->nr_breakeven, ANALYSIS_MAX);
	assert_int_equal(a->nr_ratio, ANALYSIS_MAX * 4);
	assert_true(a->nr_isolated > 0 && a->nr_isolated <= ANALYSIS_MAX);
	results_free(&res);
}

/* Instructions of 6.12: one repetition is enough, and the model finds the slots although 16 was not measured. */
static void test_instructions(void **state)
{
	static const struct truth insn = { 111, 62, 9, 16 };
	static const uint32_t maps[] = { 1, 10, 20, 24, 32, 100, 1000 };
	struct results res;
	struct analysis *a;

	(void)state;
	results_init(&res);
	strcpy(res.run.unit, "insn");
	res.run.machine.slots = 16;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct row *row = add_row(&res, SEQ, "task", "nr_maps", maps[i], net_of_maps(&insn, maps[i]), 1);

		row->reps[0].gross = net_of_maps(&insn, maps[i]) + OVERHEAD;
	}
	a = compute(&res);
	assert_true(a->known && a->bracket.known && a->bracket.adjacent && a->bracket.slots_lo == 16);
	assert_true(a->hit.known && fabs(a->hit.mid - 111) < 1e-6 && a->hit.lo == a->hit.hi);
	assert_int_equal(a->nr_walk, 2);
	assert_true(fabs(a->walk[1].per_step.mid - 9) < 1e-6);
	/* Exact counts have intervals without width, and a miss too. */
	assert_true(a->miss[0].cost.known && a->miss[0].cost.lo == a->miss[0].cost.hi);
	results_free(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_curve),    cmocka_unit_test(test_shares_of_the_row),
		cmocka_unit_test(test_without_btf),    cmocka_unit_test(test_hostile_slots),
		cmocka_unit_test(test_refusals),       cmocka_unit_test(test_hostile_values),
		cmocka_unit_test(test_hashes),	       cmocka_unit_test(test_hash_beside_refusal),
		cmocka_unit_test(test_isolating_rows), cmocka_unit_test(test_hit_of_the_same_length),
		cmocka_unit_test(test_duplicates),     cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
