/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the writer and the reader of results files only: limits that both keep (what one writes the other must
 * accept) and the lines as JSON objects. Everyone else uses core/results_json.h.
 */
#pragma once

#include <jansson.h>

#include "core/analysis.h"
#include "core/results.h"
#include "lib/err.h"

#define RESULTS_SCHEMA "lsbench"
#define RESULTS_SCHEMA_MAJOR 1

/* A reader refuses more, naming the limit. docs/results.md states them. */
#define RESULTS_LINE_MAX (1024 * 1024)
#define RESULTS_ROWS_MAX 100000
#define RESULTS_REPS_MAX 5000000
#define RESULTS_COUNT_MAX 1000000000000000ULL /* 10^15: any counter of one repetition */
#define RESULTS_COST_MAX 1e12		      /* per operation */

/* Of argv so much is kept; the rest is shown as one argument "...". */
#define RESULTS_ARGV_MAX 256
#define RESULTS_ARGV_BYTES_MAX (64 * 1024)

/* ---- one line each; NULL: out of memory ---- */
json_t *results_encode_run(const struct run_info *run);
json_t *results_encode_rep(const struct row *row, const struct rep *rep);
json_t *results_encode_batch(const struct row *row, int trial, uint32_t batch, double gross, double overhead);
json_t *results_encode_point(const struct row *row, bool unit_insn);
/* What is known about the run only at its end: warnings, set-up times. */
json_t *results_encode_notes(const struct run_info *run);
json_t *results_encode_analysis(const struct results *res, const struct analysis *a);
json_t *results_encode_end(const struct results *res, int exit_status);
/* As text with its newline, to be freed; NULL: out of memory (also if `line` is NULL). Drops the reference. */
char *results_line(json_t *line, size_t *ret_len);

/* ---- the other way; 0 or -errno with e naming the field, its value and what was expected ---- */
int results_decode_run(const json_t *line, struct run_info *run, struct err *e);
int results_decode_notes(const json_t *line, struct run_info *run, struct err *e);
/* *ret_order: -1 if the line does not say. */
int results_decode_point_id(const json_t *line, struct point *ret, int *ret_order, struct err *e);
int results_decode_rep(const json_t *line, struct rep *ret, struct err *e);
/* Outcome, reason, warnings, slots, stopped_by, setup_ms; not what is recomputed from repetitions. */
int results_decode_point(const json_t *line, struct row *row, struct err *e);
int results_decode_end(const json_t *line, int *ret_points, int *ret_exit, struct err *e);
