// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that is available, time that was stolen.
 *
 * BPF maps are charged to the memory cgroup of the process that creates them (5.11 and later): in a container the
 * cgroup's limit, not MemAvailable, says whether a hash fits.
 */
#include <stdio.h>
#include <string.h>

#include "core/machine_priv.h"
#include "lib/cleanup.h"
#include "lib/num.h"
#include "lib/str.h"

#define PATH_MAX_HERE 1024

/* A whole decimal number at the start of the text, ended by a blank or its end. */
static bool leading_number(const char *text, const char **ret_end, uint64_t *ret)
{
	size_t len = strspn(text, "0123456789");
	struct err e = { 0 };
	char digits[24];

	if (!len || len >= sizeof(digits) || (text[len] && text[len] != ' '))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (num_parse_u64("", digits, 0, UINT64_MAX, ret, &e) < 0)
		return false;
	*ret_end = text + len;
	return true;
}

static bool take_available(void *arg, char *text)
{
	uint64_t *bytes = arg, kib;
	const char *end;

	if (strncmp(text, "MemAvailable:", 13))
		return true;
	text += 13;
	text += strspn(text, " ");
	if (leading_number(text, &end, &kib) && !strcmp(end, " kB") && kib <= UINT64_MAX / 1024)
		*bytes = kib * 1024;
	return false;
}

/* The hierarchies that can limit memory: cgroup v2, and the v1 controller. */
struct hierarchy {
	const char *mount, *limit, *usage;
	char path[PATH_MAX_HERE]; /* of this process; "" if it is in none */
};

struct hierarchies {
	struct hierarchy v2, v1;
};

/* "0::/path" or "4:memory:/path" of /proc/self/cgroup */
static bool take_cgroup(void *arg, char *text)
{
	struct hierarchies *h = arg;
	char *controllers = strchr(text, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
	struct hierarchy *to = NULL;
	char *word, *rest;

	if (!path || path[1] != '/')
		return true;
	*path++ = '\0';
	rest = controllers + 1;
	if (!strncmp(text, "0:", 2) && !*rest)
		to = &h->v2;
	while ((word = strsep(&rest, ",")))
		if (!strcmp(word, "memory"))
			to = &h->v1;
	/* A path with ".." lies outside our cgroup namespace: it cannot be looked at. */
	if (to && (strstr(path, "/..") || !str_copy(to->path, sizeof(to->path), path)))
		to->path[0] = '\0';
	return true;
}

/* What the limits of the group and of every group above it leave. */
static uint64_t hierarchy_left(const char *root, struct hierarchy *h)
{
	char file[PATH_MAX_HERE + 128];
	unsigned long long limit, usage;
	uint64_t left = UINT64_MAX;
	char *slash;

	while (h->path[0]) {
		if (!strcmp(h->path, "/"))
			h->path[0] = '\0';
		snprintf(file, sizeof(file), "%s%s/%s", h->mount, h->path, h->limit);
		if (machine_number(root, file, &limit)) { /* "max" is no number: no limit */
			snprintf(file, sizeof(file), "%s%s/%s", h->mount, h->path, h->usage);
			if (machine_number(root, file, &usage) && limit - (usage < limit ? usage : limit) < left)
				left = limit - (usage < limit ? usage : limit);
		}
		slash = strrchr(h->path, '/');
		if (slash == h->path && slash[1])
			slash[1] = '\0'; /* "/group" -> "/" -> end */
		else if (slash)
			*slash = '\0';
	}
	return left;
}

uint64_t machine_available_bytes(const char *root)
{
	struct hierarchies h = {
		.v2 = { .mount = "/sys/fs/cgroup", .limit = "memory.max", .usage = "memory.current" },
		.v1 = { .mount = "/sys/fs/cgroup/memory",
			.limit = "memory.limit_in_bytes",
			.usage = "memory.usage_in_bytes" },
	};
	uint64_t bytes = 0, left;

	machine_each_line(root, "/proc/meminfo", take_available, &bytes);
	if (!bytes)
		return 0;
	machine_each_line(root, "/proc/self/cgroup", take_cgroup, &h);
	left = hierarchy_left(root, &h.v2);
	if (left < bytes)
		bytes = left;
	left = hierarchy_left(root, &h.v1);
	if (left < bytes)
		bytes = left;
	return bytes ? bytes : 1; /* 0 would mean unknown */
}

struct stat_line {
	char name[16];
	bool found;
	uint64_t ticks[8]; /* user nice system idle iowait irq softirq steal; guest time is part of user */
};

static bool take_stat(void *arg, char *text)
{
	struct stat_line *s = arg;
	size_t len = strlen(s->name);
	const char *at = text;

	if (strncmp(text, s->name, len) || text[len] != ' ')
		return true;
	at += len;
	for (size_t i = 0; i < ARRAY_SIZE(s->ticks); i++) {
		at += strspn(at, " ");
		if (!leading_number(at, &at, &s->ticks[i]))
			return false;
	}
	s->found = true;
	return false;
}

bool machine_steal_ticks(const char *root, int cpu, uint64_t *ret_steal, uint64_t *ret_total)
{
	struct stat_line s = { .name = "cpu" };
	uint64_t total = 0;

	if (cpu >= 0)
		snprintf(s.name, sizeof(s.name), "cpu%d", cpu);
	machine_each_line(root, "/proc/stat", take_stat, &s);
	for (size_t i = 0; s.found && i < ARRAY_SIZE(s.ticks); i++)
		if (__builtin_add_overflow(total, s.ticks[i], &total))
			return false;
	if (!s.found)
		return false;
	*ret_steal = s.ticks[7];
	*ret_total = total;
	return true;
}
