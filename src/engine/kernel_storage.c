// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The storage half's set-up: create the pool of maps, fill the outer array, see which cache slot each map got.
 *
 * Every update of a map-in-map waited for a grace period until 6.19 (maybe_wait_bpf_programs: about 10 ms). A batch
 * call waits once since 6.8, once an element before: one probe of a few elements tells which kernel this is. Where the
 * batch does not help, many threads wait at the same time.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernel_priv.h"
#include "engine/kernel_session.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "lsbench.skel.h"

#define FILL_THREADS_NR 256
#define FILL_THREAD_STACK (64u << 10)
#define FILL_PROBE 8 /* elements of the batch that is timed */

static int create_pool(struct session *s, struct err *e)
{
	struct half *h = &s->half[HALF_STORAGE];
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC,
		    .btf_fd = (__u32)bpf_object__btf_fd(h->skel->obj), .btf_key_type_id = s->pool_key_type,
		    .btf_value_type_id = s->pool_value_type);
	char what[96], why[512];

	for (uint32_t i = 0; i < s->layout.nr_pool; i++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "lsbench", sizeof(int), sizeof(struct lsb_value), 0,
					&opts);

		if (fd < 0) {
			snprintf(what, sizeof(what), "creating task-storage map %u of %u", i + 1, s->layout.nr_pool);
			kernel_explain(-fd, what, why, sizeof(why));
			return err_set(e, ERR_MACHINE, fd, "%s", why);
		}
		s->pool_fds[i] = fd;
	}
	return 0;
}

struct filler {
	int outer;
	const __u32 *keys;
	const __u32 *fds;
	uint32_t n;
	atomic_uint next;
	atomic_int error;
};

static int update_one(struct filler *f, uint32_t i)
{
	return bpf_map_update_elem(f->outer, &f->keys[i], &f->fds[i], BPF_ANY);
}

static int update_batch(struct filler *f, uint32_t from, uint32_t n)
{
	__u32 count = n;

	return bpf_map_update_batch(f->outer, f->keys + from, f->fds + from, &count, NULL);
}

static void *fill_thread(void *arg)
{
	struct filler *f = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&f->next, 1)) < f->n) {
		int rc = update_one(f, i);

		if (rc)
			atomic_store(&f->error, rc);
	}
	return NULL;
}

static int fill_by_threads(struct filler *f, uint32_t from)
{
	pthread_t tid[FILL_THREADS_NR];
	pthread_attr_t attr;
	int n = 0;

	atomic_store(&f->next, from);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, FILL_THREAD_STACK);
	while (n < FILL_THREADS_NR && (uint32_t)n < f->n && pthread_create(&tid[n], &attr, fill_thread, f) == 0)
		n++;
	pthread_attr_destroy(&attr);
	if (!n)
		fill_thread(f);
	while (n > 0)
		pthread_join(tid[--n], NULL);
	return atomic_load(&f->error);
}

/*
 * Does a batch wait once, or once an element? Found out with the first elements, which are filled on the way. The very
 * first is not timed: it may meet a grace period that is about to end and look cheap; those after it wait a whole one.
 */
static enum outer_fill probe_fill(struct filler *f, uint32_t *ret_done)
{
	double t0, one, batch;

	if (f->n < FILL_PROBE + 2 || update_one(f, 0))
		return FILL_THREADS;
	t0 = kernel_now_ms();
	if (update_one(f, 1))
		return FILL_THREADS;
	one = kernel_now_ms() - t0;
	t0 = kernel_now_ms();
	if (update_batch(f, 2, FILL_PROBE))
		return FILL_THREADS;
	batch = kernel_now_ms() - t0;
	*ret_done = FILL_PROBE + 2;
	return batch < 1 || batch < one * FILL_PROBE / 2 ? FILL_BATCH : FILL_THREADS;
}

/* Entries first .. first + n - 1. */
static int fill_outer(struct session *s, uint32_t first, uint32_t n, struct session_setup *setup, struct err *e)
{
	const uint16_t *seq_pool = s->half[HALF_STORAGE].skel->bss->seq_pool;
	uint32_t done = 0;
	_cleanup_free_ __u32 *keys = malloc(n * sizeof(*keys));
	_cleanup_free_ __u32 *fds = malloc(n * sizeof(*fds));
	struct filler f = { .outer = bpf_map__fd(s->half[HALF_STORAGE].skel->maps.outer_storage),
			    .keys = keys,
			    .fds = fds };
	enum outer_fill how = s->opt.fill;
	int rc = 0;

	if (!keys || !fds)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %u entries of the outer array", n);
	for (uint32_t k = 0; k < n; k++) {
		keys[k] = first + k;
		fds[k] = (__u32)s->pool_fds[seq_pool[first + k]];
	}
	f.n = n;
	if (how == FILL_UNKNOWN)
		how = probe_fill(&f, &done);
	if (how == FILL_BATCH && update_batch(&f, done, n - done))
		how = FILL_THREADS; /* refused after all: every entry can simply be written again */
	if (how == FILL_THREADS)
		rc = fill_by_threads(&f, done);
	str_copy(setup->fill, sizeof(setup->fill), how == FILL_BATCH ? "batch" : "threads");
	s->opt.fill = how;
	if (rc)
		return err_set(e, ERR_MACHINE, rc, "filling the outer array with %u maps: %s", n, strerror(-rc));
	return 0;
}

struct slots_job {
	struct session *s;
	struct err *e;
	int rc;
};

/* A thread of its own, so that the marks die with its storage. */
static void *slots_thread(void *arg)
{
	struct slots_job *job = arg;
	struct session *s = job->s;
	struct half *h = &s->half[HALF_STORAGE];

	h->io[0].first = 0;
	h->io[0].count = s->layout.nr_pool;
	job->rc = kernel_run_untimed(h->prog_slots, 0, "reading the cache slots", job->e);
	return NULL;
}

static int see_slots(struct session *s, struct err *e)
{
	struct slots_job job = { .s = s, .e = e };
	const unsigned char *slot_of = s->half[HALF_STORAGE].skel->bss->slot_of;
	pthread_t tid;
	uint32_t unseen = 0;

	if (pthread_create(&tid, NULL, slots_thread, &job))
		return err_set(e, ERR_MACHINE, -EAGAIN,
			       "no thread can be created to read the cache slots (ulimit -u?)");
	pthread_join(tid, NULL);
	if (job.rc)
		return job.rc;
	for (uint32_t i = 0; i < s->layout.nr_pool; i++)
		unseen += slot_of[i] == LSB_SLOT_UNSEEN;
	s->slots_seen = unseen == 0;
	if (unseen == s->layout.nr_pool)
		str_copy(
			s->slots_reason, sizeof(s->slots_reason),
			"the kernel does not let a program read its slot cache (lockdown confidentiality?): creation order is assumed");
	else if (unseen)
		snprintf(s->slots_reason, sizeof(s->slots_reason), "the slots of %u of %u maps could not be read",
			 unseen, s->layout.nr_pool);
	return 0;
}

int kernel_storage_fill(struct session *s, struct session_setup *setup, struct err *e)
{
	struct lsbench__bss *bss = s->half[HALF_STORAGE].skel->bss;
	double start = kernel_now_ms();
	int rc;

	s->nr_slots = s->opt.nr_slots ? s->opt.nr_slots : (uint32_t)kernel_btf_slots();
	if (!s->nr_slots)
		s->nr_slots = 16; /* BPF_LOCAL_STORAGE_CACHE_SIZE since 5.10; only where BTF lacks it */
	rc = create_pool(s, e);
	if (rc)
		return rc;
	/* The pool first, to look at it; the sequences are chosen from what is seen. */
	for (uint32_t k = 0; k < s->layout.nr_pool; k++)
		bss->seq_pool[k] = (uint16_t)k;
	rc = fill_outer(s, 0, s->layout.nr_pool, setup, e);
	if (!rc)
		rc = see_slots(s, e);
	if (!rc)
		rc = layout_choose(&s->layout, bss->slot_of, s->nr_slots, bss->seq_pool, e);
	if (!rc && s->layout.nr_outer > s->layout.nr_pool)
		rc = fill_outer(s, s->layout.nr_pool, s->layout.nr_outer - s->layout.nr_pool, setup, e);
	if (!rc)
		setup->storage_ms = kernel_now_ms() - start;
	return rc;
}
