/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which row belongs where: rows come in any order and from benchmarks this lsbench may not know. Rows that differ in
 * one parameter only (maps, keys) form a group. Private to src/report and its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/results.h"
#include "report/report.h"

enum row_kind { KIND_HASH, KIND_HASH_TID, KIND_SEQ, KIND_INT, KIND_HIT, KIND_MISS, KIND_OTHER };

enum row_kind row_kind(const struct row *row);
/* Maps, keys, list length: what the row's group varies. NULL if the row has no number at all. */
const struct param *row_main_param(const struct row *row);
/* There are figures to show: measured, not refused, and at least one get returned a value. */
bool row_has_figures(const struct row *row);
/* Million gets a second from gross ns; NAN if there are no figures. Important: on map 0. */
double row_mops(const struct row *row);
double row_important_mops(const struct row *row);

struct row_place {
	int row;	    /* index in res->rows */
	int group;	    /* same number: same group, one after another */
	uint64_t x;	    /* value of the main parameter */
	const char *x_name; /* its name: usually row_main_param()'s, but the swept one where two could be */
};

/* All rows, sorted: groups in the order of enum row_kind, within a group by x. Caller frees. 0 or -ENOMEM. */
int rows_place(const struct results *res, struct row_place **ret);
/* "hash, random keys: capacity 4194304, all filled, zero seed", safe to print. */
void rows_title(const struct results *res, const struct row_place *first, const struct report_style *style, char *buf,
		size_t size);
/* report_row_name, in ASCII if the style is. */
const char *row_name_in(const struct row *row, const struct report_style *style, char *buf, size_t size);
