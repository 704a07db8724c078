/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `lsbench probe` asks of the kernel engine, found by really trying (engine/kernel_probe.c, kernel_newcomer.c). */
#pragma once

#include <stdbool.h>

#include "lib/err.h"

enum check_verdict { CHECK_OK, CHECK_LIMITED, CHECK_NO, CHECK_INFO };

struct check {
	char name[32]; /* "trigger fentry", "map cgrp" */
	enum check_verdict verdict;
	char found[512]; /* what was seen, with numbers */
	char hint[256];	 /* what to do about it; "" if nothing */
	bool needed;	 /* CHECK_NO here means that a sweep cannot run */
};

/* Calls emit for every check that needs bpf(): BTF, slots, inlined hit, JIT, triggers, maps, batch update, bpf_loop,
 * slots readable. Never fails; what cannot be asked is a check with its reason. The process holds no map or program
 * afterwards. */
void kernel_probe(void (*emit)(void *arg, const struct check *c), void *arg);

/*
 * Fills what the engine knows of a machine: slots, inlined_hit, foreign; and how many BPF programs are loaded (-1
 * unknown). To be asked first: maps of our own are listed for a moment after they were closed.
 */
struct machine;
void kernel_probe_machine(struct machine *m, int *ret_programs);

/* What a new program would see (probe --measure): the slot a new task-storage map gets and its neighbours
 * (core/newcomer.h). */
struct probe_newcomer {
	int slots;	       /* number of cache slots */
	int slot;	       /* the slot a map created now got */
	int foreign_task_maps; /* task-storage maps of others on this host; -1 unknown */
	int neighbours;	       /* of those, how many share the slot; -1 unknown */
	int closing;	       /* closed maps that still hold slots */
	bool exact;	       /* neighbours follow from the slots that more maps got; else they are an estimate */
};
/* Creates maps and closes them again: for a moment they hold slots that the next new map does not get. */
int kernel_probe_newcomer(struct probe_newcomer *ret, struct err *e);
