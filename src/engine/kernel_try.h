/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trying a trigger and a loop form once, in a throw-away child. Private to engine/kernel*.c. */
#pragma once

#include "engine/kernel_session.h"

/*
 * Loads, enters and runs one small row (and its twin) of that form through that trigger. 0, or -errno with e saying why
 * not. *fill: how the outer array is filled best here, learned on the way (in and out).
 */
int kernel_try_form(enum kernel_trigger trigger, enum loop_form form, enum outer_fill *fill, int verbose,
		    struct err *e);
