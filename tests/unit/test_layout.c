// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where rows' maps and sequences stand: batches are whole rounds in every loop form, unrolled loops may read on past
 * the end of a sequence, maps are chosen for the intended slots whatever slots the kernel handed out.
 */
#include "engine/kernel_layout.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"
#include "unit.h"

#define SLOTS 16

static void add_row(struct results *res, const char *bench, const char *param, uint64_t value, const char *loop)
{
	struct row *row = results_add_row(res);

	assert_non_null(row);
	str_copy(row->point.bench, sizeof(row->point.bench), bench);
	str_copy(row->point.loop, sizeof(row->point.loop), loop);
	assert_true(params_set_num(&row->point.params, param, value));
}

static const char *const seq = "local-storage-cache-seq-get", *const inter = "local-storage-cache-int-get",
			 *const miss = "local-storage-miss", *const hash = "local-storage-cache-hashmap-control";

/* What the loops really visit, replayed from seq_pool as the BPF code reads it. */
static void replay(const struct row_layout *r, const struct batch_size *size, const uint16_t *seq_pool,
		   uint64_t *visits)
{
	uint32_t pos = r->seq_off;

	for (uint32_t c = 0; c < size->callbacks; c++) {
		if (r->form == LOOP_HOISTED) {
			for (int turn = 0; turn < LSB_HOIST_TURNS; turn++)
				for (uint32_t j = 0; j < r->seq_len; j++)
					visits[seq_pool[r->seq_off + j]]++;
			continue;
		}
		for (uint32_t j = 0; j < (r->form == LOOP_SEQUENCE ? LSB_UNROLL : 1); j++)
			visits[seq_pool[pos + j]]++;
		pos += r->form == LOOP_SEQUENCE ? LSB_UNROLL : 1;
		if (pos >= r->seq_off + r->seq_len)
			pos -= r->seq_len;
	}
	for (uint32_t c = 0; c < size->tail; c++) {
		visits[seq_pool[pos]]++;
		if (++pos >= r->seq_off + r->seq_len)
			pos -= r->seq_len;
	}
}

static void batches_are_whole_rounds(void **state)
{
	static const uint64_t maps[] = { 1, 2, 7, 10, 16, 17, 24, 31, 32, 33, 100, 999, 1000 };
	static uint16_t seq_pool[LSB_SEQ_MAX];
	static uint8_t slot_of[LSB_POOL_MAX];
	struct results res;
	struct layout l;
	struct err e = { 0 };
	bool want[128];

	(void)state;
	memset(want, 1, sizeof(want));
	results_init(&res);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		add_row(&res, seq, "nr_maps", maps[i], maps[i] <= 32 ? "hoisted" : "sequence");
		add_row(&res, inter, "nr_maps", maps[i], maps[i] <= 32 ? "hoisted" : "sequence");
		add_row(&res, seq, "nr_maps", maps[i], "single");
		add_row(&res, inter, "nr_maps", maps[i], "sequence");
	}
	add_row(&res, miss, "list_len", 1000, "hoisted");
	assert_int_equal(layout_plan(&res, want, 64, 0, &l, &e), 0);
	assert_int_equal(l.nr_pool, 1064);
	for (uint32_t k = 0; k < l.nr_pool; k++)
		slot_of[k] = (uint8_t)(k * 7 % SLOTS);
	assert_int_equal(layout_choose(&l, slot_of, SLOTS, seq_pool, &e), 0);
	for (int i = 0; i < l.nr_rows; i++) {
		const struct row_layout *r = &l.rows[i];

		for (int empty = 0; empty < 2; empty++) {
			const struct batch_size *size = &r->size[empty];
			uint64_t visits[LSB_POOL_MAX] = { 0 }, expected[LSB_POOL_MAX] = { 0 };

			assert_true(size->rounds > 0);
			assert_int_equal(size->ops, size->rounds * r->round_len);
			for (uint32_t k = 0; k < r->round_len; k++)
				expected[r->pool_of[r->seq[k]]] += size->rounds;
			replay(r, size, seq_pool, visits);
			assert_memory_equal(visits, expected, sizeof(visits));
		}
		/* Everything the outer array is asked for stands in it. */
		if (r->form != LOOP_HOISTED)
			assert_true(r->seq_off + r->seq_len + LSB_UNROLL <= l.nr_outer);
	}
	layout_free(&l);
	results_free(&res);
}

/* The kernel's slots in a bad order: just after 1000 maps were closed, two slots still count as taken. */
static void maps_are_chosen_by_slot(void **state)
{
	static uint16_t seq_pool[LSB_SEQ_MAX];
	static uint8_t slot_of[LSB_POOL_MAX];
	struct results res;
	struct layout l;
	struct err e = { 0 };
	bool want[2] = { true, true };

	(void)state;
	results_init(&res);
	add_row(&res, seq, "nr_maps", 32, "hoisted");
	add_row(&res, miss, "list_len", 20, "hoisted");
	assert_int_equal(layout_plan(&res, want, 64, 0, &l, &e), 0);
	for (uint32_t k = 0; k < l.nr_pool; k++)
		slot_of[k] = (uint8_t)((k * 5 + 9) % SLOTS);
	assert_int_equal(layout_choose(&l, slot_of, SLOTS, seq_pool, &e), 0);
	for (uint32_t m = 0; m < 32; m++) {
		assert_int_equal(slot_of[l.rows[0].pool_of[m]], m % SLOTS);
		for (uint32_t k = 0; k < m; k++)
			assert_int_not_equal(l.rows[0].pool_of[m], l.rows[0].pool_of[k]);
	}
	assert_int_equal(slot_of[l.rows[1].pool_of[0]], slot_of[l.rows[1].pool_of[1]]);
	for (uint32_t m = 2; m < 20; m++)
		assert_int_not_equal(slot_of[l.rows[1].pool_of[m]], slot_of[l.rows[1].pool_of[0]]);
	layout_free(&l);
	results_free(&res);
}

static void unseen_slots_mean_creation_order(void **state)
{
	static uint16_t seq_pool[LSB_SEQ_MAX];
	static uint8_t slot_of[LSB_POOL_MAX];
	struct results res;
	struct layout l;
	struct err e = { 0 };
	bool want[1] = { true };

	(void)state;
	results_init(&res);
	add_row(&res, seq, "nr_maps", 40, "sequence");
	assert_int_equal(layout_plan(&res, want, 0, 0, &l, &e), 0);
	memset(slot_of, LSB_SLOT_UNSEEN, sizeof(slot_of));
	assert_int_equal(layout_choose(&l, slot_of, SLOTS, seq_pool, &e), 0);
	for (uint32_t m = 0; m < 40; m++)
		assert_int_equal(l.rows[0].pool_of[m], m);
	layout_free(&l);
	results_free(&res);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct results res;
	struct layout l;
	struct err e = { 0 };
	bool want[4] = { true, true, true, true };

	(void)state;
	results_init(&res);
	add_row(&res, seq, "nr_maps", 49, "hoisted");
	assert_int_equal(layout_plan(&res, want, 0, 0, &l, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "sequence"));
	res.nr_rows = 0;
	err_clear(&e);
	add_row(&res, "no-such-bench", "nr_maps", 1, "hoisted");
	assert_int_equal(layout_plan(&res, want, 0, 0, &l, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "no-such-bench"));
	results_free(&res);
}

static void rows_share_hashes(void **state)
{
	struct results res;
	struct layout l;
	struct err e = { 0 };
	bool want[3] = { true, true, true };

	(void)state;
	results_init(&res);
	add_row(&res, hash, "hashmap_nr_keys_used", 10, "");
	add_row(&res, hash, "hashmap_nr_keys_used", 4000, "");
	add_row(&res, hash, "hashmap_nr_keys_used", 500, "");
	params_set_text(&res.rows[2].point.params, "hashmap_fill", "used");
	assert_int_equal(layout_plan(&res, want, 0, 0, &l, &e), 0);
	assert_int_equal(l.nr_sets, 2);
	assert_int_equal(l.nr_hashes, 2);
	assert_int_equal(l.sets[0].nr_filled, 4194304);
	assert_int_equal(l.sets[0].nr_used, 4000);
	assert_int_equal(l.sets[1].nr_filled, 500);
	assert_int_equal(l.rows[0].size[0].ops % LSB_HASH_UNROLL, 0);
	assert_true(layout_hash_bytes(&l) > 2u * 4194304 * 64);
	layout_free(&l);
	results_free(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_are_whole_rounds),
		cmocka_unit_test(maps_are_chosen_by_slot),
		cmocka_unit_test(unseen_slots_mean_creation_order),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(rows_share_hashes),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
