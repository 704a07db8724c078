/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of the kernel engine: maps, programs and the orders in their shared memory. Private to engine/kernel*.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "engine/kernel_layout.h"

struct lsbench; /* the skeleton */

enum kernel_trigger { TRIGGER_RAW_TP, TRIGGER_FENTRY, TRIGGER_SYSCALL, TRIGGER_NR };
extern const char *const trigger_names[TRIGGER_NR + 1];
int trigger_find(const char *name); /* -1: no such trigger */

enum outer_fill { FILL_UNKNOWN, FILL_BATCH, FILL_THREADS };

struct session_options {
	enum kernel_trigger trigger;
	enum outer_fill fill;
	uint32_t nr_slots; /* from BTF, which takes a while to parse; 0: not known yet, or BTF lacks it */
	uint32_t spare;	   /* maps beyond the largest row's, to choose slots from */
	uint64_t max_ops;
	int verbose;
	uint32_t producers;
};

/* Two instances of one object: storage and hash. Each creates its own outer map only, never both. */
struct half {
	struct lsbench *skel; /* NULL: no row needs it */
	struct lsb_io *io;    /* mmapped io_map, LSB_PRODUCERS_MAX of them */
	int prog[LOOP_NR][2]; /* fds of the timed programs, [form][empty]; -1 */
	int prog_register, prog_touch, prog_audit, prog_collect, prog_foreign, prog_fill, prog_slots;
	struct bpf_link *links[LOOP_NR * 2];
	int nr_links;
};

struct session {
	struct session_options opt;
	struct layout layout;
	struct half half[2];		      /* HALF_STORAGE, HALF_HASH */
	int *pool_fds;			      /* owned; nr_pool of them */
	int *hash_fds;			      /* owned; layout.nr_hashes of them, -1 if not created */
	__u32 pool_key_type, pool_value_type; /* BTF ids; libbpf frees the template they come from at load */
	uint32_t nr_slots;
	bool slots_seen;
	char slots_reason[256];
	uint64_t rng[LSB_PRODUCERS_MAX][2]; /* key streams of the gross and the empty loop: the same keys */
	char *verifier_log;
};
enum { HALF_STORAGE, HALF_HASH };

static inline struct half *session_half(struct session *s, int row)
{
	return &s->half[s->layout.rows[row].bench->family == BENCH_HASH ? HALF_HASH : HALF_STORAGE];
}

/* kernel_session.c */
int kernel_session_open(const struct session_options *opt, const struct results *res, const bool *want,
			struct session **ret, struct session_setup *ret_setup, struct err *e);
void kernel_session_close(struct session *s);
/* Refuses (ERR_MACHINE) before anything is created: open files, memory. Raises the soft open-file limit. */
int kernel_check_limits(const struct layout *l, uint32_t producers, struct err *e);

/* kernel_storage.c, kernel_hash.c: the set-up of either half */
int kernel_storage_fill(struct session *s, struct session_setup *setup, struct err *e);
/* Makes the first hash before the object is loaded: tells whether BPF_F_ZERO_SEED is allowed. */
int kernel_hash_create(struct session *s, struct session_setup *setup, struct err *e);
int kernel_hash_fill(struct session *s, struct session_setup *setup, struct err *e);

/* kernel_run.c */
/* Runs an untimed program for producer `number`; its return value must be 0. */
int kernel_run_untimed(int prog_fd, uint32_t number, const char *what, struct err *e);
void kernel_row_slots(struct session *s, int row, struct row_slots *ret);
int kernel_enter(struct session *s, int row, uint32_t producer, struct err *e);
int kernel_batch(struct session *s, int row, uint32_t producer, bool empty, struct batch *ret, struct err *e);
int kernel_audit(struct session *s, int row, uint32_t producer, struct audit *ret, struct err *e);
void kernel_leave(struct session *s, int row, uint32_t producer, bool *ret_evicted);

/* Monotonic milliseconds. */
double kernel_now_ms(void);
