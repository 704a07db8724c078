// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures, safe text and wrapped paragraphs. Not obvious: width is counted in columns (str_width), never in bytes,
 * and colour is never part of a text that is measured.
 */
#include "report/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"

const char *ink_begin(const struct report_style *style, enum ink ink)
{
	static const char *const codes[] = {
		[INK_BOLD] = "\033[1m",	   [INK_DIM] = "\033[2m",    [INK_RED] = "\033[31m",
		[INK_YELLOW] = "\033[33m", [INK_GREEN] = "\033[32m", [INK_ALARM] = "\033[1;7;31m",
	};

	return style->colour ? codes[ink] : "";
}

const char *ink_end(const struct report_style *style)
{
	return style->colour ? "\033[0m" : "";
}

const char *text_plusminus(const struct report_style *style)
{
	return style->utf8 ? "±" : "+-";
}

void text_safe(char *dst, size_t size, const char *src, const struct report_style *style)
{
	char *to = dst;

	str_printable(dst, size, src);
	if (style->utf8)
		return;
	/* One '?' for each character, not for each of its bytes. */
	for (const char *from = dst; *from; from++)
		if (((unsigned char)*from & 0xc0) != 0x80)
			*to++ = (unsigned char)*from < 0x80 ? *from : '?';
	*to = '\0';
}

void text_add(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	if (len + 1 < size)
		vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

/* Bytes of the first character of s (not empty), at least 1. */
static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static size_t width_of(const char *s, size_t bytes)
{
	char part[64];
	size_t width = 0, n;

	/* In pieces that end between characters, so that no allocation is needed. */
	for (; bytes; s += n, bytes -= n) {
		n = 0;
		do {
			n += char_bytes(s + n);
		} while (n < bytes && n < sizeof(part) - 8);
		n = n < bytes ? n : bytes;
		n = n < sizeof(part) ? n : sizeof(part) - 1;
		memcpy(part, s, n);
		part[n] = '\0';
		width += str_width(part);
	}
	return width;
}

/* The longest beginning of s, in whole characters and at least one, that takes at most `columns`. */
static size_t bytes_that_fit(const char *s, size_t bytes, size_t columns)
{
	size_t n = char_bytes(s);

	while (n < bytes && width_of(s, n + char_bytes(s + n)) <= columns)
		n += char_bytes(s + n);
	return n < bytes ? n : bytes;
}

static void write_wrapped(FILE *f, const char *text, size_t indent, size_t column)
{
	bool first = true;

	while (*text) {
		size_t bytes = strcspn(text, " "), width;

		if (bytes == 0) {
			text++;
			continue;
		}
		width = width_of(text, bytes);
		if (!first && column + 1 + width > REPORT_COLUMNS) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		if (!first) {
			fputc(' ', f);
			column++;
		}
		if (column + width > REPORT_COLUMNS) {
			/* Too long for any line: filled up to the end, the rest is the next word. */
			bytes = bytes_that_fit(text, bytes, REPORT_COLUMNS - column);
			width = REPORT_COLUMNS - column;
		}
		fwrite(text, 1, bytes, f);
		column += width;
		text += bytes;
		first = false;
		if (*text && *text != ' ') {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
	}
	fputc('\n', f);
}

void text_wrap(FILE *f, const char *label, int indent, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	size_t label_width = str_width(label);
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (r < 0) {
		text = NULL;
		return;
	}
	/* A label that does not leave a blank stands on a line of its own. */
	fputs(label, f);
	if (label_width + 1 > (size_t)indent && label_width > 0) {
		fprintf(f, "\n%*s", indent, "");
		label_width = (size_t)indent;
	}
	fprintf(f, "%*s", (int)((size_t)indent - label_width), "");
	write_wrapped(f, text, (size_t)indent, (size_t)indent);
}

int fig_decimals(double v)
{
	v = fabs(v);
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

const char *fig(char *buf, double v)
{
	if (!isfinite(v))
		return memcpy(buf, "-", 2);
	if (fabs(v) >= 999999.5)
		snprintf(buf, FIG_MAX, "%.0e", v);
	else
		snprintf(buf, FIG_MAX, "%.*f", fig_decimals(v), v);
	return buf;
}

const char *fig_exact(char *buf, double v)
{
	if (!isfinite(v) || fabs(v) >= 999999.5)
		return fig(buf, v);
	snprintf(buf, FIG_MAX, "%.*f", fabs(v) < 999.995 ? 2 : fabs(v) < 9999.95 ? 1 : 0, v);
	return buf;
}

const char *fig_small(char *buf, double v)
{
	if (!isfinite(v) || fabs(v) >= 0.0995 || v == 0)
		return fig(buf, v);
	if (fabs(v) < 0.00005)
		return memcpy(buf, "<.0001", sizeof("<.0001"));
	snprintf(buf, FIG_MAX, "%.*f", fabs(v) < 0.00995 ? 4 : 3, v);
	return buf;
}

const char *fig_factor(char *buf, double ratio)
{
	return fig(buf, ratio < 1 ? 1 / ratio : ratio);
}

const char *fig_percent(char *buf, double share)
{
	double p = 100 * share;

	if (!isfinite(p))
		return memcpy(buf, "-", 2);
	if (fabs(p) >= 9999.5)
		return fig(buf, p);
	/* 0 and 100 are said only where they are meant. */
	snprintf(buf, FIG_MAX, "%.*f", p == 0 || p == 100 || fabs(p) >= 999.95 ? 0 : fabs(p - 100) < 0.05 ? 2 : 1, p);
	return buf;
}
