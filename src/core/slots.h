/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slot cache of bpf_local_storage as a model: a get on a map whose element stands in its slot hits, else
 * it misses and takes the slot (kernel/bpf/bpf_local_storage.c, bpf_local_storage_lookup). Simulated from the
 * slots the maps really have; never tabulated.
 */
#pragma once

#include <stdint.h>

#include "core/results.h"

/* Share of gets that miss, steady state, when `seq` (indices of maps, len of them) repeats for ever. slot[i] is
 * the slot of map i; a map whose slot is not below nr_slots always misses. NAN if len == 0. */
double slots_miss_share(const uint8_t *slot, uint32_t nr_slots, const uint16_t *seq, uint32_t len);
/* The same, counted: misses in one round of the sequence in the steady state. */
uint64_t slots_misses_per_round(const uint8_t *slot, uint32_t nr_slots, const uint16_t *seq, uint32_t len);
/* Sequential gets over nr_maps maps with slot i mod nr_slots, the published pattern: the share that misses. NAN if
 * nr_maps is 0 or nr_slots is not in 1..256. */
double slots_seq_miss_share(uint32_t nr_slots, uint32_t nr_maps);
