// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What about this machine makes figures less sure, one sentence each with what to do. Only what changes a
 * measurement of nanoseconds; a thing that is unknown is not warned about.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/machine.h"
#include "lib/cleanup.h"

#define STEAL_WORTH_SAYING 0.001

struct advice {
	void (*emit)(void *arg, const char *sentence);
	void *arg;
};

__attribute__((format(printf, 2, 3))) static void say(const struct advice *to, const char *fmt, ...)
{
	char text[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	to->emit(to->arg, text);
}

static void advise_clock(const struct machine *m, const struct advice *to)
{
	bool x86 = !strcmp(m->arch, "x86_64") || (m->arch[0] == 'i' && strstr(m->arch, "86"));
	bool coarse = strstr(m->clocksource, "jiffies");

	if (m->governor[0] && strcmp(m->governor, "performance"))
		say(to,
		    "the frequency governor is '%s': the clock follows the load; set it to performance "
		    "(cpupower frequency-set -g performance)",
		    m->governor);
	if (m->boost)
		say(to,
		    "frequency boost is on: the clock depends on heat and on other cores; turn it off where runs are compared "
		    "(cpufreq/boost or intel_pstate/no_turbo below /sys/devices/system/cpu)");
	if (m->clocksource[0] && (coarse || (x86 && strcmp(m->clocksource, "tsc"))))
		say(to,
		    "the clock source is '%s', not tsc: reading the time is slow or coarse; see "
		    "/sys/devices/system/clocksource/clocksource0, dmesg says why the kernel gave tsc up",
		    m->clocksource);
}

static void advise_neighbours(const struct machine *m, const struct advice *to)
{
	bool vm = m->virt[0] && strcmp(m->virt, "none");

	if (vm && m->steal >= STEAL_WORTH_SAYING)
		say(to,
		    "this is a virtual machine (%s) and its host took %.1f %% of the CPU time since boot: repeat at a quiet time, "
		    "or measure on a machine of your own",
		    m->virt, m->steal * 100);
	else if (vm)
		say(to,
		    "this is a virtual machine (%s): other guests share caches and clock unseen; compare rows of one sweep, and "
		    "between sweeps trust ratios more than ns",
		    m->virt);
	else if (m->steal >= STEAL_WORTH_SAYING)
		say(to, "%.1f %% of the CPU time since boot was stolen by a hypervisor: repeat at a quiet time",
		    m->steal * 100);
	if (m->smt == 1)
		say(to,
		    "SMT is on: what runs on the sibling of the measuring CPU slows it; keep the sibling idle, or turn SMT off "
		    "(echo off > /sys/devices/system/cpu/smt/control)");
	if (m->cpus == 1)
		say(to,
		    "only 1 CPU is online: everything else on this machine interrupts the measurement; stop other work, or give it "
		    "a second CPU");
}

/* Of all mitigations those that lengthen each function return of the kernel are part of every get. */
static void advise_mitigations(const struct machine *m, const struct advice *to)
{
	static const char *const signs[] = { "Safe RET",     "safe RET", "return thunk",
					     "Return Thunk", "Stuffing", "Aligned branch/return thunks" };

	for (int i = 0; i < m->nr_mitigations; i++) {
		const struct mitigation *v = &m->mitigations[i];

		for (size_t k = 0; k < ARRAY_SIZE(signs); k++) {
			if (!strstr(v->state, signs[k]))
				continue;
			say(to,
			    "the mitigation of %s (%.80s) lengthens every function return, so each get and each lookup: compare only "
			    "with machines that have it, too",
			    v->name, v->state);
			return;
		}
	}
}

void machine_advise(const struct machine *m, void (*emit)(void *arg, const char *sentence), void *arg)
{
	const struct advice to = { emit, arg };

	if (m->jit == 0)
		say(&to,
		    "the BPF JIT is off: programs are interpreted and figures are several times too high; turn it on "
		    "(sysctl net.core.bpf_jit_enable=1)");
	if (m->debug[0])
		say(&to,
		    "this is a debug kernel (%s): every figure is far above a production kernel's; measure on a kernel without "
		    "these options",
		    m->debug);
	advise_clock(m, &to);
	advise_neighbours(m, &to);
	advise_mitigations(m, &to);
}
