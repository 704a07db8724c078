// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An aligned text table; see table.h. All texts stand in one list: a row takes as many of them as there are columns, a
 * heading takes one. An error while filling is remembered and told by table_print.
 */
#include "lib/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"

struct column {
	char *heading;
	enum table_align align;
};

struct text {
	char *s;
	bool is_heading;
};

struct table {
	struct column *columns;
	size_t nr_columns;
	struct text *texts;
	size_t nr_texts, cap_texts;
	size_t in_row; /* cells of the row begun last */
	int error;
};

struct table *table_new(void)
{
	return calloc(1, sizeof(struct table));
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_columns; i++)
		free(t->columns[i].heading);
	for (size_t i = 0; i < t->nr_texts; i++)
		free(t->texts[i].s);
	free(t->columns);
	free(t->texts);
	free(t);
}

void table_column(struct table *t, const char *heading, enum table_align align)
{
	struct column *grown;
	char *copy;

	if (!t || t->error)
		return;
	if (t->nr_texts) {
		t->error = -EINVAL; /* rows have their cells counted already */
		return;
	}
	grown = realloc(t->columns, (t->nr_columns + 1) * sizeof(*grown));
	copy = strdup(heading);
	if (grown)
		t->columns = grown;
	if (!grown || !copy) {
		free(copy);
		t->error = -ENOMEM;
		return;
	}
	t->columns[t->nr_columns++] = (struct column){ .heading = copy, .align = align };
}

static void add_text(struct table *t, bool is_heading, char *s)
{
	if (t->nr_texts == t->cap_texts) {
		size_t cap = t->cap_texts ? t->cap_texts * 2 : 64;
		struct text *grown = realloc(t->texts, cap * sizeof(*grown));

		if (!grown) {
			free(s);
			t->error = -ENOMEM;
			return;
		}
		t->texts = grown;
		t->cap_texts = cap;
	}
	t->texts[t->nr_texts++] = (struct text){ .s = s, .is_heading = is_heading };
}

__attribute__((format(printf, 3, 0))) static void add_format(struct table *t, bool is_heading, const char *fmt,
							     va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		t->error = -ENOMEM;
	else
		add_text(t, is_heading, s);
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list ap;

	if (!t || t->error)
		return;
	if (!t->nr_columns) {
		t->error = -EINVAL;
		return;
	}
	va_start(ap, fmt);
	add_format(t, false, fmt, ap);
	va_end(ap);
	t->in_row = (t->in_row + 1) % t->nr_columns;
}

/* A row that was left unfinished has empty cells at its end. */
static void finish_row(struct table *t)
{
	while (t->in_row && !t->error)
		table_cell(t, "%s", "");
}

void table_heading(struct table *t, const char *fmt, ...)
{
	va_list ap;

	if (!t || t->error)
		return;
	finish_row(t);
	if (t->error)
		return;
	va_start(ap, fmt);
	add_format(t, true, fmt, ap);
	va_end(ap);
}

static void find_widths(const struct table *t, size_t *widths)
{
	size_t column = 0;

	for (size_t i = 0; i < t->nr_columns; i++)
		widths[i] = str_width(t->columns[i].heading);
	for (size_t i = 0; i < t->nr_texts; i++) {
		size_t width;

		if (t->texts[i].is_heading) {
			column = 0;
			continue;
		}
		width = str_width(t->texts[i].s);
		if (width > widths[column])
			widths[column] = width;
		column = (column + 1) % t->nr_columns;
	}
}

/* Blanks are owed until something stands behind them: that cuts trailing ones. */
static void put(FILE *f, const char *s, size_t *owed)
{
	size_t len = strlen(s), blanks = 0;

	while (len && s[len - 1] == ' ') {
		len--;
		blanks++;
	}
	if (len) {
		for (; *owed; --*owed)
			fputc(' ', f);
		fwrite(s, 1, len, f);
	}
	*owed += blanks;
}

static void put_cell(FILE *f, const char *s, size_t width, enum table_align align, size_t *owed)
{
	size_t own = str_width(s), pad = own < width ? width - own : 0;

	if (align == TABLE_RIGHT)
		*owed += pad;
	put(f, s, owed);
	if (align == TABLE_LEFT)
		*owed += pad;
}

static void put_columns(const struct table *t, const size_t *widths, FILE *f)
{
	size_t owed = 0;
	bool any = false;

	for (size_t i = 0; i < t->nr_columns; i++)
		any |= t->columns[i].heading[0] != '\0';
	if (!any)
		return;
	for (size_t i = 0; i < t->nr_columns; i++) {
		owed += i ? 2 : 0;
		put_cell(f, t->columns[i].heading, widths[i], t->columns[i].align, &owed);
	}
	fputc('\n', f);
}

static void put_rows(const struct table *t, const size_t *widths, FILE *f)
{
	size_t column = 0, owed = 0;

	for (size_t i = 0; i < t->nr_texts; i++) {
		const struct text *text = &t->texts[i];

		if (!text->is_heading) {
			owed += column ? 2 : 0;
			put_cell(f, text->s, widths[column], t->columns[column].align, &owed);
			column++;
		} else {
			put(f, text->s, &owed);
		}
		/* the last row may be unfinished */
		if (text->is_heading || column == t->nr_columns || i + 1 == t->nr_texts) {
			fputc('\n', f);
			column = owed = 0;
		}
	}
}

int table_print(const struct table *t, FILE *f, struct err *e)
{
	_cleanup_free_ size_t *widths = NULL;

	if (t && t->error == -EINVAL)
		return err_set(e, ERR_FAILED, -EINVAL, "a table was filled before its columns were known");
	widths = t && !t->error ? calloc(t->nr_columns + 1, sizeof(*widths)) : NULL;
	if (!widths)
		return err_set(e, ERR_FAILED, -ENOMEM, "the table: out of memory");
	find_widths(t, widths);
	put_columns(t, widths, f);
	put_rows(t, widths, f);
	if (ferror(f))
		return err_set(e, ERR_FAILED, -EIO, "the table could not be written: %s",
			       strerror(errno ? errno : EIO));
	return 0;
}
