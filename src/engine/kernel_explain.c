// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors of bpf() put into words. It has few errnos for many causes: EPERM is a missing capability, lockdown, a
 * security module or seccomp. The process's own state tells them apart.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/machine.h"
#include "engine/kernel_priv.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT 38
#define CAP_BPF_BIT 39

static bool has_cap(uint64_t caps, int bit)
{
	return caps & (1ull << bit) || caps & (1ull << CAP_SYS_ADMIN_BIT);
}

static void explain_permission(const char *what, char *buf, size_t size)
{
	uint64_t caps = 0, seccomp = 0;
	const char *missing = NULL;

	machine_process_status("", "CapEff", 16, &caps);
	machine_process_status("", "Seccomp", 10, &seccomp);
	if (!has_cap(caps, CAP_BPF_BIT))
		missing = "CAP_BPF";
	else if (!has_cap(caps, CAP_PERFMON_BIT))
		missing = "CAP_PERFMON";
	if (missing)
		snprintf(buf, size,
			 "%s was refused (EPERM): %s is missing%s; run as root (sudo lsbench ...) - `report` and `--engine fake` work "
			 "without",
			 what, missing, geteuid() ? ", this is not root" : "");
	else if (seccomp == 2)
		snprintf(buf, size,
			 "%s was refused (EPERM) although the capabilities are there: a seccomp filter of this container denies bpf(); "
			 "run outside it or with a profile that allows bpf()",
			 what);
	else
		snprintf(buf, size,
			 "%s was refused (EPERM) although the capabilities are there: kernel lockdown or a security module does not allow it "
			 "(cat /sys/kernel/security/lockdown)",
			 what);
}

void kernel_explain(int err, const char *what, char *buf, size_t size)
{
	switch (err) {
	case EPERM:
	case EACCES:
		if (err == EPERM || geteuid()) {
			explain_permission(what, buf, size);
			return;
		}
		snprintf(buf, size, "%s: the verifier does not accept the program (EACCES)", what);
		return;
	case ENOSYS:
		snprintf(buf, size,
			 "%s: this kernel has no bpf() system call (CONFIG_BPF_SYSCALL), or a seccomp filter hides it",
			 what);
		return;
	case ESRCH:
	case ENOENT:
		if (!access("/sys/kernel/btf/vmlinux", R_OK)) {
			snprintf(buf, size,
				 "%s: the kernel's BTF (/sys/kernel/btf/vmlinux) lacks what the program needs (%s), or "
				 "there is no memory to read it (ulimit -v?)",
				 what, strerror(err));
			return;
		}
		snprintf(buf, size,
			 "%s: the kernel's BTF lacks what the program needs (%s): is CONFIG_DEBUG_INFO_BTF set?", what,
			 strerror(err));
		return;
	case EINVAL:
		if (access("/sys/kernel/btf/vmlinux", R_OK))
			snprintf(buf, size,
				 "%s: invalid argument, and this kernel shows no BTF (/sys/kernel/btf/vmlinux): it needs "
				 "CONFIG_DEBUG_INFO_BTF",
				 what);
		else
			snprintf(buf, size,
				 "%s: invalid argument: this kernel is too old for it, or its verifier refuses the program",
				 what);
		return;
	case ENOTSUP:
	case 524: /* ENOTSUPP, which the kernel lets out and libc does not know */
		snprintf(buf, size, "%s: not supported by this kernel, or by the JIT of this architecture", what);
		return;
	case ENOMEM:
		snprintf(buf, size, "%s: out of memory (or of the memory that this cgroup or RLIMIT_MEMLOCK allows)",
			 what);
		return;
	default:
		snprintf(buf, size, "%s: %s (errno %d)", what, strerror(err), err);
	}
}
