// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_TASK_STORAGE: a value of each task, in the task itself. */
#include "core/store.h"

extern const struct store store_task;
const struct store store_task = {
	.name = "task",
	.map_type = "BPF_MAP_TYPE_TASK_STORAGE",
	.type = 29,
	.summary = "a value of each task, in the task itself",
	.since = "5.11",
	.key_size = 4,
	.value_size = 8,
	.flags = 1, /* BPF_F_NO_PREALLOC, which the kernel demands here */
	.local_storage = true,
	.measured = true,
};
