// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings: what does not fit is cut and never overruns, what is not text is shown as "?", slips find their name. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/str.h"
#include "unit.h"

static void test_copy(void **state)
{
	char buf[8] = "zzzzzzz";

	(void)state;
	assert_true(str_copy(buf, sizeof(buf), "1234567"));
	assert_string_equal(buf, "1234567");
	assert_false(str_copy(buf, sizeof(buf), "12345678"));
	assert_string_equal(buf, "1234567");
	assert_true(str_copy(buf, sizeof(buf), ""));
	assert_string_equal(buf, "");
	assert_false(str_copy(buf, 0, "a"));
	assert_false(str_copy(buf, 1, "a"));
	assert_string_equal(buf, "");
}

static void test_nearest(void **state)
{
	static const char *const names[] = {
		"nr_maps", "hashmap_nr_keys_used", "trigger", "json", "label", "loop", NULL
	};
	static const char *const none[] = { NULL };
	char word[200];

	(void)state;
	assert_string_equal(str_nearest("nr_mpas", names), "nr_maps");
	assert_string_equal(str_nearest("nr-maps", names), "nr_maps");
	assert_string_equal(str_nearest("NR-MAP", names), "nr_maps");
	assert_string_equal(str_nearest("jsno", names), "json");
	assert_string_equal(str_nearest("triggers", names), "trigger");
	/* a word cut short, if only one name begins so */
	assert_string_equal(str_nearest("hashmap", names), "hashmap_nr_keys_used");
	assert_string_equal(str_nearest("nr", names), "nr_maps");
	assert_null(str_nearest("l", names));
	assert_null(str_nearest("", names));
	assert_null(str_nearest("xyz", names));
	assert_null(str_nearest("something_else", names));
	assert_null(str_nearest("json", none));
	memset(word, 'n', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_null(str_nearest(word, names));
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(str_width(""), 0);
	assert_int_equal(str_width("abc"), 3);
	assert_int_equal(str_width("\xc2\xb1 2 %"), 5);
	assert_int_equal(str_width("\xe2\x96\x88\xe2\x96\x88"), 2);
	/* invalid: a lone continuation, a cut character, an overlong form, a surrogate, beyond the last */
	assert_int_equal(str_width("\x80"), 1);
	assert_int_equal(str_width("\xe2\x96"), 2);
	assert_int_equal(str_width("\xc0\xaf"), 2);
	assert_int_equal(str_width("\xed\xa0\x80"), 3);
	assert_int_equal(str_width("\xf4\x90\x80\x80"), 4);
}

static const char *printable(char *buf, size_t size, const char *src)
{
	memset(buf, 'z', size);
	str_printable(buf, size, src);
	assert_non_null(memchr(buf, '\0', size));
	return buf;
}

static void test_printable(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(printable(buf, sizeof(buf), "plain \xc2\xb1 text"), "plain \xc2\xb1 text");
	assert_string_equal(printable(buf, sizeof(buf), "a\033[31mb\n\tc\x7f"), "a?[31mb??c?");
	assert_string_equal(printable(buf, sizeof(buf),
				      "\xc2\x9b"
				      "31m"),
			    "?31m"); /* CSI as one character */
	assert_string_equal(printable(buf, sizeof(buf),
				      "a\xe2\x80\xae"
				      "b"),
			    "a?b"); /* right-to-left override */
	assert_string_equal(printable(buf, sizeof(buf), "\xff\xe2\x96"), "???");
	/* never half a character at the end */
	assert_string_equal(printable(buf, 4, "ab\xc2\xb1"), "ab");
	assert_string_equal(printable(buf, 5, "ab\xc2\xb1"), "ab\xc2\xb1");
	assert_string_equal(printable(buf, 1, "ab"), "");
	str_printable(buf, 0, "ab");
}

static void test_read_line(void **state)
{
	char dir[] = "/tmp/lsbench-test-XXXXXX", path[64], buf[16];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("first\nsecond\n", f);
	fclose(f);
	assert_true(str_read_line(dir, "/file", buf, sizeof(buf)));
	assert_string_equal(buf, "first");
	assert_true(str_read_line("", path, buf, 3));
	assert_string_equal(buf, "fi");
	assert_false(str_read_line(dir, "/absent", buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_false(str_read_line(dir, "", buf, sizeof(buf))); /* a directory */
	assert_string_equal(buf, "");
	assert_int_equal(truncate(path, 0), 0);
	assert_true(str_read_line(dir, "/file", buf, sizeof(buf)));
	assert_string_equal(buf, "");
	unlink(path);
	/* nobody writes to it: must not wait */
	assert_int_equal(mkfifo(path, 0600), 0);
	str_read_line(dir, "/file", buf, sizeof(buf));
	assert_string_equal(buf, "");
	unlink(path);
	rmdir(dir);
}

static void test_bytes(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} all[] = {
		{ 0, "0 B" },	       { 999, "999 B" },      { 999.6, "1.0 kB" },    { 1000, "1.0 kB" },
		{ 4194304, "4.2 MB" }, { 1.1e9, "1.1 GB" },   { 999949, "999.9 kB" }, { 999960, "1.0 MB" },
		{ 5e15, "5.0 PB" },    { 5e18, "5000.0 PB" },
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_string_equal(str_bytes(buf, sizeof(buf), all[i].bytes), all[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),	  cmocka_unit_test(test_nearest),   cmocka_unit_test(test_width),
		cmocka_unit_test(test_printable), cmocka_unit_test(test_read_line), cmocka_unit_test(test_bytes),
	};

	setlocale(LC_CTYPE, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
