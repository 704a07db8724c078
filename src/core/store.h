/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kind of kernel map as data. map_type is the kernel's number (uapi/linux/bpf.h), so that this header needs
 * neither libbpf nor kernel headers. Adding one is adding src/store/NAME.c with `const struct store store_NAME`.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct store {
	const char *name;     /* "task", "hash": as in results files */
	const char *map_type; /* "BPF_MAP_TYPE_TASK_STORAGE" */
	uint32_t type;	      /* its number */
	const char *summary;  /* one line: what it keeps, for which object */
	const char *since;    /* kernel version that brought it, a hint for error texts only */
	uint32_t key_size, value_size, max_entries, flags;
	bool local_storage; /* has slots and an element list */
	bool measured;	    /* the sweep and run can measure it; others are probed only */
};

extern const struct store *const stores[]; /* generated, NULL-terminated */
const struct store *store_find(const char *name);
