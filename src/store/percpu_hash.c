// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_PERCPU_HASH: a hash table with a value for each CPU. */
#include "core/store.h"

extern const struct store store_percpu_hash;
const struct store store_percpu_hash = {
	.name = "percpu_hash",
	.map_type = "BPF_MAP_TYPE_PERCPU_HASH",
	.type = 5,
	.summary = "a hash table with a value for each CPU",
	.since = "4.6",
	.key_size = 4,
	.value_size = 8,
	.max_entries = 1024,
};
