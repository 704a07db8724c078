// SPDX-License-Identifier: GPL-2.0-or-later
/* One error on its way up; see err.h. Messages that do not fit are cut, never lost. */
#include "lib/err.h"

#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_class class, int code, const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(e))
		return e->code;
	e->class = class;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	int len;

	if (!err_is_set(e))
		return 0;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	len = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	if (len >= 0 && (size_t)len < sizeof(e->msg)) {
		int room = (int)sizeof(e->msg) - len - 3; /* ": " and the end */

		snprintf(e->msg + len, sizeof(e->msg) - (size_t)len, ": %.*s", room > 0 ? room : 0, old);
	}
	return e->code;
}

void err_clear(struct err *e)
{
	e->class = ERR_NONE;
	e->code = 0;
	e->msg[0] = '\0';
}
