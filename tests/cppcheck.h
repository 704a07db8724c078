/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For cppcheck only (tests/lint.sh): macros of libraries whose headers it does not read. */
#pragma once

#define LIBBPF_OPTS(type, name, ...) struct type name = { __VA_ARGS__ }
#define json_array_foreach(a, i, v) for (i = 0; i < json_array_size(a) && (v = json_array_get(a, i)); i++)
#define json_object_foreach(o, k, v) for (k = json_key(o); k && (v = json_value(k)); k = json_next(o))
