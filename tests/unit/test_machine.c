// SPDX-License-Identifier: GPL-2.0-or-later
/* Machine facts from roots made here: ordinary ones as kernels write them, and hostile ones. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/machine.h"

#define CPU "/sys/devices/system/cpu"
#define CLOCK "/sys/devices/system/clocksource/clocksource0"

struct root {
	char path[64];
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int set_up(void **state)
{
	struct root *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	snprintf(r->path, sizeof(r->path), "/tmp/lsbench-test-machine-XXXXXX");
	assert_non_null(mkdtemp(r->path));
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct root *r = *state;

	nftw(r->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(r);
	return 0;
}

/* The path below the root, with its directories made. */
static const char *below(const struct root *r, const char *path, char *full, size_t size)
{
	snprintf(full, size, "%s%s", r->path, path);
	for (char *p = full + strlen(r->path) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(full, 0755))
			assert_int_equal(errno, EEXIST);
		*p = '/';
	}
	return full;
}

static void put_bytes(const struct root *r, const char *path, const void *data, size_t len)
{
	char full[512];
	FILE *f = fopen(below(r, path, full, sizeof(full)), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void put(const struct root *r, const char *path, const char *text)
{
	put_bytes(r, path, text, strlen(text));
}

static void put_gz(const struct root *r, const char *path, const char *text)
{
	char full[512];
	gzFile f = gzopen(below(r, path, full, sizeof(full)), "wb");

	assert_non_null(f);
	assert_int_equal(gzputs(f, text), (int)strlen(text));
	assert_int_equal(gzclose(f), Z_OK);
}

static void drop(const struct root *r, const char *path)
{
	char full[512];

	assert_int_equal(remove(below(r, path, full, sizeof(full))), 0);
}

static const char *virt_of(const struct root *r)
{
	static struct machine m;

	machine_read(r->path, &m);
	return m.virt;
}

static const char *preempt_of(const struct root *r)
{
	static struct machine m;

	machine_read(r->path, &m);
	return m.preempt;
}

static int jit_of(const struct root *r)
{
	struct machine m;

	machine_read(r->path, &m);
	return m.jit;
}

static void unknown_everywhere(void **state)
{
	const struct root *r = *state;
	struct machine m;
	uint64_t a = 7, b = 7;
	char id[40] = "x";

	machine_read(r->path, &m);
	assert_string_equal(m.kernel, "");
	assert_string_equal(m.arch, "");
	assert_string_equal(m.cpu, "");
	assert_int_equal(m.cpus, 0);
	assert_int_equal(m.slots, 0);
	assert_int_equal(m.inlined_hit, -1);
	assert_int_equal(m.jit, -1);
	assert_int_equal(m.smt, -1);
	assert_string_equal(m.clocksource, "");
	assert_string_equal(m.governor, "");
	assert_string_equal(m.virt, "");
	assert_string_equal(m.preempt, "");
	assert_string_equal(m.lockdown, "");
	assert_string_equal(m.debug, "");
	assert_false(m.boost);
	assert_true(m.steal == 0);
	assert_int_equal(m.nr_mitigations, 0);
	assert_int_equal(m.foreign.task, -1);
	assert_int_equal(m.foreign.sk, -1);
	assert_int_equal(machine_available_bytes(r->path), 0);
	assert_false(machine_steal_ticks(r->path, -1, &a, &b));
	assert_int_equal(a, 7);
	assert_int_equal(b, 7);
	machine_boot_id(r->path, id, sizeof(id));
	assert_string_equal(id, "");
}

static void bare_metal_x86(void **state)
{
	const struct root *r = *state;
	struct machine m;

	put(r, "/proc/sys/kernel/osrelease", "6.12.9-amd64\n");
	put(r, "/proc/sys/kernel/arch", "x86_64\n");
	put(r, "/proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
	    "model name\t: Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz\nflags\t\t: fpu vme de pse tsc\n\n"
	    "processor\t: 1\nmodel name\t: another\n");
	put(r, CPU "/online", "0-3,8,10-11\n");
	put(r, CPU "/smt/active", "1\n");
	put(r, CPU "/cpu0/cpufreq/scaling_governor", "powersave\n");
	put(r, CPU "/intel_pstate/no_turbo", "0\n");
	put(r, CLOCK "/current_clocksource", "tsc\n");
	put(r, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	put(r, "/sys/class/dmi/id/product_name", "c5.metal\n");
	put(r, "/proc/sys/net/core/bpf_jit_enable", "1\n");
	put(r, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put(r, "/sys/kernel/debug/sched/preempt", "none (voluntary) full lazy \n");
	put(r, CPU "/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
	put(r, CPU "/vulnerabilities/l1tf", "Not affected\n");
	machine_read(r->path, &m);
	assert_string_equal(m.kernel, "6.12.9-amd64");
	assert_string_equal(m.arch, "x86_64");
	assert_string_equal(m.cpu, "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz");
	assert_int_equal(m.cpus, 7);
	assert_int_equal(m.smt, 1);
	assert_string_equal(m.governor, "powersave");
	assert_true(m.boost);
	assert_string_equal(m.clocksource, "tsc");
	assert_string_equal(m.virt, "none");
	assert_int_equal(m.jit, 1);
	assert_string_equal(m.lockdown, "integrity");
	assert_string_equal(m.preempt, "voluntary");
	assert_int_equal(m.nr_mitigations, 2);
	assert_string_equal(m.mitigations[0].name, "l1tf");
	assert_string_equal(m.mitigations[1].name, "spectre_v2");
	assert_string_equal(m.mitigations[1].state, "Mitigation: Retpolines");
}

static void arm64_without_a_model_name(void **state)
{
	static const char tree[] = "linux,dummy-virt"; /* with its NUL, as in a device tree */
	const struct root *r = *state;
	struct machine m;

	put(r, "/proc/cpuinfo",
	    "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm\nCPU implementer\t: 0x41\n"
	    "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n");
	put(r, CPU "/cpu0/topology/thread_siblings_list", "0\n");
	machine_read(r->path, &m);
	assert_string_equal(m.cpu, "implementer 0x41 part 0xd0c");
	assert_int_equal(m.smt, 0);
	assert_string_equal(m.virt, "");
	put(r, CPU "/cpu0/topology/thread_siblings_list", "0-1\n");
	put_bytes(r, "/proc/device-tree/compatible", tree, sizeof(tree));
	machine_read(r->path, &m);
	assert_int_equal(m.smt, 1);
	assert_string_equal(m.virt, "qemu");
	put_bytes(r, "/proc/device-tree/compatible", "raspberrypi,4-model-b\0brcm,bcm2711", 34);
	assert_string_equal(virt_of(r), "none");
	put_bytes(r, "/proc/device-tree/hypervisor/compatible", "linux,kvm", 10);
	assert_string_equal(virt_of(r), "kvm");
}

static void virtual_machines(void **state)
{
	const struct root *r = *state;

	/* The flag decides on x86, whatever DMI says. */
	put(r, "/proc/cpuinfo", "flags\t\t: fpu hypervisors nohypervisor\n");
	put(r, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
	assert_string_equal(virt_of(r), "none");
	put(r, "/proc/cpuinfo", "flags\t\t: fpu hypervisor tsc\n");
	assert_string_equal(virt_of(r), "qemu");
	put(r, CLOCK "/available_clocksource", "tsc kvm-clock acpi_pm \n");
	assert_string_equal(virt_of(r), "kvm");
	put(r, CLOCK "/available_clocksource", "tsc acpi_pm\n");
	put(r, "/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
	put(r, "/sys/class/dmi/id/product_name", "Virtual Machine\n");
	assert_string_equal(virt_of(r), "hyperv");
	put(r, "/sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n");
	assert_string_equal(virt_of(r), "vm-other");
	put(r, "/sys/hypervisor/type", "xen\n");
	assert_string_equal(virt_of(r), "xen");
}

static void jit_from_sysctl_then_configuration(void **state)
{
	const struct root *r = *state;

	put(r, "/proc/sys/kernel/osrelease", "6.1.0\n");
	put(r, "/boot/config-6.1.0", "CONFIG_64BIT=y\n# CONFIG_BPF_JIT is not set\n");
	assert_int_equal(jit_of(r), 0);
	put(r, "/boot/config-6.1.0", "CONFIG_64BIT=y\nCONFIG_BPF_JIT=y\n");
	assert_int_equal(jit_of(r), -1);
	/* The running kernel's own configuration comes first. */
	put_gz(r, "/proc/config.gz", "CONFIG_64BIT=y\nCONFIG_BPF_JIT=y\nCONFIG_BPF_JIT_ALWAYS_ON=y\n");
	assert_int_equal(jit_of(r), 1);
	put(r, "/proc/sys/net/core/bpf_jit_enable", "0\n");
	assert_int_equal(jit_of(r), 0);
	put(r, "/proc/sys/net/core/bpf_jit_enable", "2\n");
	assert_int_equal(jit_of(r), 1);
	put(r, "/proc/sys/net/core/bpf_jit_enable", "3\n");
	assert_int_equal(jit_of(r), 1);
	put(r, "/proc/sys/net/core/bpf_jit_enable", "0 1\n");
	drop(r, "/proc/config.gz");
	assert_int_equal(jit_of(r), -1);
}

static void preemption(void **state)
{
	const struct root *r = *state;

	put(r, "/proc/version", "Linux version 6.1 (x@y) #1 SMP PREEMPT_DYNAMIC Debian\n");
	assert_string_equal(preempt_of(r), "");
	put_gz(r, "/proc/config.gz", "CONFIG_64BIT=y\nCONFIG_PREEMPT_NONE=y\nCONFIG_PREEMPT_DYNAMIC=y\n");
	assert_string_equal(preempt_of(r), "none");
	put(r, "/proc/cmdline", "quiet preempt=voluntary preempt=full preempt=nonsense -- preempt=none\n");
	assert_string_equal(preempt_of(r), "full");
	put(r, "/sys/kernel/debug/sched/preempt", "none voluntary full (lazy)\n");
	assert_string_equal(preempt_of(r), "lazy");
	put(r, "/sys/kernel/debug/sched/preempt", "none voluntary (fulll) lazy\n");
	assert_string_equal(preempt_of(r), "full");
	put(r, "/proc/version", "Linux version 6.1 (x@y) #1 SMP PREEMPT_RT Debian\n");
	assert_string_equal(preempt_of(r), "rt");
	drop(r, "/sys/kernel/debug/sched/preempt");
	drop(r, "/proc/config.gz");
	put(r, "/proc/version", "Linux version 6.1 (x@y) #1 SMP PREEMPT Debian\n");
	assert_string_equal(preempt_of(r), "full");
	put(r, "/proc/version", "Linux version 6.1 (x@PREEMPTIVE) #1 SMP Debian\n");
	assert_string_equal(preempt_of(r), "");
}

static void debug_kernels(void **state)
{
	const struct root *r = *state;
	struct machine m;

	put_gz(r, "/proc/config.gz", "CONFIG_64BIT=y\n# CONFIG_KASAN is not set\nCONFIG_KASAN_SHADOW_OFFSET=y\n");
	machine_read(r->path, &m);
	assert_string_equal(m.debug, "");
	put_gz(r, "/proc/config.gz", "CONFIG_64BIT=y\nCONFIG_KASAN=y\nCONFIG_LOCKDEP=y\n");
	machine_read(r->path, &m);
	assert_string_equal(m.debug, "KASAN, lockdep");
	drop(r, "/proc/config.gz");
	put(r, "/proc/lockdep_stats", "");
	machine_read(r->path, &m);
	assert_string_equal(m.debug, "lockdep");
}

static void lockdown_only_as_the_kernel_writes_it(void **state)
{
	static const char *const nonsense[] = { "integrity", "[",	"[]",	   "[none", "none]",
						"[int]",     "] [none", "[nonee]", "\n" };
	const struct root *r = *state;
	struct machine m;

	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		put(r, "/sys/kernel/security/lockdown", nonsense[i]);
		machine_read(r->path, &m);
		assert_string_equal(m.lockdown, "");
	}
	put(r, "/sys/kernel/security/lockdown", "none integrity [confidentiality]");
	machine_read(r->path, &m);
	assert_string_equal(m.lockdown, "confidentiality");
}

static void hostile_files(void **state)
{
	static const char *const paths[] = {
		"/proc/sys/kernel/osrelease",
		"/proc/cpuinfo",
		"/proc/stat",
		"/proc/meminfo",
		"/proc/version",
		"/proc/cmdline",
		"/proc/config.gz",
		"/proc/sys/net/core/bpf_jit_enable",
		"/proc/sys/kernel/random/boot_id",
		"/proc/self/cgroup",
		CPU "/online",
		CPU "/smt/active",
		CPU "/cpu0/cpufreq/scaling_governor",
		CPU "/cpufreq/boost",
		CLOCK "/current_clocksource",
		CLOCK "/available_clocksource",
		"/sys/kernel/security/lockdown",
		"/sys/kernel/debug/sched/preempt",
		"/sys/class/dmi/id/sys_vendor",
		"/sys/class/dmi/id/product_name",
		"/sys/hypervisor/type",
		"/proc/device-tree/compatible",
		CPU "/vulnerabilities/mds",
	};
	const size_t n = sizeof(paths) / sizeof(paths[0]), len = 300000;
	const struct root *r = *state;
	char *bytes = malloc(len), full[512], id[40];
	struct machine m;
	uint64_t a, b;

	assert_non_null(bytes);
	for (int kind = 0; kind < 6; kind++) {
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(kind == 0   ? 'A'
					  : kind == 1 ? '\n'
					  : kind == 2 ? (int)((i * 2654435761u) >> 13)
						      : 0x1b);
		for (size_t i = 0; i < n; i++) {
			below(r, paths[i], full, sizeof(full));
			remove(full);
			if (kind < 4)
				put_bytes(r, paths[i], bytes, len);
			else
				assert_int_equal(kind == 4 ? mkdir(full, 0755) : mkfifo(full, 0644), 0);
		}
		machine_read(r->path, &m); /* a fifo without a writer must not make it wait */
		assert_int_equal(m.cpus, 0);
		assert_int_equal(m.jit, -1);
		assert_string_equal(m.lockdown, "");
		assert_string_equal(m.preempt, "");
		assert_int_equal(machine_available_bytes(r->path), 0);
		assert_false(machine_steal_ticks(r->path, 0, &a, &b));
		machine_boot_id(r->path, id, sizeof(id));
		assert_string_equal(id, "");
		for (const char *p = m.cpu; *p; p++)
			assert_true((unsigned char)*p >= 0x20);
		for (const char *p = m.governor; *p; p++)
			assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	}
	free(bytes);
}

static void hostile_numbers(void **state)
{
	static const char *const online[] = { "",     "0-",	      "-1", "3-1", "0-99999999999999999999",
					      "0,,1", "0-4294967295", "a" };
	const struct root *r = *state;
	struct machine m;

	for (size_t i = 0; i < sizeof(online) / sizeof(online[0]); i++) {
		put(r, CPU "/online", online[i]);
		put(r, CPU "/smt/active", "99999999999999999999");
		put(r, CPU "/cpufreq/boost", "-1");
		put(r, CPU "/intel_pstate/no_turbo", "0x0");
		machine_read(r->path, &m);
		assert_int_equal(m.cpus, 0);
		assert_int_equal(m.smt, -1);
		assert_false(m.boost);
	}
}

static void terminal_escapes_do_not_get_through(void **state)
{
	const struct root *r = *state;
	struct machine m;

	put(r, "/proc/cpuinfo", "model name\t: \033[31mred\xff\n");
	put(r, CLOCK "/current_clocksource", "t\007sc  \n");
	put(r, CPU "/vulnerabilities/mds", "\033]0;x\007\n");
	put(r, CPU "/vulnerabilities/\033evil", "x\n");
	machine_read(r->path, &m);
	assert_null(strchr(m.cpu, 033));
	assert_null(strchr(m.cpu, 0xff));
	assert_non_null(strstr(m.cpu, "red"));
	assert_string_equal(m.clocksource, "t?sc");
	assert_int_equal(m.nr_mitigations, 1);
	assert_null(strchr(m.mitigations[0].state, 033));
}

static void too_many_mitigations(void **state)
{
	const struct root *r = *state;
	struct machine m;
	char path[256], long_name[100];

	for (int i = 99; i >= 0; i--) {
		snprintf(path, sizeof(path), CPU "/vulnerabilities/v%02d", i);
		put(r, path, "Vulnerable\n");
	}
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	snprintf(path, sizeof(path), CPU "/vulnerabilities/%s", long_name);
	put(r, path, "Vulnerable\n");
	machine_read(r->path, &m);
	assert_int_equal(m.nr_mitigations, MITIGATIONS_MAX);
	for (int i = 0; i < MITIGATIONS_MAX; i++) {
		snprintf(path, sizeof(path), "v%02d", i);
		assert_string_equal(m.mitigations[i].name, path);
	}
}

static void boot_id(void **state)
{
	const struct root *r = *state;
	char id[40], small[36];

	put(r, "/proc/sys/kernel/random/boot_id", "0f3c2f1e-9f0e-4c36-8d3a-0123456789ab\n");
	machine_boot_id(r->path, id, sizeof(id));
	assert_string_equal(id, "0f3c2f1e-9f0e-4c36-8d3a-0123456789ab");
	machine_boot_id(r->path, small, sizeof(small)); /* half an id names another boot */
	assert_string_equal(small, "");
	machine_boot_id(r->path, NULL, 0);
	put(r, "/proc/sys/kernel/random/boot_id", "0f3c2f1e-9f0e-4c36-8d3a-0123456789aX\n");
	machine_boot_id(r->path, id, sizeof(id));
	assert_string_equal(id, "");
}

static void available_memory(void **state)
{
	const struct root *r = *state;

	put(r, "/proc/meminfo", "MemTotal:       24683656 kB\nMemFree:  1 kB\nMemAvailable:   1000 kB\n");
	assert_int_equal(machine_available_bytes(r->path), 1024000);
	/* The group and those above it: the one that leaves least counts. */
	put(r, "/proc/self/cgroup", "4:memory:/m\n0::/a/b\n");
	put(r, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	put(r, "/sys/fs/cgroup/a/memory.max", "600000\n");
	put(r, "/sys/fs/cgroup/a/memory.current", "100000\n");
	assert_int_equal(machine_available_bytes(r->path), 500000);
	put(r, "/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
	put(r, "/sys/fs/cgroup/memory/m/memory.usage_in_bytes", "4096\n");
	assert_int_equal(machine_available_bytes(r->path), 500000);
	put(r, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
	put(r, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n");
	assert_int_equal(machine_available_bytes(r->path), 904);
	/* More used than allowed leaves nothing, which is not the same as unknown. */
	put(r, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "6000\n");
	assert_int_equal(machine_available_bytes(r->path), 1);
	put(r, "/proc/self/cgroup", "0::/../elsewhere\n");
	assert_int_equal(machine_available_bytes(r->path), 1024000);
	put(r, "/proc/self/cgroup", "0::\n0\n:::\n:memory:x\n");
	assert_int_equal(machine_available_bytes(r->path), 1024000);
}

static void available_memory_hostile(void **state)
{
	static const char *const nonsense[] = {
		"MemAvailable: -5 kB\n",
		"MemAvailable: 99999999999999999999 kB\n",
		"MemAvailable: 18446744073709551615 kB\n",
		"MemAvailable: 5 MB\n",
		"MemAvailable:\n",
		"MemAvailable: kB\n",
		"MemAvailable: 5kB\n",
		"MemAvailable 5 kB\n",
	};
	const struct root *r = *state;

	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		put(r, "/proc/meminfo", nonsense[i]);
		assert_int_equal(machine_available_bytes(r->path), 0);
	}
}

static void steal_ticks(void **state)
{
	const struct root *r = *state;
	struct machine m;
	uint64_t steal, total;

	put(r, "/proc/stat",
	    "cpu  10 20 30 40 50 60 70 80 5 5\ncpu0 1 2 3 4 5 6 7 8 0 0\n"
	    "cpu1 1 1 1 1 1 1 1 9 0 0\ncpu10 0 0 0 0 0 0 0 3 0 0\ncpu2 1 2 3\ncpu3 1 2 x 4 5 6 7 8\n"
	    "cpu4 18446744073709551615 1 0 0 0 0 0 0\nctxt 1\n");
	assert_true(machine_steal_ticks(r->path, -1, &steal, &total));
	assert_int_equal(steal, 80);
	assert_int_equal(total, 360);
	assert_true(machine_steal_ticks(r->path, 1, &steal, &total));
	assert_int_equal(steal, 9);
	assert_int_equal(total, 16);
	assert_true(machine_steal_ticks(r->path, 10, &steal, &total));
	assert_int_equal(steal, 3);
	for (int cpu = 2; cpu <= 5; cpu++) /* short, no number, sum overflows, not there */
		assert_false(machine_steal_ticks(r->path, cpu, &steal, &total));
	assert_int_equal(steal, 3);
	machine_read(r->path, &m);
	assert_true(m.steal > 0.222 && m.steal < 0.223);
}

static void process_status(void **state)
{
	const struct root *r = *state;
	uint64_t v = 7;

	assert_false(machine_process_status(r->path, "Seccomp", 10, &v));
	put(r, "/proc/self/status",
	    "Name:\tSeccomp: 3\nCapEff:\t000000c000200000\nSeccomp_filters:\t5\nSeccomp:\t2\nBad:\tx\n");
	assert_false(machine_process_status(r->path, "Bad", 10, &v));
	assert_false(machine_process_status(r->path, "Cap", 16, &v));
	assert_int_equal(v, 7);
	assert_true(machine_process_status(r->path, "Seccomp", 10, &v));
	assert_int_equal(v, 2);
	assert_true(machine_process_status(r->path, "CapEff", 16, &v));
	assert_int_equal(v, 0xc000200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unknown_everywhere, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bare_metal_x86, set_up, tear_down),
		cmocka_unit_test_setup_teardown(arm64_without_a_model_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(virtual_machines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(jit_from_sysctl_then_configuration, set_up, tear_down),
		cmocka_unit_test_setup_teardown(preemption, set_up, tear_down),
		cmocka_unit_test_setup_teardown(debug_kernels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lockdown_only_as_the_kernel_writes_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hostile_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hostile_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(terminal_escapes_do_not_get_through, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_mitigations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(boot_id, set_up, tear_down),
		cmocka_unit_test_setup_teardown(available_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(available_memory_hostile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(steal_ticks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(process_status, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
