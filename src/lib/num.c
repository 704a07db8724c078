// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers and lists, parsed whole; see num.h. Digits are read by hand where strtoull would skip blanks, take signs and
 * wrap negative numbers; a list is counted as ranges before a single element of it is allocated.
 */
#include "lib/num.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"

/* A value as shown in messages: long ones are cut, the rest is for the user to remember. */
#define SHOWN_MAX 100

struct range {
	uint64_t lo, hi;
};

static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", UINT64_C(60) * 1000000000 },
	{ "h", UINT64_C(3600) * 1000000000 },
};

static const char *shown(char *buf, const char *text, size_t len)
{
	char cut[SHOWN_MAX];

	if (len >= sizeof(cut)) {
		memcpy(cut, text, sizeof(cut) - 4);
		memcpy(cut + sizeof(cut) - 4, "...", 4);
	} else {
		memcpy(cut, text, len);
		cut[len] = '\0';
	}
	str_printable(buf, SHOWN_MAX, cut);
	return buf;
}

/* Nothing but digits, at least one. False with *ret_overflow: digits, but more than 64 bits hold. */
static bool read_u64(const char *text, size_t len, uint64_t *ret, bool *ret_overflow)
{
	uint64_t v = 0;
	bool overflow = false;

	*ret_overflow = false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		overflow |= __builtin_mul_overflow(v, (uint64_t)10, &v);
		overflow |= __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v);
	}
	*ret_overflow = overflow;
	if (!len || overflow)
		return false;
	*ret = v;
	return true;
}

static int parse_u64_n(const char *what, const char *text, size_t len, uint64_t min, uint64_t max, uint64_t *ret,
		       struct err *e)
{
	char buf[SHOWN_MAX];
	bool overflow;
	uint64_t v;

	if (!read_u64(text, len, &v, &overflow) && !overflow)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: '%s' is not a whole number; expected one from %" PRIu64 " to %" PRIu64, what,
			       shown(buf, text, len), min, max);
	if (overflow || v < min || v > max)
		return err_set(e, ERR_USAGE, -ERANGE, "%s: '%s' is out of range; expected %" PRIu64 " to %" PRIu64,
			       what, shown(buf, text, len), min, max);
	*ret = v;
	return 0;
}

int num_parse_u64(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *ret, struct err *e)
{
	return parse_u64_n(what, text, strlen(text), min, max, ret, e);
}

/* Length of the plain decimal number at the start of text: digits, at most one point, no exponent. 0: there is none. */
static size_t decimal_length(const char *text)
{
	size_t len = 0, digits = 0;
	bool point = false;

	for (; isdigit((unsigned char)text[len]) || (text[len] == '.' && !point); len++) {
		if (text[len] == '.')
			point = true;
		else
			digits++;
	}
	return digits ? len : 0;
}

int num_parse_double(const char *what, const char *text, double min, double max, double *ret, struct err *e)
{
	size_t sign = text[0] == '-' && min < 0 ? 1 : 0;
	size_t len = decimal_length(text + sign);
	char buf[SHOWN_MAX];
	double v;

	if (!len || text[sign + len])
		return err_set(e, ERR_USAGE, -EINVAL, "%s: '%s' is not a number; expected one from %g to %g", what,
			       shown(buf, text, strlen(text)), min, max);
	/* LC_NUMERIC is never set, so the point is a point. */
	v = strtod(text, NULL);
	if (!isfinite(v) || v < min || v > max)
		return err_set(e, ERR_USAGE, -ERANGE, "%s: '%s' is out of range; expected %g to %g", what,
			       shown(buf, text, strlen(text)), min, max);
	*ret = v;
	return 0;
}

/* In the largest unit that says it exactly. */
static const char *duration_text(char *buf, size_t size, uint64_t ns)
{
	if (!ns) {
		str_copy(buf, size, "0s");
		return buf;
	}
	for (size_t i = ARRAY_SIZE(units); i-- > 0;)
		if (ns % units[i].ns == 0) {
			snprintf(buf, size, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
			return buf;
		}
	snprintf(buf, size, "%.9gs", (double)ns / 1e9);
	return buf;
}

static const struct unit *find_unit(const char *name)
{
	if (!*name)
		name = "s";
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

int num_parse_duration(const char *what, const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns,
		       struct err *e)
{
	size_t len = decimal_length(text);
	const struct unit *unit = len ? find_unit(text + len) : NULL;
	char buf[SHOWN_MAX], lo[32], hi[32];
	long double ns;

	duration_text(lo, sizeof(lo), min_ns);
	duration_text(hi, sizeof(hi), max_ns);
	if (!unit)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: '%s' is not a time such as 90, 90s, 1.5m or 250ms; expected %s to %s", what,
			       shown(buf, text, strlen(text)), lo, hi);
	ns = strtold(text, NULL) * (long double)unit->ns;
	/* Rounding first: 0.1s is 100 ms although no binary fraction is 0.1. 2^64 itself does not fit any more. */
	ns = roundl(ns);
	if (!(ns >= (long double)min_ns && ns <= (long double)max_ns && ns < 18446744073709551616.0L))
		return err_set(e, ERR_USAGE, -ERANGE, "%s: '%s' is out of range; expected %s to %s", what,
			       shown(buf, text, strlen(text)), lo, hi);
	*ret_ns = (uint64_t)ns;
	return 0;
}

int num_parse_pair(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *ret_lo, uint64_t *ret_hi,
		   struct err *e)
{
	const char *colon = strchr(text, ':');
	char buf[SHOWN_MAX];
	uint64_t lo, hi;
	int r;

	if (!colon || colon == text || !colon[1])
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: '%s' is not a pair MIN:MAX of whole numbers from %" PRIu64 " to %" PRIu64, what,
			       shown(buf, text, strlen(text)), min, max);
	r = parse_u64_n(what, text, (size_t)(colon - text), min, max, &lo, e);
	if (!r)
		r = parse_u64_n(what, colon + 1, strlen(colon + 1), min, max, &hi, e);
	if (r)
		return r;
	if (lo > hi)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: '%s' is reversed: MIN:MAX", what,
			       shown(buf, text, strlen(text)));
	*ret_lo = lo;
	*ret_hi = hi;
	return 0;
}

/* "7" or "7<sep>9" */
static int parse_range(const char *what, const char *list, const char *item, size_t len, const char *sep, uint64_t min,
		       uint64_t max, struct range *ret, struct err *e)
{
	const char *at = memmem(item, len, sep, strlen(sep));
	const char *second = at ? at + strlen(sep) : NULL;
	char buf[SHOWN_MAX];
	struct range range;
	int r;

	if (!len)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: an element of the list '%s' is empty; expected numbers from %" PRIu64 " to %" PRIu64
			       ", such as %" PRIu64 "%s%" PRIu64,
			       what, shown(buf, list, strlen(list)), min, max, min, sep, max);
	if (at && (at == item || second == item + len))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: the range '%s' lacks an end; write both, from %" PRIu64 " to %" PRIu64
			       ", such as %" PRIu64 "%s%" PRIu64,
			       what, shown(buf, item, len), min, max, min, sep, max);
	r = parse_u64_n(what, item, at ? (size_t)(at - item) : len, min, max, &range.lo, e);
	range.hi = range.lo;
	if (!r && second)
		r = parse_u64_n(what, second, len - (size_t)(second - item), min, max, &range.hi, e);
	if (r)
		return r;
	if (range.lo > range.hi)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: the range '%s' is reversed; write %" PRIu64 "%s%" PRIu64 " (numbers from %" PRIu64
			       " to %" PRIu64 ")",
			       what, shown(buf, item, len), range.hi, sep, range.lo, min, max);
	*ret = range;
	return 0;
}

/* As many ranges as the text has elements: at most half its length. */
static int parse_ranges(const char *what, const char *text, const char *sep, uint64_t min, uint64_t max,
			struct range **ret, size_t *ret_n, struct err *e)
{
	_cleanup_free_ struct range *ranges = NULL;
	const char *list = text;
	size_t n = 1;
	int r;

	if (!*text)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: '' is an empty list; expected numbers from %" PRIu64 " to %" PRIu64, what, min,
			       max);
	for (const char *p = text; *p; p++)
		n += *p == ',';
	ranges = calloc(n, sizeof(*ranges));
	if (!ranges)
		return err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", what);
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(text, ",");

		r = parse_range(what, list, text, len, sep, min, max, &ranges[i], e);
		if (r)
			return r;
		text += len + 1;
	}
	*ret = take_ptr(ranges);
	*ret_n = n;
	return 0;
}

static int range_cmp(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo != y->lo ? (x->lo < y->lo ? -1 : 1) : (x->hi > y->hi) - (x->hi < y->hi);
}

/* Sorted ranges, overlapping ones made one; returns how many are left. */
static size_t merge_ranges(struct range *ranges, size_t n)
{
	size_t k = 0;

	qsort(ranges, n, sizeof(*ranges), range_cmp);
	for (size_t i = 1; i < n; i++) {
		if (ranges[i].lo > ranges[k].hi)
			ranges[++k] = ranges[i];
		else if (ranges[i].hi > ranges[k].hi)
			ranges[k].hi = ranges[i].hi;
	}
	return k + 1;
}

int num_parse_list(const char *what, const char *text, uint64_t min, uint64_t max, size_t max_elems,
		   uint64_t **ret_list, size_t *ret_n, struct err *e)
{
	_cleanup_free_ struct range *ranges = NULL;
	char buf[SHOWN_MAX];
	uint64_t *list;
	size_t n, nr_elems = 0, k = 0;
	int r = parse_ranges(what, text, "..", min, max, &ranges, &n, e);

	if (r)
		return r;
	n = merge_ranges(ranges, n);
	for (size_t i = 0; i < n; i++) {
		/* one less than the elements: 0..UINT64_MAX has 2^64 */
		uint64_t more = ranges[i].hi - ranges[i].lo;

		if (nr_elems >= max_elems || more >= max_elems - nr_elems)
			return err_set(
				e, ERR_USAGE, -E2BIG,
				"%s: '%s' has more than %zu elements, the most that is accepted (each from %" PRIu64
				" to %" PRIu64 ")",
				what, shown(buf, text, strlen(text)), max_elems, min, max);
		nr_elems += (size_t)more + 1;
	}
	list = calloc(nr_elems, sizeof(*list));
	if (!list)
		return err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", what);
	for (size_t i = 0; i < n; i++)
		for (uint64_t v = ranges[i].lo;; v++) {
			list[k++] = v;
			if (v == ranges[i].hi)
				break;
		}
	*ret_list = list;
	*ret_n = nr_elems;
	return 0;
}

int num_parse_cpus(const char *what, const char *text, int max_cpus, int **ret_cpus, size_t *ret_n, struct err *e)
{
	_cleanup_free_ struct range *ranges = NULL;
	_cleanup_free_ bool *seen = NULL;
	_cleanup_free_ int *cpus = NULL;
	size_t nr_ranges, n = 0;
	int r;

	if (max_cpus < 1)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: there is no CPU to choose from", what);
	r = parse_ranges(what, text, "-", 0, (uint64_t)max_cpus - 1, &ranges, &nr_ranges, e);
	if (r)
		return r;
	seen = calloc((size_t)max_cpus, sizeof(*seen));
	cpus = calloc((size_t)max_cpus, sizeof(*cpus));
	if (!seen || !cpus)
		return err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", what);
	for (size_t i = 0; i < nr_ranges; i++)
		for (uint64_t cpu = ranges[i].lo; cpu <= ranges[i].hi; cpu++) {
			if (!seen[cpu])
				cpus[n++] = (int)cpu;
			seen[cpu] = true;
		}
	*ret_cpus = take_ptr(cpus);
	*ret_n = n;
	return 0;
}
