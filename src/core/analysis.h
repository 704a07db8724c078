/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cliff of one run (statistics D), computed from its repetitions. Recomputed by any reader, never trusted. */
#pragma once

#include "core/results.h"
#include "stats/cliff.h"

#define ANALYSIS_MAX 64

/* Lists that would be longer are thinned evenly, first and last entry kept. */
struct analysis {
	bool known; /* false: too few seq-get rows for a cliff; why_not says what is missing. Only slots_btf,
		     * breakeven and ratio may be filled then */
	char why_not[160];
	int slots_btf;		      /* 0 unknown */
	struct cliff_bracket bracket; /* may be unknown by itself: every row too wide to be judged */
	uint32_t onset_maps;	      /* first number of maps at which gets miss by the slots (simulation), 0 unknown */
	uint32_t all_miss_maps;	      /* from here every get misses, 0 unknown */
	struct interval hit;	      /* net, of the flat rows; n counts trials */
	int nr_miss;
	/* cost: what a miss costs more than a hit, in net */
	struct {
		uint32_t maps;
		double share;
		struct interval cost;
	} miss[ANALYSIS_MAX];
	int nr_walk;
	struct {
		uint32_t from, to;
		struct interval per_step;
	} walk[ANALYSIS_MAX];
	int nr_breakeven;
	struct {
		int hash_row;
		struct cliff_breakeven at;
	} breakeven[ANALYSIS_MAX];
	int nr_ratio; /* cost of the hash row over the cost of the storage row (gross in ns, net in insn) */
	struct {
		int hash_row, storage_row;
		struct interval ratio;
	} ratio[ANALYSIS_MAX * 4];
	/*
	 * The isolating rows beside the curve: measured directly over what the curve implies. what: "hit" (net of
	 * local-storage-hit, against hit above); "miss" (net of local-storage-miss less the direct hit, against the
	 * curve's miss at the number of maps that walks as far); "list step" (this and the next shorter
	 * local-storage-miss row, against the stretches between). Lengths outside of the curve's always-missing rows
	 * are left out.
	 */
	int nr_isolated;
	struct {
		int row;
		const char *what;
		struct interval direct, curve, ratio;
	} isolated[ANALYSIS_MAX];
};

/* rows of `res` must be summarized. */
void analysis_compute(const struct results *res, struct analysis *ret);
