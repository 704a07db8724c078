// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Points and their counters as plain values. Not obvious: parameters keep the order in which they were set
 * (results files show it), but equality ignores it.
 */
#include "core/point.h"

#include <string.h>

#include "lib/str.h"

/*
 * Saturating at INT64_MAX, the largest whole number a results file can hold: a wrapped sum would look like a
 * plausible small count.
 */
static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum) || sum > INT64_MAX)
		return INT64_MAX;
	return sum;
}

void counters_add(struct counters *sum, const struct counters *c)
{
	sum->ops = add_saturated(sum->ops, c->ops);
	sum->hits = add_saturated(sum->hits, c->hits);
	sum->important_hits = add_saturated(sum->important_hits, c->important_hits);
	sum->nulls = add_saturated(sum->nulls, c->nulls);
	sum->errors = add_saturated(sum->errors, c->errors);
}

bool counters_sum_holds(const struct counters *c)
{
	uint64_t sum;

	return !__builtin_add_overflow(c->hits, c->nulls, &sum) && !__builtin_add_overflow(sum, c->errors, &sum) &&
	       sum == c->ops;
}

const struct param *params_find(const struct params *p, const char *name)
{
	for (int i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0)
			return &p->v[i];
	return NULL;
}

uint64_t params_num(const struct params *p, const char *name, uint64_t dflt)
{
	const struct param *v = params_find(p, name);

	return v && v->is_num ? v->num : dflt;
}

const char *params_text(const struct params *p, const char *name, const char *dflt)
{
	const struct param *v = params_find(p, name);

	return v && !v->is_num ? v->text : dflt;
}

/* Replaces in place, so that a default that is overridden keeps its position. */
static bool params_put(struct params *p, const struct param *new)
{
	struct param *old = (struct param *)params_find(p, new->name);

	if (old) {
		*old = *new;
		return true;
	}
	if (p->n >= PARAMS_MAX)
		return false;
	p->v[p->n++] = *new;
	return true;
}

bool params_set_num(struct params *p, const char *name, uint64_t num)
{
	struct param new = { .is_num = true, .num = num };

	return num <= INT64_MAX && str_copy(new.name, sizeof(new.name), name) && params_put(p, &new);
}

bool params_set_text(struct params *p, const char *name, const char *text)
{
	struct param new = { .is_num = false };

	return str_copy(new.name, sizeof(new.name), name) && str_copy(new.text, sizeof(new.text), text) &&
	       params_put(p, &new);
}

static bool param_equal(const struct param *a, const struct param *b)
{
	if (a->is_num != b->is_num)
		return false;
	return a->is_num ? a->num == b->num : strcmp(a->text, b->text) == 0;
}

bool params_equal(const struct params *a, const struct params *b)
{
	/* Names are unique within a list, so equal lengths and a match for each is enough. */
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++) {
		const struct param *other = params_find(b, a->v[i].name);

		if (!other || !param_equal(&a->v[i], other))
			return false;
	}
	return true;
}

bool point_same_row(const struct point *a, const struct point *b)
{
	return strcmp(a->bench, b->bench) == 0 && strcmp(a->store, b->store) == 0 &&
	       params_equal(&a->params, &b->params);
}
