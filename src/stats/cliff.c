// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cliff (statistics D). Not obvious: nothing here looks for the largest step of the curve. The cliff begins one map
 * past the slots, where the curve rises least; the largest step comes later and names the wrong place.
 */
#include "stats/cliff.h"

#include <math.h>
#include <stdlib.h>

#include "lib/cleanup.h"

static struct interval unknown(void)
{
	return (struct interval){ .known = false, .mid = NAN, .lo = NAN, .hi = NAN };
}

struct sample {
	int trial;
	double value;
};

static int by_trial(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return (x->trial > y->trial) - (x->trial < y->trial);
}

/* One median a trial; returns how many. Sorts the samples. */
static size_t trial_medians(struct sample *all, size_t n, double *ret)
{
	size_t nr = 0;

	qsort(all, n, sizeof(*all), by_trial);
	for (size_t begin = 0, end; begin < n; begin = end) {
		/* The values of this trial go to where its median will stand: never past what was read. */
		size_t m = 0;

		for (end = begin; end < n && all[end].trial == all[begin].trial; end++)
			ret[nr + m++] = all[end].value;
		ret[nr] = stat_median(ret + nr, m);
		nr++;
	}
	return nr;
}

/* All values of the rows that `state` calls flat (NULL: of the pool): pooled, or one median a trial. */
static struct interval gather(const struct cliff_row *rows, const enum cliff_state *state, size_t n, bool per_trial)
{
	_cleanup_free_ struct sample *all = NULL;
	_cleanup_free_ double *values = NULL;
	size_t total = 0, used = 0;
	bool exact = false;
	struct interval ret;

	for (size_t i = 0; i < n; i++)
		total += rows[i].n;
	all = calloc(total + 1, sizeof(*all));
	values = calloc(total + 1, sizeof(*values));
	if (!all || !values)
		return unknown();
	for (size_t i = 0; i < n; i++) {
		if (state ? state[i] != CLIFF_FLAT : rows[i].maps == 0 || rows[i].maps > CLIFF_POOL_MAPS)
			continue;
		for (size_t k = 0; k < rows[i].n; k++) {
			all[used].trial = rows[i].trials ? rows[i].trials[k] : (int)k;
			values[used] = all[used].value = rows[i].values[k];
			used++;
		}
		exact |= rows[i].exact;
	}
	if (per_trial)
		used = trial_medians(all, used, values);
	ret = interval_median(values, used);
	if (exact && ret.n > 0) {
		ret.known = true;
		ret.lo = ret.hi = ret.mid;
	}
	return ret;
}

static struct interval row_interval(const struct cliff_row *row)
{
	struct interval ret = unknown();

	if (!row->exact)
		return interval_median(row->values, row->n);
	for (size_t k = 0; k < row->n; k++) {
		if (!isfinite(row->values[k]))
			continue;
		if (ret.n++ == 0 || row->values[k] < ret.mid)
			ret.mid = row->values[k];
	}
	ret.known = ret.n > 0;
	ret.lo = ret.hi = ret.mid;
	return ret;
}

static enum cliff_state judge(const struct cliff_row *row, struct interval pool)
{
	struct interval ratio;

	if (row->maps == 0)
		return CLIFF_UNDECIDED;
	if (row->maps <= CLIFF_POOL_MAPS)
		return CLIFF_FLAT;
	ratio = interval_ratio(row_interval(row), pool);
	if (!ratio.known)
		return CLIFF_UNDECIDED;
	if (ratio.lo > CLIFF_RAISED_ABOVE)
		return CLIFF_RAISED;
	return ratio.hi < CLIFF_FLAT_BELOW ? CLIFF_FLAT : CLIFF_UNDECIDED;
}

static bool was_measured(const struct cliff_row *rows, size_t n, uint32_t maps)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].maps == maps)
			return true;
	return false;
}

/* Between a flat row and the next raised one, from the middle outwards. */
static uint32_t next_maps(const struct cliff_bracket *b, const struct cliff_row *rows, size_t n)
{
	uint32_t width, middle;

	if (!b->known || b->disturbed || b->slots_hi <= b->slots_lo)
		return 0;
	width = b->slots_hi - b->slots_lo;
	middle = b->slots_lo + (width + 1) / 2;
	/* At most n numbers are taken, so n + 1 steps outwards find a free one if there is one. */
	for (uint32_t d = 0; d <= width && d <= n + 1; d++) {
		if (middle + d <= b->slots_hi && !was_measured(rows, n, middle + d))
			return middle + d;
		if (middle > b->slots_lo + d && !was_measured(rows, n, middle - d))
			return middle - d;
	}
	return 0;
}

/* The bracket from the states. `beyond`: a row outside of the pool was judged. */
static void bracket_of(const struct cliff_row *rows, const enum cliff_state *state, size_t n, struct cliff_bracket *ret)
{
	uint32_t raised = 0, flat = 0, raised_above = 0;
	bool beyond = false;

	for (size_t i = 0; i < n; i++) {
		beyond |= state[i] != CLIFF_UNDECIDED && rows[i].maps > CLIFF_POOL_MAPS;
		if (state[i] == CLIFF_FLAT && rows[i].maps > flat)
			flat = rows[i].maps;
		if (state[i] == CLIFF_RAISED && (raised == 0 || rows[i].maps < raised))
			raised = rows[i].maps;
	}
	if (!beyond)
		return;
	ret->known = true;
	ret->disturbed = raised != 0 && raised <= flat;
	for (size_t i = 0; i < n; i++) {
		uint32_t maps = rows[i].maps;

		if (state[i] == CLIFF_FLAT && maps > ret->slots_lo && (raised == 0 || maps < raised))
			ret->slots_lo = maps;
		if (state[i] == CLIFF_RAISED && maps > flat && (raised_above == 0 || maps < raised_above))
			raised_above = maps;
	}
	ret->slots_hi = raised_above ? raised_above - 1 : 0;
	ret->adjacent = !ret->disturbed && ret->slots_hi != 0 && ret->slots_lo == ret->slots_hi;
	ret->next = next_maps(ret, rows, n);
}

struct cliff_bracket cliff_bracket(const struct cliff_row *rows, size_t n, enum cliff_state *ret_state)
{
	_cleanup_free_ enum cliff_state *own = calloc(n + 1, sizeof(*own));
	enum cliff_state *state = ret_state ? ret_state : own;
	struct cliff_bracket ret = { 0 };
	struct interval pool = gather(rows, NULL, n, false);

	if (!state)
		return ret;
	for (size_t i = 0; i < n; i++)
		state[i] = judge(&rows[i], pool);
	if (pool.known)
		bracket_of(rows, state, n, &ret);
	return ret;
}

uint32_t cliff_next(const struct cliff_bracket *b)
{
	return b->next;
}

struct interval cliff_hit(const struct cliff_row *net_rows, const enum cliff_state *state, size_t n)
{
	return gather(net_rows, state, n, true);
}

struct interval cliff_miss(struct interval net, struct interval hit, double share)
{
	if (!(share > 0) || !isfinite(share))
		return unknown();
	return interval_scale(interval_sub(net, hit), 1 / share);
}

struct interval cliff_walk(uint32_t maps1, struct interval net1, uint32_t maps2, struct interval net2)
{
	if (maps2 <= maps1)
		return unknown();
	return interval_scale(interval_sub(net2, net1), 2.0 / (maps2 - maps1));
}

/* ---- between rows ---- */

static bool usable(const struct cliff_point *p)
{
	return p->maps > 0 && p->cost.known && p->cost.lo > 0 && p->cost.mid >= p->cost.lo &&
	       p->cost.hi >= p->cost.mid && isfinite(p->cost.hi);
}

/* (1 - w) a + w b; both are independent. */
static struct interval weighted(struct interval a, struct interval b, double w)
{
	/* interval_sub adds the negative's interval the right way round. */
	return interval_sub(interval_scale(a, 1 - w), interval_scale(b, -w));
}

static struct interval on_logs(struct interval i, double (*f)(double))
{
	i.mid = f(i.mid);
	i.lo = f(i.lo);
	i.hi = f(i.hi);
	return i;
}

struct interval cliff_interpolate(const struct cliff_point *curve, size_t n, double maps)
{
	const struct cliff_point *a = NULL, *b = NULL;
	struct interval power, line;

	for (size_t i = 0; i < n; i++) {
		if (!usable(&curve[i]))
			continue;
		if (curve[i].maps <= maps && (!a || curve[i].maps > a->maps))
			a = &curve[i];
		if (curve[i].maps >= maps && (!b || curve[i].maps < b->maps))
			b = &curve[i];
	}
	if (!a || !b)
		return unknown();
	if (a->maps == b->maps)
		return a->cost;
	power = on_logs(weighted(on_logs(a->cost, log), on_logs(b->cost, log),
				 log(maps / a->maps) / log((double)b->maps / a->maps)),
			exp);
	line = weighted(a->cost, b->cost, (maps - a->maps) / ((double)b->maps - a->maps));
	power.mid = sqrt(power.mid * line.mid);
	power.lo = fmin(power.lo, line.lo);
	power.hi = fmax(power.hi, line.hi);
	return power;
}

/*
 * The first number of maps at which the curve's limit (upper or lower) reaches `level`, log-log between rows; INFINITY
 * if it never does.
 */
static double first_reach(const struct cliff_point *curve, size_t n, bool upper, double level)
{
	const struct cliff_point *before = NULL;

	for (size_t i = 0; i < n; i++) {
		double now, then, w;

		if (!usable(&curve[i]))
			continue;
		now = upper ? curve[i].cost.hi : curve[i].cost.lo;
		if (now < level) {
			before = &curve[i];
			continue;
		}
		if (!before)
			return curve[i].maps;
		then = upper ? before->cost.hi : before->cost.lo;
		w = log(level / then) / log(now / then);
		return before->maps * pow((double)curve[i].maps / before->maps, w);
	}
	return INFINITY;
}

struct cliff_breakeven cliff_breakeven(const struct cliff_point *curve, size_t n, struct interval hash)
{
	struct cliff_breakeven ret = { .crosses = false, .maps_lo = NAN, .maps_hi = NAN };
	const struct cliff_point hash_point = { .maps = 1, .cost = hash };
	size_t below = 0, above = 0, total = 0;
	const struct cliff_point *first = NULL;

	if (!usable(&hash_point))
		return ret;
	for (size_t i = 0; i < n; i++) {
		if (!usable(&curve[i]))
			continue;
		below += curve[i].cost.hi < hash.lo;
		above += curve[i].cost.lo > hash.hi;
		if (total++ == 0)
			first = &curve[i];
	}
	if (total == 0)
		return ret;
	if (below == total || above == total) {
		ret.always = above == total ? 1 : -1;
		return ret;
	}
	/* Not one crossing from below: nothing that could be said with two numbers. */
	if (first->cost.lo > hash.hi || below + above == 0)
		return ret;
	ret.crosses = true;
	ret.maps_lo = first_reach(curve, n, true, hash.lo);
	ret.maps_hi = first_reach(curve, n, false, hash.hi);
	/* Touches the hash at its first row and is below it later: no order either. */
	if (below > 0 && isinf(ret.maps_hi) && ret.maps_lo <= first->maps)
		ret = (struct cliff_breakeven){ .maps_lo = NAN, .maps_hi = NAN };
	return ret;
}

/* ---- exact counts ---- */

static double model_share(uint32_t maps, uint32_t slots)
{
	double share = 2.0 * ((double)maps - slots) / maps;

	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Gaussian elimination with pivoting, 3 unknowns; false if the rows do not determine them. */
static bool solve3(double m[3][4], double ret[3])
{
	for (int c = 0; c < 3; c++) {
		int pivot = c;

		for (int r = c + 1; r < 3; r++)
			if (fabs(m[r][c]) > fabs(m[pivot][c]))
				pivot = r;
		/* Columns are scaled to about 1, so this is relative. */
		if (!(fabs(m[pivot][c]) > 1e-9))
			return false;
		for (int k = 0; k < 4; k++) {
			double kept = m[c][k];

			m[c][k] = m[pivot][k];
			m[pivot][k] = kept;
		}
		for (int r = 0; r < 3; r++) {
			double f = m[r][c] / m[c][c];

			for (int k = c; r != c && k < 4; k++)
				m[r][k] -= f * m[c][k];
		}
	}
	for (int c = 0; c < 3; c++)
		ret[c] = m[c][3] / m[c][c];
	return isfinite(ret[0]) && isfinite(ret[1]) && isfinite(ret[2]);
}

/* Least squares of the relative errors for one number of slots; returns their sum, INFINITY if there is no fit. */
static double fit_slots(const struct cliff_point *net, size_t n, uint32_t slots, struct cliff_model *ret)
{
	double m[3][4] = { { 0 } }, scale[3] = { 0 }, c[3], sum = 0;

	/* First pass: the scale of each column; second: the normal equations. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			double share = model_share(net[i].maps, slots), y = net[i].cost.mid;
			double x[3] = { 1 / y, share / y, share * (net[i].maps + 1.0) / 2 / y };

			for (int a = 0; a < 3; a++) {
				if (pass == 0) {
					scale[a] += x[a] * x[a];
					continue;
				}
				for (int b = 0; b < 3; b++)
					m[a][b] += x[a] * x[b] / sqrt(scale[a] * scale[b]);
				m[a][3] += x[a] / sqrt(scale[a]);
			}
		}
	if (!(scale[0] > 0) || !(scale[1] > 0) || !(scale[2] > 0) || !solve3(m, c))
		return INFINITY;
	*ret = (struct cliff_model){ .slots = slots,
				     .hit = c[0] / sqrt(scale[0]),
				     .miss = c[1] / sqrt(scale[1]),
				     .step = c[2] / sqrt(scale[2]) };
	for (size_t i = 0; i < n; i++) {
		double share = model_share(net[i].maps, slots);
		double fit = ret->hit + share * (ret->miss + ret->step * (net[i].maps + 1.0) / 2);
		double error = fit / net[i].cost.mid - 1;

		sum += error * error;
		ret->worst = fmax(ret->worst, fabs(error));
	}
	return sum;
}

struct cliff_model cliff_fit(const struct cliff_point *net, size_t n)
{
	struct cliff_model best = { 0 }, now = { 0 };
	double best_sum = INFINITY, second = INFINITY;
	uint32_t largest = 0;

	for (size_t i = 0; i < n; i++) {
		if (!usable(&net[i]))
			return best;
		largest = net[i].maps > largest ? net[i].maps : largest;
	}
	/* Three costs and S: with fewer than five rows anything fits. */
	if (n < 5)
		return best;
	for (uint32_t slots = 1; slots < largest && slots <= CLIFF_SLOTS_MAX; slots++) {
		double sum = fit_slots(net, n, slots, &now);

		if (sum < best_sum) {
			second = best_sum;
			best_sum = sum;
			best = now;
		} else if (sum < second) {
			second = sum;
		}
	}
	best.known = isfinite(best_sum) && best.worst <= 0.02 && best.step > 0 && best_sum < second / 2;
	return best;
}
