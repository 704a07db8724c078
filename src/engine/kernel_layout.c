// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows into regions of one outer array, and the size of a batch. See kernel_layout.h.
 *
 * A batch is a fixed amount of work, so that entering the program costs every row the same; where a round is long
 * (a get at n maps walks about n/2 elements, and there are n of them) it shrinks to a few milliseconds, never below one
 * round.
 */
#include "engine/kernel_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define BATCH_OPS 32768u	   /* of rows whose gets are cheap */
#define BATCH_WALK_BUDGET 1000000u /* operations x maps, beyond 32 maps */
#define BATCH_MIN_OPS 1000u
#define HASH_ENTRY_BYTES 80u /* element 64, bucket 16 (twice, rounded up to a power of two) */

const char *const loop_form_names[LOOP_NR + 1] = { "hoisted", "sequence", "single", "hash", "hash-cycle", NULL };

int loop_form_find(const char *name)
{
	for (int i = 0; i < LOOP_NR; i++)
		if (strcmp(loop_form_names[i], name) == 0)
			return i;
	return -1;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	for (int i = 0; l->rows && i < l->nr_rows; i++) {
		free(l->rows[i].seq);
		free(l->rows[i].pool_of);
	}
	free(l->rows);
	free(l->sets);
	memset(l, 0, sizeof(*l));
}

static struct batch_size batch_of(const struct row_layout *r, uint64_t target, uint64_t max_ops)
{
	uint32_t hoisted = r->seq_len * LSB_HOIST_TURNS;
	uint32_t unroll = r->form == LOOP_HOISTED ? hoisted : r->form == LOOP_SEQUENCE ? LSB_UNROLL : 1;
	uint32_t quantum = r->form == LOOP_HOISTED ? hoisted / r->round_len : 1; /* rounds that cannot be split */
	struct batch_size b;

	if (max_ops && target > max_ops)
		target = max_ops;
	b.rounds = target / r->round_len / quantum * quantum;
	if (!b.rounds)
		b.rounds = quantum;
	b.ops = b.rounds * r->round_len;
	b.callbacks = (uint32_t)(b.ops / unroll);
	b.tail = (uint32_t)(b.ops % unroll);
	return b;
}

static void batches_of_storage(struct row_layout *r, uint64_t max_ops)
{
	uint64_t target = r->nr_maps <= 32 ? BATCH_OPS : BATCH_WALK_BUDGET / r->nr_maps;

	r->size[0] = batch_of(r, target < BATCH_MIN_OPS ? BATCH_MIN_OPS : target, max_ops);
	/* The twin walks nothing, so its batch need not shrink: at 1000 gets the two clock reads would be a part of it.
	 */
	r->size[1] = batch_of(r, BATCH_OPS, max_ops);
}

static int plan_storage(struct layout *l, struct row_layout *r, const struct point *p, uint64_t max_ops, struct err *e)
{
	int rc;

	r->nr_maps = r->bench->nr_maps(&p->params);
	rc = r->bench->sequence(&p->params, &r->seq, &r->round_len);
	if (rc || !r->round_len)
		return err_set(e, ERR_FAILED, rc ? rc : -EINVAL, "%s: no access sequence for these parameters",
			       p->bench);
	r->pool_of = calloc(r->nr_maps, sizeof(*r->pool_of));
	if (!r->pool_of)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %u maps of one row", r->nr_maps);
	for (uint32_t i = 0; i < r->round_len; i++)
		r->round_important += r->seq[i] == 0;
	r->seq_len = r->round_len;
	if (r->form == LOOP_HOISTED) {
		if (r->round_len > LSB_HOIST)
			return err_set(
				e, ERR_USAGE, -EINVAL,
				"the hoisted loop keeps %d map pointers and a round of %s has %u gets: use --loop sequence",
				LSB_HOIST, p->bench, r->round_len);
		r->seq_len = LSB_HOIST / r->round_len * r->round_len;
	} else {
		while (r->seq_len < LSB_UNROLL)
			r->seq_len += r->round_len;
	}
	batches_of_storage(r, max_ops);
	l->any_storage = true;
	return 0;
}

static int plan_hash(struct layout *l, struct row_layout *r, const struct point *p, uint64_t max_ops, struct err *e)
{
	uint64_t capacity = params_num(&p->params, "hashmap_capacity", 4194304);
	bool all = strcmp(params_text(&p->params, "hashmap_fill", "all"), "all") == 0;
	bool zero = strcmp(params_text(&p->params, "hashmap_seed", "zero"), "zero") == 0;
	uint64_t nr_keys = params_num(&p->params, "hashmap_nr_keys_used", 1000);
	uint64_t target = max_ops && max_ops < BATCH_OPS ? max_ops : BATCH_OPS;
	struct batch_size size = { 0 };
	uint32_t quantum;
	struct hash_set *set = NULL, *sets;

	r->nr_hashes = (uint32_t)params_num(&p->params, "nr_maps", 1);
	r->key_is_tid = strcmp(params_text(&p->params, "hashmap_key", "random"), "tid") == 0;
	r->nr_keys = r->key_is_tid ? 0 : (uint32_t)nr_keys;
	r->form = r->nr_hashes > 1 ? LOOP_HASH_CYCLE : LOOP_HASH;
	quantum = r->form == LOOP_HASH ? LSB_HASH_UNROLL : r->nr_hashes;
	r->round_len = r->nr_hashes;
	r->round_important = 1;
	size.ops = target / quantum * quantum;
	if (!size.ops)
		size.ops = quantum;
	size.rounds = size.ops / r->round_len;
	size.callbacks = (uint32_t)(r->form == LOOP_HASH ? size.ops / LSB_HASH_UNROLL : size.ops);
	r->size[0] = r->size[1] = size;
	for (int i = 0; i < l->nr_sets; i++) {
		struct hash_set *s = &l->sets[i];

		if (s->zero_seed != zero)
			return err_set(e, ERR_USAGE, -EINVAL, "rows of one sweep must have the same --hashmap_seed");
		if (s->capacity == capacity && s->nr_filled == (all ? capacity : nr_keys))
			set = s;
	}
	if (!set) {
		sets = realloc(l->sets, (size_t)(l->nr_sets + 1) * sizeof(*sets));
		if (!sets)
			return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
		l->sets = sets;
		set = &sets[l->nr_sets++];
		*set = (struct hash_set){ .capacity = capacity,
					  .nr_filled = all ? capacity : nr_keys,
					  .zero_seed = zero };
	}
	if (nr_keys > set->nr_used && !r->key_is_tid)
		set->nr_used = nr_keys;
	if (r->nr_hashes > set->nr_hashes)
		set->nr_hashes = r->nr_hashes;
	r->hash_set = (int)(set - l->sets);
	l->any_hash = true;
	return 0;
}

static int plan_row(struct layout *l, int i, const struct results *res, uint64_t max_ops, struct err *e)
{
	const struct point *p = &res->rows[i].point;
	struct row_layout *r = &l->rows[i];
	int form = loop_form_find(p->loop);

	r->wanted = true;
	r->bench = bench_find(p->bench);
	if (!r->bench)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown benchmark '%s' (lsbench list shows all)", p->bench);
	if (r->bench->family == BENCH_HASH)
		return plan_hash(l, r, p, max_ops, e);
	if (form < 0 || form > LOOP_SINGLE)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown loop '%s' for %s: hoisted, sequence or single", p->loop,
			       p->bench);
	r->form = (enum loop_form)form;
	return plan_storage(l, r, p, max_ops, e);
}

/* Rows of one benchmark take their maps in one order: a shorter list is the start of a longer one, and shares it. */
static void place_map_lists(struct layout *l)
{
	for (int i = 0; i < l->nr_rows; i++) {
		struct row_layout *r = &l->rows[i], *longest = r;

		if (!r->wanted || !r->seq)
			continue;
		for (int j = 0; j < l->nr_rows; j++)
			if (l->rows[j].seq && l->rows[j].bench->slot == r->bench->slot &&
			    l->rows[j].nr_maps > longest->nr_maps)
				longest = &l->rows[j];
		if (!longest->maps_off) {
			longest->maps_off = l->nr_entries;
			l->nr_entries += longest->nr_maps;
		}
		r->maps_off = longest->maps_off;
	}
}

static int place(struct layout *l, struct err *e)
{
	uint64_t entries = l->nr_pool;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < l->nr_rows; i++) {
			struct row_layout *r = &l->rows[i];
			bool in_outer = r->form != LOOP_HOISTED;

			if (!r->wanted || !r->seq || in_outer != (pass == 0))
				continue;
			r->seq_off = (uint32_t)entries;
			entries += r->seq_len + LSB_HOIST; /* followed by a copy of its start: unrolled loops read on */
			if (entries > LSB_SEQ_MAX - 4 * LSB_POOL_MAX)
				return err_set(
					e, ERR_USAGE, -E2BIG,
					"the access sequences of all rows need more than %d entries: sweep fewer rows at once",
					LSB_SEQ_MAX);
		}
		if (pass == 0)
			l->nr_outer = (uint32_t)entries;
	}
	l->nr_entries = (uint32_t)entries;
	place_map_lists(l);
	for (int i = 0; i < l->nr_sets; i++) {
		l->sets[i].first = l->nr_hashes;
		l->nr_hashes += l->sets[i].nr_hashes;
	}
	if (l->nr_hashes > LSB_HASHES_MAX)
		return err_set(e, ERR_USAGE, -E2BIG,
			       "%u hashes are needed, at most %d fit: use fewer --nr_maps or fill sizes", l->nr_hashes,
			       LSB_HASHES_MAX);
	return 0;
}

int layout_plan(const struct results *res, const bool *want, uint32_t spare, uint64_t max_ops, struct layout *ret,
		struct err *e)
{
	struct layout l = { .nr_rows = res->nr_rows };
	int rc = 0;

	l.rows = calloc((size_t)(res->nr_rows ? res->nr_rows : 1), sizeof(*l.rows));
	if (!l.rows)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", res->nr_rows);
	for (int i = 0; i < res->nr_rows && !rc; i++) {
		if (!want[i])
			continue;
		rc = plan_row(&l, i, res, max_ops, e);
		if (l.rows[i].seq && l.rows[i].nr_maps > l.nr_pool)
			l.nr_pool = l.rows[i].nr_maps;
	}
	if (l.nr_pool)
		l.nr_pool = l.nr_pool + spare > LSB_POOL_MAX ? LSB_POOL_MAX : l.nr_pool + spare;
	if (!rc)
		rc = place(&l, e);
	if (rc) {
		layout_free(&l);
		return rc;
	}
	*ret = l;
	return 0;
}

/* Takes the first free pool map of the wanted slot; with none left (or slots unseen) the first free one. from[] is
 * where a search may start: maps before it are taken. */
static uint16_t take_map(const uint8_t *slot_of, uint32_t nr_pool, uint32_t slot, bool *taken, uint32_t *from)
{
	for (uint32_t k = from[slot]; k < nr_pool; k++)
		if (!taken[k] && slot_of[k] == slot) {
			taken[k] = true;
			from[slot] = k + 1;
			return (uint16_t)k;
		}
	from[slot] = nr_pool;
	for (uint32_t k = from[LSB_SLOT_UNSEEN]; k < nr_pool; k++)
		if (!taken[k]) {
			taken[k] = true;
			from[LSB_SLOT_UNSEEN] = k + 1;
			return (uint16_t)k;
		}
	return 0; /* not reached: a row never has more maps than the pool */
}

int layout_choose(struct layout *l, const uint8_t *slot_of, uint32_t nr_slots, uint16_t *seq_pool, struct err *e)
{
	_cleanup_free_ bool *taken = calloc(l->nr_pool ? l->nr_pool : 1, sizeof(*taken));

	if (!taken)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %u maps", l->nr_pool);
	for (uint32_t k = 0; k < l->nr_pool; k++)
		seq_pool[k] = (uint16_t)k;
	for (int i = 0; i < l->nr_rows; i++) {
		struct row_layout *r = &l->rows[i];

		uint32_t from[LSB_SLOT_UNSEEN + 1] = { 0 };

		if (!r->wanted || !r->seq)
			continue;
		memset(taken, 0, l->nr_pool * sizeof(*taken));
		for (uint32_t m = 0; m < r->nr_maps; m++) {
			/* Parameters do not change the slot of the m-th map (place_map_lists relies on it). */
			r->pool_of[m] = take_map(slot_of, l->nr_pool,
						 r->bench->slot(NULL, m, nr_slots) % LSB_SLOT_UNSEEN, taken, from);
			seq_pool[r->maps_off + m] = r->pool_of[m];
		}
		for (uint32_t k = 0; k < r->seq_len + LSB_HOIST; k++)
			seq_pool[r->seq_off + k] = r->pool_of[r->seq[k % r->round_len]];
	}
	return 0;
}

uint64_t layout_hash_bytes(const struct layout *l)
{
	uint64_t bytes = 0;

	for (int i = 0; i < l->nr_sets; i++)
		bytes += l->sets[i].capacity * HASH_ENTRY_BYTES * l->sets[i].nr_hashes;
	return bytes;
}
