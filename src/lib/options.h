/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines by glibc's argp tables (struct argp_option): data that --help (laid out by argp), bash completion
 * and the parser read. What argp's own parser cannot do is done here: `_` and `-` are the same in option names,
 * names must be whole (no prefixes), an unknown one is refused with the nearest name, every refusal is a struct err
 * of class ERR_USAGE, and nothing here exits or prints (except options_help).
 */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"

struct options {
	const char *command;		 /* "lsbench sweep", for messages and --help */
	const char *args_doc;		 /* "FILE...", NULL: no arguments accepted */
	const char *doc;		 /* text of --help; \v splits before/after the options as in argp */
	const struct argp_option *table; /* NULL-terminated; -h/--help is added */
	/* One option (key as in the table) or one plain argument (key OPTIONS_ARG). `name` is the option as the
	 * table has it, "--nr_maps" or "-d", for messages. Returns 0 or -errno with e set. */
	int (*set)(void *ctx, int key, const char *name, const char *value, struct err *e);
};

#define OPTIONS_ARG 0x1000001

/*
 * argv[0] is skipped; options and arguments may stand in any order, "--" ends the options. *ret_help: --help was given
 * (nothing else was parsed after it). 0 or -errno, e set.
 */
int options_parse(const struct options *o, int argc, char **argv, void *ctx, bool *ret_help, struct err *e);
/* The --help text, at most 80 columns wide. */
void options_help(const struct options *o, FILE *f);
/* Calls emit(arg, "--name" or "-x", takes_value) for every visible option of the table, --help included. */
void options_each(const struct options *o, void (*emit)(void *arg, const char *option, bool takes_value), void *arg);
