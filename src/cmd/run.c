// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lsbench run (also called as "bench"): one benchmark, a line every second and a Summary, as the kernel's bench prints
 * them. The measuring is core/live.c.
 *
 * Not obvious: unlike a sweep this is one process with one set of maps, so the result is one repetition, whatever the
 * number of seconds; and the set-up happens before a signal is only noted, so that Ctrl-C ends it at once.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/run_lib.h"
#include "core/analysis.h"
#include "core/live.h"
#include "core/results_json.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define TICK_NS UINT64_C(1000000000)
/* Together with what else is to do this is less than the second in which a signal must be obeyed. */
#define GRACE_NS UINT64_C(600000000)

struct run_state {
	struct run_command cmd;
	void *state; /* the engine's */
	struct session *session;
	struct session_setup setup;
	struct results res;
	struct results_writer *writer;
	struct measure_neighbours neighbours;
	struct live_result live;
	int nr_machine_warnings;
	bool left_behind; /* a producer still uses session and engine */
	bool unheard;	  /* standard output is lost and nothing else keeps the result: no use in going on */
};

static struct row *the_row(struct run_state *s)
{
	return &s->res.rows[0];
}

/* What was printed is there at once, also in a pipe; whether it could be is known at the end (main). */
static void say(const struct run_state *s, const char *line)
{
	if (!s->cmd.measure.quiet) {
		puts(line);
		fflush(stdout);
	}
}

static void on_started(void *arg)
{
	struct run_state *s = arg;
	char line[128];

	snprintf(line, sizeof(line), "Benchmark '%s' started.", s->cmd.bench->name);
	say(s, line);
}

static void on_tick(void *arg, const struct live_tick *tick)
{
	struct run_state *s = arg;
	char line[256];

	say(s, live_iter_line(line, sizeof(line), tick));
	if (!ferror(stdout) || s->writer || *measure_stop_signal())
		return;
	s->unheard = true;
	*measure_stop_signal() = SIGPIPE;
}

/* ---- before ---- */

static void print_list(void)
{
	printf("Available benchmarks:\n");
	for (size_t i = 0; benches[i]; i++)
		printf("- %s\n", benches[i]->name);
}

static int add_row(struct run_state *s, struct err *e)
{
	const struct bench *b = s->cmd.bench;
	struct row *row = results_add_row(&s->res);

	if (!row)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	str_copy(row->point.bench, sizeof(row->point.bench), b->name);
	str_copy(row->point.store, sizeof(row->point.store), b->dflt_store);
	row->point.params = s->cmd.params;
	return 0;
}

static void warn_about_setup(struct run_state *s)
{
	struct run_info *run = &s->res.run;

	run->setup_storage_ms = s->setup.storage_ms;
	run->setup_hash_ms = s->setup.hash_ms;
	if (s->setup.random_seed)
		run_warn(run, "the hash seed is random, because a fixed one was refused (it needs CAP_SYS_ADMIN): the "
			      "result moves by 20 %% from one run to the next");
	if (!s->setup.slots_seen && s->setup.slots_reason[0])
		run_warn(run,
			 "the cache slots could not be read (%.160s): they are assumed in the order of creation, which "
			 "maps of other programs disturb",
			 s->setup.slots_reason);
}

static void print_ms(const char *what, double ms)
{
	if (isfinite(ms))
		fprintf(stderr, " %s %.1f ms", what, ms);
}

static void print_setup(struct run_state *s)
{
	const struct point *p = &the_row(s)->point;

	if (!s->cmd.measure.verbose)
		return;
	fprintf(stderr, "lsbench: %s map, trigger %s, loop %s", p->store, p->trigger, p->loop);
	for (int i = 0; i < p->params.n; i++)
		if (p->params.v[i].is_num)
			fprintf(stderr, ", %s %llu", p->params.v[i].name, (unsigned long long)p->params.v[i].num);
		else
			fprintf(stderr, ", %s %s", p->params.v[i].name, p->params.v[i].text);
	fprintf(stderr, "; set-up:");
	print_ms("programs", s->setup.load_ms);
	print_ms("maps", s->setup.storage_ms);
	if (isfinite(s->setup.storage_ms) && s->setup.fill[0])
		fprintf(stderr, " (outer array filled by %s)", s->setup.fill);
	print_ms("hash", s->setup.hash_ms);
	fprintf(stderr, "\n");
	if (s->res.run.trigger_why_not[0])
		cmd_tell("other triggers: ", s->res.run.trigger_why_not);
}

/* Engine, machine, trigger and loop; then maps and programs, if the row can be measured. */
static int prepare(struct run_state *s, int argc, char **argv, struct err *e)
{
	const struct measure *m = &s->cmd.measure;
	const bool want[] = { true };
	char line[128];
	int r = measure_signals(MEASURE_NOTHING_YET, e);

	if (!r)
		r = m->engine->open(&m->cfg, &s->state, e);
	if (r)
		return r;
	snprintf(line, sizeof(line), "Setting up benchmark '%s'...", s->cmd.bench->name);
	say(s, line);
	r = measure_describe(m, s->state, argc, argv, &s->res.run, e);
	s->nr_machine_warnings = s->res.run.nr_warnings;
	if (!r)
		r = m->engine->resolve(s->state, &s->res, e);
	if (!r && the_row(s)->outcome == OUTCOME_OK)
		r = m->engine->session_open(s->state, &s->res, want, 0, &s->session, &s->setup, e);
	if (!r && s->session) {
		warn_about_setup(s);
		print_setup(s);
	}
	return r;
}

/* ---- after ---- */

/* Those of the machine are advice for exact figures: in the results file, and here for who asks. */
static void print_warnings(const struct run_state *s)
{
	const struct run_info *run = &s->res.run;
	int first = s->cmd.measure.verbose ? 0 : s->nr_machine_warnings;

	for (int i = first; i < run->nr_warnings; i++)
		cmd_tell("warning: ", run->warnings[i]);
}

/* The Summary is the last line: scripts take it with tail. */
static void print_result(struct run_state *s)
{
	const struct live_result *r = &s->live;
	char line[256];

	for (uint32_t i = 0; r->nr_producers > 1 && i < r->nr_producers; i++)
		say(s, live_producer_line(line, sizeof(line), i, &r->producers[i]));
	live_nulls_line(line, sizeof(line), &r->rep.counters);
	if (line[0] && s->cmd.measure.quiet)
		fprintf(stderr, "lsbench: %s\n", line);
	else if (line[0])
		say(s, line);
	if (r->rep.counters.errors)
		fprintf(stderr, "lsbench: warning: %llu operations met no map\n",
			(unsigned long long)r->rep.counters.errors);
	puts(live_summary_line(line, sizeof(line), r));
	fflush(stdout);
}

/* What was counted becomes one repetition of the only row. */
static int keep_result(struct run_state *s, struct err *e)
{
	struct live_result *r = &s->live;
	struct row *row = the_row(s);

	row->slots = r->slots;
	row->outcome = r->outcome;
	str_copy(row->reason, sizeof(row->reason), r->reason);
	if (r->rep.evicted)
		run_warn(&s->res.run,
			 "a cache slot held the storage of another program's map: its gets miss and ours, too");
	if (r->rep.counters.nulls)
		row_warn(row, "nulls");
	if (row_add_rep(row, &r->rep))
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	return results_writer_rep(s->writer, row, &row->reps[row->nr_reps - 1], e);
}

static int finish_file(struct run_state *s, bool complete, int status, struct err *e)
{
	static struct analysis analysis; /* large */
	int r;

	results_summarize(&s->res);
	analysis_compute(&s->res, &analysis);
	r = results_writer_point(s->writer, the_row(s), e);
	if (r) {
		results_writer_abandon(take_ptr(s->writer));
		return r;
	}
	return results_writer_finish(take_ptr(s->writer), &s->res, &analysis, complete, status, e);
}

static int open_file(struct run_state *s, struct err *e)
{
	if (!s->cmd.measure.json)
		return 0;
	return results_writer_open(s->cmd.measure.json, &s->res.run, &s->writer, e);
}

/* A row that cannot be measured here is named; that is no failure. */
static int not_measured(struct run_state *s, struct err *e)
{
	const struct row *row = the_row(s);
	bool unsupported = row->outcome == OUTCOME_UNSUPPORTED;
	char reason[sizeof(row->reason)];
	int status = unsupported ? 0 : ERR_FAILED;

	str_printable(reason, sizeof(reason), row->reason);
	fprintf(stderr, "lsbench: %s %s: %s\n", s->cmd.bench->name,
		unsupported ? "is not supported here" : "cannot be measured", reason);
	if (open_file(s, e) || finish_file(s, true, status, e))
		return cmd_fail(e);
	return status;
}

/* Returns the exit status; r is live_run()'s, and what was counted is in s->live. */
static int conclude(struct run_state *s, int r, struct err *e)
{
	int sig = (int)*measure_stop_signal(), status = r == -EINTR && sig ? 128 + sig : 0;
	bool anything = s->live.hits_m.n > 0;

	if (s->unheard) /* main says why */
		return 0;
	if (measure_neighbours_check(&s->neighbours))
		run_warn(&s->res.run, "another lsbench measured on this machine at the same time: its load moves these "
				      "figures; run them one after the other");
	if (status)
		fprintf(stderr, "lsbench: stopped by %s after %d of %llu counted seconds\n", measure_signal_name(sig),
			s->live.hits_m.n, (unsigned long long)s->cmd.duration_s + 1);
	if (!anything) {
		results_writer_discard(take_ptr(s->writer));
		return status ? status : ERR_FAILED;
	}
	r = keep_result(s, e);
	print_warnings(s);
	if (s->live.outcome == OUTCOME_INVALID) {
		cmd_tell("the result is invalid: ", s->live.reason);
		status = status ? status : ERR_FAILED;
	} else {
		print_result(s);
	}
	if (!r)
		r = finish_file(s, !sig, status, e);
	else
		results_writer_abandon(take_ptr(s->writer));
	return r ? cmd_fail(e) : status;
}

/* The measurement itself failed: the row has its reason in the file, but no figure. */
static int failed(struct run_state *s, struct err *e)
{
	struct row *row = the_row(s);
	struct err ignored = { 0 };
	int sig = (int)*measure_stop_signal(), status = cmd_fail(e);

	if (sig)
		status = 128 + sig;
	row->outcome = e->code == -EBADMSG ? OUTCOME_INVALID : OUTCOME_FAILED;
	str_copy(row->reason, sizeof(row->reason), e->msg);
	if (finish_file(s, !sig, status, &ignored))
		cmd_fail(&ignored);
	return status;
}

static int measure(struct run_state *s, struct err *e)
{
	const struct live_options opt = {
		.producers = (uint32_t)s->cmd.producers,
		.cpus = s->cmd.cpus,
		.warmup = (uint32_t)s->cmd.warmup_s,
		.duration = (uint32_t)s->cmd.duration_s,
		.tick_ns = TICK_NS,
		.grace_ns = GRACE_NS,
		.stop_signal = measure_stop_signal(),
		.stop_fd = measure_stop_fd(),
	};
	const struct live_events events = { .arg = s, .started = on_started, .tick = on_tick };
	int r = measure_signals(MEASURE_OPENING, e);

	if (!r)
		r = open_file(s, e);
	if (r && *measure_stop_signal()) {
		fprintf(stderr, "lsbench: stopped by %s before anything was measured\n",
			measure_signal_name((int)*measure_stop_signal()));
		return 128 + (int)*measure_stop_signal();
	}
	if (!r)
		r = measure_signals(MEASURE_RUNNING, e);
	if (r)
		return cmd_fail(e);
	measure_neighbours_open(&s->neighbours, s->cmd.measure.engine->name);
	if (measure_neighbours_check(&s->neighbours))
		fprintf(stderr,
			"lsbench: warning: another lsbench measures on this machine at the same time: both disturb "
			"each other\n");
	r = live_run(s->cmd.measure.engine, s->session, 0, &opt, &events, &s->live, e);
	s->left_behind = r == -ETIMEDOUT;
	return r && r != -EINTR ? failed(s, e) : conclude(s, r, e);
}

static int run_bench(struct run_state *s, int argc, char **argv)
{
	struct err e = { 0 };

	if (run_command_check(&s->cmd, &e) || add_row(s, &e) || prepare(s, argc, argv, &e))
		return cmd_fail(&e);
	if (!s->session)
		return not_measured(s, &e);
	return measure(s, &e);
}

/* In the reverse order of prepare(); what a hung producer still uses stays until the process ends. */
static void clean_up(struct run_state *s)
{
	const struct engine *eng = s->cmd.measure.engine;

	measure_neighbours_close(&s->neighbours);
	live_result_free(&s->live);
	if (!s->left_behind && s->session)
		eng->session_close(s->session);
	if (!s->left_behind && s->state)
		eng->close(s->state);
	results_free(&s->res);
	run_command_free(&s->cmd);
}

static int run_run(int argc, char **argv)
{
	struct run_state s = { .neighbours = { .fd = -1 } };
	struct err e = { 0 };
	bool help = false;
	int status = 0;

	run_command_init(&s.cmd);
	results_init(&s.res);
	if (options_parse(run_option_table(), argc, argv, &s.cmd, &help, &e))
		status = cmd_fail(&e);
	else if (help)
		options_help(run_option_table(), stdout);
	else if (s.cmd.list)
		print_list();
	else
		status = run_bench(&s, argc, argv);
	clean_up(&s);
	return status;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run one benchmark as the kernel's bench does, a line every second",
	.options = run_option_table,
	.run = run_run,
};
