// SPDX-License-Identifier: GPL-2.0-or-later
/* The child of a trial, seen through its records. */
#include "fake_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "core/trial.h"
#include "lib/cleanup.h"

#define RECORDS_MAX 512

struct played {
	struct record rec[RECORDS_MAX];
	int n;
	int status;
};

static struct played *play_on(const struct engine *eng, struct fixture *f, const int *order, int n,
			      struct trial_options opt, int trial)
{
	struct played *p = calloc(1, sizeof(*p));
	int fds[2];
	pid_t pid;

	assert_non_null(p);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(fds[0]);
		trial_child(eng, f->state, &f->res, order, n, trial, &opt, fds[1]);
	}
	close(fds[1]);
	while (p->n < RECORDS_MAX && read(fds[0], &p->rec[p->n], sizeof(p->rec[0])) == sizeof(p->rec[0]))
		p->n++;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &p->status, 0), pid);
	return p;
}

static struct played *play(struct fixture *f, const int *order, int n, struct trial_options opt, int trial)
{
	return play_on(&engine_fake, f, order, n, opt, trial);
}

static const struct trial_options quick = { .cpu = -1, .row_ns = 40000000 };

static const struct record *find(const struct played *p, enum record_kind kind, int row)
{
	for (int i = 0; i < p->n; i++)
		if (p->rec[i].kind == kind && p->rec[i].row == row)
			return &p->rec[i];
	return NULL;
}

static void test_records(void **state)
{
	static const uint64_t maps[] = { 1, 17, 32 };
	static const int order[] = { 2, 0, 1 };
	static const enum record_kind want[] = { REC_SETUP, REC_ROW, REC_REP, REC_ROW,
						 REC_REP,   REC_ROW, REC_REP, REC_DONE };
	struct fixture *f = fixture_seq("{\"gross\": [5, 6], \"overhead\": 1.5}\n{\"storage_ms\": 12}", maps, 3);
	struct played *p = play(f, order, 3, quick, 1);

	(void)state;
	assert_int_equal(p->n, ARRAY_SIZE(want));
	assert_true(WIFEXITED(p->status) && WEXITSTATUS(p->status) == 0);
	assert_true(p->rec[0].setup.storage_ms == 12);
	assert_true(isnan(p->rec[0].setup.hash_ms));
	for (int i = 0; i < p->n; i++) {
		const struct record *r = &p->rec[i];

		assert_int_equal(r->kind, want[i]);
		if (r->kind == REC_ROW || r->kind == REC_REP)
			assert_int_equal(r->row, order[(i - 1) / 2]);
		if (r->kind != REC_REP)
			continue;
		/* The second trial of the list. */
		assert_true(fabs(r->rep.rep.gross - 6) < 1e-6);
		assert_true(fabs(r->rep.rep.overhead - 1.5) < 1e-6);
		assert_int_equal(r->rep.rep.trial, 1);
		assert_int_equal(r->rep.rep.cpu, -1);
		assert_true(r->rep.rep.batches >= 3 && r->rep.rep.batches <= 64);
		assert_true(counters_sum_holds(&r->rep.rep.counters));
		assert_true(r->rep.rep.counters.ops > 0);
		assert_true(r->rep.audit.done && r->rep.audit.visits_match);
		assert_true(r->rep.slots.seen);
		assert_int_equal(r->rep.slots.n, 16);
		assert_true(r->rep.rep.t > 0 && r->rep.rep.setup_ms >= 0);
	}
	/* 17 maps in 16 slots: two evict each other in every round. */
	assert_int_equal(find(p, REC_REP, 1)->rep.audit.misses, 2);
	assert_int_equal(find(p, REC_REP, 2)->rep.audit.misses, 32);
	assert_int_equal(find(p, REC_REP, 1)->rep.slots.used[0], 2);
	free(p);
	fixture_free(f);
}

/* Warm-up batches are not counted: the counters are those of the pairs. */
static void test_counters_of_counted_batches(void **state)
{
	static const uint64_t maps[] = { 10 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5, \"nulls\": 7, \"errors\": 3}", maps, 1);
	struct played *p = play(f, order, 1, quick, 0);
	const struct record *rep = find(p, REC_REP, 0);

	(void)state;
	assert_non_null(rep);
	assert_int_equal(rep->rep.rep.counters.nulls, 7 * rep->rep.rep.batches);
	assert_int_equal(rep->rep.rep.counters.errors, 3 * rep->rep.rep.batches);
	assert_int_equal(rep->rep.rep.counters.important_hits * 10, rep->rep.rep.counters.ops);
	free(p);
	fixture_free(f);
}

static void test_failing_row(void **state)
{
	static const uint64_t maps[] = { 1, 2, 3 };
	static const int order[] = { 0, 1, 2 };
	struct fixture *f = fixture_seq("{\"gross\": 5}\n"
					"{\"match\": {\"nr_maps\": 2}, \"at\": \"enter\", \"errno\": \"EPERM\"}\n"
					"{\"match\": {\"nr_maps\": 1}, \"at\": \"audit\", \"message\": \"no audit\"}",
					maps, 3);
	struct played *p = play(f, order, 3, quick, 0);

	(void)state;
	assert_non_null(find(p, REC_ROW_ERR, 0));
	assert_string_equal(find(p, REC_ROW_ERR, 0)->err.msg, "no audit");
	assert_int_equal(find(p, REC_ROW_ERR, 1)->err.code, -EPERM);
	assert_int_equal(find(p, REC_ROW_ERR, 1)->outcome, OUTCOME_FAILED);
	assert_null(find(p, REC_REP, 1));
	assert_non_null(find(p, REC_REP, 2));
	assert_non_null(find(p, REC_DONE, -1));
	free(p);
	fixture_free(f);
}

static void test_sum_that_breaks_is_invalid(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5, \"uncounted\": 1}", maps, 1);
	struct played *p = play(f, order, 1, quick, 0);
	const struct record *r = find(p, REC_ROW_ERR, 0);

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->outcome, OUTCOME_INVALID);
	assert_non_null(strstr(r->err.msg, "do not add up"));
	free(p);
	fixture_free(f);
}

static void test_only_nulls_have_no_latency(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5, \"overhead\": 1, \"nulls\": 1000000000}", maps, 1);
	struct played *p = play(f, order, 1, quick, 0);
	const struct record *r = find(p, REC_REP, 0);

	(void)state;
	assert_non_null(r);
	assert_true(isnan(r->rep.rep.gross));
	assert_true(fabs(r->rep.rep.overhead - 1) < 1e-6);
	assert_int_equal(r->rep.rep.counters.nulls, r->rep.rep.counters.ops);
	free(p);
	fixture_free(f);
}

static void test_keep_batches(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5}", maps, 1);
	struct trial_options opt = quick;
	struct played *p;
	uint32_t n = 0;

	(void)state;
	opt.keep_batches = true;
	p = play(f, order, 1, opt, 0);
	for (int i = 0; i < p->n; i++) {
		if (p->rec[i].kind != REC_BATCH)
			continue;
		assert_int_equal(p->rec[i].batch.batch, n++);
		assert_true(fabs(p->rec[i].batch.gross - 5) < 1e-6);
		/* Before the repetition they belong to. */
		assert_true(&p->rec[i] < find(p, REC_REP, 0));
	}
	assert_int_equal(n, find(p, REC_REP, 0)->rep.rep.batches);
	free(p);
	fixture_free(f);
}

static void test_setup_fails(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f =
		fixture_seq("{\"gross\": 5, \"at\": \"setup\", \"errno\": \"EMFILE\", \"class\": \"machine\"}", maps,
			    1);
	struct played *p = play(f, order, 1, quick, 0);

	(void)state;
	assert_int_equal(p->n, 1);
	assert_int_equal(p->rec[0].kind, REC_TRIAL_ERR);
	assert_int_equal(p->rec[0].err.class, ERR_MACHINE);
	assert_int_equal(p->rec[0].err.code, -EMFILE);
	free(p);
	fixture_free(f);
}

static void test_pinning(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5}", maps, 1);
	struct trial_options opt = quick;
	cpu_set_t allowed;
	struct played *p;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	opt.cpu = cpu;
	p = play(f, order, 1, opt, 0);
	assert_non_null(find(p, REC_REP, 0));
	assert_int_equal(find(p, REC_REP, 0)->rep.rep.cpu, cpu);
	free(p);
	/* One that is not there: the row fails and says so. */
	opt.cpu = CPU_SETSIZE - 1;
	p = play(f, order, 1, opt, 0);
	assert_non_null(find(p, REC_ROW_ERR, 0));
	assert_non_null(strstr(find(p, REC_ROW_ERR, 0)->err.msg, "1023"));
	free(p);
	opt.cpu = 1 << 20;
	p = play(f, order, 1, opt, 0);
	assert_non_null(find(p, REC_ROW_ERR, 0));
	free(p);
	fixture_free(f);
}

/* Only the parent decides what a signal from the terminal means; others end the child. */
static void test_signals_of_the_child(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5, \"at\": \"batch\", \"die\": \"SIGINT\"}", maps, 1);
	struct played *p = play(f, order, 1, quick, 0);

	(void)state;
	assert_non_null(find(p, REC_REP, 0));
	free(p);
	fixture_free(f);
	f = fixture_seq("{\"gross\": 5, \"at\": \"batch\", \"die\": \"SIGTERM\"}", maps, 1);
	signal(SIGTERM, SIG_IGN); /* not inherited */
	p = play(f, order, 1, quick, 0);
	signal(SIGTERM, SIG_DFL);
	assert_true(WIFSIGNALED(p->status));
	assert_int_equal(WTERMSIG(p->status), SIGTERM);
	free(p);
	fixture_free(f);
}

/* Nobody reads: the child ends instead of measuring on. */
static void test_orphan_ends(void **state)
{
	static const uint64_t maps[] = { 1 };
	static const int order[] = { 0 };
	struct fixture *f = fixture_seq("{\"gross\": 5}\n{\"hang\": true, \"at\": \"setup\"}", maps, 1);
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	pid = fork();
	if (pid == 0)
		trial_child(&engine_fake, f->state, &f->res, order, 1, 0, &quick, fds[1]);
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	fixture_free(f);
}

/* What the child asks of the engine, in memory that it shares with us. */
static struct spied {
	int nr_enters, nr_leaves, nr_batches;
	pid_t thread[8];
	bool empty[256];
} * spied;

static int spy_enter(struct session *s, int row, uint32_t producer, struct err *e)
{
	spied->thread[spied->nr_enters++] = gettid();
	spied->nr_batches = 0;
	return engine_fake.enter(s, row, producer, e);
}

static int spy_batch(struct session *s, int row, uint32_t producer, bool empty, struct batch *ret, struct err *e)
{
	assert_int_equal(spied->thread[spied->nr_enters - 1], gettid());
	spied->empty[spied->nr_batches++ % 256] = empty;
	return engine_fake.batch(s, row, producer, empty, ret, e);
}

static void spy_leave(struct session *s, int row, uint32_t producer, bool *ret_evicted)
{
	spied->nr_leaves++;
	engine_fake.leave(s, row, producer, ret_evicted);
}

/* A new thread for each row; a warm-up pair; then pairs in alternating order. */
static void test_what_the_engine_is_asked(void **state)
{
	static const uint64_t maps[] = { 1, 2, 3 };
	static const int order[] = { 0, 1, 2 };
	static const bool pairs[] = { false, true, false, true, true, false, false, true, true, false };
	struct fixture *f = fixture_seq("{\"gross\": 5}", maps, 3);
	struct trial_options opt = quick;
	struct engine spy = engine_fake;
	struct played *p;

	(void)state;
	spied = mmap(NULL, sizeof(*spied), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(spied != MAP_FAILED);
	spy.enter = spy_enter;
	spy.batch = spy_batch;
	spy.leave = spy_leave;
	opt.row_ns = 200000000;
	p = play_on(&spy, f, order, 3, opt, 0);
	assert_int_equal(spied->nr_enters, 3);
	assert_int_equal(spied->nr_leaves, 3);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < i; k++)
			assert_int_not_equal(spied->thread[i], spied->thread[k]);
	assert_int_equal(spied->nr_batches, 2 + 2 * find(p, REC_REP, 2)->rep.rep.batches);
	assert_true(spied->nr_batches >= (int)ARRAY_SIZE(pairs));
	assert_memory_equal(spied->empty, pairs, sizeof(pairs));
	munmap(spied, sizeof(*spied));
	free(p);
	fixture_free(f);
}

static void test_core_clock(void **state)
{
	double ghz = trial_core_ghz();

	(void)state;
	assert_true(isnan(ghz) || (ghz > 0.02 && ghz < 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_counters_of_counted_batches),
		cmocka_unit_test(test_failing_row),
		cmocka_unit_test(test_sum_that_breaks_is_invalid),
		cmocka_unit_test(test_only_nulls_have_no_latency),
		cmocka_unit_test(test_keep_batches),
		cmocka_unit_test(test_setup_fails),
		cmocka_unit_test(test_pinning),
		cmocka_unit_test(test_signals_of_the_child),
		cmocka_unit_test(test_orphan_ends),
		cmocka_unit_test(test_what_the_engine_is_asked),
		cmocka_unit_test(test_core_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
