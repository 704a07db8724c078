/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warnings of rows: one letter in the table, a written explanation with advice below it for those that occur. Private
 * to src/report and its tests.
 */
#pragma once

#include <stdio.h>

#include "core/results.h"
#include "report/report.h"

#define FLAGS_UNKNOWN_MAX 9 /* warnings of a newer lsbench that get a digit each; all others share '?' */

struct flags {
	/* Names that this lsbench does not know, in the order met; digit '1' and up. They belong to the results. */
	const char *unknown[FLAGS_UNKNOWN_MAX];
	int nr_unknown;
	bool more_unknown;
};

void flags_collect(const struct results *res, struct flags *ret);
/* The letters of one row, in a fixed order; "" if it has none. At most size - 1, a '+' stands for the rest. */
void flags_of(const struct flags *flags, const struct row *row, bool unit_insn, char *buf, size_t size);
/* The explanations of those that occur; nothing if none does. */
void flags_legend(const struct flags *flags, const struct results *res, const struct report_style *style, FILE *f);
