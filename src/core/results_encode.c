// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of a results file as JSON objects (docs/results.md). Not obvious: json_pack's "o" takes the reference
 * even when packing fails, and fails when one of them is NULL; so every function here is one expression and a
 * failed allocation anywhere ends as NULL without a leak.
 */
#include "core/results_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"

/* JSON has no NaN and no infinity: what is not known is null. */
static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *whole(uint64_t v)
{
	return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

/* 0 means unknown */
static json_t *whole_or_null(uint64_t v)
{
	return v ? whole(v) : json_null();
}

/* Names from the machine and arguments need not be UTF-8; JSON must be. */
static json_t *text(const char *s)
{
	json_t *v = json_string(s);
	size_t size;
	_cleanup_free_ char *shown = NULL;

	if (v)
		return v;
	/* An invalid byte becomes one "?"; twice the room is enough whatever it becomes. */
	size = 2 * strlen(s) + 1;
	shown = malloc(size);
	if (!shown)
		return NULL;
	str_printable(shown, size, s);
	return json_string(shown);
}

static json_t *tristate(int v)
{
	return v < 0 ? json_null() : json_boolean(v);
}

static json_t *not_negative(int v)
{
	return v < 0 ? json_null() : json_integer(v);
}

/* a with the members of b behind its own. Takes both. */
static json_t *joined(json_t *a, json_t *b)
{
	if (!a || json_object_update_new(a, b) < 0) {
		if (!a)
			json_decref(b);
		json_decref(a);
		return NULL;
	}
	return a;
}

/* Appends; takes both, NULL if either is NULL. */
static json_t *appended(json_t *array, json_t *v)
{
	if (!array || json_array_append_new(array, v) < 0) {
		if (!array)
			json_decref(v);
		json_decref(array);
		return NULL;
	}
	return array;
}

/* object with one more member; takes both, NULL if either is NULL. */
static json_t *with_member(json_t *object, const char *key, json_t *v)
{
	if (!object || json_object_set_new(object, key, v) < 0) {
		if (!object)
			json_decref(v);
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *encode_argv(char *const *argv)
{
	json_t *array = json_array();
	size_t bytes = 0;

	for (int i = 0; argv && argv[i]; i++) {
		bytes += strlen(argv[i]);
		if (i >= RESULTS_ARGV_MAX || bytes > RESULTS_ARGV_BYTES_MAX)
			return appended(array, text("..."));
		array = appended(array, text(argv[i]));
	}
	return array;
}

static json_t *encode_mitigations(const struct machine *m)
{
	json_t *object = json_object();

	for (int i = 0; i < m->nr_mitigations; i++)
		object = with_member(object, m->mitigations[i].name, text(m->mitigations[i].state));
	return object;
}

static json_t *encode_machine(const struct machine *m)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "kernel", text(m->kernel),
			 "arch", text(m->arch), "cpu", text(m->cpu), "cpus",
			 m->cpus > 0 ? json_integer(m->cpus) : json_null(), "slots",
			 m->slots > 0 ? json_integer(m->slots) : json_null(), "inlined_hit", tristate(m->inlined_hit),
			 "jit", tristate(m->jit), "smt", tristate(m->smt), "mitigations", encode_mitigations(m),
			 "clocksource", text(m->clocksource), "governor", text(m->governor), "virt", text(m->virt),
			 "preempt", text(m->preempt), "lockdown", text(m->lockdown), "foreign_maps",
			 json_pack("{s:o,s:o,s:o,s:o}", "task_storage", not_negative(m->foreign.task), "cgrp_storage",
				   not_negative(m->foreign.cgrp), "inode_storage", not_negative(m->foreign.inode),
				   "sk_storage", not_negative(m->foreign.sk)));
}

static json_t *encode_run_warnings(const struct run_info *run)
{
	json_t *array = json_array();

	for (int i = 0; i < run->nr_warnings; i++)
		array = appended(array, text(run->warnings[i]));
	return array;
}

/* A seed uses all 64 bits and a JSON integer of ours 63: larger ones are written as text, which the reader takes. */
static json_t *encode_seed(uint64_t seed)
{
	char digits[24];

	if (seed <= INT64_MAX)
		return whole(seed);
	snprintf(digits, sizeof(digits), "%" PRIu64, seed);
	return text(digits);
}

json_t *results_encode_run(const struct run_info *run)
{
	char schema[32];

	snprintf(schema, sizeof(schema), "%s/%d", RESULTS_SCHEMA, RESULTS_SCHEMA_MAJOR);
	return json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "schema", text(schema),
			 "kind", "run", "tool", text(run->tool), "argv", encode_argv(run->argv), "started",
			 text(run->started), "engine", text(run->engine), "accel", text(run->accel), "unit",
			 text(run->unit), "seed", encode_seed(run->seed), "boot", text(run->boot), "label",
			 text(run->label), "machine", encode_machine(&run->machine), "build",
			 json_pack("{s:o,s:o,s:o}", "lsbench", text(run->version), "libbpf", text(run->libbpf), "clang",
				   text(run->clang)),
			 "trigger_why_not", text(run->trigger_why_not), "warnings", encode_run_warnings(run));
}

json_t *results_encode_notes(const struct run_info *run)
{
	return json_pack("{s:s,s:o,s:o,s:o}", "kind", "notes", "setup_storage_ms", real(run->setup_storage_ms),
			 "setup_hash_ms", real(run->setup_hash_ms), "warnings", encode_run_warnings(run));
}

static json_t *encode_params(const struct params *p)
{
	json_t *object = json_object();

	for (int i = 0; i < p->n; i++) {
		const struct param *v = &p->v[i];

		object = with_member(object, v->name, v->is_num ? whole(v->num) : text(v->text));
	}
	return object;
}

/* What stands at the head of every line of a row. */
static json_t *encode_id(const char *kind, const struct row *row)
{
	const struct point *p = &row->point;

	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:i}", "kind", kind, "bench", text(p->bench), "params",
			 encode_params(&p->params), "store", text(p->store), "trigger", text(p->trigger), "loop",
			 text(p->loop), "row", row->order);
}

static json_t *encode_counters(const struct counters *c)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "ops", whole(c->ops), "hits", whole(c->hits), "important_hits",
			 whole(c->important_hits), "nulls", whole(c->nulls), "errors", whole(c->errors));
}

json_t *results_encode_rep(const struct row *row, const struct rep *rep)
{
	return joined(encode_id("rep", row),
		      json_pack("{s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:o}", "trial", rep->trial, "t",
				real(rep->t), "cpu", not_negative(rep->cpu), "ghz", real(rep->ghz), "gross",
				real(rep->gross), "overhead", real(rep->overhead), "batches", whole(rep->batches),
				"nivcsw", rep->nivcsw < 0 ? json_null() : json_integer(rep->nivcsw), "steal",
				real(rep->steal), "evicted", rep->evicted, "setup_ms", real(rep->setup_ms), "counters",
				encode_counters(&rep->counters)));
}

json_t *results_encode_batch(const struct row *row, int trial, uint32_t batch, double gross, double overhead)
{
	return joined(encode_id("batch", row),
		      json_pack("{s:i,s:I,s:o,s:o}", "trial", trial, "batch", (json_int_t)batch, "gross", real(gross),
				"overhead", real(overhead)));
}

static json_t *encode_summary(const struct summary *s, bool unit_insn)
{
	return json_pack("{s:s,s:o,s:o,s:o,s:i}", "estimator", unit_insn ? "min" : "median", "median", real(s->mid),
			 "lo", real(s->interval ? s->lo : NAN), "hi", real(s->interval ? s->hi : NAN), "n", s->n);
}

static json_t *encode_slots(const struct row_slots *s)
{
	json_t *used = json_array();

	for (int i = 0; i < s->n && i < SLOTS_MAX; i++)
		used = appended(used, json_integer(s->used[i]));
	return json_pack("{s:b,s:o,s:o,s:o}", "seen", s->seen, "used", used, "miss_share", real(s->miss_share),
			 "miss_share_audited", real(s->miss_share_audited));
}

static json_t *encode_row_warnings(const struct row *row)
{
	json_t *array = json_array();

	for (int i = 0; i < row->nr_warnings; i++)
		array = appended(array, text(row->warnings[i]));
	return array;
}

json_t *results_encode_point(const struct row *row, bool unit_insn)
{
	return joined(encode_id("point", row),
		      json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s}", "outcome", outcome_name(row->outcome),
				"reason", text(row->reason), "warnings", encode_row_warnings(row), "counters",
				encode_counters(&row->counters), "slots", encode_slots(&row->slots), "gross",
				encode_summary(&row->gross, unit_insn), "overhead",
				encode_summary(&row->overhead, unit_insn), "net", encode_summary(&row->net, unit_insn),
				"setup_ms", real(row->setup_ms), "stopped_by", stopped_by_name(row->stopped_by)));
}

json_t *results_encode_end(const struct results *res, int exit_status)
{
	return json_pack("{s:s,s:i,s:i}", "kind", "end", "points", res->nr_rows, "exit", exit_status);
}

/* ---- the analysis: for people and other programs, never read back ---- */

static json_t *encode_interval(struct interval i)
{
	return json_pack("{s:o,s:o,s:o,s:i}", "median", real(i.mid), "lo", real(i.known ? i.lo : NAN), "hi",
			 real(i.known ? i.hi : NAN), "n", i.n);
}

static json_t *encode_cliff(const struct analysis *a)
{
	json_t *miss = json_array(), *walk = json_array();

	for (int i = 0; i < a->nr_miss; i++)
		miss = appended(miss, joined(json_pack("{s:o,s:o}", "maps", whole(a->miss[i].maps), "share",
						       real(a->miss[i].share)),
					     encode_interval(a->miss[i].cost)));
	for (int i = 0; i < a->nr_walk; i++) {
		struct interval step = a->walk[i].per_step;

		walk = appended(walk,
				json_pack("{s:o,s:o,s:o,s:o,s:o}", "from", whole(a->walk[i].from), "to",
					  whole(a->walk[i].to), "per_step", real(step.mid), "lo",
					  real(step.known ? step.lo : NAN), "hi", real(step.known ? step.hi : NAN)));
	}
	return json_pack("{s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o,s:o}", "slots_btf",
			 whole_or_null(a->slots_btf > 0 ? (uint64_t)a->slots_btf : 0), "slots_lo",
			 whole_or_null(a->bracket.slots_lo), "slots_hi", whole_or_null(a->bracket.slots_hi),
			 "disturbed", a->bracket.disturbed, "onset_maps", whole_or_null(a->onset_maps), "all_miss_maps",
			 whole_or_null(a->all_miss_maps), "hit", encode_interval(a->hit), "miss", miss, "walk", walk);
}

/* Which hash row: the number of keys it cycles through, and whether they are random or the task's own tid. */
static json_t *encode_hash_id(const struct results *res, int row)
{
	static const struct params none;
	const struct params *p = row >= 0 && row < res->nr_rows ? &res->rows[row].point.params : &none;

	return json_pack("{s:o,s:o}", "nr_keys", whole_or_null(params_num(p, "hashmap_nr_keys_used", 0)), "key",
			 text(params_text(p, "hashmap_key", "random")));
}

static json_t *encode_breakeven(const struct results *res, const struct analysis *a)
{
	json_t *array = json_array();

	for (int i = 0; i < a->nr_breakeven; i++) {
		const struct cliff_breakeven *at = &a->breakeven[i].at;
		const char *always = at->always < 0 ? "storage" : at->always > 0 ? "hash" : "undecided";

		array = appended(array, joined(encode_hash_id(res, a->breakeven[i].hash_row),
					       json_pack("{s:b,s:o,s:o,s:o}", "crosses", at->crosses, "maps_lo",
							 real(at->crosses ? at->maps_lo : NAN), "maps_hi",
							 real(at->crosses ? at->maps_hi : NAN), "cheaper",
							 at->crosses ? json_null() : text(always))));
	}
	return array;
}

static json_t *encode_ratios(const struct results *res, const struct analysis *a)
{
	json_t *array = json_array();

	for (int i = 0; i < a->nr_ratio; i++) {
		int s = a->ratio[i].storage_row;
		const struct row *row = s >= 0 && s < res->nr_rows ? &res->rows[s] : NULL;
		struct interval ratio = a->ratio[i].ratio;

		if (!row)
			continue;
		array = appended(array,
				 joined(encode_hash_id(res, a->ratio[i].hash_row),
					json_pack("{s:o,s:o,s:o,s:o,s:o}", "bench", text(row->point.bench), "nr_maps",
						  whole(params_num(&row->point.params, "nr_maps", 0)), "ratio",
						  real(ratio.mid), "lo", real(ratio.known ? ratio.lo : NAN), "hi",
						  real(ratio.known ? ratio.hi : NAN))));
	}
	return array;
}

static json_t *encode_isolated(const struct results *res, const struct analysis *a)
{
	json_t *array = json_array();

	for (int i = 0; i < a->nr_isolated; i++) {
		int r = a->isolated[i].row;
		const char *bench = r >= 0 && r < res->nr_rows ? res->rows[r].point.bench : "";
		const char *what = a->isolated[i].what ? a->isolated[i].what : "";

		array = appended(array, json_pack("{s:o,s:o,s:o,s:o,s:o}", "what", text(what), "bench", text(bench),
						  "direct", encode_interval(a->isolated[i].direct), "curve",
						  encode_interval(a->isolated[i].curve), "ratio",
						  encode_interval(a->isolated[i].ratio)));
	}
	return array;
}

json_t *results_encode_analysis(const struct results *res, const struct analysis *a)
{
	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "kind", "analysis", "why_not",
			 a->known ? json_null() : text(a->why_not), "cliff", a->known ? encode_cliff(a) : json_null(),
			 "breakeven", encode_breakeven(res, a), "ratio_to_hash", encode_ratios(res, a), "isolated",
			 encode_isolated(res, a));
}

char *results_line(json_t *line, size_t *ret_len)
{
	/* 17 digits bring back every double exactly. */
	const size_t flags = JSON_REAL_PRECISION(17);
	size_t len = line ? json_dumpb(line, NULL, 0, flags) : 0;
	char *out = len ? malloc(len + 2) : NULL;

	if (out && json_dumpb(line, out, len, flags) != len) {
		free(out);
		out = NULL;
	}
	json_decref(line);
	if (!out)
		return NULL;
	out[len] = '\n';
	out[len + 1] = '\0';
	*ret_len = len + 1;
	return out;
}
