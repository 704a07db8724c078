/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several benchmarks share: sequences of map indices and the slot every published benchmark intends. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/bench.h"

#define BENCH_MAPS_MAX 1000

/* One parameter "nr_maps", 1..1000. */
extern const struct bench_param bench_params_nr_maps[];

/* The published numbers of maps. */
#define BENCH_PUBLISHED_MAPS 8
extern const uint64_t bench_published_maps[BENCH_PUBLISHED_MAPS];

/* The parameter nr_maps of `p`, 1000 if it is not there. */
uint32_t bench_nr_maps(const struct params *p);
/* An array for `len` map indices, all 0; NULL: out of memory. */
uint16_t *bench_new_sequence(uint32_t len);
/* i mod slots. */
uint32_t bench_slot_modulo(const struct params *p, uint32_t i, uint32_t nr_slots);
/* Rounded up; b > 0. */
uint64_t bench_ceil_div(uint64_t a, uint64_t b);
