/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all programs share: the producers' orders, how a program finds its own, and the frame of a timed run.
 *
 * Nothing here depends on how a program is entered. The body of a run is an inline function, TIMED() makes
 * one program of it for each trigger, and so all triggers run the same instructions between the two clock reads.
 */
#pragma once

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/abi.h"

/* Maps shared by several object files are defined in storage.bpf.c and declared everywhere else. */
#ifdef LSB_OWNS_SHARED_MAPS
#define SHARED
#else
#define SHARED extern
#endif

SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, LSB_PRODUCERS_MAX);
	__type(key, __u32);
	__type(value, struct lsb_io);
} io_map SEC(".maps");

/* Thread id -> producer. Filled by the enter programs: an attached program runs for every caller, this tells ours. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LSB_PRODUCERS_MAX * 4);
	__type(key, __u32);
	__type(value, __u32);
} producers SEC(".maps");

static __always_inline struct lsb_io *io_by_number(__u32 producer)
{
	return bpf_map_lookup_elem(&io_map, &producer);
}

static __always_inline struct lsb_io *io_of_thread(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u32 *producer = bpf_map_lookup_elem(&producers, &tid);

	return producer ? io_by_number(*producer) : 0;
}

static __always_inline void count_null(struct lsb_io *io, bool important)
{
	io->nulls++;
	if (important)
		io->important_nulls++;
}

/* Hides a value from the compiler (not from the verifier): loads stay, tests stay. */
#define OPAQUE(x) asm volatile("" : "+r"(x))
#define KEEP(x) asm volatile("" : : "r"(x))

/*
 * A test whose jump is not taken in the loop: clang puts the code behind the label at the end of the function. With a
 * plain `if` it stays in line behind a taken jump, and 48 of those cost three times as much as all else in the empty
 * loop.
 */
#define IF_NULL(x, label) asm goto("if %0 == 0 goto %l1" : : "r"(x) : : label)
#define IF_AT_MOST(x, n, label) asm goto("if %0 <= %1 goto %l2" : : "r"(x), "i"(n) : : label)

/* step(0) step(1) ... : unrolled by the preprocessor, since clang does not unroll a loop that holds an asm goto. */
#define REPEAT_8(step, at)                                                                                       \
	step((at) + 0) step((at) + 1) step((at) + 2) step((at) + 3) step((at) + 4) step((at) + 5) step((at) + 6) \
		step((at) + 7)
#define REPEAT_32(step) REPEAT_8(step, 0) REPEAT_8(step, 8) REPEAT_8(step, 16) REPEAT_8(step, 24)

/*
 * One program per trigger around `int body(struct lsb_io *io)`, run only when its own order is given. The verifier
 * lets fentry return nothing but 0, so no trigger may rely on the result: io->done tells whether the body ran.
 */
#define TIMED(name, order, body)                          \
	static __always_inline int name##_if_wanted(void) \
	{                                                 \
		struct lsb_io *io = io_of_thread();       \
                                                          \
		if (!io || io->want != (order))           \
			return 0;                         \
		return body(io);                          \
	}                                                 \
	SEC("?raw_tp") int raw_tp_##name(void *ctx)       \
	{                                                 \
		return name##_if_wanted();                \
	}                                                 \
	SEC("?fentry") int fentry_##name(void *ctx)       \
	{                                                 \
		name##_if_wanted();                       \
		return 0;                                 \
	}                                                 \
	SEC("?syscall") int syscall_##name(void *ctx)     \
	{                                                 \
		return name##_if_wanted();                \
	}

/* Untimed programs are entered by BPF_PROG_TEST_RUN only and are told the producer's number as their context. */
#define UNTIMED(name, body)                                      \
	SEC("?raw_tp") int raw_tp_##name(__u64 *ctx)             \
	{                                                        \
		struct lsb_io *io = io_by_number((__u32)ctx[0]); \
                                                                 \
		return io ? body(io) : 1;                        \
	}                                                        \
	SEC("?syscall") int syscall_##name(__u64 *ctx)           \
	{                                                        \
		struct lsb_io *io = io_by_number((__u32)ctx[0]); \
                                                                 \
		return io ? body(io) : 1;                        \
	}

/* The tail of a loop that has none. */
static long nothing(__u32 i, void *c)
{
	return 0;
}

/* Runs `callbacks` times cb and then `tail` times single, between two reads of the clock. */
#define TIMED_LOOPS(io, cb, single, ctx)                                            \
	({                                                                          \
		__u64 _start = bpf_ktime_get_ns();                                  \
		long _done = bpf_loop((io)->callbacks, cb, ctx, 0);                 \
		long _tail = (io)->tail ? bpf_loop((io)->tail, single, ctx, 0) : 0; \
                                                                                    \
		(io)->ns = bpf_ktime_get_ns() - _start;                             \
		(io)->done = (__u64)(_done + _tail);                                \
		_done < 0 || _tail < 0;                                             \
	})
