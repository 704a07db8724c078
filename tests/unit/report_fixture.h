/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand and the checks of what is printed of them, for the tests of src/report. */
#pragma once

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

static inline struct row *add_row(struct results *r, const char *bench, const char *param, uint64_t value)
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

static inline void add_rep(struct row *row, int trial, double gross, double overhead, uint64_t important_of_1000)
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

static inline void add_trials(struct row *row, double gross, double overhead, uint64_t important_of_1000)
{
	for (int i = 0; i < 7; i++)
		add_rep(row, i, gross * noise[i], overhead * noise[6 - i], important_of_1000);
}

static inline void fill_run(struct results *r)
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

static inline void add_hash(struct results *r, uint64_t keys, const char *key, double gross)
{
	struct row *row = add_row(r, "local-storage-cache-hashmap-control", "hashmap_nr_keys_used", keys);

	params_set_num(&row->point.params, "nr_maps", 1);
	params_set_num(&row->point.params, "hashmap_capacity", 4194304);
	params_set_text(&row->point.params, "hashmap_fill", "all");
	params_set_text(&row->point.params, "hashmap_seed", "zero");
	params_set_text(&row->point.params, "hashmap_key", key);
	add_trials(row, gross, 1.21, 1000);
}

static inline void add_storage(struct results *r, const char *bench, uint64_t maps, double gross, double overhead,
			       double miss, uint64_t important)
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

static inline void build_published(struct results *r)
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
static inline void build_troubled(struct results *r)
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
static inline void build_nasty(struct results *r)
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

static inline char *print(const struct results *r, const struct report_format *format, const struct report_style *style)
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
static inline void each_line(const char *text, void (*check)(const char *line))
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *line;

	assert_non_null(copy);
	while ((line = strsep(&rest, "\n")))
		check(line);
}

static inline void check_narrow(const char *line)
{
	if (str_width(line) > 80)
		fail_msg("%zu columns: %s", str_width(line), line);
	if (*line && line[strlen(line) - 1] == ' ')
		fail_msg("blanks at the end: '%s'", line);
}

static inline void check_clean(const char *line)
{
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			fail_msg("control character %d: %s", *c, line);
}

static inline void check_ascii(const char *line)
{
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c >= 0x80)
			fail_msg("not ASCII: %s", line);
}

static inline void check_table(const struct results *r)
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

/* A whole line. */
static inline void assert_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *p = text; (p = strstr(p, line)); p++)
		if ((p == text || p[-1] == '\n') && p[len] == '\n')
			return;
	fail_msg("no line \"%s\" in:\n%s", line, text);
}
