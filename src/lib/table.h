/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An aligned text table: cells are strings, columns are as wide as their widest cell, two spaces between
 * them. The whole table is laid out before the first byte is written, trailing blanks are cut.
 */
#pragma once

#include <stdio.h>

#include "lib/err.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table;

struct table *table_new(void); /* NULL: out of memory (all other calls accept NULL and do nothing) */
void table_free(struct table *t);
void table_column(struct table *t, const char *heading, enum table_align align);
/* The next cell of the current row; the row ends when every column has one. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line across the table, between rows, e.g. "sequential"; indented by nothing. */
void table_heading(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* 0 or -ENOMEM (also for an earlier cell) or -EIO. */
int table_print(const struct table *t, FILE *f, struct err *e);
