// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table for people: what gets pasted into mails, so never wider than 80 columns. Not obvious: cells are made first,
 * columns are as wide as their widest cell, and when that does not fit the least important columns go, with a note.
 * What remains of the 80 columns is the bar.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"
#include "report/flags.h"
#include "report/head.h"
#include "report/rows.h"
#include "report/text.h"

#define CELL_MAX 64
#define BAR_MIN 7
#define BAR_MAX 24

enum column {
	COL_X,
	COL_GROSS,
	COL_INTERVAL,
	COL_EMPTY,
	COL_EMPTY_PM,
	COL_NET,
	COL_NET_PM,
	COL_MOPS,
	COL_IMPORTANT,
	COL_MISS,
	COL_AUDIT,
	COL_N,
	COL_FLAGS,
	NR_COLUMNS
};

static const struct column_info {
	const char *top, *bottom; /* two lines of heading */
	const char *name;	  /* when it has to be left out */
	bool left;
	int gap; /* blanks before it, besides those that the whole table can afford */
} columns[NR_COLUMNS] = {
	[COL_X] = { "maps,", "keys", "maps", false, 0 },
	[COL_GROSS] = { "gross", NULL, "gross", false, 1 },
	[COL_INTERVAL] = { "95 %", "interval", "the interval of gross", true, 1 },
	[COL_EMPTY] = { "empty", NULL, "empty", false, 1 },
	[COL_EMPTY_PM] = { "", "", "+- of empty", true, 0 },
	[COL_NET] = { "net", NULL, "net", false, 1 },
	[COL_NET_PM] = { "", "", "+- of net", true, 0 },
	[COL_MOPS] = { "M/s", "all", "M gets/s", false, 1 },
	[COL_IMPORTANT] = { "M/s", "imp.", "important M gets/s", false, 1 },
	[COL_MISS] = { "miss", "%", "expected misses", false, 1 },
	[COL_AUDIT] = { "aud.", "%", "audited misses", false, 1 },
	[COL_N] = { "", "n", "trials", false, 1 },
	[COL_FLAGS] = { "", "", "marks", true, 1 },
};

/* First to go first. The rest fits in any case: its cells are at most 7 columns wide. */
static const enum column expendable[] = { COL_EMPTY_PM, COL_NET_PM, COL_INTERVAL, COL_IMPORTANT, COL_AUDIT };

struct table_row {
	char cell[NR_COLUMNS][CELL_MAX];
	double gross; /* for the bar; NAN: none */
};

struct layout {
	const struct results *res;
	const struct report_style *style;
	bool insn;
	struct flags flags;
	struct row_place *places; /* owned */
	struct table_row *rows;	  /* owned, one for each place */
	bool shown[NR_COLUMNS];
	int width[NR_COLUMNS]; /* 0: not shown */
	int spread;	       /* further blanks between columns */
	int bar;	       /* its columns; 0: none */
	double bar_from, bar_to;
	int trials; /* of all rows; 0: they differ */
};

/* ---- cells ---- */

static const char *figure(const struct layout *l, char *buf, double v)
{
	return l->insn ? fig_exact(buf, v) : fig(buf, v);
}

/* "4.93-5.01", with the decimals of the median; ".." where a minus sign could be misread. */
static void interval_cell(char *cell, const struct summary *s)
{
	char lo[FIG_MAX], hi[FIG_MAX];
	int decimals = fig_decimals(s->mid);

	if (!s->interval || !isfinite(s->lo) || !isfinite(s->hi)) {
		snprintf(cell, CELL_MAX, "-");
		return;
	}
	if (fabs(s->lo) >= 99999.5 || fabs(s->hi) >= 99999.5 || fabs(s->mid) >= 99999.5) {
		fig(lo, s->lo);
		fig(hi, s->hi);
	} else {
		snprintf(lo, sizeof(lo), "%.*f", decimals, s->lo);
		snprintf(hi, sizeof(hi), "%.*f", decimals, s->hi);
	}
	snprintf(cell, CELL_MAX, "%s%s%s", lo, s->lo < 0 ? ".." : "-", hi);
}

/* Half the width of the interval, with at least one digit that is not 0 if two decimals can show it. */
static void plusminus_cell(const struct layout *l, char *cell, const struct summary *s)
{
	double half = (s->hi - s->lo) / 2;
	int decimals = fig_decimals(s->mid);
	char digits[FIG_MAX];

	if (l->insn || !s->interval || !isfinite(half))
		return;
	while (decimals < 2 && half > 0 && half < 0.5 * pow(10, -decimals))
		decimals++;
	if (half >= 99999.5)
		fig(digits, half);
	else
		snprintf(digits, sizeof(digits), "%.*f", decimals, half);
	snprintf(cell, CELL_MAX, "%s%s", text_plusminus(l->style), digits);
}

static void net_cells(const struct layout *l, struct table_row *out, const struct summary *net)
{
	/* Nothing is clamped: what cannot be told from the empty loop is called that. */
	if (net->interval && net->lo <= 0) {
		snprintf(out->cell[COL_NET], CELL_MAX, "<floor");
		return;
	}
	figure(l, out->cell[COL_NET], net->known ? net->mid : NAN);
	plusminus_cell(l, out->cell[COL_NET_PM], net);
}

static void x_cell(const struct layout *l, struct table_row *out, const struct row_place *place)
{
	const struct row *row = &l->res->rows[place->row];

	if (row_kind(row) == KIND_HASH_TID)
		snprintf(out->cell[COL_X], CELL_MAX, "own tid");
	else if (!*place->x_name)
		snprintf(out->cell[COL_X], CELL_MAX, "-");
	else if (place->x <= 99999999)
		snprintf(out->cell[COL_X], CELL_MAX, "%" PRIu64, place->x);
	else
		snprintf(out->cell[COL_X], CELL_MAX, "%.2e", (double)place->x);
}

static void fill_row(const struct layout *l, struct table_row *out, const struct row_place *place)
{
	const struct row *row = &l->res->rows[place->row];

	x_cell(l, out, place);
	out->gross = NAN;
	if (!row_has_figures(row))
		return;
	if (row->gross.mid > 0)
		out->gross = row->gross.mid;
	figure(l, out->cell[COL_GROSS], row->gross.mid);
	figure(l, out->cell[COL_EMPTY], row->overhead.known ? row->overhead.mid : NAN);
	net_cells(l, out, &row->net);
	fig_percent(out->cell[COL_MISS], row->slots.miss_share);
	fig_percent(out->cell[COL_AUDIT], row->slots.miss_share_audited);
	snprintf(out->cell[COL_N], CELL_MAX, "%d", row->gross.n);
	flags_of(&l->flags, row, l->insn, out->cell[COL_FLAGS], 7);
	if (l->insn)
		return;
	interval_cell(out->cell[COL_INTERVAL], &row->gross);
	plusminus_cell(l, out->cell[COL_EMPTY_PM], &row->overhead);
	fig_small(out->cell[COL_MOPS], row_mops(row));
	fig_small(out->cell[COL_IMPORTANT], row_important_mops(row));
}

/* ---- layout ---- */

static const char *heading(const struct layout *l, int col, bool bottom)
{
	const char *text = bottom ? columns[col].bottom : columns[col].top;

	return text ? text : l->insn ? "insn" : "ns";
}

static void measure_columns(struct layout *l)
{
	for (int c = 0; c < NR_COLUMNS; c++) {
		size_t width = 0;
		bool any = c == COL_X;

		for (int i = 0; i < l->res->nr_rows; i++) {
			size_t w = str_width(l->rows[i].cell[c]);

			any |= w > 0;
			width = w > width ? w : width;
		}
		if (strlen(heading(l, c, false)) > width)
			width = strlen(heading(l, c, false));
		if (strlen(heading(l, c, true)) > width)
			width = strlen(heading(l, c, true));
		l->width[c] = (int)width;
		l->shown[c] = any;
	}
	/* The same number in every row stands in the head. */
	l->shown[COL_N] &= l->trials == 0;
}

static int total_width(const struct layout *l, int spread)
{
	int sum = 0;

	for (int c = 0; c < NR_COLUMNS; c++)
		if (l->shown[c])
			sum += l->width[c] + columns[c].gap + (columns[c].gap ? spread : 0);
	return sum;
}

static void fit(struct layout *l, bool *ret_left_out)
{
	int room;

	for (size_t i = 0; i < ARRAY_SIZE(expendable); i++) {
		if (total_width(l, 0) + 1 + BAR_MIN <= REPORT_COLUMNS)
			break;
		ret_left_out[expendable[i]] = l->shown[expendable[i]];
		l->shown[expendable[i]] = false;
	}
	l->spread = total_width(l, 1) + 1 + BAR_MIN + 2 <= REPORT_COLUMNS;
	room = REPORT_COLUMNS - total_width(l, l->spread) - 1 - l->spread;
	l->bar = room > BAR_MAX ? BAR_MAX : room > 0 ? room : 0;
}

/* From the power of ten below the smallest to the largest: the length then means the same in every report. */
static void scale_bar(struct layout *l)
{
	double min = INFINITY, max = 0;

	for (int i = 0; i < l->res->nr_rows; i++) {
		if (!isfinite(l->rows[i].gross))
			continue;
		min = fmin(min, l->rows[i].gross);
		max = fmax(max, l->rows[i].gross);
	}
	if (max <= 0) {
		l->bar = 0;
		return;
	}
	l->bar_from = pow(10, floor(log10(min)));
	l->bar_to = max > l->bar_from ? max : l->bar_from * 10;
	if (!(l->bar_from > 0) || !isfinite(l->bar_to))
		l->bar = 0;
}

static int common_trials(const struct results *res)
{
	int n = -1;

	for (int i = 0; i < res->nr_rows; i++) {
		if (!row_has_figures(&res->rows[i]))
			continue;
		if (n >= 0 && n != res->rows[i].gross.n)
			return 0;
		n = res->rows[i].gross.n;
	}
	return n < 0 ? 1 : n;
}

/* ---- writing ---- */

static void write_padded(FILE *f, const char *text, int width, bool left)
{
	int blanks = width - (int)str_width(text);

	blanks = blanks > 0 ? blanks : 0;
	if (left)
		fprintf(f, "%s%*s", text, blanks, "");
	else
		fprintf(f, "%*s%s", blanks, "", text);
}

static void write_bar(const struct layout *l, double gross, FILE *f)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	double share = log(gross / l->bar_from) / log(l->bar_to / l->bar_from);
	long steps = lround(share * l->bar * 8);

	if (l->bar == 0 || !isfinite(gross))
		return;
	/* One can see that a row has a figure. */
	steps = steps < 1 ? 1 : steps > 8L * l->bar ? 8L * l->bar : steps;
	fprintf(f, " %*s%s", l->spread, "", ink_begin(l->style, INK_GREEN));
	if (l->style->utf8) {
		for (long i = 0; i < steps / 8; i++)
			fputs("█", f);
		fputs(eighths[steps % 8], f);
	} else {
		for (long i = 0; i < (steps + 4) / 8 || i == 0; i++)
			fputc('#', f);
	}
	fputs(ink_end(l->style), f);
}

static int last_shown(const struct layout *l, const struct table_row *row, bool bar)
{
	int last = COL_X;

	for (int c = 0; c < NR_COLUMNS; c++)
		if (l->shown[c] && (bar || row->cell[c][0]))
			last = c;
	return last;
}

static void write_figures(const struct layout *l, const struct table_row *row, FILE *f)
{
	bool bar = l->bar > 0 && isfinite(row->gross);
	int last = last_shown(l, row, bar);

	for (int c = 0; c <= last; c++) {
		bool flags = c == COL_FLAGS && row->cell[c][0];
		int width = c == last && !bar && columns[c].left ? 0 : l->width[c];

		if (!l->shown[c])
			continue;
		fprintf(f, "%*s", columns[c].gap + (columns[c].gap ? l->spread : 0), "");
		fputs(flags ? ink_begin(l->style, INK_YELLOW) : "", f);
		write_padded(f, row->cell[c], width, columns[c].left);
		fputs(flags ? ink_end(l->style) : "", f);
	}
	if (bar)
		write_bar(l, row->gross, f);
	fputc('\n', f);
}

static void write_headings(const struct layout *l, FILE *f)
{
	fputc('\n', f);
	for (int bottom = 0; bottom <= 1; bottom++) {
		struct table_row row = { .gross = NAN };

		for (int c = 0; c < NR_COLUMNS; c++)
			snprintf(row.cell[c], CELL_MAX, "%s", heading(l, c, bottom));
		write_figures(l, &row, f);
	}
}

/* A row without figures says why, where its figures would stand. */
static void write_reason(const struct layout *l, const struct table_row *out, const struct row *row, FILE *f)
{
	int width = l->width[COL_X], indent = width + 2;
	char label[CELL_MAX * 2], reason[sizeof(row->reason)];
	const char *why = "no trial was measured";

	snprintf(label, sizeof(label), "%*s", width, out->cell[COL_X]);
	text_safe(reason, sizeof(reason), row->reason, l->style);
	if (row->outcome != OUTCOME_OK) {
		text_wrap(f, label, indent, "%s: %s", outcome_name(row->outcome),
			  *reason ? reason : "no reason was given");
		return;
	}
	if (row->gross.known && row->counters.ops > 0 && row->counters.hits == 0)
		why = row->counters.nulls > 0 ? "every get returned NULL: there is no latency of a hit"
					      : "no get returned a value: there is no latency";
	else if (row->gross.known)
		why = "the figures are not finite numbers";
	text_wrap(f, label, indent, "-: %s%s%s", why, *reason ? "; " : "", reason);
}

static void write_rows(const struct layout *l, FILE *f)
{
	char title[640];

	for (int i = 0; i < l->res->nr_rows; i++) {
		const struct row *row = &l->res->rows[l->places[i].row];

		if (i == 0 || l->places[i].group != l->places[i - 1].group) {
			rows_title(l->res, &l->places[i], l->style, title, sizeof(title));
			fprintf(f, "\n%s", ink_begin(l->style, INK_BOLD));
			text_wrap(f, "", 0, "%s", title);
			fputs(ink_end(l->style), f);
		}
		if (row_has_figures(row))
			write_figures(l, &l->rows[i], f);
		else
			write_reason(l, &l->rows[i], row, f);
	}
}

static bool any_floor(const struct layout *l)
{
	for (int i = 0; i < l->res->nr_rows; i++)
		if (strcmp(l->rows[i].cell[COL_NET], "<floor") == 0)
			return true;
	return false;
}

static void write_key(const struct layout *l, const bool *left_out, FILE *f)
{
	char s[1024] = "", to[FIG_MAX];
	const char *unit = l->insn ? "insn" : "ns", *sep = ": ";

	text_add(s, sizeof(s), "gross: the loop with the get; empty: the same loop without it; net: ");
	if (l->insn)
		text_add(s, sizeof(s), "the smallest of the trials' own differences, exact. ");
	else
		text_add(s, sizeof(s),
			 "median of the trials' own differences. %s: half the width of the 95 %% interval. M/s: "
			 "million gets a second, all and those on map 0 (important). ",
			 text_plusminus(l->style));
	text_add(s, sizeof(s),
		 "miss %%: gets that find their slot taken, from the slots of the maps, and counted by an "
		 "untimed audit (aud.). ");
	if (l->shown[COL_N])
		text_add(s, sizeof(s), "n: trials of the row. ");
	if (any_floor(l))
		text_add(s, sizeof(s),
			 "<floor: the interval of net reaches zero, so the get cannot be told from the loop. ");
	if (l->bar > 0)
		text_add(s, sizeof(s), "Bar: gross, log scale from %g to %s %s. ", l->bar_from, fig(to, l->bar_to),
			 unit);
	for (int c = 0; c < NR_COLUMNS; c++) {
		if (!left_out[c])
			continue;
		if (*sep == ':')
			text_add(s, sizeof(s), "Left out, too wide (see --format csv)");
		text_add(s, sizeof(s), "%s%s", sep, columns[c].name);
		sep = ", ";
	}
	fputc('\n', f);
	fputs(ink_begin(l->style, INK_DIM), f);
	text_wrap(f, "", 2, "%s", s);
	fputs(ink_end(l->style), f);
}

static void write_table(struct layout *l, FILE *f)
{
	bool left_out[NR_COLUMNS] = { false };

	for (int i = 0; i < l->res->nr_rows; i++)
		fill_row(l, &l->rows[i], &l->places[i]);
	measure_columns(l);
	fit(l, left_out);
	scale_bar(l);
	write_headings(l, f);
	write_rows(l, f);
	write_key(l, left_out, f);
}

static int table_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f,
		       struct err *e)
{
	_cleanup_free_ struct row_place *places = NULL;
	_cleanup_free_ struct table_row *rows = calloc((size_t)res->nr_rows + 1, sizeof(*rows));
	struct layout l = {
		.res = res,
		.style = style,
		.insn = results_unit_is_insn(res),
		.trials = common_trials(res),
	};

	if (!rows || rows_place(res, &places) < 0)
		return err_set(e, ERR_FAILED, -ENOMEM, "no memory for a table of %d rows", res->nr_rows);
	l.rows = rows;
	l.places = places;
	flags_collect(res, &l.flags);
	head_write(res, style, f);
	if (res->nr_rows > 0)
		write_table(&l, f);
	else
		fputs("\nThere are no rows.\n", f);
	flags_legend(&l.flags, res, style, f);
	head_warnings(res, style, f);
	report_sentences(res, a, style, f);
	if (ferror(f))
		return err_set(e, ERR_FAILED, -EIO, "the table could not be written");
	return 0;
}

const struct report_format report_table = {
	.name = "table",
	.summary = "for people: at most 80 columns, with warnings and the analysis in sentences",
	.write = table_write,
};
