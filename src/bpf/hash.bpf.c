// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hash control: lookups of a random key (or of the thread's own id) in a hash of tid -> int, and its filler.
 *
 * The key comes from an inline generator and a multiply-shift (Lemire, "Fast random integer generation in an
 * interval", 2019): bpf_get_prandom_u32() % n costs 68 instructions beside the lookup, this 11. Twin and lookup use the
 * same keys.
 */
#include "bpf/common.bpf.h"

struct hash_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* the template only; the real ones are created by the engine */
	__type(key, __u32);
	__type(value, __u32);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, LSB_HASHES_MAX);
	__type(key, __u32);
	__array(values, struct hash_map);
} outer_hash SEC(".maps");

struct hash_walk {
	void *map;
	struct lsb_io *io;
	__u32 tid;
};

/* One step of a 64-bit linear congruential generator (Knuth, MMIX); the high half is what is used. */
static __always_inline __u64 rng_step(__u64 state)
{
	return state * 6364136223846793005ull + 1442695040888963407ull;
}

static __always_inline __u32 key_of(__u64 state, __u32 nr_keys)
{
	return (__u32)(((state >> 32) * nr_keys) >> 32);
}

/* nr_keys is 0 for a tid row: then the key is the thread's own id, and the generator runs all the same. */
static __always_inline __u32 next_key(__u64 *state, __u32 nr_keys, __u32 tid)
{
	*state = rng_step(*state);
	return key_of(*state, nr_keys) + tid;
}

/* `c`, `map`, `state`, `nr_keys`, `tid` and `got` as in the callbacks below; the only hash is the important one. */
#define STEP_HASH_GET(j)                                      \
	{                                                     \
		__label__ null, next;                         \
		__u32 key = next_key(&state, nr_keys, tid);   \
		void *value = bpf_map_lookup_elem(map, &key); \
                                                              \
		IF_NULL(value, null);                         \
		goto next;                                    \
null:                                                         \
		count_null(c->io, true);                      \
next:;                                                        \
	}
/* The key is stored as a lookup needs it. */
#define STEP_HASH_EMPTY(j)                                                 \
	{                                                                  \
		__label__ null, next;                                      \
		__u32 key = next_key(&state, nr_keys, tid), *where = &key; \
                                                                           \
		asm volatile("" : : "r"(where) : "memory");                \
		OPAQUE(got);                                               \
		IF_NULL(got, null);                                        \
		goto next;                                                 \
null:                                                                      \
		count_null(c->io, true);                                   \
next:;                                                                     \
	}

static long hash_get(__u32 i, struct hash_walk *c)
{
	void *map = c->map;
	__u64 state = c->io->rng;
	__u32 nr_keys = c->io->nr_keys;
	__u32 tid = c->tid;

	REPEAT_32(STEP_HASH_GET)
	c->io->rng = state;
	return 0;
}

static long hash_empty(__u32 i, struct hash_walk *c)
{
	void *map = c->map;
	__u64 state = c->io->rng;
	__u64 got = c->io->not_null;
	__u32 nr_keys = c->io->nr_keys;
	__u32 tid = c->tid;

	KEEP(map);
	REPEAT_32(STEP_HASH_EMPTY)
	c->io->rng = state;
	return 0;
}

static __always_inline void *hash_at(__u32 number)
{
	return bpf_map_lookup_elem(&outer_hash, &number);
}

/* One hash after another, one lookup a callback: only for rows with several hashes. */
static __always_inline bool cycle_next(struct hash_walk *c, __u32 *ret_number, __u32 *ret_key)
{
	struct lsb_io *io = c->io;
	__u32 pos = io->pos;
	__u64 state = io->rng;

	*ret_number = io->hash_off + pos;
	*ret_key = next_key(&state, io->nr_keys, c->tid);
	io->rng = state;
	io->pos = pos + 1 >= io->nr_hashes ? 0 : pos + 1;
	return pos == 0;
}

static long cycle_get(__u32 i, struct hash_walk *c)
{
	__u32 number, key;
	bool important = cycle_next(c, &number, &key);
	void *map = hash_at(number);

	if (!map)
		c->io->errors++;
	else if (!bpf_map_lookup_elem(map, &key))
		count_null(c->io, important);
	return 0;
}

static long cycle_empty(__u32 i, struct hash_walk *c)
{
	__u32 number, key;
	bool important = cycle_next(c, &number, &key);
	__u32 *where = &key;
	void *map = hash_at(number);
	__u64 got = c->io->not_null;

	asm volatile("" : : "r"(where) : "memory");
	OPAQUE(got);
	if (!map)
		c->io->errors++;
	else if (!got)
		count_null(c->io, important);
	return 0;
}

#define RUN_HASH(name, cb)                                             \
	static __always_inline int name(struct lsb_io *io)             \
	{                                                              \
		struct hash_walk c = { hash_at(io->hash_off), io, 0 }; \
                                                                       \
		if (!c.map) {                                          \
			io->errors++;                                  \
			return 1;                                      \
		}                                                      \
		if (io->key_is_tid)                                    \
			c.tid = io->tid;                               \
		io->pos = 0;                                           \
		return TIMED_LOOPS(io, cb, nothing, &c);               \
	}
RUN_HASH(run_hash_get, hash_get)
RUN_HASH(run_hash_empty, hash_empty)
RUN_HASH(run_cycle_get, cycle_get)
RUN_HASH(run_cycle_empty, cycle_empty)
TIMED(hash_get, LSB_HASH_GET, run_hash_get)
TIMED(hash_empty, LSB_HASH_EMPTY, run_hash_empty)
TIMED(hash_cycle_get, LSB_HASH_CYCLE_GET, run_cycle_get)
TIMED(hash_cycle_empty, LSB_HASH_CYCLE_EMPTY, run_cycle_empty)

/* ---- filler: keys first .. first + count - 1 into hash hash_off; the engine asks for slices of a few ms ---- */

static long fill_one(__u32 i, struct hash_walk *c)
{
	__u32 key = c->io->first + i;

	if (bpf_map_update_elem(c->map, &key, &key, BPF_ANY))
		c->io->errors++;
	return 0;
}

static __always_inline int run_fill(struct lsb_io *io)
{
	struct hash_walk c = { hash_at(io->hash_off), io, 0 };

	if (!c.map)
		return 1;
	return bpf_loop(io->count, fill_one, &c, 0) != io->count;
}
UNTIMED(fill, run_fill)
