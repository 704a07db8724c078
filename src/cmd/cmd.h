/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A subcommand: src/cmd/NAME.c defines `const struct cmd cmd_NAME`; make writes the registry. A command prints (and
 * is the only place that does), returns the exit status (README, "Exit status"), and never exits.
 */
#pragma once

#include "lib/err.h"
#include "lib/options.h"

struct cmd {
	const char *name, *summary;
	/* The option table for --help, completion and the man page; may add options at run time (benchmark parameters).
	 */
	const struct options *(*options)(void);
	int (*run)(int argc, char **argv);
};

extern const struct cmd *const cmds[]; /* generated, NULL-terminated, sorted by name */
const struct cmd *cmd_find(const char *name);
/* Prints "lsbench: MESSAGE" to stderr and returns the exit status of the error's class. */
int cmd_fail(const struct err *e);
/* The same for what has no struct err: out of memory. */
int cmd_fail_memory(void);
/* "lsbench: WHATTEXT" as a line on stderr; the text may come from a file or the kernel and is made printable. */
void cmd_tell(const char *what, const char *text);

/* Commands whose only option is --json: their table and setter; ctx is a bool. */
extern const struct argp_option cmd_json_table[];
int cmd_json_set(void *ctx, int key, const char *name, const char *value, struct err *e);
