// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RFC 4180 with Unix line ends: a header, then a line for each row in the order of the plan. Not obvious: parameters
 * are columns of their own, the union over all rows; what is not known is an empty field, never 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"
#include "report/rows.h"

#define PARAM_COLUMNS_MAX 256 /* a hostile file could name a new parameter in every row */

struct names {
	const char *v[PARAM_COLUMNS_MAX]; /* belong to the rows */
	int n;
};

/* Control characters (line breaks apart, which quotes protect) do not reach a terminal. */
static void put_piece(FILE *f, const char *text, size_t len)
{
	char raw[256], safe[256];

	while (len > 0) {
		size_t n = len < sizeof(raw) - 1 ? len : sizeof(raw) - 1;

		/* Never between the bytes of one character. */
		while (n < len && n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		memcpy(raw, text, n);
		raw[n] = '\0';
		str_printable(safe, sizeof(safe), raw);
		for (const char *c = safe; *c; c++) {
			if (*c == '"')
				fputc('"', f);
			fputc(*c, f);
		}
		text += n;
		len -= n;
	}
}

static void put_text(FILE *f, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	if (quoted)
		fputc('"', f);
	for (;;) {
		size_t len = strcspn(text, "\n");

		put_piece(f, text, len);
		text += len;
		if (*text != '\n')
			break;
		fputc('\n', f);
		text++;
	}
	if (quoted)
		fputc('"', f);
}

static void put_number(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, ",%.10g", v);
	else
		fputc(',', f);
}

static void put_field(FILE *f, const char *text)
{
	fputc(',', f);
	put_text(f, text);
}

static void put_summary(FILE *f, const struct summary *s)
{
	put_number(f, s->known ? s->mid : NAN);
	put_number(f, s->interval ? s->lo : NAN);
	put_number(f, s->interval ? s->hi : NAN);
}

static void collect_names(const struct results *res, struct names *ret)
{
	ret->n = 0;
	for (int i = 0; i < res->nr_rows; i++) {
		const struct params *p = &res->rows[i].point.params;

		for (int j = 0; j < p->n; j++) {
			bool met = ret->n == PARAM_COLUMNS_MAX;

			for (int k = 0; k < ret->n && !met; k++)
				met = strcmp(ret->v[k], p->v[j].name) == 0;
			if (!met)
				ret->v[ret->n++] = p->v[j].name;
		}
	}
}

static void put_header(FILE *f, const struct names *names)
{
	fputs("bench", f);
	for (int i = 0; i < names->n; i++)
		put_field(f, names->v[i]);
	fputs(",store,trigger,loop,outcome,reason,warnings,unit,n,gross,gross_lo,gross_hi,overhead,overhead_lo,overhead_hi,"
	      "net,net_lo,net_hi,mops,important_mops,slots_seen,miss_share,miss_share_audited,ops,hits,important_hits,nulls,"
	      "errors,setup_ms,stopped_by,engine,kernel\n",
	      f);
}

static void put_params(FILE *f, const struct params *p, const struct names *names)
{
	for (int i = 0; i < names->n; i++) {
		const struct param *v = params_find(p, names->v[i]);

		if (!v)
			fputc(',', f);
		else if (v->is_num)
			fprintf(f, ",%" PRIu64, v->num);
		else
			put_field(f, v->text);
	}
}

static void put_warnings(FILE *f, const struct row *row)
{
	char joined[sizeof(row->warnings) + ROW_WARNINGS_MAX] = "";
	size_t len = 0;

	for (int i = 0; i < row->nr_warnings && i < ROW_WARNINGS_MAX; i++)
		len += (size_t)snprintf(joined + len, sizeof(joined) - len, "%s%s", i ? ";" : "", row->warnings[i]);
	put_field(f, joined);
}

static void put_counters(FILE *f, const struct counters *c)
{
	fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, c->ops, c->hits, c->important_hits,
		c->nulls, c->errors);
}

static void put_row(FILE *f, const struct run_info *run, const struct row *row, const struct names *names)
{
	bool insn = strcmp(run->unit, "insn") == 0;

	put_text(f, row->point.bench);
	put_params(f, &row->point.params, names);
	put_field(f, row->point.store);
	put_field(f, row->point.trigger);
	put_field(f, row->point.loop);
	put_field(f, outcome_name(row->outcome));
	put_field(f, row->reason);
	put_warnings(f, row);
	put_field(f, run->unit);
	fprintf(f, ",%d", row->gross.n);
	put_summary(f, &row->gross);
	put_summary(f, &row->overhead);
	put_summary(f, &row->net);
	put_number(f, insn ? NAN : row_mops(row));
	put_number(f, insn ? NAN : row_important_mops(row));
	fputs(row->slots.n <= 0 ? "," : row->slots.seen ? ",yes" : ",no", f);
	put_number(f, row->slots.miss_share);
	put_number(f, row->slots.miss_share_audited);
	put_counters(f, &row->counters);
	put_number(f, row->setup_ms);
	put_field(f, stopped_by_name(row->stopped_by));
	put_field(f, run->engine);
	put_field(f, run->machine.kernel);
	fputc('\n', f);
}

static int by_order(const void *a, const void *b, void *arg)
{
	const struct results *res = arg;
	int i = *(const int *)a, j = *(const int *)b;
	int x = res->rows[i].order, y = res->rows[j].order;

	return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

static int csv_write(const struct results *res, const struct analysis *a, const struct report_style *style, FILE *f,
		     struct err *e)
{
	_cleanup_free_ int *rows = calloc((size_t)res->nr_rows + 1, sizeof(*rows));
	struct names names;

	(void)a;
	(void)style;
	if (!rows)
		return err_set(e, ERR_FAILED, -ENOMEM, "no memory to sort %d rows", res->nr_rows);
	for (int i = 0; i < res->nr_rows; i++)
		rows[i] = i;
	qsort_r(rows, (size_t)res->nr_rows, sizeof(*rows), by_order, (void *)res);
	collect_names(res, &names);
	put_header(f, &names);
	for (int i = 0; i < res->nr_rows; i++)
		put_row(f, &res->run, &res->rows[rows[i]], &names);
	if (ferror(f))
		return err_set(e, ERR_FAILED, -EIO, "the rows could not be written");
	return 0;
}

const struct report_format report_csv = {
	.name = "csv",
	.summary = "RFC 4180, a line for each row with every figure",
	.write = csv_write,
};
