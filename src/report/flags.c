// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each warning of a row means and what to do about it. Not obvious: two of them ("nulls", "few-trials") follow
 * from the figures themselves and are shown although a file may not name them.
 */
#include "report/flags.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/rows.h"
#include "report/text.h"
#include "stats/quality.h"

#define TRIALS_FOR_INTERVAL 6
#define ROWS_NAMED_MAX 8 /* more are counted, not named */

static const struct warning_info {
	char letter;
	const char *name, *meaning;
} known[] = {
	{ 'b', "bimodal",
	  "the trials sit at two levels, not around one, and the median says which had the majority. From about 100 maps on "
	  "the two are probably two layouts of the elements in memory, decided anew for each process. Both levels are real: "
	  "quote both, or take more trials (--trials 31:31)." },
	{ 'n', "noisy",
	  "half the width of the interval is more than 4 % of the median. Take the interval, not the median, for what is known; "
	  "a quieter machine, --cpu or more trials make it narrower." },
	{ 'f', "few-trials", "fewer than 6 trials: no 95 % interval exists. Allow at least 7 (--trials, --budget)." },
	{ '0', "nulls",
	  "some gets returned NULL and are not hits. Kernels before 7.0 give up when their per-CPU busy counter is taken (by "
	  "another program on this CPU, or for good on preemptible kernels before 6.1). Their time is in the figures." },
	{ 'e', "foreign-eviction",
	  "another program keeps storage on the same task and pushed an element of ours out of its slot: more misses than the "
	  "row is meant to have. Stop that program (bpftool map show) and measure again." },
	{ 'a', "audit-differs",
	  "the untimed audit pass did not count the visits or misses that were expected from the slots. Compare the two miss "
	  "columns; the audited one is what happened." },
	{ 'u', "slots-unseen",
	  "the cache slots could not be read, so that the maps have them in order of creation, which maps of other programs can "
	  "shift: the expected misses are an assumption. `lsbench probe` says why." },
	{ 'p', "preempted",
	  "other work ran on this CPU inside the measuring windows of a quarter of the trials or more. Choose an idle CPU "
	  "(--cpu) or stop the load." },
	{ 's', "steal",
	  "the hypervisor took more than 1 % of the CPU's time. Measure when the host is quiet, or on bare metal." },
	{ 'c', "clock-moved",
	  "the core clock differed by more than 3 % between trials, and ns with it. Fix the frequency (governor performance, "
	  "no turbo)." },
};

static int known_index(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool row_has(const struct row *row, size_t i, bool unit_insn)
{
	if (row_has_warning(row, known[i].name))
		return true;
	if (strcmp(known[i].name, "nulls") == 0)
		return row->counters.nulls > 0;
	if (strcmp(known[i].name, "few-trials") == 0)
		return !unit_insn && row_has_figures(row) && !row->gross.interval;
	return false;
}

void flags_collect(const struct results *res, struct flags *ret)
{
	*ret = (struct flags){ .nr_unknown = 0 };
	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];

		for (int w = 0; w < row->nr_warnings; w++) {
			const char *name = row->warnings[w];
			bool met = known_index(name) >= 0;

			for (int u = 0; u < ret->nr_unknown; u++)
				met |= strcmp(ret->unknown[u], name) == 0;
			if (met)
				continue;
			if (ret->nr_unknown < FLAGS_UNKNOWN_MAX)
				ret->unknown[ret->nr_unknown++] = name;
			else
				ret->more_unknown = true;
		}
	}
}

static void add_letter(char *buf, size_t size, char letter)
{
	size_t len = strlen(buf);

	if (len + 1 < size) {
		buf[len] = letter;
		buf[len + 1] = '\0';
	} else if (len > 0) {
		buf[len - 1] = '+';
	}
}

/* A warning that got no digit: there were too many names. */
static bool has_nameless(const struct flags *flags, const struct row *row)
{
	for (int w = 0; w < row->nr_warnings; w++) {
		bool named = known_index(row->warnings[w]) >= 0;

		for (int u = 0; u < flags->nr_unknown; u++)
			named |= strcmp(flags->unknown[u], row->warnings[w]) == 0;
		if (!named)
			return true;
	}
	return false;
}

void flags_of(const struct flags *flags, const struct row *row, bool unit_insn, char *buf, size_t size)
{
	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (row_has(row, i, unit_insn))
			add_letter(buf, size, known[i].letter);
	for (int u = 0; u < flags->nr_unknown; u++)
		if (row_has_warning(row, flags->unknown[u]))
			add_letter(buf, size, (char)('1' + u));
	if (flags->more_unknown && has_nameless(flags, row))
		add_letter(buf, size, '?');
}

/* " (2.75 x 4, 4.15 x 3)" */
static void add_modes(const struct row *row, char *buf, size_t size)
{
	_cleanup_free_ double *v = calloc((size_t)row->nr_reps + 1, sizeof(*v));
	char low[FIG_MAX], high[FIG_MAX];
	struct modes m;
	size_t n = 0;

	for (int i = 0; v && i < row->nr_reps; i++)
		if (isfinite(row->reps[i].gross))
			v[n++] = row->reps[i].gross;
	if (!v)
		return;
	m = quality_modes(v, n);
	if (m.two)
		text_add(buf, size, " (%s in %d trials, %s in %d)", fig(low, m.low), m.nr_low, fig(high, m.high),
			 m.nr_high);
}

static void add_nulls(const struct row *row, char *buf, size_t size)
{
	text_add(buf, size, " (%" PRIu64 " of %" PRIu64 ")", row->counters.nulls, row->counters.ops);
}

/* The rows that have it, as far as they are few: "seq-get, 1000 maps (2.75 in 4 trials, 4.15 in 3)". */
static void add_rows(const struct results *res, const struct report_style *style, size_t i, bool insn, char *buf,
		     size_t size)
{
	int n = 0;

	for (int r = 0; r < res->nr_rows; r++) {
		const struct row *row = &res->rows[r];
		char name[256];

		if (!row_has(row, i, insn) || n++ >= ROWS_NAMED_MAX)
			continue;
		text_add(buf, size, "%s%s", n > 1 ? "; " : " ", row_name_in(row, style, name, sizeof(name)));
		if (strcmp(known[i].name, "bimodal") == 0)
			add_modes(row, buf, size);
		if (strcmp(known[i].name, "nulls") == 0)
			add_nulls(row, buf, size);
	}
	if (n > ROWS_NAMED_MAX)
		text_add(buf, size, "; and %d more", n - ROWS_NAMED_MAX);
	if (n > 0)
		text_add(buf, size, ".");
}

static int count_rows(const struct results *res, size_t i, bool insn)
{
	int n = 0;

	for (int r = 0; r < res->nr_rows; r++)
		n += row_has(&res->rows[r], i, insn);
	return n;
}

void flags_legend(const struct flags *flags, const struct results *res, const struct report_style *style, FILE *f)
{
	bool insn = results_unit_is_insn(res), any = flags->nr_unknown > 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		any |= count_rows(res, i, insn) > 0;
	if (!any)
		return;
	fprintf(f, "\n%sMarks of rows%s\n", ink_begin(style, INK_BOLD), ink_end(style));
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const char letter[] = { ' ', ' ', known[i].letter, '\0' };
		/* Only what names its own figures lists its rows; the others are seen in the table. */
		bool rows = strcmp(known[i].name, "bimodal") == 0 || strcmp(known[i].name, "nulls") == 0;
		char named[ROWS_NAMED_MAX * 384] = "";

		if (count_rows(res, i, insn) == 0)
			continue;
		if (rows)
			add_rows(res, style, i, insn, named, sizeof(named));
		text_wrap(f, letter, 5, "%s: %s%s", known[i].name, known[i].meaning, named);
	}
	for (int u = 0; u < flags->nr_unknown; u++) {
		const char digit[] = { ' ', ' ', (char)('1' + u), '\0' };
		char name[64];

		text_safe(name, sizeof(name), flags->unknown[u], style);
		text_wrap(f, digit, 5,
			  "%s: a warning that this lsbench does not know; the version that wrote the file does.", name);
	}
	if (flags->more_unknown)
		text_wrap(
			f, "  ?", 5,
			"further warnings that this lsbench does not know; they stand in the file and in --format csv.");
}
