// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Benchmarks and lists into rows. Not obvious: the parameter a benchmark sweeps (bench.swept) takes its values
 * from the list of the command line, else from the value given for all rows, else from the benchmark.
 */
#include "core/plan.h"

#include <errno.h>
#include <string.h>

#include "core/bench.h"
#include "lib/str.h"

static const char *const published_benches[] = {
	"local-storage-cache-hashmap-control",
	"local-storage-cache-seq-get",
	"local-storage-cache-int-get",
	NULL,
};
static const char *const isolating_benches[] = { "local-storage-hit", "local-storage-miss", NULL };

struct values {
	const uint64_t *v;
	size_t n;
};

static const struct bench_param *find_param(const struct bench *b, const char *name)
{
	for (const struct bench_param *p = b->params; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

static struct values swept_values(const struct plan_options *opt, const struct bench *b, const struct param *given)
{
	if (strcmp(b->swept, "nr_maps") == 0 && opt->n_nr_maps)
		return (struct values){ opt->nr_maps, opt->n_nr_maps };
	if (strcmp(b->swept, "hashmap_nr_keys_used") == 0 && opt->n_nr_keys)
		return (struct values){ opt->nr_keys, opt->n_nr_keys };
	if (given && given->is_num)
		return (struct values){ &given->num, 1 };
	if (b->sweep)
		return (struct values){ b->sweep, b->nr_sweep };
	return (struct values){ &find_param(b, b->swept)->dflt, 1 };
}

/* Completes the parameters, checks them, and adds the row unless it is there already. */
static int add_row(const struct bench *b, struct params *p, struct results *res, struct err *e)
{
	struct point point = { 0 };
	struct row *row;
	int rc = bench_complete_params(b, p, e);

	if (rc)
		return rc;
	point.params = *p;
	str_copy(point.bench, sizeof(point.bench), b->name);
	str_copy(point.store, sizeof(point.store), b->dflt_store);
	for (int i = 0; i < res->nr_rows; i++)
		if (point_same_row(&res->rows[i].point, &point))
			return 0;
	row = results_add_row(res);
	if (!row)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", res->nr_rows + 1);
	row->point = point;
	return 0;
}

/* What `common` says about parameters this benchmark has. */
static void take_common(const struct bench *b, const struct params *common, struct params *ret)
{
	for (int i = 0; common && i < common->n; i++)
		if (find_param(b, common->v[i].name))
			ret->v[ret->n++] = common->v[i];
}

static int add_bench(const struct plan_options *opt, const struct bench *b, struct results *res, struct err *e)
{
	struct params base = { 0 };
	struct values values;

	take_common(b, opt->common, &base);
	values = swept_values(opt, b, params_find(&base, b->swept));
	for (size_t i = 0; i < values.n; i++) {
		struct params p = base;
		int rc;

		if (!params_set_num(&p, b->swept, values.v[i]))
			return err_set(e, ERR_USAGE, -EINVAL, "%s of %s: a value that cannot be kept", b->swept,
				       b->name);
		rc = add_row(b, &p, res, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* The random rows alone would compare a cold hash with a hot task: here the key is the running task's own. */
static int add_tid_row(const struct plan_options *opt, const struct bench *b, struct results *res, struct err *e)
{
	struct params p = { 0 };
	const struct bench_param *keys = find_param(b, "hashmap_nr_keys_used");
	uint64_t capacity;

	take_common(b, opt->common, &p);
	capacity = params_num(&p, "hashmap_capacity", UINT64_MAX);
	if (!params_set_text(&p, "hashmap_key", "tid") ||
	    !params_set_num(&p, "hashmap_nr_keys_used", keys->dflt < capacity ? keys->dflt : capacity))
		return err_set(e, ERR_USAGE, -E2BIG, "%s: more than %d parameters", b->name, PARAMS_MAX);
	return add_row(b, &p, res, e);
}

/* With the own tid as the key the published numbers of keys would be the same row again and again. */
static bool tid_alone(const struct plan_options *opt)
{
	return !opt->n_nr_keys && opt->common && !strcmp(params_text(opt->common, "hashmap_key", ""), "tid");
}

static int add_benches(const struct plan_options *opt, const char *const *names, struct results *res, struct err *e)
{
	for (size_t i = 0; names[i]; i++) {
		const struct bench *b = bench_find(names[i]);
		bool keyed = b && find_param(b, "hashmap_key");
		int rc = 0;

		if (!b)
			return err_set(e, ERR_USAGE, -EINVAL, "unknown benchmark '%s' (lsbench list shows all)",
				       names[i]);
		if (!keyed || !tid_alone(opt))
			rc = add_bench(opt, b, res, e);
		if (!rc && keyed && (opt->tid_row || tid_alone(opt)))
			rc = add_tid_row(opt, b, res, e);
		if (rc)
			return rc;
	}
	return 0;
}

static bool any_has(const char *const *names, const char *param)
{
	for (size_t i = 0; names[i]; i++) {
		const struct bench *b = bench_find(names[i]);

		if (b && find_param(b, param))
			return true;
	}
	return false;
}

static int check_common(const struct plan_options *opt, const char *const *names, struct err *e)
{
	for (int i = 0; opt->common && i < opt->common->n; i++) {
		const char *name = opt->common->v[i].name;

		if (!any_has(names, name) && !(opt->isolating && any_has(isolating_benches, name)))
			return err_set(
				e, ERR_USAGE, -EINVAL,
				"--%s: no benchmark of this sweep has such a parameter (lsbench list shows which has)",
				name);
	}
	return 0;
}

int plan_rows(const struct plan_options *opt, struct results *res, struct err *e)
{
	const char *const *names = opt->benches ? opt->benches : published_benches;
	int rc = check_common(opt, names, e);

	if (!rc)
		rc = add_benches(opt, names, res, e);
	if (!rc && opt->isolating)
		rc = add_benches(opt, isolating_benches, res, e);
	return rc;
}

struct row *plan_add_like(struct results *res, int like_row, const char *param, uint64_t value)
{
	/* A copy: adding a row moves the others. */
	struct point point = res->rows[like_row].point;
	struct row *row;

	if (!params_set_num(&point.params, param, value))
		return NULL;
	row = results_add_row(res);
	if (row)
		row->point = point;
	return row;
}
