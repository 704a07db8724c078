/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owned locals: `_cleanup_free_ char *p = NULL;` frees at the end of the block, take_ptr(p) hands the
 * ownership on and leaves NULL behind, take_fd(fd) leaves -1. goto is left for undoing acts, not memory.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}
static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}
static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)
#define _cleanup_close_ _cleanup_(cleanup_close)

#define take_ptr(p)                     \
	({                              \
		__typeof__(p) _p = (p); \
		(p) = NULL;             \
		_p;                     \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
