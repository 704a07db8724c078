/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the scheduler only: run.c (rounds) and run_*.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/run.h"
#include "core/trial.h"

#define RUN_ROW_KILLS_MAX 3	 /* a row that so many children died of is failed */
#define RUN_TRIAL_FAILURES_MAX 3 /* so many trials one after another without a set-up fail the run */
#define RUN_REFINE_MAX 5	 /* extra rows (statistics D18) */
#define RUN_POOL_MAPS 10	 /* seq-get rows up to here are what the others are compared with (D18) */

/* What the scheduler knows of a row beyond its results. */
struct row_track {
	bool open;	   /* takes part in rounds */
	int attempts;	   /* rounds it took part in, whatever came of them */
	int kills;	   /* children that died of it */
	int preempted;	   /* repetitions that others interrupted for more than 1 % of their time */
	int slots_unseen;  /* repetitions whose slots could not be read */
	int audit_differs; /* repetitions whose audited misses are not the expected ones */
	uint64_t audit_gets, audit_misses;
};

struct run {
	const struct run_options *opt;
	const struct engine *eng;
	void *state;
	struct results *res;
	const struct run_events *ev;
	struct err *e;
	struct row_track *rows; /* owned, one for each row of res */
	int cap_rows;
	double started_s; /* CLOCK_MONOTONIC */
	int trial;	  /* number of the next trial */
	int rounds;	  /* done */
	int failures;	  /* trials in a row that failed as a whole */
	bool set_up_once; /* a set-up has worked */
	/* Set-up times of all trials, for their medians. */
	double *storage_ms, *hash_ms; /* owned */
	int nr_setups, cap_setups;
	/* For estimates. */
	double last_setup_s, row_sum_s;
	int row_n;
	bool refining;
	int refine_steps;
};

/* run_child.c: one trial of the rows order[0..n). 0; 1 if the trial failed as a whole (a warning says why); -EINTR;
 * -errno, e set. */
int run_trial(struct run *r, int *order, int n);
bool run_stopped(const struct run *r);
double run_now_s(void);
/* "local-storage-cache-seq-get nr_maps=16"; buf is returned. */
const char *run_row_name(const struct row *row, char *buf, int size);

/* run.c: the row takes part in no more rounds; its summary, warnings and outcome are final. */
int run_close_row(struct run *r, int row, enum stopped_by by);
/* Room for the tracks of all rows of res. */
int run_grow_tracks(struct run *r);
/* A repetition arrived. */
int run_take_rep(struct run *r, const struct record *rec);

/* run_schedule.c */
int run_open_rows(const struct run *r, int *ret_order); /* ret_order may be NULL */
void run_shuffle(const struct run *r, int *order, int n);
/* STOPPED_NOT: the row stays open. */
enum stopped_by run_row_stop(const struct run *r, int row);
/* Would another round go beyond the budget? */
bool run_budget_over(const struct run *r, int open_rows);
double run_round_s(const struct run *r, int open_rows);
double run_left_s(const struct run *r);

/* run_refine.c: after a round, adds a row if the bracket needs one; clears r->refining when it is done. */
int run_refine(struct run *r);
bool run_is_seq_row(const struct row *row);

/* run_warnings.c */
void run_judge_rep(struct run *r, const struct record *rec);
void run_judge_row(const struct run *r, int row);
void run_judge_run(struct run *r);
