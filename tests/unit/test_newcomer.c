// SPDX-License-Identifier: GPL-2.0-or-later
/* Neighbours of a new map, against a simulation of how the kernel gives out slots. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/newcomer.h"

#define SLOTS 16

/* bpf_local_storage_cache_idx_get(): the first slot with the fewest users. */
static uint8_t kernel_gives(uint32_t *users, uint32_t slots)
{
	uint32_t best = 0;

	for (uint32_t s = 1; s < slots; s++)
		if (users[s] < users[best])
			best = s;
	users[best]++;
	return (uint8_t)best;
}

static void first_map_on_a_quiet_host(void **state)
{
	uint32_t users[SLOTS] = { 0 };
	uint8_t slot[96];
	struct newcomer n;

	(void)state;
	for (int i = 0; i < 96; i++)
		slot[i] = kernel_gives(users, SLOTS);
	assert_true(newcomer_from_slots(slot, 96, SLOTS, 0, &n));
	assert_true(n.exact);
	assert_int_equal(n.slot, 0);
	assert_int_equal(n.neighbours, 0);
	assert_int_equal(n.closing, 0);
}

/* Any users before, some of them maps that are closed already: slot and neighbours come out as they were. */
static void any_users_before(void **state)
{
	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		uint32_t slots = 2 + (uint32_t)random() % 31, users[64] = { 0 }, all = 0, others,
			 spread = 1 + (uint32_t)random() % 3;
		uint32_t level = (uint32_t)random() % 50;
		uint8_t slot[192];
		struct newcomer n;
		uint32_t before;

		for (uint32_t s = 0; s < slots; s++)
			all += users[s] = level + (uint32_t)random() % spread;
		/* Closed ones: fewer than a whole round, so that the level is not in doubt. */
		others = all > slots ? all - (uint32_t)random() % slots : all;
		uint32_t at_first[64];

		memcpy(at_first, users, sizeof(users));
		for (int i = 0; i < 192; i++)
			slot[i] = kernel_gives(users, slots);
		before = at_first[slot[0]];
		assert_true(newcomer_from_slots(slot, 192, slots, others, &n));
		assert_true(n.exact);
		assert_int_equal(n.slot, slot[0]);
		assert_int_equal(n.neighbours, before);
		assert_int_equal(n.closing, all - others);
	}
}

static void a_short_series_is_an_estimate(void **state)
{
	uint8_t slot[20];
	struct newcomer n;

	(void)state;
	/* Slot 15 has far more users than the others and never comes up. */
	for (int i = 0; i < 20; i++)
		slot[i] = (uint8_t)(i % 15);
	assert_true(newcomer_from_slots(slot, 20, SLOTS, 40, &n));
	assert_false(n.exact);
	assert_int_equal(n.neighbours, 2);
	assert_int_equal(n.closing, 0);
	assert_true(newcomer_from_slots(slot, 1, SLOTS, 0, &n));
	assert_false(n.exact);
	assert_int_equal(n.neighbours, 0);
}

static void nonsense_is_refused(void **state)
{
	static const uint8_t unseen[3] = { 0, 255, 1 }, fine[3] = { 0, 1, 2 };
	struct newcomer n = { .slot = 77 };

	(void)state;
	assert_false(newcomer_from_slots(unseen, 3, SLOTS, 0, &n));
	assert_false(newcomer_from_slots(fine, 0, SLOTS, 0, &n));
	assert_false(newcomer_from_slots(fine, 3, 0, 0, &n));
	assert_false(newcomer_from_slots(fine, 3, 100000, 0, &n));
	assert_int_equal(n.slot, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_map_on_a_quiet_host),
		cmocka_unit_test(any_users_before),
		cmocka_unit_test(a_short_series_is_an_estimate),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
