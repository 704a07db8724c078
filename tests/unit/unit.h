/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cmocka needs before its own header, once. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
