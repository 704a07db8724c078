// SPDX-License-Identifier: GPL-2.0-or-later
/* The results file itself as an output format: what --json writes, with the analysis computed anew. */
#include "core/results_json.h"
#include "report/report.h"

static int jsonl_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f,
		       struct err *e)
{
	(void)style;
	return results_write_all(res, a, f, e);
}

const struct report_format report_jsonl = {
	.name = "jsonl",
	.summary = "JSON Lines, the results file format: every repetition, then the analysis",
	.write = jsonl_write,
};
