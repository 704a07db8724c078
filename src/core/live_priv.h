/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the threads of a live run: gates where all wait for the main one, boards that say what is done, and what they
 * share. Private to core/live*.c.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/live.h"

struct live_gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t arrived;
	bool open;
};

void live_gate_init(struct live_gate *g);
void live_gate_destroy(struct live_gate *g);
/* A producer: says that it is there and waits until the gate is open. */
void live_gate_pass(struct live_gate *g);
/* The main thread: true if n are there, at the latest after `ms` milliseconds. */
bool live_gate_wait(struct live_gate *g, uint32_t n, int ms);
void live_gate_open(struct live_gate *g);

/*
 * One writer, one reader that must see all figures of one moment: a sequence counter, odd while being written. The
 * writer never waits.
 */
#define LIVE_BOARD_WORDS (sizeof(struct live_sample) / sizeof(uint64_t))
struct live_board {
	atomic_uint sequence;
	_Atomic uint64_t words[LIVE_BOARD_WORDS];
};

void live_board_write(struct live_board *b, const struct live_sample *s);
void live_board_read(struct live_board *b, struct live_sample *ret);

struct live;

/* Own cache lines: what one producer writes must not slow the next one down. */
struct producer {
	struct live *live;
	uint32_t number;
	pthread_t thread;
	struct live_board board;
	/* the thread's own until it is joined */
	struct err err;
	bool entered, evicted;
	double enter_ms, overhead, ghz;
	long nivcsw;
} __attribute__((aligned(128)));

/* Where a producer stood at a tick. */
struct marks {
	struct live_sample last, counted; /* counted: at the end of the warm-up */
};

struct live {
	const struct engine *eng;
	struct session *session;
	int row;
	struct live_options opt;
	int *cpus;		    /* owned copy; NULL: not pinned */
	struct producer *producers; /* owned */
	struct marks *marks;	    /* owned */
	uint32_t nr;		    /* threads that were started */
	pthread_mutex_t engine_lock;
	struct live_gate start, end;
	atomic_bool stop;
	int wake_fd; /* a producer failed */
	struct live_stat hits_m, important_m;
	struct live_producer *results; /* owned until handed over */
	struct audit audit;	       /* of the first producer */
	struct row_slots slots;
	uint64_t counted_from_ns, began_ns;
	uint64_t steal, total; /* ticks of the CPU, when counting began */
	bool steal_known;
};

/* The CPU of a producer, -1: not pinned. */
static inline int live_cpu(const struct live *l, uint32_t number)
{
	return l->cpus ? l->cpus[number] : -1;
}

/* CLOCK_MONOTONIC */
uint64_t live_now_ns(void);
/* A producer's thread; arg is its struct producer. */
void *live_producer_thread(void *arg);
