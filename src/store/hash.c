// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_HASH: a hash table shared by all, preallocated. */
#include "core/store.h"

extern const struct store store_hash;
const struct store store_hash = {
	.name = "hash",
	.map_type = "BPF_MAP_TYPE_HASH",
	.type = 1,
	.summary = "a hash table shared by all, preallocated",
	.since = "3.19",
	.key_size = 4,
	.value_size = 4,
	.max_entries = 1024, /* to see whether one can be created; rows have their own capacity */
	.measured = true,
};
