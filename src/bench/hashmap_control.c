// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * local-storage-cache-hashmap-control: what a program without local storage would do, a hash from tid to data. Its cost
 * depends on capacity, fill and seed as much as on the number of keys looked up, so all of them are parameters of the
 * row.
 */
#include <errno.h>
#include <inttypes.h>

#include "bench/bench_lib.h"
#include "lib/cleanup.h"

static const char *const fills[] = { "all", "used", NULL };
static const char *const seeds[] = { "zero", "random", NULL };
static const char *const keys[] = { "random", "tid", NULL };

static const uint64_t published_keys[] = { 10, 1000, 10000, 100000, 4194304 };

static const struct bench_param hash_params[] = {
	{ .name = "hashmap_nr_keys_used",
	  .dflt = 1000,
	  .min = 1,
	  .max = 4194304,
	  .dflt_text = "1000",
	  .unit = "keys",
	  .doc = "number of different keys that are looked up" },
	{ .name = "nr_maps",
	  .dflt = 1,
	  .min = 1,
	  .max = BENCH_MAPS_MAX,
	  .dflt_text = "1",
	  .unit = "maps",
	  .doc = "number of such hashes, looked up in turn" },
	{ .name = "hashmap_capacity",
	  .dflt = 4194304,
	  .min = 1,
	  .max = 16777216,
	  .dflt_text = "4194304",
	  .unit = "keys",
	  .doc = "capacity of a hash, preallocated (about 80 bytes a key)" },
	{ .name = "hashmap_fill",
	  .choices = fills,
	  .dflt_text = "all",
	  .doc = "which keys are present: all the hash can hold, or only those that are used" },
	{ .name = "hashmap_seed",
	  .choices = seeds,
	  .dflt_text = "zero",
	  .doc = "seed of the hash function: zero, so that rows repeat, or random" },
	{ .name = "hashmap_key",
	  .choices = keys,
	  .dflt_text = "random",
	  .doc = "what is looked up: random keys, or the id of the running thread" },
	{ .name = NULL },
};

static uint32_t hash_nr_maps(const struct params *p)
{
	return (uint32_t)params_num(p, "nr_maps", 1);
}

static void hash_expected(const struct params *p, uint64_t iterations, struct counters *ret)
{
	*ret = (struct counters){
		.ops = iterations,
		.hits = iterations,
		.important_hits = bench_ceil_div(iterations, hash_nr_maps(p)),
	};
}

static int hash_check(const struct params *p, struct err *e)
{
	uint64_t used = params_num(p, "hashmap_nr_keys_used", 0), capacity = params_num(p, "hashmap_capacity", 0);

	if (used <= capacity)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		       "hashmap_nr_keys_used %" PRIu64 " is more than hashmap_capacity %" PRIu64
		       ": look up fewer keys or make the hash larger",
		       used, capacity);
}

extern const struct bench bench_hashmap_control;
const struct bench bench_hashmap_control = {
	.name = "local-storage-cache-hashmap-control",
	.summary = "hash of tid -> int: lookups of random keys",
	.operation = "a lookup of a random key below hashmap_nr_keys_used",
	.family = BENCH_HASH,
	.dflt_store = "hash",
	.params = hash_params,
	.swept = "hashmap_nr_keys_used",
	.sweep = published_keys,
	.nr_sweep = ARRAY_SIZE(published_keys),
	.nr_maps = hash_nr_maps,
	.expected = hash_expected,
	.check = hash_check,
};
