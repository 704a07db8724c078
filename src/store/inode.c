// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_INODE_STORAGE: a value of each inode, in its security blob. */
#include "core/store.h"

extern const struct store store_inode;
const struct store store_inode = {
	.name = "inode",
	.map_type = "BPF_MAP_TYPE_INODE_STORAGE",
	.type = 28,
	.summary = "a value of each inode, in its security blob",
	.since = "5.10",
	.key_size = 4,
	.value_size = 8,
	.flags = 1, /* BPF_F_NO_PREALLOC, which the kernel demands here */
	.local_storage = true,
};
