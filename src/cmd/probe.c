// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `lsbench probe`: what this machine can do and what limits it. Exit 0 if a sweep can run here, else 4.
 *
 * Not obvious: nothing is printed before everything was tried, because some findings explain others (a refused fentry
 * says something about lockdown); it takes well below a second.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/measure_lib.h"
#include "cmd/probe_lib.h"
#include "lib/cleanup.h"
#include "lib/outfile.h"
#include "lib/str.h"

struct probe_args {
	bool measure;
	const char *json;
};

enum { KEY_MEASURE = 0x600, KEY_JSON };

static const struct argp_option probe_table[] = {
	{ "measure", KEY_MEASURE, NULL, 0,
	  "also what a new program would see here: the slot a new map gets, its neighbours, what a get then costs", 0 },
	{ "json", KEY_JSON, "FILE", 0,
	  "write the findings to FILE as JSON (-: to standard output, instead of the text)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static int probe_set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	struct probe_args *args = ctx;

	switch (key) {
	case KEY_MEASURE:
		args->measure = true;
		return 0;
	case KEY_JSON:
		if (!*value)
			return err_set(e, ERR_USAGE, -EINVAL, "%s: the file name is empty", name);
		args->json = value;
		return 0;
	default:
		return err_set(e, ERR_USAGE, -EINVAL, "option %s is not known here", name);
	}
}

static const struct options *probe_options(void)
{
	static const struct options options = {
		.command = "lsbench probe",
		.doc = "Tries what a sweep needs and tells, one check a line: the verdict (ok, limited, no, info), the name, what was "
		       "found, and below it what to do."
		       "\vExit status 0 if a sweep can run here, 4 if not; the last line then names the first check that fails.",
		.table = probe_table,
		.set = probe_set,
	};

	return &options;
}

void probe_add(struct probe_list *list, const struct check *c)
{
	if (list->n < PROBE_CHECKS_MAX)
		list->v[list->n++] = *c;
}

const struct check *probe_find(const struct probe_list *list, const char *name)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].name, name))
			return &list->v[i];
	return NULL;
}

const struct check *probe_first_missing(const struct probe_report *r)
{
	const struct probe_list *lists[] = { &r->system, &r->kernel };

	for (size_t k = 0; k < ARRAY_SIZE(lists); k++)
		for (int i = 0; i < lists[k]->n; i++)
			if (lists[k]->v[i].needed && lists[k]->v[i].verdict == CHECK_NO)
				return &lists[k]->v[i];
	return NULL;
}

static void take_check(void *arg, const struct check *c)
{
	probe_add(arg, c);
}

static int write_json(const struct probe_report *r, const char *path, struct err *e)
{
	json_t *json = probe_encode(r);
	struct outfile out;
	int rc;

	if (!json)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	rc = outfile_open(path, &out, e);
	if (!rc) {
		if (json_dumpf(json, out.f, JSON_INDENT(2)) == 0)
			fputc('\n', out.f);
		rc = outfile_commit(&out, e);
	}
	json_decref(json);
	return rc;
}

/* Told here, since main() keeps silent about the output of a command that has another failure to report. */
static int flush_text(struct err *e)
{
	int code = outfile_flush_stream(stdout);

	return code ? err_set(e, ERR_FAILED, -code, "standard output: %s", outfile_why(code)) : 0;
}

static int show(const struct probe_report *r, const struct probe_args *args, struct err *e)
{
	const struct check *missing = probe_first_missing(r);
	bool text = !args->json || strcmp(args->json, "-");

	if (text) {
		probe_print(r, stdout);
		if (!missing)
			fputs("\nA sweep can run here.\n", stdout);
		if (flush_text(e))
			return cmd_fail(e);
	}
	if (args->json && write_json(r, args->json, e))
		return cmd_fail(e);
	if (!missing)
		return 0;
	err_set(e, ERR_MACHINE, -EOPNOTSUPP, "a sweep cannot run here: %s: %s%s%s", missing->name, missing->found,
		missing->hint[0] ? "; " : "", missing->hint);
	return cmd_fail(e);
}

static int probe(const struct probe_args *args)
{
	_cleanup_free_ struct probe_report *r = calloc(1, sizeof(*r));
	struct err e = { 0 };

	if (!r) {
		err_set(&e, ERR_FAILED, -ENOMEM, "out of memory");
		return cmd_fail(&e);
	}
	if (measure_signals(MEASURE_NOTHING_YET, &e))
		return cmd_fail(&e);
	machine_read("", &r->machine);
	kernel_probe_machine(&r->machine, &r->programs);
	if (args->measure)
		probe_newcomer(r);
	kernel_probe(take_check, &r->kernel);
	probe_system(r);
	if (args->measure && !probe_first_missing(r) && probe_costs(r) == -EINTR)
		return 128 + *measure_stop_signal();
	measure_signals(MEASURE_PRINTING, &e);
	return show(r, args, &e);
}

static int probe_run(int argc, char **argv)
{
	struct probe_args args = { 0 };
	struct err e = { 0 };
	bool help = false;

	if (options_parse(probe_options(), argc, argv, &args, &help, &e) < 0)
		return cmd_fail(&e);
	if (help) {
		options_help(probe_options(), stdout);
		return 0;
	}
	return probe(&args);
}

const struct cmd cmd_probe = {
	.name = "probe",
	.summary = "what this machine can do and what limits it",
	.options = probe_options,
	.run = probe_run,
};
