/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trial: a fresh child process with its own maps and hash, one new thread (a task with empty storage) per
 * row. The child sends fixed-size records through a pipe; whatever happens to it, the parent keeps what arrived.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/results.h"
#include "core/engine.h"
#include "lib/err.h"

struct trial_options {
	int cpu;	   /* pin to it; -1: do not pin */
	uint64_t row_ns;   /* time for the batches of one row, gross and empty together (default 80 ms) */
	bool keep_batches; /* send every batch, too */
	double started_s;  /* CLOCK_MONOTONIC seconds of the run's start, for rep.t */
};

enum record_kind { REC_SETUP, REC_ROW, REC_REP, REC_BATCH, REC_ROW_ERR, REC_TRIAL_ERR, REC_DONE };

struct record {
	enum record_kind kind;
	int row;
	enum outcome outcome; /* REC_ROW_ERR: failed, or invalid (counters that do not add up) */
	union {
		struct session_setup setup; /* REC_SETUP */
		struct {		    /* REC_REP */
			struct rep rep;
			struct row_slots slots;
			struct audit audit;
			bool preempted_much; /* others ran instead of us for more than 1 % of the row's time */
		} rep;
		struct { /* REC_BATCH */
			uint32_t batch;
			double gross, overhead; /* per operation */
		} batch;
		struct err err; /* REC_ROW_ERR, REC_TRIAL_ERR */
	};
};

/* In the child: runs the rows order[0..n) and writes records to fd. Never returns. */
_Noreturn void trial_child(const struct engine *eng, void *state, const struct results *res, const int *order, int n,
			   int trial, const struct trial_options *opt, int fd);
/* Core clock in GHz by a loop of dependent additions (one cycle each), about 1 ms; NAN if it makes no sense. */
double trial_core_ghz(void);
