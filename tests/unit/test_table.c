// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables are aligned in columns of a terminal, not in bytes, and leave no trailing blanks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "unit.h"

static void expect(struct table *t, const char *want)
{
	struct err e = { 0 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(table_print(t, f, &e), 0);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
	table_free(t);
}

static void test_aligned(void **state)
{
	struct table *t = table_new();

	(void)state;
	table_column(t, "maps", TABLE_RIGHT);
	table_column(t, "what", TABLE_LEFT);
	table_column(t, "ns", TABLE_RIGHT);
	table_heading(t, "%s", "sequential");
	table_cell(t, "%d", 1);
	table_cell(t, "hit");
	table_cell(t, "%.2f", 4.961);
	table_heading(t, "interleaved, a heading longer than all columns");
	table_cell(t, "%d", 10000);
	table_cell(t, "\xc2\xb1\xc2\xb1 2");
	table_cell(t, "%.2f", 12345.0);
	expect(t, " maps  what        ns\n"
		  "sequential\n"
		  "    1  hit       4.96\n"
		  "interleaved, a heading longer than all columns\n"
		  "10000  \xc2\xb1\xc2\xb1 2  12345.00\n");
}

static void test_no_trailing_blanks(void **state)
{
	struct table *t = table_new();

	(void)state;
	table_column(t, "", TABLE_LEFT);
	table_column(t, "", TABLE_LEFT);
	table_column(t, "", TABLE_LEFT);
	table_cell(t, "a");
	table_cell(t, "%s", "");
	table_cell(t, "  ");
	table_cell(t, "long");
	table_cell(t, "b ");
	table_cell(t, "c");
	expect(t, "a\nlong  b   c\n");
}

static void test_unfinished_rows(void **state)
{
	struct table *t = table_new();

	(void)state;
	table_column(t, "x", TABLE_LEFT);
	table_column(t, "y", TABLE_LEFT);
	table_cell(t, "1");
	table_heading(t, "next");
	table_cell(t, "2");
	expect(t, "x  y\n1\nnext\n2\n");
}

static void test_empty(void **state)
{
	struct table *t = table_new();

	(void)state;
	table_column(t, "only", TABLE_LEFT);
	expect(t, "only\n");
}

static void test_errors(void **state)
{
	struct err e = { 0 };
	struct table *t = table_new();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_int_equal(table_print(NULL, stdout, &e), -ENOMEM);
	assert_int_equal(e.class, ERR_FAILED);
	err_clear(&e);
	table_column(NULL, "a", TABLE_LEFT);
	table_cell(NULL, "a");
	table_heading(NULL, "a");
	table_free(NULL);

	table_cell(t, "no column yet");
	assert_int_equal(table_print(t, stdout, &e), -EINVAL);
	table_free(t);
	err_clear(&e);

	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	t = table_new();
	table_column(t, "a", TABLE_LEFT);
	table_cell(t, "b");
	assert_int_equal(table_print(t, full, &e), -EIO);
	assert_true(err_is_set(&e));
	table_free(t);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aligned),		cmocka_unit_test(test_no_trailing_blanks),
		cmocka_unit_test(test_unfinished_rows), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
