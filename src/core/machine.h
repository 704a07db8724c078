/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known about the machine of a run: recorded in every results file and the source of warnings with
 * advice. Read from /proc and /sys; what cannot be read stays "" or -1, never guessed. `slots`, `inlined_hit`
 * and `foreign` come from the engine (they need BTF and BPF). Text from the machine is made printable.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MITIGATIONS_MAX 40

struct mitigation {
	char name[48];	 /* file name below /sys/devices/system/cpu/vulnerabilities */
	char state[160]; /* its text */
};

/* Local-storage maps of other programs on this host, by kind; -1: could not be counted. */
struct foreign_maps {
	int task, cgrp, inode, sk;
};

struct machine {
	char kernel[128];
	char arch[32];
	char cpu[128];
	int cpus;	 /* online */
	int slots;	 /* from BTF; 0 unknown */
	int inlined_hit; /* -1 unknown, 0, 1 */
	int jit;	 /* -1 unknown, 0, 1 */
	int smt;	 /* -1 unknown, 0 off, 1 on */
	char clocksource[32];
	char governor[32]; /* "" where there is no frequency scaling to see */
	char virt[32];	   /* "none", "kvm", "qemu", ...; "" unknown */
	char preempt[32];  /* "none", "voluntary", "full", "lazy", "rt", "" unknown */
	char lockdown[32]; /* "none", "integrity", "confidentiality", "" unknown */
	bool boost;	   /* frequency boost (turbo) was seen to be on */
	double steal;	   /* share of CPU time the host took since boot, 0..1; 0 also where it is not told */
	char debug[64];	   /* debugging options that slow the whole kernel: "KASAN, lockdep"; "" none seen */
	int nr_mitigations;
	struct mitigation mitigations[MITIGATIONS_MAX];
	struct foreign_maps foreign;
};

/* Fills everything but slots, inlined_hit and foreign (set to "unknown"). root: "" or a directory that stands
 * for / (tests). Never fails: unknown stays unknown. */
void machine_read(const char *root, struct machine *ret_machine);
/* The boot id, "" if unknown. buf of at least 40 bytes. */
void machine_boot_id(const char *root, char *buf, int size);
/* MemAvailable in bytes, less if a memory cgroup of this process leaves less (BPF maps are charged to it); 0 if
 * unknown. */
uint64_t machine_available_bytes(const char *root);
/* Share of time stolen from `cpu` (-1: all of them): cumulative steal and total ticks from /proc/stat. False if
 * unknown. */
bool machine_steal_ticks(const char *root, int cpu, uint64_t *ret_steal, uint64_t *ret_total);

/* One sentence with advice for each thing that makes figures less sure. Calls emit(arg, sentence) for each. */
void machine_advise(const struct machine *m, void (*emit)(void *arg, const char *sentence), void *arg);
/* The number (base 10 or 16) of a "NAME:" line of this process's /proc/self/status. False if it cannot be read. */
bool machine_process_status(const char *root, const char *name, int base, uint64_t *ret);
