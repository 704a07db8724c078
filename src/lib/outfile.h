/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output that never looks whole when it is not. A named file is written beside its place under a temporary
 * name and renamed when complete (fsync first); "-" and NULL are stdout. A full disk or a closed pipe is an
 * error of outfile_commit at the latest. Special files (/dev/full, /dev/null, a fifo) are written in place.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"

struct outfile {
	FILE *f;    /* write here */
	char *path; /* owned; NULL: stdout */
	char *tmp;  /* owned; NULL: written in place */
};

int outfile_open(const char *path, struct outfile *ret, struct err *e);
/* Flush, check for errors, rename. The outfile is closed either way. */
int outfile_commit(struct outfile *o, struct err *e);
/* Close and remove what was written; no effect after a commit. */
void outfile_discard(struct outfile *o);

/* Do both names lead to one regular file, or would they once it is there? */
bool outfile_same(const char *a, const char *b);

/* Flushes any stream: 0, or the errno of the first write that failed, also of one long ago. */
int outfile_flush_stream(FILE *f);
/* "closed pipe", "No space left on device" */
const char *outfile_why(int code);
