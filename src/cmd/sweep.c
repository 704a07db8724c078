// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lsbench sweep: the whole product in one command. Plan -> engine -> trials -> results file -> analysis -> table.
 *
 * Not obvious: outputs are opened before anything is measured, so that a missing directory does not cost a minute, and
 * whatever happens after the first repetition, what was measured is kept and printed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/progress_lib.h"
#include "cmd/sweep_lib.h"
#include "core/analysis.h"
#include "core/results_json.h"
#include "lib/cleanup.h"
#include "lib/outfile.h"

struct sweep {
	struct sweep_options opt;
	void *state; /* the engine's */
	struct results res;
	struct analysis analysis;
	struct results_writer *writer;
	bool partial_open; /* FILE.partial is ours */
	struct outfile out;
	struct progress progress;
	int trial; /* running now */
	struct measure_neighbours neighbours;
	bool neighbours_told;
	char stop_text[256]; /* "" if no signal came */
	bool *point_written; /* owned; per row: its point line is in the file */
	int cap_points;
};

static const char neighbours_text[] =
	"another lsbench measures on this machine at the same time: each moves the other's "
	"figures; run them one after the other";

/* ---- while it runs ---- */

/* Said at once, and again in the results. */
static void tell(struct sweep *s, const char *text)
{
	run_warn(&s->res.run, "%s", text);
	progress_clear(&s->progress);
	cmd_tell("", text);
}

/* The earlier of two sweeps learns of the later one here, the later one at its start. */
static void tell_neighbours(struct sweep *s)
{
	if (s->neighbours_told || !measure_neighbours_check(&s->neighbours))
		return;
	s->neighbours_told = true;
	tell(s, neighbours_text);
}

static int write_point(struct sweep *s, int row, struct err *e)
{
	if (row >= s->cap_points) {
		int cap = row + 64;
		bool *grown = realloc(s->point_written, (size_t)cap * sizeof(*grown));

		if (!grown)
			return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
		memset(grown + s->cap_points, 0, (size_t)(cap - s->cap_points) * sizeof(*grown));
		s->point_written = grown;
		s->cap_points = cap;
	}
	if (s->point_written[row])
		return 0;
	s->point_written[row] = true;
	return results_writer_point(s->writer, &s->res.rows[row], e);
}

static void on_row_begin(void *arg, int trial, int row)
{
	struct sweep *s = arg;
	char name[128];

	/* A trial that is lost is no round. */
	if (trial != s->trial)
		s->progress.row_in_round = 0;
	s->trial = trial;
	s->progress.row_in_round++;
	progress_draw(&s->progress, report_row_name(&s->res.rows[row], name, sizeof(name)));
}

static int on_rep(void *arg, const struct results *res, int row, const struct rep *rep, struct err *e)
{
	struct sweep *s = arg;

	return results_writer_rep(s->writer, &res->rows[row], rep, e);
}

static int on_batch(void *arg, const struct results *res, int row, int trial, uint32_t batch, double gross,
		    double overhead, struct err *e)
{
	struct sweep *s = arg;

	return results_writer_batch(s->writer, &res->rows[row], trial, batch, gross, overhead, e);
}

static void on_round(void *arg, int rounds, int open_rows, double used_s, double left_s)
{
	struct sweep *s = arg;

	s->progress.round = rounds + 1;
	s->progress.row_in_round = 0;
	s->progress.rows_in_round = open_rows;
	s->progress.left_s = left_s;
	s->progress.left_at_s = s->progress.started_s + used_s;
	tell_neighbours(s);
	if (open_rows)
		progress_draw(&s->progress, "setting up");
}

static int on_row_end(void *arg, const struct results *res, int row, struct err *e)
{
	(void)res;
	return write_point(arg, row, e);
}

/* ---- before ---- */

static int parse(struct sweep_options *o, int argc, char **argv, bool *ret_help, struct err *e)
{
	int r = options_parse(&sweep_option_table, argc, argv, o, ret_help, e);

	return r || *ret_help ? r : sweep_options_check(o, e);
}

/* Engine, machine, trigger and loop of every row. */
static int prepare(struct sweep *s, int argc, char **argv, struct err *e)
{
	const struct measure *m = &s->opt.measure;
	int r = measure_signals(MEASURE_NOTHING_YET, e);

	if (!r)
		r = m->engine->open(&m->cfg, &s->state, e);
	if (!r)
		r = measure_describe(m, s->state, argc, argv, &s->res.run, e);
	if (!r)
		r = m->engine->resolve(s->state, &s->res, e);
	return r;
}

static int open_outputs(struct sweep *s, struct err *e)
{
	int r = outfile_open(s->opt.output, &s->out, e);

	if (!r && s->opt.measure.json) {
		r = results_writer_open(s->opt.measure.json, &s->res.run, &s->writer, e);
		s->partial_open = !r;
	}
	/* Rows that cannot be measured here are in the file all the same, with their reason. */
	for (int i = 0; !r && i < s->res.nr_rows; i++)
		if (s->res.rows[i].outcome != OUTCOME_OK)
			r = write_point(s, i, e);
	return r;
}

static int dry_run(struct sweep *s, struct err *e)
{
	int r = outfile_open(s->opt.output, &s->out, e);

	if (r)
		return r;
	sweep_print_plan(&s->opt, &s->res, true, s->out.f);
	for (int i = 0; i < s->res.run.nr_warnings; i++)
		fprintf(s->out.f, "Note: %s\n", s->res.run.warnings[i]);
	return outfile_commit(&s->out, e);
}

/* ---- after ---- */

static int trials_done(const struct results *res)
{
	int most = 0;

	for (int i = 0; i < res->nr_rows; i++)
		most = res->rows[i].nr_reps > most ? res->rows[i].nr_reps : most;
	return most;
}

static int rows_measured(const struct results *res)
{
	int n = 0;

	for (int i = 0; i < res->nr_rows; i++)
		n += res->rows[i].nr_reps > 0;
	return n;
}

static void note_stop(struct sweep *s, int sig)
{
	int done = trials_done(&s->res);
	int of = done < s->opt.run.trials_min ? s->opt.run.trials_min : s->opt.run.trials_max;

	snprintf(s->stop_text, sizeof(s->stop_text),
		 "stopped by %s after %d of %d trials: %d of %d rows have figures, %s", measure_signal_name(sig), done,
		 of, rows_measured(&s->res), s->res.nr_rows,
		 done < 6 ? "none an interval (that needs 6 trials)" : "from as many trials as each row shows");
	tell(s, s->stop_text);
}

static int print_report(struct sweep *s, struct err *e)
{
	struct report_style style;
	int r;

	report_style_for(s->out.f, &style);
	/* Everything is kept: nothing is lost when a reader (a pipe, a fifo) that does not read is given up. */
	if (!s->out.tmp)
		measure_signals(MEASURE_PRINTING, e);
	r = s->opt.format->write(&s->res, &s->analysis, &style, s->out.f, e);
	if (r) {
		outfile_discard(&s->out);
		return r;
	}
	return outfile_commit(&s->out, e);
}

/* The other formats have no place for what a person should know. */
static void print_warnings(const struct sweep *s)
{
	if (s->opt.format == &report_table && !s->out.path)
		return;
	for (int i = 0; i < s->res.run.nr_warnings; i++) {
		const char *text = s->res.run.warnings[i];

		/* These were told at once. */
		if (strcmp(text, neighbours_text) && strcmp(text, s->stop_text))
			cmd_tell("warning: ", text);
	}
}

/*
 * The measurement ended in an error: the results file stays under its .partial name with what is in it, or goes if that
 * is nothing. The writer's own errors name it already.
 */
static void abandon(struct sweep *s, struct err *e)
{
	char partial[PATH_MAX];
	size_t len = strlen(e->msg);

	if (!s->partial_open)
		return;
	s->partial_open = false;
	if (!rows_measured(&s->res)) {
		results_writer_discard(take_ptr(s->writer));
		return;
	}
	results_writer_abandon(take_ptr(s->writer));
	snprintf(partial, sizeof(partial), "%s.partial", s->opt.measure.json);
	if (!strstr(e->msg, partial) && !access(partial, F_OK))
		snprintf(e->msg + len, sizeof(e->msg) - len, "\nwhat was measured until then is in %.1000s", partial);
}

/* A signal came before the first repetition. */
static int stopped_early(struct sweep *s, int sig)
{
	struct err e = { 0 };

	abandon(s, &e);
	outfile_discard(&s->out);
	fprintf(stderr, "lsbench: stopped by %s before anything was measured\n", measure_signal_name(sig));
	return 128 + sig;
}

/* Returns the exit status. `r` is what run_sweep returned. */
static int finish(struct sweep *s, int r, struct err *e)
{
	int sig = (int)*measure_stop_signal(), status = 0;
	bool stopped = r == -EINTR && sig;

	progress_clear(&s->progress);
	if (stopped && !rows_measured(&s->res))
		return stopped_early(s, sig);
	tell_neighbours(s);
	results_summarize(&s->res);
	analysis_compute(&s->res, &s->analysis);
	if (stopped) {
		note_stop(s, sig);
		status = 128 + sig;
		r = 0;
	} else if (!r) {
		status = run_exit_status(&s->res);
	}
	for (int i = 0; !r && i < s->res.nr_rows; i++)
		r = write_point(s, i, e);
	if (!r)
		r = results_writer_finish(take_ptr(s->writer), &s->res, &s->analysis, !stopped, status, e);
	if (r) {
		abandon(s, e);
		status = cmd_fail(e);
	}
	if (r && !rows_measured(&s->res)) {
		outfile_discard(&s->out);
		return status;
	}
	print_warnings(s);
	*e = (struct err){ 0 };
	if (print_report(s, e)) {
		r = cmd_fail(e);
		status = status ? status : r;
	}
	return status;
}

static int measure(struct sweep *s, struct err *e)
{
	struct sweep_options *o = &s->opt;
	struct run_events events = {
		.arg = s,
		.row_begin = on_row_begin,
		.rep = on_rep,
		.batch = on_batch,
		.round = on_round,
		.row_end = on_row_end,
	};
	double typical_s, max_s;
	int r;

	r = measure_signals(MEASURE_OPENING, e);
	if (!r)
		r = open_outputs(s, e);
	if (r && *measure_stop_signal())
		return stopped_early(s, (int)*measure_stop_signal());
	if (!r)
		r = measure_signals(MEASURE_RUNNING, e);
	if (r) {
		abandon(s, e);
		outfile_discard(&s->out);
		return cmd_fail(e);
	}
	if (o->measure.verbose || (isatty(STDERR_FILENO) && !o->measure.quiet))
		sweep_print_plan(o, &s->res, o->measure.verbose, stderr);
	measure_neighbours_open(&s->neighbours, o->measure.engine->name);
	tell_neighbours(s);
	run_expect(&o->run, &s->res, &typical_s, &max_s);
	progress_init(&s->progress, stderr, !o->measure.quiet, o->run.trials_min, o->run.trials_max, s->res.nr_rows,
		      typical_s);
	progress_draw(&s->progress, "setting up");
	o->run.stop_signal = measure_stop_signal();
	o->run.stop_fd = measure_stop_fd();
	r = run_sweep(&o->run, o->measure.engine, s->state, &s->res, &events, e);
	return finish(s, r, e);
}

static int sweep_run(int argc, char **argv)
{
	struct sweep s = { .neighbours = { .fd = -1 } };
	struct err e = { 0 };
	bool help = false;
	int status = 0;

	sweep_options_init(&s.opt);
	results_init(&s.res);
	if (parse(&s.opt, argc, argv, &help, &e))
		status = cmd_fail(&e);
	else if (help)
		options_help(&sweep_option_table, stdout);
	else if (sweep_plan(&s.opt, &s.res, &e))
		status = cmd_fail(&e);
	else if (s.opt.dry_run)
		status = dry_run(&s, &e) ? cmd_fail(&e) : 0;
	else if (prepare(&s, argc, argv, &e))
		status = cmd_fail(&e);
	else
		status = measure(&s, &e);

	measure_neighbours_close(&s.neighbours);
	if (s.state)
		s.opt.measure.engine->close(s.state);
	results_free(&s.res);
	free(s.point_written);
	sweep_options_free(&s.opt);
	return status;
}

static const struct options *sweep_options(void)
{
	return &sweep_option_table;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "measure local storage from one map to many, and find the cliff",
	.options = sweep_options,
	.run = sweep_run,
};
