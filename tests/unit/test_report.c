// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output formats, from results built by hand: a realistic published matrix with fixed noise, and results meant to break
 * the layout. LSBENCH_SHOW=1 prints what a person would see.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/results_json.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

static const struct report_style plain = { .utf8 = true, .width = 80 };
static const struct report_style ascii = { .width = 80 };
static const struct report_style coloured = { .utf8 = true, .colour = true, .width = 200 };

/* ---- results by hand ---- */

/* Factors around 1, the same for every row: 7 trials with the median 1. */
static const double noise[] = { 1.000, 0.990, 1.006, 0.997, 1.012, 1.004, 0.994 };

static struct row *add_row(struct results *r, const char *bench, const char *param, uint64_t value)
{
	struct row *row = results_add_row(r);

	assert_non_null(row);
	str_copy(row->point.bench, sizeof(row->point.bench), bench);
	str_copy(row->point.store, sizeof(row->point.store), strstr(bench, "hashmap") ? "hash" : "task");
	str_copy(row->point.trigger, sizeof(row->point.trigger), "raw_tp");
	str_copy(row->point.loop, sizeof(row->point.loop), strstr(bench, "hashmap") ? "hash" : "hoisted");
	assert_true(params_set_num(&row->point.params, param, value));
	row->stopped_by = STOPPED_PRECISION;
	return row;
}

static void add_rep(struct row *row, int trial, double gross, double overhead, uint64_t important_of_1000)
{
	const struct rep rep = {
		.trial = trial,
		.cpu = 1,
		.ghz = 3.2,
		.gross = gross,
		.overhead = overhead,
		.batches = 400,
		.setup_ms = NAN,
		.counters = { .ops = 1000000, .hits = 1000000, .important_hits = important_of_1000 * 1000 },
	};

	assert_int_equal(row_add_rep(row, &rep), 0);
}

static void add_trials(struct row *row, double gross, double overhead, uint64_t important_of_1000)
{
	for (int i = 0; i < 7; i++)
		add_rep(row, i, gross * noise[i], overhead * noise[6 - i], important_of_1000);
}

static void fill_run(struct results *r)
{
	struct run_info *run = &r->run;

	str_copy(run->tool, sizeof(run->tool), "lsbench 0.1.0");
	str_copy(run->started, sizeof(run->started), "2026-03-01T12:00:00Z");
	str_copy(run->engine, sizeof(run->engine), "kernel");
	str_copy(run->accel, sizeof(run->accel), "native");
	str_copy(run->unit, sizeof(run->unit), "ns");
	run->seed = 1;
	str_copy(run->machine.kernel, sizeof(run->machine.kernel), "6.18.44");
	str_copy(run->machine.arch, sizeof(run->machine.arch), "x86_64");
	str_copy(run->machine.cpu, sizeof(run->machine.cpu), "AMD EPYC 9R14");
	run->machine.cpus = 2;
	run->machine.slots = 16;
	run->machine.inlined_hit = 1;
	run->machine.jit = 1;
	run->machine.foreign.task = 3;
	str_copy(run->machine.virt, sizeof(run->machine.virt), "kvm");
	str_copy(run->machine.clocksource, sizeof(run->machine.clocksource), "tsc");
	run->setup_storage_ms = 61.4;
	run->setup_hash_ms = 1190;
}

static void add_hash(struct results *r, uint64_t keys, const char *key, double gross)
{
	struct row *row = add_row(r, "local-storage-cache-hashmap-control", "hashmap_nr_keys_used", keys);

	params_set_num(&row->point.params, "nr_maps", 1);
	params_set_num(&row->point.params, "hashmap_capacity", 4194304);
	params_set_text(&row->point.params, "hashmap_fill", "all");
	params_set_text(&row->point.params, "hashmap_seed", "zero");
	params_set_text(&row->point.params, "hashmap_key", key);
	add_trials(row, gross, 1.21, 1000);
}

static void add_storage(struct results *r, const char *bench, uint64_t maps, double gross, double overhead, double miss,
			uint64_t important)
{
	struct row *row = add_row(r, bench, "nr_maps", maps);

	add_trials(row, gross, overhead, important);
	row->slots = (struct row_slots){ .seen = true, .n = 16, .miss_share = miss, .miss_share_audited = miss };
}

static const struct {
	uint64_t maps;
	double seq, seq_miss, interleaved, int_miss;
	uint64_t important, int_important;
} published[] = {
	{ 1, 4.96, 0, 4.95, 0, 1000, 1000 },	 { 10, 4.97, 0, 4.97, 0, 100, 357 },
	{ 16, 5.01, 0, 5.00, 0, 62, 318 },	 { 17, 6.13, 2. / 17, 5.83, .087, 58, 304 },
	{ 24, 17.2, 2. / 3, 13.9, .5, 41, 281 }, { 32, 28.4, 1, 21.7, .744, 31, 279 },
	{ 100, 119.6, 1, 95.3, .784, 10, 261 },	 { 1000, 2753, 1, 2218, .795, 1, 251 },
};

static void build_published(struct results *r)
{
	static const double hash[] = { 20.4, 24.3, 41.2, 88.9, 163 };
	static const uint64_t keys[] = { 10, 1000, 10000, 100000, 4194304 };

	results_init(r);
	fill_run(r);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		add_hash(r, keys[i], "random", hash[i]);
	add_hash(r, 1000, "tid", 18.9);
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		double overhead = published[i].maps <= 32 ? 0.15 : 0.93;

		add_storage(r, "local-storage-cache-seq-get", published[i].maps, published[i].seq, overhead,
			    published[i].seq_miss, published[i].important);
		add_storage(r, "local-storage-cache-int-get", published[i].maps, published[i].interleaved, overhead,
			    published[i].int_miss, published[i].int_important);
	}
	for (uint64_t len = 16; len <= 1024; len *= 8) {
		struct row *row = add_row(r, "local-storage-hit", "list_len", len);

		add_trials(row, 4.82, 0.15, 1000);
		row->slots = (struct row_slots){ .seen = true, .n = 16, .miss_share = 0, .miss_share_audited = 0 };
		row = add_row(r, "local-storage-miss", "list_len", len);
		add_trials(row, 12 + 2.3 * (double)len, 0.15, 500);
		row->slots = (struct row_slots){ .seen = true, .n = 16, .miss_share = 1, .miss_share_audited = 1 };
	}
	results_summarize(r);
}

/* Two modes at 1000 maps, few trials, a NULL, a refused row, an invalid one, one below the floor. */
static void build_troubled(struct results *r)
{
	struct row *row;

	build_published(r);
	for (int i = 0; i < r->nr_rows; i++) {
		row = &r->rows[i];
		if (row_kind(row) != KIND_SEQ)
			continue;
		switch (params_num(&row->point.params, "nr_maps", 0)) {
		case 1:
			for (int k = 0; k < row->nr_reps; k++)
				row->reps[k].overhead = row->reps[k].gross * (k % 2 ? 1.01 : 0.99);
			break;
		case 10:
			row->nr_reps = 5;
			row_warn(row, "few-trials");
			break;
		case 24:
			row->outcome = OUTCOME_INVALID;
			str_copy(row->reason, sizeof(row->reason),
				 "trial 3: the audit counted 671 misses in 1000 gets, 667 "
				 "were expected from the slots");
			row_warn(row, "audit-differs");
			break;
		case 100:
			row->counters.nulls = 17;
			row->counters.hits -= 17;
			row_warn(row, "steal");
			row_warn(row, "future-warning");
			break;
		case 1000:
			for (int k = 0; k < row->nr_reps; k++)
				row->reps[k].gross = (k % 2 ? 4150 : 2750) * noise[k];
			row_warn(row, "bimodal");
			row_warn(row, "noisy");
			break;
		}
	}
	row = add_row(r, "local-storage-cache-seq-get", "nr_maps", 2000);
	row->outcome = OUTCOME_UNSUPPORTED;
	str_copy(row->reason, sizeof(row->reason),
		 "this kernel refuses more than 1024 task-storage maps for one program: "
		 "E2BIG, Argument list too long");
	row = add_row(r, "local-storage-cache-seq-get", "nr_maps", 50);
	run_warn(&r->run, "frequency scaling is on (governor powersave): figures in ns move with the clock; set it to "
			  "performance with cpupower frequency-set -g performance");
	run_warn(&r->run, "SMT is on: a sibling's load slows this core down; leave it idle");
	str_copy(r->run.trigger_why_not, sizeof(r->run.trigger_why_not), "fentry: EPERM at load, lockdown");
	results_summarize(r);
}

/* Everything a hostile or broken file may hold. */
static void build_nasty(struct results *r)
{
	static const double values[] = { 1e300, -1e300, 1e-300, 0, -5, 123456789.123, 99999.4, 999999.6, 4.999 };
	struct row *row;
	char name[32];

	results_init(r);
	fill_run(r);
	str_copy(r->run.tool, sizeof(r->run.tool), "\033[2Jevil\n\ttool \xff\xfe");
	str_copy(r->run.engine, sizeof(r->run.engine), "ünknown\033[1m");
	memset(r->run.machine.cpu, 'x', sizeof(r->run.machine.cpu) - 1);
	str_copy(r->run.machine.kernel, sizeof(r->run.machine.kernel), "6.1 日本語カーネル\033]0;title\007");
	memset(r->run.label, '\n', sizeof(r->run.label) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		row = add_row(r, "local-storage-cache-seq-get", "nr_maps", UINT64_C(1) << (7 * i));
		for (int k = 0; k < 7; k++)
			add_rep(row, k, values[i] * (1 + 0.5 * k), -values[i], 999);
		row->slots =
			(struct row_slots){ .seen = false, .n = 64, .miss_share = 1e300, .miss_share_audited = -0.5 };
		for (int w = 0; w < ROW_WARNINGS_MAX; w++) {
			snprintf(name, sizeof(name), "odd\033%zu-%d", i, w);
			row_warn(row, name);
		}
		memset(row->reason, 'r', sizeof(row->reason) - 1);
	}
	for (int o = OUTCOME_OK; o <= OUTCOME_FAILED; o++) {
		row = add_row(r, "bench,with \"quotes\"\nand lines", "keys", INT64_MAX);
		row->outcome = (enum outcome)o;
		snprintf(row->reason, sizeof(row->reason), "%0400d\033[31m=cmd|' /C calc'!A0", o);
		params_set_text(&row->point.params, "=SUM(A1)", "+1,\"-2\"");
		str_copy(row->point.store, sizeof(row->point.store), "日本語カーネルの");
	}
	/* No parameter at all, no hit at all, NAN. */
	row = results_add_row(r);
	row = add_row(r, "local-storage-cache-int-get", "nr_maps", 5);
	add_trials(row, 5, 0.1, 0);
	row->counters.nulls = row->counters.ops;
	row->counters.hits = 0;
	row = add_row(r, "local-storage-cache-int-get", "nr_maps", 6);
	add_rep(row, 0, NAN, NAN, 0);
	for (int i = 0; i < ROW_WARNINGS_MAX; i++)
		run_warn(&r->run, "%d \033[5m%0300d", i, i);
	results_summarize(r);
}

/* ---- printing ---- */

static char *print(const struct results *r, const struct report_format *format, const struct report_style *style)
{
	_cleanup_free_ struct analysis *a = calloc(1, sizeof(*a));
	struct err e = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_non_null(a);
	analysis_compute(r, a);
	assert_int_equal(format->write(r, a, style, f, &e), 0);
	assert_false(err_is_set(&e));
	assert_int_equal(fclose(f), 0);
	if (getenv("LSBENCH_SHOW"))
		fputs(text, stdout);
	return text;
}

/* Calls f for each line. */
static void each_line(const char *text, void (*check)(const char *line))
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *line;

	assert_non_null(copy);
	while ((line = strsep(&rest, "\n")))
		check(line);
}

static void check_narrow(const char *line)
{
	if (str_width(line) > 80)
		fail_msg("%zu columns: %s", str_width(line), line);
	if (*line && line[strlen(line) - 1] == ' ')
		fail_msg("blanks at the end: '%s'", line);
}

static void check_clean(const char *line)
{
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			fail_msg("control character %d: %s", *c, line);
}

static void check_ascii(const char *line)
{
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c >= 0x80)
			fail_msg("not ASCII: %s", line);
}

static void check_table(const struct results *r)
{
	_cleanup_free_ char *utf8 = print(r, &report_table, &plain);
	_cleanup_free_ char *only_ascii = print(r, &report_table, &ascii);
	_cleanup_free_ char *colour = print(r, &report_table, &coloured);
	_cleanup_free_ char *stripped = calloc(strlen(colour) + 1, 1);
	char *to = stripped;

	each_line(utf8, check_narrow);
	each_line(utf8, check_clean);
	each_line(only_ascii, check_narrow);
	each_line(only_ascii, check_clean);
	each_line(only_ascii, check_ascii);
	assert_non_null(strstr(colour, "\033["));
	/* Colour changes nothing else: without the sequences it is the plain text. */
	for (const char *c = colour; *c; c++) {
		if (*c == '\033') {
			c += strcspn(c, "m");
			continue;
		}
		*to++ = *c;
	}
	assert_string_equal(stripped, utf8);
}

#define assert_contains(text, part)                                \
	do {                                                       \
		if (!strstr(text, part))                           \
			fail_msg("no \"%s\" in:\n%s", part, text); \
	} while (0)
#define assert_lacks(text, part)                                              \
	do {                                                                  \
		if (strstr(text, part))                                       \
			fail_msg("\"%s\" should not be in:\n%s", part, text); \
	} while (0)

/* ---- tests ---- */

static void test_table_published(void **state)
{
	struct results r;

	(void)state;
	build_published(&r);
	check_table(&r);
	results_free(&r);
}

static void test_table_troubled(void **state)
{
	struct results r;

	(void)state;
	build_troubled(&r);
	check_table(&r);
	results_free(&r);
}

static void test_table_nasty(void **state)
{
	struct results r;

	(void)state;
	build_nasty(&r);
	check_table(&r);
	results_free(&r);
}

/* A whole line. */
static void assert_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *p = text; (p = strstr(p, line)); p++)
		if ((p == text || p[-1] == '\n') && p[len] == '\n')
			return;
	fail_msg("no line \"%s\" in:\n%s", line, text);
}

static void test_table_lines(void **state)
{
	_cleanup_free_ char *text = NULL, *only_ascii = NULL;
	struct results r;

	(void)state;
	build_published(&r);
	text = print(&r, &report_table, &plain);
	only_ascii = print(&r, &report_table, &ascii);
	assert_line(text, "lsbench 0.1.0: what BPF local storage costs, ns per get");
	assert_line(text, "CPU       AMD EPYC 9R14, 2 online, virtual machine (kvm), clock source tsc");
	assert_line(text, "storage   16 cache slots (BTF), hit path inlined; maps of other programs: task 3");
	assert_line(text, "task storage, maps read in turn (sequential)");
	assert_line(text, "hash, the task's own tid as key: capacity 4194304, fill all, seed zero");
	assert_line(text, "     16  5.01 4.96-5.07  0.15±0.00 4.86±0.05  200   12.4    0    0 ██▋");
	assert_line(text, "own tid  18.9 18.7-19.1  1.21±0.01 17.7±0.2  52.9   52.9    -    - ████▉");
	assert_line(text, "   1000  2753 2725-2786  0.93±0.01 2752±30   0.36 0.0004  100  100 █████████████");
	assert_line(only_ascii, "     16  5.01 4.96-5.07  0.15+-0.00 4.86+-0.05  200   12.4    0    0 ##");
	/* Marks and warnings are explained only where they occur; a kernel run needs no frame. */
	assert_lacks(text, "Marks of rows");
	assert_lacks(text, "Warnings of");
	assert_lacks(text, "***");
	assert_lacks(text, "<floor");
	results_free(&r);
}

static void test_table_marks(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct results r;

	(void)state;
	build_troubled(&r);
	text = print(&r, &report_table, &plain);
	assert_contains(text, " <floor ");
	assert_contains(text, "<floor: the interval of net reaches zero");
	assert_contains(text, "\n     24  invalid: trial 3: the audit counted 671");
	assert_contains(text, "\n   2000  unsupported: this kernel refuses");
	assert_contains(text, "\n     50  -: no trial was measured\n");
	assert_contains(text, "\n     10  4.97 -          ");
	assert_contains(text, " 5 f  ");
	assert_contains(text, " 7 bn ");
	assert_contains(text, " 7 0s1 ");
	assert_contains(text, "  b  bimodal: ");
	assert_contains(text, "1000 maps (2758 in 4 trials, 4138 in 3).");
	assert_contains(text, "seq-get, 100 maps (17 of 7000000).");
	assert_contains(text, "  1  future-warning: a warning that this lsbench does not know");
	assert_lacks(text, "  p  preempted");
	assert_contains(text, "\nWarnings of the whole run\n  !  frequency scaling is on");
	assert_contains(text, "(not taken: fentry: EPERM");
	results_free(&r);
}

/* A file that does not name the two warnings that follow from the figures: they are shown all the same. */
static void test_table_own_marks(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct results r;
	struct row *row;

	(void)state;
	results_init(&r);
	fill_run(&r);
	row = add_row(&r, "local-storage-cache-seq-get", "nr_maps", 3);
	for (int i = 0; i < 5; i++)
		add_rep(row, i, 5, 0.1, 333);
	row->counters.nulls = 2;
	row->counters.hits -= 2;
	results_summarize(&r);
	text = print(&r, &report_table, &plain);
	assert_contains(text, " f0 ");
	assert_contains(text, "  f  few-trials");
	assert_contains(text, "  0  nulls");
	results_free(&r);
}

static void test_engines(void **state)
{
	static const struct {
		const char *engine, *text;
	} engines[] = {
		{ "fake", "** FAKE ENGINE: every figure below was scripted. Nothing was measured." },
		{ "model", "** MODEL: a user-space model" },
		{ "", "** UNKNOWN ENGINE" },
		{ "qpu", "** ENGINE \"qpu\"" },
	};
	struct results r;

	(void)state;
	build_published(&r);
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		_cleanup_free_ char *text = NULL;

		str_copy(r.run.engine, sizeof(r.run.engine), engines[i].engine);
		text = print(&r, &report_table, &ascii);
		assert_int_equal(strncmp(text, "********", 8), 0);
		assert_contains(text, engines[i].text);
		each_line(text, check_narrow);
	}
	results_free(&r);
}

static void test_insn(void **state)
{
	_cleanup_free_ struct analysis *a = calloc(1, sizeof(*a));
	_cleanup_free_ char *text = NULL, *csv = NULL, *none = NULL;
	struct err e = { 0 };
	struct results r;
	size_t len = 0;
	FILE *f = open_memstream(&none, &len);

	(void)state;
	build_published(&r);
	str_copy(r.run.unit, sizeof(r.run.unit), "insn");
	results_summarize(&r);
	check_table(&r);
	text = print(&r, &report_table, &plain);
	assert_line(text, "lsbench 0.1.0: what BPF local storage costs, instructions per get");
	assert_contains(text, "  insn  ");
	assert_contains(text, "Instruction counts are exact");
	assert_lacks(text, "M/s");
	assert_lacks(text, "±");
	assert_lacks(text, " ns");
	csv = print(&r, &report_csv, &plain);
	assert_contains(csv, ",insn,7,4.9104,4.9104,4.9104,");
	/* Operations a second cannot be made of instructions. */
	assert_int_equal(report_selftests.write(&r, a, &plain, f, &e), -EINVAL);
	assert_int_equal(e.class, ERR_USAGE);
	assert_contains(e.msg, "instructions");
	fclose(f);
	assert_int_equal(len, 0);
	results_free(&r);
}

static void test_sentences(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct results r;

	(void)state;
	build_published(&r);
	text = print(&r, &report_table, &plain);
	assert_contains(text, "in short   With up to 16 task-storage maps a get costs about 5.01 ns");
	assert_contains(text, "With 1000 maps it costs 550 [");
	assert_contains(text, "hit        A get that finds its element in its slot costs 4.8");
	assert_contains(text, "with 17 maps (11.8 % miss)");
	assert_contains(text, "between 100 and 1000 maps");
	assert_contains(text, "slots      The curve shows exactly 16 slots, and BTF states 16: they agree.");
	assert_contains(text, "cliff      By the slots of the maps, gets begin to miss at 17 maps. From 32 maps");
	assert_contains(text, "\n    16    4.07±2%    4.85±2%   8.22±2%   17.7±2%   32.5±2%    3.77±2%\n");
	assert_contains(text, "hash, 10 keys: storage wins up to 26 maps, the hash from 27.");
	assert_contains(text, "direct     hit, 16 maps: ");
	assert_contains(text, "so branch");
	results_free(&r);
}

/* Without rows of a curve: it is said why nothing is said. */
static void test_no_analysis(void **state)
{
	_cleanup_free_ char *text = NULL, *empty = NULL;
	struct results r;

	(void)state;
	results_init(&r);
	fill_run(&r);
	empty = print(&r, &report_table, &plain);
	assert_contains(empty, "There are no rows.");
	assert_contains(empty, "cliff      Not analysed: ");
	add_hash(&r, 1000, "random", 24);
	results_summarize(&r);
	text = print(&r, &report_table, &plain);
	assert_contains(text, "cliff      Not analysed: ");
	assert_lacks(text, "in short");
	each_line(text, check_narrow);
	results_free(&r);
}

static struct interval around(double mid)
{
	return (struct interval){ .known = true, .mid = mid, .lo = mid * 0.99, .hi = mid * 1.01, .n = 7 };
}

static char *sentences(const struct results *r, const struct analysis *a)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	report_sentences(r, a, &plain, f);
	assert_int_equal(fclose(f), 0);
	each_line(text, check_narrow);
	if (getenv("LSBENCH_SHOW"))
		fputs(text, stdout);
	return text;
}

/* What the fitted curve can say besides "they agree", and indices that do not exist. */
static void test_sentences_odd(void **state)
{
	static const struct {
		struct cliff_bracket bracket;
		int btf;
		const char *text;
	} slots[] = {
		{ { .known = false }, 16, "does not show how many slots there are" },
		{ { .known = true, .slots_lo = 16 }, 0, "no cliff: it is flat up to 16 maps" },
		{ { .known = true, .slots_lo = 10, .slots_hi = 23 },
		  16,
		  "The curve shows 10 to 23 slots, and the 16 that" },
		{ { .known = true, .slots_lo = 8, .slots_hi = 8 },
		  16,
		  "exactly 8 slots, but BTF states 16. They should" },
		{ { .known = true, .slots_hi = 9 }, 0, "at most 9 slots; BTF does not state the number." },
		{ { .known = true, .slots_lo = 17, .slots_hi = 16, .disturbed = true }, 16, "slot pattern was" },
	};
	_cleanup_free_ struct analysis *a = calloc(1, sizeof(*a));
	struct results r;

	(void)state;
	assert_non_null(a);
	build_published(&r);
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		_cleanup_free_ char *text = NULL;

		*a = (struct analysis){ .known = true, .slots_btf = slots[i].btf, .bracket = slots[i].bracket };
		a->hit = around(4.8);
		a->nr_miss = ANALYSIS_MAX;
		for (int k = 0; k < ANALYSIS_MAX; k++) {
			a->miss[k].maps = (uint32_t)k + 17;
			a->miss[k].share = 0.5;
			a->miss[k].cost = around(-12.5 * k);
		}
		a->nr_ratio = 3;
		a->ratio[0].hash_row = -1;
		a->ratio[1].storage_row = 100000;
		a->ratio[2].storage_row = 6;
		a->ratio[2].hash_row = 0;
		a->ratio[2].ratio = (struct interval){ .known = true, .mid = 1e9, .lo = 1, .hi = 1e300, .n = 7 };
		a->nr_breakeven = 4;
		for (int k = 0; k < 4; k++)
			a->breakeven[k].hash_row = k;
		a->breakeven[0].at.always = -1;
		a->breakeven[1].at.always = 1;
		a->breakeven[3].at = (struct cliff_breakeven){ .crosses = true, .maps_lo = 60.4, .maps_hi = INFINITY };
		a->nr_isolated = 2;
		a->isolated[0].row = -5;
		a->isolated[1].row = 0;
		a->isolated[1].what = "list step";
		text = sentences(&r, a);
		assert_contains(text, slots[i].text);
		assert_contains(text, "with 17 maps (50.0 % miss)");
		assert_contains(text, "with 80 maps (50.0 % miss)");
		assert_contains(text, "hash, 10 keys: storage always wins, from 1 to 1000 maps.");
		assert_contains(text, "hash, 1000 keys: the hash always wins, from 1 to 1000 maps.");
		assert_contains(text, "hash, 10000 keys: undecided");
		assert_contains(text, "storage wins up to 60 maps, then the");
		assert_contains(text, "1e+09±>99%");
	}
	results_free(&r);
}

static void test_other_programs(void **state)
{
	static const struct {
		int maps;
		const char *text;
	} others[] = {
		{ -1, "could not be counted" },
		{ 0, "so all 16 slots are free" },
		{ 1, "1 task-storage map of" },
		{ 40, "about 2 of them" },
	};
	struct results r;

	(void)state;
	build_published(&r);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		_cleanup_free_ char *text = NULL, *line = NULL;

		r.run.machine.foreign.task = others[i].maps;
		text = print(&r, &report_table, &plain);
		/* As one line, wherever it was wrapped. */
		line = calloc(strlen(text) + 1, 1);
		for (char *from = text, *to = line; *from; from++)
			if (*from != '\n' && !(*from == ' ' && (to == line || to[-1] == ' ')))
				*to++ = *from;
			else if (to > line && to[-1] != ' ')
				*to++ = ' ';
		assert_contains(line, others[i].text);
	}
	results_free(&r);
}

static void test_selftests(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct results r;
	struct row *row;

	(void)state;
	results_init(&r);
	fill_run(&r);
	/* In the order of no plan, with rows that the script has no line for. */
	add_storage(&r, "local-storage-cache-int-get", 17, 10, 1, 0, 250);
	add_storage(&r, "local-storage-cache-seq-get", 17, 10, 1, 0, 58);
	add_storage(&r, "local-storage-cache-seq-get", 1, 5, 1, 0, 1000);
	add_storage(&r, "local-storage-hit", 1, 5, 1, 0, 1000);
	add_hash(&r, 1000, "tid", 20);
	add_hash(&r, 1000, "random", 25);
	row = add_row(&r, "local-storage-cache-seq-get", "nr_maps", 100);
	row->outcome = OUTCOME_FAILED;
	/* One trial has no deviation. */
	add_hash(&r, 10, "random", 20);
	r.rows[r.nr_rows - 1].nr_reps = 1;
	results_summarize(&r);
	text = print(&r, &report_selftests, &ascii);
	assert_string_equal(
		text,
		"\nHashmap Control\n===============\n"
		"\tnum keys: 10\n"
		"hashmap (control) sequential    get:  hits throughput: 50.000 ± 0.000 M ops/s, hits latency: 20.000 ns/op, "
		"important_hits throughput: 50.000 ± 0.000 M ops/s\n\n"
		"\tnum keys: 1000\n"
		"hashmap (control) sequential    get:  hits throughput: 39.985 ± 0.300 M ops/s, hits latency: 25.010 ns/op, "
		"important_hits throughput: 39.985 ± 0.300 M ops/s\n\n"
		"\nLocal Storage\n=============\n"
		"\tnum_maps: 1\n"
		"local_storage cache sequential  get:  hits throughput: 199.924 ± 1.502 M ops/s, hits latency: 5.002 ns/op, "
		"important_hits throughput: 199.924 ± 1.502 M ops/s\n\n"
		"\tnum_maps: 17\n"
		"local_storage cache sequential  get:  hits throughput: 99.962 ± 0.751 M ops/s, hits latency: 10.004 ns/op, "
		"important_hits throughput: 5.798 ± 0.044 M ops/s\n"
		"local_storage cache interleaved get:  hits throughput: 99.962 ± 0.751 M ops/s, hits latency: 10.004 ns/op, "
		"important_hits throughput: 24.991 ± 0.188 M ops/s\n\n");
	results_free(&r);
}

/* The mean rate and its sample deviation, computed the other way round. */
static void test_selftests_deviation(void **state)
{
	_cleanup_free_ char *text = NULL;
	double rates[7], mean = 0, square = 0;
	char expected[128];
	struct results r;

	(void)state;
	results_init(&r);
	fill_run(&r);
	add_hash(&r, 1000, "random", 25);
	results_summarize(&r);
	for (int i = 0; i < 7; i++)
		mean += (rates[i] = 1000 / (25 * noise[i])) / 7;
	for (int i = 0; i < 7; i++)
		square += pow(rates[i] - mean, 2);
	snprintf(expected, sizeof(expected), "hits throughput: %.3f ± %.3f M ops/s, hits latency: %.3f ns/op", mean,
		 sqrt(square / 6), 1000 / mean);
	text = print(&r, &report_selftests, &plain);
	assert_contains(text, expected);
	results_free(&r);
}

static void test_csv(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct results r;
	struct row *row;

	(void)state;
	results_init(&r);
	fill_run(&r);
	row = add_row(&r, "local-storage-cache-seq-get", "nr_maps", 16);
	for (int i = 0; i < 7; i++)
		add_rep(row, i, 5, 0.5, 62);
	row_warn(row, "noisy");
	row_warn(row, "bimodal");
	row->slots = (struct row_slots){ .seen = true, .n = 16, .miss_share = 0, .miss_share_audited = 0 };
	row->setup_ms = 12.5;
	row->order = 1;
	row = add_row(&r, "odd\033\"name\"", "other", 7);
	params_set_text(&row->point.params, "how", "=1+1");
	row->outcome = OUTCOME_UNSUPPORTED;
	str_copy(row->reason, sizeof(row->reason), "two\nlines, \"quoted\"");
	row->stopped_by = STOPPED_NOT;
	row->order = 0;
	results_summarize(&r);
	text = print(&r, &report_csv, &plain);
	assert_string_equal(
		text,
		"bench,nr_maps,other,how,store,trigger,loop,outcome,reason,warnings,unit,n,gross,gross_lo,gross_hi,overhead,"
		"overhead_lo,overhead_hi,net,net_lo,net_hi,mops,important_mops,slots_seen,miss_share,miss_share_audited,ops,hits,"
		"important_hits,nulls,errors,setup_ms,stopped_by,engine,kernel\n"
		"\"odd?\"\"name\"\"\",,7,=1+1,task,raw_tp,hoisted,unsupported,\"two\nlines, \"\"quoted\"\"\",,ns,0,,,,,,,,,,,,,,,"
		"0,0,0,0,0,,,kernel,6.18.44\n"
		"local-storage-cache-seq-get,16,,,task,raw_tp,hoisted,ok,,noisy;bimodal,ns,7,5,5,5,0.5,0.5,0.5,4.5,4.5,4.5,200,12.4,"
		"yes,0,0,7000000,7000000,434000,0,0,12.5,precision,kernel,6.18.44\n");
	results_free(&r);
}

/* A reader that follows RFC 4180 finds as many fields in every record as in the header. */
static void test_csv_nasty(void **state)
{
	_cleanup_free_ char *text = NULL;
	size_t fields = 1, header = 0, records = 0;
	bool quoted = false;
	struct results r;

	(void)state;
	build_nasty(&r);
	text = print(&r, &report_csv, &plain);
	for (const char *c = text; *c; c++) {
		assert_true(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f));
		if (*c == '"')
			quoted = !quoted;
		else if (*c == ',' && !quoted)
			fields++;
		else if (*c == '\n' && !quoted) {
			header = header ? header : fields;
			assert_int_equal(fields, header);
			records++;
			fields = 1;
		}
	}
	assert_false(quoted);
	assert_int_equal(records, r.nr_rows + 1);
	results_free(&r);
}

/* What jsonl writes is a results file: read back it gives the same rows. */
static void test_jsonl(void **state)
{
	_cleanup_free_ char *text = NULL, *again = NULL;
	struct results r, back;
	struct err e = { 0 };
	FILE *f;

	(void)state;
	build_published(&r);
	text = print(&r, &report_jsonl, &plain);
	f = fmemopen(text, strlen(text), "r");
	results_init(&back);
	if (results_read_stream(f, "memory", &back, &e) < 0)
		fail_msg("%s", e.msg);
	fclose(f);
	again = print(&back, &report_csv, &plain);
	free(text);
	text = print(&r, &report_csv, &plain);
	assert_string_equal(again, text);
	results_free(&back);
	results_free(&r);
}

static void test_full_disk(void **state)
{
	const struct report_format *const formats[] = { &report_table, &report_csv, &report_selftests };
	_cleanup_free_ struct analysis *a = calloc(1, sizeof(*a));
	struct results r;

	(void)state;
	build_published(&r);
	analysis_compute(&r, a);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct err e = { 0 };
		FILE *f = fopen("/dev/full", "w");

		if (!f)
			skip();
		setvbuf(f, NULL, _IONBF, 0);
		assert_int_equal(formats[i]->write(&r, a, &plain, f, &e), -EIO);
		assert_int_equal(e.class, ERR_FAILED);
		fclose(f);
	}
	results_free(&r);
}

static void test_names(void **state)
{
	char buf[256];
	struct results r;
	struct row *row;

	(void)state;
	results_init(&r);
	row = add_row(&r, "local-storage-cache-seq-get", "nr_maps", 16);
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "seq-get, 16 maps");
	row = add_row(&r, "local-storage-cache-int-get", "nr_maps", 1);
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "int-get, 1 map");
	row = add_row(&r, "local-storage-miss", "list_len", 32);
	str_copy(row->point.store, sizeof(row->point.store), "cgrp");
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "miss, 32 maps (cgrp)");
	row = add_row(&r, "local-storage-cache-hashmap-control", "hashmap_nr_keys_used", 1000);
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "hash, 1000 keys");
	params_set_num(&row->point.params, "nr_maps", 3);
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "hash, 1000 keys, 3 hashes");
	params_set_text(&row->point.params, "hashmap_key", "tid");
	params_set_num(&row->point.params, "nr_maps", 1);
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "hash, own tid");
	row = add_row(&r, "new\033bench", "depth", 4);
	assert_string_equal(report_row_name(row, buf, sizeof(buf)), "new?bench, depth 4");
	assert_string_equal(report_row_name(row, buf, 5), "new?");
	results_free(&r);
}

static void test_duration(void **state)
{
	static const struct {
		double s;
		const char *text;
	} cases[] = {
		{ NAN, "?" },		{ INFINITY, "?" },	  { -1, "0.0 ms" },	{ 0.0042, "4.2 ms" },
		{ 0.25, "250 ms" },	{ 0.9999, "1.0 s" },	  { 3.21, "3.2 s" },	{ 9.96, "10 s" },
		{ 31.4, "31 s" },	{ 59.7, "1 min 00 s" },	  { 65, "1 min 05 s" }, { 3599.7, "1 h 00 min" },
		{ 3720, "1 h 02 min" }, { 1e300, "2.78e+296 h" },
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(report_duration(cases[i].s, buf, sizeof(buf)), cases[i].text);
}

static void test_figures(void **state)
{
	char b[FIG_MAX];

	(void)state;
	assert_string_equal(fig(b, 0.154), "0.15");
	assert_string_equal(fig(b, 9.996), "10.0");
	assert_string_equal(fig(b, 99.96), "100");
	assert_string_equal(fig(b, 2753.4), "2753");
	assert_string_equal(fig(b, 999999.6), "1e+06");
	assert_string_equal(fig(b, -INFINITY), "-");
	assert_string_equal(fig_exact(b, 117.126), "117.13");
	assert_string_equal(fig_exact(b, 4647.24), "4647.2");
	assert_string_equal(fig_small(b, 0.00734), "0.0073");
	assert_string_equal(fig_small(b, 0.0123), "0.012");
	assert_string_equal(fig_small(b, 0.00001), "<.0001");
	assert_string_equal(fig_small(b, 0), "0.00");
	assert_string_equal(fig_percent(b, 0), "0");
	assert_string_equal(fig_percent(b, 1), "100");
	assert_string_equal(fig_percent(b, 2. / 17), "11.8");
	/* Nearly all is not all. */
	assert_string_equal(fig_percent(b, 0.99999), "100.00");
	assert_string_equal(fig_percent(b, NAN), "-");
}

static void set_or_unset(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void test_style(void **state)
{
	static const struct {
		const char *lc_all, *lc_ctype, *lang;
		bool utf8;
	} cases[] = {
		{ NULL, NULL, NULL, false },	 { NULL, NULL, "de_DE.UTF-8", true },
		{ NULL, "C.utf8", "C", true },	 { "C", "C.UTF-8", "C.UTF-8", false },
		{ "", "", "en_US.utf-8", true }, { NULL, NULL, "POSIX", false },
	};
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report_style style;

		set_or_unset("LC_ALL", cases[i].lc_all);
		set_or_unset("LC_CTYPE", cases[i].lc_ctype);
		set_or_unset("LANG", cases[i].lang);
		report_style_for(f, &style);
		assert_int_equal(style.utf8, cases[i].utf8);
		/* A file is no terminal. */
		assert_false(style.colour);
		assert_int_equal(style.width, 80);
	}
	fclose(f);
}

/* A terminal of our own: colour by TERM and NO_COLOR, width by the window. */
static void test_style_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	const struct winsize wide = { .ws_col = 132, .ws_row = 40 }, narrow = { .ws_col = 40, .ws_row = 40 };
	struct report_style style;
	char name[64];
	FILE *f;

	(void)state;
	if (master < 0 || grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof(name)))
		skip();
	slave = open(name, O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	f = fdopen(slave, "w");
	assert_non_null(f);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &wide), 0);
	report_style_for(f, &style);
	assert_true(style.colour);
	assert_int_equal(style.width, 132);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &narrow), 0);
	setenv("NO_COLOR", "1", 1);
	report_style_for(f, &style);
	assert_false(style.colour);
	assert_int_equal(style.width, 80);
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	report_style_for(f, &style);
	assert_false(style.colour);
	fclose(f);
	close(master);
}

static void test_formats(void **state)
{
	(void)state;
	assert_ptr_equal(report_find("table"), &report_table);
	assert_ptr_equal(report_find("selftests"), &report_selftests);
	assert_ptr_equal(report_find("csv"), &report_csv);
	assert_ptr_equal(report_find("jsonl"), &report_jsonl);
	assert_null(report_find("tab"));
	assert_null(report_find(""));
}

/* One group for each hash setting, sorted by keys; hashes are what varies if the keys do not. */
static void test_groups(void **state)
{
	_cleanup_free_ struct row_place *places = NULL;
	_cleanup_free_ char *text = NULL;
	struct results r;

	(void)state;
	results_init(&r);
	fill_run(&r);
	add_storage(&r, "local-storage-cache-seq-get", 32, 28, 0.1, 1, 31);
	add_hash(&r, 1000, "random", 25);
	add_hash(&r, 10, "random", 20);
	add_hash(&r, 10, "random", 22);
	params_set_num(&r.rows[3].point.params, "hashmap_capacity", 1024);
	add_storage(&r, "local-storage-cache-seq-get", 1, 5, 0.1, 0, 1000);
	results_summarize(&r);
	assert_int_equal(rows_place(&r, &places), 0);
	assert_int_equal(places[0].row, 2);
	assert_int_equal(places[1].row, 1);
	assert_int_equal(places[2].row, 3);
	assert_int_equal(places[3].row, 4);
	assert_int_equal(places[4].row, 0);
	assert_int_equal(places[0].group, places[1].group);
	assert_int_not_equal(places[1].group, places[2].group);
	assert_int_equal(places[3].group, places[4].group);
	text = print(&r, &report_table, &plain);
	assert_line(text, "hash, random keys (control): capacity 1024, fill all, seed zero");
	results_free(&r);

	results_init(&r);
	add_hash(&r, 1000, "random", 25);
	add_hash(&r, 1000, "random", 26);
	params_set_num(&r.rows[1].point.params, "nr_maps", 7);
	results_summarize(&r);
	free(take_ptr(places));
	assert_int_equal(rows_place(&r, &places), 0);
	assert_int_equal(places[0].group, places[1].group);
	assert_int_equal(places[1].x, 7);
	results_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_lines),
		cmocka_unit_test(test_table_marks),
		cmocka_unit_test(test_table_own_marks),
		cmocka_unit_test(test_engines),
		cmocka_unit_test(test_insn),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_no_analysis),
		cmocka_unit_test(test_sentences_odd),
		cmocka_unit_test(test_other_programs),
		cmocka_unit_test(test_selftests),
		cmocka_unit_test(test_selftests_deviation),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_csv_nasty),
		cmocka_unit_test(test_jsonl),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_style),
		cmocka_unit_test(test_style_terminal),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_table_published),
		cmocka_unit_test(test_table_troubled),
		cmocka_unit_test(test_table_nasty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
