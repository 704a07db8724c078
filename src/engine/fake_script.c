// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The script of the fake engine: JSON Lines, checked whole when it is opened, so that a typing slip is an error with
 * its line and never a figure that silently does not apply.
 */
#include "engine/fake_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define SCRIPT_BYTES_MAX (16u * 1024 * 1024)
#define NUMBER_MAX 1e9
#define COUNT_MAX INT64_C(1000000000000000)

enum value_type { T_FIGURE, T_NUMBER, T_COUNT, T_TEXT, T_BOOL, T_ERRNO, T_CLASS, T_PLACE, T_SIGNAL, T_MATCH };

static const char *const type_texts[] = {
	[T_FIGURE] = "a number from 0 to 1e9, or a list of them",
	[T_NUMBER] = "a number from 0 to 1e9",
	[T_COUNT] = "a whole number >= 0",
	[T_TEXT] = "a text",
	[T_BOOL] = "true or false",
	[T_ERRNO] = "the name or number of an errno",
	[T_CLASS] = "\"machine\", \"failed\" or \"usage\"",
	[T_PLACE] = "\"open\", \"resolve\", \"setup\", \"enter\", \"batch\" or \"audit\"",
	[T_SIGNAL] = "the name or number of a signal",
	[T_MATCH] = "an object",
};

static const struct field {
	const char *name;
	enum value_type type;
} fields[] = {
	{ "match", T_MATCH },	    { "gross", T_FIGURE },     { "overhead", T_FIGURE },   { "noise", T_NUMBER },
	{ "nulls", T_COUNT },	    { "errors", T_COUNT },     { "uncounted", T_COUNT },   { "audit_misses", T_COUNT },
	{ "miss_share", T_NUMBER }, { "errno", T_ERRNO },      { "class", T_CLASS },	   { "at", T_PLACE },
	{ "message", T_TEXT },	    { "delay_ms", T_NUMBER },  { "delay_at", T_PLACE },	   { "die", T_SIGNAL },
	{ "hang", T_BOOL },	    { "evicted", T_BOOL },     { "visits_match", T_BOOL }, { "real_time", T_BOOL },
	{ "loop", T_TEXT },	    { "trigger", T_TEXT },     { "unsupported", T_TEXT },  { "storage_ms", T_NUMBER },
	{ "hash_ms", T_NUMBER },    { "random_seed", T_BOOL }, { "slots_seen", T_BOOL },
};

static const struct name_number {
	const char *name;
	int number;
} errnos[] = {
	{ "EPERM", EPERM },   { "ENOENT", ENOENT }, { "EINTR", EINTR },	  { "EIO", EIO },	  { "E2BIG", E2BIG },
	{ "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EBUSY", EBUSY },	  { "EEXIST", EEXIST },
	{ "EINVAL", EINVAL }, { "ENFILE", ENFILE }, { "EMFILE", EMFILE }, { "ENOSPC", ENOSPC },	  { "ERANGE", ERANGE },
	{ "ENOSYS", ENOSYS }, { "EPROTO", EPROTO }, { "ENODEV", ENODEV }, { "ETIMEDOUT", ETIMEDOUT },
	{ "EOPNOTSUPP", EOPNOTSUPP }, { NULL, 0 },
}, places[] = {
	{ "open", FAKE_OPEN },	 { "resolve", FAKE_RESOLVE }, { "setup", FAKE_SETUP }, { "enter", FAKE_ENTER },
	{ "batch", FAKE_BATCH }, { "audit", FAKE_AUDIT },     { NULL, 0 },
}, classes[] = {
	{ "machine", ERR_MACHINE }, { "failed", ERR_FAILED }, { "usage", ERR_USAGE }, { NULL, 0 },
};

static int number_of(const struct name_number *list, const char *name)
{
	for (; list->name; list++)
		if (strcmp(list->name, name) == 0)
			return list->number;
	return 0;
}

/* 0: not one that ends a process and can be raised. */
static int signal_of(const json_t *v)
{
	const char *text = json_string_value(v);

	if (json_is_integer(v))
		return json_integer_value(v) > 0 && json_integer_value(v) < 32 ? (int)json_integer_value(v) : 0;
	for (int sig = 1; text && sig < 32; sig++)
		if (strncmp(text, "SIG", 3) == 0 && sigabbrev_np(sig) && strcmp(text + 3, sigabbrev_np(sig)) == 0)
			return sig;
	return 0;
}

static int errno_of(const json_t *v)
{
	if (json_is_integer(v))
		return json_integer_value(v) > 0 && json_integer_value(v) < 4096 ? (int)json_integer_value(v) : 0;
	return json_is_string(v) ? number_of(errnos, json_string_value(v)) : 0;
}

/* ---- checking ---- */

static bool is_number(const json_t *v)
{
	return json_is_number(v) && json_number_value(v) >= 0 && json_number_value(v) <= NUMBER_MAX;
}

static bool is_count(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= COUNT_MAX;
}

static bool is_figure(const json_t *v)
{
	if (!json_is_array(v))
		return is_number(v);
	for (size_t i = 0; i < json_array_size(v); i++)
		if (!is_number(json_array_get(v, i)))
			return false;
	return json_array_size(v) > 0;
}

static bool has_type(const json_t *v, enum value_type type)
{
	switch (type) {
	case T_FIGURE:
		return is_figure(v);
	case T_NUMBER:
		return is_number(v);
	case T_COUNT:
		return is_count(v);
	case T_TEXT:
		return json_is_string(v);
	case T_BOOL:
		return json_is_boolean(v);
	case T_ERRNO:
		return errno_of(v) != 0;
	case T_CLASS:
		return json_is_string(v) && number_of(classes, json_string_value(v));
	case T_PLACE:
		return json_is_string(v) && number_of(places, json_string_value(v));
	case T_SIGNAL:
		return signal_of(v) != 0;
	case T_MATCH:
		return json_is_object(v);
	}
	return false;
}

static bool is_param(const char *name)
{
	for (size_t i = 0; benches[i]; i++)
		for (const struct bench_param *p = benches[i]->params; p->name; p++)
			if (strcmp(p->name, name) == 0)
				return true;
	return false;
}

static int check_match(const char *where, json_t *match, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach (match, key, v) {
		bool text = strcmp(key, "bench") == 0 || strcmp(key, "store") == 0;
		bool count = strcmp(key, "trial") == 0;

		if (!text && !count && !is_param(key))
			return err_set(e, ERR_USAGE, -EINVAL,
				       "%s: match: '%s' is no parameter of a benchmark, nor bench, store or trial",
				       where, key);
		if ((text && !json_is_string(v)) || (count && !is_count(v)) || (!json_is_string(v) && !is_count(v)))
			return err_set(e, ERR_USAGE, -EINVAL, "%s: match: the value of '%s' is not %s", where, key,
				       text    ? "a text"
				       : count ? "a whole number >= 0"
					       : "a text or a whole number >= 0");
		if (strcmp(key, "bench") == 0 && !bench_find(json_string_value(v)))
			return err_set(e, ERR_USAGE, -EINVAL, "%s: match: there is no benchmark '%s'", where,
				       json_string_value(v));
	}
	return 0;
}

static int check_field(const char *where, const char *key, json_t *v, struct err *e)
{
	const char *names[ARRAY_SIZE(fields) + 1] = { NULL };
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		names[i] = fields[i].name;
		if (strcmp(fields[i].name, key))
			continue;
		if (fields[i].type == T_MATCH && json_is_object(v))
			return check_match(where, v, e);
		/* null takes a field back to what it is without a script. */
		if (has_type(v, fields[i].type) || (json_is_null(v) && fields[i].type != T_MATCH))
			return 0;
		return err_set(e, ERR_USAGE, -EINVAL, "%s: '%s' is not %s", where, key, type_texts[fields[i].type]);
	}
	near = str_nearest(key, names);
	return err_set(e, ERR_USAGE, -EINVAL, "%s: unknown field '%s'%s%s", where, key, near ? "; the nearest is " : "",
		       near ? near : "");
}

/* Death and endless waiting are for children: in the parent they would be the test's own end. */
static int check_rule(const char *where, json_t *line, struct err *e)
{
	const json_t *at = json_object_get(line, "at"), *match = json_object_get(line, "match");
	int place = json_is_string(at) ? number_of(places, json_string_value(at)) : FAKE_NOWHERE;

	if ((place == FAKE_OPEN || place == FAKE_RESOLVE) &&
	    (json_object_get(line, "die") || json_is_true(json_object_get(line, "hang"))))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: die and hang happen in a trial: at setup, enter, batch or audit", where);
	if (place == FAKE_OPEN && match && json_object_size(match))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s: no row is known yet at open: a line with a match never applies", where);
	return 0;
}

/* ---- lines ---- */

static int check_line(struct fake_script *s, const char *where, json_t *line, struct err *e)
{
	json_t *machine = json_object_get(line, "machine"), *run = json_object_get(line, "run"), *v;
	const char *key;

	if (!json_is_object(line))
		return err_set(e, ERR_USAGE, -EINVAL, "%s: a line is an object {...}", where);
	if (json_is_object(machine) && json_object_size(line) == 1) {
		s->machine = machine;
		return fake_machine_check(where, machine, e);
	}
	if (json_is_object(run) && json_object_size(line) == 1) {
		s->run = run;
		return fake_run_check(where, run, e);
	}
	json_object_foreach (line, key, v)
		if (check_field(where, key, v, e))
			return e->code;
	return check_rule(where, line, e);
}

/* ---- reading ---- */

static int read_whole(const char *path, char **ret_text, size_t *ret_len, struct err *e)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *text = malloc(SCRIPT_BYTES_MAX + 1);
	size_t len;

	if (!f)
		return err_set(e, ERR_FAILED, -errno, "%s: %s", path, strerror(errno));
	if (!text)
		return err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", path);
	len = fread(text, 1, SCRIPT_BYTES_MAX + 1, f);
	if (ferror(f))
		return err_set(e, ERR_FAILED, errno ? -errno : -EIO, "%s: %s", path, strerror(errno ? errno : EIO));
	if (len > SCRIPT_BYTES_MAX)
		return err_set(e, ERR_USAGE, -EFBIG, "%s: a script has at most %u bytes", path, SCRIPT_BYTES_MAX);
	*ret_text = take_ptr(text);
	*ret_len = len;
	return 0;
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r", line[i]) || !line[i])
			return false;
	return true;
}

static int take_line(struct fake_script *s, const char *where, const char *text, size_t len, struct err *e)
{
	json_error_t je;
	json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &je);

	if (!line)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: not JSON: %s", where, je.text);
	if (json_array_append_new(s->lines, line))
		return err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", where);
	return check_line(s, where, line, e);
}

int fake_script_read(const char *path, struct fake_script *ret, struct err *e)
{
	struct fake_script s = { .path = strdup(path), .lines = json_array() };
	_cleanup_free_ char *text = NULL;
	size_t len = 0, start = 0;
	int rc = 0;

	if (!s.path || !s.lines)
		rc = err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", path);
	if (!rc)
		rc = read_whole(path, &text, &len, e);
	for (int nr = 1; !rc && start < len; nr++) {
		const char *nl = memchr(text + start, '\n', len - start);
		size_t n = nl ? (size_t)(nl - text) - start : len - start;
		char where[512];

		snprintf(where, sizeof(where), "%s:%d", path, nr);
		if (!is_blank(text + start, n))
			rc = take_line(&s, where, text + start, n, e);
		start += n + 1;
	}
	if (!rc && json_array_size(s.lines) == 0)
		rc = err_set(e, ERR_USAGE, -EINVAL, "%s: the script is empty: it has no figure to play", path);
	if (rc)
		fake_script_free(&s);
	else
		*ret = s;
	return rc;
}

void fake_script_free(struct fake_script *s)
{
	free(s->path);
	json_decref(s->lines);
	memset(s, 0, sizeof(*s));
}

/* ---- what it says ---- */

static bool param_matches(const struct point *p, const char *name, const json_t *want)
{
	const struct param *have = params_find(&p->params, name);

	if (!have || have->is_num != json_is_integer(want))
		return false;
	return have->is_num ? have->num == (uint64_t)json_integer_value(want)
			    : strcmp(have->text, json_string_value(want)) == 0;
}

static bool matches(json_t *line, const struct point *p, int trial, bool in_any_trial)
{
	json_t *match = json_object_get(line, "match"), *v;
	const char *key;

	json_object_foreach (match, key, v) {
		if (strcmp(key, "trial") == 0) {
			if (!in_any_trial && json_integer_value(v) != trial)
				return false;
		} else if (!p) {
			return false;
		} else if (strcmp(key, "bench") == 0) {
			if (strcmp(json_string_value(v), p->bench))
				return false;
		} else if (strcmp(key, "store") == 0) {
			if (strcmp(json_string_value(v), p->store))
				return false;
		} else if (!param_matches(p, key, v)) {
			return false;
		}
	}
	return true;
}

/* Not one of the lines about machine and run, which have a single field. */
static bool is_rule(const json_t *line)
{
	return !json_object_get(line, "machine") && !json_object_get(line, "run");
}

static const json_t *number_or(const json_t *v, double dflt, double *ret)
{
	if (v)
		*ret = json_is_null(v) ? dflt : json_number_value(v);
	return v;
}

static void count_or_zero(const json_t *v, uint64_t *ret)
{
	if (v)
		*ret = json_is_null(v) ? 0 : (uint64_t)json_integer_value(v);
}

static void bool_or(const json_t *v, bool dflt, bool *ret)
{
	if (v)
		*ret = json_is_null(v) ? dflt : json_is_true(v);
}

static void text_or_null(const json_t *v, const char **ret)
{
	if (v)
		*ret = json_string_value(v); /* NULL for null */
}

static void apply_error(json_t *line, struct fake_cfg *c)
{
	const json_t *v = json_object_get(line, "errno");

	if (v)
		c->error = errno_of(v);
	v = json_object_get(line, "class");
	if (v)
		c->class = json_is_null(v) ? ERR_FAILED : (enum err_class)number_of(classes, json_string_value(v));
	v = json_object_get(line, "at");
	if (v)
		c->at = json_is_null(v) ? FAKE_BATCH : (enum fake_place)number_of(places, json_string_value(v));
	v = json_object_get(line, "delay_at");
	if (v)
		c->delay_at = json_is_null(v) ? FAKE_BATCH : (enum fake_place)number_of(places, json_string_value(v));
	v = json_object_get(line, "die");
	if (v)
		c->die = signal_of(v);
	text_or_null(json_object_get(line, "message"), &c->message);
	number_or(json_object_get(line, "delay_ms"), 0, &c->delay_ms);
	bool_or(json_object_get(line, "hang"), false, &c->hang);
}

static void apply(json_t *line, struct fake_cfg *c)
{
	const json_t *v = json_object_get(line, "gross");
	double misses = 0;

	if (v)
		c->gross = json_is_null(v) ? NULL : v;
	v = json_object_get(line, "overhead");
	if (v)
		c->overhead = json_is_null(v) ? NULL : v;
	number_or(json_object_get(line, "noise"), 0, &c->noise);
	count_or_zero(json_object_get(line, "nulls"), &c->nulls);
	count_or_zero(json_object_get(line, "errors"), &c->errors);
	count_or_zero(json_object_get(line, "uncounted"), &c->uncounted);
	v = number_or(json_object_get(line, "audit_misses"), 0, &misses);
	if (v) {
		c->audit_misses_given = !json_is_null(v);
		c->audit_misses = (uint64_t)misses;
	}
	number_or(json_object_get(line, "miss_share"), NAN, &c->miss_share);
	bool_or(json_object_get(line, "evicted"), false, &c->evicted);
	bool_or(json_object_get(line, "visits_match"), true, &c->visits_match);
	bool_or(json_object_get(line, "real_time"), false, &c->real_time);
	text_or_null(json_object_get(line, "loop"), &c->loop);
	text_or_null(json_object_get(line, "trigger"), &c->trigger);
	text_or_null(json_object_get(line, "unsupported"), &c->unsupported);
	number_or(json_object_get(line, "storage_ms"), NAN, &c->storage_ms);
	number_or(json_object_get(line, "hash_ms"), NAN, &c->hash_ms);
	bool_or(json_object_get(line, "random_seed"), false, &c->random_seed);
	bool_or(json_object_get(line, "slots_seen"), true, &c->slots_seen);
	apply_error(line, c);
}

void fake_script_get(const struct fake_script *s, const struct point *p, int trial, struct fake_cfg *ret)
{
	*ret = (struct fake_cfg){
		.miss_share = NAN,
		.class = ERR_FAILED,
		.at = FAKE_BATCH,
		.delay_at = FAKE_BATCH,
		.visits_match = true,
		.slots_seen = true,
		.storage_ms = NAN,
		.hash_ms = NAN,
	};
	for (size_t i = 0; i < json_array_size(s->lines); i++) {
		json_t *line = json_array_get(s->lines, i);

		if (is_rule(line) && matches(line, p, trial, false))
			apply(line, ret);
	}
}

bool fake_script_has_gross(const struct fake_script *s, const struct point *p)
{
	for (size_t i = 0; i < json_array_size(s->lines); i++) {
		json_t *line = json_array_get(s->lines, i);
		const json_t *gross = json_object_get(line, "gross");

		if (gross && !json_is_null(gross) && matches(line, p, 0, true))
			return true;
	}
	return false;
}

double fake_script_number(const json_t *value, int trial)
{
	if (json_is_array(value))
		value = json_array_get(value, (size_t)trial % json_array_size(value));
	return json_number_value(value);
}
