// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Command lines by argp's tables; see options.h. argp_parse() is not used: it takes prefixes, says which option was
 * wrong on stderr only, and keeps getopt's state at file scope. The walk over argv is short; the layout of --help,
 * which is not, stays argp's.
 */
#include "lib/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/str.h"

#define NAME_MAX_LEN 80

static const struct argp_option help_option = { "help", 'h', NULL, 0, "print this help", -1 };

struct walk {
	const struct options *o;
	void *ctx;
	char **argv;
	int argc, at; /* at: the word after the current one */
	bool help;
};

static bool is_end(const struct argp_option *p)
{
	return !p->name && !p->key && !p->doc && !p->group;
}

static bool is_real(const struct argp_option *p)
{
	return (p->name || p->key) && !(p->flags & OPTION_DOC);
}

static bool has_short(const struct argp_option *p)
{
	return p->key > ' ' && p->key < 0x7f && isprint(p->key);
}

/* An alias has the key and the argument of the option it stands behind. */
static const struct argp_option *unaliased(const struct options *o, const struct argp_option *p)
{
	while (p > o->table && p->flags & OPTION_ALIAS)
		p--;
	return p;
}

static bool same_name(const char *a, const char *b, size_t len_b)
{
	size_t i = 0;

	for (; i < len_b && a[i]; i++)
		if (a[i] != b[i] && !((a[i] == '_' || a[i] == '-') && (b[i] == '_' || b[i] == '-')))
			return false;
	return i == len_b && !a[i];
}

/* &help_option for --help, NULL if there is no such option. */
static const struct argp_option *find_long(const struct options *o, const char *name, size_t len)
{
	for (const struct argp_option *p = o->table; p && !is_end(p); p++)
		if (is_real(p) && p->name && same_name(p->name, name, len))
			return p;
	return same_name(help_option.name, name, len) ? &help_option : NULL;
}

static const struct argp_option *find_short(const struct options *o, char c)
{
	for (const struct argp_option *p = o->table; p && !is_end(p); p++)
		if (is_real(p) && has_short(p) && p->key == c)
			return p;
	return c == help_option.key ? &help_option : NULL;
}

/* ---- refusals ---- */

static int no_such_option(const struct options *o, const char *shown, const char *near, struct err *e)
{
	if (near)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "unknown option '%s' of %s; did you mean '--%s'? (%s --help lists all)", shown,
			       o->command, near, o->command);
	return err_set(e, ERR_USAGE, -EINVAL, "unknown option '%s' of %s; %s --help lists all", shown, o->command,
		       o->command);
}

static int unknown_long(const struct options *o, const char *word, size_t len, struct err *e)
{
	_cleanup_free_ const char **names = NULL;
	_cleanup_free_ char *name = strndup(word, len);
	char shown[NAME_MAX_LEN];
	size_t n = 0;

	for (const struct argp_option *p = o->table; p && !is_end(p); p++)
		n++;
	names = calloc(n + 2, sizeof(*names));
	if (!names || !name)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	n = 0;
	for (const struct argp_option *p = o->table; p && !is_end(p); p++)
		if (is_real(p) && p->name && !(p->flags & OPTION_HIDDEN))
			names[n++] = p->name;
	names[n] = help_option.name;
	shown[0] = shown[1] = '-';
	str_printable(shown + 2, sizeof(shown) - 2, name);
	return no_such_option(o, shown, str_nearest(name, names), e);
}

static int unknown_short(const struct options *o, const char *at, struct err *e)
{
	char text[3] = { '-', *at, '\0' }, shown[sizeof(text)];

	str_printable(shown, sizeof(shown), text);
	return no_such_option(o, shown, NULL, e);
}

static int missing_value(const struct options *o, const char *name, const struct argp_option *p, struct err *e)
{
	return err_set(e, ERR_USAGE, -EINVAL, "%s of %s needs a value: %s %s", name, o->command, name, p->arg);
}

static int unexpected_value(const struct options *o, const char *name, const char *value, struct err *e)
{
	char shown[NAME_MAX_LEN];

	str_printable(shown, sizeof(shown), value);
	return err_set(e, ERR_USAGE, -EINVAL, "%s of %s takes no value, it was given '%s'", name, o->command, shown);
}

static int unexpected_arg(const struct options *o, const char *word, struct err *e)
{
	char shown[NAME_MAX_LEN];

	str_printable(shown, sizeof(shown), word);
	return err_set(e, ERR_USAGE, -EINVAL, "'%s' is one word too many: %s takes options only (%s --help lists them)",
		       shown, o->command, o->command);
}

/* ---- the walk ---- */

static int set_option(struct walk *w, const struct argp_option *p, const char *name, const char *value, struct err *e)
{
	if (p == &help_option) {
		w->help = true;
		return 0;
	}
	return w->o->set(w->ctx, unaliased(w->o, p)->key, name, value, e);
}

static int take_long(struct walk *w, const char *word, struct err *e)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value - word) : strlen(word);
	const struct argp_option *p = find_long(w->o, word, len), *own;
	char name[NAME_MAX_LEN];

	if (!p)
		return unknown_long(w->o, word, len, e);
	own = p == &help_option ? p : unaliased(w->o, p);
	snprintf(name, sizeof(name), "--%s", p->name);
	if (value)
		value++;
	if (value && !own->arg)
		return unexpected_value(w->o, name, value, e);
	if (!value && own->arg && !(own->flags & OPTION_ARG_OPTIONAL)) {
		if (w->at == w->argc)
			return missing_value(w->o, name, own, e);
		value = w->argv[w->at++];
	}
	return set_option(w, p, name, value, e);
}

/* "-v", "-vq", "-d5", "-d 5"; word is what stands behind the "-". */
static int take_short(struct walk *w, const char *word, struct err *e)
{
	for (const char *c = word; *c && !w->help; c++) {
		const struct argp_option *p = find_short(w->o, *c), *own;
		char name[3] = { '-', *c, '\0' };
		const char *value = NULL;
		int r;

		if (!p)
			return unknown_short(w->o, c, e);
		own = p == &help_option ? p : unaliased(w->o, p);
		if (own->arg && c[1])
			value = c + 1;
		else if (own->arg && !(own->flags & OPTION_ARG_OPTIONAL)) {
			if (w->at == w->argc)
				return missing_value(w->o, name, own, e);
			value = w->argv[w->at++];
		}
		r = set_option(w, p, name, value, e);
		if (r || value)
			return r;
	}
	return 0;
}

static int take_arg(struct walk *w, const char *word, struct err *e)
{
	if (!w->o->args_doc)
		return unexpected_arg(w->o, word, e);
	return w->o->set(w->ctx, OPTIONS_ARG, w->o->args_doc, word, e);
}

int options_parse(const struct options *o, int argc, char **argv, void *ctx, bool *ret_help, struct err *e)
{
	struct walk w = { .o = o, .ctx = ctx, .argv = argv, .argc = argc, .at = 1 };
	bool options_ended = false;
	int r = 0;

	while (!r && !w.help && w.at < argc) {
		const char *word = argv[w.at++];

		if (options_ended || word[0] != '-' || !word[1])
			r = take_arg(&w, word, e);
		else if (!strcmp(word, "--"))
			options_ended = true;
		else if (word[1] == '-')
			r = take_long(&w, word + 2, e);
		else
			r = take_short(&w, word + 1, e);
	}
	if (!r)
		*ret_help = w.help;
	return r;
}

/* ---- what the table says ---- */

/* argp's note on short options says what everybody knows, and its help_filter is not asked without an argp_state. */
static const char argp_note[] = "\nMandatory or optional arguments to long options are also mandatory or optional\n"
				"for any corresponding short options.\n";

/* argp's text without its note, without blanks at the ends of lines and the lines that consist of them. */
static void tidy_help(char *text, FILE *f)
{
	char *note = strstr(text, argp_note), *rest = text, *line;

	if (note)
		memmove(note, note + strlen(argp_note), strlen(note + strlen(argp_note)) + 1);
	while ((line = strsep(&rest, "\n"))) {
		size_t len = strlen(line), kept = len;

		while (kept && line[kept - 1] == ' ')
			kept--;
		if ((kept || !len) && (kept || rest))
			fprintf(f, "%.*s\n", (int)kept, line);
	}
}

void options_help(const struct options *o, FILE *f)
{
	_cleanup_free_ struct argp_option *table = NULL;
	_cleanup_free_ char *command = strdup(o->command), *text = NULL;
	struct argp argp = { .options = o->table, .args_doc = o->args_doc, .doc = o->doc };
	char nameless[] = "lsbench";
	size_t n = 0, size;
	FILE *memory = open_memstream(&text, &size);

	while (o->table && !is_end(&o->table[n]))
		n++;
	table = calloc(n + 2, sizeof(*table));
	if (table) {
		if (n)
			memcpy(table, o->table, n * sizeof(*table));
		table[n] = help_option;
		argp.options = table;
	}
	argp_help(&argp, memory ? memory : f,
		  ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC,
		  command ? command : nameless);
	if (memory && !fclose(memory) && text)
		tidy_help(text, f);
}

static void each(const struct argp_option *p, bool takes_value,
		 void (*emit)(void *arg, const char *option, bool takes_value), void *arg)
{
	char name[NAME_MAX_LEN];

	if (has_short(p)) {
		snprintf(name, sizeof(name), "-%c", p->key);
		emit(arg, name, takes_value);
	}
	if (p->name) {
		snprintf(name, sizeof(name), "--%s", p->name);
		emit(arg, name, takes_value);
	}
}

void options_each(const struct options *o, void (*emit)(void *arg, const char *option, bool takes_value), void *arg)
{
	for (const struct argp_option *p = o->table; p && !is_end(p); p++)
		if (is_real(p) && !(p->flags & OPTION_HIDDEN))
			each(p, unaliased(o, p)->arg != NULL, emit, arg);
	each(&help_option, false, emit, arg);
}
