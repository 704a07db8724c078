// SPDX-License-Identifier: GPL-2.0-or-later
/* The table and its sentences: what a person reads. LSBENCH_SHOW=1 prints everything the tests render. */
#include "report_fixture.h"

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
		cmocka_unit_test(test_table_published),
		cmocka_unit_test(test_table_troubled),
		cmocka_unit_test(test_table_nasty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
