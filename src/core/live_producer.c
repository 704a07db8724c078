// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A producer of a live run: a task of its own, whose storage is what is measured. It enters, runs batches until it is
 * told to stop, is audited (the first one only) and leaves; see live.c for who waits for whom.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "core/live_priv.h"
#include "core/trial.h"
#include "stats/interval.h"

#define EMPTY_BATCHES 9
#define EMPTY_NS UINT64_C(50000000) /* no further empty batch after this */

static int pin(int cpu, struct err *e)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set;
	int r = 0;

	if (cpu < 0)
		return 0;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set))
		r = err_set(e, ERR_FAILED, -errno, "the thread cannot be pinned to CPU %d: %s", cpu, strerror(errno));
	CPU_FREE(set);
	return r;
}

static int check_batch(const struct batch *b, struct err *e)
{
	const struct counters *c = &b->counters;

	if (!c->ops)
		return err_set(e, ERR_FAILED, -EBADMSG, "a batch did no operation at all");
	if (!counters_sum_holds(c))
		return err_set(e, ERR_FAILED, -EBADMSG,
			       "the counters of a batch do not add up: hits %" PRIu64 " + nulls %" PRIu64
			       " + errors %" PRIu64 " is not ops %" PRIu64,
			       c->hits, c->nulls, c->errors, c->ops);
	return 0;
}

/* A few empty batches: what the loop costs without the get. */
static int measure_empty(struct producer *p)
{
	const struct live *l = p->live;
	double per_op[EMPTY_BATCHES];
	uint64_t began = live_now_ns();
	struct batch b;
	size_t n = 0;
	int r = 0;

	/* The first one meets cold caches. */
	for (int i = 0; !r && i <= EMPTY_BATCHES && (n == 0 || live_now_ns() - began < EMPTY_NS); i++) {
		r = l->eng->batch(l->session, l->row, p->number, true, &b, &p->err);
		if (!r)
			r = check_batch(&b, &p->err);
		if (!r && i > 0)
			per_op[n++] = (double)b.ns / (double)b.counters.ops;
	}
	if (!r)
		p->overhead = stat_median(per_op, n);
	return r;
}

static void enter(struct producer *p)
{
	struct live *l = p->live;
	uint64_t began;

	p->overhead = p->ghz = NAN;
	if (pin(live_cpu(l, p->number), &p->err))
		return;
	pthread_mutex_lock(&l->engine_lock);
	if (!atomic_load(&l->stop)) {
		began = live_now_ns();
		p->entered = l->eng->enter(l->session, l->row, p->number, &p->err) == 0;
		p->enter_ms = (double)(live_now_ns() - began) / 1e6;
		if (p->entered && p->number == 0 && !measure_empty(p)) {
			p->ghz = trial_core_ghz();
			l->eng->row_slots(l->session, l->row, &l->slots);
		}
	}
	pthread_mutex_unlock(&l->engine_lock);
}

static long involuntary_switches(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void produce(struct producer *p)
{
	struct live *l = p->live;
	struct live_sample done = { .at_ns = live_now_ns() };
	struct batch b;

	p->nivcsw = -involuntary_switches();
	live_board_write(&p->board, &done);
	while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
		if (l->eng->batch(l->session, l->row, p->number, false, &b, &p->err) || check_batch(&b, &p->err))
			break;
		done.at_ns = live_now_ns();
		done.batches++;
		done.ns += b.ns;
		counters_add(&done.counters, &b.counters);
		live_board_write(&p->board, &done);
	}
	p->nivcsw += involuntary_switches();
	/* It cannot fail for want of room: nobody adds up to 2^64. */
	if (err_is_set(&p->err) && eventfd_write(l->wake_fd, 1))
		atomic_store(&l->stop, true);
}

static void leave(struct producer *p)
{
	struct live *l = p->live;

	pthread_mutex_lock(&l->engine_lock);
	if (p->number == 0 && !err_is_set(&p->err))
		l->eng->audit(l->session, l->row, 0, &l->audit, &p->err);
	l->eng->leave(l->session, l->row, p->number, &p->evicted);
	pthread_mutex_unlock(&l->engine_lock);
}

void *live_producer_thread(void *arg)
{
	struct producer *p = arg;

	enter(p);
	live_gate_pass(&p->live->start);
	if (p->entered && !err_is_set(&p->err))
		produce(p);
	live_gate_pass(&p->live->end);
	if (p->entered)
		leave(p);
	return NULL;
}
