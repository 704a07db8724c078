// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines above the table that say where figures come from, and the run's warnings below it. Not obvious: an engine
 * that is not the kernel is announced in a frame, since figures get pasted into mails without their context.
 */
#include "report/head.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/str.h"
#include "report/rows.h"
#include "report/text.h"

#define LABEL_COLUMNS 10

static void write_frame(const struct report_style *style, FILE *f, const char *text)
{
	int blanks = REPORT_COLUMNS - 6 - (int)str_width(text);

	fputs(ink_begin(style, INK_ALARM), f);
	for (int i = 0; i < REPORT_COLUMNS; i++)
		fputc('*', f);
	fprintf(f, "%s\n%s** %s%*s **%s\n%s", ink_end(style), ink_begin(style, INK_ALARM), text,
		blanks > 0 ? blanks : 0, "", ink_end(style), ink_begin(style, INK_ALARM));
	for (int i = 0; i < REPORT_COLUMNS; i++)
		fputc('*', f);
	fprintf(f, "%s\n\n", ink_end(style));
}

static void write_engine_frame(const struct run_info *run, const struct report_style *style, FILE *f)
{
	char text[160] = "", name[32];

	if (strcmp(run->engine, "kernel") == 0)
		return;
	text_safe(name, sizeof(name), run->engine, style);
	if (strcmp(name, "fake") == 0)
		text_add(text, sizeof(text), "FAKE ENGINE: every figure below was scripted. Nothing was measured.");
	else if (strcmp(name, "model") == 0)
		text_add(text, sizeof(text), "MODEL: a user-space model of the storage design, not a kernel.");
	else if (!*name)
		text_add(text, sizeof(text), "UNKNOWN ENGINE: the file does not say what was measured.");
	else
		text_add(text, sizeof(text), "ENGINE \"%s\": unknown here, these may not be kernel figures", name);
	write_frame(style, f, text);
}

/* "label     text"; nothing if the text is empty. */
static void write_line(const struct report_style *style, FILE *f, const char *label, const char *text)
{
	char safe[2048];

	text_safe(safe, sizeof(safe), text, style);
	if (*safe)
		text_wrap(f, label, LABEL_COLUMNS, "%s", safe);
}

static void write_machine(const struct run_info *run, const struct report_style *style, FILE *f)
{
	const struct machine *m = &run->machine;
	char s[1024] = "";

	text_add(s, sizeof(s), "%s%s%s", *m->kernel ? m->kernel : "unknown", *m->arch ? ", " : "", m->arch);
	if (*m->preempt)
		text_add(s, sizeof(s), ", preemption %s", m->preempt);
	if (m->jit >= 0)
		text_add(s, sizeof(s), m->jit ? ", JIT on" : ", JIT OFF");
	if (*m->lockdown && strcmp(m->lockdown, "none") != 0)
		text_add(s, sizeof(s), ", lockdown %s", m->lockdown);
	write_line(style, f, "kernel", s);

	s[0] = '\0';
	text_add(s, sizeof(s), "%s", *m->cpu ? m->cpu : "unknown");
	if (m->cpus > 0)
		text_add(s, sizeof(s), ", %d online", m->cpus);
	if (m->smt >= 0)
		text_add(s, sizeof(s), m->smt ? ", SMT on" : ", SMT off");
	if (*m->virt && strcmp(m->virt, "none") != 0)
		text_add(s, sizeof(s), ", virtual machine (%s)", m->virt);
	if (*run->accel && strcmp(run->accel, "native") != 0)
		text_add(s, sizeof(s), ", guest under %s", run->accel);
	if (*m->governor)
		text_add(s, sizeof(s), ", governor %s", m->governor);
	if (*m->clocksource)
		text_add(s, sizeof(s), ", clock source %s", m->clocksource);
	write_line(style, f, "CPU", s);
}

static void add_foreign(char *s, size_t size, const char *kind, int n, bool *first)
{
	if (n < 0)
		return;
	text_add(s, size, "%s%s %d", *first ? "" : ", ", kind, n);
	*first = false;
}

static void write_storage(const struct run_info *run, const struct report_style *style, FILE *f)
{
	const struct machine *m = &run->machine;
	const struct foreign_maps *o = &m->foreign;
	char s[512] = "";
	bool first = true;

	if (m->slots > 0)
		text_add(s, sizeof(s), "%d cache slots (BTF)", m->slots);
	else
		text_add(s, sizeof(s), "number of cache slots unknown (BTF does not say)");
	if (m->inlined_hit >= 0)
		text_add(s, sizeof(s), m->inlined_hit ? ", hit path inlined" : ", hit path not inlined");
	if (o->task >= 0 || o->cgrp >= 0 || o->inode >= 0 || o->sk >= 0)
		text_add(s, sizeof(s), "; maps of other programs: ");
	add_foreign(s, sizeof(s), "task", o->task, &first);
	add_foreign(s, sizeof(s), "cgrp", o->cgrp, &first);
	add_foreign(s, sizeof(s), "inode", o->inode, &first);
	add_foreign(s, sizeof(s), "sk", o->sk, &first);
	write_line(style, f, "storage", s);
}

/* Distinct values of a text of all rows, in the order met: "hoisted, sequence". `names` keeps pointers into the rows. */
static void add_distinct(const struct results *res, const char *(*get)(const struct row *), char *s, size_t size)
{
	const char *names[16];
	int n = 0;

	for (int i = 0; i < res->nr_rows; i++) {
		const char *name = get(&res->rows[i]);
		bool met = !*name || n == 16;

		for (int j = 0; j < n; j++)
			met |= strcmp(names[j], name) == 0;
		if (met)
			continue;
		text_add(s, size, "%s%s", n ? ", " : "", name);
		names[n++] = name;
	}
	if (n == 0)
		text_add(s, size, "unknown");
}

static const char *row_trigger(const struct row *row)
{
	return row->point.trigger;
}

static const char *row_loop(const struct row *row)
{
	return row->point.loop;
}

static void write_method(const struct results *res, const struct report_style *style, FILE *f)
{
	const struct run_info *run = &res->run;
	char s[1024] = "trigger ";

	add_distinct(res, row_trigger, s, sizeof(s));
	text_add(s, sizeof(s), "; loop ");
	add_distinct(res, row_loop, s, sizeof(s));
	if (*run->trigger_why_not)
		text_add(s, sizeof(s), " (not taken: %s)", run->trigger_why_not);
	write_line(style, f, "programs", s);
}

struct trials {
	int min, max; /* of rows with figures; min 0: no such row */
	int stopped[STOPPED_TRIALS + 1];
	double widest; /* half-width over median, largest of all rows */
	int widest_row;
};

static struct trials count_trials(const struct results *res)
{
	struct trials t = { .widest = -1 };

	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];
		const struct summary *g = &row->gross;
		double half = (g->hi - g->lo) / 2 / g->mid;

		if (!row_has_figures(row))
			continue;
		if (t.min == 0 || g->n < t.min)
			t.min = g->n;
		if (g->n > t.max)
			t.max = g->n;
		if ((size_t)row->stopped_by < sizeof(t.stopped) / sizeof(t.stopped[0]))
			t.stopped[row->stopped_by]++;
		if (g->interval && isfinite(half) && half > t.widest) {
			t.widest = half;
			t.widest_row = i;
		}
	}
	return t;
}

/* Why the rows have no more trials than they have. */
static void add_stops(const struct trials *t, char *s, size_t size)
{
	static const char *const what[] = {
		[STOPPED_NOT] = NULL,
		[STOPPED_PRECISION] = "reached the precision asked for",
		[STOPPED_BUDGET] = "ended with the budget",
		[STOPPED_TRIALS] = "ended with the most trials allowed",
	};
	const char *sep = "; ";

	for (int i = STOPPED_PRECISION; i <= STOPPED_TRIALS; i++) {
		if (t->stopped[i] == 0)
			continue;
		text_add(s, size, "%s%d row%s %s", sep, t->stopped[i], t->stopped[i] == 1 ? "" : "s", what[i]);
		sep = ", ";
	}
}

static void write_trials(const struct results *res, const struct report_style *style, FILE *f)
{
	struct trials t = count_trials(res);
	char s[768] = "", name[256], width[FIG_MAX];

	if (t.min == 0)
		text_add(s, sizeof(s), "no row has figures");
	else if (t.min == t.max)
		text_add(s, sizeof(s), "%d a row, each a fresh process", t.min);
	else
		text_add(s, sizeof(s), "%d to %d a row, each a fresh process", t.min, t.max);
	text_add(s, sizeof(s), "; seed %" PRIu64, res->run.seed);
	if (t.widest >= 0 && !results_unit_is_insn(res))
		text_add(s, sizeof(s), "; widest interval %s%s %% (%s)", text_plusminus(style),
			 fig_percent(width, t.widest), report_row_name(&res->rows[t.widest_row], name, sizeof(name)));
	add_stops(&t, s, sizeof(s));
	write_line(style, f, "trials", s);
}

static void write_setup(const struct run_info *run, const struct report_style *style, FILE *f)
{
	char s[256] = "", t[48];

	if (isfinite(run->setup_storage_ms))
		text_add(s, sizeof(s), "storage maps %s", report_duration(run->setup_storage_ms / 1000, t, sizeof(t)));
	if (isfinite(run->setup_hash_ms))
		text_add(s, sizeof(s), "%shash %s", *s ? ", " : "",
			 report_duration(run->setup_hash_ms / 1000, t, sizeof(t)));
	if (*s)
		text_add(s, sizeof(s), " a trial (median)");
	write_line(style, f, "set-up", s);
}

void head_write(const struct results *res, const struct report_style *style, FILE *f)
{
	const struct run_info *run = &res->run;
	char tool[128], s[256] = "";

	write_engine_frame(run, style, f);
	text_safe(tool, sizeof(tool), *run->tool ? run->tool : "lsbench", style);
	fputs(ink_begin(style, INK_BOLD), f);
	/* str_width of the name is at most its 63 bytes: one line unless the name is odd. */
	text_wrap(f, "", 0, "%s: what BPF local storage costs, %s per get", tool,
		  results_unit_is_insn(res) ? "instructions" : "ns");
	fprintf(f, "%s\n", ink_end(style));
	write_machine(run, style, f);
	write_storage(run, style, f);
	write_method(res, style, f);
	write_trials(res, style, f);
	write_setup(run, style, f);
	text_add(s, sizeof(s), "%s", run->started);
	if (*run->label)
		text_add(s, sizeof(s), "%s%s", *s ? ", " : "", run->label);
	write_line(style, f, "measured", s);
}

void head_warnings(const struct results *res, const struct report_style *style, FILE *f)
{
	const struct run_info *run = &res->run;

	if (run->nr_warnings == 0)
		return;
	fprintf(f, "\n%sWarnings of the whole run%s\n", ink_begin(style, INK_BOLD), ink_end(style));
	for (int i = 0; i < run->nr_warnings && i < ROW_WARNINGS_MAX; i++) {
		char safe[sizeof(run->warnings[0])];

		text_safe(safe, sizeof(safe), run->warnings[i], style);
		text_wrap(f, "  !", 5, "%s", safe);
	}
}
