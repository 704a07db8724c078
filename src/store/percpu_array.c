// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF_MAP_TYPE_PERCPU_ARRAY: an array with a value for each CPU. */
#include "core/store.h"

extern const struct store store_percpu_array;
const struct store store_percpu_array = {
	.name = "percpu_array",
	.map_type = "BPF_MAP_TYPE_PERCPU_ARRAY",
	.type = 6,
	.summary = "an array with a value for each CPU",
	.since = "4.6",
	.key_size = 4,
	.value_size = 8,
	.max_entries = 1024,
};
