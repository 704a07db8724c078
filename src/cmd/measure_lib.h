/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the measuring commands (sweep, run) share: their common options, the description of a run, which CPUs may be
 * used, signals, and the notice of another measurement at the same time.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/results.h"
#include "lib/err.h"
#include "lib/options.h"

struct measure {
	const struct engine *engine;
	struct engine_config cfg;
	const char *label; /* "" if none */
	const char *json;  /* results file, NULL: none */
	uint64_t seed;
	int verbose;
	bool quiet;
};

enum measure_key {
	MEASURE_KEY_ENGINE = 0x500,
	MEASURE_KEY_SCRIPT,
	MEASURE_KEY_TRIGGER,
	MEASURE_KEY_LOOP,
	MEASURE_KEY_LABEL,
	MEASURE_KEY_SEED,
	MEASURE_KEY_JSON,
};

/* Rows of an option table, for measure_set(). */
#define MEASURE_OPTIONS(group)                                                                                \
	{ "json", MEASURE_KEY_JSON, "FILE", 0, "keep the results in FILE (JSON Lines)", group },              \
		{ "label", MEASURE_KEY_LABEL, "TEXT", 0, "a name for this run, kept in the results", group }, \
		{ "trigger",                                                                                  \
		  MEASURE_KEY_TRIGGER,                                                                        \
		  "NAME",                                                                                     \
		  0,                                                                                          \
		  "how the kernel is entered: auto, raw_tp, fentry or syscall "                               \
		  "(default auto: the first that works, in this order)",                                      \
		  group },                                                                                    \
		{ "loop",                                                                                     \
		  MEASURE_KEY_LOOP,                                                                           \
		  "NAME",                                                                                     \
		  0,                                                                                          \
		  "form of the timed loop: auto, hoisted, sequence or single "                                \
		  "(default auto: the cheapest that loads)",                                                  \
		  group },                                                                                    \
		{ "seed", MEASURE_KEY_SEED, "N", 0, "seed of the random order of rows (default 1)", group },  \
		{ "engine",                                                                                   \
		  MEASURE_KEY_ENGINE,                                                                         \
		  "NAME",                                                                                     \
		  0,                                                                                          \
		  "what measures: kernel, or fake, which plays a script "                                     \
		  "(default kernel)",                                                                         \
		  group },                                                                                    \
	{                                                                                                     \
		"script", MEASURE_KEY_SCRIPT, "FILE", 0, "what the fake engine plays", group                  \
	}

extern const char *const measure_triggers[], *const measure_loops[]; /* NULL-terminated */

void measure_init(struct measure *m);
/* *ret_mine: the key is one of MEASURE_OPTIONS. 0 or -EINVAL, e set. */
int measure_set(struct measure *m, int key, const char *name, const char *value, bool *ret_mine, struct err *e);
/* After all options: do they go together? */
int measure_check(const struct measure *m, struct err *e);
/* `value` is one of `choices` (NULL-terminated), else ERR_USAGE with the nearest and all of them. */
int measure_choice(const char *name, const char *value, const char *const *choices, struct err *e);

/* Everything in `run` (initialised) that does not depend on rows; the engine is open. -ENOMEM at worst. */
int measure_describe(const struct measure *m, void *state, int argc, char **argv, struct run_info *run, struct err *e);

/* ---- CPUs ---- */

/* CPUs this process may use, ascending; caller frees. */
int measure_allowed_cpus(int **ret_cpus, size_t *ret_n, struct err *e);
/* ERR_USAGE, naming option, the first refused CPU and the allowed ones, unless all of `cpus` may be used. */
int measure_check_cpus(const char *name, const int *cpus, size_t n, struct err *e);
/* "N" or "none" (-1); NULL text: the highest allowed one, which gets the fewest interrupts on most machines. */
int measure_cpu(const char *name, const char *text, int *ret_cpu, struct err *e);

/* ---- signals: SIGINT, SIGTERM and SIGHUP ---- */

enum measure_phase {
	MEASURE_NOTHING_YET, /* a signal ends the program at once (exit 128 + number): nothing is measured yet */
	MEASURE_OPENING,     /* a signal is noted and breaks an open() that waits: EINTR */
	MEASURE_RUNNING,     /* a signal is noted: measure_stop_signal(), measure_stop_fd() */
	MEASURE_PRINTING,    /* everything is kept: end at once, silently */
};
/* Installs the handlers the first time. */
int measure_signals(enum measure_phase phase, struct err *e);
volatile sig_atomic_t *measure_stop_signal(void); /* 0 or the signal's number */
int measure_stop_fd(void);			  /* readable once a signal came */
const char *measure_signal_name(int sig);	  /* "SIGINT" */

/* ---- another measurement on this host at the same time disturbs ours: both are told ---- */

struct measure_neighbours {
	int fd; /* -1: cannot tell */
	bool seen;
};
/* Makes us known (to others with the same engine name); *seen if another one is running now. Never fails. */
void measure_neighbours_open(struct measure_neighbours *n, const char *engine);
/* True if another one was there at any time since the opening. */
bool measure_neighbours_check(struct measure_neighbours *n);
void measure_neighbours_close(struct measure_neighbours *n);
