// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of kernel maps, made by make from the files in this folder. */
#include <string.h>

#include "core/store.h"
#include "registry_store.inc"

#define DECLARE(name) extern const struct store store_##name;
REGISTRY_store(DECLARE)

#define ENTRY(name) &store_##name,
	const struct store *const stores[] = { REGISTRY_store(ENTRY) NULL };

const struct store *store_find(const char *name)
{
	for (int i = 0; stores[i]; i++)
		if (strcmp(stores[i]->name, name) == 0)
			return stores[i];
	return NULL;
}
