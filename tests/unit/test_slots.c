// SPDX-License-Identifier: GPL-2.0-or-later
/* The slot model against the published table exactly, and against hand-made patterns. */
#include "unit.h"

#include <math.h>

#include "core/slots.h"

#define MAPS_MAX 1000

static uint32_t sequential(uint32_t n, uint16_t *seq)
{
	for (uint32_t i = 0; i < n; i++)
		seq[i] = (uint16_t)i;
	return n;
}

/* After every map whose index is a multiple of 3 one more get on map 0. */
static uint32_t interleaved(uint32_t n, uint16_t *seq)
{
	uint32_t len = 0;

	for (uint32_t i = 0; i < n; i++) {
		seq[len++] = (uint16_t)i;
		if (i % 3 == 0)
			seq[len++] = 0;
	}
	return len;
}

static void cyclic_slots(uint8_t *slot, uint32_t n, uint32_t nr_slots)
{
	for (uint32_t i = 0; i < n; i++)
		slot[i] = (uint8_t)(i % nr_slots);
}

/* Misses and gets of a round as integers, so that nothing is lost in rounding: 17 maps miss 2 of 17 and 2 of 23. */
static void test_published_table(void **state)
{
	static const struct {
		uint32_t maps;
		uint64_t seq_misses, int_misses;
		double seq_share, int_share;
	} rows[] = {
		{ 1, 0, 0, 0, 0 },
		{ 10, 0, 0, 0, 0 },
		{ 16, 0, 0, 0, 0 },
		{ 17, 2, 2, .118, .087 },
		{ 24, 16, 16, .667, .500 },
		{ 32, 32, 32, 1.000, .744 },
		{ 100, 100, 105, 1.0, .784 },
		{ 1000, 1000, 1061, 1.0, .795 },
	};
	static uint16_t seq[2 * MAPS_MAX];
	static uint8_t slot[MAPS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t n = rows[i].maps, len;

		cyclic_slots(slot, n, 16);
		len = sequential(n, seq);
		assert_int_equal(slots_misses_per_round(slot, 16, seq, len), rows[i].seq_misses);
		assert_true(fabs(slots_miss_share(slot, 16, seq, len) - rows[i].seq_share) < .0005);
		assert_true(slots_seq_miss_share(16, n) == slots_miss_share(slot, 16, seq, len));
		len = interleaved(n, seq);
		assert_int_equal(slots_misses_per_round(slot, 16, seq, len), rows[i].int_misses);
		assert_true(fabs(slots_miss_share(slot, 16, seq, len) - rows[i].int_share) < .0005);
	}
}

/* The formula of statistics D17, for every number of slots that could come. */
static void test_formula(void **state)
{
	(void)state;
	for (uint32_t slots = 1; slots <= 256; slots++)
		for (uint32_t n = 1; n <= 3 * slots; n++) {
			double expected = n <= slots ? 0 : n >= 2 * slots ? 1 : 2.0 * (n - slots) / n;

			assert_true(fabs(slots_seq_miss_share(slots, n) - expected) < 1e-12);
		}
}

/* Trap 1 of the measurements: slots 14 and 15 still taken, so 16 maps collide on 14 slots. */
static void test_disturbed_pattern(void **state)
{
	uint8_t slot[16];
	uint16_t seq[16];

	(void)state;
	cyclic_slots(slot, 16, 14);
	assert_int_equal(slots_misses_per_round(slot, 16, seq, sequential(16, seq)), 4);
}

static void test_small_sequences(void **state)
{
	const uint8_t same[] = { 3, 3, 4 };
	const uint16_t alternating[] = { 0, 1 }, one[] = { 0 }, again[] = { 0, 0, 1, 1 }, free_slot[] = { 0, 2 };

	(void)state;
	assert_true(slots_miss_share(same, 16, alternating, 2) == 1);
	assert_true(slots_miss_share(same, 16, one, 1) == 0);
	assert_true(slots_miss_share(same, 16, again, 4) == .5);
	assert_true(slots_miss_share(same, 16, free_slot, 2) == 0);
}

static void test_hostile(void **state)
{
	const uint8_t unseen[] = { 255, 255, 0 };
	const uint16_t seq[] = { 0, 1, 2 };

	(void)state;
	assert_true(isnan(slots_miss_share(unseen, 16, seq, 0)));
	assert_int_equal(slots_misses_per_round(unseen, 16, seq, 0), 0);
	assert_int_equal(slots_misses_per_round(unseen, 16, seq, 3), 2);
	assert_int_equal(slots_misses_per_round(unseen, 0, seq, 3), 3);
	assert_int_equal(slots_misses_per_round(unseen, UINT32_MAX, seq, 3), 2);
	assert_true(isnan(slots_seq_miss_share(0, 5)));
	assert_true(isnan(slots_seq_miss_share(16, 0)));
	assert_true(isnan(slots_seq_miss_share(257, 5)));
	assert_true(isnan(slots_seq_miss_share(UINT32_MAX, UINT32_MAX)));
	assert_true(slots_seq_miss_share(256, UINT32_MAX) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_table),	  cmocka_unit_test(test_formula),
		cmocka_unit_test(test_disturbed_pattern), cmocka_unit_test(test_small_sequences),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
