// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A live run: rates and lines as numbers in, text out; then whole runs with ticks of a few milliseconds on an engine of
 * this file that counts what it was asked and fails where it is told to.
 */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/live.h"
#include "core/live_priv.h"
#include "unit.h"

/* ---- pure ---- */

static void test_rate(void **state)
{
	(void)state;
	/* 5000 in 1 us */
	assert_true(fabs(live_rate(1000, 6000, 7000, 8000) - 5000) < 1e-9);
	/* 200 million in 2 s: 100 M/s */
	assert_true(fabs(live_rate(0, 200000000, 0, 2000000000) - 100) < 1e-9);
	assert_true(live_rate(5, 5, 0, 1000) == 0);
	/* no batch ended in between: nothing is known to have happened */
	assert_true(live_rate(5, 9, 1000, 1000) == 0);
	assert_true(live_rate(5, 9, 1001, 1000) == 0);
}

static void test_stat(void **state)
{
	static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct live_stat s = { 0 };

	(void)state;
	assert_true(live_stat_sd(&s) == 0);
	live_stat_add(&s, 3);
	assert_true(s.mean == 3 && live_stat_sd(&s) == 0);
	s = (struct live_stat){ 0 };
	for (size_t i = 0; i < 8; i++)
		live_stat_add(&s, x[i]);
	assert_int_equal(s.n, 8);
	assert_true(fabs(s.mean - 5) < 1e-12);
	/* sample, not population: sqrt(32 / 7) */
	assert_true(fabs(live_stat_sd(&s) - sqrt(32.0 / 7)) < 1e-12);
	/* large values that hardly differ */
	s = (struct live_stat){ 0 };
	for (int i = 0; i < 3; i++)
		live_stat_add(&s, 1e9 + i);
	assert_true(fabs(live_stat_sd(&s) - 1) < 1e-9);
}

static void test_lines(void **state)
{
	struct live_tick t = { .iter = 3, .late_us = -12.3456, .hits_m = 65.4321, .important_m = 4.0895 };
	struct live_result r = {
		.nr_producers = 2,
		.hits_m = { .n = 3, .mean = 40, .sum_sq = 2 },
		.important_m = { .n = 3, .mean = 2.5, .sum_sq = 0.5 },
	};
	struct live_producer p = { .cpu = 7, .hits_m = { .n = 3, .mean = 20, .sum_sq = 2 } };
	struct counters c = { .ops = 1000, .nulls = 25 };
	char buf[256];

	(void)state;
	assert_string_equal(live_iter_line(buf, sizeof(buf), &t),
			    "Iter   3 (-12.346us): hits   65.432M/s important_hits    4.090M/s");
	/* latency of one producer: 1000 / 20 */
	assert_string_equal(live_summary_line(buf, sizeof(buf), &r),
			    "Summary: hits throughput   40.000 ± 1.000 M ops/s, hits latency   50.000 ns/op, "
			    "important_hits throughput    2.500 ± 0.500 M ops/s");
	r.hits_m = (struct live_stat){ .n = 3 };
	r.important_m = r.hits_m;
	assert_string_equal(live_summary_line(buf, sizeof(buf), &r),
			    "Summary: hits throughput    0.000 ± 0.000 M ops/s, no latency: no hits, "
			    "important_hits throughput    0.000 ± 0.000 M ops/s");
	assert_string_equal(live_producer_line(buf, sizeof(buf), 1, &p),
			    "Producer   1 (CPU 7):   20.000 ± 1.000 M hits/s, important    0.000 ± 0.000 M hits/s");
	p.cpu = -1;
	live_producer_line(buf, sizeof(buf), 1, &p);
	assert_non_null(strstr(buf, "(any CPU)"));
	/* what scripts cut out of the Summary must stand in it alone */
	assert_null(strstr(buf, " hits throughput"));
	assert_null(strstr(buf, " hits latency"));
	assert_string_equal(live_nulls_line(buf, sizeof(buf), &c),
			    "NULL results: 25 of 1000 gets (2.5 %); they are not hits");
	c.nulls = 0;
	assert_string_equal(live_nulls_line(buf, sizeof(buf), &c), "");
}

static void test_board(void **state)
{
	struct live_board b;
	struct live_sample in = { .at_ns = 1, .batches = 2, .ns = 3, .counters = { 4, 5, 6, 7, 8 } }, out;

	(void)state;
	memset(&b, 0, sizeof(b));
	live_board_read(&b, &out);
	assert_int_equal(out.at_ns, 0);
	live_board_write(&b, &in);
	live_board_read(&b, &out);
	assert_memory_equal(&in, &out, sizeof(in));
}

/* ---- whole runs ---- */

#define BATCH_US 200
#define PRODUCERS 3

struct session {
	int enter_fails, batch_fails, hangs; /* producer, -1: none; batch_fails after some batches */
	bool bad_counters, no_hits, visits_differ, misses_differ;
	atomic_int entered, left, audits, inside, overlapping_enters;
	atomic_uint batches[PRODUCERS], empties;
	atomic_bool let_go;
};

static void sleep_us(long us)
{
	struct timespec t = { .tv_nsec = us * 1000 };

	nanosleep(&t, NULL);
}

static void fake_row_slots(struct session *s, int row, struct row_slots *ret)
{
	(void)s;
	(void)row;
	*ret = (struct row_slots){ .seen = true, .n = 16, .miss_share = 0.5, .miss_share_audited = NAN };
}

static int fake_enter(struct session *s, int row, uint32_t producer, struct err *e)
{
	(void)row;
	if (atomic_fetch_add(&s->inside, 1))
		atomic_fetch_add(&s->overlapping_enters, 1);
	sleep_us(500);
	atomic_fetch_sub(&s->inside, 1);
	if ((int)producer == s->enter_fails)
		return err_set(e, ERR_FAILED, -ENOMEM, "no room");
	atomic_fetch_add(&s->entered, 1);
	return 0;
}

static int fake_batch(struct session *s, int row, uint32_t producer, bool empty, struct batch *ret, struct err *e)
{
	uint64_t ops = 1000;

	(void)row;
	if (empty) {
		atomic_fetch_add(&s->empties, 1);
		*ret = (struct batch){ .ns = 250, .counters = { .ops = ops, .hits = ops } };
		return 0;
	}
	while ((int)producer == s->hangs && atomic_load(&s->batches[producer]) > 3 && !atomic_load(&s->let_go))
		sleep_us(1000);
	sleep_us(BATCH_US);
	if (atomic_fetch_add(&s->batches[producer], 1) > 3 && (int)producer == s->batch_fails)
		return err_set(e, ERR_FAILED, -EIO, "the batch broke");
	*ret = (struct batch){ .ns = 5000 };
	ret->counters =
		(struct counters){ .ops = ops, .hits = ops - 100, .important_hits = 10, .nulls = 60, .errors = 40 };
	if (s->no_hits)
		ret->counters = (struct counters){ .ops = ops, .nulls = ops };
	ret->counters.ops += s->bad_counters;
	return 0;
}

static int fake_audit(struct session *s, int row, uint32_t producer, struct audit *ret, struct err *e)
{
	(void)row;
	(void)e;
	assert_int_equal(producer, 0);
	atomic_fetch_add(&s->audits, 1);
	*ret = (struct audit){ .done = true, .gets = 100, .misses = s->misses_differ ? 51 : 50, .visits_match = true };
	if (s->visits_differ) {
		ret->visits_match = false;
		snprintf(ret->mismatch, sizeof(ret->mismatch), "map 3 was left out");
	}
	return 0;
}

static void fake_leave(struct session *s, int row, uint32_t producer, bool *ret_evicted)
{
	(void)row;
	(void)producer;
	atomic_fetch_add(&s->left, 1);
	*ret_evicted = false;
}

static const struct engine engine = {
	.name = "test",
	.row_slots = fake_row_slots,
	.enter = fake_enter,
	.batch = fake_batch,
	.audit = fake_audit,
	.leave = fake_leave,
};

struct seen {
	int started, ticks, counted;
	bool in_order;
	double late_sum_us;
	volatile sig_atomic_t *stop_at;
	int stop_after;
};

static void on_started(void *arg)
{
	((struct seen *)arg)->started++;
}

static void on_tick(void *arg, const struct live_tick *t)
{
	struct seen *s = arg;

	s->in_order &= t->iter == s->ticks;
	s->ticks++;
	s->counted += t->counted;
	s->late_sum_us += t->late_us;
	if (s->stop_at && s->ticks == s->stop_after)
		*s->stop_at = 15;
}

static struct session quiet_session(void)
{
	return (struct session){ .enter_fails = -1, .batch_fails = -1, .hangs = -1 };
}

static const struct live_options usual = {
	.producers = PRODUCERS,
	.warmup = 2,
	.duration = 3,
	.tick_ns = 20000000,
	.grace_ns = 300000000,
	.stop_fd = -1,
};

static int run(struct session *s, const struct live_options *opt, struct seen *seen, struct live_result *ret,
	       struct err *e)
{
	const struct live_events ev = { .arg = seen, .started = on_started, .tick = on_tick };

	seen->in_order = true;
	return live_run(&engine, s, 0, opt, &ev, ret, e);
}

static void test_whole_run(void **state)
{
	struct session s = quiet_session();
	struct seen seen = { 0 };
	struct live_result r;
	struct err e = { 0 };
	double sum = 0;

	(void)state;
	assert_int_equal(run(&s, &usual, &seen, &r, &e), 0);
	assert_int_equal(seen.started, 1);
	assert_int_equal(seen.ticks, 6); /* warm-up + duration + 1 */
	assert_int_equal(seen.counted, 4);
	assert_true(seen.in_order);
	assert_int_equal(atomic_load(&s.entered), PRODUCERS);
	assert_int_equal(atomic_load(&s.left), PRODUCERS);
	assert_int_equal(atomic_load(&s.overlapping_enters), 0);
	assert_int_equal(atomic_load(&s.audits), 1);
	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_int_equal(r.hits_m.n, 4);
	assert_int_equal(r.nr_producers, PRODUCERS);
	for (int i = 0; i < PRODUCERS; i++) {
		assert_int_equal(r.producers[i].hits_m.n, 4);
		assert_true(r.producers[i].hits_m.mean > 0);
		/* 900 hits of at least BATCH_US each */
		assert_true(r.producers[i].hits_m.mean <= 900.0 / BATCH_US);
		assert_int_equal(r.producers[i].cpu, -1);
		sum += r.producers[i].hits_m.mean;
	}
	assert_true(fabs(sum - r.hits_m.mean) < 1e-9 * sum);
	assert_true(fabs(r.important_m.mean * 90 - r.hits_m.mean) < 1e-9 * sum);
	live_result_free(&r);
}

static void test_repetition(void **state)
{
	struct session s = quiet_session();
	struct live_options opt = usual;
	struct seen seen = { 0 };
	struct live_result r;
	struct err e = { 0 };
	const struct counters *c = &r.rep.counters;

	(void)state;
	opt.producers = 1;
	assert_int_equal(run(&s, &opt, &seen, &r, &e), 0);
	assert_true(fabs(r.rep.gross - 5) < 1e-12);
	assert_true(fabs(r.rep.overhead - 0.25) < 1e-12);
	assert_true(atomic_load(&s.empties) > 1);
	assert_true(r.rep.batches > 0);
	/* the warm-up is not counted */
	assert_true(r.rep.batches < atomic_load(&s.batches[0]));
	assert_true(c->ops == r.rep.batches * 1000 && c->hits == r.rep.batches * 900);
	assert_true(c->nulls == r.rep.batches * 60 && c->errors == r.rep.batches * 40);
	assert_true(r.rep.t > 0);
	assert_int_equal(r.rep.cpu, -1);
	assert_true(fabs(r.slots.miss_share_audited - 0.5) < 1e-12);
	live_result_free(&r);
}

static void test_no_hits(void **state)
{
	struct session s = quiet_session();
	struct seen seen = { 0 };
	struct live_result r;
	struct err e = { 0 };

	(void)state;
	s.no_hits = true;
	assert_int_equal(run(&s, &usual, &seen, &r, &e), 0);
	assert_true(isnan(r.rep.gross));
	assert_true(r.hits_m.mean == 0 && r.hits_m.n == 4);
	assert_true(r.rep.counters.nulls == r.rep.counters.ops);
	live_result_free(&r);
}

static void test_pinned(void **state)
{
	struct session s = quiet_session();
	struct live_options opt = usual;
	struct seen seen = { 0 };
	struct live_result r;
	struct err e = { 0 };
	int cpus[PRODUCERS] = { 0, 0, 100000 };

	(void)state;
	opt.cpus = cpus;
	assert_true(run(&s, &opt, &seen, &r, &e) < 0);
	assert_non_null(strstr(e.msg, "producer 2"));
	assert_non_null(strstr(e.msg, "CPU 100000"));
	assert_int_equal(seen.started, 0);
	assert_int_equal(atomic_load(&s.entered), atomic_load(&s.left));
}

static void expect_failure(struct session *s, int code, const char *text)
{
	struct seen seen = { 0 };
	struct live_result r = { .nr_producers = 77 };
	struct err e = { 0 };

	assert_int_equal(run(s, &usual, &seen, &r, &e), code);
	assert_int_equal(e.code, code);
	assert_non_null(strstr(e.msg, text));
	assert_int_equal(r.nr_producers, 77);
	/* exact teardown all the same */
	assert_int_equal(atomic_load(&s->entered), atomic_load(&s->left));
}

static void test_failures(void **state)
{
	struct session s = quiet_session();

	(void)state;
	s.enter_fails = 1;
	expect_failure(&s, -ENOMEM, "producer 1: no room");
	s = quiet_session();
	s.batch_fails = 2;
	expect_failure(&s, -EIO, "producer 2: the batch broke");
	s = quiet_session();
	s.bad_counters = true;
	expect_failure(&s, -EBADMSG, "do not add up");
}

static void test_audit(void **state)
{
	struct session s = quiet_session();
	struct seen seen = { 0 };
	struct live_result r;
	struct err e = { 0 };

	(void)state;
	s.visits_differ = true;
	assert_int_equal(run(&s, &usual, &seen, &r, &e), 0);
	assert_int_equal(r.outcome, OUTCOME_INVALID);
	assert_non_null(strstr(r.reason, "map 3 was left out"));
	live_result_free(&r);
	s = quiet_session();
	s.misses_differ = true;
	seen = (struct seen){ 0 };
	assert_int_equal(run(&s, &usual, &seen, &r, &e), 0);
	assert_int_equal(r.outcome, OUTCOME_INVALID);
	assert_non_null(strstr(r.reason, "51 misses in 100"));
	live_result_free(&r);
}

static void test_stopped(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct session s = quiet_session();
	struct live_options opt = usual;
	struct seen seen = { .stop_at = &stop, .stop_after = 4 };
	struct live_result r;
	struct err e = { 0 };

	(void)state;
	opt.stop_signal = &stop;
	opt.duration = 1000000;
	assert_int_equal(run(&s, &opt, &seen, &r, &e), -EINTR);
	assert_false(err_is_set(&e));
	assert_int_equal(seen.ticks, 4);
	assert_int_equal(r.hits_m.n, 2); /* what was counted is kept */
	assert_true(r.rep.batches > 0);
	assert_int_equal(atomic_load(&s.left), PRODUCERS);
	live_result_free(&r);

	/* before anything was counted */
	stop = 15;
	s = quiet_session();
	seen = (struct seen){ 0 };
	assert_int_equal(run(&s, &opt, &seen, &r, &e), -EINTR);
	assert_int_equal(seen.ticks, 0);
	assert_int_equal(r.hits_m.n, 0);
	assert_int_equal(r.rep.batches, 0);
	assert_int_equal(atomic_load(&s.entered), atomic_load(&s.left));
	live_result_free(&r);
}

/* It is left behind, with what it still uses: neither a crash nor a wait without end. */
static void test_hung(void **state)
{
	static struct session s;
	struct seen seen = { 0 };
	struct live_result r = { .nr_producers = 77 };
	struct err e = { 0 };

	(void)state;
	s = quiet_session();
	s.hangs = 1;
	assert_int_equal(run(&s, &usual, &seen, &r, &e), -ETIMEDOUT);
	assert_non_null(strstr(e.msg, "0.3 s"));
	assert_int_equal(r.nr_producers, 77);
	assert_int_equal(atomic_load(&s.left), 0);
	atomic_store(&s.let_go, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),	cmocka_unit_test(test_stat),	  cmocka_unit_test(test_lines),
		cmocka_unit_test(test_board),	cmocka_unit_test(test_whole_run), cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_no_hits), cmocka_unit_test(test_pinned),	  cmocka_unit_test(test_failures),
		cmocka_unit_test(test_audit),	cmocka_unit_test(test_stopped),	  cmocka_unit_test(test_hung),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
