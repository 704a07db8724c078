// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The slot cache, simulated. Not obvious: one round is warm-up enough. A get always leaves its own map in the
 * slot, so what a slot holds after a round is the last map of the round that uses it, whatever was there before.
 */
#include "core/slots.h"

#include <math.h>

#define SLOTS_SEQ_MAPS (2 * (UINT8_MAX + 1))
#define NOBODY UINT32_MAX

/*
 * A map without a slot (slot not below nr_slots: it could not be seen) is taken as one that never finds itself in the
 * cache, rather than as a neighbour of the other unseen ones.
 */
static uint64_t play_round(uint32_t *holder, const uint8_t *slot, uint32_t nr_slots, const uint16_t *seq, uint32_t len)
{
	uint64_t misses = 0;

	for (uint32_t i = 0; i < len; i++) {
		uint32_t map = seq[i];

		if (slot[map] >= nr_slots) {
			misses++;
		} else if (holder[slot[map]] != map) {
			misses++;
			holder[slot[map]] = map;
		}
	}
	return misses;
}

uint64_t slots_misses_per_round(const uint8_t *slot, uint32_t nr_slots, const uint16_t *seq, uint32_t len)
{
	uint32_t holder[UINT8_MAX + 1];

	for (uint32_t i = 0; i <= UINT8_MAX; i++)
		holder[i] = NOBODY;
	play_round(holder, slot, nr_slots, seq, len);
	return play_round(holder, slot, nr_slots, seq, len);
}

double slots_miss_share(const uint8_t *slot, uint32_t nr_slots, const uint16_t *seq, uint32_t len)
{
	if (len == 0)
		return NAN;
	return (double)slots_misses_per_round(slot, nr_slots, seq, len) / len;
}

double slots_seq_miss_share(uint32_t nr_slots, uint32_t nr_maps)
{
	uint8_t slot[SLOTS_SEQ_MAPS];
	uint16_t seq[SLOTS_SEQ_MAPS];

	if (nr_slots == 0 || nr_slots > UINT8_MAX + 1 || nr_maps == 0)
		return NAN;
	/* Two maps in every slot evict each other for ever; a third changes nothing. */
	if (nr_maps > 2 * nr_slots)
		nr_maps = 2 * nr_slots;
	for (uint32_t i = 0; i < nr_maps; i++) {
		slot[i] = (uint8_t)(i % nr_slots);
		seq[i] = (uint16_t)i;
	}
	return slots_miss_share(slot, nr_slots, seq, nr_maps);
}
