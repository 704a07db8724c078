/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cliff analysis (statistics D): from a curve of cost against number of maps to the number of cache slots
 * it shows, the cost of a hit, of a miss and of a list step, and where a hash wins. Numbers in, numbers out.
 * All inputs are sorted by maps, ascending.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

struct cliff_row {
	uint32_t maps;
	const double *values; /* per repetition: gross for the bracket (ns), net in instructions */
	size_t n;
	const int *trials; /* the trial of each value; NULL: its position */
	bool exact;	   /* counts that repeat: the smallest value stands for the row, without a width */
};

/* Rows with so many maps or fewer are the pool that the others are held against: they are taken as hits. */
#define CLIFF_POOL_MAPS 10
/* A row is raised if its ratio to the pool is surely above 1.03, flat if it is surely below 1.08 and not raised. */
#define CLIFF_RAISED_ABOVE 1.03
#define CLIFF_FLAT_BELOW 1.08

enum cliff_state { CLIFF_UNDECIDED, CLIFF_FLAT, CLIFF_RAISED };

struct cliff_bracket {
	bool known;	   /* at least one flat row beyond the pool or raised row */
	uint32_t slots_lo; /* largest flat n; 0 if none */
	uint32_t slots_hi; /* smallest raised n - 1; 0 if none is raised (no cliff seen up to the largest n) */
	bool disturbed;	   /* a raised row below a flat one: the slot pattern was disturbed. lo is then the largest
			    * flat n below every raised one, hi the smallest raised n above every flat one, - 1 */
	bool adjacent;	   /* slots_lo == slots_hi */
	uint32_t next;	   /* what cliff_next returns */
};

/*
 * D18. ret_state: array of n, may be NULL. The pool is flat by definition: its own rows differ a little (one map is not
 * ten), and a row cannot be judged against itself. Rows with maps 0 stay undecided.
 */
struct cliff_bracket cliff_bracket(const struct cliff_row *rows, size_t n, enum cliff_state *ret_state);
/* The next number of maps to measure so that the bracket becomes adjacent: the one nearest to its middle that has
 * not been measured. 0 if none is needed or possible. */
uint32_t cliff_next(const struct cliff_bracket *b);

/*
 * D19: what a hit costs, from the flat rows: the median over trials of each trial's median over these rows. Repetitions
 * of one trial move together, so they are not counted as independent ones: the interval of all values pooled covers 91
 * % where half of the variance is the trial's (tests/unit/test_sim.c). n counts trials.
 */
struct interval cliff_hit(const struct cliff_row *net_rows, const enum cliff_state *state, size_t n);
/* D19: (net - hit) / share. Not known if share <= 0. */
struct interval cliff_miss(struct interval net, struct interval hit, double share);
/* D19: 2 (net2 - net1) / (n2 - n1). */
struct interval cliff_walk(uint32_t maps1, struct interval net1, uint32_t maps2, struct interval net2);

/*
 * D17, for exact counts only: net(n) = hit + share(n) (miss + step (n + 1) / 2), share = 2 (n - S) / n but at most 1
 * and at least 0. Known if one S fits every row within 2 % and no other S fits half as well. In ns a list step is not
 * constant, and this finds nonsense.
 */
struct cliff_point {
	uint32_t maps;
	struct interval cost;
};
#define CLIFF_SLOTS_MAX 256
struct cliff_model {
	bool known;
	uint32_t slots;
	double hit, miss, step; /* miss: what a miss costs more than a hit, walk not included */
	double worst;		/* largest |fit / measured - 1| */
};
struct cliff_model cliff_fit(const struct cliff_point *net, size_t n);

/*
 * The curve between its rows; unknown outside of them. What it does there was not measured: a straight line and a power
 * law may differ by half between 100 and 1000 maps. The interval takes in both, each with its rows' intervals by
 * square-and-add, and mid is their geometric mean.
 */
struct interval cliff_interpolate(const struct cliff_point *curve, size_t n, double maps);
struct cliff_breakeven {
	bool crosses; /* false: see `always` */
	int always;   /* -1: the curve is below the hash everywhere measured, 1: above everywhere, 0: undecided */
	double maps_lo, maps_hi; /* maps_hi INFINITY: certainly below the hash only up to maps_lo */
};
/* D20, log-log between rows. Points without an interval are left out. */
struct cliff_breakeven cliff_breakeven(const struct cliff_point *curve, size_t n, struct interval hash);
