/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `lsbench sweep` and the plan they mean. */
#pragma once

#include "cmd/measure_lib.h"
#include "core/plan.h"
#include "core/run.h"
#include "report/report.h"

#define SWEEP_BENCHES_MAX 32

struct sweep_list {
	uint64_t *v; /* owned */
	size_t n;
};

struct sweep_options {
	struct measure measure;
	struct run_options run;
	const struct report_format *format;
	const char *output; /* -o, NULL: standard output */
	bool cpu_given;
	struct sweep_list nr_maps, nr_keys, list_len; /* n = 0: the default */
	const char *benches[SWEEP_BENCHES_MAX + 1];
	int nr_benches; /* 0: the published three */
	struct params common;
	bool no_isolating, dry_run;
};

/* The option table; the context of its set() is a struct sweep_options. */
extern const struct options sweep_option_table;

void sweep_options_init(struct sweep_options *o);
void sweep_options_free(struct sweep_options *o);
/* After all options: do they go together? Also settles the CPU. */
int sweep_options_check(struct sweep_options *o, struct err *e);

/* Adds the rows to `res` (initialised). */
int sweep_plan(const struct sweep_options *o, struct results *res, struct err *e);
/* How many rows, rounds and seconds; with `rows` each row by name, too. */
void sweep_print_plan(const struct sweep_options *o, const struct results *res, bool rows, FILE *f);
/* What the hashes of one trial take in memory, all of them at once: about 80 bytes an entry, preallocated. */
double sweep_hash_bytes(const struct results *res);
