/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `lsbench run` measures: producers that run one row without a pause while a clock ticks, as the kernel's bench
 * does. One look at a time of one process, with no interval: a sweep says how far figures can be trusted, this one does
 * not.
 *
 * A producer's rate in a second is what it counted from its last batch before the tick that began the second to its
 * last batch before the tick that ended it, divided by the time between these two moments: the real length, to the
 * batch.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/results.h"
#include "lib/err.h"

/* ---- numbers in, numbers out ---- */

/* What a producer has done so far and when it last said so (CLOCK_MONOTONIC). */
struct live_sample {
	uint64_t at_ns;
	uint64_t batches;
	uint64_t ns; /* inside the timed loop */
	struct counters counters;
};

/* Millions a second; 0 if no time passed, that is if no batch ended. */
double live_rate(uint64_t events_before, uint64_t events_after, uint64_t before_ns, uint64_t after_ns);

struct live_stat {
	int n;
	double mean, sum_sq; /* sum_sq: of the deviations from the mean */
};
void live_stat_add(struct live_stat *s, double x);
/* Sample standard deviation; 0 for fewer than two values. */
double live_stat_sd(const struct live_stat *s);

/* ---- measuring ---- */

struct live_options {
	uint32_t producers;
	const int *cpus;	   /* one for each producer; NULL: not pinned */
	uint32_t warmup, duration; /* ticks; one more than both together is run, those after the warm-up are counted */
	uint64_t tick_ns;	   /* a second, but for tests */
	uint64_t grace_ns;	   /* how long producers may take to stop before they count as hung */
	const volatile sig_atomic_t *stop_signal; /* set by the caller's handler; NULL or 0: go on */
	int stop_fd;				  /* readable once a signal came; -1: none */
};

struct live_tick {
	int iter;		    /* from 0 */
	bool counted;		    /* the warm-up is over */
	double late_us;		    /* length of the interval less one tick */
	double hits_m, important_m; /* M/s, all producers together */
};

/* Called in the caller's thread; either may be NULL. */
struct live_events {
	void *arg;
	void (*started)(void *arg); /* every producer has its storage and begins */
	void (*tick)(void *arg, const struct live_tick *tick);
};

struct live_producer {
	int cpu; /* -1: not pinned */
	struct live_stat hits_m, important_m;
};

struct live_result {
	struct live_stat hits_m, important_m; /* over the counted ticks, all producers together */
	uint32_t nr_producers;
	struct live_producer *producers; /* owned */
	/* The counted time as one repetition: gross from the batches' own time (NAN without hits), overhead from a few
	 * empty batches before the start. No batch counted: rep.batches is 0. */
	struct rep rep;
	struct row_slots slots;
	struct audit audit;   /* of the first producer */
	enum outcome outcome; /* OUTCOME_INVALID: the audit contradicts the figures, `reason` says how */
	char reason[256];
};

/*
 * 0; -EINTR if a signal ended it (ret is filled with what was counted until then, e is not set); else -errno with e:
 * -EBADMSG if the counters of a batch do not add up, -ETIMEDOUT if a producer does not come back from the engine: it
 * still uses the session then, which must not be closed.
 */
int live_run(const struct engine *eng, struct session *session, int row, const struct live_options *opt,
	     const struct live_events *ev, struct live_result *ret, struct err *e);
void live_result_free(struct live_result *r); /* frees what it owns */

/* ---- the lines that scripts for the kernel's bench parse, without a newline; buf is returned ---- */

const char *live_iter_line(char *buf, size_t size, const struct live_tick *t);
const char *live_summary_line(char *buf, size_t size, const struct live_result *r);
/* Lines of ours; none of them can be taken for one of those. */
const char *live_producer_line(char *buf, size_t size, uint32_t number, const struct live_producer *p);
const char *live_nulls_line(char *buf, size_t size, const struct counters *c); /* "" if there were none */
