// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_CGRP_STORAGE: a value of each cgroup, in the cgroup itself. */
#include "core/store.h"

extern const struct store store_cgrp;
const struct store store_cgrp = {
	.name = "cgrp",
	.map_type = "BPF_MAP_TYPE_CGRP_STORAGE",
	.type = 32,
	.summary = "a value of each cgroup, in the cgroup itself",
	.since = "6.2",
	.key_size = 4,
	.value_size = 8,
	.flags = 1, /* BPF_F_NO_PREALLOC, which the kernel demands here */
	.local_storage = true,
};
