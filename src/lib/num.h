/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and lists from the command line and from files, parsed whole: "10abc", "", " 5", a sign, an overflow
 * are errors (ERR_USAGE) that name `what` (the option as the user wrote it, "--nr_maps"), the value and the
 * range. Nothing is clamped.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

int num_parse_u64(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *ret, struct err *e);
/* A finite decimal number in [min, max]. */
int num_parse_double(const char *what, const char *text, double min, double max, double *ret, struct err *e);
/* "90", "90s", "1.5m", "250ms", "1h": nanoseconds; a bare number is seconds. */
int num_parse_duration(const char *what, const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns,
		       struct err *e);
/* "7:31": two numbers, lo <= hi. */
int num_parse_pair(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *ret_lo, uint64_t *ret_hi,
		   struct err *e);
/* "1,16..20,100": elements and inclusive ranges, sorted ascending, duplicates removed. Empty, reversed, out of
 * range or more than max_elems elements: an error, before anything of that size is allocated. Caller frees. */
int num_parse_list(const char *what, const char *text, uint64_t min, uint64_t max, size_t max_elems,
		   uint64_t **ret_list, size_t *ret_n, struct err *e);
/* "0-3,5": CPU numbers below max_cpus in the order written, duplicates removed. Caller frees. */
int num_parse_cpus(const char *what, const char *text, int max_cpus, int **ret_cpus, size_t *ret_n, struct err *e);
