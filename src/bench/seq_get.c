// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * local-storage-cache-seq-get: maps 0, 1, ... n-1 and again. With more maps than slots every map finds the slot taken
 * by the one that shares it, so the share of misses jumps: the cliff.
 */
#include <errno.h>

#include "bench/bench_lib.h"

static int seq_sequence(const struct params *p, uint16_t **ret_seq, uint32_t *ret_len)
{
	uint32_t n = bench_nr_maps(p);
	uint16_t *seq = bench_new_sequence(n);

	if (!seq)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		seq[i] = (uint16_t)i;
	*ret_seq = seq;
	*ret_len = n;
	return 0;
}

static void seq_expected(const struct params *p, uint64_t iterations, struct counters *ret)
{
	*ret = (struct counters){
		.ops = iterations,
		.hits = iterations,
		.important_hits = bench_ceil_div(iterations, bench_nr_maps(p)),
	};
}

extern const struct bench bench_seq_get;
const struct bench bench_seq_get = {
	.name = "local-storage-cache-seq-get",
	.summary = "task storage: n maps read one after another",
	.operation = "a get, with create-if-absent, on map i mod n for i = 0, 1, ...",
	.family = BENCH_STORAGE,
	.dflt_store = "task",
	.params = bench_params_nr_maps,
	.swept = "nr_maps",
	.sweep = bench_published_maps,
	.nr_sweep = BENCH_PUBLISHED_MAPS,
	.nr_maps = bench_nr_maps,
	.sequence = seq_sequence,
	.slot = bench_slot_modulo,
	.expected = seq_expected,
	.warm_in_order = true,
};
