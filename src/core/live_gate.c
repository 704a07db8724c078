// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gates and boards; see live_priv.h. The board is a seqlock as in Boehm, "Can seqlocks get along with programming
 * language memory models?" (2012): the words are atomic themselves, so that a torn read is thrown away and never
 * undefined.
 */
#include "core/live_priv.h"

#include <sched.h>
#include <string.h>
#include <time.h>

_Static_assert(sizeof(struct live_sample) % sizeof(uint64_t) == 0, "a sample is copied in words");

uint64_t live_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void live_gate_init(struct live_gate *g)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, &attr);
	pthread_condattr_destroy(&attr);
	g->arrived = 0;
	g->open = false;
}

void live_gate_destroy(struct live_gate *g)
{
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
}

void live_gate_pass(struct live_gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->arrived++;
	pthread_cond_broadcast(&g->changed);
	while (!g->open)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

bool live_gate_wait(struct live_gate *g, uint32_t n, int ms)
{
	struct timespec until;
	bool there;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms % 1000 * 1000000L;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&g->lock);
	while (g->arrived < n && !pthread_cond_timedwait(&g->changed, &g->lock, &until))
		;
	there = g->arrived >= n;
	pthread_mutex_unlock(&g->lock);
	return there;
}

void live_gate_open(struct live_gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->open = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

void live_board_write(struct live_board *b, const struct live_sample *s)
{
	unsigned int sequence = atomic_load_explicit(&b->sequence, memory_order_relaxed);
	uint64_t words[LIVE_BOARD_WORDS];

	memcpy(words, s, sizeof(words));
	atomic_store_explicit(&b->sequence, sequence + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < LIVE_BOARD_WORDS; i++)
		atomic_store_explicit(&b->words[i], words[i], memory_order_relaxed);
	atomic_store_explicit(&b->sequence, sequence + 2, memory_order_release);
}

void live_board_read(struct live_board *b, struct live_sample *ret)
{
	uint64_t words[LIVE_BOARD_WORDS];
	unsigned int before, after;

	for (;;) {
		before = atomic_load_explicit(&b->sequence, memory_order_acquire);
		for (size_t i = 0; i < LIVE_BOARD_WORDS; i++)
			words[i] = atomic_load_explicit(&b->words[i], memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&b->sequence, memory_order_relaxed);
		if (before == after && before % 2 == 0)
			break;
		sched_yield(); /* the writer may have lost its CPU in the middle, even to us */
	}
	memcpy(ret, words, sizeof(words));
}
