// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_LRU_PERCPU_HASH: as lru_hash, with a value for each CPU. */
#include "core/store.h"

extern const struct store store_lru_percpu_hash;
const struct store store_lru_percpu_hash = {
	.name = "lru_percpu_hash",
	.map_type = "BPF_MAP_TYPE_LRU_PERCPU_HASH",
	.type = 10,
	.summary = "as lru_hash, with a value for each CPU",
	.since = "4.10",
	.key_size = 4,
	.value_size = 8,
	.max_entries = 1024,
};
