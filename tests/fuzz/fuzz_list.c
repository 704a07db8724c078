// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parsers of numbers and lists on arbitrary text: what is accepted keeps its promises, what is refused is named and
 * leaves the outputs alone. The first bytes choose the range, so that its edges are met.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/num.h"

#define WHAT "--fuzz"
#define HEAD 3

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

/* Accepted without an error, or refused with one that names the option. */
static bool settled(int r, const struct err *e)
{
	require(r <= 0);
	require(err_is_set(e) == (r != 0));
	require(!r || (e->code == r && strstr(e->msg, WHAT)));
	return r == 0;
}

static void fuzz_u64(const char *text, uint64_t min, uint64_t max)
{
	struct err e = { 0 };
	uint64_t v = 42, again;

	if (!settled(num_parse_u64(WHAT, text, min, max, &v, &e), &e)) {
		require(v == 42);
		return;
	}
	require(v >= min && v <= max && strspn(text, "0123456789") == strlen(text));
	again = strtoull(text, NULL, 10);
	require(again == v);
}

static void fuzz_duration(const char *text, uint64_t min, uint64_t max)
{
	struct err e = { 0 };
	uint64_t ns = 42;

	if (settled(num_parse_duration(WHAT, text, min, max, &ns, &e), &e))
		require(ns >= min && ns <= max);
	else
		require(ns == 42);
}

static void fuzz_list(const char *text, uint64_t min, uint64_t max, size_t max_elems)
{
	_cleanup_free_ uint64_t *list = NULL;
	struct err e = { 0 };
	size_t n = 42;

	if (!settled(num_parse_list(WHAT, text, min, max, max_elems, &list, &n, &e), &e)) {
		require(!list && n == 42);
		return;
	}
	require(n >= 1 && n <= max_elems);
	for (size_t i = 0; i < n; i++) {
		require(list[i] >= min && list[i] <= max);
		require(!i || list[i - 1] < list[i]);
	}
}

static void fuzz_cpus(const char *text, int max_cpus)
{
	_cleanup_free_ int *cpus = NULL;
	struct err e = { 0 };
	bool seen[300] = { false };
	size_t n = 42;

	if (!settled(num_parse_cpus(WHAT, text, max_cpus, &cpus, &n, &e), &e)) {
		require(!cpus && n == 42);
		return;
	}
	require(n >= 1 && n <= (size_t)max_cpus);
	for (size_t i = 0; i < n; i++) {
		require(cpus[i] >= 0 && cpus[i] < max_cpus && !seen[cpus[i]]);
		seen[cpus[i]] = true;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t edges[] = { 0, 1, 2, 1000, 4194304, INT64_MAX, UINT64_MAX - 1, UINT64_MAX };
	_cleanup_free_ char *text = NULL;
	uint64_t min, max, swap;

	if (size < HEAD)
		return 0;
	min = edges[data[0] % ARRAY_SIZE(edges)];
	max = edges[data[1] % ARRAY_SIZE(edges)];
	if (min > max) {
		swap = min;
		min = max;
		max = swap;
	}
	text = strndup((const char *)data + HEAD, size - HEAD);
	if (!text)
		return 0;
	fuzz_u64(text, min, max);
	fuzz_duration(text, min, max);
	fuzz_list(text, min, max, (size_t)data[2] * 8 + 1);
	fuzz_cpus(text, data[2] % 257);
	return 0;
}
