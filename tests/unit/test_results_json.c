// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading results files: what comes back, what is tolerated, what is refused and with which line. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/results_json.h"
#include "lib/cleanup.h"

#define RUN "{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"engine\": \"fake\", \"unit\": \"ns\"}\n"
#define ID(maps)                                                                                                  \
	"\"bench\": \"local-storage-cache-seq-get\", \"params\": {\"nr_maps\": " #maps "}, \"store\": \"task\", " \
	"\"trigger\": \"raw_tp\", \"loop\": \"hoisted\""
#define REP(maps, trial, gross)                                     \
	"{\"kind\": \"rep\", " ID(                                  \
		maps) ", \"trial\": " #trial ", \"gross\": " #gross \
		      ", \"overhead\": 0.5, \"counters\": {\"ops\": 9, \"hits\": 8, \"nulls\": 1}}\n"
#define END(points) "{\"kind\": \"end\", \"points\": " #points ", \"exit\": 0}\n"

static int read_bytes(const char *bytes, size_t len, const char *name, struct results *res, struct err *e)
{
	_cleanup_fclose_ FILE *f = fmemopen((void *)bytes, len, "r");

	assert_non_null(f);
	return results_read_stream(f, name, res, e);
}

static void read_ok(const char *text, const char *name, struct results *res)
{
	struct err e = { 0 };

	results_init(res);
	if (read_bytes(text, strlen(text), name, res, &e) < 0)
		fail_msg("refused: %s", e.msg);
}

static bool has_warning(const struct results *res, const char *part)
{
	for (int i = 0; i < res->run.nr_warnings; i++)
		if (strstr(res->run.warnings[i], part))
			return true;
	return false;
}

static void rows_come_back_in_the_order_of_the_plan(void **state)
{
	struct results res;

	(void)state;
	read_ok(RUN "{\"kind\": \"rep\", \"bench\": \"c\", \"row\": 2, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"x\", \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"a\", \"row\": 0, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"row\": 1, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"y\", \"gross\": 1}\n",
		"mem", &res);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(res.rows[i].order, i);
		assert_int_equal(res.rows[i].point.bench[0], "abcxy"[i]);
	}
	results_free(&res);
}

/* ---- what is tolerated ---- */

static void carriage_returns_bom_and_blank_lines(void **state)
{
	struct results res;
	char text[4096], *out = text;

	(void)state;
	out += snprintf(text, sizeof(text), "\xef\xbb\xbf");
	for (const char *p = RUN "\n   \n" REP(16, 0, 5.25) END(1); *p; p++) {
		if (*p == '\n')
			*out++ = '\r';
		*out++ = *p;
	}
	*out = '\0';
	read_ok(text, "mem", &res);
	assert_int_equal(res.nr_rows, 1);
	assert_true(res.rows[0].gross.mid == 5.25);
	assert_false(res.partial);
	assert_int_equal(res.run.nr_warnings, 0);
	results_free(&res);
}

static void unknown_names_and_kinds(void **state)
{
	struct results res;

	(void)state;
	read_ok("{\"schema\": \"lsbench/1.7\", \"kind\": \"run\", \"unit\": \"insn\", \"new\": [1, {\"a\": null}]}\n"
		"{\"kind\": \"weather\", \"rain\": true}\n"
		"{\"kind\": \"batch\", \"bench\": \"b\", \"gross\": -1}\n"
		"{\"kind\": \"rep\", \"bench\": \"b\", \"gross\": 7, \"colour\": \"blue\"}\n"
		"{\"kind\": \"point\", \"bench\": \"b\", \"outcome\": \"splendid\", \"stopped_by\": \"rain\"}\n"
		"{\"kind\": \"analysis\", \"cliff\": 17}\n" END(1),
		"mem", &res);
	assert_true(has_warning(&res, "1 lines of a kind this lsbench does not know (\"weather\")"));
	assert_int_equal(res.rows[0].outcome, OUTCOME_FAILED);
	assert_non_null(strstr(res.rows[0].reason, "splendid"));
	assert_true(res.rows[0].gross.mid == 7 && res.rows[0].gross.lo == 7);
	results_free(&res);
}

static void a_cut_last_line_is_left_out(void **state)
{
	const char *whole = RUN REP(16, 0, 5.0) REP(16, 1, 6.0);
	size_t first = strlen(RUN REP(16, 0, 5.0));
	struct results res;

	(void)state;
	for (size_t len = first; len <= strlen(whole); len++) {
		_cleanup_free_ char *text = strndup(whole, len);
		bool cut = len > first && len < strlen(whole) - 1;

		read_ok(text, "x.partial", &res);
		assert_true(res.partial);
		assert_true(has_warning(&res, "no end line"));
		assert_int_equal(has_warning(&res, "line 3, the last, is cut short"), cut);
		/* The last line is whole without its newline, too. */
		assert_int_equal(res.rows[0].nr_reps, len >= strlen(whole) - 1 ? 2 : 1);
		results_free(&res);
	}
}

static void zeroes_of_a_crashed_file_system_are_a_cut_line(void **state)
{
	char text[sizeof(RUN REP(16, 0, 5.0)) + 512] = RUN REP(16, 0, 5.0);
	struct results res;
	struct err e = { 0 };

	(void)state;
	results_init(&res);
	assert_int_equal(read_bytes(text, sizeof(text), "x", &res, &e), 0);
	assert_true(has_warning(&res, "line 3, the last, is cut short"));
	results_free(&res);
}

static void what_is_odd_is_said(void **state)
{
	struct results res;

	(void)state;
	read_ok(RUN REP(16, 0, 5.0) REP(16, 0, 5.0) END(3) REP(17, 0, 5.0), "x.partial", &res);
	assert_true(has_warning(&res, "1 rows hold the same trial more than once"));
	assert_true(has_warning(&res, "the end line speaks of 3 points, the file holds 2"));
	assert_true(has_warning(&res, "1 lines stand after the end line"));
	assert_true(has_warning(&res, "complete though it is named .partial"));
	assert_false(res.partial);
	results_free(&res);
}

static void summaries_and_counters_of_the_file_are_not_trusted(void **state)
{
	struct results res;

	(void)state;
	read_ok(RUN REP(16, 0, 5.0) REP(16, 1, 7.0) "{\"kind\": \"point\", " ID(
			16) ", \"outcome\": \"ok\", "
			    "\"counters\": {\"ops\": 1}, \"gross\": {\"median\": 99.0, \"lo\": 98.0, \"hi\": 100.0, \"n\": 31}}\n"
			    "{\"kind\": \"rep\", " ID(
				    17) ", \"gross\": 4, \"counters\": {\"ops\": 10, \"hits\": 8, \"nulls\": 1}}\n"
					"{\"kind\": \"point\", " ID(18) ", \"outcome\": \"ok\"}\n" END(3),
		"mem", &res);
	assert_true(res.rows[0].gross.mid == 6 && !res.rows[0].gross.interval);
	assert_int_equal(res.rows[0].gross.n, 2);
	assert_int_equal(res.rows[0].counters.ops, 18);
	assert_int_equal(res.rows[0].outcome, OUTCOME_OK);
	assert_int_equal(res.rows[1].outcome, OUTCOME_INVALID);
	assert_non_null(strstr(res.rows[1].reason, "hits 8 + nulls 1 + errors 0 are not ops 10"));
	assert_int_equal(res.rows[2].outcome, OUTCOME_FAILED);
	results_free(&res);
}

static void a_point_line_twice_takes_the_last(void **state)
{
	struct results res;

	(void)state;
	read_ok(RUN REP(16, 0, 5.0) "{\"kind\": \"point\", " ID(
			16) ", \"outcome\": \"failed\", \"reason\": \"a\", "
			    "\"warnings\": [\"noisy\", \"drift\"]}\n"
			    "{\"kind\": \"point\", " ID(
				    16) ", \"outcome\": \"invalid\", \"reason\": \"b\", \"warnings\": [\"bimodal\"]}\n",
		"mem", &res);
	assert_int_equal(res.nr_rows, 1);
	assert_int_equal(res.rows[0].outcome, OUTCOME_INVALID);
	assert_string_equal(res.rows[0].reason, "b");
	assert_int_equal(res.rows[0].nr_warnings, 1);
	assert_string_equal(res.rows[0].warnings[0], "bimodal");
	results_free(&res);
}

static void rows_are_told_apart(void **state)
{
	struct results res;

	(void)state;
	/* Order of parameters does not matter; kind of value, trigger, loop, store and names do. */
	read_ok(RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"x\": 1, \"y\": \"2\"}, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"y\": \"2\", \"x\": 1}, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"y\": 2, \"x\": 1}, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"x1:y\": 2}, \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"store\": \"task\", \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"trigger\": \"task\", \"gross\": 1}\n"
		    "{\"kind\": \"rep\", \"bench\": \"b\", \"loop\": \"task\", \"gross\": 1}\n",
		"mem", &res);
	assert_int_equal(res.nr_rows, 6);
	assert_int_equal(res.rows[0].nr_reps, 2);
	results_free(&res);
}

/* ---- what is refused ---- */

static const struct refusal {
	const char *text;
	const char *message; /* the whole message begins so */
} refusals[] = {
	{ "", "FILE:1: the file is empty" },
	{ "\n\n", "FILE:2: the file is empty" },
	{ "\x7f"
	  "ELF\x02\x01\n",
	  "FILE:1: not a results file of lsbench: the first line is not JSON" },
	{ "[1, 2]\n", "FILE:1: the line is a JSON list" },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"ru", "FILE:1: not a results file" },
	{ "{}\n", "FILE:1: the first line names no \"schema\"" },
	{ "{\"schema\": 1}\n", "FILE:1: the first line names no \"schema\"" },
	{ "{\"schema\": \"perf/1\", \"kind\": \"run\"}\n", "FILE:1: its schema is \"perf/1\", not lsbench/1" },
	{ "{\"schema\": \"lsbench/2\", \"kind\": \"run\"}\n",
	  "FILE:1: its schema is \"lsbench/2\", this lsbench reads \"lsbench/1\"" },
	{ "{\"schema\": \"lsbench/10\", \"kind\": \"run\"}\n", "FILE:1: its schema is \"lsbench/10\", this lsbench" },
	{ "{\"schema\": \"lsbench/1x\", \"kind\": \"run\"}\n", "FILE:1: its schema is \"lsbench/1x\", this lsbench" },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"rep\"}\n", "FILE:1: the first line is not the run line" },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"unit\": \"furlong\"}\n", "FILE:1: the run's \"unit\"" },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"unit\": \"ns\", \"seed\": -1}\n",
	  "FILE:1: \"seed\" is -1, expected" },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"unit\": \"ns\", \"seed\": \"1x\"}\n", "FILE:1: " },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"unit\": \"ns\", \"argv\": [1]}\n",
	  "FILE:1: \"argv\" is 1" },
	{ "{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"unit\": \"ns\", \"machine\": 5}\n",
	  "FILE:1: \"machine\" is 5" },
	{ REP(16, 0, 5.0), "FILE:1: the first line names no \"schema\"" },
	{ RUN, "FILE:1: no repetition in the file" },
	{ RUN "{\"kind\": \"point\", \"bench\": \"b\", \"outcome\": \"unsupported\", \"reason\": \"too old\"}\n" END(1),
	  "FILE:3: no repetition in the file: nothing was measured (too old)" },
	{ RUN "{\"kind\": \"rep\", \"bench\n" REP(16, 0, 5.0), "FILE:2: the line is not JSON" },
	{ RUN REP(16, 0, 5.0) RUN REP(16, 1, 5.0), "FILE:3: a second run line" },
	{ RUN "{\"bench\": \"b\"}\n", "FILE:2: the line names no \"kind\"" },
	{ RUN "{\"kind\": \"rep\", \"gross\": 1}\n", "FILE:2: the line names no \"bench\"" },
	{ RUN "{\"kind\": \"rep\", \"bench\": 5}\n", "FILE:2: \"bench\" is 5, expected a text" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"bench\": \"c\"}\n", "FILE:2: the line is not JSON (duplicate" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"0123456789012345678901234567890123456789012345678901234567890123\"}\n",
	  "FILE:2: \"bench\" is \"0123" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"n\": -1}}\n", "FILE:2: \"params\" is -1" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"n\": [1]}}\n", "FILE:2: \"params\" is [1]" },
	{ RUN
	  "{\"kind\": \"rep\", \"bench\": \"b\", \"params\": {\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,"
	  "\"h\":1,\"i\":1,\"j\":1,\"k\":1,\"l\":1,\"m\":1}}\n",
	  "FILE:2: \"params\" has 13 members" },
	{ RUN REP(16, 0, -1.0), "FILE:2: \"gross\" is -1.0, expected a number from 0" },
	{ RUN REP(16, 0, 1e300), "FILE:2: \"gross\" is 1e300, expected" },
	{ RUN REP(16, 0, 1e999), "FILE:2: the line is not JSON" },
	{ RUN REP(16, 0, NaN), "FILE:2: the line is not JSON" },
	{ RUN REP(16, 0, "5"), "FILE:2: \"gross\" is \"5\"" },
	{ RUN REP(16, -1, 5.0), "FILE:2: \"trial\" is -1" },
	{ RUN REP(16, 99999999999, 5.0), "FILE:2: \"trial\" is 99999999999" },
	{ RUN REP(16, 99999999999999999999, 5.0), "FILE:2: the line is not JSON" },
	{ RUN REP(16, 1.5, 5.0), "FILE:2: \"trial\" is 1.5" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"counters\": {\"ops\": -3}}\n", "FILE:2: \"ops\" is -3" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"counters\": {\"hits\": 9000000000000000000}}\n",
	  "FILE:2: \"hits\" is 9" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"steal\": 1.5}\n", "FILE:2: \"steal\" is 1.5" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"b\", \"evicted\": 1}\n", "FILE:2: \"evicted\" is 1" },
	{ RUN "{\"kind\": \"point\", \"bench\": \"b\", \"slots\": {\"miss_share\": 7}}\n",
	  "FILE:2: \"miss_share\" is 7" },
	{ RUN "{\"kind\": \"point\", \"bench\": \"b\", \"slots\": {\"used\": [1, -1]}}\n", "FILE:2: \"used\" is -1" },
	{ RUN "{\"kind\": \"point\", \"bench\": \"b\", \"warnings\": \"noisy\"}\n",
	  "FILE:2: \"warnings\" is \"noisy\"" },
	{ RUN REP(16, 0, 5.0) "{\"kind\": \"end\", \"exit\": 256}\n", "FILE:3: \"exit\" is 256" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"\xff\"}\n", "FILE:2: the line is not JSON" },
	{ RUN "{\"kind\": \"rep\", \"bench\": \"a\\u0000b\"}\n", "FILE:2: the line is not JSON" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *t = &refusals[i];
		struct results res;
		struct err e = { 0 };
		int r;

		results_init(&res);
		r = read_bytes(t->text, strlen(t->text), "FILE", &res, &e);
		if (r >= 0 || strncmp(e.msg, t->message, strlen(t->message)) != 0)
			fail_msg("%s\nwas answered with %d: %s\nexpected: %s", t->text, r, e.msg, t->message);
		assert_int_equal(e.class, ERR_FAILED);
		assert_null(strchr(e.msg, '\n'));
		/* Untouched. */
		assert_int_equal(res.nr_rows, 0);
		assert_null(res.rows);
	}
}

static void a_line_over_the_limit_is_refused(void **state)
{
	const size_t limit = 1024 * 1024, head = strlen(RUN);
	_cleanup_free_ char *text = malloc(head + limit + 2);
	struct results res;
	struct err e = { 0 };

	(void)state;
	assert_non_null(text);
	memcpy(text, RUN, head);
	memset(text + head, ' ', limit + 2);
	results_init(&res);
	assert_true(read_bytes(text, head + limit + 2, "FILE", &res, &e) < 0);
	assert_non_null(strstr(e.msg, "FILE:2: the line is longer than 1048576 bytes"));
	err_clear(&e);
	/* Of just this length it is a line, blank here. */
	assert_true(read_bytes(text, head + limit, "FILE", &res, &e) < 0);
	assert_non_null(strstr(e.msg, "no repetition"));
}

static void files_that_cannot_be_opened(void **state)
{
	struct results res;
	struct err e = { 0 };

	(void)state;
	results_init(&res);
	assert_int_equal(results_read("/nonexistent/x.json", &res, &e), -ENOENT);
	assert_string_equal(e.msg, "/nonexistent/x.json: cannot open it: No such file or directory");
	err_clear(&e);
	assert_true(results_read("/", &res, &e) < 0);
	assert_string_equal(e.msg, "/:1: cannot read it: Is a directory");
	err_clear(&e);
	assert_true(results_read("/dev/zero", &res, &e) < 0);
	assert_non_null(strstr(e.msg, "/dev/zero:1: the line is longer than"));
}

static void many_rows_are_read_fast(void **state)
{
	enum { ROWS = 10000, TRIALS = 7 };
	_cleanup_free_ char *text = NULL;
	struct timespec began, ended;
	struct results res;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	fputs(RUN, f);
	for (int k = 0; k < TRIALS; k++)
		for (int i = 0; i < ROWS; i++)
			fprintf(f,
				"{\"kind\": \"rep\", \"bench\": \"local-storage-cache-seq-get\", \"params\": {\"nr_maps\": %d}, "
				"\"store\": \"task\", \"trigger\": \"raw_tp\", \"loop\": \"hoisted\", \"row\": %d, \"trial\": %d, "
				"\"t\": 1.5, \"cpu\": 1, \"ghz\": 3.2, \"gross\": %d.5, \"overhead\": 0.25, \"counters\": "
				"{\"ops\": 5, \"hits\": 5, \"important_hits\": 1, \"nulls\": 0, \"errors\": 0}}\n",
				i, i, k, i + k);
	fclose(f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
	read_ok(text, "mem", &res);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	assert_int_equal(res.nr_rows, ROWS);
	for (int i = 0; i < ROWS; i++)
		assert_true(res.rows[i].nr_reps == TRIALS && res.rows[i].gross.mid == i + TRIALS / 2 + 0.5);
	results_free(&res);
#ifndef SANITIZED
	assert_true((double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9 < 2.0);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_in_the_order_of_the_plan),
		cmocka_unit_test(carriage_returns_bom_and_blank_lines),
		cmocka_unit_test(unknown_names_and_kinds),
		cmocka_unit_test(a_cut_last_line_is_left_out),
		cmocka_unit_test(zeroes_of_a_crashed_file_system_are_a_cut_line),
		cmocka_unit_test(what_is_odd_is_said),
		cmocka_unit_test(summaries_and_counters_of_the_file_are_not_trusted),
		cmocka_unit_test(a_point_line_twice_takes_the_last),
		cmocka_unit_test(rows_are_told_apart),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(a_line_over_the_limit_is_refused),
		cmocka_unit_test(files_that_cannot_be_opened),
		cmocka_unit_test(many_rows_are_read_fast),
	};

	return cmocka_run_group_tests_name("results_json", tests, NULL, NULL);
}
