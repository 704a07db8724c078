// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The child of one trial. Not obvious: everything that allocates, formats or writes happens on the main thread before
 * and after a row; the row's own thread only calls the engine and reads clocks, and between its batches not even those
 * that are system calls. It is a new thread because a task's storage is what is measured: it must start empty.
 */
#include "core/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "stats/interval.h"

#define PAIRS_MIN 3
#define PAIRS_MAX 4096
#define PREEMPTED_SHARE 0.01

#define GHZ_CHUNK 1024	     /* additions of one call of add_chunk() */
#define GHZ_LOOP_NS 300000.0 /* of one of the three loops */
#define GHZ_MIN 0.02
#define GHZ_MAX 20.0

/* A record is one write: the parent never sees half of one, even of a child that is killed. */
_Static_assert(sizeof(struct record) <= PIPE_BUF, "records are written atomically");

static double clock_s(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- core clock ---- */

/*
 * 1024 additions of which each needs the one before: a cycle each on every core we know. The empty asm keeps the
 * compiler from folding them and names no instruction, so it is the same on every architecture.
 */
static uint64_t add_chunk(uint64_t x, uint64_t y)
{
#define ADD1                                             \
	do {                                             \
		x += y;                                  \
		__asm__ volatile("" : "+r"(x) : "r"(y)); \
	} while (0);
#define ADD8 ADD1 ADD1 ADD1 ADD1 ADD1 ADD1 ADD1 ADD1
#define ADD64 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8
	for (int i = 0; i < GHZ_CHUNK / 64; i++) {
		ADD64
	}
	return x;
}

/* Nanoseconds of `chunks` chunks. */
static double time_chunks(int chunks)
{
	uint64_t x = 1, y = 3;
	double start;

	__asm__ volatile("" : "+r"(x), "+r"(y));
	start = clock_s(CLOCK_MONOTONIC);
	for (int i = 0; i < chunks; i++)
		x = add_chunk(x, y);
	__asm__ volatile("" : : "r"(x));
	return (clock_s(CLOCK_MONOTONIC) - start) * 1e9;
}

double trial_core_ghz(void)
{
	double best = 0, probe;
	int chunks;

	/* How many fit: from a short try, which also wakes a sleeping clock a little. */
	probe = time_chunks(16);
	if (!(probe > 0))
		return NAN;
	chunks = (int)fmin(fmax(16 * GHZ_LOOP_NS / probe, 16), 65536);
	/* An interruption makes a loop longer, never shorter. */
	for (int i = 0; i < 3; i++) {
		double ns = time_chunks(chunks);

		if (ns > 0)
			best = fmax(best, (double)chunks * GHZ_CHUNK / ns);
	}
	return best >= GHZ_MIN && best <= GHZ_MAX ? best : NAN;
}

/* ---- one row ---- */

struct row_job {
	const struct engine *eng;
	struct session *session;
	const struct trial_options *opt;
	int row;
	int trial;
	double *gross, *overhead; /* PAIRS_MAX each, per operation */
	uint32_t pairs;
	struct record *out; /* REC_REP or REC_ROW_ERR */
	struct err err;
	enum outcome outcome;
};

/* What is read around the windows of a row. */
struct around {
	double wall_s, cpu_s;
	long nivcsw;
	bool steal_known;
	uint64_t steal, total;
};

static void around_read(int cpu, struct around *ret)
{
	struct rusage usage = { 0 };

	ret->steal_known = cpu >= 0 && machine_steal_ticks("", cpu, &ret->steal, &ret->total);
	getrusage(RUSAGE_THREAD, &usage);
	ret->nivcsw = usage.ru_nivcsw;
	ret->cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
	ret->wall_s = clock_s(CLOCK_MONOTONIC);
}

static void around_compare(const struct around *a, const struct around *b, struct record *out)
{
	double wall = b->wall_s - a->wall_s, lost = wall - (b->cpu_s - a->cpu_s);
	struct rep *rep = &out->rep.rep;

	rep->nivcsw = b->nivcsw - a->nivcsw;
	/* A thread that slept of its own accord was not preempted. */
	out->rep.preempted_much = rep->nivcsw > 0 && wall > 0 && lost > PREEMPTED_SHARE * wall;
	if (a->steal_known && b->steal_known && b->total > a->total && b->steal >= a->steal)
		rep->steal = (double)(b->steal - a->steal) / (double)(b->total - a->total);
}

static int check_batch(struct row_job *job, const struct batch *b, const char *which)
{
	const struct counters *c = &b->counters;

	if (c->ops == 0) {
		job->outcome = OUTCOME_INVALID;
		return err_set(&job->err, ERR_FAILED, -EBADMSG, "a batch (%s) did no operation at all", which);
	}
	if (!counters_sum_holds(c)) {
		job->outcome = OUTCOME_INVALID;
		return err_set(&job->err, ERR_FAILED, -EBADMSG,
			       "the counters of a batch (%s) do not add up: hits %" PRIu64 " + nulls %" PRIu64
			       " + errors %" PRIu64 " is not ops %" PRIu64,
			       which, c->hits, c->nulls, c->errors, c->ops);
	}
	return 0;
}

/* One batch each, in alternating order: what comes first would else meet a colder cache every time. */
static int run_pair(struct row_job *job, bool empty_first, struct batch *ret_gross, struct batch *ret_empty)
{
	int rc;

	for (int i = 0; i < 2; i++) {
		bool empty = (i == 0) == empty_first;

		rc = job->eng->batch(job->session, job->row, 0, empty, empty ? ret_empty : ret_gross, &job->err);
		if (rc)
			return rc;
	}
	rc = check_batch(job, ret_gross, "with the get");
	return rc ? rc : check_batch(job, ret_empty, "empty twin");
}

static int run_pairs(struct row_job *job)
{
	struct rep *rep = &job->out->rep.rep;
	struct batch gross, empty;
	uint64_t inside_ns = 0;
	double start_s = clock_s(CLOCK_MONOTONIC), row_s = (double)job->opt->row_ns * 1e-9;
	int rc;

	/* By the engine's clock, which need not be the machine's (a script, a guest's instructions), or by the
	 * machine's. */
	while (job->pairs < PAIRS_MAX) {
		if (job->pairs >= PAIRS_MIN &&
		    (inside_ns >= job->opt->row_ns || clock_s(CLOCK_MONOTONIC) - start_s >= row_s))
			break;
		rc = run_pair(job, job->pairs % 2 != 0, &gross, &empty);
		if (rc)
			return rc;
		inside_ns += gross.ns + empty.ns;
		job->gross[job->pairs] = (double)gross.ns / (double)gross.counters.ops;
		job->overhead[job->pairs] = (double)empty.ns / (double)empty.counters.ops;
		job->pairs++;
		counters_add(&rep->counters, &gross.counters);
	}
	return 0;
}

static int pin_thread(struct row_job *job)
{
	cpu_set_t set;
	int cpu = job->opt->cpu;

	if (cpu < 0)
		return 0;
	if (cpu >= CPU_SETSIZE)
		return err_set(&job->err, ERR_FAILED, -EINVAL, "CPU %d is beyond the %d that can be pinned to", cpu,
			       CPU_SETSIZE);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		return 0;
	return err_set(&job->err, ERR_FAILED, -errno, "the thread cannot be pinned to CPU %d: %s", cpu,
		       strerror(errno));
}

/* The thread has its storage now. */
static int measure_entered(struct row_job *job)
{
	struct rep *rep = &job->out->rep.rep;
	struct batch warm_gross, warm_empty;
	struct around before, after;
	int cpu = job->opt->cpu >= 0 ? job->opt->cpu : sched_getcpu();
	double ghz = trial_core_ghz();
	int rc = run_pair(job, false, &warm_gross, &warm_empty);

	if (rc)
		return rc;
	around_read(cpu, &before);
	rc = run_pairs(job);
	if (rc)
		return rc;
	around_read(cpu, &after);
	around_compare(&before, &after, job->out);
	rep->ghz = (ghz + trial_core_ghz()) / 2;
	rep->batches = job->pairs;
	job->eng->row_slots(job->session, job->row, &job->out->rep.slots);
	return job->eng->audit(job->session, job->row, 0, &job->out->rep.audit, &job->err);
}

static void *row_thread(void *arg)
{
	struct row_job *job = arg;
	struct rep *rep = &job->out->rep.rep;
	double start_s;

	rep->trial = job->trial;
	rep->cpu = job->opt->cpu >= 0 ? job->opt->cpu : -1;
	rep->t = clock_s(CLOCK_MONOTONIC) - job->opt->started_s;
	if (pin_thread(job))
		return NULL;
	start_s = clock_s(CLOCK_MONOTONIC);
	if (job->eng->enter(job->session, job->row, 0, &job->err))
		return NULL;
	rep->setup_ms = (clock_s(CLOCK_MONOTONIC) - start_s) * 1e3;
	measure_entered(job);
	/* Also after a failure: the next row's thread must not be taken for this one. */
	job->eng->leave(job->session, job->row, 0, &rep->evicted);
	return NULL;
}

/* ---- records ---- */

/* The parent is all that a child is for: without it, it ends. */
static void send_record(int fd, const struct record *rec)
{
	ssize_t n;

	do
		n = write(fd, rec, sizeof(*rec));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*rec))
		_exit(1);
}

static void send_kind(int fd, enum record_kind kind, int row)
{
	struct record rec;

	/* All of it: padding and the unused part of the union are written, too. */
	memset(&rec, 0, sizeof(rec));
	rec.kind = kind;
	rec.row = row;
	send_record(fd, &rec);
}

static void send_err(int fd, enum record_kind kind, int row, enum outcome outcome, const struct err *err)
{
	struct record rec;

	memset(&rec, 0, sizeof(rec));
	rec.kind = kind;
	rec.row = row;
	rec.outcome = outcome;
	rec.err = *err;
	send_record(fd, &rec);
}

static void send_batches(int fd, const struct row_job *job)
{
	struct record rec;

	memset(&rec, 0, sizeof(rec));
	rec.kind = REC_BATCH;
	rec.row = job->row;
	for (uint32_t i = 0; i < job->pairs; i++) {
		rec.batch.batch = i;
		rec.batch.gross = job->gross[i];
		rec.batch.overhead = job->overhead[i];
		send_record(fd, &rec);
	}
}

static void finish_row(int fd, struct row_job *job)
{
	struct rep *rep = &job->out->rep.rep;

	if (err_is_set(&job->err)) {
		send_err(fd, REC_ROW_ERR, job->row, job->outcome, &job->err);
		return;
	}
	rep->overhead = stat_median(job->overhead, job->pairs);
	/* Nothing was found: what was timed is not the cost of a get that returns a value. */
	rep->gross = rep->counters.hits ? stat_median(job->gross, job->pairs) : NAN;
	if (job->opt->keep_batches && rep->counters.hits)
		send_batches(fd, job);
	send_record(fd, job->out);
}

static void run_row(struct row_job *job, int fd)
{
	struct record rec;
	pthread_t thread;
	int rc;

	memset(&rec, 0, sizeof(rec));
	rec.kind = REC_REP;
	rec.row = job->row;
	/* Until the thread is joined below. cppcheck-suppress autoVariables */
	job->out = &rec;
	job->pairs = 0;
	job->outcome = OUTCOME_FAILED;
	err_clear(&job->err);
	send_kind(fd, REC_ROW, job->row);
	rc = pthread_create(&thread, NULL, row_thread, job);
	if (rc)
		err_set(&job->err, ERR_FAILED, -rc, "no thread for this row: %s (ulimit -u?)", strerror(rc));
	else
		pthread_join(thread, NULL);
	finish_row(fd, job);
}

/* ---- the child ---- */

static void settle_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig,
		       SIG_DFL); /* fails for SIGKILL, SIGSTOP and the library's own, which have none of our handlers */
	/* The terminal sends these to every process of the group: the parent alone decides what they mean. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void die_with_parent(int fd)
{
	struct pollfd pipe_end = { .fd = fd };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have ended before that: then nobody holds the other end. */
	if (poll(&pipe_end, 1, 0) > 0 && pipe_end.revents & (POLLERR | POLLNVAL))
		_exit(1);
}

static int open_session(const struct engine *eng, void *state, const struct results *res, const int *order, int n,
			int trial, struct session **ret, struct session_setup *ret_setup, struct err *e)
{
	_cleanup_free_ bool *want = calloc((size_t)(res->nr_rows ? res->nr_rows : 1), sizeof(*want));

	if (!want)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", res->nr_rows);
	for (int i = 0; i < n; i++)
		want[order[i]] = true;
	return eng->session_open(state, res, want, trial, ret, ret_setup, e);
}

void trial_child(const struct engine *eng, void *state, const struct results *res, const int *order, int n, int trial,
		 const struct trial_options *opt, int fd)
{
	_cleanup_free_ double *values = calloc(2 * PAIRS_MAX, sizeof(*values));
	struct row_job job = { .eng = eng, .opt = opt, .trial = trial };
	struct err e = { 0 };
	struct record rec;

	settle_signals();
	die_with_parent(fd);
	memset(&rec, 0, sizeof(rec));
	rec.kind = REC_SETUP;
	rec.row = -1;
	if (!values)
		err_set(&e, ERR_FAILED, -ENOMEM, "out of memory for %d batches", PAIRS_MAX);
	else
		open_session(eng, state, res, order, n, trial, &job.session, &rec.setup, &e);
	if (err_is_set(&e)) {
		send_err(fd, REC_TRIAL_ERR, -1, OUTCOME_FAILED, &e);
		_exit(0);
	}
	send_record(fd, &rec);
	job.gross = values;
	job.overhead = values + PAIRS_MAX;
	for (int i = 0; i < n; i++) {
		job.row = order[i];
		run_row(&job, fd);
	}
	eng->session_close(job.session);
	send_kind(fd, REC_DONE, -1);
	_exit(0);
}
