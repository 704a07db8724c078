// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * local-storage-cache-int-get: as seq-get, and after every map whose index is a multiple of 3 map 0 once more: the
 * storage of one important program read between those of many others.
 */
#include <errno.h>

#include "bench/bench_lib.h"

#define EVERY 3

static int int_sequence(const struct params *p, uint16_t **ret_seq, uint32_t *ret_len)
{
	uint32_t n = bench_nr_maps(p), len = 0;
	uint16_t *seq = bench_new_sequence(n + (uint32_t)bench_ceil_div(n, EVERY));

	if (!seq)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		seq[len++] = (uint16_t)i;
		if (i % EVERY == 0)
			seq[len++] = 0;
	}
	*ret_seq = seq;
	*ret_len = len;
	return 0;
}

static void int_expected(const struct params *p, uint64_t iterations, struct counters *ret)
{
	uint32_t n = bench_nr_maps(p);
	uint64_t extra = iterations / n * bench_ceil_div(n, EVERY) + bench_ceil_div(iterations % n, EVERY);

	*ret = (struct counters){
		.ops = iterations + extra,
		.hits = iterations + extra,
		.important_hits = bench_ceil_div(iterations, n) + extra,
	};
}

extern const struct bench bench_int_get;
const struct bench bench_int_get = {
	.name = "local-storage-cache-int-get",
	.summary = "task storage: n maps read in turn, map 0 again after every third",
	.operation = "a get, with create-if-absent, on map i mod n, and on map 0 after each multiple of 3",
	.family = BENCH_STORAGE,
	.dflt_store = "task",
	.params = bench_params_nr_maps,
	.swept = "nr_maps",
	.sweep = bench_published_maps,
	.nr_sweep = BENCH_PUBLISHED_MAPS,
	.nr_maps = bench_nr_maps,
	.sequence = int_sequence,
	.slot = bench_slot_modulo,
	.expected = int_expected,
	.warm_in_order = true,
};
