// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `lsbench probe --measure`: what a program that comes today with one task-storage map would see here. Few trials, so
 * figures without an interval: the sweep is for those.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/measure_lib.h"
#include "cmd/probe_lib.h"
#include "core/bench.h"
#include "core/plan.h"
#include "core/run.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define TRIALS 3
#define ROW_NS 80000000ull
#define LIST_MAX 1000

void probe_newcomer(struct probe_report *r)
{
	struct probe_measured *m = &r->measured;
	struct err e = { 0 };

	*m = (struct probe_measured){ .wanted = true, .hit_ns = NAN, .hit16_ns = NAN, .miss_ns = NAN };
	m->known = kernel_probe_newcomer(&m->newcomer, &e) == 0;
	if (!m->known)
		str_copy(m->why_not, sizeof(m->why_not), e.msg);
}

static int make_plan(const struct probe_measured *m, struct results *res, struct err *e)
{
	static const char *const names[] = { "local-storage-cache-seq-get", "local-storage-miss", NULL };
	static const uint64_t nr_maps[] = { 1, 16 };
	struct params common = { 0 };
	struct plan_options opt = {
		.benches = names, .nr_maps = nr_maps, .n_nr_maps = ARRAY_SIZE(nr_maps), .common = &common
	};
	int len = m->known && m->newcomer.neighbours > 0 ? m->newcomer.neighbours + 2 : 2;

	params_set_num(&common, "list_len", (uint64_t)(len > LIST_MAX ? LIST_MAX : len));
	return plan_rows(&opt, res, e);
}

/* A row that failed costs its own figure only. */
static void take_rows(struct probe_measured *m, const struct results *res)
{
	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];
		bool miss = !strcmp(row->point.bench, "local-storage-miss");
		double *to = miss						 ? &m->miss_ns
			     : params_num(&row->point.params, "nr_maps", 0) == 1 ? &m->hit_ns
										 : &m->hit16_ns;

		if (row->outcome == OUTCOME_OK && row->gross.known) {
			*to = row->gross.mid;
			if (!m->trials || row->gross.n < m->trials)
				m->trials = row->gross.n;
		} else if (!m->why_not[0]) {
			str_copy(m->why_not, sizeof(m->why_not), row->reason[0] ? row->reason : "a row has no result");
		}
	}
}

static bool all_resolved(const struct results *res)
{
	for (int i = 0; i < res->nr_rows; i++)
		if (res->rows[i].outcome != OUTCOME_OK)
			return false;
	return true;
}

static int measure(const struct engine *eng, void *state, struct probe_measured *m, struct results *res, struct err *e)
{
	struct run_options opt = { .precision = 0.02,
				   .trials_min = TRIALS,
				   .trials_max = TRIALS,
				   .seed = 1,
				   .cpu = -1,
				   .row_ns = ROW_NS,
				   .stop_fd = -1 };
	struct measure_neighbours others;
	int rc = measure_cpu("--cpu", NULL, &opt.cpu, e);

	if (!rc)
		rc = measure_signals(MEASURE_RUNNING, e);
	if (rc)
		return rc;
	opt.stop_signal = measure_stop_signal();
	opt.stop_fd = measure_stop_fd();
	measure_neighbours_open(&others, eng->name);
	rc = run_sweep(&opt, eng, state, res, NULL, e);
	m->disturbed = measure_neighbours_check(&others);
	measure_neighbours_close(&others);
	take_rows(m, res);
	return rc;
}

/* With this loop. *ret_ran: every row could be resolved, and then was measured. */
static int try_loop(const char *loop, struct probe_measured *m, bool *ret_ran, struct err *e)
{
	const struct engine *eng = engine_find("kernel");
	struct engine_config cfg = { .trigger = "auto", .loop = loop, .producers = 1 };
	struct results res;
	void *state;
	int rc = eng->open(&cfg, &state, e);

	*ret_ran = false;
	if (rc)
		return rc;
	results_init(&res);
	eng->describe(state, &res.run);
	rc = make_plan(m, &res, e);
	if (!rc)
		rc = eng->resolve(state, &res, e);
	if (!rc) {
		*ret_ran = all_resolved(&res);
		if (*ret_ran)
			rc = measure(eng, state, m, &res, e);
		else
			take_rows(m, &res); /* for the reason why not */
	}
	results_free(&res);
	eng->close(state);
	return rc;
}

int probe_costs(struct probe_report *r)
{
	/* One form for all rows, which is loaded in a fraction of the time that the verifier needs for the cheapest
	 * one. */
	static const char *const loops[] = { "sequence", "auto" };
	char newcomer_why_not[sizeof(r->measured.why_not)];
	bool ran = false;
	int rc = 0;

	str_copy(newcomer_why_not, sizeof(newcomer_why_not), r->measured.why_not);
	for (size_t i = 0; i < ARRAY_SIZE(loops) && !ran; i++) {
		struct err e = { 0 };

		str_copy(r->measured.why_not, sizeof(r->measured.why_not), newcomer_why_not);
		rc = try_loop(loops[i], &r->measured, &ran, &e);
		if (rc && rc != -EINTR && !r->measured.why_not[0])
			str_copy(r->measured.why_not, sizeof(r->measured.why_not), e.msg);
	}
	return rc == -EINTR ? rc : 0;
}
