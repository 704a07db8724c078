// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small string helpers; see str.h. UTF-8 is decoded here and not by mbrtowc(): what a file holds does not depend on the
 * locale of the one who reads it.
 */
#include "lib/str.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "lib/cleanup.h"

/* Longer words are no typing slips of our names, and the distance takes length x length steps. */
#define NEAREST_LEN_MAX 64

bool str_copy(char *dst, size_t size, const char *src)
{
	size_t len = strlen(src);

	if (!size)
		return false;
	if (len < size) {
		memcpy(dst, src, len + 1);
		return true;
	}
	memcpy(dst, src, size - 1);
	dst[size - 1] = '\0';
	return false;
}

/* ---- nearest name ---- */

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* In names `_` and `-` are the same, and nobody means another option by a capital letter. */
static char fold(char c)
{
	if (c == '_')
		return '-';
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Insertions, deletions, replacements and swaps of neighbours; both words at most NEAREST_LEN_MAX long. */
static size_t distance(const char *a, size_t len_a, const char *b, size_t len_b)
{
	uint8_t rows[3][NEAREST_LEN_MAX + 1];
	uint8_t *before = rows[0], *last = rows[1], *now = rows[2], *spare;

	for (size_t k = 0; k <= len_b; k++)
		last[k] = (uint8_t)k;
	memset(before, 0, sizeof(rows[0]));
	for (size_t i = 1; i <= len_a; i++) {
		now[0] = (uint8_t)i;
		for (size_t k = 1; k <= len_b; k++) {
			bool same = fold(a[i - 1]) == fold(b[k - 1]);
			size_t d = min_size((size_t)last[k - 1] + !same, (size_t)min_size(last[k], now[k - 1]) + 1);

			if (i > 1 && k > 1 && fold(a[i - 1]) == fold(b[k - 2]) && fold(a[i - 2]) == fold(b[k - 1]))
				d = min_size(d, (size_t)before[k - 2] + 1);
			now[k] = (uint8_t)d;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[len_b];
}

static bool is_prefix(const char *word, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (fold(word[i]) != fold(name[i])) /* also at the end of name */
			return false;
	return true;
}

const char *str_nearest(const char *word, const char *const *names)
{
	size_t len = strlen(word), best = SIZE_MAX, nr_prefixed = 0;
	const char *near = NULL, *prefixed = NULL;

	if (!len || len > NEAREST_LEN_MAX)
		return NULL;
	for (size_t i = 0; names[i]; i++) {
		size_t name_len = strlen(names[i]), d;

		if (name_len > NEAREST_LEN_MAX)
			continue;
		if (is_prefix(word, len, names[i])) {
			prefixed = names[i];
			nr_prefixed++;
		}
		d = distance(word, len, names[i], name_len);
		/* A slip in every third letter at most. */
		if (d * 3 <= (len > name_len ? len : name_len) && d < best) {
			best = d;
			near = names[i];
		}
	}
	/* A word cut short is as good a hint as a slip, if it can be one name only. */
	return near ? near : nr_prefixed == 1 && len >= 2 ? prefixed : NULL;
}

/* ---- UTF-8 ---- */

/* Bytes of the character at s, whose code is *ret_code; 0 if the bytes are not UTF-8 (overlong forms and surrogates
 * too). */
static size_t decode(const unsigned char *s, uint32_t *ret_code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	uint32_t code = len < 2 ? s[0] : s[0] & (0xffu >> (len + 1));

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also the terminating NUL */
			return 0;
		code = code << 6 | (s[i] & 0x3fu);
	}
	if (!len || code < smallest[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret_code = code;
	return len;
}

size_t str_width(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t width = 0;

	while (*p) {
		uint32_t code = 0;
		size_t len = decode(p, &code);
		int columns = len ? wcwidth((wchar_t)code) : 1;

		/* In the C locale wcwidth() knows ASCII only: one column is right for all that we print. */
		width += columns < 0 ? 1 : (size_t)columns;
		p += len ? len : 1;
	}
	return width;
}

/* Controls and what reorders or breaks lines: U+0080..9F are a terminal's escapes, too. */
static bool is_harmless(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	return !(code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
		 (code >= 0x2066 && code <= 0x2069) || code == 0xfeff);
}

void str_printable(char *dst, size_t size, const char *src)
{
	const unsigned char *p = (const unsigned char *)src;
	size_t at = 0;

	if (!size)
		return;
	while (*p) {
		uint32_t code = 0;
		size_t len = decode(p, &code);
		bool good = len && is_harmless(code);
		size_t out = good ? len : 1;

		if (at + out >= size)
			break;
		if (good)
			memcpy(dst + at, p, len);
		else
			dst[at] = '?';
		at += out;
		p += len ? len : 1;
	}
	dst[at] = '\0';
}

/* ---- files and figures ---- */

bool str_read_line(const char *root, const char *path, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *full = NULL;
	int fd;

	if (!size)
		return false;
	buf[0] = '\0';
	if (asprintf(&full, "%s%s", root ? root : "", path) < 0) {
		full = NULL;
		return false;
	}
	/* O_NONBLOCK: a fifo in place of a file of /proc must not stop us. */
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return false;
	}
	if (!fgets(buf, (int)min_size(size, INT32_MAX), f)) {
		buf[0] = '\0';
		return !ferror(f);
	}
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

const char *str_bytes(char *buf, size_t size, double bytes)
{
	static const char *const names[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	size_t i = 0;

	/* 999.95 kB would print as 1000.0 kB */
	while (i + 1 < ARRAY_SIZE(names) && (bytes >= 999.95 || (i == 0 && bytes >= 999.5))) {
		bytes /= 1000;
		i++;
	}
	snprintf(buf, size, i ? "%.1f %s" : "%.0f %s", bytes, names[i]);
	return buf;
}
