/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results file (docs/results.md): JSON Lines, one object a line. Writing: FILE.partial while measuring, every line
 * flushed, renamed at the end. Reading: any file of schema lsbench/1, whole, partial or cut in its last line.
 */
#pragma once

#include <stdio.h>

#include "core/analysis.h"
#include "core/results.h"
#include "lib/err.h"

/* ---- writing; every call returns 0 or -errno with e naming the file ---- */
struct results_writer; /* NULL is a writer that keeps nothing: every call succeeds */

/* Creates PATH.partial and writes the run line. PATH.partial of a measurement still running (locked) is refused. */
int results_writer_open(const char *path, const struct run_info *run, struct results_writer **ret, struct err *e);
int results_writer_rep(struct results_writer *w, const struct row *row, const struct rep *rep, struct err *e);
int results_writer_batch(struct results_writer *w, const struct row *row, int trial, uint32_t batch, double gross,
			 double overhead, struct err *e);
int results_writer_point(struct results_writer *w, const struct row *row, struct err *e);
/* Analysis and end line, fsync, rename to PATH; frees. With complete false (a signal) the rename happens without an end
 * line. */
int results_writer_finish(struct results_writer *w, const struct results *res, const struct analysis *a, bool complete,
			  int exit_status, struct err *e);
/* Frees and leaves PATH.partial where it is (an error that must not lose data). */
void results_writer_abandon(struct results_writer *w);
/* Frees and removes PATH.partial: nothing was measured. */
void results_writer_discard(struct results_writer *w);

/* All lines of a finished run to a stream (report --format jsonl). */
int results_write_all(const struct results *res, const struct analysis *a, FILE *f, struct err *e);

/* ---- reading ---- */
/*
 * Fills ret (initialised by the caller, freed by results_free). Errors are ERR_FAILED, one line, naming path and line
 * number: not there, empty, not JSON, another schema (both versions named), a line over 1 MiB, no repetition at all.
 * Notes (a partial file, a line cut short, unknown kinds) are appended to ret->run.warnings.
 */
int results_read(const char *path, struct results *ret, struct err *e);
int results_read_stream(FILE *f, const char *name, struct results *ret, struct err *e);
