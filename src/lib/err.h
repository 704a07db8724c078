/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One error on its way up. A function that can fail takes a struct err as its last argument, returns 0 or
 * -errno and leaves its ret_* outputs untouched on failure. Below cmd/ nothing prints: the message travels.
 *
 * The first error wins: setting an error that is already set changes nothing, so a clean-up that fails too
 * cannot hide the cause. Callers add what they know in front (err_prefix).
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

/* Which exit status the error means when it reaches main (README, "Exit status"). */
enum err_class {
	ERR_NONE = 0,
	ERR_FAILED = 1,	 /* a file, a row, a system call that should have worked */
	ERR_USAGE = 2,	 /* wrong use: options, values */
	ERR_MACHINE = 4, /* this machine cannot run it: capability, lockdown, BTF, limits, memory */
};

struct err {
	enum err_class class;
	int code; /* -errno */
	char msg[2048];
};

/* Set the error unless one is set already; both return `code` (a negative errno), so `return err_set(...)`. */
int err_set(struct err *e, enum err_class class, int code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Put "text: " in front of the message. No effect when no error is set. Returns e->code. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Forget the error (a fallback was found). */
void err_clear(struct err *e);
static inline bool err_is_set(const struct err *e)
{
	return e->class != ERR_NONE;
}
