/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small string helpers that the C library lacks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Copies at most size-1 bytes and always terminates; false if it did not fit (it is cut then). */
bool str_copy(char *dst, size_t size, const char *src);
/* The nearest of `names` (NULL-terminated list) to `word` if it is near enough to be a typing slip, else NULL. */
const char *str_nearest(const char *word, const char *const *names);
/* Columns a UTF-8 string takes on a terminal (invalid bytes count one each, as they will be shown). */
size_t str_width(const char *s);
/* Copy of `src` in which control characters (terminal escapes included) and invalid UTF-8 are shown as "?":
 * for text that came from a file or the machine. */
void str_printable(char *dst, size_t size, const char *src);
/* The first line of a file without its newline; false and "" if it cannot be read. `root` is put in front. */
bool str_read_line(const char *root, const char *path, char *buf, size_t size);
/* 4194304 -> "4194304", for people: "4.2 M", "1.1 GB". buf belongs to the caller, is returned. */
const char *str_bytes(char *buf, size_t size, double bytes);
