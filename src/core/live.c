// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The producers of a live run and the clock beside them; see live.h.
 *
 * Not obvious: of the engine's calls only batch() may run in several threads at once, so producers enter one by one,
 * wait for each other at a gate, run, wait at a second gate, and leave one by one. Both gates are opened by the main
 * thread, which never waits longer than the grace time for a producer once it is told to stop: one that hangs inside
 * the kernel is left behind, with everything it may still touch.
 */
#include "core/live.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/live_priv.h"
#include "lib/cleanup.h"

static bool stopped(const struct live *l)
{
	return l->opt.stop_signal && *l->opt.stop_signal;
}

static bool any_failed(const struct live *l)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (err_is_set(&l->producers[i].err))
			return true;
	return false;
}

/* 0 when the time has come, -EINTR after a signal, -ECANCELED if a producer failed. */
static int wait_until(const struct live *l, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = l->opt.stop_fd, .events = POLLIN },
			{ .fd = l->wake_fd, .events = POLLIN },
		};
		uint64_t now = live_now_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec t = { .tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u) };
		int n = ppoll(fds, 2, &t, NULL);

		if (stopped(l) || (n > 0 && fds[0].revents))
			return -EINTR;
		if (n > 0 && fds[1].revents)
			return -ECANCELED;
		if (live_now_ns() >= deadline_ns)
			return 0;
	}
}

static void read_steal(struct live *l, uint64_t *ret_steal, uint64_t *ret_total, bool *ret_known)
{
	*ret_known = l->opt.producers == 1 && live_cpu(l, 0) >= 0 &&
		     machine_steal_ticks("", live_cpu(l, 0), ret_steal, ret_total);
}

/* The board of every producer, once. counted: into the statistics. */
static void take_tick(struct live *l, bool counted, struct live_tick *t)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		struct live_sample *last = &l->marks[i].last, now;
		double hits_m, important_m;

		live_board_read(&l->producers[i].board, &now);
		hits_m = live_rate(last->counters.hits, now.counters.hits, last->at_ns, now.at_ns);
		important_m =
			live_rate(last->counters.important_hits, now.counters.important_hits, last->at_ns, now.at_ns);
		*last = now;
		t->hits_m += hits_m;
		t->important_m += important_m;
		if (counted) {
			live_stat_add(&l->results[i].hits_m, hits_m);
			live_stat_add(&l->results[i].important_m, important_m);
		}
	}
	if (counted) {
		live_stat_add(&l->hits_m, t->hits_m);
		live_stat_add(&l->important_m, t->important_m);
	}
}

static void begin_counting(struct live *l)
{
	l->counted_from_ns = live_now_ns();
	for (uint32_t i = 0; i < l->nr; i++)
		l->marks[i].counted = l->marks[i].last;
	read_steal(l, &l->steal, &l->total, &l->steal_known);
}

/* Everyone has begun: what they write on their boards first is when. */
static void read_beginnings(struct live *l)
{
	for (uint32_t i = 0; i < l->nr; i++)
		while (live_board_read(&l->producers[i].board, &l->marks[i].last), !l->marks[i].last.at_ns) {
			if (stopped(l))
				return;
			sched_yield();
		}
}

static int tick_on(struct live *l, const struct live_events *ev)
{
	uint64_t tick = l->opt.tick_ns, last, deadline;
	uint32_t nr_ticks = l->opt.warmup + l->opt.duration + 1;

	read_beginnings(l);
	last = live_now_ns();
	deadline = last + tick;
	for (uint32_t i = 0; i < nr_ticks; i++, deadline += tick) {
		struct live_tick t = { .iter = (int)i, .counted = i >= l->opt.warmup };
		uint64_t now;
		int r;

		if (i == l->opt.warmup)
			begin_counting(l);
		r = wait_until(l, deadline);
		if (r)
			return r;
		now = live_now_ns();
		t.late_us = ((double)(now - last) - (double)tick) / 1e3;
		take_tick(l, t.counted, &t);
		last = now;
		/* Stopped by ^Z or suspended with the machine: seconds that were missed are not made up for. */
		if (now > deadline + tick / 2)
			deadline = now;
		if (ev->tick)
			ev->tick(ev->arg, &t);
	}
	return 0;
}

static int start_threads(struct live *l, struct err *e)
{
	sigset_t all, old;
	int code = 0;

	/* Signals are for the main thread: in a producer one would end a system call early. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; !code && i < l->opt.producers; i++) {
		struct producer *p = &l->producers[i];

		p->live = l;
		p->number = i;
		code = pthread_create(&p->thread, NULL, live_producer_thread, p);
		l->nr += !code;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (code)
		return err_set(e, ERR_MACHINE, -code,
			       "producer %" PRIu32 " of %" PRIu32 " could not be started: %s (ulimit -u?)", l->nr,
			       l->opt.producers, strerror(code));
	return 0;
}

/* Everyone at the gate: 0; -ETIMEDOUT if someone is not there when the grace time after the stop is over. */
static int wait_gate(struct live *l, struct live_gate *g)
{
	uint64_t give_up = UINT64_MAX;

	while (!live_gate_wait(g, l->nr, 20)) {
		if (give_up == UINT64_MAX && (stopped(l) || atomic_load(&l->stop)))
			give_up = live_now_ns() + l->opt.grace_ns;
		if (live_now_ns() >= give_up)
			return -ETIMEDOUT;
	}
	return 0;
}

static int join_all(struct live *l)
{
	uint64_t ns = live_now_ns() + l->opt.grace_ns;
	struct timespec until = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	for (uint32_t i = 0; i < l->nr; i++)
		if (pthread_clockjoin_np(l->producers[i].thread, NULL, CLOCK_MONOTONIC, &until))
			return -ETIMEDOUT;
	return 0;
}

/* All threads are gone when it returns anything but -ETIMEDOUT. */
static int drive(struct live *l, const struct live_events *ev, struct err *e)
{
	int r = start_threads(l, e), hung;

	if (r)
		atomic_store(&l->stop, true);
	hung = wait_gate(l, &l->start);
	if (hung)
		return hung;
	if (!r && stopped(l))
		r = -EINTR;
	if (!r && any_failed(l))
		r = -ECANCELED;
	if (r)
		atomic_store(&l->stop, true);
	else if (ev->started)
		ev->started(ev->arg);
	live_gate_open(&l->start);
	if (!r)
		r = tick_on(l, ev);
	atomic_store(&l->stop, true);
	if (wait_gate(l, &l->end))
		return -ETIMEDOUT;
	live_gate_open(&l->end);
	return join_all(l) ? -ETIMEDOUT : r;
}

/* ---- what came of it ---- */

static int first_failure(const struct live *l, struct err *e)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		if (!err_is_set(&l->producers[i].err))
			continue;
		*e = l->producers[i].err;
		if (l->opt.producers > 1)
			err_prefix(e, "producer %" PRIu32, i);
		return e->code;
	}
	return 0;
}

static struct counters counters_between(const struct counters *a, const struct counters *b)
{
	return (struct counters){
		.ops = b->ops - a->ops,
		.hits = b->hits - a->hits,
		.important_hits = b->important_hits - a->important_hits,
		.nulls = b->nulls - a->nulls,
		.errors = b->errors - a->errors,
	};
}

static void fill_rep(struct live *l, struct rep *rep)
{
	uint64_t ns = 0, steal, total;
	bool known;

	*rep = (struct rep){ .cpu = l->opt.producers == 1 ? live_cpu(l, 0) : -1, .gross = NAN };
	rep->overhead = l->producers[0].overhead;
	rep->ghz = l->producers[0].ghz;
	if (l->counted_from_ns)
		rep->t = (double)(l->counted_from_ns - l->began_ns) / 1e9;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct producer *p = &l->producers[i];
		const struct marks *m = &l->marks[i];
		struct counters c = counters_between(&m->counted.counters, &m->last.counters);

		rep->evicted |= p->evicted;
		rep->nivcsw += p->nivcsw;
		rep->setup_ms = fmax(rep->setup_ms, p->enter_ms);
		if (!l->hits_m.n)
			continue;
		counters_add(&rep->counters, &c);
		rep->batches += m->last.batches - m->counted.batches;
		ns += m->last.ns - m->counted.ns;
	}
	if (rep->counters.hits)
		rep->gross = (double)ns / (double)rep->counters.ops;
	if (!l->steal_known)
		return;
	read_steal(l, &steal, &total, &known);
	if (known && total > l->total && steal >= l->steal)
		rep->steal = (double)(steal - l->steal) / (double)(total - l->total);
}

/* As for a row of a sweep: visits must match, and the misses must be those that the slots imply. */
static void judge(struct live_result *r)
{
	const struct audit *a = &r->audit;
	double expected = r->slots.miss_share * (double)a->gets;

	if (a->done && a->gets)
		r->slots.miss_share_audited = (double)a->misses / (double)a->gets;
	r->outcome = OUTCOME_OK;
	r->reason[0] = '\0';
	if (!a->visits_match) {
		r->outcome = OUTCOME_INVALID;
		snprintf(r->reason, sizeof(r->reason), "audit: %s",
			 a->mismatch[0] ? a->mismatch : "the visits of a map differ");
	} else if (a->done && isfinite(expected) && fabs((double)a->misses - expected) > 0.5 && !r->rep.evicted &&
		   r->slots.seen) {
		r->outcome = OUTCOME_INVALID;
		snprintf(r->reason, sizeof(r->reason),
			 "the audit counted %" PRIu64 " misses in %" PRIu64 " gets, %.0f were expected from the slots",
			 a->misses, a->gets, expected);
	}
}

static void live_free(struct live *l)
{
	if (!l)
		return;
	if (l->wake_fd >= 0)
		close(l->wake_fd);
	live_gate_destroy(&l->start);
	live_gate_destroy(&l->end);
	pthread_mutex_destroy(&l->engine_lock);
	free(l->producers);
	free(l->marks);
	free(l->cpus);
	free(l->results);
	free(l);
}

/* Everything is a copy: a producer that hangs may outlive the caller's. */
static struct live *live_new(const struct live_options *opt)
{
	struct live *l = calloc(1, sizeof(*l));
	size_t n = opt->producers;

	if (!l)
		return NULL;
	l->opt = *opt;
	l->began_ns = live_now_ns();
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&l->engine_lock, NULL);
	live_gate_init(&l->start);
	live_gate_init(&l->end);
	l->producers = aligned_alloc(_Alignof(struct producer), n * sizeof(*l->producers));
	l->marks = calloc(n, sizeof(*l->marks));
	l->results = calloc(n, sizeof(*l->results));
	l->cpus = opt->cpus ? calloc(n, sizeof(*l->cpus)) : NULL;
	if (!l->producers || !l->marks || !l->results || (opt->cpus && !l->cpus) || l->wake_fd < 0) {
		live_free(l);
		return NULL;
	}
	memset(l->producers, 0, n * sizeof(*l->producers));
	if (opt->cpus)
		memcpy(l->cpus, opt->cpus, n * sizeof(*l->cpus));
	l->slots.miss_share = l->slots.miss_share_audited = NAN;
	l->audit.visits_match = true;
	for (size_t i = 0; i < n; i++)
		l->results[i].cpu = live_cpu(l, (uint32_t)i);
	return l;
}

int live_run(const struct engine *eng, struct session *session, int row, const struct live_options *opt,
	     const struct live_events *ev, struct live_result *ret, struct err *e)
{
	struct live *l = live_new(opt);
	int r, failed;

	if (!l)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory or of files for %" PRIu32 " producers",
			       opt->producers);
	l->eng = eng;
	l->session = session;
	l->row = row;
	r = drive(l, ev, e);
	if (r == -ETIMEDOUT)
		return err_set(e, ERR_FAILED, r,
			       "a producer has not come back from the engine for %.1f s: it is left behind",
			       (double)opt->grace_ns / 1e9);
	failed = first_failure(l, e);
	if (failed || (r && r != -EINTR)) {
		live_free(l);
		return failed ? failed : r;
	}
	*ret = (struct live_result){
		.hits_m = l->hits_m,
		.important_m = l->important_m,
		.nr_producers = opt->producers,
		.producers = take_ptr(l->results),
		.slots = l->slots,
		.audit = l->audit,
	};
	fill_rep(l, &ret->rep);
	judge(ret);
	live_free(l);
	return r;
}

void live_result_free(struct live_result *r)
{
	free(r->producers);
	r->producers = NULL;
}
