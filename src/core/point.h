/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one row of a sweep is, as plain values: which benchmark, with which parameters, on which kind of map,
 * entered through which trigger with which loop. The same struct serves the plan, the engine and the results
 * file, whose rows may come from a newer lsbench: parameters are therefore a list of names and values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PARAMS_MAX 12
#define POINT_NAME_MAX 64

struct param {
	char name[32]; /* with underscores, as in results files: nr_maps */
	bool is_num;
	uint64_t num;  /* if is_num */
	char text[32]; /* else, e.g. hashmap_fill "all" */
};

struct params {
	int n;
	struct param v[PARAMS_MAX];
};

struct point {
	char bench[POINT_NAME_MAX];
	struct params params;
	char store[32];	  /* "task", "hash"; in the model the design's name */
	char trigger[16]; /* "raw_tp", "fentry", "syscall"; "" until the engine was asked */
	char loop[32];	  /* "hoisted", "sequence", "single" ...; "" until the engine was asked */
};

/* hits + nulls + errors = ops, always. */
struct counters {
	uint64_t ops;
	uint64_t hits;
	uint64_t important_hits;
	uint64_t nulls;
	uint64_t errors;
};

/* Saturates at INT64_MAX instead of wrapping. */
void counters_add(struct counters *sum, const struct counters *c);
/* hits + nulls + errors = ops */
bool counters_sum_holds(const struct counters *c);

/* NULL if there is no parameter of that name. The result belongs to `p`. */
const struct param *params_find(const struct params *p, const char *name);
/* The number, or `dflt` if absent or not a number. */
uint64_t params_num(const struct params *p, const char *name, uint64_t dflt);
/* The text, or `dflt` if absent or a number. */
const char *params_text(const struct params *p, const char *name, const char *dflt);
/* Set or replace. False if there is no room, a string is too long or the number is above INT64_MAX (a results file
 * cannot hold it); `p` is unchanged then. */
bool params_set_num(struct params *p, const char *name, uint64_t num);
bool params_set_text(struct params *p, const char *name, const char *text);
/* Same names and values, in any order. */
bool params_equal(const struct params *a, const struct params *b);
/* Same benchmark, parameters and store: the same row, whatever trigger or loop measured it. */
bool point_same_row(const struct point *a, const struct point *b);
