// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hash half's set-up: create the hashes of the control rows and fill them by a BPF program, in slices.
 *
 * BPF_F_ZERO_SEED makes chains, and so the cost of a lookup, the same in every trial; it needs CAP_SYS_ADMIN. A
 * map-in-map wants the same flags in the template that the object declares: so the first hash is made before the object
 * is loaded.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/kernel_priv.h"
#include "engine/kernel_session.h"
#include "lsbench.skel.h"

#define SLICE_MS 8.0 /* of the at most 10 ms that one program run may take */
#define SLICE_FIRST 4096u
#define FILL_THREADS_MAX 8

static int create_hash(struct session *s, const struct hash_set *set, uint32_t number, __u32 flags, struct err *e)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "lsbench_hash", sizeof(__u32), sizeof(__u32), (__u32)set->capacity,
				&opts);
	char what[96], why[512];

	if (fd >= 0) {
		s->hash_fds[number] = fd;
		return 0;
	}
	if (fd == -EPERM && flags)
		return fd; /* the caller tries without the flag */
	snprintf(what, sizeof(what), "creating a hash of %llu entries", (unsigned long long)set->capacity);
	kernel_explain(-fd, what, why, sizeof(why));
	return err_set(e, ERR_MACHINE, fd, "%s", why);
}

int kernel_hash_create(struct session *s, struct session_setup *setup, struct err *e)
{
	double start = kernel_now_ms();
	__u32 flags = s->layout.sets[0].zero_seed ? BPF_F_ZERO_SEED : 0;
	int rc = create_hash(s, &s->layout.sets[0], 0, flags, e);

	if (rc == -EPERM && flags && !err_is_set(e)) {
		setup->random_seed = true;
		flags = 0;
		rc = create_hash(s, &s->layout.sets[0], 0, flags, e);
	}
	for (int i = 0; i < s->layout.nr_sets && !rc; i++) {
		const struct hash_set *set = &s->layout.sets[i];

		for (uint32_t k = 0; k < set->nr_hashes && !rc; k++)
			if (s->hash_fds[set->first + k] < 0)
				rc = create_hash(s, set, set->first + k, flags, e);
	}
	if (!rc)
		rc = bpf_map__set_map_flags(bpf_map__inner_map(s->half[HALF_HASH].skel->maps.outer_hash), flags);
	if (rc)
		return err_is_set(e) ? rc : err_set(e, ERR_FAILED, rc, "flags of the hash template: %s", strerror(-rc));
	setup->hash_ms = kernel_now_ms() - start;
	return 0;
}

/* One hash, filled by several threads: most of an insertion is waiting for memory. */
struct fill_job {
	struct session *s;
	uint32_t number;
	uint64_t nr_keys;
	atomic_uint_fast64_t next;
};

struct fill_worker {
	struct fill_job *job;
	uint32_t producer;
	struct err err;
	pthread_t tid;
};

static void *fill_thread(void *arg)
{
	struct fill_worker *w = arg;
	struct fill_job *job = w->job;
	struct half *h = &job->s->half[HALF_HASH];
	struct lsb_io *io = &h->io[w->producer];
	uint32_t slice = SLICE_FIRST;
	uint64_t key;

	io->hash_off = job->number;
	io->errors = 0;
	while (!err_is_set(&w->err) && (key = atomic_fetch_add(&job->next, slice)) < job->nr_keys) {
		double start = kernel_now_ms(), took;

		io->first = (__u32)key;
		io->count = job->nr_keys - key < slice ? (__u32)(job->nr_keys - key) : slice;
		kernel_run_untimed(h->prog_fill, w->producer, "filling the hash", &w->err);
		took = kernel_now_ms() - start;
		/* Grow carefully: the time of a slice also holds what interrupted it. */
		if (took < SLICE_MS / 2)
			slice *= 2;
		else if (took > SLICE_MS && slice > 64)
			slice = (uint32_t)(slice * SLICE_MS / took) + 1;
	}
	if (io->errors)
		err_set(&w->err, ERR_MACHINE, -ENOMEM,
			"%llu of %llu keys could not be put into the hash (out of memory?)",
			(unsigned long long)io->errors, (unsigned long long)job->nr_keys);
	return NULL;
}

static int fill_hash(struct session *s, uint32_t number, uint64_t nr_keys, struct err *e)
{
	struct fill_job job = { .s = s, .number = number, .nr_keys = nr_keys };
	struct fill_worker w[FILL_THREADS_MAX] = { 0 };
	cpu_set_t cpus;
	int n = 1, started = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n = CPU_COUNT(&cpus);
	if (n > FILL_THREADS_MAX)
		n = FILL_THREADS_MAX;
	for (int i = 0; i < n; i++) {
		w[i].job = &job;
		w[i].producer = (uint32_t)i;
	}
	while (started < n - 1 && pthread_create(&w[started + 1].tid, NULL, fill_thread, &w[started + 1]) == 0)
		started++;
	fill_thread(&w[0]);
	for (int i = 1; i <= started; i++)
		pthread_join(w[i].tid, NULL);
	for (int i = 0; i <= started; i++)
		if (err_is_set(&w[i].err))
			return err_set(e, w[i].err.class, w[i].err.code, "%s", w[i].err.msg);
	return 0;
}

int kernel_hash_fill(struct session *s, struct session_setup *setup, struct err *e)
{
	int outer = bpf_map__fd(s->half[HALF_HASH].skel->maps.outer_hash);
	double start = kernel_now_ms();

	for (int i = 0; i < s->layout.nr_sets; i++) {
		const struct hash_set *set = &s->layout.sets[i];

		for (uint32_t k = 0; k < set->nr_hashes; k++) {
			__u32 number = set->first + k;
			int rc = bpf_map_update_elem(outer, &number, &s->hash_fds[number], BPF_ANY);

			if (rc)
				return err_set(e, ERR_MACHINE, rc, "putting hash %u into its outer array: %s", number,
					       strerror(-rc));
			rc = fill_hash(s, number, set->nr_filled, e);
			if (rc)
				return rc;
		}
	}
	setup->hash_ms += kernel_now_ms() - start;
	return 0;
}
