// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_SK_STORAGE: a value of each socket, in the socket itself. */
#include "core/store.h"

extern const struct store store_sk;
const struct store store_sk = {
	.name = "sk",
	.map_type = "BPF_MAP_TYPE_SK_STORAGE",
	.type = 24,
	.summary = "a value of each socket, in the socket itself",
	.since = "5.2",
	.key_size = 4,
	.value_size = 8,
	.flags = 1, /* BPF_F_NO_PREALLOC, which the kernel demands here */
	.local_storage = true,
};
