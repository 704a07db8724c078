/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `lsbench probe` finds, and how it is shown. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/engine_probe.h"
#include "core/machine.h"
#include "lib/err.h"

#define PROBE_CHECKS_MAX 64
#define PROBE_ADVICE_MAX 16

struct probe_list {
	int n;
	struct check v[PROBE_CHECKS_MAX];
};

/* probe --measure. Costs in ns per get, NAN where they were not measured. */
struct probe_measured {
	bool wanted, known; /* known: newcomer was found out */
	bool disturbed;	    /* another lsbench measured at the same time */
	struct probe_newcomer newcomer;
	double hit_ns, hit16_ns, miss_ns; /* one map of its own; sixteen; a neighbour's element in the slot */
	int trials;
	char why_not[2048]; /* what could not be found out, and why; "" if all was */
};

struct probe_report {
	struct machine machine;
	int programs;			  /* BPF programs loaded on this host; -1 unknown */
	struct probe_list system, kernel; /* shown in this order */
	int nr_advice;
	char advice[PROBE_ADVICE_MAX][320];
	struct probe_measured measured;
};

void probe_add(struct probe_list *list, const struct check *c); /* ignores what is beyond PROBE_CHECKS_MAX */
/* The first check, in the order shown, that must hold for a sweep and does not; NULL: a sweep can run. */
const struct check *probe_first_missing(const struct probe_report *r);
const struct check *probe_find(const struct probe_list *list, const char *name);
const char *probe_verdict_name(enum check_verdict v);

/* Fills system and advice from machine, programs and kernel, which must be filled before. */
void probe_system(struct probe_report *r);
/* The slot of a new map: asked before anything else, because other maps of ours would take and free slots. */
void probe_newcomer(struct probe_report *r);
/* A few trials of a hit and of a miss. 0, -EINTR after a signal; whatever else goes wrong is in measured.why_not. */
int probe_costs(struct probe_report *r);

void probe_print(const struct probe_report *r, FILE *f);
json_t *probe_encode(const struct probe_report *r); /* NULL: out of memory */
/* One or more lines of at most `width` columns: `first` before the first of them, blanks as wide as `indent` before the
 * rest. */
void probe_wrap(FILE *f, const char *first, int indent, const char *text, int width);
