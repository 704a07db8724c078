/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files core/machine*.c only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/machine.h"

#define MACHINE_LINE_MAX 16384 /* the "flags" line of /proc/cpuinfo is the longest one of interest */

/* root + path for reading, -1 if it cannot be; never waits for a fifo. */
int machine_open(const char *root, const char *path);
/*
 * Calls line(arg, text) for each line of root + path without its newline, cut to MACHINE_LINE_MAX, until it returns
 * false. Reads at most a few MiB whatever the file holds. False if it cannot be opened.
 */
bool machine_each_line(const char *root, const char *path, bool (*line)(void *arg, char *text), void *arg);
/* The first line, blanks at its end cut, made printable. False and "" if there is none. */
bool machine_first_line(const char *root, const char *path, char *buf, size_t size);
/* The first line is a whole number, nothing else. */
bool machine_number(const char *root, const char *path, unsigned long long *ret);
bool machine_exists(const char *root, const char *path);
/* One of `words` (NULL-terminated) stands in brackets in the text: "none [integrity] ..." -> "integrity". NULL if not. */
const char *machine_bracketed(const char *text, char open, char close, const char *const *words);

/* machine_config.c: jit, preempt, debug; needs m->kernel. */
void machine_read_config(const char *root, struct machine *m);
/* machine_virt.c: virt; needs m->arch. */
void machine_read_virt(const char *root, struct machine *m);
