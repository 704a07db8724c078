/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sweep on the fake engine: a script in a temporary file, a plan, and a log of what the scheduler said. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine.h"
#include "core/plan.h"
#include "core/run.h"

#define SEQ "local-storage-cache-seq-get"
#define HASH "local-storage-cache-hashmap-control"

struct fixture {
	char path[64];
	void *state;
	struct results res;
	struct run_options opt;
	struct run_events ev;
	struct err e;
	volatile sig_atomic_t stop;
	/* Log. */
	int order[4096]; /* rows in the order they began */
	int nr_begun, nr_rounds, nr_reps, nr_batches, nr_setups, nr_row_ends;
	int ended[64];	   /* how often row_end came for a row */
	int stop_at_begin; /* set `stop` when so many rows began; 0: never */
	int fail_at_rep;   /* the rep event fails then */
};

static inline void write_script(char *path, size_t size, const char *text)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(path, size, "%s/lsbench-test-XXXXXX", dir && strlen(dir) < 40 ? dir : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static inline void log_setup(void *arg, int trial, const struct session_setup *s)
{
	(void)trial;
	(void)s;
	((struct fixture *)arg)->nr_setups++;
}

static inline void log_row_begin(void *arg, int trial, int row)
{
	struct fixture *f = arg;

	(void)trial;
	assert_true(f->nr_begun < 4096);
	f->order[f->nr_begun++] = row;
	if (f->stop_at_begin && f->nr_begun >= f->stop_at_begin)
		f->stop = SIGINT;
}

static inline int log_rep(void *arg, const struct results *res, int row, const struct rep *rep, struct err *e)
{
	struct fixture *f = arg;

	assert_ptr_equal(rep, &res->rows[row].reps[res->rows[row].nr_reps - 1]);
	f->nr_reps++;
	if (f->fail_at_rep && f->nr_reps >= f->fail_at_rep)
		return err_set(e, ERR_FAILED, -ENOSPC, "disk full");
	return 0;
}

static inline int log_batch(void *arg, const struct results *res, int row, int trial, uint32_t batch, double gross,
			    double overhead, struct err *e)
{
	(void)res, (void)row, (void)trial, (void)batch, (void)overhead, (void)e;
	assert_true(gross > 0);
	((struct fixture *)arg)->nr_batches++;
	return 0;
}

static inline void log_round(void *arg, int rounds, int open_rows, double used_s, double left_s)
{
	struct fixture *f = arg;

	assert_int_equal(rounds, f->nr_rounds + 1);
	assert_true(used_s >= 0 && left_s >= 0 && open_rows >= 0);
	f->nr_rounds = rounds;
}

static inline int log_row_end(void *arg, const struct results *res, int row, struct err *e)
{
	struct fixture *f = arg;

	(void)res, (void)e;
	assert_true(row < 64);
	f->ended[row]++;
	f->nr_row_ends++;
	return 0;
}

/* Opens the engine with the script; no rows yet. */
static inline struct fixture *fixture_open(const char *script)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct engine_config cfg = { .trigger = "auto", .loop = "auto", .producers = 1 };

	assert_non_null(f);
	write_script(f->path, sizeof(f->path), script);
	cfg.script = f->path;
	results_init(&f->res);
	snprintf(f->res.run.unit, sizeof(f->res.run.unit), "ns");
	if (engine_fake.open(&cfg, &f->state, &f->e))
		return f;
	engine_fake.describe(f->state, &f->res.run);
	f->opt = (struct run_options){
		.precision = 0.02,
		.trials_min = 7,
		.trials_max = 31,
		.seed = 1,
		.cpu = -1,
		.row_ns = 40000000,
		.stop_fd = -1,
		.stop_signal = &f->stop,
	};
	f->ev = (struct run_events){
		.arg = f,
		.setup = log_setup,
		.row_begin = log_row_begin,
		.rep = log_rep,
		.batch = log_batch,
		.round = log_round,
		.row_end = log_row_end,
	};
	return f;
}

/* Rows of seq-get with these numbers of maps, resolved. */
static inline struct fixture *fixture_seq(const char *script, const uint64_t *maps, size_t n)
{
	static const char *const names[] = { SEQ, NULL };
	struct fixture *f = fixture_open(script);
	struct plan_options plan = { .benches = names, .nr_maps = maps, .n_nr_maps = n };

	assert_string_equal(f->e.msg, "");
	assert_int_equal(plan_rows(&plan, &f->res, &f->e), 0);
	f->res.run.seed = f->opt.seed;
	assert_int_equal(engine_fake.resolve(f->state, &f->res, &f->e), 0);
	return f;
}

static inline int fixture_run(struct fixture *f)
{
	int rc = run_sweep(&f->opt, &engine_fake, f->state, &f->res, &f->ev, &f->e);

	/* Whatever happened, no child is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return rc;
}

static inline bool run_warned(const struct fixture *f, const char *part)
{
	for (int i = 0; i < f->res.run.nr_warnings; i++)
		if (strstr(f->res.run.warnings[i], part))
			return true;
	return false;
}

static inline void fixture_free(struct fixture *f)
{
	engine_fake.close(f->state);
	results_free(&f->res);
	unlink(f->path);
	free(f);
}
