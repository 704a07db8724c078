// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known about the machine, from /proc and /sys below a root.
 *
 * Not obvious: a file there may be missing, unreadable, empty, endless or nonsense (containers, other architectures,
 * test roots). Whatever does not look exactly as the kernel writes it stays unknown.
 */
#include "core/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/machine_priv.h"
#include "lib/cleanup.h"
#include "lib/num.h"
#include "lib/str.h"

#define FILE_BYTES_MAX (8u << 20)
#define CPUS_MAX 65536

int machine_open(const char *root, const char *path)
{
	char full[4096];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);

	if (n < 0 || (size_t)n >= sizeof(full))
		return -1;
	return open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool machine_each_line(const char *root, const char *path, bool (*line)(void *arg, char *text), void *arg)
{
	_cleanup_free_ char *text = malloc(MACHINE_LINE_MAX);
	_cleanup_close_ int fd = text ? machine_open(root, path) : -1;
	char buf[4096];
	size_t len = 0, total = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while (total < FILE_BYTES_MAX && (n = read(fd, buf, sizeof(buf))) > 0) {
		total += (size_t)n;
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] != '\n') {
				/* A NUL ends a text for C; device tree files separate names with it. */
				if (len + 1 < MACHINE_LINE_MAX)
					text[len++] = buf[i] ? buf[i] : ' ';
				continue;
			}
			text[len] = '\0';
			len = 0;
			if (!line(arg, text))
				return true;
		}
	}
	if (len) {
		text[len] = '\0';
		line(arg, text);
	}
	return true;
}

struct first_line {
	char *buf;
	size_t size;
	bool found;
};

static bool take_first_line(void *arg, char *text)
{
	struct first_line *f = arg;
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	str_printable(f->buf, f->size, text);
	f->found = len > 0;
	return false;
}

bool machine_first_line(const char *root, const char *path, char *buf, size_t size)
{
	struct first_line f = { buf, size, false };

	buf[0] = '\0';
	machine_each_line(root, path, take_first_line, &f);
	return f.found;
}

bool machine_number(const char *root, const char *path, unsigned long long *ret)
{
	char text[64];
	struct err e = { 0 };
	uint64_t v;

	if (!machine_first_line(root, path, text, sizeof(text)) || num_parse_u64(path, text, 0, UINT64_MAX, &v, &e) < 0)
		return false;
	*ret = v;
	return true;
}

struct status_field {
	const char *name;
	int base;
	uint64_t value;
	bool found;
};

static bool take_status(void *arg, char *text)
{
	struct status_field *f = arg;
	size_t len = strlen(f->name);

	if (strncmp(text, f->name, len) || text[len] != ':')
		return true;
	f->found = f->base == 16 ? sscanf(text + len + 1, "%" SCNx64, &f->value) == 1
				 : sscanf(text + len + 1, "%" SCNu64, &f->value) == 1;
	return false;
}

bool machine_process_status(const char *root, const char *name, int base, uint64_t *ret)
{
	struct status_field f = { .name = name, .base = base };

	machine_each_line(root, "/proc/self/status", take_status, &f);
	if (f.found)
		*ret = f.value;
	return f.found;
}

bool machine_exists(const char *root, const char *path)
{
	char full[4096];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);

	return n > 0 && (size_t)n < sizeof(full) && access(full, F_OK) == 0;
}

const char *machine_bracketed(const char *text, char open, char close, const char *const *words)
{
	const char *start = strchr(text, open), *end = start ? strchr(start, close) : NULL;

	for (size_t i = 0; end && words[i]; i++)
		if (strlen(words[i]) == (size_t)(end - start - 1) && !strncmp(words[i], start + 1, strlen(words[i])))
			return words[i];
	return NULL;
}

/* uname is what the kernel tells this process; a test root has the files instead. */
static void read_kernel(const char *root, struct machine *m)
{
	struct utsname u;

	if (!*root && uname(&u) == 0) {
		str_printable(m->kernel, sizeof(m->kernel), u.release);
		str_printable(m->arch, sizeof(m->arch), u.machine);
		return;
	}
	machine_first_line(root, "/proc/sys/kernel/osrelease", m->kernel, sizeof(m->kernel));
	machine_first_line(root, "/proc/sys/kernel/arch", m->arch, sizeof(m->arch));
}

struct cpuinfo {
	char model[128], implementer[32], part[32];
};

/* "key<blanks>: value"; the value, or NULL if the line has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len))
		return NULL;
	line += len;
	line += strspn(line, " \t");
	if (*line != ':')
		return NULL;
	line++;
	return line + strspn(line, " \t");
}

static bool take_cpuinfo(void *arg, char *text)
{
	/* x86 and riscv, loongarch, mips, powerpc; arm64 has none */
	static const char *const keys[] = { "model name", "Model Name", "cpu model", "cpu", "uarch" };
	struct cpuinfo *c = arg;
	const char *v;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if ((v = value_of(text, keys[i])) && *v && !c->model[0])
			str_printable(c->model, sizeof(c->model), v);
	if ((v = value_of(text, "CPU implementer")) && !c->implementer[0])
		str_printable(c->implementer, sizeof(c->implementer), v);
	if ((v = value_of(text, "CPU part")) && !c->part[0])
		str_printable(c->part, sizeof(c->part), v);
	return !c->model[0] && !(c->implementer[0] && c->part[0]);
}

static void read_cpu(const char *root, struct machine *m)
{
	struct cpuinfo c = { 0 };

	machine_each_line(root, "/proc/cpuinfo", take_cpuinfo, &c);
	if (c.model[0])
		str_copy(m->cpu, sizeof(m->cpu), c.model);
	else if (c.implementer[0] && c.part[0])
		snprintf(m->cpu, sizeof(m->cpu), "implementer %s part %s", c.implementer, c.part);
}

static void read_cpus(const char *root, struct machine *m)
{
	char text[4096];
	struct err e = { 0 };
	_cleanup_free_ int *cpus = NULL;
	size_t n = 0;
	long online;

	if (machine_first_line(root, "/sys/devices/system/cpu/online", text, sizeof(text)) &&
	    num_parse_cpus("online", text, CPUS_MAX, &cpus, &n, &e) == 0) {
		m->cpus = (int)n;
	} else if (!*root) {
		online = sysconf(_SC_NPROCESSORS_ONLN);
		m->cpus = online > 0 && online <= CPUS_MAX ? (int)online : 0;
	}
}

static void read_smt(const char *root, struct machine *m)
{
	unsigned long long active;
	char text[256];

	if (machine_number(root, "/sys/devices/system/cpu/smt/active", &active) && active <= 1)
		m->smt = (int)active;
	else if (machine_first_line(root, "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", text,
				    sizeof(text)))
		m->smt = strpbrk(text, ",-") != NULL;
}

static void read_frequency(const char *root, struct machine *m)
{
	static const char *const boosts[] = { "/sys/devices/system/cpu/cpufreq/boost",
					      "/sys/devices/system/cpu/cpufreq/policy0/boost" };
	unsigned long long v;

	machine_first_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->governor,
			   sizeof(m->governor));
	for (size_t i = 0; i < ARRAY_SIZE(boosts); i++)
		if (machine_number(root, boosts[i], &v) && v == 1)
			m->boost = true;
	if (machine_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &v) && v == 0)
		m->boost = true;
}

static void read_lockdown(const char *root, struct machine *m)
{
	static const char *const levels[] = { "none", "integrity", "confidentiality", NULL };
	char text[128];
	const char *level;

	if (!machine_first_line(root, "/sys/kernel/security/lockdown", text, sizeof(text)))
		return;
	level = machine_bracketed(text, '[', ']', levels);
	if (level)
		str_copy(m->lockdown, sizeof(m->lockdown), level);
}

/* Sorted by name, so that two runs say the same; of too many the first by name are kept. */
static void add_mitigation(struct machine *m, const struct mitigation *new)
{
	int at = m->nr_mitigations;

	while (at > 0 && strcmp(m->mitigations[at - 1].name, new->name) > 0)
		at--;
	if (at == MITIGATIONS_MAX)
		return;
	if (m->nr_mitigations < MITIGATIONS_MAX)
		m->nr_mitigations++;
	memmove(&m->mitigations[at + 1], &m->mitigations[at],
		(size_t)(m->nr_mitigations - at - 1) * sizeof(m->mitigations[0]));
	m->mitigations[at] = *new;
}

static void read_mitigations(const char *root, struct machine *m)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[sizeof(dir) + 256], full[4096];
	struct mitigation new;
	struct dirent *d;
	DIR *stream;

	snprintf(full, sizeof(full), "%s%s", root, dir);
	stream = opendir(full);
	while (stream && (d = readdir(stream))) {
		/* The kernel's names are short and plain; a cut or changed one would name nothing. */
		if (d->d_name[0] == '.' ||
		    strspn(d->d_name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(d->d_name) ||
		    !str_copy(new.name, sizeof(new.name), d->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);
		if (machine_first_line(root, path, new.state, sizeof(new.state)))
			add_mitigation(m, &new);
	}
	if (stream)
		closedir(stream);
}

void machine_read(const char *root, struct machine *ret_machine)
{
	struct machine m = { .inlined_hit = -1, .jit = -1, .smt = -1, .foreign = { -1, -1, -1, -1 } };
	uint64_t steal, total;

	read_kernel(root, &m);
	read_cpu(root, &m);
	read_cpus(root, &m);
	read_smt(root, &m);
	read_frequency(root, &m);
	read_lockdown(root, &m);
	read_mitigations(root, &m);
	machine_first_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", m.clocksource,
			   sizeof(m.clocksource));
	if (machine_steal_ticks(root, -1, &steal, &total) && total)
		m.steal = (double)steal / (double)total;
	machine_read_virt(root, &m);
	machine_read_config(root, &m);
	*ret_machine = m;
}

void machine_boot_id(const char *root, char *buf, int size)
{
	char text[64];
	size_t len;

	if (size < 1)
		return;
	buf[0] = '\0';
	machine_first_line(root, "/proc/sys/kernel/random/boot_id", text, sizeof(text));
	len = strlen(text);
	if (len == 36 && strspn(text, "0123456789abcdef-") == len && len < (size_t)size)
		str_copy(buf, (size_t)size, text);
}
