// SPDX-License-Identifier: GPL-2.0-or-later
/* Command lines: `_` is `-`, names are whole, every refusal says which option and what to do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/options.h"
#include "lib/str.h"
#include "unit.h"

enum { KEY_MAPS = 0x500, KEY_KEYS, KEY_LEVEL, KEY_HIDDEN };

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "What is measured:", 1 },
	{ "nr_maps", KEY_MAPS, "NUM", 0, "how many maps there are and this text is so long that it has to be wrapped",
	  1 },
	{ "hashmap-nr-keys-used", KEY_KEYS, "NUM", 0, "how many keys", 1 },
	{ "keys", 0, NULL, OPTION_ALIAS, NULL, 1 },
	{ "level", KEY_LEVEL, "N", OPTION_ARG_OPTIONAL, "optional value", 1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "duration", 'd', "SEC", 0, "seconds", 2 },
	{ "verbose", 'v', NULL, 0, "more", 2 },
	{ "quiet", 'q', NULL, 0, "less", 2 },
	{ "secret", KEY_HIDDEN, NULL, OPTION_HIDDEN, "not shown", 2 },
	{ 0 },
};

struct seen {
	char log[512];
	int fail_key;
};

static int set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	struct seen *s = ctx;
	size_t len = strlen(s->log);

	if (key == s->fail_key)
		return err_set(e, ERR_USAGE, -ERANGE, "%s: no", name);
	snprintf(s->log + len, sizeof(s->log) - len, "%x %s %s;", (unsigned int)key, name, value ? value : "(none)");
	return 0;
}

static const struct options with_args = {
	.command = "lsbench run",
	.args_doc = "BENCH",
	.doc = "Does it.",
	.table = table,
	.set = set,
};
static const struct options without_args = {
	.command = "lsbench sweep",
	.doc = "Does it.",
	.table = table,
	.set = set,
};

#define ARGV_MAX 16

/* `line` is split at blanks; "''" is an empty word. */
static int parse(const struct options *o, const char *line, struct seen *s, bool *ret_help, struct err *e)
{
	char copy[512], word0[] = "run", *rest = copy, *argv[ARGV_MAX] = { word0 };
	int argc = 1;

	assert_true(str_copy(copy, sizeof(copy), line));
	while (rest && *rest && argc < ARGV_MAX - 1) {
		argv[argc] = strsep(&rest, " ");
		if (!strcmp(argv[argc], "''"))
			argv[argc] += 2;
		argc++;
	}
	return options_parse(o, argc, argv, s, ret_help, e);
}

static void accept(const struct options *o, const char *line, const char *log)
{
	struct seen s = { 0 };
	struct err e = { 0 };
	bool help = true;

	assert_int_equal(parse(o, line, &s, &help, &e), 0);
	assert_string_equal(s.log, log);
	assert_false(help);
}

static void refuse(const struct options *o, const char *line, const char *message)
{
	struct seen s = { 0 };
	struct err e = { 0 };
	bool help = true;

	assert_int_equal(parse(o, line, &s, &help, &e), -EINVAL);
	assert_int_equal(e.class, ERR_USAGE);
	assert_string_equal(e.msg, message);
	assert_true(help); /* untouched */
}

static void test_accepted(void **state)
{
	(void)state;
	accept(&with_args, "", "");
	accept(&with_args, "--nr_maps=5", "500 --nr_maps 5;");
	accept(&with_args, "--nr-maps 5", "500 --nr_maps 5;");
	accept(&with_args, "--hashmap_nr_keys-used 5", "501 --hashmap-nr-keys-used 5;");
	accept(&with_args, "--keys=7", "501 --keys 7;");
	accept(&with_args, "--nr_maps=a_b=c", "500 --nr_maps a_b=c;"); /* values keep their `_` */
	accept(&with_args, "--nr_maps=", "500 --nr_maps ;");
	accept(&with_args, "--nr_maps -5", "500 --nr_maps -5;");
	accept(&with_args, "--nr_maps --verbose", "500 --nr_maps --verbose;");
	accept(&with_args, "--level", "502 --level (none);");
	accept(&with_args, "--level=2 x", "502 --level 2;1000001 BENCH x;");
	accept(&with_args, "-d 5", "64 -d 5;");
	accept(&with_args, "-d5", "64 -d 5;");
	accept(&with_args, "-vqd5", "76 -v (none);71 -q (none);64 -d 5;");
	accept(&with_args, "--duration 5 --secret", "64 --duration 5;503 --secret (none);");
}

static void test_arguments(void **state)
{
	(void)state;
	accept(&with_args, "one -v two", "1000001 BENCH one;76 -v (none);1000001 BENCH two;");
	accept(&with_args, "-v -- -q --nr_maps -- -",
	       "76 -v (none);1000001 BENCH -q;1000001 BENCH --nr_maps;1000001 BENCH --;1000001 BENCH -;");
	accept(&with_args, "- ''", "1000001 BENCH -;1000001 BENCH ;");
	refuse(&without_args, "-v 1000",
	       "'1000' is one word too many: lsbench sweep takes options only (lsbench sweep --help lists them)");
	refuse(&without_args, "-",
	       "'-' is one word too many: lsbench sweep takes options only (lsbench sweep --help lists them)");
	accept(&without_args, "--", "");
}

static void test_unknown(void **state)
{
	(void)state;
	refuse(&without_args, "--nr_mpas 5",
	       "unknown option '--nr_mpas' of lsbench sweep; did you mean '--nr_maps'? (lsbench sweep --help lists all)");
	refuse(&without_args, "--nr-mapss=5",
	       "unknown option '--nr-mapss' of lsbench sweep; did you mean '--nr_maps'? (lsbench sweep --help lists all)");
	/* a prefix is not the name */
	refuse(&without_args, "--verb",
	       "unknown option '--verb' of lsbench sweep; did you mean '--verbose'? (lsbench sweep --help lists all)");
	refuse(&without_args, "--hel",
	       "unknown option '--hel' of lsbench sweep; did you mean '--help'? (lsbench sweep --help lists all)");
	refuse(&without_args, "--zzz", "unknown option '--zzz' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "--=5", "unknown option '--' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "---", "unknown option '---' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "-z", "unknown option '-z' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "-vz", "unknown option '-z' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "--VERBOSE",
	       "unknown option '--VERBOSE' of lsbench sweep; did you mean '--verbose'? (lsbench sweep --help lists all)");
	/* hidden ones are not suggested; nothing reaches the terminal as it is */
	refuse(&without_args, "--secrte", "unknown option '--secrte' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "--\033[2J", "unknown option '--?[2J' of lsbench sweep; lsbench sweep --help lists all");
	refuse(&without_args, "-\033", "unknown option '-?' of lsbench sweep; lsbench sweep --help lists all");
}

static void test_values(void **state)
{
	(void)state;
	refuse(&without_args, "-v --nr-maps", "--nr_maps of lsbench sweep needs a value: --nr_maps NUM");
	refuse(&without_args, "-vd", "-d of lsbench sweep needs a value: -d SEC");
	refuse(&without_args, "--keys", "--keys of lsbench sweep needs a value: --keys NUM");
	refuse(&without_args, "--verbose=3", "--verbose of lsbench sweep takes no value, it was given '3'");
	refuse(&without_args, "--verbose=", "--verbose of lsbench sweep takes no value, it was given ''");
	refuse(&without_args, "--help=3", "--help of lsbench sweep takes no value, it was given '3'");
}

static void test_long_words(void **state)
{
	char word[400], *argv[] = { word, word };
	struct seen s = { 0 };
	struct err e = { 0 };
	bool help;

	(void)state;
	memset(word, 'n', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	memcpy(word, "--", 2);
	assert_int_equal(options_parse(&without_args, 2, argv, &s, &help, &e), -EINVAL);
	assert_true(strlen(e.msg) < 200);
}

static void test_errors_of_set(void **state)
{
	struct seen s = { .fail_key = KEY_MAPS };
	struct err e = { 0 };
	bool help;

	(void)state;
	assert_int_equal(parse(&without_args, "-v --nr-maps 5 --zzz", &s, &help, &e), -ERANGE);
	assert_string_equal(e.msg, "--nr_maps: no");
	assert_string_equal(s.log, "76 -v (none);");
}

static void test_help_stops(void **state)
{
	static const char *const lines[] = { "-v --help --zzz 1", "-vhz", "-v -h --nr_maps" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct seen s = { 0 };
		struct err e = { 0 };
		bool help = false;

		assert_int_equal(parse(&without_args, lines[i], &s, &help, &e), 0);
		assert_true(help);
		assert_string_equal(s.log, "76 -v (none);");
	}
}

static void test_help_text(void **state)
{
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	options_help(&with_args, f);
	fclose(f);
	assert_non_null(strstr(text, "Usage: lsbench run [OPTION...] BENCH\n"));
	assert_non_null(strstr(text, "Does it."));
	assert_non_null(strstr(text, "--nr_maps=NUM"));
	assert_non_null(strstr(text, "--duration=SEC"));
	assert_non_null(strstr(text, "--help"));
	assert_non_null(strstr(text, "How:"));
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, "corresponding short options"));
	for (rest = text; (line = strsep(&rest, "\n"));) {
		assert_true(strlen(line) <= 80);
		assert_true(!*line || line[strlen(line) - 1] != ' ');
	}
	free(text);
}

static void emit(void *arg, const char *option, bool takes_value)
{
	struct seen *s = arg;
	size_t len = strlen(s->log);

	snprintf(s->log + len, sizeof(s->log) - len, "%s%s ", option, takes_value ? "=" : "");
}

static void test_each(void **state)
{
	struct seen s = { 0 };

	(void)state;
	options_each(&with_args, emit, &s);
	assert_string_equal(s.log, "--nr_maps= --hashmap-nr-keys-used= --keys= --level= -d= --duration= -v --verbose "
				   "-q --quiet -h --help ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),   cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_unknown),	   cmocka_unit_test(test_values),
		cmocka_unit_test(test_long_words), cmocka_unit_test(test_errors_of_set),
		cmocka_unit_test(test_help_stops), cmocka_unit_test(test_help_text),
		cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
