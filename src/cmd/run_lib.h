/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `lsbench run`; every parameter of every benchmark is one of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/measure_lib.h"
#include "core/bench.h"

#define RUN_VALUES_MAX 64

struct run_value {
	const char *param; /* as in the benchmarks' tables: "nr_maps" */
	const char *text;
};

struct run_cpus {
	const char *option; /* NULL: not given */
	int *v;		    /* owned */
	size_t n;
};

struct run_command {
	struct measure measure;
	bool list, affinity;
	const char *cpu; /* text */
	const char *bench_name;
	const struct bench *bench;
	uint64_t duration_s, warmup_s, producers, consumers;
	struct run_cpus prod_cpus, cons_cpus;
	struct run_value values[RUN_VALUES_MAX];
	int nr_values;
	/* from run_command_check() */
	struct params params;
	int *cpus; /* owned; one for each producer, NULL: not pinned */
};

/* The table is made at the first call, from the benchmarks there are; the context of set() is a struct run_command. */
const struct options *run_option_table(void);

void run_command_init(struct run_command *c);
void run_command_free(struct run_command *c);
/* After all options (not with --list): finds the benchmark, its parameters, a CPU for every producer. */
int run_command_check(struct run_command *c, struct err *e);
