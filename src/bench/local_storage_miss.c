// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * local-storage-miss: maps 0 and 1 share a slot and are read in turn, so each evicts the other and every get misses.
 * They are touched first and so stand at the tail of the list (new elements go to its head): each miss walks all of it.
 */
#include <errno.h>

#include "bench/bench_lib.h"
#include "lib/cleanup.h"

static const struct bench_param miss_params[] = {
	{ .name = "list_len",
	  .dflt = 32,
	  .min = 2,
	  .max = BENCH_MAPS_MAX,
	  .dflt_text = "32",
	  .unit = "maps",
	  .doc = "number of maps the task has storage of; two of them, which share a slot, are read in turn" },
	{ .name = NULL },
};

/* Three lengths: the cost of a list step for two stretches. */
static const uint64_t lens[] = { 2, 32, 100 };

static uint32_t miss_nr_maps(const struct params *p)
{
	return (uint32_t)params_num(p, "list_len", miss_params[0].dflt);
}

static int miss_sequence(const struct params *p, uint16_t **ret_seq, uint32_t *ret_len)
{
	uint16_t *seq = bench_new_sequence(2);

	(void)p;
	if (!seq)
		return -ENOMEM;
	seq[1] = 1;
	*ret_seq = seq;
	*ret_len = 2;
	return 0;
}

/* Does not depend on the parameters: rows of different length share one list of maps. */
static uint32_t miss_slot(const struct params *p, uint32_t i, uint32_t nr_slots)
{
	(void)p;
	if (i < 2 || nr_slots < 2)
		return 0;
	return 1 + (i - 2) % (nr_slots - 1);
}

static void miss_expected(const struct params *p, uint64_t iterations, struct counters *ret)
{
	(void)p;
	*ret = (struct counters){
		.ops = iterations,
		.hits = iterations,
		.important_hits = bench_ceil_div(iterations, 2),
	};
}

extern const struct bench bench_local_storage_miss;
const struct bench bench_local_storage_miss = {
	.name = "local-storage-miss",
	.summary = "task storage: two maps of one slot in turn, always a cache miss, L list elements",
	.operation = "a get, with create-if-absent, on a map whose slot the other one just took",
	.family = BENCH_STORAGE,
	.dflt_store = "task",
	.params = miss_params,
	.swept = "list_len",
	.sweep = lens,
	.nr_sweep = ARRAY_SIZE(lens),
	.nr_maps = miss_nr_maps,
	.sequence = miss_sequence,
	.slot = miss_slot,
	.expected = miss_expected,
	.warm_in_order = true,
};
