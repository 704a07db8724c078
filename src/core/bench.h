/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A benchmark as data: its name, its parameters, which maps one round of it touches. What runs in the kernel is
 * the timed loop all benchmarks share (bpf/storage.bpf.c, bpf/hash.bpf.c): either an access sequence over storage maps
 * or random keys in a hash. Adding one is adding src/bench/NAME.c with `const struct bench bench_NAME`; make writes the
 * registry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/point.h"
#include "lib/err.h"

enum bench_family { BENCH_STORAGE, BENCH_HASH };

struct bench_param {
	const char *name;	    /* "nr_maps": with underscores; the option is --nr_maps */
	char key;		    /* unused: 0 */
	const char *const *choices; /* NULL: a number */
	const char *dflt_text;
	uint64_t dflt, min, max;
	const char *unit; /* "maps", "keys" */
	const char *doc;  /* one line, for --help, list and the man page */
};

struct bench {
	const char *name;      /* "local-storage-cache-seq-get" */
	const char *summary;   /* one line */
	const char *operation; /* what one operation is */
	enum bench_family family;
	const char *dflt_store;		  /* "task", "hash" */
	const struct bench_param *params; /* ends with a NULL name */
	const char *swept;		  /* the parameter that a sweep varies: "nr_maps" */
	const uint64_t *sweep;		  /* its values in a sweep, nr_sweep of them; NULL: the default alone */
	size_t nr_sweep;
	/* Storage: maps that must exist for the task (hash: how many hashes), and the access sequence of one round as
	 * map indices. important: index that counts as important_hits. Sequence: caller frees; 0 or -ENOMEM. */
	uint32_t (*nr_maps)(const struct params *p);
	int (*sequence)(const struct params *p, uint16_t **ret_seq, uint32_t *ret_len);
	/* Intended slot of map i, given the number of slots: i mod slots in the published benchmarks. */
	uint32_t (*slot)(const struct params *p, uint32_t i, uint32_t nr_slots);
	/* Counters of N loop iterations by formula, for `run` and for checks. */
	void (*expected)(const struct params *p, uint64_t iterations, struct counters *ret);
	/* Do complete parameters go together? NULL: always. 0 or -EINVAL, ERR_USAGE naming both. */
	int (*check)(const struct params *p, struct err *e);
	bool warm_in_order; /* maps are touched 0, 1, 2 ... before the first batch: map 0 ends at the list's tail */
};

/* Registry (generated in bench/bench.c from the files in src/bench), NULL-terminated. */
extern const struct bench *const benches[];
const struct bench *bench_find(const char *name);
/* Every parameter of the bench that p lacks gets its default, all in the table's order; unknown or out-of-range ones,
 * or such that do not go together, are ERR_USAGE. */
int bench_complete_params(const struct bench *b, struct params *p, struct err *e);
/* Parses one value for one parameter; `option` as the user wrote it. */
int bench_set_param(const struct bench *b, const char *option, const char *name, const char *value, struct params *p,
		    struct err *e);
