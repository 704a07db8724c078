/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which rows a sweep measures: the published matrix (run_bench_local_storage.sh), or lists from the command line. A
 * plan is a struct results whose rows have points and no repetitions yet.
 */
#pragma once

#include "core/results.h"
#include "lib/err.h"

struct plan_options {
	const char *const *benches; /* names, NULL-terminated; NULL: the published three */
	const uint64_t *nr_maps;    /* NULL: the published list */
	size_t n_nr_maps;
	const uint64_t *nr_keys;
	size_t n_nr_keys;
	const struct params *common; /* values given for all rows of a bench that has such a parameter; may be NULL */
	bool isolating;		     /* add the local-storage-hit and -miss rows (default for the whole matrix) */
	bool tid_row;		     /* add the hash row with the task's own tid as key */
};

/* Adds the rows. A parameter in `common` that no bench of the plan has is ERR_USAGE, named. */
int plan_rows(const struct plan_options *opt, struct results *res, struct err *e);
/* Adds one row, all other parameters at their defaults: for refining. NULL: out of memory. */
struct row *plan_add_like(struct results *res, int like_row, const char *param, uint64_t value);
