/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands above and below the rows of the table format: where and how it was measured, warnings of the run.
 * Private. */
#pragma once

#include <stdio.h>

#include "report/report.h"

void head_write(const struct results *res, const struct report_style *style, FILE *f);
/* Nothing if there are none. */
void head_warnings(const struct results *res, const struct report_style *style, FILE *f);
