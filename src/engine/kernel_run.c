// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a producer's thread does: become known to the programs, run batches, have them audited.
 *
 * An order is plain memory that the program reads (bpf/abi.h); it is written before the call that enters the program
 * and read after it, in the same thread, so no barrier is needed.
 */
#include "engine/kernel_session.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/slots.h"
#include "lsbench.skel.h"

#define AUDIT_GETS 4096u /* about so many, whole rounds */

static const enum lsb_want orders[LOOP_NR][2] = {
	[LOOP_HOISTED] = { LSB_HOISTED_GET, LSB_HOISTED_EMPTY },
	[LOOP_SEQUENCE] = { LSB_SEQUENCE_GET, LSB_SEQUENCE_EMPTY },
	[LOOP_SINGLE] = { LSB_SINGLE_GET, LSB_SINGLE_EMPTY },
	[LOOP_HASH] = { LSB_HASH_GET, LSB_HASH_EMPTY },
	[LOOP_HASH_CYCLE] = { LSB_HASH_CYCLE_GET, LSB_HASH_CYCLE_EMPTY },
};

int kernel_run_untimed(int prog_fd, uint32_t number, const char *what, struct err *e)
{
	/* raw_tp wants a context at least as long as the one it reads. */
	__u64 ctx[1] = { number };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));
	int rc = bpf_prog_test_run_opts(prog_fd, &opts);

	if (rc)
		return err_set(e, ERR_MACHINE, rc, "%s: the program could not be run: %s", what, strerror(-rc));
	if (opts.retval)
		return err_set(e, ERR_FAILED, -EIO, "%s: the program ended with %d", what, (int)opts.retval);
	return 0;
}

void kernel_row_slots(struct session *s, int row, struct row_slots *ret)
{
	const struct row_layout *r = &s->layout.rows[row];
	struct half *h = session_half(s, row);
	uint8_t slot[LSB_POOL_MAX];

	memset(ret, 0, sizeof(*ret));
	ret->miss_share = ret->miss_share_audited = NAN;
	if (!r->seq)
		return;
	ret->seen = s->slots_seen;
	ret->n = (int)s->nr_slots;
	for (uint32_t i = 0; i < r->nr_maps; i++) {
		uint8_t seen = h->skel->bss->slot_of[r->pool_of[i]];

		slot[i] = seen < s->nr_slots ? seen : (uint8_t)(i % s->nr_slots);
		if (slot[i] < SLOTS_MAX)
			ret->used[slot[i]]++;
	}
	ret->miss_share = slots_miss_share(slot, s->nr_slots, r->seq, r->round_len);
}

/* Random rows never need the thread's own id; a tid row needs it to be a key. */
static int own_key(struct session *s, const struct row_layout *r, __u32 tid, struct err *e)
{
	const struct hash_set *set = &s->layout.sets[r->hash_set];

	for (uint32_t k = 0; k < r->nr_hashes; k++) {
		int fd = s->hash_fds[set->first + k];
		__u32 value = tid, last = (__u32)set->capacity - 1;
		int rc = bpf_map_update_elem(fd, &tid, &value, BPF_NOEXIST);

		if (rc == -E2BIG && set->nr_used < set->capacity) {
			/* Full: give up the one key that no row looks for. */
			bpf_map_delete_elem(fd, &last);
			rc = bpf_map_update_elem(fd, &tid, &value, BPF_NOEXIST);
		}
		if (rc && rc != -EEXIST)
			return err_set(
				e, ERR_FAILED, rc,
				"the thread id %u cannot be put into the hash of %llu keys: %s; try a larger --hashmap_capacity",
				tid, (unsigned long long)set->capacity, strerror(-rc));
	}
	return 0;
}

static int enter_storage(struct half *h, uint32_t producer, const struct row_layout *r, struct err *e)
{
	struct lsb_io *io = &h->io[producer];
	int rc;

	io->maps_off = r->maps_off;
	io->nr_maps = r->nr_maps;
	io->seq_off = r->seq_off;
	io->seq_len = r->seq_len;
	io->important = r->pool_of[0];
	rc = kernel_run_untimed(h->prog_touch, producer, "creating the thread's storage", e);
	if (rc)
		return rc;
	if (io->nulls >= r->nr_maps)
		return err_set(
			e, ERR_MACHINE, -EOPNOTSUPP,
			"creating the thread's storage: all %u gets returned NULL; from Linux 6.19 on they do on a "
			"processor without a double-word compare-exchange (cx16 in /proc/cpuinfo)",
			r->nr_maps);
	if (io->nulls || io->errors)
		return err_set(e, ERR_FAILED, -EIO,
			       "creating the thread's storage: %llu of %u gets returned NULL, %llu maps are absent",
			       (unsigned long long)io->nulls, r->nr_maps, (unsigned long long)io->errors);
	return 0;
}

int kernel_enter(struct session *s, int row, uint32_t producer, struct err *e)
{
	const struct row_layout *r = &s->layout.rows[row];
	struct half *h = session_half(s, row);
	struct lsb_io *io = &h->io[producer];
	int rc;

	io->want = LSB_NOTHING;
	io->nulls = io->important_nulls = io->errors = 0;
	rc = kernel_run_untimed(h->prog_register, producer, "making the thread known", e);
	if (rc)
		return rc;
	if (r->seq)
		return enter_storage(h, producer, r, e);
	io->hash_off = s->layout.sets[r->hash_set].first;
	io->nr_hashes = r->nr_hashes;
	io->nr_keys = r->nr_keys;
	io->key_is_tid = r->key_is_tid;
	s->rng[producer][0] = s->rng[producer][1] = 0x9e3779b97f4a7c15ull * (io->tid + 1ull);
	return r->key_is_tid ? own_key(s, r, io->tid, e) : 0;
}

static int run_trigger(const struct session *s, int prog_fd, uint32_t *ret_retval)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int rc;

	*ret_retval = 0;
	if (s->opt.trigger == TRIGGER_FENTRY) {
		syscall(SYS_getpgid, 0);
		return 0;
	}
	rc = bpf_prog_test_run_opts(prog_fd, &opts);
	*ret_retval = opts.retval;
	return rc;
}

int kernel_batch(struct session *s, int row, uint32_t producer, bool empty, struct batch *ret, struct err *e)
{
	const struct row_layout *r = &s->layout.rows[row];
	struct half *h = session_half(s, row);
	struct lsb_io *io = &h->io[producer];
	const struct batch_size *size = &r->size[empty];
	uint64_t important = size->rounds * r->round_important;
	uint32_t retval;
	int rc;

	io->callbacks = size->callbacks;
	io->tail = size->tail;
	io->nulls = io->important_nulls = io->errors = io->done = io->ns = 0;
	io->rng = s->rng[producer][empty];
	io->want = orders[r->form][empty];
	rc = run_trigger(s, h->prog[r->form][empty], &retval);
	io->want = LSB_NOTHING;
	s->rng[producer][empty] = io->rng;
	if (rc)
		return err_set(e, ERR_FAILED, rc, "the timed program could not be run: %s", strerror(-rc));
	if (retval || io->done != (uint64_t)size->callbacks + size->tail)
		return err_set(e, ERR_FAILED, -EIO, "the timed program ran %llu of %llu callbacks and ended with %u%s",
			       (unsigned long long)io->done, (unsigned long long)size->callbacks + size->tail, retval,
			       io->errors ? " (an inner map is absent)" : "");
	ret->ns = io->ns;
	ret->counters = (struct counters){ .ops = size->ops, .nulls = io->nulls, .errors = io->errors };
	ret->counters.hits = size->ops - io->nulls - io->errors;
	ret->counters.important_hits = important > io->important_nulls ? important - io->important_nulls : 0;
	return 0;
}

static void check_visits(struct session *s, const struct row_layout *r, uint64_t rounds, struct audit *ret)
{
	const struct lsbench__bss *bss = s->half[HALF_STORAGE].skel->bss;
	uint32_t expected[LSB_POOL_MAX] = { 0 };

	for (uint32_t i = 0; i < r->round_len; i++)
		expected[r->seq[i]] += (uint32_t)rounds;
	ret->visits_match = true;
	for (uint32_t m = 0; m < r->nr_maps; m++) {
		uint32_t counted = bss->visits[r->pool_of[m]];

		if (counted == expected[m])
			continue;
		if (ret->visits_match)
			snprintf(ret->mismatch, sizeof(ret->mismatch), "map %u was visited %u times, expected %u", m,
				 counted, expected[m]);
		ret->visits_match = false;
	}
}

int kernel_audit(struct session *s, int row, uint32_t producer, struct audit *ret, struct err *e)
{
	const struct row_layout *r = &s->layout.rows[row];
	struct half *h = session_half(s, row);
	struct lsb_io *io = &h->io[producer];
	uint64_t rounds = AUDIT_GETS / r->round_len ? AUDIT_GETS / r->round_len : 1;
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->visits_match = true;
	if (!r->seq) {
		snprintf(ret->reason, sizeof(ret->reason), "a hash has no slot cache");
		return 0;
	}
	io->nulls = io->errors = 0;
	io->count = r->round_len; /* one round brings the cache into its steady state */
	rc = kernel_run_untimed(h->prog_audit, producer, "audit", e);
	io->gets = io->misses = 0;
	io->count = (__u32)(rounds * r->round_len);
	if (!rc)
		rc = kernel_run_untimed(h->prog_audit, producer, "audit", e);
	if (!rc)
		rc = kernel_run_untimed(h->prog_collect, producer, "reading the audit's visits", e);
	if (rc)
		return rc;
	ret->gets = io->gets;
	ret->misses = io->misses;
	check_visits(s, r, rounds + 1, ret);
	ret->done = s->slots_seen;
	if (!ret->done)
		snprintf(ret->reason, sizeof(ret->reason), "the cache slots could not be read");
	return 0;
}

void kernel_leave(struct session *s, int row, uint32_t producer, bool *ret_evicted)
{
	struct half *h = session_half(s, row);
	struct lsb_io *io = &h->io[producer];
	__u32 tid = io->tid;
	struct err e = { 0 };

	*ret_evicted = false;
	if (s->layout.rows[row].seq && kernel_run_untimed(h->prog_foreign, producer, "looking at the slots", &e) == 0)
		*ret_evicted = io->foreign != 0;
	bpf_map_delete_elem(bpf_map__fd(h->skel->maps.producers), &tid);
}
