// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Task storage against a hash. Not obvious: six hash sizes with intervals do not fit 80 columns as [lo, hi], so the
 * interval is given as the larger of its two sides in percent of the ratio; the exact ends are in jsonl.
 */
#include "report/ratios.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/str.h"
#include "lib/table.h"
#include "report/rows.h"
#include "report/text.h"

#define KEY_ROWS_MAX 8
#define HASHES_MAX 32
#define TABLE_GAP 2 /* between columns of lib/table */

void interval_add(char *buf, size_t size, struct interval i, const char *unit)
{
	char mid[FIG_MAX], lo[FIG_MAX], hi[FIG_MAX];
	const char *blank = *unit ? " " : "";
	int decimals = fig_decimals(i.mid);
	const char *figure = strcmp(unit, "insn") == 0 ? fig_exact(mid, i.mid)
			     : fabs(i.mid) < 0.0995    ? fig_small(mid, i.mid)
						       : fig(mid, i.mid);

	if (!isfinite(i.mid)) {
		text_add(buf, size, "an unknown number%s%s", *unit ? " of " : "", unit);
		return;
	}
	text_add(buf, size, "%s%s%s", figure, blank, unit);
	if (!i.known)
		text_add(buf, size, " [no interval: %d trials]", i.n);
	else if (i.lo < i.hi && fabs(i.mid) >= 0.0995 && fabs(i.lo) < 99999.5 && fabs(i.hi) < 99999.5)
		text_add(buf, size, " [%.*f, %.*f]", decimals, i.lo, decimals, i.hi);
	else if (i.lo < i.hi)
		text_add(buf, size, " [%s, %s]", fig_small(lo, i.lo), fig_small(hi, i.hi));
}

static bool row_index_ok(const struct results *res, int row)
{
	return row >= 0 && row < res->nr_rows;
}

static uint64_t maps_of(const struct results *res, int row)
{
	return params_num(&res->rows[row].point.params, "nr_maps", 0);
}

struct chosen {
	int storage[KEY_ROWS_MAX], nr_storage;
	int hash[HASHES_MAX], nr_hash;
	bool all_storage; /* false: only the key numbers of maps */
};

static void choose_one(int *rows, int *nr, int max, int row)
{
	for (int i = 0; i < *nr; i++)
		if (rows[i] == row)
			return;
	if (*nr < max)
		rows[(*nr)++] = row;
}

/* On both sides of the cliff, and the published extremes. */
static bool is_key_number(uint64_t maps, int slots)
{
	uint64_t s = slots > 0 ? (uint64_t)slots : 16;

	return maps == 1 || maps == s || maps == s + 1 || maps == 2 * s || maps == 100 || maps == 1000;
}

static void choose(const struct results *res, const struct analysis *a, bool all, struct chosen *ret)
{
	*ret = (struct chosen){ .all_storage = all };
	for (int i = 0; i < a->nr_ratio; i++) {
		int s = a->ratio[i].storage_row, h = a->ratio[i].hash_row;

		if (!row_index_ok(res, s) || !row_index_ok(res, h) || row_kind(&res->rows[s]) != KIND_SEQ)
			continue;
		if (!all && !is_key_number(maps_of(res, s), a->slots_btf))
			continue;
		choose_one(ret->storage, &ret->nr_storage, KEY_ROWS_MAX, s);
		choose_one(ret->hash, &ret->nr_hash, HASHES_MAX, h);
	}
}

static struct interval ratio_of(const struct analysis *a, int storage, int hash)
{
	for (int i = 0; i < a->nr_ratio; i++)
		if (a->ratio[i].storage_row == storage && a->ratio[i].hash_row == hash)
			return a->ratio[i].ratio;
	return (struct interval){ .mid = NAN };
}

static void ratio_cell(const struct report_style *style, char *buf, size_t size, struct interval r)
{
	double side = fmax(r.hi / r.mid - 1, 1 - r.lo / r.mid);
	char figure[FIG_MAX];

	*buf = '\0';
	text_add(buf, size, "%s", fig_small(figure, r.mid));
	/* Exact counts have no side, but for the rounding of logs. */
	if (!r.known || !isfinite(r.mid) || !isfinite(side) || side < 1e-4)
		return;
	text_add(buf, size, "%s", text_plusminus(style));
	if (side >= 0.995)
		text_add(buf, size, ">99%%");
	else
		text_add(buf, size, "%.*f%%", side < 0.0095 ? 1 : 0, 100 * side);
}

static void hash_heading(const struct results *res, int row, char *buf, size_t size)
{
	const struct row *r = &res->rows[row];
	uint64_t keys = params_num(&r->point.params, "hashmap_nr_keys_used", 0);

	if (row_kind(r) == KIND_HASH_TID)
		snprintf(buf, size, "own tid");
	else if (keys <= 99999999)
		snprintf(buf, size, "%" PRIu64, keys);
	else
		snprintf(buf, size, "%.2e", (double)keys);
}

/* Columns first .. first + n - 1. */
static void write_part(const struct results *res, const struct analysis *a, const struct chosen *c, int first, int n,
		       const struct report_style *style, FILE *f)
{
	struct table *t = table_new();
	struct err ignored = { 0 };
	char cell[64];

	table_column(t, "  maps", TABLE_RIGHT);
	for (int h = first; h < first + n; h++) {
		hash_heading(res, c->hash[h], cell, sizeof(cell));
		table_column(t, cell, TABLE_RIGHT);
	}
	for (int s = 0; s < c->nr_storage; s++) {
		table_cell(t, "%" PRIu64, maps_of(res, c->storage[s]));
		for (int h = first; h < first + n; h++) {
			ratio_cell(style, cell, sizeof(cell), ratio_of(a, c->storage[s], c->hash[h]));
			table_cell(t, "%s", cell);
		}
	}
	/* A stream that failed is found by ferror at the end. */
	table_print(t, f, &ignored);
	table_free(t);
}

static int widest_cell(const struct results *res, const struct analysis *a, const struct chosen *c,
		       const struct report_style *style)
{
	size_t widest = 1;
	char cell[64];

	for (int h = 0; h < c->nr_hash; h++) {
		hash_heading(res, c->hash[h], cell, sizeof(cell));
		widest = str_width(cell) > widest ? str_width(cell) : widest;
		for (int s = 0; s < c->nr_storage; s++) {
			ratio_cell(style, cell, sizeof(cell), ratio_of(a, c->storage[s], c->hash[h]));
			widest = str_width(cell) > widest ? str_width(cell) : widest;
		}
	}
	return (int)widest;
}

void ratios_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f)
{
	bool insn = results_unit_is_insn(res);
	char pm[64] = "";
	struct chosen c;
	int per_line;

	choose(res, a, false, &c);
	if (c.nr_storage == 0)
		choose(res, a, true, &c);
	if (c.nr_storage == 0)
		return;
	fputc('\n', f);
	if (!insn)
		text_add(pm, sizeof(pm), " %s: the larger side of the 95 %% interval.", text_plusminus(style));
	text_wrap(f, "hash", SENTENCE_INDENT,
		  "Cost of a hash lookup over the cost of a storage get (%s, maps in turn): above 1 storage is so many times "
		  "faster, below 1 the hash is.%s A column for each hash, by the number of keys looked up.",
		  insn ? "net" : "gross", pm);
	/* 20 columns for the number of maps: any 64-bit number. */
	per_line = (REPORT_COLUMNS - (c.all_storage ? 20 : 6)) / (widest_cell(res, a, &c, style) + TABLE_GAP);
	per_line = per_line > 0 ? per_line : 1;
	for (int h = 0; h < c.nr_hash; h += per_line)
		write_part(res, a, &c, h, c.nr_hash - h < per_line ? c.nr_hash - h : per_line, style, f);
}

static void measured_range(const struct results *res, uint64_t *ret_lo, uint64_t *ret_hi)
{
	*ret_lo = UINT64_MAX;
	*ret_hi = 0;
	for (int i = 0; i < res->nr_rows; i++) {
		uint64_t maps = maps_of(res, i);

		if (row_kind(&res->rows[i]) != KIND_SEQ || !row_has_figures(&res->rows[i]))
			continue;
		*ret_lo = maps < *ret_lo ? maps : *ret_lo;
		*ret_hi = maps > *ret_hi ? maps : *ret_hi;
	}
}

static void add_breakeven(const struct results *res, const struct cliff_breakeven *at, char *s, size_t size)
{
	uint64_t lo, hi;

	measured_range(res, &lo, &hi);
	if (at->crosses && isfinite(at->maps_hi))
		text_add(s, size, "storage wins up to %.0f maps, the hash from %.0f", floor(at->maps_lo),
			 ceil(at->maps_hi));
	else if (at->crosses)
		text_add(s, size, "storage wins up to %.0f maps, then the intervals overlap", floor(at->maps_lo));
	else if (at->always < 0)
		text_add(s, size, "storage always wins, from %" PRIu64 " to %" PRIu64 " maps", lo, hi);
	else if (at->always > 0)
		text_add(s, size, "the hash always wins, from %" PRIu64 " to %" PRIu64 " maps", lo, hi);
	else
		text_add(s, size, "undecided, the intervals overlap everywhere");
}

void breakeven_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f)
{
	const char *label = "break-even";

	for (int i = 0; i < a->nr_breakeven; i++) {
		char s[512] = "", name[256];

		if (!row_index_ok(res, a->breakeven[i].hash_row))
			continue;
		add_breakeven(res, &a->breakeven[i].at, s, sizeof(s));
		row_name_in(&res->rows[a->breakeven[i].hash_row], style, name, sizeof(name));
		if (*label)
			fputc('\n', f);
		text_wrap(f, label, SENTENCE_INDENT, "%s: %s.", name, s);
		label = "";
	}
}
