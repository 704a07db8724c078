// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel engine: real local-storage maps and hashes, measured by BPF programs. This file is the vtable and the
 * choice of trigger and loop; the work is in kernel_*.c beside it.
 *
 * The long-lived parent never holds a map or a program: resolve tries everything in children, trials are children.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernel_priv.h"
#include "engine/kernel_session.h"
#include "engine/kernel_try.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define SPARE_MAPS 64u /* measured: this many sufficed every time to find any pattern of slots */

/* What was tried through one trigger; filled lazily, each form once. */
struct tried {
	bool done[LOOP_NR], works[LOOP_NR];
	struct err why[LOOP_NR];
};

struct kernel_state {
	struct engine_config cfg;
	enum kernel_trigger trigger;
	enum outer_fill fill;
	uint32_t nr_slots; /* asked once, not in every trial */
	bool chosen;	   /* trigger is decided; refined rows take the same */
	struct tried tried[TRIGGER_NR];
};

/* libbpf prints what we put into our own errors. */
static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static int kernel_open(const struct engine_config *cfg, void **ret_state, struct err *e)
{
	struct kernel_state *st;

	if (strcmp(cfg->trigger, "auto") && trigger_find(cfg->trigger) < 0)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown trigger '%s': auto, raw_tp, fentry or syscall",
			       cfg->trigger);
	if (strcmp(cfg->loop, "auto") && loop_form_find(cfg->loop) < 0)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown loop '%s': auto, hoisted, sequence or single",
			       cfg->loop);
	if (cfg->producers > LSB_PRODUCERS_MAX)
		return err_set(e, ERR_USAGE, -EINVAL, "%u producers: at most %d", cfg->producers, LSB_PRODUCERS_MAX);
	st = calloc(1, sizeof(*st));
	if (!st)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	st->cfg = *cfg;
	libbpf_set_print(quiet);
	st->nr_slots = (uint32_t)kernel_btf_slots();
	*ret_state = st;
	return 0;
}

static void kernel_close(void *state)
{
	free(state);
}

static void kernel_describe(void *state, struct run_info *run)
{
	const struct kernel_state *st = state;

	run->machine.slots = (int)st->nr_slots;
	run->machine.inlined_hit = kernel_inlined_hit();
	kernel_count_foreign(&run->machine.foreign);
	snprintf(run->libbpf, sizeof(run->libbpf), "%u.%u", libbpf_major_version(), libbpf_minor_version());
	str_copy(run->accel, sizeof(run->accel), "native");
	str_copy(run->unit, sizeof(run->unit), "ns");
}

static bool works(struct kernel_state *st, enum kernel_trigger trigger, enum loop_form form)
{
	struct tried *t = &st->tried[trigger];

	if (!t->done[form]) {
		t->works[form] = kernel_try_form(trigger, form, &st->fill, st->cfg.verbose, &t->why[form]) == 0;
		t->done[form] = true;
	}
	return t->works[form];
}

/* The forms a row may take, best first; returns how many. */
static int candidates(const struct kernel_state *st, const struct row *row, enum loop_form *forms)
{
	const struct bench *b = bench_find(row->point.bench);
	int n = 0;

	if (!b)
		return 0;
	if (b->family == BENCH_HASH) {
		forms[n++] = params_num(&row->point.params, "nr_maps", 1) > 1 ? LOOP_HASH_CYCLE : LOOP_HASH;
		return n;
	}
	if (strcmp(st->cfg.loop, "auto")) {
		int f = loop_form_find(st->cfg.loop);

		if (f >= 0 && f <= LOOP_SINGLE)
			forms[n++] = (enum loop_form)f;
		return n;
	}
	if (b->nr_maps(&row->point.params) <= 32)
		forms[n++] = LOOP_HOISTED;
	forms[n++] = LOOP_SEQUENCE;
	forms[n++] = LOOP_SINGLE;
	return n;
}

/* Picks each row's form. Returns how many rows can be measured; *ret_why: the first refusal. */
static int resolve_rows(struct kernel_state *st, enum kernel_trigger trigger, struct results *res, const bool *fresh,
			const struct err **ret_why)
{
	const struct tried *t = &st->tried[trigger];
	int measurable = 0;

	for (int i = 0; i < res->nr_rows; i++) {
		struct row *row = &res->rows[i];
		enum loop_form forms[LOOP_NR];
		int n = candidates(st, row, forms), k;

		if (!fresh[i])
			continue;
		for (k = 0; k < n && !works(st, trigger, forms[k]); k++)
			if (!*ret_why)
				*ret_why = &t->why[forms[k]];
		row->outcome = k < n ? OUTCOME_OK : OUTCOME_UNSUPPORTED;
		str_copy(row->point.trigger, sizeof(row->point.trigger), trigger_names[trigger]);
		str_copy(row->point.loop, sizeof(row->point.loop), k < n ? loop_form_names[forms[k]] : "");
		if (k == n)
			str_copy(row->reason, sizeof(row->reason),
				 n ? t->why[forms[n - 1]].msg : "no loop form for this row");
		else
			row->reason[0] = '\0';
		measurable += k < n;
	}
	return measurable;
}

static void add_why(struct run_info *run, const char *trigger, const char *why)
{
	size_t len = strlen(run->trigger_why_not);

	snprintf(run->trigger_why_not + len, sizeof(run->trigger_why_not) - len, "%s%s: %s", len ? "; " : "", trigger,
		 why);
}

/* Before anything is tried: limits that need no kernel to be known. */
static int check_limits(struct kernel_state *st, const struct results *res, struct err *e)
{
	_cleanup_free_ bool *want = calloc((size_t)res->nr_rows + 1, sizeof(*want));
	struct layout l;
	int rc;

	if (!want)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", res->nr_rows);
	for (int i = 0; i < res->nr_rows; i++)
		want[i] = res->rows[i].outcome == OUTCOME_OK;
	rc = layout_plan(res, want, SPARE_MAPS, st->cfg.max_ops_batch, &l, e);
	if (rc)
		return rc;
	rc = kernel_check_limits(&l, st->cfg.producers, e);
	layout_free(&l);
	return rc;
}

static int kernel_resolve(void *state, struct results *res, struct err *e)
{
	struct kernel_state *st = state;
	_cleanup_free_ bool *fresh = calloc((size_t)res->nr_rows + 1, sizeof(*fresh));
	int first = 0, last = TRIGGER_NR - 1, best = -1, best_rows = 0, nr_fresh = 0;
	const struct err *why = NULL;

	if (!fresh)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", res->nr_rows);
	for (int i = 0; i < res->nr_rows; i++)
		nr_fresh += fresh[i] = !res->rows[i].point.trigger[0];
	if (st->chosen) {
		resolve_rows(st, st->trigger, res, fresh, &why);
		return 0;
	}
	/* With any loop: limits depend on the maps alone, and must be known before the first one is created. */
	for (int i = 0; i < res->nr_rows; i++)
		if (fresh[i])
			str_copy(res->rows[i].point.loop, sizeof(res->rows[i].point.loop),
				 loop_form_names[LOOP_SINGLE]);
	if (check_limits(st, res, e))
		return e->code;
	if (strcmp(st->cfg.trigger, "auto"))
		first = last = trigger_find(st->cfg.trigger);
	res->run.trigger_why_not[0] = '\0';
	for (int t = first; t <= last; t++) {
		const struct err *why_not = NULL;
		int n = resolve_rows(st, (enum kernel_trigger)t, res, fresh, &why_not);

		if (n > best_rows) {
			best = t;
			best_rows = n;
		}
		if (n == nr_fresh)
			break;
		if (why_not)
			add_why(&res->run, trigger_names[t], why_not->msg);
		if (!why)
			why = why_not;
	}
	if (best < 0)
		return err_set(e, why ? why->class : ERR_MACHINE, why ? why->code : -EOPNOTSUPP,
			       "no trigger works here: %s", why ? why->msg : "no row to measure");
	st->trigger = (enum kernel_trigger)best;
	st->chosen = true;
	resolve_rows(st, st->trigger, res, fresh, &why);
	return check_limits(st, res, e);
}

static int session_open(void *state, const struct results *res, const bool *want, int trial, struct session **ret,
			struct session_setup *ret_setup, struct err *e)
{
	const struct kernel_state *st = state;
	struct session_options opt = { .trigger = st->trigger,
				       .fill = st->fill,
				       .nr_slots = st->nr_slots,
				       .spare = SPARE_MAPS,
				       .max_ops = st->cfg.max_ops_batch,
				       .verbose = st->cfg.verbose,
				       .producers = st->cfg.producers };

	(void)trial;
	return kernel_session_open(&opt, res, want, ret, ret_setup, e);
}

const struct engine engine_kernel = {
	.name = "kernel",
	.open = kernel_open,
	.close = kernel_close,
	.describe = kernel_describe,
	.resolve = kernel_resolve,
	.session_open = session_open,
	.session_close = kernel_session_close,
	.row_slots = kernel_row_slots,
	.enter = kernel_enter,
	.batch = kernel_batch,
	.audit = kernel_audit,
	.leave = kernel_leave,
};
