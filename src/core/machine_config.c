// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What follows from how the kernel was configured: JIT, preemption, debugging options.
 *
 * A running kernel says so itself where it can (sysctl, debugfs, its version text); the configuration file only fills
 * the gaps, because PREEMPT_DYNAMIC and sysctls change at boot and later what it states.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/machine_priv.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define CONFIG_BYTES_MAX (8u << 20) /* unpacked; a real one has 0.3 MiB */

/* Options of interest; present means "=y". */
enum option {
	OPT_JIT,
	OPT_JIT_ALWAYS_ON,
	OPT_PREEMPT_NONE,
	OPT_PREEMPT_VOLUNTARY,
	OPT_PREEMPT,
	OPT_PREEMPT_LAZY,
	OPT_PREEMPT_RT,
	OPT_PREEMPT_DYNAMIC,
	OPT_KASAN,
	OPT_KMSAN,
	OPT_KCSAN,
	OPT_LOCKDEP,
	OPT_DEBUG_OBJECTS,
	OPT_SLUB_DEBUG_ON,
	OPT_DEBUG_PAGEALLOC,
	OPT_NR,
};

static const char *const option_lines[OPT_NR] = {
	[OPT_JIT] = "CONFIG_BPF_JIT=y",
	[OPT_JIT_ALWAYS_ON] = "CONFIG_BPF_JIT_ALWAYS_ON=y",
	[OPT_PREEMPT_NONE] = "CONFIG_PREEMPT_NONE=y",
	[OPT_PREEMPT_VOLUNTARY] = "CONFIG_PREEMPT_VOLUNTARY=y",
	[OPT_PREEMPT] = "CONFIG_PREEMPT=y",
	[OPT_PREEMPT_LAZY] = "CONFIG_PREEMPT_LAZY=y",
	[OPT_PREEMPT_RT] = "CONFIG_PREEMPT_RT=y",
	[OPT_PREEMPT_DYNAMIC] = "CONFIG_PREEMPT_DYNAMIC=y",
	[OPT_KASAN] = "CONFIG_KASAN=y",
	[OPT_KMSAN] = "CONFIG_KMSAN=y",
	[OPT_KCSAN] = "CONFIG_KCSAN=y",
	[OPT_LOCKDEP] = "CONFIG_LOCKDEP=y",
	[OPT_DEBUG_OBJECTS] = "CONFIG_DEBUG_OBJECTS=y",
	[OPT_SLUB_DEBUG_ON] = "CONFIG_SLUB_DEBUG_ON=y",
	[OPT_DEBUG_PAGEALLOC] = "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT=y",
};

struct config {
	bool readable, y[OPT_NR];
};

/* gzread takes plain files as they are. A file that does not begin as a configuration is none. */
static bool read_config_file(const char *root, const char *path, struct config *c)
{
	char line[512];
	size_t total = 0, len;
	bool at_start = true, looks_right = false;
	int fd = machine_open(root, path);
	gzFile f = fd < 0 ? NULL : gzdopen(fd, "rb");

	if (!f) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (total < CONFIG_BYTES_MAX && gzgets(f, line, sizeof(line))) {
		len = strlen(line);
		total += len ? len : 1;
		if (len && line[len - 1] == '\n')
			line[len - 1] = '\0';
		for (int i = 0; at_start && i < OPT_NR; i++)
			c->y[i] |= !strcmp(line, option_lines[i]);
		looks_right |= at_start && !strcmp(line, "CONFIG_64BIT=y");
		looks_right |= at_start && !strncmp(line, "CONFIG_BPF", 10);
		at_start = len && len < sizeof(line) - 1;
	}
	gzclose(f);
	if (!looks_right)
		memset(c, 0, sizeof(*c));
	c->readable = looks_right;
	return looks_right;
}

static void read_config(const char *root, const struct machine *m, struct config *c)
{
	char path[256];

	memset(c, 0, sizeof(*c));
	if (read_config_file(root, "/proc/config.gz", c) || !m->kernel[0] || strchr(m->kernel, '/'))
		return;
	snprintf(path, sizeof(path), "/boot/config-%s", m->kernel);
	if (read_config_file(root, path, c))
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/config", m->kernel);
	read_config_file(root, path, c);
}

static int find_jit(const char *root, const struct config *c)
{
	unsigned long long v;

	if (machine_number(root, "/proc/sys/net/core/bpf_jit_enable", &v) && v <= 2)
		return v > 0;
	if (c->y[OPT_JIT_ALWAYS_ON])
		return 1;
	return c->readable && !c->y[OPT_JIT] ? 0 : -1;
}

static const char *const preempt_words[] = { "none", "voluntary", "full", "lazy", NULL };

/* preempt=WORD on the kernel's command line; the last one counts. */
static const char *preempt_from_cmdline(const char *root)
{
	char text[4096], *rest = text, *word;
	const char *found = NULL;

	if (!machine_first_line(root, "/proc/cmdline", text, sizeof(text)))
		return NULL;
	while ((word = strsep(&rest, " "))) {
		if (!strcmp(word, "--")) /* what follows is for init */
			break;
		for (size_t i = 0; !strncmp(word, "preempt=", 8) && preempt_words[i]; i++)
			if (!strcmp(word + 8, preempt_words[i]))
				found = preempt_words[i];
	}
	return found;
}

static const char *preempt_from_config(const struct config *c)
{
	if (c->y[OPT_PREEMPT_RT])
		return "rt";
	if (c->y[OPT_PREEMPT_LAZY])
		return "lazy";
	if (c->y[OPT_PREEMPT])
		return "full";
	if (c->y[OPT_PREEMPT_VOLUNTARY])
		return "voluntary";
	return c->y[OPT_PREEMPT_NONE] ? "none" : "";
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static const char *find_preempt(const char *root, const struct config *c)
{
	char version[1024], sched[256];
	const char *word = NULL;

	machine_first_line(root, "/proc/version", version, sizeof(version));
	if (has_word(version, "PREEMPT_RT"))
		return "rt";
	/* "none voluntary (full) lazy" */
	if (machine_first_line(root, "/sys/kernel/debug/sched/preempt", sched, sizeof(sched)))
		word = machine_bracketed(sched, '(', ')', preempt_words);
	if (!word && (has_word(version, "PREEMPT_DYNAMIC") || c->y[OPT_PREEMPT_DYNAMIC]))
		word = preempt_from_cmdline(root);
	if (word)
		return word;
	if (has_word(version, "PREEMPT_LAZY"))
		return "lazy";
	if (has_word(version, "PREEMPT"))
		return "full";
	return preempt_from_config(c);
}

static void find_debug(const char *root, const struct config *c, char *buf, size_t size)
{
	static const struct {
		enum option option;
		const char *name;
	} slow[] = {
		{ OPT_KASAN, "KASAN" },
		{ OPT_KMSAN, "KMSAN" },
		{ OPT_KCSAN, "KCSAN" },
		{ OPT_LOCKDEP, "lockdep" },
		{ OPT_DEBUG_OBJECTS, "object debugging" },
		{ OPT_SLUB_DEBUG_ON, "slub_debug" },
		{ OPT_DEBUG_PAGEALLOC, "debug_pagealloc" },
	};
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
		bool on = c->y[slow[i].option];

		/* The file is there for everyone, the configuration is not. */
		if (slow[i].option == OPT_LOCKDEP)
			on |= machine_exists(root, "/proc/lockdep_stats");
		if (on && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "", slow[i].name);
	}
}

void machine_read_config(const char *root, struct machine *m)
{
	struct config c;

	read_config(root, m, &c);
	m->jit = find_jit(root, &c);
	str_copy(m->preempt, sizeof(m->preempt), find_preempt(root, &c));
	find_debug(root, &c, m->debug, sizeof(m->debug));
}
