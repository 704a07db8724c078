// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_LRU_HASH: a hash table that drops what was used least recently. */
#include "core/store.h"

extern const struct store store_lru_hash;
const struct store store_lru_hash = {
	.name = "lru_hash",
	.map_type = "BPF_MAP_TYPE_LRU_HASH",
	.type = 9,
	.summary = "a hash table that drops what was used least recently",
	.since = "4.10",
	.key_size = 4,
	.value_size = 4,
	.max_entries = 1024,
};
