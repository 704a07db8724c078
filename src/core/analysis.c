// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a run's rows to the cliff (statistics D). Not obvious: slots and hash ratios are judged on gross figures in ns,
 * because net there is a lower bound whose distance from the truth differs between loops; in exact counts net is exact
 * and serves for all. Costs of hit, miss and list step are differences of net either way.
 */
#include "core/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/slots.h"
#include "lib/cleanup.h"

#define BENCH_CURVE "local-storage-cache-seq-get"
#define BENCH_CONTROL "local-storage-cache-hashmap-control"
#define BENCH_HIT "local-storage-hit"
#define BENCH_MISS "local-storage-miss"

#define MAPS_MAX 65536 /* a number of maps beyond is no measurement of ours */
#define ALL_MISS (1 - 1e-9)
#define LENGTHS_MAX 20 /* of an isolating row's lists: three entries each at most */

struct curve_row {
	int row;
	uint32_t maps;
	double share;		   /* of gets that miss; NAN unknown */
	struct interval cost, net; /* cost: what rows are compared by */
};

struct curve {
	struct curve_row *v;
	size_t n;
	/* The same rows as stats/cliff.h wants them. */
	struct cliff_row *cost_rows, *net_rows;
	struct cliff_point *cost_points, *net_points;
	enum cliff_state *state;
	double *values;
	int *trials;
};

static void curve_free(struct curve *c)
{
	free(c->v);
	free(c->cost_rows);
	free(c->net_rows);
	free(c->cost_points);
	free(c->net_points);
	free(c->state);
	free(c->values);
	free(c->trials);
}

static struct interval of_summary(const struct summary *s)
{
	return (struct interval){
		.known = s->known && s->interval && isfinite(s->mid) && isfinite(s->lo) && isfinite(s->hi),
		.mid = s->known ? s->mid : NAN,
		.lo = s->lo,
		.hi = s->hi,
		.n = s->n,
	};
}

static struct interval net_of(const struct row *row)
{
	return of_summary(&row->net);
}

static struct interval cost_of(const struct row *row, bool insn)
{
	return of_summary(insn ? &row->net : &row->gross);
}

static bool is_row(const struct row *row, const char *bench)
{
	return row->outcome == OUTCOME_OK && row->net.known && strcmp(row->point.bench, bench) == 0;
}

static uint32_t small_param(const struct row *row, const char *name)
{
	uint64_t v = params_num(&row->point.params, name, 0);

	return v <= MAPS_MAX ? (uint32_t)v : 0;
}

static bool is_curve_row(const struct row *row)
{
	return is_row(row, BENCH_CURVE) && strcmp(row->point.store, "task") == 0 && small_param(row, "nr_maps") > 0;
}

static int by_maps(const void *a, const void *b)
{
	const struct curve_row *x = a, *y = b;

	if (x->maps != y->maps)
		return x->maps < y->maps ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Sorted rows of the curve; of two rows with the same number of maps the one that was planned first. */
static void curve_collect(const struct results *res, struct curve *c)
{
	bool insn = results_unit_is_insn(res);
	size_t kept = 0;

	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];

		if (is_curve_row(row))
			c->v[c->n++] = (struct curve_row){
				.row = i,
				.maps = small_param(row, "nr_maps"),
				.share = row->slots.miss_share,
				.cost = cost_of(row, insn),
				.net = net_of(row),
			};
	}
	if (c->n > 1)
		qsort(c->v, c->n, sizeof(*c->v), by_maps);
	for (size_t i = 0; i < c->n; i++)
		if (kept == 0 || c->v[i].maps != c->v[kept - 1].maps)
			c->v[kept++] = c->v[i];
	c->n = kept;
}

static void curve_fill(const struct results *res, struct curve *c)
{
	bool insn = results_unit_is_insn(res);
	double *values = c->values;
	int *trials = c->trials;

	for (size_t i = 0; i < c->n; i++) {
		const struct row *row = &res->rows[c->v[i].row];
		size_t n = insn ? 1 : (size_t)row->nr_reps;

		c->cost_rows[i] = (struct cliff_row){ .maps = c->v[i].maps, .values = values, .n = n, .exact = insn };
		c->net_rows[i] =
			(struct cliff_row){ .maps = c->v[i].maps, .values = values + n, .n = n, .exact = insn };
		c->net_rows[i].trials = insn ? NULL : trials;
		c->cost_points[i] = (struct cliff_point){ .maps = c->v[i].maps, .cost = c->v[i].cost };
		c->net_points[i] = (struct cliff_point){ .maps = c->v[i].maps, .cost = c->v[i].net };
		for (size_t k = 0; k < n; k++) {
			values[k] = insn ? c->v[i].cost.mid : row->reps[k].gross;
			values[n + k] = insn ? c->v[i].net.mid : row->reps[k].gross - row->reps[k].overhead;
			trials[k] = insn ? 0 : row->reps[k].trial;
		}
		values += 2 * n;
		trials += n;
	}
}

static bool curve_open(const struct results *res, struct curve *c)
{
	size_t n = 1, values = 1;

	for (int i = 0; i < res->nr_rows; i++)
		if (is_curve_row(&res->rows[i])) {
			n++;
			/* At least one: an exact count stands for its repetitions. */
			values += 2 + 2 * (size_t)res->rows[i].nr_reps;
		}
	*c = (struct curve){
		.v = calloc(n, sizeof(*c->v)),
		.cost_rows = calloc(n, sizeof(*c->cost_rows)),
		.net_rows = calloc(n, sizeof(*c->net_rows)),
		.cost_points = calloc(n, sizeof(*c->cost_points)),
		.net_points = calloc(n, sizeof(*c->net_points)),
		.state = calloc(n, sizeof(*c->state)),
		.values = calloc(values, sizeof(*c->values)),
		.trials = calloc(values, sizeof(*c->trials)),
	};
	if (!c->v || !c->cost_rows || !c->net_rows || !c->cost_points || !c->net_points || !c->state || !c->values ||
	    !c->trials)
		return false;
	curve_collect(res, c);
	curve_fill(res, c);
	return true;
}

/* Index i of n goes into a list of at most `max`, evenly, the first and the last always. */
static bool thinned(size_t i, size_t n, size_t max)
{
	if (n <= max || i == 0)
		return true;
	return i * (max - 1) / (n - 1) != (i - 1) * (max - 1) / (n - 1);
}

/* ---- is there enough ---- */

static bool enough(const struct curve *c, bool insn, char *why_not, size_t size)
{
	size_t small = 0, large = 0, large_known = 0, small_values = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].maps <= CLIFF_POOL_MAPS) {
			small++;
			small_values += (size_t)c->v[i].cost.n;
		} else {
			large++;
			large_known += c->v[i].cost.known;
		}
	}
	why_not[0] = '\0';
	if (c->n == 0)
		snprintf(why_not, size, "no row of %s was measured", BENCH_CURVE);
	else if (small == 0)
		snprintf(why_not, size,
			 "no seq-get row with %d maps or fewer to hold the others against; try --nr-maps 1,10,...",
			 CLIFF_POOL_MAPS);
	else if (large == 0)
		snprintf(why_not, size, "no seq-get row with more than %d maps; try --nr-maps 1,10,16,17,32,100",
			 CLIFF_POOL_MAPS);
	else if (large_known == 0 || (!insn && small_values < 6))
		snprintf(why_not, size,
			 "the seq-get rows have fewer than 6 repetitions, which is too few for an interval");
	return why_not[0] == '\0';
}

/* ---- slots ---- */

/* In exact counts the model is exact, too, and may say more than the bracket; never something else. */
static void refine_by_model(const struct curve *c, struct cliff_bracket *b)
{
	struct cliff_model m = cliff_fit(c->net_points, c->n);

	if (!m.known || b->disturbed)
		return;
	if (b->known && (m.slots < b->slots_lo || (b->slots_hi && m.slots > b->slots_hi)))
		return;
	*b = (struct cliff_bracket){ .known = true, .slots_lo = m.slots, .slots_hi = m.slots, .adjacent = true };
}

/* The number of slots to simulate with: what BTF states, else what the curve shows; 0 unknown. */
static uint32_t slots_to_simulate(const struct analysis *a)
{
	if (a->slots_btf > 0)
		return a->slots_btf <= CLIFF_SLOTS_MAX ? (uint32_t)a->slots_btf : 0;
	return a->bracket.known && a->bracket.adjacent && a->bracket.slots_lo <= CLIFF_SLOTS_MAX ? a->bracket.slots_lo
												 : 0;
}

static void simulate_cliff(struct analysis *a, uint32_t slots)
{
	for (uint32_t n = 1; slots && n <= 2 * slots; n++) {
		double share = slots_seq_miss_share(slots, n);

		if (a->onset_maps == 0 && share > 0)
			a->onset_maps = n;
		if (a->all_miss_maps == 0 && share >= ALL_MISS)
			a->all_miss_maps = n;
	}
}

/* Rows whose slots were not known when they were measured get the published pattern's share. */
static void fill_shares(struct curve *c, uint32_t slots)
{
	for (size_t i = 0; i < c->n; i++)
		if (!(c->v[i].share >= 0 && c->v[i].share <= 1))
			c->v[i].share = slots ? slots_seq_miss_share(slots, c->v[i].maps) : NAN;
}

/* ---- costs ---- */

static void compute_misses(const struct curve *c, struct analysis *a)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].share > 0;
	for (size_t i = 0; i < c->n; i++) {
		if (!(c->v[i].share > 0) || !thinned(at++, n, ANALYSIS_MAX))
			continue;
		a->miss[a->nr_miss].maps = c->v[i].maps;
		a->miss[a->nr_miss].share = c->v[i].share;
		a->miss[a->nr_miss++].cost = cliff_miss(c->v[i].net, a->hit, c->v[i].share);
	}
}

static void compute_walks(const struct curve *c, struct analysis *a)
{
	const struct curve_row *before = NULL;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].share >= ALL_MISS;
	for (size_t i = 0; i < c->n; i++) {
		const struct curve_row *now = &c->v[i];

		/* One row more than stretches. */
		if (!(now->share >= ALL_MISS) || !thinned(at++, n, ANALYSIS_MAX + 1))
			continue;
		if (before) {
			a->walk[a->nr_walk].from = before->maps;
			a->walk[a->nr_walk].to = now->maps;
			a->walk[a->nr_walk++].per_step = cliff_walk(before->maps, before->net, now->maps, now->net);
		}
		before = now;
	}
}

static void compute_hashes(const struct results *res, const struct curve *c, struct analysis *a)
{
	bool insn = results_unit_is_insn(res);
	size_t nr_hashes = 0, rows_each;

	for (int i = 0; i < res->nr_rows; i++)
		nr_hashes += is_row(&res->rows[i], BENCH_CONTROL);
	if (nr_hashes == 0 || c->n == 0)
		return;
	if (nr_hashes > ANALYSIS_MAX)
		nr_hashes = ANALYSIS_MAX;
	rows_each = ARRAY_SIZE(a->ratio) / nr_hashes;
	for (int i = 0; i < res->nr_rows && (size_t)a->nr_breakeven < nr_hashes; i++) {
		struct interval hash = cost_of(&res->rows[i], insn);

		if (!is_row(&res->rows[i], BENCH_CONTROL))
			continue;
		a->breakeven[a->nr_breakeven].hash_row = i;
		a->breakeven[a->nr_breakeven++].at = cliff_breakeven(c->cost_points, c->n, hash);
		for (size_t k = 0; k < c->n; k++) {
			if (!thinned(k, c->n, rows_each))
				continue;
			a->ratio[a->nr_ratio].hash_row = i;
			a->ratio[a->nr_ratio].storage_row = c->v[k].row;
			a->ratio[a->nr_ratio++].ratio = interval_ratio(hash, c->v[k].cost);
		}
	}
}

/* ---- the isolating rows ---- */

static void add_isolated(struct analysis *a, int row, const char *what, struct interval direct, struct interval curve)
{
	if (a->nr_isolated >= ANALYSIS_MAX || !isfinite(direct.mid) || !isfinite(curve.mid))
		return;
	a->isolated[a->nr_isolated].row = row;
	a->isolated[a->nr_isolated].what = what;
	a->isolated[a->nr_isolated].direct = direct;
	a->isolated[a->nr_isolated].curve = curve;
	a->isolated[a->nr_isolated++].ratio = interval_ratio(direct, curve);
}

/*
 * local-storage-miss reads the two elements at the tail of L in turn, so its gets walk L and L - 1 elements; a get of a
 * curve row that always misses walks (n + 1) / 2 on average. Both walk the same at this n.
 */
static uint32_t maps_of_equal_walk(uint32_t list_len)
{
	return 2 * list_len - 2;
}

/* The hit measured directly, of the same list length if there is one, else the curve's. */
static struct interval direct_hit(const struct results *res, const struct analysis *a, uint32_t list_len)
{
	const struct row *found = NULL;

	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[i];

		if (is_row(row, BENCH_HIT) && (!found || small_param(row, "list_len") == list_len))
			found = row;
	}
	return found ? net_of(found) : a->hit;
}

/* Mean of the stretches between two numbers of maps, each by its part; unknown where the curve does not reach. */
static struct interval curve_step(const struct analysis *a, uint32_t from, uint32_t to)
{
	struct interval sum = { .known = true, .mid = 0, .lo = 0, .hi = 0, .n = INT32_MAX };
	uint32_t covered = 0;

	for (int i = 0; i < a->nr_walk; i++) {
		uint32_t lo = a->walk[i].from > from ? a->walk[i].from : from;
		uint32_t hi = a->walk[i].to < to ? a->walk[i].to : to;

		if (lo >= hi)
			continue;
		covered += hi - lo;
		/* Subtracting the negative adds, intervals by square-and-add. */
		sum = interval_sub(sum, interval_scale(a->walk[i].per_step, -(double)(hi - lo) / (to - from)));
	}
	if (covered != to - from)
		return (struct interval){ .mid = NAN, .lo = NAN, .hi = NAN };
	return sum;
}

/* The row of `bench` with the smallest list_len > above; -1: none. */
static int next_length(const struct results *res, const char *bench, uint32_t above)
{
	int found = -1;

	for (int i = 0; i < res->nr_rows; i++) {
		uint32_t len = small_param(&res->rows[i], "list_len");

		if (is_row(&res->rows[i], bench) && len > above &&
		    (found < 0 || len < small_param(&res->rows[found], "list_len")))
			found = i;
	}
	return found;
}

static void compute_isolated(const struct results *res, struct analysis *a)
{
	struct cliff_point points[ANALYSIS_MAX];
	size_t n = 0;
	int before = -1, row, lengths = 0;

	for (uint32_t len = 0; lengths++ < LENGTHS_MAX && (row = next_length(res, BENCH_HIT, len)) >= 0;
	     len = small_param(&res->rows[row], "list_len"))
		add_isolated(a, row, "hit", net_of(&res->rows[row]), a->hit);

	/* Where a row hits now and then, its misses walk as far but the processor predicts less. */
	for (int i = 0; i < a->nr_miss; i++)
		if (a->miss[i].share >= ALL_MISS)
			points[n++] = (struct cliff_point){ .maps = a->miss[i].maps, .cost = a->miss[i].cost };
	lengths = 0;
	for (uint32_t len = 1; lengths++ < LENGTHS_MAX && (row = next_length(res, BENCH_MISS, len)) >= 0;
	     len = small_param(&res->rows[row], "list_len")) {
		uint32_t this_len = small_param(&res->rows[row], "list_len");
		struct interval net = net_of(&res->rows[row]);

		add_isolated(a, row, "miss", interval_sub(net, direct_hit(res, a, this_len)),
			     cliff_interpolate(points, n, maps_of_equal_walk(this_len)));
		if (before >= 0) {
			uint32_t from = maps_of_equal_walk(len), to = maps_of_equal_walk(this_len);

			add_isolated(a, row, "list step", cliff_walk(from, net_of(&res->rows[before]), to, net),
				     curve_step(a, from, to));
		}
		before = row;
	}
}

void analysis_compute(const struct results *res, struct analysis *ret)
{
	_cleanup_(curve_free) struct curve c = { 0 };
	bool insn = results_unit_is_insn(res);
	uint32_t slots;

	memset(ret, 0, sizeof(*ret));
	ret->hit = (struct interval){ .mid = NAN, .lo = NAN, .hi = NAN };
	ret->slots_btf = res->run.machine.slots > 0 ? res->run.machine.slots : 0;
	if (!curve_open(res, &c)) {
		snprintf(ret->why_not, sizeof(ret->why_not), "out of memory");
		return;
	}
	/* A hash and a few maps can be compared even where there is too little for a cliff. */
	compute_hashes(res, &c, ret);
	ret->known = enough(&c, insn, ret->why_not, sizeof(ret->why_not));
	if (!ret->known)
		return;
	ret->bracket = cliff_bracket(c.cost_rows, c.n, c.state);
	if (insn)
		refine_by_model(&c, &ret->bracket);
	slots = slots_to_simulate(ret);
	simulate_cliff(ret, slots);
	fill_shares(&c, slots);
	ret->hit = cliff_hit(c.net_rows, c.state, c.n);
	compute_misses(&c, ret);
	compute_walks(&c, ret);
	compute_isolated(res, ret);
}
