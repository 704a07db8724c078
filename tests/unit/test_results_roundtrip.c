// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written to a results file comes back as it was, every field and every bit of a double. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/results_json.h"
#include "lib/cleanup.h"

static void read_ok(const char *text, struct results *res)
{
	_cleanup_fclose_ FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct err e = { 0 };

	assert_non_null(f);
	results_init(res);
	if (results_read_stream(f, "mem", res, &e) < 0)
		fail_msg("refused: %s", e.msg);
}

static void fill_run(struct run_info *run)
{
	static const char *const args[] = { "lsbench", "sweep", "--label", "a \"quoted\" \\ thing\n",
					    "\xff\xfe not UTF-8" };

	*run = (struct run_info){ .tool = "lsbench 0.1.0",
				  .started = "2026-01-02T03:04:05Z",
				  .engine = "kernel",
				  .accel = "native",
				  .unit = "ns",
				  .seed = UINT64_MAX,
				  .boot = "b",
				  .label = "grüße",
				  .trigger_why_not = "fentry: refused",
				  .version = "v",
				  .libbpf = "1.1",
				  .clang = "14",
				  .nr_warnings = 1,
				  .warnings = { "drift: wait" },
				  .setup_storage_ms = 51.25,
				  .setup_hash_ms = NAN };
	run->machine = (struct machine){ .kernel = "6.18",
					 .arch = "x86_64",
					 .cpu = "cpu",
					 .cpus = 2,
					 .slots = 16,
					 .inlined_hit = 1,
					 .jit = -1,
					 .smt = 0,
					 .clocksource = "tsc",
					 .virt = "kvm",
					 .preempt = "full",
					 .lockdown = "integrity",
					 .nr_mitigations = 1,
					 .mitigations = { { "spectre_v2", "Mitigation: IBRS" } },
					 .foreign = { 3, -1, 0, 2 } };
	run->argv = calloc(ARRAY_SIZE(args) + 1, sizeof(*run->argv));
	assert_non_null(run->argv);
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		assert_non_null(run->argv[i] = strdup(args[i]));
}

static void fill(struct results *res)
{
	struct row *row;

	results_init(res);
	fill_run(&res->run);
	for (int r = 0; r < 3; r++) {
		row = results_add_row(res);
		snprintf(row->point.bench, sizeof(row->point.bench), "local-storage-cache-%s-get", r ? "int" : "seq");
		snprintf(row->point.store, sizeof(row->point.store), "task");
		snprintf(row->point.trigger, sizeof(row->point.trigger), "syscall");
		snprintf(row->point.loop, sizeof(row->point.loop), "sequence");
		assert_true(params_set_text(&row->point.params, "z_first", "tid"));
		assert_true(params_set_num(&row->point.params, "nr_maps", (uint64_t)(17 + r)));
		row->stopped_by = STOPPED_BUDGET;
		row->slots = (struct row_slots){ .seen = true,
						 .n = 16,
						 .used = { 2, 1, 1 },
						 .miss_share = 0.1 + r * 0.1,
						 .miss_share_audited = NAN };
		row_warn(row, "noisy");
		for (int k = 0; k < 7 * (r < 2); k++) {
			const struct rep rep = { .trial = k,
						 .t = k / 3.0,
						 .cpu = k - 1,
						 .ghz = k ? 3.2 / k : NAN,
						 .gross = 5 + k / 7.0,
						 .overhead = k == 2 ? NAN : 0.1 * k,
						 .batches = 400,
						 .nivcsw = k,
						 .steal = 0.01 * k,
						 .evicted = k == 3,
						 .setup_ms = 1.1,
						 .counters = { 1000000007, 1000000000, 77, 5, 2 } };
			assert_int_equal(row_add_rep(row, &rep), 0);
		}
	}
	row->outcome = OUTCOME_UNSUPPORTED;
	snprintf(row->reason, sizeof(row->reason), "this kernel lacks it");
	res->exit_status = 1;
	results_summarize(res);
}

static char *written(const struct results *res, const struct analysis *a)
{
	_cleanup_free_ char *text = NULL;
	struct err e = { 0 };
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(results_write_all(res, a, f, &e), 0);
	fclose(f);
	return take_ptr(text);
}

static void assert_same_double(double a, double b)
{
	assert_true(isnan(a) ? isnan(b) : a == b);
}

static void assert_same_rep(const struct rep *a, const struct rep *b)
{
	assert_int_equal(a->trial, b->trial);
	assert_same_double(a->t, b->t);
	assert_int_equal(a->cpu, b->cpu);
	assert_same_double(a->ghz, b->ghz);
	assert_same_double(a->gross, b->gross);
	assert_same_double(a->overhead, b->overhead);
	assert_int_equal(a->batches, b->batches);
	assert_int_equal(a->nivcsw, b->nivcsw);
	assert_same_double(a->steal, b->steal);
	assert_int_equal(a->evicted, b->evicted);
	assert_same_double(a->setup_ms, b->setup_ms);
	assert_memory_equal(&a->counters, &b->counters, sizeof(a->counters));
}

static void assert_same_row(const struct row *a, const struct row *b)
{
	assert_true(point_same_row(&a->point, &b->point));
	assert_string_equal(a->point.params.v[0].name, b->point.params.v[0].name);
	assert_string_equal(a->point.trigger, b->point.trigger);
	assert_string_equal(a->point.loop, b->point.loop);
	assert_int_equal(a->outcome, b->outcome);
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->stopped_by, b->stopped_by);
	assert_int_equal(a->nr_warnings, b->nr_warnings);
	assert_string_equal(a->warnings[0], b->warnings[0]);
	assert_int_equal(a->slots.seen, b->slots.seen);
	assert_int_equal(a->slots.n, b->slots.n);
	assert_memory_equal(a->slots.used, b->slots.used, sizeof(a->slots.used));
	assert_same_double(a->slots.miss_share, b->slots.miss_share);
	assert_same_double(a->slots.miss_share_audited, b->slots.miss_share_audited);
	assert_same_double(a->setup_ms, b->setup_ms);
	assert_memory_equal(&a->counters, &b->counters, sizeof(a->counters));
	assert_same_double(a->net.mid, b->net.mid);
	assert_same_double(a->gross.hi, b->gross.hi);
	assert_int_equal(a->nr_reps, b->nr_reps);
	for (int i = 0; i < a->nr_reps; i++)
		assert_same_rep(&a->reps[i], &b->reps[i]);
}

static void everything_comes_back(void **state)
{
	struct results a, b;
	_cleanup_free_ char *text = NULL, *again = NULL;

	(void)state;
	fill(&a);
	text = written(&a, NULL);
	assert_null(strcasestr(text, "nan"));
	read_ok(text, &b);
	assert_false(b.partial);
	assert_int_equal(b.exit_status, 1);
	assert_int_equal(b.nr_rows, 3);
	for (int i = 0; i < 3; i++)
		assert_same_row(&a.rows[i], &b.rows[i]);
	assert_true(b.run.seed == UINT64_MAX);
	assert_string_equal(b.run.label, "grüße");
	assert_string_equal(b.run.trigger_why_not, a.run.trigger_why_not);
	assert_string_equal(b.run.argv[3], a.run.argv[3]);
	assert_string_equal(b.run.argv[4], "?? not UTF-8");
	assert_null(b.run.argv[5]);
	assert_int_equal(b.run.nr_warnings, 1);
	assert_true(b.run.setup_storage_ms == 51.25 && isnan(b.run.setup_hash_ms));
	assert_memory_equal(&a.run.machine, &b.run.machine, sizeof(a.run.machine));
	/* And a second time: nothing grows or moves. */
	free(b.run.argv[4]);
	assert_non_null(b.run.argv[4] = strdup(a.run.argv[4]));
	again = written(&b, NULL);
	assert_string_equal(text, again);
	results_free(&a);
	results_free(&b);
}

static void long_argv_is_bounded(void **state)
{
	enum { N = 400 };
	struct results a, b;
	_cleanup_free_ char *text = NULL;
	int n = 0;

	(void)state;
	fill(&a);
	for (char **arg = a.run.argv; *arg; arg++)
		free(*arg);
	free(a.run.argv);
	a.run.argv = calloc(N + 1, sizeof(*a.run.argv));
	for (int i = 0; i < N; i++) {
		a.run.argv[i] = calloc(1, 1001);
		assert_non_null(a.run.argv[i]);
		memset(a.run.argv[i], 1, 1000); /* each byte becomes six */
	}
	text = written(&a, NULL);
	assert_true(strcspn(text, "\n") < 1024 * 1024);
	read_ok(text, &b);
	while (b.run.argv[n])
		n++;
	assert_in_range(n, 20, 257);
	assert_string_equal(b.run.argv[n - 1], "...");
	results_free(&a);
	results_free(&b);
}

static void a_long_reason_is_cut_between_characters(void **state)
{
	_cleanup_free_ char *text = NULL, *again = NULL;
	struct results res;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	fputs("{\"schema\": \"lsbench/1\", \"kind\": \"run\", \"unit\": \"ns\"}\n"
	      "{\"kind\": \"rep\", \"bench\": \"b\", \"gross\": 5.0}\n"
	      "{\"kind\": \"point\", \"bench\": \"b\", \"outcome\": \"failed\", \"reason\": \"x",
	      f);
	for (int i = 0; i < 400; i++)
		fputs("ü", f);
	fputs("\"}\n", f);
	fclose(f);
	read_ok(text, &res);
	assert_int_equal(strlen(res.rows[0].reason), 511);
	again = written(&res, NULL);
	assert_null(strchr(again, '?'));
	results_free(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_comes_back),
		cmocka_unit_test(long_argv_is_bounded),
		cmocka_unit_test(a_long_reason_is_cut_between_characters),
	};

	return cmocka_run_group_tests_name("results_roundtrip", tests, NULL, NULL);
}
