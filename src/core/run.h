/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler of a sweep: rounds of one trial over every open row in a seeded random order, looks at
 * 7, 10, 13 ... trials (statistics A), extra rows that bisect the cliff (statistics D18), a budget, and
 * a stop by signal that keeps everything measured.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/results.h"
#include "core/engine.h"
#include "lib/err.h"

struct run_options {
	double precision;   /* half-width / median at which a row is done, 0.02 */
	uint64_t budget_ns; /* no new round after it, or one that would overrun it by more than half of the round; 0:
			     * none. Every row gets its trials_min trials all the same. */
	int trials_min, trials_max; /* 7, 31 */
	uint64_t seed;
	int cpu;	 /* -1: not pinned */
	uint64_t row_ns; /* time a row gets in a trial */
	bool refine;	 /* add rows until the slot bracket is adjacent */
	bool keep_batches;
	volatile sig_atomic_t *stop_signal; /* set by the caller's handler; 0: go on. */
	uint64_t hang_ns; /* a child that sends nothing for so long is killed; 0: 30 s + 100 x row_ns */
	int stop_fd;	  /* readable when a signal came (self-pipe or signalfd), -1: none */
};

/* What a caller is told while it runs; any may be NULL. Called in the parent, between records. */
struct run_events {
	void *arg;
	void (*setup)(void *arg, int trial, const struct session_setup *s);
	void (*row_begin)(void *arg, int trial, int row);
	/* A repetition was added to res->rows[row]; batch lines came before it. Return != 0: cannot be kept, stop. */
	int (*rep)(void *arg, const struct results *res, int row, const struct rep *rep, struct err *e);
	int (*batch)(void *arg, const struct results *res, int row, int trial, uint32_t batch, double gross,
		     double overhead, struct err *e);
	/* A round ended: rounds done, open rows, seconds used, estimated seconds left (NAN unknown). */
	void (*round)(void *arg, int rounds, int open_rows, double used_s, double left_s);
	/* A row is finished: summary, warnings, outcome are final. */
	int (*row_end)(void *arg, const struct results *res, int row, struct err *e);
};

/*
 * Runs the plan in `res` (rows with their points resolved by the engine; rows not OUTCOME_OK are left alone),
 * adds repetitions, refined rows, warnings, summaries. row_end is called for rows that were open at the start or were
 * added, and not after a signal or an error. The caller has no other threads (children are forked). Returns 0 also when
 * single rows failed (their outcome says so); -EINTR after a signal (e not set; results are summarized); else -errno
 * with e.
 */
int run_sweep(const struct run_options *opt, const struct engine *eng, void *state, struct results *res,
	      const struct run_events *ev, struct err *e);
/* Seconds the plan is expected to take: rounds x (set-up + rows x row time), and at most. */
void run_expect(const struct run_options *opt, const struct results *res, double *ret_typical_s, double *ret_max_s);
/* The exit status (README) that the outcomes of the rows mean: 0 or 1. */
int run_exit_status(const struct results *res);
