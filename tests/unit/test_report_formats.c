// SPDX-License-Identifier: GPL-2.0-or-later
/* The formats that programs read, names and figures, and what the terminal decides. */
#include "report_fixture.h"

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
