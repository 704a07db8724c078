/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output formats of one run's results. Nothing is measured and nothing is judged here. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/analysis.h"
#include "core/results.h"
#include "lib/err.h"

struct report_style {
	bool colour; /* terminal that wants it (NO_COLOR honoured by the caller) */
	bool utf8;   /* else ASCII bars and +- */
	int width;   /* columns, at least 80 are assumed */
};

struct report_format {
	const char *name; /* "table" ... */
	const char *summary;
	int (*write)(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f,
		     struct err *e);
};

extern const struct report_format report_table, report_selftests, report_csv, report_jsonl;
extern const struct report_format *const report_formats[]; /* NULL-terminated */
const struct report_format *report_find(const char *name);
void report_style_for(FILE *f, struct report_style *ret);
/* How people name a row: "seq-get, 16 maps"; buf is returned. */
const char *report_row_name(const struct row *row, char *buf, size_t size);
/* Seconds to "1 min 05 s". */
const char *report_duration(double s, char *buf, size_t size);
/* Sentences of the analysis, for the table format and the end of a sweep. */
void report_sentences(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f);
