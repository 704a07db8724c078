/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every output format for people is made of: figures with as many digits as they deserve, text from files
 * made harmless, paragraphs wrapped at 80 columns. Private to src/report and its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/report.h"

#define REPORT_COLUMNS 80 /* a mail's width: never more, whatever the terminal has */
#define FIG_MAX 24	  /* bytes of any figure made here, its end included */

enum ink { INK_BOLD, INK_DIM, INK_RED, INK_YELLOW, INK_GREEN, INK_ALARM };

/* The escape sequence that begins / ends a colour; "" if the style has none. */
const char *ink_begin(const struct report_style *style, enum ink ink);
const char *ink_end(const struct report_style *style);

/* A copy of `src` safe on this terminal: no control characters, no invalid UTF-8, only ASCII if the style is. */
void text_safe(char *dst, size_t size, const char *src, const struct report_style *style);
/* `indent` columns are free for `label`, the text stands right of them; %s arguments that came from a file must have
 * gone through text_safe. A word longer than a line is cut into pieces. */
void text_wrap(FILE *f, const char *label, int indent, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Appends to the string in buf; what does not fit is cut. */
void text_add(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* " ± " needs UTF-8. */
const char *text_plusminus(const struct report_style *style);

/* Digits after the point that a figure of this size deserves: three significant ones, at most two after the point. */
int fig_decimals(double v);
/* At most 7 columns: 0.15, 4.96, 62.7, 2750, 1e+07; "-" if not finite. buf has FIG_MAX bytes and is returned. */
const char *fig(char *buf, double v);
/* Instruction counts are exact: five significant digits. */
const char *fig_exact(char *buf, double v);
/* Ratios and rates go far below 1: 0.0073; at least two significant digits down to 0.0001. */
const char *fig_small(char *buf, double v);
/* "1/137" is easier to read than 0.0073 in a sentence: "137 times". */
const char *fig_factor(char *buf, double ratio);
/* A share as a percentage: 0, 11.8, 100; "-" if not finite. */
const char *fig_percent(char *buf, double share);
