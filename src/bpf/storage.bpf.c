// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Task storage: the timed loops in three forms, reading the cache slots, the audit pass.
 *
 * The forms do the same gets in the same order and differ in what they do between them. "hoisted" looks the map
 * pointers up once and keeps them on the stack; "sequence" finds the next map in the outer array, which holds the
 * access sequence itself, so that no position needs a modulo; "single" is one get per callback, the plainest
 * that every verifier takes. Bounds are read from memory: a loop that starts from a constant is unrolled by
 * the verifier ("sequence of 8193 jumps is too complex").
 */
#define LSB_OWNS_SHARED_MAPS
#include "bpf/common.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The template of the pool's maps; the real ones are created by the engine. */
struct storage_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64); /* a struct lsb_value; named here, clang would emit a forward declaration only */
};

/* Entry e holds the map seq_pool[e]; the first LSB_POOL_MAX entries are the pool itself. Resized before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, LSB_POOL_MAX);
	__type(key, __u32);
	__array(values, struct storage_map);
} outer_storage SEC(".maps");

__u16 seq_pool[LSB_SEQ_MAX]; /* pool index at each entry */
__u8 slot_of[LSB_POOL_MAX];  /* cache slot of each pool map, LSB_SLOT_UNSEEN if it could not be read */
__u32 visits[LSB_POOL_MAX];  /* what the audit pass counted, by pool map */

_Static_assert(sizeof(struct lsb_value) == sizeof(__u64), "value size of the storage maps");

#define MASK (LSB_SEQ_MAX - 1)

static __always_inline void *pool_map(__u32 index)
{
	return bpf_map_lookup_elem(&outer_storage, &index);
}

static __always_inline struct lsb_value *storage_get(void *map, struct task_struct *task)
{
	return bpf_task_storage_get(map, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* ---- hoisted ---- */

struct hoist {
	void *map[LSB_HOIST];
	struct task_struct *task;
	struct lsb_io *io;
};

/* The first LSB_HOIST_ALWAYS steps run in every callback, each further one only if the sequence is that long. */
#define STEP_GET(j)                                         \
	{                                                   \
		__label__ null, next;                       \
		void *value = storage_get(c->map[j], task); \
                                                            \
		IF_NULL(value, null);                       \
		goto next;                                  \
null:                                                       \
		count_null(c->io, c->map[j] == c->map[0]);  \
next:;                                                      \
	}
#define STEP_EMPTY(j)                                      \
	{                                                  \
		__label__ null, next;                      \
		void *map = c->map[j];                     \
                                                           \
		KEEP(map);                                 \
		OPAQUE(got);                               \
		IF_NULL(got, null);                        \
		goto next;                                 \
null:                                                      \
		count_null(c->io, c->map[j] == c->map[0]); \
next:;                                                     \
	}
#define STEP_GET_IF_LONGER(j)    \
	IF_AT_MOST(len, j, out); \
	STEP_GET(j)
#define STEP_EMPTY_IF_LONGER(j)  \
	IF_AT_MOST(len, j, out); \
	STEP_EMPTY(j)
#define HOISTED_TURN(always, if_longer)                                                                              \
	{                                                                                                            \
		__label__ out;                                                                                       \
		__u64 len = *(volatile __u32 *)&c->io->seq_len;                                                      \
                                                                                                                     \
		REPEAT_8(always, 0)                                                                                  \
		REPEAT_8(always, 8)                                                                                  \
		REPEAT_8(always, 16)                                                                                 \
		always(24) REPEAT_8(if_longer, 25) REPEAT_8(if_longer, 33) if_longer(41) if_longer(42) if_longer(43) \
			if_longer(44) if_longer(45) if_longer(46) if_longer(47) out:;                                \
	}
/*
 * Written out, not a loop, and the length is read again at each turn: what the verifier learned about it at each way
 * out of a turn would make 23 states of every one behind it, and a load of seconds.
 */
#define TURNS(turn) turn turn turn turn

_Static_assert(LSB_HOIST == 48 && LSB_HOIST_ALWAYS == 25 && LSB_HOIST_TURNS == 4,
	       "HOISTED_TURN() is written out for these");

static long hoisted_get(__u32 i, struct hoist *c)
{
	struct task_struct *task = c->task;

	TURNS(HOISTED_TURN(STEP_GET, STEP_GET_IF_LONGER))
	return 0;
}

static long hoisted_empty(__u32 i, struct hoist *c)
{
	struct task_struct *task = c->task;
	__u64 got = c->io->not_null;

	KEEP(task);
	TURNS(HOISTED_TURN(STEP_EMPTY, STEP_EMPTY_IF_LONGER))
	return 0;
}

static __always_inline int hoist(struct lsb_io *io, struct hoist *c)
{
	__u32 off = io->seq_off;

	c->task = bpf_get_current_task_btf();
	c->io = io;
#pragma unroll
	for (int j = 0; j < LSB_HOIST; j++) {
		void *map = pool_map(seq_pool[(off + j) & MASK]);

		if (!map) {
			io->errors++;
			return 1;
		}
		c->map[j] = map;
	}
	return 0;
}

static __always_inline int run_hoisted_get(struct lsb_io *io)
{
	struct hoist c;

	if (hoist(io, &c))
		return 1;
	return TIMED_LOOPS(io, hoisted_get, nothing, &c);
}
static __always_inline int run_hoisted_empty(struct lsb_io *io)
{
	struct hoist c;

	if (hoist(io, &c))
		return 1;
	return TIMED_LOOPS(io, hoisted_empty, nothing, &c);
}
TIMED(hoisted_get, LSB_HOISTED_GET, run_hoisted_get)
TIMED(hoisted_empty, LSB_HOISTED_EMPTY, run_hoisted_empty)

/* ---- sequence and single ---- */

struct walk {
	struct task_struct *task;
	struct lsb_io *io;
};

/* The entry after `pos + step`; the sequence is followed by a copy of its start, so one wrap a callback is enough. */
static __always_inline void advance(struct lsb_io *io, __u32 step)
{
	__u32 pos = io->pos + step;

	if (pos >= io->seq_off + io->seq_len)
		pos -= io->seq_len;
	io->pos = pos;
}

static __always_inline bool is_important(const struct lsb_io *io, __u32 entry)
{
	return seq_pool[entry & MASK] == io->important;
}

/* `pos` is the first entry of this callback; `c`, `task` and `got` as in the callbacks below. */
#define STEP_SEQUENCE_GET(j)                                       \
	{                                                          \
		__label__ absent, null, next;                      \
		void *map = pool_map(pos + (j)), *value;           \
                                                                   \
		IF_NULL(map, absent);                              \
		value = storage_get(map, task);                    \
		IF_NULL(value, null);                              \
		goto next;                                         \
absent:                                                            \
		c->io->errors++;                                   \
		goto next;                                         \
null:                                                              \
		count_null(c->io, is_important(c->io, pos + (j))); \
next:;                                                             \
	}
#define STEP_SEQUENCE_EMPTY(j)                                     \
	{                                                          \
		__label__ absent, null, next;                      \
		void *map = pool_map(pos + (j));                   \
                                                                   \
		IF_NULL(map, absent);                              \
		OPAQUE(got);                                       \
		IF_NULL(got, null);                                \
		goto next;                                         \
absent:                                                            \
		c->io->errors++;                                   \
		goto next;                                         \
null:                                                              \
		count_null(c->io, is_important(c->io, pos + (j))); \
next:;                                                             \
	}

_Static_assert(LSB_UNROLL == 32 && LSB_HASH_UNROLL == 32, "REPEAT_32() is written out for this");

static long sequence_get(__u32 i, struct walk *c)
{
	struct task_struct *task = c->task;
	__u32 pos = c->io->pos;

	REPEAT_32(STEP_SEQUENCE_GET)
	advance(c->io, LSB_UNROLL);
	return 0;
}

static long sequence_empty(__u32 i, struct walk *c)
{
	__u32 pos = c->io->pos;
	__u64 got = c->io->not_null;

	REPEAT_32(STEP_SEQUENCE_EMPTY)
	advance(c->io, LSB_UNROLL);
	return 0;
}

static long single_get(__u32 i, struct walk *c)
{
	struct task_struct *task = c->task;
	__u32 pos = c->io->pos;

	STEP_SEQUENCE_GET(0)
	advance(c->io, 1);
	return 0;
}

static long single_empty(__u32 i, struct walk *c)
{
	__u32 pos = c->io->pos;
	__u64 got = c->io->not_null;

	STEP_SEQUENCE_EMPTY(0)
	advance(c->io, 1);
	return 0;
}

#define RUN_WALK(name, cb, single)                                  \
	static __always_inline int name(struct lsb_io *io)          \
	{                                                           \
		struct walk c = { bpf_get_current_task_btf(), io }; \
                                                                    \
		io->pos = io->seq_off;                              \
		return TIMED_LOOPS(io, cb, single, &c);             \
	}
RUN_WALK(run_sequence_get, sequence_get, single_get)
RUN_WALK(run_sequence_empty, sequence_empty, single_empty)
RUN_WALK(run_single_get, single_get, nothing)
RUN_WALK(run_single_empty, single_empty, nothing)
TIMED(sequence_get, LSB_SEQUENCE_GET, run_sequence_get)
TIMED(sequence_empty, LSB_SEQUENCE_EMPTY, run_sequence_empty)
TIMED(single_get, LSB_SINGLE_GET, run_single_get)
TIMED(single_empty, LSB_SINGLE_EMPTY, run_single_empty)

/* ---- slots, seen ---- */

#define NR_SLOTS (bpf_core_field_size(((struct bpf_local_storage *)0)->cache) / sizeof(void *))

/* The mark of the value that stands in a slot of the task's cache; 0: empty slot, or it cannot be read here. */
static __always_inline __u32 mark_in_slot(struct bpf_local_storage *storage, __u32 slot)
{
	struct bpf_local_storage_data *sdata = 0;
	__u32 mark = 0;

	if (bpf_probe_read_kernel(&sdata, sizeof(sdata),
				  (void *)__builtin_preserve_access_index(&storage->cache) + slot * sizeof(void *)))
		return 0;
	if (!sdata)
		return 0;
	bpf_probe_read_kernel(&mark, sizeof(mark), (void *)__builtin_preserve_access_index(&sdata->data));
	return mark;
}

static __always_inline __u32 find_mark(struct task_struct *task, __u32 mark)
{
	struct bpf_local_storage *storage = BPF_CORE_READ(task, bpf_storage);
	__u32 slots = NR_SLOTS;

	if (storage) {
		for (__u32 k = 0; k < LSB_SLOTS_MAX && k < slots; k++)
			if (mark_in_slot(storage, k) == mark)
				return k;
	}
	return LSB_SLOT_UNSEEN;
}

/* A get that found the per-CPU counter busy (< 7.0) does not fill the slot: so look again a few times. */
static long see_slot(__u32 i, struct walk *c)
{
	__u32 index = c->io->first + i;
	void *map = pool_map(index);
	__u32 slot = LSB_SLOT_UNSEEN;

	if (!map || index >= LSB_POOL_MAX)
		return 1;
	for (int again = 0; again < 3 && slot == LSB_SLOT_UNSEEN; again++) {
		struct lsb_value *v = storage_get(map, c->task);

		if (!v) {
			c->io->nulls++;
			continue;
		}
		v->mark = LSB_MARK + index;
		if (storage_get(map, c->task))
			slot = find_mark(c->task, LSB_MARK + index);
	}
	slot_of[index] = (__u8)slot;
	return 0;
}

static __always_inline int run_see_slots(struct lsb_io *io)
{
	struct walk c = { bpf_get_current_task_btf(), io };

	return bpf_loop(io->count, see_slot, &c, 0) != io->count;
}
UNTIMED(see_slots, run_see_slots)

/* ---- enter: the thread becomes producer `n` and its storage gets the row's elements, map 0 first ---- */

static __always_inline int run_register(struct lsb_io *io)
{
	io->tid = (__u32)bpf_get_current_pid_tgid();
	return bpf_map_update_elem(&producers, &io->tid, &io->number, BPF_ANY) != 0;
}
UNTIMED(register, run_register)

static long touch(__u32 i, struct walk *c)
{
	__u32 index = seq_pool[(c->io->maps_off + i) & MASK];
	void *map = pool_map(index);
	struct lsb_value *v;

	if (!map) {
		c->io->errors++;
		return 0;
	}
	for (int again = 0; again < 3; again++) {
		v = storage_get(map, c->task);
		if (v) {
			v->mark = LSB_MARK + index;
			v->visits = 0;
			return 0;
		}
	}
	c->io->nulls++;
	return 0;
}

static __always_inline int run_touch(struct lsb_io *io)
{
	struct walk c = { bpf_get_current_task_btf(), io };

	return bpf_loop(io->nr_maps, touch, &c, 0) != io->nr_maps;
}
UNTIMED(touch, run_touch)

/* ---- audit: the same sequence, looking into the slot before each get ---- */

static long audit_one(__u32 i, struct walk *c)
{
	struct task_struct *task = c->task;
	__u32 entry = c->io->pos;
	__u32 index = seq_pool[entry & MASK];
	struct bpf_local_storage *storage = BPF_CORE_READ(task, bpf_storage);
	void *map = pool_map(index);
	struct lsb_value *v;
	__u32 slot;

	if (!map || index >= LSB_POOL_MAX) {
		c->io->errors++;
		return 0;
	}
	slot = slot_of[index];
	c->io->gets++;
	if (!storage || slot >= LSB_SLOTS_MAX || mark_in_slot(storage, slot) != LSB_MARK + index)
		c->io->misses++;
	v = storage_get(map, task);
	if (v)
		v->visits++;
	else
		count_null(c->io, is_important(c->io, entry));
	advance(c->io, 1);
	return 0;
}

static __always_inline int run_audit(struct lsb_io *io)
{
	struct walk c = { bpf_get_current_task_btf(), io };

	io->pos = io->seq_off;
	return bpf_loop(io->count, audit_one, &c, 0) != io->count;
}
UNTIMED(audit, run_audit)

static long collect(__u32 i, struct walk *c)
{
	__u32 index = seq_pool[(c->io->maps_off + i) & MASK];
	void *map = pool_map(index);
	struct lsb_value *v;

	if (!map || index >= LSB_POOL_MAX)
		return 1;
	v = bpf_task_storage_get(map, c->task, 0, 0);
	visits[index] = v ? v->visits : 0;
	return 0;
}

static __always_inline int run_collect(struct lsb_io *io)
{
	struct walk c = { bpf_get_current_task_btf(), io };
	long done = bpf_loop(io->nr_maps, collect, &c, 0);

	return done != io->nr_maps;
}
UNTIMED(collect, run_collect)

/* Slots that hold a value without our mark: storage that other programs keep on this thread. */
static __always_inline int run_look_foreign(struct lsb_io *io)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_local_storage *storage = BPF_CORE_READ(task, bpf_storage);
	__u32 slots = NR_SLOTS;

	io->foreign = 0;
	if (!storage)
		return 0;
	for (__u32 k = 0; k < LSB_SLOTS_MAX && k < slots; k++) {
		__u32 mark = mark_in_slot(storage, k);

		if (mark && mark - LSB_MARK >= LSB_POOL_MAX)
			io->foreign++;
	}
	return 0;
}
UNTIMED(look_foreign, run_look_foreign)
