// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * local-storage-hit: the task has elements of L maps and one of them is read, again and again: it stands in its slot
 * and every get hits, whatever L. The others take the other slots, so that nothing but a foreign map can evict it.
 */
#include <errno.h>

#include "bench/bench_lib.h"

static const struct bench_param hit_params[] = {
	{ .name = "list_len",
	  .dflt = 16,
	  .min = 1,
	  .max = BENCH_MAPS_MAX,
	  .dflt_text = "16",
	  .unit = "maps",
	  .doc = "number of maps the task has storage of; one of them is read" },
	{ .name = NULL },
};

static uint32_t hit_nr_maps(const struct params *p)
{
	return (uint32_t)params_num(p, "list_len", hit_params[0].dflt);
}

static int hit_sequence(const struct params *p, uint16_t **ret_seq, uint32_t *ret_len)
{
	uint16_t *seq = bench_new_sequence(1);

	(void)p;
	if (!seq)
		return -ENOMEM;
	*ret_seq = seq;
	*ret_len = 1;
	return 0;
}

/* Does not depend on the parameters: rows of different length share one list of maps. */
static uint32_t hit_slot(const struct params *p, uint32_t i, uint32_t nr_slots)
{
	(void)p;
	if (i == 0 || nr_slots < 2)
		return 0;
	return 1 + (i - 1) % (nr_slots - 1);
}

static void hit_expected(const struct params *p, uint64_t iterations, struct counters *ret)
{
	(void)p;
	*ret = (struct counters){ .ops = iterations, .hits = iterations, .important_hits = iterations };
}

extern const struct bench bench_local_storage_hit;
const struct bench bench_local_storage_hit = {
	.name = "local-storage-hit",
	.summary = "task storage: one map of L read again and again, always a cache hit",
	.operation = "a get, with create-if-absent, on the one map that stands in its slot",
	.family = BENCH_STORAGE,
	.dflt_store = "task",
	.params = hit_params,
	.swept = "list_len",
	.nr_maps = hit_nr_maps,
	.sequence = hit_sequence,
	.slot = hit_slot,
	.expected = hit_expected,
	.warm_in_order = true,
};
