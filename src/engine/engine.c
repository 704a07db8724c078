// SPDX-License-Identifier: GPL-2.0-or-later
/* Which engines there are. */
#include <string.h>

#include "core/engine.h"
#include "lib/cleanup.h"

static const struct engine *const engines[] = { &engine_kernel, &engine_fake };
const char *const engine_names[] = { "kernel", "fake", NULL };

_Static_assert(ARRAY_SIZE(engine_names) == ARRAY_SIZE(engines) + 1, "a name for each engine, and the end");

const struct engine *engine_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++)
		if (strcmp(engine_names[i], name) == 0)
			return engines[i];
	return NULL;
}
