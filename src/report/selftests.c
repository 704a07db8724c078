// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The published matrix as the kernel's run_bench_local_storage.sh prints it, byte for byte, for scripts that parse it.
 * Not obvious: rows that the script has no line for (own tid, isolated hit and miss, rows without figures) are left
 * out, and +- is always the UTF-8 sign, since that is what is parsed.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/rows.h"

struct rates {
	int n;
	double mean, sd; /* M ops/s; sample standard deviation over trials */
	double mean_important, sd_important;
};

/* One trial is what a second is to the script: hits and important hits in million a second. False: no figure. */
static bool rates_of_rep(const struct rep *rep, double *ret_hits, double *ret_important)
{
	const struct counters *c = &rep->counters;

	if (!isfinite(rep->gross) || !(rep->gross > 0) || c->ops == 0 || c->hits == 0)
		return false;
	*ret_hits = 1000 / rep->gross * ((double)c->hits / (double)c->ops);
	*ret_important = 1000 / rep->gross * ((double)c->important_hits / (double)c->ops);
	return isfinite(*ret_hits);
}

static struct rates rates_of_row(const struct row *row)
{
	struct rates r = { .n = 0 };
	double square = 0, square_important = 0, hits, important;

	/* Welford: the squares of large rates would cancel. */
	for (int i = 0; i < row->nr_reps; i++) {
		double d, d_important;

		if (!rates_of_rep(&row->reps[i], &hits, &important))
			continue;
		r.n++;
		d = hits - r.mean;
		d_important = important - r.mean_important;
		r.mean += d / r.n;
		r.mean_important += d_important / r.n;
		square += d * (hits - r.mean);
		square_important += d_important * (important - r.mean_important);
	}
	if (r.n > 1) {
		r.sd = sqrt(square / (r.n - 1));
		r.sd_important = sqrt(square_important / (r.n - 1));
	}
	return r;
}

static void write_heading(FILE *f, const char *heading, bool *written)
{
	if (*written)
		return;
	*written = true;
	fprintf(f, "\n%s\n", heading);
	for (size_t i = 0; heading[i]; i++)
		fputc('=', f);
	fputc('\n', f);
}

static bool write_row(FILE *f, const struct row *row, const char *what)
{
	struct rates r = rates_of_row(row);

	if (row->outcome != OUTCOME_OK || r.n == 0)
		return false;
	fprintf(f,
		"%s get:  hits throughput: %.3f ± %.3f M ops/s, hits latency: %.3f ns/op, important_hits throughput: %.3f ± %.3f "
		"M ops/s\n",
		what, r.mean, r.sd, 1000 / r.mean, r.mean_important, r.sd_important);
	return true;
}

static bool printable(const struct row *row)
{
	return row->outcome == OUTCOME_OK && rates_of_row(row).n > 0;
}

static void write_hashes(const struct results *res, const struct row_place *places, FILE *f)
{
	bool heading = false;

	for (int i = 0; i < res->nr_rows; i++) {
		const struct row *row = &res->rows[places[i].row];

		if (row_kind(row) != KIND_HASH || !printable(row))
			continue;
		write_heading(f, "Hashmap Control", &heading);
		fprintf(f, "\tnum keys: %" PRIu64 "\n", params_num(&row->point.params, "hashmap_nr_keys_used", 0));
		write_row(f, row, "hashmap (control) sequential   ");
		fputc('\n', f);
	}
}

static int by_maps(const void *a, const void *b, void *arg)
{
	const struct results *res = arg;
	int i = *(const int *)a, j = *(const int *)b;
	uint64_t x = params_num(&res->rows[i].point.params, "nr_maps", 0);
	uint64_t y = params_num(&res->rows[j].point.params, "nr_maps", 0);
	int k = (int)row_kind(&res->rows[i]), l = (int)row_kind(&res->rows[j]);

	if (x != y)
		return x < y ? -1 : 1;
	return k != l ? k - l : (i > j) - (i < j);
}

/* By number of maps; for each the sequential line, then the interleaved one. */
static int write_storage(const struct results *res, FILE *f)
{
	_cleanup_free_ int *rows = calloc((size_t)res->nr_rows + 1, sizeof(*rows));
	bool heading = false;
	uint64_t maps = 0;
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (int i = 0; i < res->nr_rows; i++) {
		enum row_kind kind = row_kind(&res->rows[i]);

		if ((kind == KIND_SEQ || kind == KIND_INT) && printable(&res->rows[i]))
			rows[n++] = i;
	}
	qsort_r(rows, n, sizeof(*rows), by_maps, (void *)res);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &res->rows[rows[i]];
		uint64_t m = params_num(&row->point.params, "nr_maps", 0);

		write_heading(f, "Local Storage", &heading);
		if (i > 0 && m != maps)
			fputc('\n', f);
		if (i == 0 || m != maps)
			fprintf(f, "\tnum_maps: %" PRIu64 "\n", m);
		maps = m;
		write_row(f, row,
			  row_kind(row) == KIND_SEQ ? "local_storage cache sequential "
						    : "local_storage cache interleaved");
	}
	if (n > 0)
		fputc('\n', f);
	return 0;
}

static int selftests_write(const struct results *res, const struct analysis *a, const struct report_style *style,
			   FILE *f, struct err *e)
{
	_cleanup_free_ struct row_place *places = NULL;

	(void)a;
	(void)style;
	if (results_unit_is_insn(res))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "--format selftests speaks of operations a second, but these results count instructions; "
			       "use --format table, csv or jsonl");
	if (rows_place(res, &places) < 0)
		return err_set(e, ERR_FAILED, -ENOMEM, "no memory to sort %d rows", res->nr_rows);
	write_hashes(res, places, f);
	if (write_storage(res, f) < 0)
		return err_set(e, ERR_FAILED, -ENOMEM, "no memory to sort %d rows", res->nr_rows);
	if (ferror(f))
		return err_set(e, ERR_FAILED, -EIO, "the rows could not be written");
	return 0;
}

const struct report_format report_selftests = {
	.name = "selftests",
	.summary = "as the kernel's run_bench_local_storage.sh prints it",
	.write = selftests_write,
};
