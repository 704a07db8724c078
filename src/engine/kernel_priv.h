/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the kernel engine, the only ones that see libbpf and the skeleton. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

/* Loads the smallest program of `trigger` ("raw_tp", "fentry", "syscall") in this process, really runs it once
 * (attached, for fentry) and takes everything down again. False: why holds one sentence (errno explained: lockdown,
 * capability, BTF ...). */
bool kernel_try_trigger(const char *trigger, char *why, size_t size);
/* Translates an errno of a bpf() call about `what` into one sentence that names the likely cause on this machine (not
 * root, CAP_BPF / CAP_PERFMON missing, lockdown level, seccomp, no BTF, kernel too old) and what to try. */
void kernel_explain(int err, const char *what, char *buf, size_t size);
/* Number of cache slots from kernel BTF, 0 if unknown. */
int kernel_btf_slots(void);
/* Is the hit path of a get inlined into the caller (6.9, commit 68bc61c26cac)? -1 unknown. */
int kernel_inlined_hit(void);
/* Local-storage maps of other programs on this host, by kind. */
struct foreign_maps;
void kernel_count_foreign(struct foreign_maps *ret);
