// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON objects of a results file as plain values. Not obvious: what a newer lsbench may add (names, kinds) is
 * ignored, but a name known here must hold what docs/results.md says: a negative counter or a cost of 10^300 ns is an
 * error, not a figure. Absent and null both mean "not known".
 */
#include "core/results_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/num.h"
#include "lib/str.h"

#define SECONDS_MAX 1e10
#define MS_MAX 1e12
#define GHZ_MAX 1000.0

static int bad_value(const char *key, const json_t *v, const char *expected, struct err *e)
{
	_cleanup_free_ char *dump = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
	char shown[48];

	str_printable(shown, sizeof(shown), dump ? dump : "?");
	return err_set(e, ERR_FAILED, -EINVAL, "\"%s\" is %s%s, expected %s", key, shown,
		       dump && strlen(dump) >= sizeof(shown) ? "..." : "", expected);
}

/* NULL: absent or null, the output keeps what the caller put there. */
static const json_t *get(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_null(v) ? NULL : v;
}

static int get_u64(const json_t *o, const char *key, uint64_t max, uint64_t *ret, struct err *e)
{
	const json_t *v = get(o, key);
	char expected[64];

	if (!v)
		return 0;
	snprintf(expected, sizeof(expected), "a whole number from 0 to %" PRIu64, max);
	if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max)
		return bad_value(key, v, expected, e);
	*ret = (uint64_t)json_integer_value(v);
	return 0;
}

static int get_int(const json_t *o, const char *key, int max, int *ret, struct err *e)
{
	uint64_t v = 0;
	int r = get_u64(o, key, (uint64_t)max, &v, e);

	if (r == 0 && get(o, key))
		*ret = (int)v;
	return r;
}

static int get_real(const json_t *o, const char *key, double max, double *ret, struct err *e)
{
	const json_t *v = get(o, key);
	char expected[64];
	double d;

	if (!v)
		return 0;
	d = json_number_value(v);
	snprintf(expected, sizeof(expected), "a number from 0 to %g", max);
	if (!json_is_number(v) || !isfinite(d) || d < 0 || d > max)
		return bad_value(key, v, expected, e);
	/* -0.0 passed the comparison; it would be printed with its sign. */
	*ret = d + 0.0;
	return 0;
}

static int get_bool(const json_t *o, const char *key, bool *ret, struct err *e)
{
	const json_t *v = get(o, key);

	if (!v)
		return 0;
	if (!json_is_boolean(v))
		return bad_value(key, v, "true or false", e);
	*ret = json_is_true(v);
	return 0;
}

static int get_tristate(const json_t *o, const char *key, int *ret, struct err *e)
{
	bool b = false;
	int r = get_bool(o, key, &b, e);

	if (r == 0 && get(o, key))
		*ret = b;
	return r;
}

/* Cuts between characters, never within one: half a character could not be written again. */
static void copy_text(char *dst, size_t size, const char *src)
{
	size_t len = strlen(src);

	if (len >= size) {
		len = size - 1;
		while (len > 0 && ((unsigned char)src[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(dst, src, len);
	dst[len] = '\0';
}

static int get_text(const json_t *o, const char *key, char *dst, size_t size, struct err *e)
{
	const json_t *v = get(o, key);

	if (!v)
		return 0;
	if (!json_is_string(v))
		return bad_value(key, v, "a text", e);
	copy_text(dst, size, json_string_value(v));
	return 0;
}

/* A name that identifies something: cut it would identify something else. */
static int get_name(const json_t *o, const char *key, char *dst, size_t size, struct err *e)
{
	const json_t *v = get(o, key);
	char expected[64];

	snprintf(expected, sizeof(expected), "a text of at most %zu bytes", size - 1);
	if (json_is_string(v) && json_string_length(v) >= size)
		return bad_value(key, v, expected, e);
	return get_text(o, key, dst, size, e);
}

static int get_object(const json_t *o, const char *key, const json_t **ret, struct err *e)
{
	const json_t *v = get(o, key);

	*ret = v;
	return v && !json_is_object(v) ? bad_value(key, v, "an object", e) : 0;
}

static int get_array(const json_t *o, const char *key, const json_t **ret, struct err *e)
{
	const json_t *v = get(o, key);

	*ret = v;
	return v && !json_is_array(v) ? bad_value(key, v, "a list", e) : 0;
}

/* ---- the run ---- */

static int decode_argv(const json_t *line, struct run_info *run, struct err *e)
{
	const json_t *array, *v;
	size_t bytes = 0, n, i;
	char **argv;

	if (get_array(line, "argv", &array, e) < 0 || !array)
		return e->code;
	n = json_array_size(array);
	if (n > RESULTS_ARGV_MAX)
		n = RESULTS_ARGV_MAX;
	json_array_foreach (array, i, v)
		if (!json_is_string(v))
			return bad_value("argv", v, "a list of texts", e);
	argv = calloc(n + 2, sizeof(*argv));
	for (i = 0; argv && i < n; i++) {
		v = json_array_get(array, i);
		bytes += json_string_length(v);
		if (bytes > RESULTS_ARGV_BYTES_MAX)
			break;
		argv[i] = strdup(json_string_value(v));
		if (!argv[i])
			break;
	}
	if (argv && i < json_array_size(array))
		argv[i] = strdup("...");
	/* From here results_free() frees it. */
	run->argv = argv;
	return argv ? 0 : err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
}

static int decode_mitigations(const json_t *machine, struct machine *m, struct err *e)
{
	const json_t *object, *v;
	const char *name;

	if (get_object(machine, "mitigations", &object, e) < 0 || !object)
		return e->code;
	json_object_foreach ((json_t *)object, name, v) {
		struct mitigation *mit = &m->mitigations[m->nr_mitigations];

		if (m->nr_mitigations >= MITIGATIONS_MAX)
			break;
		if (!json_is_string(v))
			return bad_value(name, v, "a text", e);
		if (strlen(name) >= sizeof(mit->name))
			continue;
		copy_text(mit->name, sizeof(mit->name), name);
		copy_text(mit->state, sizeof(mit->state), json_string_value(v));
		m->nr_mitigations++;
	}
	return 0;
}

static int decode_foreign(const json_t *machine, struct foreign_maps *f, struct err *e)
{
	const json_t *o;

	if (get_object(machine, "foreign_maps", &o, e) < 0 || !o)
		return e->code;
	if (get_int(o, "task_storage", INT_MAX, &f->task, e) < 0 ||
	    get_int(o, "cgrp_storage", INT_MAX, &f->cgrp, e) < 0 ||
	    get_int(o, "inode_storage", INT_MAX, &f->inode, e) < 0 || get_int(o, "sk_storage", INT_MAX, &f->sk, e) < 0)
		return e->code;
	return 0;
}

static int decode_machine(const json_t *line, struct machine *m, struct err *e)
{
	const json_t *o;

	if (get_object(line, "machine", &o, e) < 0 || !o)
		return e->code;
	if (get_text(o, "kernel", m->kernel, sizeof(m->kernel), e) < 0 ||
	    get_text(o, "arch", m->arch, sizeof(m->arch), e) < 0 || get_text(o, "cpu", m->cpu, sizeof(m->cpu), e) < 0 ||
	    get_int(o, "cpus", INT_MAX, &m->cpus, e) < 0 || get_int(o, "slots", INT_MAX, &m->slots, e) < 0 ||
	    get_tristate(o, "inlined_hit", &m->inlined_hit, e) < 0 || get_tristate(o, "jit", &m->jit, e) < 0 ||
	    get_tristate(o, "smt", &m->smt, e) < 0 ||
	    get_text(o, "clocksource", m->clocksource, sizeof(m->clocksource), e) < 0 ||
	    get_text(o, "governor", m->governor, sizeof(m->governor), e) < 0 ||
	    get_text(o, "virt", m->virt, sizeof(m->virt), e) < 0 ||
	    get_text(o, "preempt", m->preempt, sizeof(m->preempt), e) < 0 ||
	    get_text(o, "lockdown", m->lockdown, sizeof(m->lockdown), e) < 0)
		return e->code;
	return decode_mitigations(o, m, e) < 0 || decode_foreign(o, &m->foreign, e) < 0 ? e->code : 0;
}

/* "lsbench/1", also "lsbench/1.4": a minor part may only add names. */
static int check_schema(const json_t *line, struct err *e)
{
	const json_t *v = json_object_get(line, "schema");
	const char *schema = json_string_value(v), *major;
	size_t prefix = strlen(RESULTS_SCHEMA "/"), digits;
	char shown[48];

	if (!schema)
		return err_set(e, ERR_FAILED, -EINVAL,
			       "the first line names no \"schema\": not a results file of lsbench");
	str_printable(shown, sizeof(shown), schema);
	if (strncmp(schema, RESULTS_SCHEMA "/", prefix) != 0)
		return err_set(e, ERR_FAILED, -EINVAL,
			       "its schema is \"%s\", not " RESULTS_SCHEMA "/%d: not a results file "
			       "of lsbench",
			       shown, RESULTS_SCHEMA_MAJOR);
	major = schema + prefix;
	digits = strspn(major, "0123456789");
	if (digits != 1 || major[0] - '0' != RESULTS_SCHEMA_MAJOR || (major[1] != '\0' && major[1] != '.'))
		return err_set(e, ERR_FAILED, -EINVAL,
			       "its schema is \"%s\", this lsbench reads \"" RESULTS_SCHEMA "/%d\"; "
			       "use the lsbench that wrote it or a newer one",
			       shown, RESULTS_SCHEMA_MAJOR);
	return 0;
}

static int decode_seed(const json_t *line, uint64_t *ret, struct err *e)
{
	const json_t *v = get(line, "seed");

	/* Above INT64_MAX a seed is written as text. */
	if (json_is_string(v))
		return num_parse_u64("seed", json_string_value(v), 0, UINT64_MAX, ret, e) < 0
			       ? (e->class = ERR_FAILED, e->code)
			       : 0;
	return get_u64(line, "seed", INT64_MAX, ret, e);
}

static int decode_run_warnings(const json_t *line, struct run_info *run, struct err *e)
{
	const json_t *array, *v;
	size_t i;

	if (get_array(line, "warnings", &array, e) < 0 || !array)
		return e->code;
	json_array_foreach (array, i, v) {
		char sentence[sizeof(run->warnings[0])];

		if (!json_is_string(v))
			return bad_value("warnings", v, "a list of texts", e);
		copy_text(sentence, sizeof(sentence), json_string_value(v));
		run_warn(run, "%s", sentence);
	}
	return 0;
}

int results_decode_run(const json_t *line, struct run_info *run, struct err *e)
{
	const json_t *build, *kind = json_object_get(line, "kind");

	if (check_schema(line, e) < 0)
		return e->code;
	if (!json_is_string(kind) || strcmp(json_string_value(kind), "run") != 0)
		return err_set(e, ERR_FAILED, -EINVAL, "the first line is not the run line (\"kind\": \"run\")");
	if (get_text(line, "tool", run->tool, sizeof(run->tool), e) < 0 ||
	    get_text(line, "started", run->started, sizeof(run->started), e) < 0 ||
	    get_text(line, "engine", run->engine, sizeof(run->engine), e) < 0 ||
	    get_text(line, "accel", run->accel, sizeof(run->accel), e) < 0 ||
	    get_name(line, "unit", run->unit, sizeof(run->unit), e) < 0 || decode_seed(line, &run->seed, e) < 0 ||
	    get_text(line, "boot", run->boot, sizeof(run->boot), e) < 0 ||
	    get_text(line, "label", run->label, sizeof(run->label), e) < 0 ||
	    get_text(line, "trigger_why_not", run->trigger_why_not, sizeof(run->trigger_why_not), e) < 0 ||
	    decode_argv(line, run, e) < 0 || decode_machine(line, &run->machine, e) < 0 ||
	    decode_run_warnings(line, run, e) < 0 || get_object(line, "build", &build, e) < 0)
		return e->code;
	/* Figures without their unit are nothing; a unit not known here cannot be called ns. */
	if (strcmp(run->unit, "ns") != 0 && strcmp(run->unit, "insn") != 0)
		return err_set(e, ERR_FAILED, -EINVAL, "the run's \"unit\" is neither \"ns\" nor \"insn\"");
	if (build && (get_text(build, "lsbench", run->version, sizeof(run->version), e) < 0 ||
		      get_text(build, "libbpf", run->libbpf, sizeof(run->libbpf), e) < 0 ||
		      get_text(build, "clang", run->clang, sizeof(run->clang), e) < 0))
		return e->code;
	return 0;
}

int results_decode_notes(const json_t *line, struct run_info *run, struct err *e)
{
	if (get_real(line, "setup_storage_ms", MS_MAX, &run->setup_storage_ms, e) < 0 ||
	    get_real(line, "setup_hash_ms", MS_MAX, &run->setup_hash_ms, e) < 0)
		return e->code;
	return decode_run_warnings(line, run, e);
}

/* ---- rows ---- */

static int decode_params(const json_t *line, struct params *ret, struct err *e)
{
	const json_t *object, *v;
	const char *name;
	bool fits;

	if (get_object(line, "params", &object, e) < 0 || !object)
		return e->code;
	if (json_object_size(object) > PARAMS_MAX)
		return err_set(e, ERR_FAILED, -EINVAL, "\"params\" has %zu members, at most %d are read",
			       json_object_size(object), PARAMS_MAX);
	json_object_foreach ((json_t *)object, name, v) {
		if (json_is_integer(v) && json_integer_value(v) >= 0)
			fits = params_set_num(ret, name, (uint64_t)json_integer_value(v));
		else if (json_is_string(v))
			fits = params_set_text(ret, name, json_string_value(v));
		else
			return bad_value("params", v, "whole numbers from 0 or texts as values", e);
		if (!fits)
			return bad_value("params", v, "names and texts of at most 31 bytes", e);
	}
	return 0;
}

int results_decode_point_id(const json_t *line, struct point *ret, int *ret_order, struct err *e)
{
	struct point p = { .bench = "" };
	int order = -1;

	if (get_name(line, "bench", p.bench, sizeof(p.bench), e) < 0 || decode_params(line, &p.params, e) < 0 ||
	    get_name(line, "store", p.store, sizeof(p.store), e) < 0 ||
	    get_name(line, "trigger", p.trigger, sizeof(p.trigger), e) < 0 ||
	    get_name(line, "loop", p.loop, sizeof(p.loop), e) < 0 || get_int(line, "row", INT_MAX - 1, &order, e) < 0)
		return e->code;
	if (!p.bench[0])
		return err_set(e, ERR_FAILED, -EINVAL, "the line names no \"bench\"");
	*ret = p;
	*ret_order = order;
	return 0;
}

static int decode_counters(const json_t *line, struct counters *c, struct err *e)
{
	const json_t *o;

	if (get_object(line, "counters", &o, e) < 0 || !o)
		return e->code;
	if (get_u64(o, "ops", RESULTS_COUNT_MAX, &c->ops, e) < 0 ||
	    get_u64(o, "hits", RESULTS_COUNT_MAX, &c->hits, e) < 0 ||
	    get_u64(o, "important_hits", RESULTS_COUNT_MAX, &c->important_hits, e) < 0 ||
	    get_u64(o, "nulls", RESULTS_COUNT_MAX, &c->nulls, e) < 0 ||
	    get_u64(o, "errors", RESULTS_COUNT_MAX, &c->errors, e) < 0)
		return e->code;
	return 0;
}

int results_decode_rep(const json_t *line, struct rep *ret, struct err *e)
{
	struct rep rep = {
		.t = NAN, .cpu = -1, .ghz = NAN, .gross = NAN, .overhead = NAN, .steal = NAN, .setup_ms = NAN
	};
	uint64_t nivcsw = 0;

	if (get_int(line, "trial", INT_MAX, &rep.trial, e) < 0 || get_real(line, "t", SECONDS_MAX, &rep.t, e) < 0 ||
	    get_int(line, "cpu", INT_MAX, &rep.cpu, e) < 0 || get_real(line, "ghz", GHZ_MAX, &rep.ghz, e) < 0 ||
	    get_real(line, "gross", RESULTS_COST_MAX, &rep.gross, e) < 0 ||
	    get_real(line, "overhead", RESULTS_COST_MAX, &rep.overhead, e) < 0 ||
	    get_u64(line, "batches", RESULTS_COUNT_MAX, &rep.batches, e) < 0 ||
	    get_u64(line, "nivcsw", LONG_MAX, &nivcsw, e) < 0 || get_real(line, "steal", 1, &rep.steal, e) < 0 ||
	    get_bool(line, "evicted", &rep.evicted, e) < 0 ||
	    get_real(line, "setup_ms", MS_MAX, &rep.setup_ms, e) < 0 || decode_counters(line, &rep.counters, e) < 0)
		return e->code;
	rep.nivcsw = (long)nivcsw;
	*ret = rep;
	return 0;
}

static int decode_slots(const json_t *line, struct row_slots *ret, struct err *e)
{
	struct row_slots s = { .miss_share = NAN, .miss_share_audited = NAN };
	const json_t *o, *used, *v;
	size_t i;

	if (get_object(line, "slots", &o, e) < 0 || !o)
		return e->code;
	if (get_bool(o, "seen", &s.seen, e) < 0 || get_real(o, "miss_share", 1, &s.miss_share, e) < 0 ||
	    get_real(o, "miss_share_audited", 1, &s.miss_share_audited, e) < 0 || get_array(o, "used", &used, e) < 0)
		return e->code;
	if (json_array_size(used) > SLOTS_MAX)
		return err_set(e, ERR_FAILED, -EINVAL, "\"used\" names %zu slots, at most %d are read",
			       json_array_size(used), SLOTS_MAX);
	json_array_foreach (used, i, v) {
		if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > UINT32_MAX)
			return bad_value("used", v, "numbers of maps", e);
		s.used[s.n++] = (uint32_t)json_integer_value(v);
	}
	*ret = s;
	return 0;
}

static int decode_row_warnings(const json_t *line, struct row *row, struct err *e)
{
	const json_t *array, *v;
	size_t i;

	if (get_array(line, "warnings", &array, e) < 0 || !array)
		return e->code;
	row->nr_warnings = 0;
	json_array_foreach (array, i, v) {
		char name[sizeof(row->warnings[0])];

		if (!json_is_string(v))
			return bad_value("warnings", v, "a list of texts", e);
		copy_text(name, sizeof(name), json_string_value(v));
		row_warn(row, name);
	}
	return 0;
}

int results_decode_point(const json_t *line, struct row *row, struct err *e)
{
	char outcome[32] = "ok", stopped[32] = "";

	if (get_text(line, "outcome", outcome, sizeof(outcome), e) < 0 ||
	    get_text(line, "stopped_by", stopped, sizeof(stopped), e) < 0 ||
	    get_text(line, "reason", row->reason, sizeof(row->reason), e) < 0 ||
	    get_real(line, "setup_ms", MS_MAX, &row->setup_ms, e) < 0 || decode_slots(line, &row->slots, e) < 0 ||
	    decode_row_warnings(line, row, e) < 0)
		return e->code;
	/* Words of a newer lsbench: a row of unknown outcome must not pass for good; why it stopped is no matter. */
	if (!outcome_from_name(outcome, &row->outcome)) {
		char shown[sizeof(outcome)];

		str_printable(shown, sizeof(shown), outcome);
		row->outcome = OUTCOME_FAILED;
		snprintf(row->reason, sizeof(row->reason), "its outcome \"%s\" is not known to this lsbench", shown);
	}
	if (!stopped_by_from_name(stopped, &row->stopped_by))
		row->stopped_by = STOPPED_NOT;
	return 0;
}

int results_decode_end(const json_t *line, int *ret_points, int *ret_exit, struct err *e)
{
	*ret_points = -1;
	*ret_exit = 0;
	if (get_int(line, "points", INT_MAX, ret_points, e) < 0 || get_int(line, "exit", 255, ret_exit, e) < 0)
		return e->code;
	return 0;
}
