/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many users each cache slot had, from the slots that new maps got. The kernel gives a new map the first slot with
 * the fewest users (bpf_local_storage_cache_idx_get), so a series of new maps fills up what is low; once every
 * slot has as many as the others, the series goes round in order, and the level is known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct newcomer {
	int slot;	/* of the first new map */
	int neighbours; /* maps that had it before */
	int closing;	/* maps that are closed and still hold a slot; 0 if not exact */
	bool exact;	/* the series was long enough to see the level; else neighbours is the mean, rounded down */
};

/*
 * slot: of n maps in the order they were created; others: maps of others that exist (by their ids). False if there is
 * no map, or a slot is not below nr_slots.
 */
bool newcomer_from_slots(const uint8_t *slot, uint32_t n, uint32_t nr_slots, uint32_t others, struct newcomer *ret);
