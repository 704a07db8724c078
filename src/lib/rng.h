/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): small, seeded, the same on
 * every machine. For orders and simulated noise, not for secrets.
 */
#pragma once

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline uint64_t rng_next(struct rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return rng_mix(r->state);
}

/* Uniform in 0 .. n-1 without the bias of a modulo (Lemire's method); n > 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	unsigned __int128 m = (unsigned __int128)rng_next(r) * n;

	while ((uint64_t)m < n && (uint64_t)m < -n % n)
		m = (unsigned __int128)rng_next(r) * n;
	return (uint64_t)(m >> 64);
}

/* Uniform in (0, 1), both ends excluded. */
static inline double rng_unit(struct rng *r)
{
	return ((double)(rng_next(r) >> 11) + 0.5) * 0x1p-53;
}
