// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a results file: line by line, each at most 1 MiB, whatever the file is. Not obvious: rows are found by a
 * canonical text of their point in a hash table (a JSON object, which has a seeded hash), because a file may hold many
 * thousand of them; and they are put back into the order of the plan at the end, because lines stand in the order in
 * which repetitions ran.
 */
#include "core/results_json.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/results_priv.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define NO_ORDER INT_MAX
#define KEY_MAX 2048

struct reader {
	FILE *f;
	char name[512]; /* for messages: printable */
	char *buf;	/* the current line, without its end, NUL-terminated */
	size_t len, cap;
	bool terminated; /* it had a newline */
	size_t line;	 /* its number, from 1 */
	bool has_run, has_end;
	bool cut; /* the last line could not be used */
	int end_points;
	uint64_t nr_reps;
	uint64_t nr_unknown, nr_after_end;
	char unknown[32]; /* kind of the first unknown line */
	json_t *index;	  /* canonical text of a point -> index of its row */
	struct results res;
};

/* ---- lines ---- */

static int buf_reserve(struct reader *rd, struct err *e)
{
	size_t cap = rd->cap ? rd->cap * 2 : 4096;
	char *buf;

	if (rd->len + 1 < rd->cap)
		return 0;
	buf = realloc(rd->buf, cap);
	if (!buf)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	rd->buf = buf;
	rd->cap = cap;
	return 0;
}

/* 1: a line (maybe empty), 0: end of file. A limit of its own, so that a file without newlines is not read whole. */
static int next_line(struct reader *rd, struct err *e)
{
	int c;

	rd->len = 0;
	rd->terminated = false;
	rd->line++;
	while ((c = getc_unlocked(rd->f)) != EOF) {
		if (c == '\n') {
			rd->terminated = true;
			break;
		}
		if (rd->len >= RESULTS_LINE_MAX)
			return err_set(e, ERR_FAILED, -EFBIG,
				       "the line is longer than %d bytes: not a results file of lsbench",
				       RESULTS_LINE_MAX);
		if (buf_reserve(rd, e) < 0)
			return e->code;
		rd->buf[rd->len++] = (char)c;
	}
	if (c == EOF && ferror(rd->f))
		return err_set(e, ERR_FAILED, errno ? -errno : -EIO, "cannot read it: %s",
			       strerror(errno ? errno : EIO));
	if (buf_reserve(rd, e) < 0)
		return e->code;
	if (rd->len > 0 && rd->buf[rd->len - 1] == '\r')
		rd->len--;
	rd->buf[rd->len] = '\0';
	return rd->terminated || rd->len > 0;
}

static bool line_is_blank(const struct reader *rd)
{
	return strspn(rd->buf, " \t") == rd->len;
}

/* Editors on other systems put a byte-order mark in front. */
static const char *without_bom(const struct reader *rd, size_t *ret_len)
{
	bool bom = rd->line == 1 && rd->len >= 3 && memcmp(rd->buf, "\xef\xbb\xbf", 3) == 0;

	*ret_len = rd->len - (bom ? 3 : 0);
	return rd->buf + (bom ? 3 : 0);
}

/* ---- rows ---- */

static void key_add(char *key, size_t *len, const char *s)
{
	/* With its length in front no two lists of texts make the same key. */
	int n = snprintf(key + *len, KEY_MAX - *len, "%zu:%s", strlen(s), s);

	*len += (size_t)n;
}

static void key_of_point(const struct point *p, char key[KEY_MAX])
{
	const struct param *sorted[PARAMS_MAX];
	size_t len = 0;

	_Static_assert(KEY_MAX > PARAMS_MAX * (sizeof(struct param) + 16) + sizeof(struct point) -
					 sizeof(struct params) + 64,
		       "a key must hold every point");
	for (int i = 0; i < p->params.n; i++) {
		int j = i;

		for (; j > 0 && strcmp(sorted[j - 1]->name, p->params.v[i].name) > 0; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = &p->params.v[i];
	}
	key_add(key, &len, p->bench);
	key_add(key, &len, p->store);
	/* Repetitions of different triggers or loops are different things; they are never pooled. */
	key_add(key, &len, p->trigger);
	key_add(key, &len, p->loop);
	for (int i = 0; i < p->params.n; i++) {
		char num[24];

		snprintf(num, sizeof(num), "=%" PRIu64, sorted[i]->num);
		key_add(key, &len, sorted[i]->name);
		key_add(key, &len, sorted[i]->is_num ? num : sorted[i]->text);
		key_add(key, &len, sorted[i]->is_num ? "n" : "t");
	}
}

/* The row the line belongs to, made if it is new. */
static int row_of_line(struct reader *rd, const json_t *line, struct row **ret, struct err *e)
{
	struct point point;
	char key[KEY_MAX];
	const json_t *known;
	struct row *row;
	int order;

	if (results_decode_point_id(line, &point, &order, e) < 0)
		return e->code;
	key_of_point(&point, key);
	known = json_object_get(rd->index, key);
	if (known) {
		*ret = &rd->res.rows[json_integer_value(known)];
		return 0;
	}
	if (rd->res.nr_rows >= RESULTS_ROWS_MAX)
		return err_set(e, ERR_FAILED, -E2BIG, "the file has more than %d rows, the most that is read",
			       RESULTS_ROWS_MAX);
	if (json_object_set_new_nocheck(rd->index, key, json_integer(rd->res.nr_rows)) < 0)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	row = results_add_row(&rd->res);
	if (!row)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	row->point = point;
	row->order = order >= 0 ? order : NO_ORDER;
	*ret = row;
	return 0;
}

/* ---- kinds of lines ---- */

static int on_rep(struct reader *rd, const json_t *line, struct err *e)
{
	struct row *row;
	struct rep rep;

	if (row_of_line(rd, line, &row, e) < 0 || results_decode_rep(line, &rep, e) < 0)
		return e->code;
	if (++rd->nr_reps > RESULTS_REPS_MAX)
		return err_set(e, ERR_FAILED, -E2BIG, "the file has more than %d repetitions, the most that is read",
			       RESULTS_REPS_MAX);
	if (row_add_rep(row, &rep) < 0)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	return 0;
}

static int on_point(struct reader *rd, const json_t *line, struct err *e)
{
	struct row *row;

	if (row_of_line(rd, line, &row, e) < 0)
		return e->code;
	return results_decode_point(line, row, e);
}

static int on_notes(struct reader *rd, const json_t *line, struct err *e)
{
	return results_decode_notes(line, &rd->res.run, e);
}

static int on_end(struct reader *rd, const json_t *line, struct err *e)
{
	rd->has_end = true;
	return results_decode_end(line, &rd->end_points, &rd->res.exit_status, e);
}

static int on_run(struct reader *rd, const json_t *line, struct err *e)
{
	(void)rd;
	(void)line;
	return err_set(e, ERR_FAILED, -EINVAL,
		       "a second run line: several runs in one file; give one file for each run");
}

static int on_ignored(struct reader *rd, const json_t *line, struct err *e)
{
	(void)rd;
	(void)line;
	(void)e;
	return 0;
}

static const struct line_kind {
	const char *name;
	int (*handle)(struct reader *rd, const json_t *line, struct err *e);
} line_kinds[] = {
	{ "rep", on_rep },	    { "point", on_point },   { "notes", on_notes }, { "end", on_end },
	{ "run", on_run },	    { "batch", on_ignored }, /* for other tools; a repetition is their median */
	{ "analysis", on_ignored },			     /* computed anew, never trusted */
};

static int handle_line(struct reader *rd, const json_t *line, struct err *e)
{
	const char *kind = json_string_value(json_object_get(line, "kind"));

	if (!rd->has_run) {
		rd->has_run = true;
		return results_decode_run(line, &rd->res.run, e);
	}
	if (!kind)
		return err_set(e, ERR_FAILED, -EINVAL, "the line names no \"kind\"");
	if (rd->has_end)
		rd->nr_after_end++;
	for (size_t i = 0; i < ARRAY_SIZE(line_kinds); i++)
		if (strcmp(kind, line_kinds[i].name) == 0)
			return line_kinds[i].handle(rd, line, e);
	if (rd->nr_unknown++ == 0)
		str_printable(rd->unknown, sizeof(rd->unknown), kind);
	return 0;
}

static void cleanup_json(json_t **json)
{
	json_decref(*json);
}

static int parse_line(struct reader *rd, struct err *e)
{
	json_error_t why;
	size_t len;
	const char *text = without_bom(rd, &len);
	_cleanup_(cleanup_json) json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	char shown[80];

	/* jansson takes lists too */
	if (json_is_object(line))
		return handle_line(rd, line, e);
	if (line)
		return err_set(e, ERR_FAILED, -EINVAL, "the line is a JSON list, expected an object");
	if (!rd->terminated && rd->has_run) {
		rd->cut = true;
		return 0;
	}
	str_printable(shown, sizeof(shown), why.text);
	if (!rd->has_run)
		return err_set(e, ERR_FAILED, -EINVAL, "not a results file of lsbench: the first line is not JSON (%s)",
			       shown);
	return err_set(e, ERR_FAILED, -EINVAL, "the line is not JSON (%s)", shown);
}

static int read_lines(struct reader *rd, struct err *e)
{
	int r;

	errno = 0;
	while ((r = next_line(rd, e)) > 0) {
		if (!line_is_blank(rd) && parse_line(rd, e) < 0)
			return e->code;
		if (!rd->terminated)
			return 0;
	}
	/* For messages about the whole: the last line that was there. */
	if (r == 0 && rd->line > 1)
		rd->line--;
	return r;
}

/* ---- after the last line ---- */

static int compare_int(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The same trial twice: copied lines, which would make intervals too narrow. Said, but nothing is removed. */
static bool row_has_trial_twice(const struct row *row)
{
	size_t n = (size_t)row->nr_reps;
	_cleanup_free_ int *trials = calloc(n + 1, sizeof(*trials));

	if (!trials)
		return false;
	for (size_t i = 0; i < n; i++)
		trials[i] = row->reps[i].trial;
	qsort(trials, n, sizeof(*trials), compare_int);
	for (size_t i = 1; i < n; i++)
		if (trials[i] == trials[i - 1])
			return true;
	return false;
}

/* whole: the file has its end line; else a row may not have had its turn, which is no failure. */
static void check_row(struct row *row, bool whole, int *nr_twice)
{
	*nr_twice += row_has_trial_twice(row);
	if (row->outcome != OUTCOME_OK)
		return;
	if (row->nr_reps == 0 && whole) {
		row->outcome = OUTCOME_FAILED;
		snprintf(row->reason, sizeof(row->reason), "the file holds no repetition of it");
	}
	for (int i = 0; i < row->nr_reps; i++) {
		const struct counters *c = &row->reps[i].counters;

		if (counters_sum_holds(c))
			continue;
		row->outcome = OUTCOME_INVALID;
		snprintf(row->reason, sizeof(row->reason),
			 "in trial %d hits %" PRIu64 " + nulls %" PRIu64 " + errors %" PRIu64 " are not ops %" PRIu64,
			 row->reps[i].trial, c->hits, c->nulls, c->errors, c->ops);
		return;
	}
}

struct place {
	int order, index;
};

static int compare_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	/* Rows that say nothing keep the order in which they appeared. */
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return compare_int(&x->index, &y->index);
}

static int sort_rows(struct results *res, struct err *e)
{
	size_t n = (size_t)res->nr_rows;
	_cleanup_free_ struct place *places = calloc(n + 1, sizeof(*places));
	_cleanup_free_ struct row *sorted = calloc(n + 1, sizeof(*sorted));
	struct row *unsorted = res->rows;

	if (!places || !sorted)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){ res->rows[i].order, (int)i };
	qsort(places, n, sizeof(*places), compare_place);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = res->rows[places[i].index];
		sorted[i].order = (int)i;
	}
	res->rows = take_ptr(sorted);
	res->cap_rows = (int)n + 1;
	free(unsorted);
	return 0;
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), t = strlen(tail);

	return n >= t && strcmp(s + n - t, tail) == 0;
}

static void take_notes(struct reader *rd, int nr_twice)
{
	struct run_info *run = &rd->res.run;

	if (!rd->has_end)
		run_warn(run,
			 "the file has no end line: the measurement was stopped, died or is still running; "
			 "the %" PRIu64 " repetitions in it are used",
			 rd->nr_reps);
	else if (ends_with(rd->name, ".partial"))
		run_warn(run, "the file is complete though it is named .partial: it can be renamed");
	if (rd->cut)
		run_warn(run, "line %zu, the last, is cut short and was left out", rd->line);
	if (rd->nr_unknown)
		run_warn(run, "%" PRIu64 " lines of a kind this lsbench does not know (\"%s\") were left out",
			 rd->nr_unknown, rd->unknown);
	if (rd->nr_after_end)
		run_warn(run, "%" PRIu64 " lines stand after the end line; was something appended to the file?",
			 rd->nr_after_end);
	if (rd->has_end && rd->end_points >= 0 && rd->end_points != rd->res.nr_rows)
		run_warn(run, "the end line speaks of %d points, the file holds %d: lines are missing or were added",
			 rd->end_points, rd->res.nr_rows);
	if (nr_twice)
		run_warn(run, "%d rows hold the same trial more than once: copied lines make intervals too narrow",
			 nr_twice);
}

static int no_repetition(const struct reader *rd, struct err *e)
{
	char shown[256];

	if (!rd->has_run)
		return err_set(e, ERR_FAILED, -ENODATA, "the file is empty: the measurement wrote nothing");
	for (int i = 0; i < rd->res.nr_rows; i++) {
		if (!rd->res.rows[i].reason[0])
			continue;
		str_printable(shown, sizeof(shown), rd->res.rows[i].reason);
		return err_set(e, ERR_FAILED, -ENODATA, "no repetition in the file: nothing was measured (%s)", shown);
	}
	return err_set(e, ERR_FAILED, -ENODATA, "no repetition in the file: nothing was measured");
}

static int read_all(struct reader *rd, struct err *e)
{
	int nr_twice = 0;

	rd->index = json_object();
	if (!rd->index)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	if (read_lines(rd, e) < 0)
		return e->code;
	if (rd->nr_reps == 0)
		return no_repetition(rd, e);
	for (int i = 0; i < rd->res.nr_rows; i++)
		check_row(&rd->res.rows[i], rd->has_end, &nr_twice);
	rd->res.partial = !rd->has_end;
	take_notes(rd, nr_twice);
	if (sort_rows(&rd->res, e) < 0)
		return e->code;
	results_summarize(&rd->res);
	return 0;
}

int results_read_stream(FILE *f, const char *name, struct results *ret, struct err *e)
{
	_cleanup_free_ struct reader *rd = calloc(1, sizeof(*rd));
	int r;

	if (!rd)
		return err_set(e, ERR_FAILED, -ENOMEM, "%s: out of memory", name);
	rd->f = f;
	rd->end_points = -1;
	results_init(&rd->res);
	str_printable(rd->name, sizeof(rd->name), name);
	r = read_all(rd, e);
	free(rd->buf);
	json_decref(rd->index);
	if (r < 0) {
		err_prefix(e, "%s:%zu", rd->name, rd->line);
		results_free(&rd->res);
		return r;
	}
	results_free(ret);
	*ret = rd->res;
	return 0;
}

int results_read(const char *path, struct results *ret, struct err *e)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char shown[512];

	if (f)
		return results_read_stream(f, path, ret, e);
	str_printable(shown, sizeof(shown), path);
	return err_set(e, ERR_FAILED, -errno, "%s: cannot open it: %s", shown, strerror(errno));
}
