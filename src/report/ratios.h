/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Storage against hash, as a small table and as sentences: part of report_sentences. Private to src/report. */
#pragma once

#include <stdio.h>

#include "report/report.h"

#define SENTENCE_INDENT 11

/* "4.81 ns [4.78, 4.85]", appended; without an interval it says so. unit may be "" */
void interval_add(char *buf, size_t size, struct interval i, const char *unit);
/* How many times faster or slower than each hash row; nothing if nothing is known. */
void ratios_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f);
/* From how many maps on each hash wins. */
void breakeven_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f);
