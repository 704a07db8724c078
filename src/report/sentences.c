// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The analysis in sentences. Not obvious: the conclusion comes first, since many read no further; every sentence names
 * its interval and whether it is net (a lower bound in ns) or gross (an upper bound).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/ratios.h"
#include "report/rows.h"
#include "report/text.h"

#define ENUMERATED_MAX 12
#define PARAGRAPH_MAX 4096

struct story {
	const struct results *res;
	const struct analysis *a;
	const struct report_style *style;
	FILE *f;
	bool insn;
	const char *unit;
	int slots; /* by BTF; 0 unknown */
};

static void paragraph(const struct story *s, const char *label, const char *text)
{
	fputc('\n', s->f);
	text_wrap(s->f, label, SENTENCE_INDENT, "%s", text);
}

static struct interval of_summary(const struct summary *s)
{
	return (struct interval){ .known = s->interval, .mid = s->mid, .lo = s->lo, .hi = s->hi, .n = s->n };
}

/* What a get costs in the words of the report: gross in ns, net in instructions. */
static struct interval cost_of(const struct story *s, const struct row *row)
{
	return of_summary(s->insn ? &row->net : &row->gross);
}

static const struct row *find_seq(const struct story *s, uint64_t maps)
{
	for (int i = 0; i < s->res->nr_rows; i++) {
		const struct row *row = &s->res->rows[i];

		if (row_kind(row) == KIND_SEQ && row_has_figures(row) &&
		    params_num(&row->point.params, "nr_maps", 0) == maps)
			return row;
	}
	return NULL;
}

/* The sequential row with the most maps of those with min..max maps. */
static const struct row *largest_seq(const struct story *s, uint64_t min, uint64_t max)
{
	const struct row *best = NULL;
	uint64_t most = 0;

	for (int i = 0; i < s->res->nr_rows; i++) {
		const struct row *row = &s->res->rows[i];
		uint64_t maps = params_num(&row->point.params, "nr_maps", 0);

		if (row_kind(row) != KIND_SEQ || !row_has_figures(row) || maps < min || maps > max ||
		    (best && maps <= most))
			continue;
		best = row;
		most = maps;
	}
	return best;
}

static uint64_t maps_of(const struct row *row)
{
	return params_num(&row->point.params, "nr_maps", 0);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- in short ---- */

static void add_multiple(const struct story *s, const struct row *row, const struct row *base, char *t, size_t size)
{
	struct interval ratio = interval_ratio(cost_of(s, row), cost_of(s, base));

	if (!isfinite(ratio.mid))
		return;
	text_add(t, size, " With %" PRIu64 " maps it costs ", maps_of(row));
	interval_add(t, size, ratio, "");
	text_add(t, size, " times as much, ");
	interval_add(t, size, cost_of(s, row), s->unit);
	text_add(t, size, ".");
}

/* Up to how many maps task storage is the better choice. */
static void add_tid_breakeven(const struct story *s, int hash_row, char *t, size_t size)
{
	for (int i = 0; i < s->a->nr_breakeven; i++) {
		const struct cliff_breakeven *at = &s->a->breakeven[i].at;

		if (s->a->breakeven[i].hash_row != hash_row)
			continue;
		if (at->crosses)
			text_add(t, size, " Task storage is the cheaper of the two up to %.0f maps.",
				 floor(at->maps_lo));
		else if (at->always < 0)
			text_add(t, size, " Task storage is the cheaper of the two at every number of maps measured.");
		else if (at->always > 0)
			text_add(t, size, " The hash is the cheaper of the two at every number of maps measured.");
	}
}

static void add_own_tid(const struct story *s, const struct row *base, char *t, size_t size)
{
	for (int i = 0; i < s->res->nr_rows; i++) {
		const struct row *row = &s->res->rows[i];
		struct interval ratio;

		if (row_kind(row) != KIND_HASH_TID || !row_has_figures(row))
			continue;
		ratio = interval_ratio(cost_of(s, row), cost_of(s, base));
		text_add(t, size, " The same data in a hash, looked up by the task's own tid, costs ");
		interval_add(t, size, cost_of(s, row), s->unit);
		if (isfinite(ratio.mid)) {
			text_add(t, size, ", ");
			interval_add(t, size, ratio, "");
			text_add(t, size, " times the get.");
		} else {
			text_add(t, size, ".");
		}
		add_tid_breakeven(s, i, t, size);
		return;
	}
}

static void add_others(const struct story *s, const struct row *base, char *t, size_t size)
{
	int others = s->res->run.machine.foreign.task, slots = s->slots;

	/* The counts of other kinds of storage say nothing about this one's slots. */
	if (slots <= 0 || strcmp(base->point.store, "task") != 0)
		return;
	if (others < 0) {
		text_add(t, size,
			 " How many task-storage maps other programs hold on this host could not be counted: they take "
			 "slots, too.");
		return;
	}
	if (others == 0)
		text_add(t, size, " No other program holds a task-storage map here, so all %d slots are free.", slots);
	else if (others < slots)
		text_add(t, size,
			 " Slots are handed out system wide: %d task-storage map%s of other programs exist%s already, so "
			 "%d more get%s a slot to %s.",
			 others, plural((uint64_t)others), others == 1 ? "s" : "", slots - others,
			 slots - others == 1 ? "s" : "", slots - others == 1 ? "itself" : "themselves");
	else
		text_add(t, size,
			 " Slots are handed out system wide: %d task-storage maps of other programs exist already, so a new "
			 "map shares its slot with about %d of them.",
			 others, others / slots);
	text_add(t, size, " Sharing costs only where the same task has a value in both maps and both are read.");
}

static void write_short(const struct story *s)
{
	const struct row *base = largest_seq(s, 1, s->slots > 0 ? (uint64_t)s->slots : 16);
	const struct row *twice, *most;
	char t[PARAGRAPH_MAX] = "", store[64];

	if (!base)
		return;
	text_safe(store, sizeof(store), base->point.store, s->style);
	twice = find_seq(s, s->slots > 0 ? 2 * (uint64_t)s->slots : 32);
	most = largest_seq(s, maps_of(base) + 1, UINT64_MAX);
	text_add(t, sizeof(t), "With up to %" PRIu64 " %s-storage map%s a get costs about ", maps_of(base), store,
		 plural(maps_of(base)));
	interval_add(t, sizeof(t), cost_of(s, base), s->unit);
	text_add(t, sizeof(t), " on this machine.");
	if (twice && twice != most)
		add_multiple(s, twice, base, t, sizeof(t));
	if (most)
		add_multiple(s, most, base, t, sizeof(t));
	add_own_tid(s, base, t, sizeof(t));
	add_others(s, base, t, sizeof(t));
	paragraph(s, "in short", t);
}

/* ---- costs ---- */

static void write_bounds(const struct story *s)
{
	if (s->insn)
		paragraph(s, "bounds",
			  "Instruction counts are exact: net is what the get itself executes, gross what one turn of the "
			  "loop does with it. Costs below are net.");
	else
		paragraph(
			s, "bounds",
			"The processor overlaps the loop with the get. So in ns net is a lower bound and gross an upper "
			"bound of what a get costs in a program that does nothing else. Costs of hits, misses and list "
			"steps below are net. Brackets hold 95 % intervals.");
}

static void write_hit(const struct story *s)
{
	double lo = INFINITY, hi = -INFINITY;
	uint64_t most = 0, limit = s->slots > 0 ? (uint64_t)s->slots : 16;
	char t[512] = "A get that finds its element in its slot costs ", a[FIG_MAX], b[FIG_MAX];

	if (!isfinite(s->a->hit.mid))
		return;
	interval_add(t, sizeof(t), s->a->hit, s->unit);
	for (int i = 0; i < s->res->nr_rows; i++) {
		const struct row *row = &s->res->rows[i];

		if (row_kind(row) != KIND_SEQ || !row_has_figures(row) || maps_of(row) > limit)
			continue;
		lo = fmin(lo, row->gross.mid);
		hi = fmax(hi, row->gross.mid);
		most = maps_of(row) > most ? maps_of(row) : most;
	}
	if (most && !s->insn)
		text_add(t, sizeof(t), " net; gross it is %s to %s ns in the rows with up to %" PRIu64 " map%s",
			 fig(a, lo), fig(b, hi), most, plural(most));
	text_add(t, sizeof(t), ".");
	paragraph(s, "hit", t);
}

static void write_miss(const struct story *s)
{
	int n = s->a->nr_miss, step = (n + ENUMERATED_MAX - 1) / ENUMERATED_MAX;
	char t[PARAGRAPH_MAX] = "A get that misses walks the list and takes the slot. On top of a hit a miss costs ";
	char share[FIG_MAX];
	bool first = true;

	if (n <= 0)
		return;
	for (int i = 0; i < n; i++) {
		/* The first and the last in any case. */
		if (i % step != 0 && i != n - 1)
			continue;
		text_add(t, sizeof(t), first ? "" : "; ");
		interval_add(t, sizeof(t), s->a->miss[i].cost, s->unit);
		text_add(t, sizeof(t), " with %" PRIu32 " maps (%s %% miss)", s->a->miss[i].maps,
			 fig_percent(share, s->a->miss[i].share));
		first = false;
	}
	text_add(t, sizeof(t), ".");
	paragraph(s, "miss", t);
}

static void write_walk(const struct story *s)
{
	char t[PARAGRAPH_MAX] = "Where every get misses, it walks (n + 1) / 2 elements of n on average. A step costs ";

	if (s->a->nr_walk <= 0)
		return;
	for (int i = 0; i < s->a->nr_walk && i < ENUMERATED_MAX; i++) {
		text_add(t, sizeof(t), i ? "; " : "");
		interval_add(t, sizeof(t), s->a->walk[i].per_step, s->unit);
		text_add(t, sizeof(t), " between %" PRIu32 " and %" PRIu32 " maps", s->a->walk[i].from,
			 s->a->walk[i].to);
	}
	text_add(t, sizeof(t), ".");
	if (!s->insn && s->a->nr_walk > 1)
		text_add(t, sizeof(t), " A step is not a constant in ns: longer lists fall out of the nearer caches.");
	paragraph(s, "list step", t);
}

/* ---- slots and cliff ---- */

static void add_shown_slots(const struct cliff_bracket *b, char *t, size_t size)
{
	if (!b->known)
		text_add(t, size,
			 "The curve does not show how many slots there are: no row is clearly raised or clearly flat");
	else if (b->slots_hi == 0)
		text_add(t, size,
			 "The curve shows no cliff: it is flat up to %" PRIu32
			 " maps, so there are at least so many slots",
			 b->slots_lo);
	else if (b->slots_lo == 0)
		text_add(t, size, "The curve shows at most %" PRIu32 " slots", b->slots_hi);
	else if (b->slots_lo == b->slots_hi)
		text_add(t, size, "The curve shows exactly %" PRIu32 " slots", b->slots_lo);
	else
		text_add(t, size, "The curve shows %" PRIu32 " to %" PRIu32 " slots", b->slots_lo, b->slots_hi);
}

static void write_slots(const struct story *s)
{
	const struct cliff_bracket *b = &s->a->bracket;
	uint32_t btf = s->slots > 0 ? (uint32_t)s->slots : 0;
	bool below = b->known && b->slots_lo > btf, above = b->known && b->slots_hi != 0 && b->slots_hi < btf;
	char t[1024] = "";

	add_shown_slots(b, t, sizeof(t));
	if (!btf)
		text_add(t, sizeof(t), "; BTF does not state the number.");
	else if (below || above)
		text_add(t, sizeof(t),
			 ", but BTF states %" PRIu32 ". They should agree: look at the warnings, and at the audited "
			 "misses.",
			 btf);
	else if (b->known && b->slots_lo == b->slots_hi)
		text_add(t, sizeof(t), ", and BTF states %" PRIu32 ": they agree.", btf);
	else if (b->known && b->slots_hi != 0)
		text_add(t, sizeof(t), ", and the %" PRIu32 " that BTF states are within that.", btf);
	else
		text_add(t, sizeof(t), "; BTF states %" PRIu32 ".", btf);
	if (b->disturbed)
		text_add(t, sizeof(t),
			 " A row with fewer maps is raised while one with more is flat: the slot pattern was disturbed, "
			 "measure again.");
	paragraph(s, "slots", t);
}

static void write_cliff(const struct story *s)
{
	const struct analysis *a = s->a;
	char t[512] = "";

	if (a->onset_maps)
		text_add(t, sizeof(t), "By the slots of the maps, gets begin to miss at %" PRIu32 " maps.",
			 a->onset_maps);
	if (a->all_miss_maps)
		text_add(t, sizeof(t), "%sFrom %" PRIu32 " maps on every get misses when maps are read in turn.",
			 *t ? " " : "", a->all_miss_maps);
	if (a->onset_maps && a->all_miss_maps > a->onset_maps)
		text_add(t, sizeof(t),
			 " The cliff is a slope between the two, and after it the list goes on getting longer.");
	if (*t)
		paragraph(s, "cliff", t);
}

/* ---- isolating rows ---- */

static void write_isolated(const struct story *s)
{
	const char *label = "direct";

	for (int i = 0; i < s->a->nr_isolated && i < ANALYSIS_MAX; i++) {
		const char *what = s->a->isolated[i].what;
		int row = s->a->isolated[i].row;
		char t[512] = "", name[256];

		if (row < 0 || row >= s->res->nr_rows || !what)
			continue;
		row_name_in(&s->res->rows[row], s->style, name, sizeof(name));
		/* "hit, 16 maps" says it already. */
		if (strncmp(name, what, strlen(what)) == 0)
			text_add(t, sizeof(t), "%s%s: ", name, strcmp(what, "miss") == 0 ? " (on top of a hit)" : "");
		else
			text_add(t, sizeof(t), "%s up to %s: ", what, name);
		interval_add(t, sizeof(t), s->a->isolated[i].direct, s->unit);
		text_add(t, sizeof(t), ", by the curve ");
		interval_add(t, sizeof(t), s->a->isolated[i].curve, s->unit);
		text_add(t, sizeof(t), ", ratio ");
		interval_add(t, sizeof(t), s->a->isolated[i].ratio, "");
		text_add(t, sizeof(t), ".");
		if (*label)
			fputc('\n', s->f);
		text_wrap(s->f, label, SENTENCE_INDENT, "%s", t);
		label = "";
	}
	if (*label)
		return;
	if (s->insn)
		text_wrap(s->f, "", SENTENCE_INDENT,
			  "Nothing hides in instruction counts: a ratio far from 1 means that one of the two does not walk the list "
			  "elements it is meant to.");
	else
		text_wrap(s->f, "", SENTENCE_INDENT,
			  "The direct rows take the same path again and again, so branch prediction learns it; the curve's gets walk "
			  "a different length each time. A ratio other than 1 is expected.");
}

void report_sentences(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f)
{
	const struct story s = {
		.res = res,
		.a = a,
		.style = style,
		.f = f,
		.insn = results_unit_is_insn(res),
		.unit = results_unit_is_insn(res) ? "insn" : "ns",
		.slots = a->slots_btf,
	};
	char why[sizeof(a->why_not)];

	fprintf(f, "\n%sAnalysis%s\n", ink_begin(style, INK_BOLD), ink_end(style));
	write_short(&s);
	write_bounds(&s);
	if (a->known) {
		write_hit(&s);
		write_miss(&s);
		write_walk(&s);
		write_slots(&s);
		write_cliff(&s);
	} else {
		fputc('\n', f);
		text_safe(why, sizeof(why), a->why_not, style);
		text_wrap(f, "cliff", SENTENCE_INDENT, "Not analysed: %s.", *why ? why : "no reason was given");
	}
	ratios_write(res, a, style, f);
	breakeven_write(res, a, style, f);
	write_isolated(&s);
}
