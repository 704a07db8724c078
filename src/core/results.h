/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run's results in memory: what the results file (docs/results.md) holds, as plain values. `sweep` fills
 * it while measuring, the reader (core/results_json.h) fills it from a file; report and compare see only this.
 *
 * Units: gross, overhead and net are in `unit` per operation ("ns" or "insn"). Summaries are always recomputed
 * from the repetitions (results_summarize), never trusted from a file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/point.h"

#define SLOTS_MAX 64
#define ROW_WARNINGS_MAX 16

/* One repetition (trial) of one row: the raw observation. NAN where a figure is not known. */
struct rep {
	int trial;	  /* which trial, from 0 */
	double t;	  /* seconds since the run started */
	int cpu;	  /* the CPU the thread was pinned to, -1 if not */
	double ghz;	  /* core clock beside this repetition; NAN if not measured */
	double gross;	  /* median over the batches of this repetition, per operation */
	double overhead;  /* of the empty twin, likewise */
	uint64_t batches; /* pairs of gross and empty batches */
	long nivcsw;	  /* involuntary context switches inside the windows' thread */
	double steal;	  /* share of the time the hypervisor gave to others, 0..1 */
	bool evicted;	  /* after the thread a slot held something that is not ours */
	double setup_ms;  /* set-up of this row in this trial */
	struct counters counters;
};

struct summary {
	bool known;    /* false: no repetition at all */
	bool interval; /* false: lo and hi unknown (n < 6) */
	double mid;    /* the median; in exact counts (unit insn) the minimum */
	double lo, hi; /* "95 %", statistics A */
	int n;	       /* repetitions */
};

enum outcome { OUTCOME_OK, OUTCOME_UNSUPPORTED, OUTCOME_INVALID, OUTCOME_FAILED };
enum stopped_by { STOPPED_NOT, STOPPED_PRECISION, STOPPED_BUDGET, STOPPED_TRIALS };

/* Which cache slots the maps of a row have, and what follows from it. */
struct row_slots {
	bool seen;		   /* the slots were read from the kernel (else creation order is assumed) */
	int n;			   /* number of cache slots */
	uint32_t used[SLOTS_MAX];  /* how many of the row's maps sit in each slot */
	double miss_share;	   /* expected from the slots, by simulation; NAN for a hash */
	double miss_share_audited; /* counted by the audit pass; NAN if it could not be */
};

struct row {
	struct point point;
	int order; /* position in the plan: rows end in any order, readers put them back */
	enum outcome outcome;
	char reason[512]; /* why not ok; "" if ok */
	int nr_warnings;
	char warnings[ROW_WARNINGS_MAX][32]; /* names, docs/results.md lists them */
	enum stopped_by stopped_by;
	struct row_slots slots;
	double setup_ms;	  /* median over trials; NAN if unknown */
	struct counters counters; /* summed over repetitions */
	struct rep *reps;	  /* owned, nr_reps of them in the order they ran */
	int nr_reps;
	int cap_reps;
	struct summary gross, overhead, net;
};

struct run_info {
	char tool[64];	  /* "lsbench 0.1.0" */
	char **argv;	  /* owned, NULL-terminated; may be NULL */
	char started[40]; /* RFC 3339 */
	char engine[16];  /* kernel | model | fake */
	char accel[16];	  /* native | kvm | tcg | icount */
	char unit[8];	  /* ns | insn */
	uint64_t seed;
	char boot[64];
	char label[128];
	struct machine machine;
	char trigger_why_not[512];		 /* why other triggers were not taken; "" if the first was */
	char version[64], libbpf[32], clang[64]; /* "build" */
	int nr_warnings;
	char warnings[ROW_WARNINGS_MAX]
		     [320]; /* of the whole run: drift, frequency scaling, ... : sentences with advice */
	double setup_storage_ms,
		setup_hash_ms; /* median over trials: maps created, filled in, slots read; hash filled. NAN unknown */
};

struct results {
	struct run_info run;
	struct row *rows; /* owned */
	int nr_rows;
	int cap_rows;
	bool partial;	 /* read from a file without an end line */
	int exit_status; /* of the end line */
};

void results_init(struct results *r); /* nothing known: NAN and -1 where these mean unknown */
void results_free(struct results *r); /* frees what it owns, not r itself; NULL is fine */
/* A new row, zeroed (NAN where that means unknown), at the end; NULL if memory is out. Pointers to earlier rows become
 * invalid. */
struct row *results_add_row(struct results *r);
/* 0 or -ENOMEM. Adds the counters to the row's. */
int row_add_rep(struct row *row, const struct rep *rep);
/* Adds a warning name once; does nothing when ROW_WARNINGS_MAX are there. */
void row_warn(struct row *row, const char *name);
bool row_has_warning(const struct row *row, const char *name);
/* Adds a sentence once; the last place is kept for saying that there were more. */
void run_warn(struct run_info *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* gross, overhead and net of one row / of all rows, from its repetitions (statistics A). unit_insn: exact counts.
 * Also setup_ms, where the repetitions know it. */
void row_summarize(struct row *row, bool unit_insn);
void results_summarize(struct results *r);
bool results_unit_is_insn(const struct results *r);

const char *outcome_name(enum outcome o);
/* False: no such name. */
bool outcome_from_name(const char *name, enum outcome *ret);
bool stopped_by_from_name(const char *name, enum stopped_by *ret); /* "" is STOPPED_NOT */
const char *stopped_by_name(enum stopped_by s);			   /* "" for STOPPED_NOT */
