// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared pieces of the benchmarks in this folder; not a benchmark itself (mk/registry.sh leaves *_lib.c out). */
#include "bench/bench_lib.h"

#include <stdlib.h>

const struct bench_param bench_params_nr_maps[] = {
	{ .name = "nr_maps",
	  .dflt = 1000,
	  .min = 1,
	  .max = BENCH_MAPS_MAX,
	  .dflt_text = "1000",
	  .unit = "maps",
	  .doc = "number of local-storage maps that are read in turn" },
	{ .name = NULL },
};

const uint64_t bench_published_maps[BENCH_PUBLISHED_MAPS] = { 1, 10, 16, 17, 24, 32, 100, 1000 };

uint32_t bench_nr_maps(const struct params *p)
{
	return (uint32_t)params_num(p, "nr_maps", bench_params_nr_maps[0].dflt);
}

uint16_t *bench_new_sequence(uint32_t len)
{
	return calloc(len ? len : 1, sizeof(uint16_t));
}

uint32_t bench_slot_modulo(const struct params *p, uint32_t i, uint32_t nr_slots)
{
	(void)p;
	return nr_slots ? i % nr_slots : 0;
}

uint64_t bench_ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}
