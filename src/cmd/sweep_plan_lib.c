// SPDX-License-Identifier: GPL-2.0-or-later
/* From the options of `lsbench sweep` to its rows, and the plan in words. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cmd/sweep_lib.h"
#include "core/bench.h"
#include "lib/cleanup.h"
#include "lib/str.h"

/* An element of a preallocated hash of int -> int with its share of the buckets. */
#define HASH_ENTRY_BYTES 80.0

/* The plan takes one length of the list: rows for the others are added beside those it made. */
static int add_list_lens(const struct sweep_list *list, struct results *res, struct err *e)
{
	int planned = res->nr_rows;

	for (int i = 0; i < planned; i++) {
		if (!params_find(&res->rows[i].point.params, "list_len"))
			continue;
		for (size_t k = 1; k < list->n; k++)
			if (!plan_add_like(res, i, "list_len", list->v[k]))
				return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	}
	return 0;
}

/* Does any benchmark of the sweep vary this parameter? Without --bench all that the plan knows are meant. */
static bool swept_by_any(const struct sweep_options *o, const char *param)
{
	for (int i = 0; i < o->nr_benches; i++)
		if (!strcmp(bench_find(o->benches[i])->swept, param))
			return true;
	return !o->nr_benches;
}

static int check_lists(const struct sweep_options *o, struct err *e)
{
	if (o->nr_maps.n && !swept_by_any(o, "nr_maps"))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "--nr-maps: no benchmark of this sweep goes through numbers of maps");
	if (o->nr_keys.n && !swept_by_any(o, "hashmap_nr_keys_used"))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "--nr-keys: no benchmark of this sweep goes through numbers of keys");
	return 0;
}

/*
 * A smaller hash cannot have all the published numbers of keys: those that do not fit are left out and named, so that
 * the one option that a refusal for want of memory names is enough. *ret_n 0: the default stands.
 */
static void keys_that_fit(const struct sweep_options *o, struct results *res, uint64_t *ret_keys, size_t max,
			  size_t *ret_n)
{
	const struct param *capacity = params_find(&o->common, "hashmap_capacity");
	const struct bench *hash = NULL;
	size_t n = 0;

	*ret_n = 0;
	for (size_t i = 0; benches[i] && !hash; i++)
		if (benches[i]->family == BENCH_HASH && benches[i]->sweep)
			hash = benches[i];
	if (!capacity || o->nr_keys.n || !hash || hash->nr_sweep > max || !swept_by_any(o, hash->swept) ||
	    !strcmp(params_text(&o->common, "hashmap_key", ""), "tid"))
		return;
	for (size_t i = 0; i < hash->nr_sweep; i++)
		if (hash->sweep[i] <= capacity->num)
			ret_keys[n++] = hash->sweep[i];
	if (n == hash->nr_sweep)
		return;
	if (!n)
		ret_keys[n++] = capacity->num;
	run_warn(&res->run, "hash rows with more keys than --hashmap-capacity %llu are left out",
		 (unsigned long long)capacity->num);
	*ret_n = n;
}

int sweep_plan(const struct sweep_options *o, struct results *res, struct err *e)
{
	struct params common = o->common;
	uint64_t fitting[64];
	size_t nr_fitting;
	struct plan_options plan = {
		.benches = o->nr_benches ? o->benches : NULL,
		.nr_maps = o->nr_maps.v,
		.n_nr_maps = o->nr_maps.n,
		.nr_keys = o->nr_keys.v,
		.n_nr_keys = o->nr_keys.n,
		.common = &common,
		.isolating = !o->nr_benches && !o->no_isolating,
		.tid_row = !o->nr_keys.n && !params_find(&o->common, "hashmap_key"),
	};
	int r;

	keys_that_fit(o, res, fitting, ARRAY_SIZE(fitting), &nr_fitting);
	if (nr_fitting) {
		plan.nr_keys = fitting;
		plan.n_nr_keys = nr_fitting;
	}
	if (check_lists(o, e))
		return e->code;
	if (o->list_len.n && !params_set_num(&common, "list_len", o->list_len.v[0]))
		return err_set(e, ERR_USAGE, -E2BIG, "--list-len: too many parameters");
	r = plan_rows(&plan, res, e);
	if (!r && o->list_len.n > 1)
		r = add_list_lens(&o->list_len, res, e);
	return r;
}

/* Keys present in the hash of a row: rows share hashes of the same capacity and the same keys. */
static uint64_t nr_filled(const struct params *p)
{
	return strcmp(params_text(p, "hashmap_fill", "all"), "all") ? params_num(p, "hashmap_nr_keys_used", 0)
								    : params_num(p, "hashmap_capacity", 0);
}

static bool same_hash(const struct params *a, const struct params *b)
{
	return params_num(a, "hashmap_capacity", 0) == params_num(b, "hashmap_capacity", 0) &&
	       nr_filled(a) == nr_filled(b);
}

double sweep_hash_bytes(const struct results *res)
{
	double bytes = 0;

	for (int i = 0; i < res->nr_rows; i++) {
		const struct params *p = &res->rows[i].point.params;
		uint64_t hashes = 0;
		bool counted = false;

		if (!params_find(p, "hashmap_capacity"))
			continue;
		for (int k = 0; k < res->nr_rows; k++) {
			const struct params *q = &res->rows[k].point.params;
			uint64_t n = params_num(q, "nr_maps", 1);

			if (!params_find(q, "hashmap_capacity") || !same_hash(p, q))
				continue;
			counted |= k < i;
			hashes = n > hashes ? n : hashes;
		}
		if (!counted)
			bytes += HASH_ENTRY_BYTES * (double)params_num(p, "hashmap_capacity", 0) * (double)hashes;
	}
	return bytes;
}

static void print_row(const struct row *row, FILE *f)
{
	char name[128];

	report_row_name(row, name, sizeof(name));
	if (row->outcome != OUTCOME_OK)
		fprintf(f, "  %-36s %s: %.300s\n", name, outcome_name(row->outcome), row->reason);
	else if (row->point.trigger[0])
		fprintf(f, "  %-36s %s, %s\n", name, row->point.trigger, row->point.loop);
	else
		fprintf(f, "  %s\n", name);
}

void sweep_print_plan(const struct sweep_options *o, const struct results *res, bool rows, FILE *f)
{
	const struct run_options *run = &o->run;
	double typical_s, max_s, bytes = sweep_hash_bytes(res);
	char typical[32], max[32], memory[32];

	run_expect(run, res, &typical_s, &max_s);
	report_duration(typical_s, typical, sizeof(typical));
	report_duration(max_s, max, sizeof(max));
	fprintf(f, "Plan: %d row%s; %d to %d trials, until the interval of each is within +-%g %%\n", res->nr_rows,
		res->nr_rows == 1 ? "" : "s", run->trials_min, run->trials_max, run->precision * 100);
	if (rows)
		for (int i = 0; i < res->nr_rows; i++)
			print_row(&res->rows[i], f);
	fprintf(f, "Time: about %s, at most %s (--budget, --trials)\n", typical, max);
	if (bytes > 0)
		fprintf(f, "Memory: about %s for the hash (--hashmap-capacity)\n",
			str_bytes(memory, sizeof(memory), bytes));
	if (run->cpu >= 0)
		fprintf(f, "CPU: pinned to %d, seed %llu\n", run->cpu, (unsigned long long)run->seed);
	else
		fprintf(f, "CPU: not pinned, seed %llu\n", (unsigned long long)run->seed);
}
