// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of `lsbench sweep`. Ranges of benchmark parameters are not repeated here: they are looked up in the
 * benchmarks' own tables.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep_lib.h"
#include "core/bench.h"
#include "lib/cleanup.h"
#include "lib/num.h"
#include "lib/outfile.h"
#include "lib/str.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
/* More values of one parameter than this are a slip, not a plan. */
#define LIST_MAX 1000

enum {
	KEY_NR_MAPS = 0x600,
	KEY_NR_KEYS,
	KEY_BENCH,
	KEY_LIST_LEN,
	KEY_HASHMAP_CAPACITY,
	KEY_HASHMAP_FILL,
	KEY_HASHMAP_SEED,
	KEY_HASHMAP_KEY,
	KEY_PRECISION,
	KEY_BUDGET,
	KEY_TRIALS,
	KEY_CPU,
	KEY_ROW_TIME,
	KEY_NO_REFINE,
	KEY_NO_ISOLATING,
	KEY_KEEP_BATCHES,
	KEY_DRY_RUN,
	KEY_FORMAT,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "What is measured:", 1 },
	{ "bench", KEY_BENCH, "NAME", 0,
	  "only this benchmark; again, or with commas, for several "
	  "(default: the published three, and two that isolate a hit and a miss)",
	  1 },
	{ "nr-maps", KEY_NR_MAPS, "LIST", 0, "numbers of maps, such as 1,16..20,100 (default: the published ones)", 1 },
	{ "nr-keys", KEY_NR_KEYS, "LIST", 0, "numbers of keys looked up in the hash (default: the published ones)", 1 },
	{ "list-len", KEY_LIST_LEN, "LIST", 0, "maps that exist in the isolating rows", 1 },
	{ "hashmap-capacity", KEY_HASHMAP_CAPACITY, "N", 0, "entries the hash has room for", 1 },
	{ "hashmap-fill", KEY_HASHMAP_FILL, "WHICH", 0, "keys that are present: all, or only those used", 1 },
	{ "hashmap-seed", KEY_HASHMAP_SEED, "WHICH", 0, "zero (the same chains every time) or random", 1 },
	{ "hashmap-key", KEY_HASHMAP_KEY, "WHICH", 0, "random keys, or the task's own tid", 1 },
	{ "no-isolating", KEY_NO_ISOLATING, NULL, 0, "leave out the rows that isolate a hit and a miss", 1 },
	{ "no-refine", KEY_NO_REFINE, NULL, 0, "add no rows between which the cliff is found", 1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "precision", KEY_PRECISION, "PCT", 0, "a row is done when its interval is within +-PCT % (default 2)", 2 },
	{ "budget", KEY_BUDGET, "TIME", 0, "no new round after this time, such as 90s or 5m; 0: no limit (default 60s)",
	  2 },
	{ "trials", KEY_TRIALS, "MIN:MAX", 0, "repetitions of a row (default 7:31)", 2 },
	{ "row-time", KEY_ROW_TIME, "TIME", 0, "time of a row in a trial (default 80ms)", 2 },
	{ "cpu", KEY_CPU, "N", 0, "measure on this CPU, or none: do not pin (default: the highest one allowed)", 2 },
	{ "keep-batches", KEY_KEEP_BATCHES, NULL, 0, "keep every batch in the results file", 2 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "print the plan and the time it takes, measure nothing", 2 },
	MEASURE_OPTIONS(2),
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "format", KEY_FORMAT, "NAME", 0, "table, selftests, csv or jsonl (default table)", 3 },
	{ "output", 'o', "FILE", 0, "print to FILE", 3 },
	{ "verbose", 'v', NULL, 0, "print the plan, and the verifier's log where a program is refused", 3 },
	{ "quiet", 'q', NULL, 0, "no progress line", 3 },
	{ 0 },
};

static const struct bench_param *find_param(const struct bench *b, const char *name)
{
	for (const struct bench_param *p = b->params; p && p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/* The storage benchmarks and the hash both have nr_maps: the family says which is meant. */
static const struct bench *bench_with_param(enum bench_family family, const char *name)
{
	for (size_t i = 0; benches[i]; i++)
		if (benches[i]->family == family && find_param(benches[i], name))
			return benches[i];
	return NULL;
}

static int no_such_param(const char *option, struct err *e)
{
	return err_set(e, ERR_USAGE, -EINVAL, "%s: no benchmark of this lsbench has such a parameter", option);
}

static int set_list(struct sweep_list *list, enum bench_family family, const char *param, const char *option,
		    const char *value, struct err *e)
{
	const struct bench *b = bench_with_param(family, param);
	const struct bench_param *p = b ? find_param(b, param) : NULL;
	uint64_t *v;
	size_t n;
	int r;

	if (!p)
		return no_such_param(option, e);
	r = num_parse_list(option, value, p->min, p->max, LIST_MAX, &v, &n, e);
	if (r)
		return r;
	free(list->v);
	*list = (struct sweep_list){ .v = v, .n = n };
	return 0;
}

static int set_common(struct sweep_options *o, const char *param, const char *option, const char *value, struct err *e)
{
	const struct bench *b = bench_with_param(BENCH_HASH, param);

	return b ? bench_set_param(b, option, param, value, &o->common, e) : no_such_param(option, e);
}

static int unknown_bench(const char *option, const char *name, struct err *e)
{
	const char *names[SWEEP_BENCHES_MAX + 1] = { NULL };
	const char *near;

	for (size_t i = 0; benches[i] && i < SWEEP_BENCHES_MAX; i++)
		names[i] = benches[i]->name;
	near = str_nearest(name, names);
	if (near)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: unknown benchmark '%.100s'; the nearest is '%s'", option,
			       name, near);
	return err_set(e, ERR_USAGE, -EINVAL, "%s: unknown benchmark '%.100s'; `lsbench list` lists them", option,
		       name);
}

static int add_benches(struct sweep_options *o, const char *option, const char *value, struct err *e)
{
	_cleanup_free_ char *copy = strdup(value);
	char *rest = copy, *name;

	if (!copy)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	while ((name = strsep(&rest, ","))) {
		const struct bench *b = bench_find(name);
		int i = 0;

		if (!b)
			return unknown_bench(option, name, e);
		while (i < o->nr_benches && o->benches[i] != b->name)
			i++;
		if (i == SWEEP_BENCHES_MAX)
			return err_set(e, ERR_USAGE, -E2BIG, "%s: more than %d benchmarks", option, SWEEP_BENCHES_MAX);
		o->benches[i] = b->name;
		if (i == o->nr_benches)
			o->nr_benches++;
	}
	return 0;
}

static int set_trials(struct sweep_options *o, const char *option, const char *value, struct err *e)
{
	uint64_t lo, hi;
	int r = num_parse_pair(option, value, 1, 1000, &lo, &hi, e);

	if (r)
		return r;
	o->run.trials_min = (int)lo;
	o->run.trials_max = (int)hi;
	return 0;
}

static int set_precision(struct sweep_options *o, const char *option, const char *value, struct err *e)
{
	double percent;
	int r = num_parse_double(option, value, 0.01, 100, &percent, e);

	if (!r)
		o->run.precision = percent / 100;
	return r;
}

static int set_format(struct sweep_options *o, const char *option, const char *value, struct err *e)
{
	const char *names[16] = { NULL };
	int r;

	for (size_t i = 0; report_formats[i] && i + 1 < ARRAY_SIZE(names); i++)
		names[i] = report_formats[i]->name;
	r = measure_choice(option, value, names, e);
	if (!r)
		o->format = report_find(value);
	return r;
}

static int set_output(struct sweep_options *o, const char *option, const char *value, struct err *e)
{
	if (!*value)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: the file name is empty", option);
	o->output = value;
	return 0;
}

static void set_flag(struct sweep_options *o, int key)
{
	switch (key) {
	case KEY_NO_REFINE:
		o->run.refine = false;
		break;
	case KEY_NO_ISOLATING:
		o->no_isolating = true;
		break;
	case KEY_KEEP_BATCHES:
		o->run.keep_batches = true;
		break;
	case KEY_DRY_RUN:
		o->dry_run = true;
		break;
	case 'v':
		o->measure.verbose++;
		break;
	case 'q':
		o->measure.quiet = true;
		break;
	}
}

static int set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	struct sweep_options *o = ctx;
	bool mine;
	int r = measure_set(&o->measure, key, name, value, &mine, e);

	if (mine)
		return r;
	switch (key) {
	case KEY_NR_MAPS:
		return set_list(&o->nr_maps, BENCH_STORAGE, "nr_maps", name, value, e);
	case KEY_NR_KEYS:
		return set_list(&o->nr_keys, BENCH_HASH, "hashmap_nr_keys_used", name, value, e);
	case KEY_LIST_LEN:
		return set_list(&o->list_len, BENCH_STORAGE, "list_len", name, value, e);
	case KEY_HASHMAP_CAPACITY:
		return set_common(o, "hashmap_capacity", name, value, e);
	case KEY_HASHMAP_FILL:
		return set_common(o, "hashmap_fill", name, value, e);
	case KEY_HASHMAP_SEED:
		return set_common(o, "hashmap_seed", name, value, e);
	case KEY_HASHMAP_KEY:
		return set_common(o, "hashmap_key", name, value, e);
	case KEY_BENCH:
		return add_benches(o, name, value, e);
	case KEY_PRECISION:
		return set_precision(o, name, value, e);
	case KEY_BUDGET:
		return num_parse_duration(name, value, 0, 86400 * NS_PER_S, &o->run.budget_ns, e);
	case KEY_TRIALS:
		return set_trials(o, name, value, e);
	case KEY_ROW_TIME:
		return num_parse_duration(name, value, NS_PER_MS, 10 * NS_PER_S, &o->run.row_ns, e);
	case KEY_CPU:
		o->cpu_given = true;
		return measure_cpu(name, value, &o->run.cpu, e);
	case KEY_FORMAT:
		return set_format(o, name, value, e);
	case 'o':
		return set_output(o, name, value, e);
	default:
		set_flag(o, key);
		return 0;
	}
}

const struct options sweep_option_table = {
	.command = "lsbench sweep",
	.doc = "Measures what BPF local storage costs on this machine, from one map to many, and where the cliff is.",
	.table = table,
	.set = set,
};

void sweep_options_init(struct sweep_options *o)
{
	*o = (struct sweep_options){
		.run = {
			.precision = 0.02,
			.budget_ns = 60 * NS_PER_S,
			.trials_min = 7,
			.trials_max = 31,
			.cpu = -1,
			.row_ns = 80 * NS_PER_MS,
			.refine = true,
			.stop_fd = -1,
		},
		.format = &report_table,
	};
	measure_init(&o->measure);
}

void sweep_options_free(struct sweep_options *o)
{
	free(o->nr_maps.v);
	free(o->nr_keys.v);
	free(o->list_len.v);
}

/* What is printed must not replace what is kept, under neither of the two names it goes by. */
static bool outputs_collide(const struct sweep_options *o)
{
	_cleanup_free_ char *partial = NULL;

	if (!o->measure.json || !o->output || !strcmp(o->output, "-"))
		return false;
	if (asprintf(&partial, "%s.partial", o->measure.json) < 0)
		partial = NULL;
	return outfile_same(o->measure.json, o->output) || (partial && outfile_same(partial, o->output));
}

int sweep_options_check(struct sweep_options *o, struct err *e)
{
	int r = o->dry_run ? 0 : measure_check(&o->measure, e);

	if (!r && !o->cpu_given)
		r = measure_cpu("--cpu", NULL, &o->run.cpu, e);
	if (!r && o->run.keep_batches && !o->measure.json)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "--keep-batches needs --json FILE: that is where batches are kept");
	if (!r && outputs_collide(o))
		return err_set(e, ERR_USAGE, -EINVAL, "--json and -o name the same file '%.200s'", o->output);
	o->run.seed = o->measure.seed;
	o->measure.cfg.verbose = o->measure.verbose;
	return r;
}
