// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of rows and their names. Not obvious: a benchmark is known by its name alone, never through the registry, so
 * that files of a newer lsbench can be shown as well.
 */
#include "report/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"
#include "report/text.h"

static const struct kind_info {
	const char *bench, *main_param;
	const char *short_name, *unit_one, *unit; /* "seq-get, 16 maps" */
	const char *title;
} kinds[] = {
	[KIND_HASH] = { "local-storage-cache-hashmap-control", "hashmap_nr_keys_used", "hash", "key", "keys",
			"random keys (control)" },
	[KIND_HASH_TID] = { "local-storage-cache-hashmap-control", "hashmap_nr_keys_used", "hash", "own tid", "own tid",
			    "the task's own tid as key" },
	[KIND_SEQ] = { "local-storage-cache-seq-get", "nr_maps", "seq-get", "map", "maps",
		       "maps read in turn (sequential)" },
	[KIND_INT] = { "local-storage-cache-int-get", "nr_maps", "int-get", "map", "maps",
		       "map 0 again after every third map (interleaved)" },
	[KIND_HIT] = { "local-storage-hit", "list_len", "hit", "map", "maps",
		       "hits alone: one map is read, of so many the task has" },
	[KIND_MISS] = { "local-storage-miss", "list_len", "miss", "map", "maps",
			"misses alone: two maps of one slot, of so many the task has" },
};

enum row_kind row_kind(const struct row *row)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		if (strcmp(kinds[k].bench, row->point.bench) != 0)
			continue;
		if (k == KIND_HASH && strcmp(params_text(&row->point.params, "hashmap_key", "random"), "tid") == 0)
			return KIND_HASH_TID;
		return (enum row_kind)k;
	}
	return KIND_OTHER;
}

const struct param *row_main_param(const struct row *row)
{
	enum row_kind kind = row_kind(row);
	const struct params *p = &row->point.params;
	const struct param *main_param = kind == KIND_OTHER ? NULL : params_find(p, kinds[kind].main_param);

	if (main_param && main_param->is_num)
		return main_param;
	for (int i = 0; i < p->n; i++)
		if (p->v[i].is_num)
			return &p->v[i];
	return NULL;
}

bool row_has_figures(const struct row *row)
{
	const struct counters *c = &row->counters;

	return row->outcome == OUTCOME_OK && row->gross.known && isfinite(row->gross.mid) &&
	       !(c->ops > 0 && c->hits == 0);
}

double row_mops(const struct row *row)
{
	return row_has_figures(row) && row->gross.mid > 0 ? 1000 / row->gross.mid : NAN;
}

double row_important_mops(const struct row *row)
{
	const struct counters *c = &row->counters;

	return c->hits > 0 ? row_mops(row) * ((double)c->important_hits / (double)c->hits) : NAN;
}

/*
 * The keys are what the published hash rows vary. If all rows of the file have the same number of keys and different
 * numbers of hashes, then these are.
 */
static const char *hash_main_param(const struct results *res)
{
	const struct row *first = NULL;
	bool maps_vary = false;

	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];
		const struct params *p = &row->point.params;

		if (row_kind(row) != KIND_HASH)
			continue;
		if (!first)
			first = row;
		if (params_num(p, "hashmap_nr_keys_used", 0) !=
		    params_num(&first->point.params, "hashmap_nr_keys_used", 0))
			return "hashmap_nr_keys_used";
		maps_vary |= params_num(p, "nr_maps", 1) != params_num(&first->point.params, "nr_maps", 1);
	}
	return maps_vary ? "nr_maps" : "hashmap_nr_keys_used";
}

static int compare_param(const struct param *a, const struct param *b)
{
	int r = strcmp(a->name, b->name);

	if (r != 0)
		return r;
	if (a->is_num != b->is_num)
		return a->is_num ? -1 : 1;
	if (a->is_num)
		return (a->num > b->num) - (a->num < b->num);
	return strcmp(a->text, b->text);
}

/* Parameters in the order in which they stand, x left out. */
static int compare_others(const struct params *p, const struct params *q, const char *x_name)
{
	int i = 0, j = 0, r;

	for (;; i++, j++) {
		while (i < p->n && strcmp(p->v[i].name, x_name) == 0)
			i++;
		while (j < q->n && strcmp(q->v[j].name, x_name) == 0)
			j++;
		if (i >= p->n || j >= q->n)
			return (i < p->n) - (j < q->n);
		r = compare_param(&p->v[i], &q->v[j]);
		if (r != 0)
			return r;
	}
}

/* 0: one group. A file may have 100000 rows: groups are found by sorting, not by comparing all with all. */
static int compare_groups(const struct results *res, const struct row_place *a, const struct row_place *b)
{
	const struct row *x = &res->rows[a->row], *y = &res->rows[b->row];
	int r = (int)row_kind(x) - (int)row_kind(y);

	if (r == 0)
		r = strcmp(x->point.bench, y->point.bench);
	if (r == 0)
		r = strcmp(x->point.store, y->point.store);
	if (r == 0)
		r = strcmp(a->x_name, b->x_name);
	return r ? r : compare_others(&x->point.params, &y->point.params, a->x_name);
}

static int by_key(const void *a, const void *b, void *res)
{
	const struct row_place *x = a, *y = b;
	int r = compare_groups(res, x, y);

	return r ? r : (x->row > y->row) - (x->row < y->row);
}

static int by_kind_group_x(const void *a, const void *b, void *arg)
{
	const struct row_place *x = a, *y = b;
	const struct results *res = arg;
	int r = (int)row_kind(&res->rows[x->row]) - (int)row_kind(&res->rows[y->row]);

	if (r == 0)
		r = (x->group > y->group) - (x->group < y->group);
	if (r == 0)
		r = (x->x > y->x) - (x->x < y->x);
	return r ? r : (x->row > y->row) - (x->row < y->row);
}

int rows_place(const struct results *res, struct row_place **ret)
{
	size_t n = (size_t)res->nr_rows;
	_cleanup_free_ struct row_place *places = calloc(n ? n : 1, sizeof(*places));
	const char *hash_param = hash_main_param(res);

	if (!places)
		return -ENOMEM;
	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];
		const struct param *main_param = row_main_param(row);

		if (row_kind(row) == KIND_HASH && params_find(&row->point.params, hash_param))
			main_param = params_find(&row->point.params, hash_param);
		places[i].row = i;
		places[i].x_name = main_param ? main_param->name : "";
		places[i].x = main_param && main_param->is_num ? main_param->num : 0;
	}
	qsort_r(places, n, sizeof(*places), by_key, (void *)res);
	/* A group is named after its first row, so that groups of one kind keep the order of the file. */
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && compare_groups(res, &places[i - 1], &places[i]) == 0;

		places[i].group = same ? places[i - 1].group : places[i].row;
	}
	qsort_r(places, n, sizeof(*places), by_kind_group_x, (void *)res);
	*ret = take_ptr(places);
	return 0;
}

/* Parameters that the title has not named yet. */
static void add_other_params(const struct row *row, const char *x_name, char *buf, size_t size)
{
	bool hash = row_kind(row) <= KIND_HASH_TID;
	const char *sep = ": ";

	for (int i = 0; i < row->point.params.n; i++) {
		const struct param *p = &row->point.params.v[i];
		const char *name = p->name;

		if (strcmp(name, x_name) == 0 || strcmp(name, "hashmap_key") == 0)
			continue;
		if (hash && strcmp(name, "nr_maps") == 0 && p->is_num && p->num == 1)
			continue;
		/* With its own tid a task looks up one key, whatever the others are. */
		if (row_kind(row) == KIND_HASH_TID && strcmp(name, "hashmap_nr_keys_used") == 0)
			continue;
		if (hash && strncmp(name, "hashmap_", strlen("hashmap_")) == 0)
			name += strlen("hashmap_");
		if (hash && strcmp(name, "nr_maps") == 0)
			name = "hashes";
		text_add(buf, size, "%s%s ", sep, name);
		if (p->is_num)
			text_add(buf, size, "%" PRIu64, p->num);
		else
			text_add(buf, size, "%s", p->text);
		sep = ", ";
	}
}

void rows_title(const struct results *res, const struct row_place *first, const struct report_style *style, char *buf,
		size_t size)
{
	const struct row *row = &res->rows[first->row];
	enum row_kind kind = row_kind(row);
	char raw[512] = "";

	if (kind == KIND_OTHER)
		text_add(raw, sizeof(raw), "%s (%s)", *row->point.bench ? row->point.bench : "no name",
			 *row->point.store ? row->point.store : "no store");
	else if (strcmp(res->run.engine, "model") == 0 || kind <= KIND_HASH_TID)
		text_add(raw, sizeof(raw), "%s, %s", row->point.store, kinds[kind].title);
	else
		text_add(raw, sizeof(raw), "%s storage, %s", row->point.store, kinds[kind].title);
	add_other_params(row, first->x_name, raw, sizeof(raw));
	text_safe(buf, size, raw, style);
}

static bool usual_store(const struct row *row)
{
	return strcmp(row->point.store, row_kind(row) <= KIND_HASH_TID ? "hash" : "task") == 0 || !*row->point.store;
}

const char *report_row_name(const struct row *row, char *buf, size_t size)
{
	enum row_kind kind = row_kind(row);
	const struct param *p = row_main_param(row);
	uint64_t hashes = params_num(&row->point.params, "nr_maps", 1);
	char raw[256] = "";

	if (kind == KIND_OTHER) {
		text_add(raw, sizeof(raw), "%s", row->point.bench);
		if (p)
			text_add(raw, sizeof(raw), ", %s %" PRIu64, p->name, p->num);
	} else if (kind == KIND_HASH_TID) {
		text_add(raw, sizeof(raw), "%s, %s", kinds[kind].short_name, kinds[kind].unit);
	} else {
		uint64_t num = params_num(&row->point.params, kinds[kind].main_param, 0);

		text_add(raw, sizeof(raw), "%s, %" PRIu64 " %s", kinds[kind].short_name, num,
			 num == 1 ? kinds[kind].unit_one : kinds[kind].unit);
	}
	if (kind <= KIND_HASH_TID && hashes != 1)
		text_add(raw, sizeof(raw), ", %" PRIu64 " hashes", hashes);
	if (!usual_store(row))
		text_add(raw, sizeof(raw), " (%s)", row->point.store);
	str_printable(buf, size, raw);
	return buf;
}

const char *row_name_in(const struct row *row, const struct report_style *style, char *buf, size_t size)
{
	char raw[256];

	text_safe(buf, size, report_row_name(row, raw, sizeof(raw)), style);
	return buf;
}
