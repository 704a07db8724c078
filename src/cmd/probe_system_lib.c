// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The checks of `lsbench probe` that need no bpf(): machine, rights, limits.
 *
 * Not obvious: root of a user namespace (a container without privileges) has every capability and none of them counts
 * for bpf(), which asks for capabilities of the first namespace.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bpf/abi.h"
#include "cmd/probe_lib.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define HASH_ENTRIES 4194304ull /* of the control in the published matrix, the largest pid_max */
#define HASH_ENTRY_BYTES 80

static struct check check_new(const char *name)
{
	struct check c = { .verdict = CHECK_OK };

	str_copy(c.name, sizeof(c.name), name);
	return c;
}

__attribute__((format(printf, 2, 3))) static void found(struct check *c, const char *fmt, ...)
{
	size_t len = strlen(c->found);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->found + len, sizeof(c->found) - len, fmt, ap);
	va_end(ap);
}

__attribute__((format(printf, 3, 4))) static void hint(struct check *c, enum check_verdict verdict, const char *fmt,
						       ...)
{
	va_list ap;

	c->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(c->hint, sizeof(c->hint), fmt, ap);
	va_end(ap);
}

static void check_machine(struct probe_report *r)
{
	const struct machine *m = &r->machine;
	struct check kernel = check_new("kernel"), cpu = check_new("cpu"), virt = check_new("virtualisation");
	struct check clock = check_new("clock source");

	kernel.verdict = cpu.verdict = virt.verdict = CHECK_INFO;
	found(&kernel, "%s %s, preemption %s", m->kernel[0] ? m->kernel : "unknown", m->arch,
	      m->preempt[0] ? m->preempt : "unknown");
	if (m->debug[0]) {
		found(&kernel, ", with %s", m->debug);
		hint(&kernel, CHECK_LIMITED, "figures of a debug kernel say little about any other kernel");
	}
	found(&cpu, "%s, %d online, SMT %s, governor %s", m->cpu[0] ? m->cpu : "model unknown", m->cpus,
	      m->smt < 0 ? "unknown"
	      : m->smt	 ? "on"
			 : "off",
	      m->governor[0] ? m->governor : "not visible");
	found(&virt, "%s", m->virt[0] ? m->virt : "unknown");
	found(&clock, "%s", m->clocksource[0] ? m->clocksource : "unknown");
	if (!m->clocksource[0])
		clock.verdict = CHECK_INFO;
	else if (strstr(m->clocksource, "jiffies"))
		hint(&clock, CHECK_LIMITED, "its resolution is milliseconds: figures in ns mean nothing");
	else if (!strcmp(m->clocksource, "hpet") || !strcmp(m->clocksource, "acpi_pm"))
		hint(&clock, CHECK_LIMITED, "reading it takes about a microsecond; dmesg says why tsc was given up");
	probe_add(&r->system, &kernel);
	probe_add(&r->system, &cpu);
	probe_add(&r->system, &virt);
	probe_add(&r->system, &clock);
}

/* The first user namespace maps everything onto itself. */
static bool in_user_namespace(void)
{
	char text[128];
	unsigned long long inside, outside, length;

	if (!str_read_line("", "/proc/self/uid_map", text, sizeof(text)))
		return false;
	if (sscanf(text, "%llu %llu %llu", &inside, &outside, &length) != 3)
		return true; /* a namespace that is not mapped yet */
	return inside != 0 || outside != 0 || length != 4294967295ull;
}

struct cap {
	int bit;
	const char *name, *without;
	enum check_verdict verdict;
};

/* In the order of importance; CAP_SYS_ADMIN stands for the first two. */
static const struct cap cap_table[] = {
	{ 39, "CAP_BPF",
	  "without it bpf() is refused: run as root (sudo lsbench ...); `lsbench report` and `--engine fake` "
	  "work without",
	  CHECK_NO },
	{ 38, "CAP_PERFMON",
	  "without it tracing programs (raw_tp, fentry) do not load and slots cannot be read: run as root",
	  CHECK_LIMITED },
	{ 21, "CAP_SYS_ADMIN",
	  "without it maps of others cannot be counted and hashes have a random seed: their rows vary by "
	  "20 % between sweeps",
	  CHECK_LIMITED },
	{ 24, "CAP_SYS_RESOURCE", "only needed to raise hard limits", CHECK_INFO },
};

static void check_caps(struct probe_report *r)
{
	struct check c = check_new("capabilities");
	uint64_t caps = 0;
	bool known = machine_process_status("", "CapEff", 16, &caps), first = true;

	c.needed = true;
	for (int want = 1; known && want >= 0; want--) {
		bool any = false;

		for (size_t i = 0; i < ARRAY_SIZE(cap_table); i++) {
			const struct cap *cap = &cap_table[i];
			bool has = caps >> cap->bit & 1 || (i < 2 && caps >> 21 & 1);

			if (has != (want == 1))
				continue;
			if (!any)
				found(&c, "%s%s", first ? "" : "; ", want ? "effective: " : "missing: ");
			found(&c, "%s%s", any ? ", " : "", cap->name);
			any = true;
			first = false;
			if (!has && !c.hint[0] && cap->verdict != CHECK_INFO)
				hint(&c, cap->verdict, "%s", cap->without);
		}
	}
	if (!known) {
		found(&c, "unknown: /proc/self/status cannot be read");
		hint(&c, CHECK_INFO, "mount /proc");
	} else if (geteuid()) {
		found(&c, " (user %u, not root)", (unsigned)geteuid());
	}
	if (known && in_user_namespace()) {
		found(&c, "; inside a user namespace, where they do not count for bpf()");
		hint(&c, CHECK_NO, "run on the host itself, or in a privileged container of the first user namespace");
	}
	probe_add(&r->system, &c);
}

static void check_lockdown(struct probe_report *r)
{
	struct check c = check_new("lockdown");
	const struct check *fentry = probe_find(&r->kernel, "trigger fentry");
	const struct check *caps = probe_find(&r->system, "capabilities");
	const struct check *slots = probe_find(&r->kernel, "slots readable");
	const char *level = r->machine.lockdown;

	c.verdict = CHECK_INFO;
	if (!strcmp(level, "none")) {
		found(&c, "none");
		c.verdict = CHECK_OK;
	} else if (level[0]) {
		found(&c, "%s", level);
		if (!strcmp(level, "confidentiality"))
			hint(&c, CHECK_LIMITED,
			     "programs cannot read kernel memory, so slots are assumed, not seen; boot with "
			     "lockdown=integrity or without");
	} else {
		found(&c, "unknown: /sys/kernel/security/lockdown cannot be read");
		if (slots && slots->verdict == CHECK_OK)
			found(&c, "; not confidentiality, since kernel memory can be read");
		if (slots && slots->verdict == CHECK_OK && fentry && fentry->verdict == CHECK_LIMITED && caps &&
		    caps->verdict == CHECK_OK)
			found(&c,
			      "; fentry is refused in spite of all capabilities, as lockdown or a security module does");
		hint(&c, CHECK_INFO, "mount -t securityfs securityfs /sys/kernel/security shows it (root)");
	}
	probe_add(&r->system, &c);
}

static void check_unprivileged(struct probe_report *r)
{
	struct check c = check_new("unprivileged bpf");
	char text[32];

	c.verdict = CHECK_INFO;
	if (!str_read_line("", "/proc/sys/kernel/unprivileged_bpf_disabled", text, sizeof(text)))
		found(&c, "unknown: the sysctl cannot be read");
	else
		found(&c, "%.8s (%s); lsbench needs CAP_BPF either way", text,
		      !strcmp(text, "0") ? "simple programs are allowed" : "disabled");
	probe_add(&r->system, &c);
}

static const char *limit_text(rlim_t v, bool bytes, char *buf, size_t size)
{
	if (v == RLIM_INFINITY)
		str_copy(buf, size, "unlimited");
	else if (bytes)
		str_bytes(buf, size, (double)v);
	else
		snprintf(buf, size, "%llu", (unsigned long long)v);
	return buf;
}

static void check_limits(struct probe_report *r)
{
	struct check memlock = check_new("memlock"), files = check_new("open files");
	const unsigned long long need = LSB_POOL_MAX + 1 + LSB_OTHER_FILES; /* and the hash */
	char soft[32], hard[32];
	struct rlimit l;

	if (getrlimit(RLIMIT_MEMLOCK, &l) == 0)
		found(&memlock, "%s soft, %s hard; not counted for BPF maps (5.11 and later: the memory cgroup is)",
		      limit_text(l.rlim_cur, true, soft, sizeof(soft)),
		      limit_text(l.rlim_max, true, hard, sizeof(hard)));
	files.needed = true;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		found(&files, "%s soft, %s hard; the published matrix (1000 maps, spare ones) takes %llu",
		      limit_text(l.rlim_cur, false, soft, sizeof(soft)),
		      limit_text(l.rlim_max, false, hard, sizeof(hard)), need);
		if (l.rlim_max < need && l.rlim_max > LSB_OTHER_FILES + 66)
			hint(&files, CHECK_NO,
			     "raise the hard limit (ulimit -Hn %llu, as root), or measure fewer maps: --nr-maps with at "
			     "most %llu",
			     need, (unsigned long long)l.rlim_max - LSB_OTHER_FILES - 65);
		else if (l.rlim_max < need)
			hint(&files, CHECK_NO, "raise the hard limit (ulimit -Hn %llu, as root)", need);
		else if (l.rlim_cur < need)
			found(&files, "; a sweep raises the soft limit itself");
	}
	probe_add(&r->system, &memlock);
	probe_add(&r->system, &files);
}

static void check_memory(struct probe_report *r)
{
	struct check c = check_new("memory for hash");
	const uint64_t need = HASH_ENTRIES * HASH_ENTRY_BYTES, have = machine_available_bytes("");
	char need_text[32], have_text[32];

	c.needed = true;
	str_bytes(need_text, sizeof(need_text), (double)need);
	if (!have) {
		found(&c, "%llu entries take about %s; how much is available is unknown", HASH_ENTRIES, need_text);
		c.verdict = CHECK_INFO;
	} else {
		found(&c, "%llu entries take about %s, available are %s", HASH_ENTRIES, need_text,
		      str_bytes(have_text, sizeof(have_text), (double)have));
		if (have < need)
			hint(&c, CHECK_NO, "free some, or give the hash fewer entries: --hashmap-capacity %" PRIu64,
			     have / 2 / HASH_ENTRY_BYTES);
	}
	probe_add(&r->system, &c);
}

static void check_foreign(struct probe_report *r)
{
	struct check c = check_new("others' maps");
	const struct foreign_maps *f = &r->machine.foreign;

	c.verdict = CHECK_INFO;
	if (f->task < 0 || r->programs < 0) {
		found(&c, "unknown: listing BPF maps of other programs needs CAP_SYS_ADMIN");
	} else {
		found(&c, "local storage of other programs: %d task, %d cgrp, %d inode, %d sk; BPF programs loaded: %d",
		      f->task, f->cgrp, f->inode, f->sk, r->programs);
		if (f->task > 0)
			hint(&c, CHECK_INFO,
			     "they share each task's cache slots; a sweep chooses its maps around them, `lsbench probe "
			     "--measure` says what they cost a new program");
	}
	probe_add(&r->system, &c);
}

static void add_advice(void *arg, const char *sentence)
{
	struct probe_report *r = arg;

	if (r->nr_advice < PROBE_ADVICE_MAX)
		str_copy(r->advice[r->nr_advice++], sizeof(r->advice[0]), sentence);
}

void probe_system(struct probe_report *r)
{
	check_machine(r);
	check_caps(r);
	check_lockdown(r);
	check_unprivileged(r);
	check_limits(r);
	check_memory(r);
	check_foreign(r);
	machine_advise(&r->machine, add_advice, r);
}
