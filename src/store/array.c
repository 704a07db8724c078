// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_ARRAY: an array, all of it allocated at creation. */
#include "core/store.h"

extern const struct store store_array;
const struct store store_array = {
	.name = "array",
	.map_type = "BPF_MAP_TYPE_ARRAY",
	.type = 2,
	.summary = "an array, all of it allocated at creation",
	.since = "3.19",
	.key_size = 4,
	.value_size = 8,
	.max_entries = 1024,
};
