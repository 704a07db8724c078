/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between kernel_probe.c and kernel_newcomer.c. Private to engine/kernel*.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define KERNEL_SLOTS_MAPS 96 /* six rounds of 16 slots: enough to see a level below five maps of others a slot */

struct kernel_slots {
	bool seen;
	char reason[256]; /* why not */
	uint32_t nr_slots, n;
	uint8_t slot[KERNEL_SLOTS_MAPS]; /* in the order the maps were created */
	double setup_ms;
};

/* Creates KERNEL_SLOTS_MAPS maps in a child and looks. -errno, e set: not even a program could be run. */
int kernel_see_slots(struct kernel_slots *ret, struct err *e);
/* libbpf prints what we put into our own sentences. */
void kernel_quiet_libbpf(void);
