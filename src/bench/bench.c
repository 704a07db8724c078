// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of benchmarks, made by make from the files in this folder, and the checks of their parameters. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/bench.h"
#include "lib/num.h"
#include "lib/str.h"
#include "registry_bench.inc"

#define DECLARE(name) extern const struct bench bench_##name;
REGISTRY_bench(DECLARE)

#define ENTRY(name) &bench_##name,
	const struct bench *const benches[] = { REGISTRY_bench(ENTRY) NULL };

#define PARAM_NAMES_MAX 32

const struct bench *bench_find(const char *name)
{
	for (size_t i = 0; benches[i]; i++)
		if (strcmp(benches[i]->name, name) == 0)
			return benches[i];
	return NULL;
}

static const struct bench_param *find_param(const struct bench *b, const char *name)
{
	for (const struct bench_param *p = b->params; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

/* "a, b and c" */
static void join_words(char *buf, size_t size, const char *const *words)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; words[i] && len < size; i++) {
		const char *glue = i == 0 ? "" : words[i + 1] ? ", " : " and ";
		int n = snprintf(buf + len, size - len, "%s%s", glue, words[i]);

		len += n > 0 ? (size_t)n : 0;
	}
}

static int unknown_param(const struct bench *b, const char *option, struct err *e)
{
	const char *names[PARAM_NAMES_MAX + 1] = { NULL };
	char list[256];
	size_t n = 0;

	for (const struct bench_param *p = b->params; p->name && n < PARAM_NAMES_MAX; p++)
		names[n++] = p->name;
	join_words(list, sizeof(list), names);
	return err_set(e, ERR_USAGE, -EINVAL, "%s: %s has no such parameter; it has %s", option, b->name, list);
}

static int check_choice(const struct bench_param *param, const char *option, const char *value, struct err *e)
{
	const char *near = str_nearest(value, param->choices);
	char list[128];

	for (size_t i = 0; param->choices[i]; i++)
		if (strcmp(param->choices[i], value) == 0)
			return 0;
	join_words(list, sizeof(list), param->choices);
	if (near)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: '%s' is not one of %s; the nearest is '%s'", option, value,
			       list, near);
	return err_set(e, ERR_USAGE, -EINVAL, "%s: '%s' is not one of %s", option, value, list);
}

int bench_set_param(const struct bench *b, const char *option, const char *name, const char *value, struct params *p,
		    struct err *e)
{
	const struct bench_param *param = find_param(b, name);
	uint64_t num;
	int rc;

	if (!param)
		return unknown_param(b, option, e);
	if (param->choices) {
		rc = check_choice(param, option, value, e);
		if (!rc && !params_set_text(p, name, value))
			rc = err_set(e, ERR_USAGE, -E2BIG, "%s: more than %d parameters", option, PARAMS_MAX);
		return rc;
	}
	rc = num_parse_u64(option, value, param->min, param->max, &num, e);
	if (!rc && !params_set_num(p, name, num))
		rc = err_set(e, ERR_USAGE, -E2BIG, "%s: more than %d parameters", option, PARAMS_MAX);
	return rc;
}

static int check_value(const struct bench *b, const struct bench_param *param, const struct param *v, struct err *e)
{
	if (param->choices) {
		if (v->is_num)
			return err_set(e, ERR_USAGE, -EINVAL, "%s of %s: %" PRIu64 " is a number, expected a word",
				       param->name, b->name, v->num);
		return check_choice(param, param->name, v->text, e);
	}
	if (!v->is_num)
		return err_set(e, ERR_USAGE, -EINVAL, "%s of %s: '%s' is not a number", param->name, b->name, v->text);
	if (v->num < param->min || v->num > param->max)
		return err_set(e, ERR_USAGE, -ERANGE,
			       "--%s of %s: '%" PRIu64 "' is out of range; expected %" PRIu64 " to %" PRIu64,
			       param->name, b->name, v->num, param->min, param->max);
	return 0;
}

static bool put_default(const struct bench_param *param, struct params *p)
{
	return param->choices ? params_set_text(p, param->name, param->dflt_text)
			      : params_set_num(p, param->name, param->dflt);
}

int bench_complete_params(const struct bench *b, struct params *p, struct err *e)
{
	struct params complete = { 0 };
	int rc;

	for (int i = 0; i < p->n; i++)
		if (!find_param(b, p->v[i].name))
			return unknown_param(b, p->v[i].name, e);
	for (const struct bench_param *param = b->params; param->name; param++) {
		const struct param *given = params_find(p, param->name);

		if (given) {
			rc = check_value(b, param, given, e);
			if (rc)
				return rc;
			complete.v[complete.n++] = *given; /* no more than p has, and the defaults are checked below */
		} else if (!put_default(param, &complete)) {
			return err_set(e, ERR_USAGE, -E2BIG, "%s: more than %d parameters", b->name, PARAMS_MAX);
		}
		if (complete.n >= PARAMS_MAX && param[1].name)
			return err_set(e, ERR_USAGE, -E2BIG, "%s: more than %d parameters", b->name, PARAMS_MAX);
	}
	rc = b->check ? b->check(&complete, e) : 0;
	if (!rc)
		*p = complete;
	return rc;
}
