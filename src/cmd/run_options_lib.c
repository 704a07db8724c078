// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of `lsbench run`. Not obvious: a benchmark's parameter may stand before the benchmark on the command
 * line, so values are kept as text until all words are read; and two benchmarks may have a parameter of the same name,
 * which is one option that means what the benchmark says.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/abi.h"
#include "cmd/run_lib.h"
#include "lib/cleanup.h"
#include "lib/num.h"
#include "lib/str.h"

#define SECONDS_MAX 86400
#define PRODUCERS_MAX LSB_PRODUCERS_MAX
#define CPUS_MAX 8192 /* the most a kernel can be configured for */
#define PARAM_OPTIONS_MAX 64
#define BENCHES_MAX 64

enum {
	KEY_PROD_AFFINITY = 0x600,
	KEY_CONS_AFFINITY,
	KEY_CPU,
	KEY_PARAM = 0x1000, /* and on: param_names[key - KEY_PARAM] */
};

static const struct argp_option fixed[] = {
	{ NULL, 0, NULL, 0, "What is measured, and how long:", 1 },
	{ "list", 'l', NULL, 0, "print the names of the benchmarks", 1 },
	{ "duration", 'd', "SEC", 0, "seconds that are counted (default 5)", 1 },
	{ "warmup", 'w', "SEC", 0, "seconds before that (default 1)", 1 },
	{ "producers", 'p', "NUM", 0, "threads that run the benchmark at once (default 1)", 1 },
	{ "consumers", 'c', "NUM", 0, "0: no benchmark here has consumers (default 0)", 1 },
	{ NULL, 0, NULL, 0, "How:", 3 },
	{ "affinity", 'a', NULL, 0, "pin each producer to a CPU of its own, from the first allowed one on", 3 },
	{ "prod-affinity", KEY_PROD_AFFINITY, "CPUSET", 0, "pin the producers to these CPUs, such as 0-3,5", 3 },
	{ "cons-affinity", KEY_CONS_AFFINITY, "CPUSET", 0, "checked, but without consumers there is nothing to pin",
	  3 },
	{ "cpu", KEY_CPU, "N", 0, "pin the only producer to this CPU, or none: do not pin (default none)", 3 },
	MEASURE_OPTIONS(3),
	{ "verbose", 'v', NULL, 0, "say what is set up, and print the verifier's log where a program is refused", 3 },
	{ "quiet", 'q', NULL, 0, "print the Summary line only", 3 },
	{ NULL, 0, NULL, 0, "Parameters of the benchmarks:", 2 },
};

/* Made once, from the registry; nothing but the table below depends on it. */
static struct argp_option table[ARRAY_SIZE(fixed) + PARAM_OPTIONS_MAX + 1];
static const char *param_names[PARAM_OPTIONS_MAX];
static char param_docs[PARAM_OPTIONS_MAX][1024];
static int nr_params;

static const struct bench_param *find_param(const struct bench *b, const char *name)
{
	for (const struct bench_param *p = b->params; p && p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/* ---- the table ---- */

static bool same_meaning(const struct bench_param *a, const struct bench_param *b)
{
	return !strcmp(a->doc, b->doc) && a->choices == b->choices && a->min == b->min && a->max == b->max &&
	       a->dflt == b->dflt;
}

__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

static void describe_values(const struct bench_param *p, char *buf, size_t size)
{
	append(buf, size, "%s%s: ", buf[0] ? "; " : "", p->doc);
	for (size_t i = 0; p->choices && p->choices[i]; i++)
		append(buf, size, "%s%s", i ? " or " : "", p->choices[i]);
	if (!p->choices)
		append(buf, size, "%" PRIu64 " to %" PRIu64, p->min, p->max);
	if (p->choices)
		append(buf, size, " (default %s)", p->dflt_text);
	else
		append(buf, size, " (default %" PRIu64 ")", p->dflt);
}

/* Each meaning once, with the benchmarks that have it. */
static void describe_param(const char *name, char *buf, size_t size)
{
	for (size_t i = 0; benches[i]; i++) {
		const struct bench_param *p = find_param(benches[i], name);
		bool told = !p;

		for (size_t k = 0; k < i && !told; k++) {
			const struct bench_param *before = find_param(benches[k], name);

			told = before && same_meaning(before, p);
		}
		if (told)
			continue;
		describe_values(p, buf, size);
		append(buf, size, ", of %s", benches[i]->name);
		for (size_t k = i + 1; benches[k]; k++) {
			const struct bench_param *other = find_param(benches[k], name);

			if (other && same_meaning(other, p))
				append(buf, size, ", %s", benches[k]->name);
		}
	}
}

static void add_param(struct argp_option *to, const struct bench_param *p)
{
	for (int i = 0; i < nr_params; i++)
		if (!strcmp(param_names[i], p->name))
			return;
	if (nr_params == PARAM_OPTIONS_MAX)
		return;
	param_names[nr_params] = p->name;
	describe_param(p->name, param_docs[nr_params], sizeof(param_docs[nr_params]));
	to[nr_params] = (struct argp_option){
		.name = p->name,
		.key = KEY_PARAM + nr_params,
		.arg = p->choices ? "WHICH" : "NUM",
		.doc = param_docs[nr_params],
		.group = 2,
	};
	nr_params++;
}

static int set(void *ctx, int key, const char *name, const char *value, struct err *e);

const struct options *run_option_table(void)
{
	static const struct options options = {
		.command = "lsbench run",
		.args_doc = "BENCH",
		.doc = "Runs one benchmark and prints its rates every second, then a summary, in the lines of the kernel's "
		       "bench (build/bench is this command). A sweep measures more exactly.",
		.table = table,
		.set = set,
	};

	if (nr_params)
		return &options;
	memcpy(table, fixed, sizeof(fixed));
	for (size_t i = 0; benches[i]; i++)
		for (const struct bench_param *p = benches[i]->params; p && p->name; p++)
			add_param(table + ARRAY_SIZE(fixed), p);
	return &options;
}

/* ---- one option ---- */

static int set_cpus(struct run_cpus *cpus, const char *name, const char *value, struct err *e)
{
	int *v;
	size_t n;
	int r = num_parse_cpus(name, value, CPUS_MAX, &v, &n, e);

	if (r)
		return r;
	free(cpus->v);
	*cpus = (struct run_cpus){ .option = name[2] == 'p' ? "--prod-affinity" : "--cons-affinity", .v = v, .n = n };
	return 0;
}

static int keep_value(struct run_command *c, const char *param, const char *value, struct err *e)
{
	if (c->nr_values == RUN_VALUES_MAX)
		return err_set(e, ERR_USAGE, -E2BIG, "more than %d parameters of benchmarks", RUN_VALUES_MAX);
	c->values[c->nr_values++] = (struct run_value){ .param = param, .text = value };
	return 0;
}

static int set_bench(struct run_command *c, const char *value, struct err *e)
{
	if (c->bench_name)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "'%.100s' is one benchmark too many: run takes one, '%.100s' was given first", value,
			       c->bench_name);
	c->bench_name = value;
	return 0;
}

static int set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	struct run_command *c = ctx;
	bool mine;
	int r = measure_set(&c->measure, key, name, value, &mine, e);

	if (mine)
		return r;
	if (key >= KEY_PARAM && key < KEY_PARAM + nr_params)
		return keep_value(c, param_names[key - KEY_PARAM], value, e);
	switch (key) {
	case OPTIONS_ARG:
		return set_bench(c, value, e);
	case 'd':
		return num_parse_u64(name, value, 1, SECONDS_MAX, &c->duration_s, e);
	case 'w':
		return num_parse_u64(name, value, 1, SECONDS_MAX, &c->warmup_s, e);
	case 'p':
		return num_parse_u64(name, value, 1, PRODUCERS_MAX, &c->producers, e);
	case 'c':
		return num_parse_u64(name, value, 0, PRODUCERS_MAX, &c->consumers, e);
	case KEY_PROD_AFFINITY:
		return set_cpus(&c->prod_cpus, name, value, e);
	case KEY_CONS_AFFINITY:
		return set_cpus(&c->cons_cpus, name, value, e);
	case KEY_CPU:
		c->cpu = value;
		return 0;
	case 'l':
		c->list = true;
		return 0;
	case 'a':
		c->affinity = true;
		return 0;
	case 'v':
		c->measure.verbose++;
		return 0;
	case 'q':
		c->measure.quiet = true;
		return 0;
	}
	return 0;
}

void run_command_init(struct run_command *c)
{
	*c = (struct run_command){ .duration_s = 5, .warmup_s = 1, .producers = 1 };
	measure_init(&c->measure);
}

void run_command_free(struct run_command *c)
{
	free(c->prod_cpus.v);
	free(c->cons_cpus.v);
	free(c->cpus);
}

/* ---- do they go together? ---- */

static int find_bench(struct run_command *c, struct err *e)
{
	const char *names[BENCHES_MAX + 1] = { NULL };
	const char *near;

	if (!c->bench_name)
		return err_set(e, ERR_USAGE, -EINVAL, "run which benchmark? `lsbench run --list` names them");
	c->bench = bench_find(c->bench_name);
	if (c->bench)
		return 0;
	for (size_t i = 0; benches[i] && i < BENCHES_MAX; i++)
		names[i] = benches[i]->name;
	near = str_nearest(c->bench_name, names);
	if (near)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown benchmark '%.100s'; did you mean '%s'?", c->bench_name,
			       near);
	return err_set(e, ERR_USAGE, -EINVAL, "unknown benchmark '%.100s'; `lsbench run --list` names them",
		       c->bench_name);
}

static int foreign_param(const struct bench *b, const char *param, struct err *e)
{
	char theirs[512] = "", ours[512] = "";

	for (size_t i = 0; benches[i]; i++)
		if (find_param(benches[i], param))
			append(theirs, sizeof(theirs), "%s%s", theirs[0] ? ", " : "", benches[i]->name);
	for (const struct bench_param *p = b->params; p && p->name; p++)
		append(ours, sizeof(ours), "%s--%s", ours[0] ? ", " : "", p->name);
	return err_set(e, ERR_USAGE, -EINVAL, "--%s is an option of %s; %s has %s", param, theirs, b->name,
		       ours[0] ? ours : "none");
}

static int take_params(struct run_command *c, struct err *e)
{
	int r = 0;

	for (int i = 0; !r && i < c->nr_values; i++) {
		const struct run_value *v = &c->values[i];
		char option[64];

		if (!find_param(c->bench, v->param))
			return foreign_param(c->bench, v->param, e);
		snprintf(option, sizeof(option), "--%s", v->param);
		r = bench_set_param(c->bench, option, v->param, v->text, &c->params, e);
	}
	return r ? r : bench_complete_params(c->bench, &c->params, e);
}

static int check_affinity(const struct run_command *c, struct err *e)
{
	if (c->cpu && (c->affinity || c->prod_cpus.option))
		return err_set(e, ERR_USAGE, -EINVAL, "--cpu and %s both say where producers run: give one of them",
			       c->affinity ? "--affinity" : c->prod_cpus.option);
	if (c->cpu && c->producers > 1)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "--cpu is for one producer, there are %" PRIu64 ": --prod-affinity takes a list of CPUs",
			       c->producers);
	return 0;
}

/* A CPU for every producer: those of --prod-affinity, else with --affinity the first allowed ones. */
static int choose_cpus(struct run_command *c, struct err *e)
{
	const struct run_cpus *given = &c->prod_cpus;
	_cleanup_free_ int *allowed = NULL;
	size_t n = 0;
	int r;

	if (!given->option) {
		r = measure_allowed_cpus(&allowed, &n, e);
		if (r)
			return r;
		if (n < c->producers)
			return err_set(
				e, ERR_USAGE, -EINVAL,
				"--affinity: %" PRIu64
				" producers need as many CPUs, this process may use %zu: start fewer or leave it out",
				c->producers, n);
		c->cpus = take_ptr(allowed);
		return 0;
	}
	r = measure_check_cpus(given->option, given->v, given->n, e);
	if (r)
		return r;
	if (given->n < c->producers)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: %zu CPUs for %" PRIu64 " producers: name one for each",
			       given->option, given->n, c->producers);
	c->cpus = take_ptr(c->prod_cpus.v);
	return 0;
}

static int choose_cpu(struct run_command *c, struct err *e)
{
	int cpu, r = measure_cpu("--cpu", c->cpu, &cpu, e);

	if (r || cpu < 0)
		return r;
	c->cpus = malloc(sizeof(*c->cpus));
	if (!c->cpus)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	c->cpus[0] = cpu;
	return 0;
}

int run_command_check(struct run_command *c, struct err *e)
{
	int r = find_bench(c, e);

	if (!r)
		r = take_params(c, e);
	if (!r && c->consumers)
		r = err_set(e, ERR_USAGE, -EINVAL, "--consumers: %s has no consumers, only 0 is accepted, not %" PRIu64,
			    c->bench->name, c->consumers);
	if (!r)
		r = check_affinity(c, e);
	if (!r && c->cons_cpus.option)
		r = measure_check_cpus(c->cons_cpus.option, c->cons_cpus.v, c->cons_cpus.n, e);
	if (!r && (c->affinity || c->prod_cpus.option))
		r = choose_cpus(c, e);
	else if (!r && c->cpu)
		r = choose_cpu(c, e);
	if (!r)
		r = measure_check(&c->measure, e);
	c->measure.cfg.producers = (uint32_t)c->producers;
	c->measure.cfg.verbose = c->measure.verbose;
	return r;
}
