/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs in the kernel and the engine in user space both see: the only place where a shared number
 * stands.
 */
#pragma once

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define LSB_POOL_MAX 1064     /* storage maps of a session: 1000 + 64 spare ones to choose slots from */
#define LSB_SEQ_MAX (1 << 21) /* entries of the access sequences of all rows; a power of two (index mask) */
#define LSB_HOIST 48	      /* map pointers kept on the BPF stack (384 of its 512 bytes) */
#define LSB_HOIST_ALWAYS 25   /* so many of them are used by every callback without a length check */
#define LSB_HOIST_TURNS 4     /* times a callback goes through them: a call and a return cost up to 10 ns (safe RET) */
#define LSB_UNROLL 32	      /* gets of one callback of the sequence form */
#define LSB_HASH_UNROLL 32    /* lookups of one callback of the hash loop */
#define LSB_OTHER_FILES 48    /* open files beside the maps: programs, other maps, BTF, links, stdio, pipes */
#define LSB_PRODUCERS_MAX 64
#define LSB_HASHES_MAX 1024
#define LSB_SLOT_UNSEEN 255
#define LSB_SLOTS_MAX 64
#define LSB_MARK 0x6c730000u /* + pool index: what our values carry so that they are known again in a slot */

/* The value of every storage map of ours. */
struct lsb_value {
	__u32 mark;
	__u32 visits; /* counted by the audit pass only */
};

/* Which timed program shall run: fentry programs of both twins are attached to one function. */
enum lsb_want {
	LSB_NOTHING,
	LSB_HOISTED_GET,
	LSB_HOISTED_EMPTY,
	LSB_SEQUENCE_GET,
	LSB_SEQUENCE_EMPTY,
	LSB_SINGLE_GET,
	LSB_SINGLE_EMPTY,
	LSB_HASH_GET,
	LSB_HASH_EMPTY,
	LSB_HASH_CYCLE_GET,
	LSB_HASH_CYCLE_EMPTY,
};

/*
 * One producer's order and answer, in an mmapable array. What changes while a loop runs (pos, rng, counters)
 * lives here and not in the bpf_loop context on the stack: there the verifier would follow every value of it and
 * give up ("Processed 1000001 insn", 6.1 and 7.2).
 */
struct lsb_io {
	/* the order */
	__u32 want;
	__u32 callbacks; /* unrolled callbacks */
	__u32 tail;	 /* single operations after them, so that a batch is whole rounds */
	__u32 seq_off;	 /* first entry of the access sequence */
	__u32 seq_len;	 /* its length: one round, or several where a callback needs more than one */
	__u32 maps_off;	 /* first entry of the list of the row's maps */
	__u32 nr_maps;
	__u32 important; /* pool index of map 0, or hash number of hash 0 */
	__u32 nr_keys;
	__u32 hash_off; /* first hash in the outer array */
	__u32 nr_hashes;
	__u32 key_is_tid;
	__u32 first, count; /* ranges for set-up programs */
	__u32 number;	    /* of this producer */
	__u64 not_null;	    /* always 1: what the empty twin tests in place of a get's result */
	/* state and answer */
	__u64 rng;
	__u32 pos;
	__u32 tid;  /* the producer's thread id as the kernel numbers it (pid namespaces differ) */
	__u64 done; /* callbacks and single operations that ran */
	__u64 ns;
	__u64 nulls;
	__u64 important_nulls;
	__u64 errors;
	__u64 gets, misses; /* audit */
	__u64 foreign;	    /* slots that hold a value that is not ours */
} __attribute__((aligned(128)));
