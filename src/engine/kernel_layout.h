/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each row's maps and access sequence stand, and how a batch of it is made up. Pure: numbers from points, no
 * bpf(); the session puts what is planned here into the kernel.
 *
 * Entries. seq_pool[e] names the pool map of entry e. Entries 0 .. nr_pool-1 are the pool itself; then come the
 * sequences that the "sequence" and "single" loops read through the outer array; then, outside the outer
 * array, what is only looked up by index: hoisted sequences and the rows' lists of maps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi.h"
#include "core/bench.h"
#include "core/results.h"
#include "lib/err.h"

enum loop_form { LOOP_HOISTED, LOOP_SEQUENCE, LOOP_SINGLE, LOOP_HASH, LOOP_HASH_CYCLE, LOOP_NR };

extern const char *const loop_form_names[LOOP_NR + 1]; /* "hoisted" ..., NULL-terminated */
/* The form of that name, or -1. */
int loop_form_find(const char *name);

/* Hashes that rows share: the same capacity, fill and seed. */
struct hash_set {
	uint64_t capacity;
	uint64_t nr_filled; /* keys 0 .. nr_filled-1 */
	uint64_t nr_used; /* the largest nr_keys of its rows: keys from here on may be replaced by a thread's own id */
	uint32_t nr_hashes; /* at outer_hash[first .. first+nr_hashes) */
	uint32_t first;
	bool zero_seed;
};

/* How one batch is made up. */
struct batch_size {
	uint64_t rounds, ops;
	uint32_t callbacks, tail;
};

struct row_layout {
	bool wanted;
	const struct bench *bench;
	enum loop_form form;
	uint32_t nr_maps;  /* storage: maps of the row */
	uint32_t maps_off; /* their list in seq_pool */
	uint16_t *seq;	   /* owned: one round, as indices of the row's maps; NULL for a hash */
	uint32_t round_len;
	uint32_t round_important;  /* gets of map 0 in one round */
	uint32_t seq_off, seq_len; /* the sequence as the loop sees it: whole rounds */
	struct batch_size size[2]; /* of the loop with the get, of its empty twin */
	uint16_t *pool_of;	   /* owned: pool index of the i-th map; filled when the slots are known */
	uint32_t nr_keys, nr_hashes;
	bool key_is_tid;
	int hash_set;
};

struct layout {
	struct row_layout *rows; /* owned, nr_rows, indexed as results' rows */
	int nr_rows;
	bool any_storage, any_hash;
	uint32_t nr_pool;      /* maps to create: the largest row's and the spare ones */
	uint32_t nr_outer;     /* entries of the outer array */
	uint32_t nr_entries;   /* of seq_pool in use */
	struct hash_set *sets; /* owned */
	int nr_sets;
	uint32_t nr_hashes; /* in all sets */
};

/*
 * Plans the wanted rows; `spare` maps beyond the largest row. A row whose loop is unknown or does not fit (a hoisted
 * round longer than LSB_HOIST) is -EINVAL. max_ops: 0, or about so many operations a batch at most.
 */
int layout_plan(const struct results *res, const bool *want, uint32_t spare, uint64_t max_ops, struct layout *ret,
		struct err *e);
void layout_free(struct layout *l);
/* Chooses pool maps for every storage row by their slots (LSB_SLOT_UNSEEN: creation order) and writes seq_pool. */
int layout_choose(struct layout *l, const uint8_t *slot_of, uint32_t nr_slots, uint16_t *seq_pool, struct err *e);
/* Bytes the hashes will take, about: preallocated elements of 64 bytes and two buckets an entry. */
uint64_t layout_hash_bytes(const struct layout *l);
