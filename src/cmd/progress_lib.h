/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line on the terminal that says where a sweep is; nothing at all where there is no terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/results.h"

struct progress {
	FILE *f;   /* NULL: show nothing */
	int width; /* columns of what is shown now */
	double started_s, drawn_s;
	double left_s; /* expected at left_at_s; NAN unknown */
	double left_at_s;
	int round, rounds; /* the round running now, from 1; how many are planned at least */
	int rounds_max;
	int row_in_round, rows_in_round;
};

/* Shows only if wanted and f is a terminal. */
void progress_init(struct progress *p, FILE *f, bool wanted, int rounds, int rounds_max, int rows, double expected_s);
/* `what` is happening now ("seq-get, 16 maps"). Redrawn at most 25 times a second. */
void progress_draw(struct progress *p, const char *what);
/* Takes the line away, e.g. before a message. */
void progress_clear(struct progress *p);
/* What would be drawn, cut to `columns`; buf is returned. */
const char *progress_text(const struct progress *p, const char *what, double now_s, int columns, char *buf,
			  size_t size);
