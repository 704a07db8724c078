/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What measures: the kernel, or a script (fake), later a model. Sampling is the same for all of them and lives
 * in core/trial.c; an engine only opens a session (maps, programs) and runs one batch at a time.
 *
 * Order of calls. In the long-lived parent: open, machine, resolve (which really tries, in throw-away children);
 * it holds no map and no program afterwards. In a trial's child: session_open once, then per row a new thread
 * calls enter, batch ..., audit, leave; session_close at the end. With several producers each is a thread of
 * its own with its own number; only batch is called concurrently, with different producers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/results.h"
#include "lib/err.h"

struct engine_config {
	const char *script;	/* fake: path of the script, else NULL */
	const char *trigger;	/* "auto", "raw_tp", "fentry", "syscall" */
	const char *loop;	/* "auto", "hoisted", "sequence", "single" */
	int verbose;		/* >= 1: verifier logs go into error messages */
	uint32_t producers;	/* >= 1 */
	uint64_t max_ops_batch; /* 0: the engine's choice; else about so many operations a batch (--dry smoke runs) */
};

/* Once per session, in ms; NAN if there was no such step. */
struct session_setup {
	double storage_ms; /* maps created, outer array filled, slots read */
	double hash_ms;	   /* hash created and filled */
	double load_ms;	   /* programs loaded */
	char fill[64];	   /* how the outer array was filled: "batch", "threads" ... */
	bool random_seed;  /* BPF_F_ZERO_SEED was refused */
	bool slots_seen;   /* slots were read (else creation order is assumed, and why in slots_reason) */
	char slots_reason[256];
};

struct batch {
	uint64_t ns;		  /* the timed loop inside the program, this run only */
	struct counters counters; /* of this run */
};

struct audit {
	bool done; /* false: could not read the slots here; reason says why */
	char reason[128];
	uint64_t gets, misses; /* one or more whole rounds in the steady state */
	bool visits_match;     /* every map was visited exactly as often as the sequence says */
	char mismatch[128];    /* if not: which, counted and expected */
};

struct session; /* the engine's own */

struct engine {
	const char *name; /* "kernel", "fake" */
	int (*open)(const struct engine_config *cfg, void **ret_state, struct err *e);
	void (*close)(void *state);
	/* Fills slots, inlined_hit, foreign, jit of the machine and run->libbpf, accel. Unknown stays unknown. */
	void (*describe)(void *state, struct run_info *run);
	/* Chooses trigger and loop of every row by trying; rows that cannot be are set to OUTCOME_UNSUPPORTED with a
	 * reason. run->trigger_why_not is filled. Fails only if nothing at all can be measured (ERR_MACHINE). */
	int (*resolve)(void *state, struct results *res, struct err *e);
	/* Rows whose want[i] is set will be measured. A failure concerns the whole trial. */
	int (*session_open)(void *state, const struct results *res, const bool *want, int trial, struct session **ret,
			    struct session_setup *ret_setup, struct err *e);
	void (*session_close)(struct session *s);
	/* Slots of the row's maps and the expected miss share (for a hash: n = 0). */
	void (*row_slots)(struct session *s, int row, struct row_slots *ret);
	int (*enter)(struct session *s, int row, uint32_t producer, struct err *e);
	int (*batch)(struct session *s, int row, uint32_t producer, bool empty, struct batch *ret, struct err *e);
	int (*audit)(struct session *s, int row, uint32_t producer, struct audit *ret, struct err *e);
	/* *ret_evicted: a slot holds storage of another program (best effort). */
	void (*leave)(struct session *s, int row, uint32_t producer, bool *ret_evicted);
};

extern const struct engine engine_kernel, engine_fake;
/* NULL if there is no such engine. */
const struct engine *engine_find(const char *name);
extern const char *const engine_names[]; /* NULL-terminated */
