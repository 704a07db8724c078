// SPDX-License-Identifier: GPL-2.0-or-later
/* See newcomer.h. Maps that were closed keep their slot until after a grace period: they are what is left over. */
#include "core/newcomer.h"

#define SLOTS_POSSIBLE 256

/* The last nr_slots maps got all slots, each the one after the slot before. */
static bool goes_round(const uint8_t *slot, uint32_t n, uint32_t nr_slots)
{
	if (n < nr_slots)
		return false;
	for (uint32_t i = n - nr_slots + 1; i < n; i++)
		if (slot[i] != (slot[i - 1] + 1u) % nr_slots)
			return false;
	return true;
}

bool newcomer_from_slots(const uint8_t *slot, uint32_t n, uint32_t nr_slots, uint32_t others, struct newcomer *ret)
{
	uint32_t got[SLOTS_POSSIBLE] = { 0 }, ahead, level;
	uint64_t all = (uint64_t)others + n;

	if (!n || !nr_slots || nr_slots > SLOTS_POSSIBLE)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (slot[i] >= nr_slots)
			return false;
		got[slot[i]]++;
	}
	*ret = (struct newcomer){ .slot = slot[0], .neighbours = (int)(others / nr_slots) };
	if (!goes_round(slot, n, nr_slots))
		return true;
	/* Slots below `ahead` have level + 1 users now, the others level. Together that is every map that exists, and
	 * those that are being closed; and no slot had fewer than none before. */
	ahead = (slot[n - 1] + 1u) % nr_slots;
	level = all > ahead ? (uint32_t)((all - ahead + nr_slots - 1) / nr_slots) : 0;
	for (uint32_t s = 0; s < nr_slots; s++)
		while (level + (s < ahead) < got[s])
			level++;
	ret->neighbours = (int)(level + (slot[0] < ahead) - got[slot[0]]);
	ret->closing = (int)((uint64_t)level * nr_slots + ahead - all);
	ret->exact = true;
	return true;
}
