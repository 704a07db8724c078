// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `lsbench report FILE...`: saved results in any output format. Needs neither root nor BPF. Not obvious: a file that
 * cannot be read costs one line on stderr and exit status 1, and the others are printed all the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "core/analysis.h"
#include "core/results_json.h"
#include "lib/cleanup.h"
#include "lib/outfile.h"
#include "lib/str.h"
#include "report/report.h"

struct report_args {
	const struct report_format *format;
	const char *output;
	char **files; /* owned array of borrowed strings */
	size_t nr_files;
};

static const struct argp_option report_table_options[] = {
	{ "format", 'f', "NAME", 0, "table (the default), selftests, csv or jsonl", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE instead of standard output", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static int set_format(struct report_args *args, const char *name, const char *value, struct err *e)
{
	const char *names[16] = { NULL };
	char all[256] = "", shown[64];
	const char *near;
	size_t len = 0;

	args->format = report_find(value);
	if (args->format)
		return 0;
	for (size_t i = 0; report_formats[i] && i + 1 < ARRAY_SIZE(names) && len < sizeof(all); i++) {
		names[i] = report_formats[i]->name;
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", names[i]);
	}
	near = str_nearest(value, names);
	str_printable(shown, sizeof(shown), value);
	return err_set(e, ERR_USAGE, -EINVAL, "%s '%s': there is no such format; %s%s%sit is one of %s", name, shown,
		       near ? "did you mean '" : "", near ? near : "", near ? "'? " : "", all);
}

static int report_set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	struct report_args *args = ctx;
	char **files;

	switch (key) {
	case 'f':
		return set_format(args, name, value, e);
	case 'o':
		args->output = value;
		return 0;
	case OPTIONS_ARG:
		files = reallocarray(args->files, args->nr_files + 1, sizeof(*files));
		if (!files)
			return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
		args->files = files;
		files[args->nr_files++] = (char *)value;
		return 0;
	default:
		return err_set(e, ERR_USAGE, -EINVAL, "option %s is not known here", name);
	}
}

static const struct options *report_options(void)
{
	static const struct options options = {
		.command = "lsbench report",
		.args_doc = "FILE...",
		.doc = "Prints results that `lsbench sweep --json FILE` or `lsbench run --json FILE` saved; - is standard input. "
		       "Needs neither root nor BPF."
		       "\vSummaries and the analysis are computed anew from the repetitions in FILE. A FILE.partial of a "
		       "measurement that died is read as far as it goes. Several files are printed one after the other, each "
		       "under its name.",
		.table = report_table_options,
		.set = report_set,
	};

	return &options;
}

/* Above each of several files; in the machine formats as a line that their readers can pass over. */
static void write_heading(FILE *f, const struct report_args *args, const char *file, bool first)
{
	char shown[512];
	size_t width;

	str_printable(shown, sizeof(shown), file);
	if (args->format == &report_csv) {
		fprintf(f, "# %s\n", shown);
	} else if (args->format != &report_jsonl) { /* there the run line begins each file */
		width = str_width(shown);
		fprintf(f, "%s%s\n", first ? "" : "\n", shown);
		for (size_t i = 0; i < width; i++)
			fputc('=', f);
		fputs("\n\n", f);
	}
}

static int read_file(const char *file, struct results *ret, struct err *e)
{
	if (strcmp(file, "-") == 0)
		return results_read_stream(stdin, "standard input", ret, e);
	return results_read(file, ret, e);
}

/* 0, or -errno when the output cannot be written. *ret_read: the file could be read. */
static int report_file(FILE *f, const struct report_args *args, const char *file, bool first, bool *ret_read,
		       struct err *e)
{
	_cleanup_free_ struct analysis *analysis = calloc(1, sizeof(*analysis));
	struct report_style style;
	struct err why = { 0 };
	struct results res;
	int r;

	*ret_read = false;
	if (!analysis)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	results_init(&res);
	if (read_file(file, &res, &why) < 0) {
		/* So that on a terminal the line stands after what was printed before it. */
		fflush(f);
		cmd_fail(&why);
		return 0;
	}
	*ret_read = true;
	if (args->nr_files > 1)
		write_heading(f, args, file, first);
	analysis_compute(&res, analysis);
	report_style_for(f, &style);
	if (getenv("NO_COLOR") && *getenv("NO_COLOR"))
		style.colour = false;
	r = args->format->write(&res, analysis, &style, f, e);
	results_free(&res);
	return r;
}

static int report_all(const struct report_args *args, struct err *e)
{
	struct outfile out;
	size_t nr_read = 0;
	int r = outfile_open(args->output, &out, e);

	if (r < 0)
		return cmd_fail(e);
	for (size_t i = 0; r == 0 && i < args->nr_files; i++) {
		bool read;

		r = report_file(out.f, args, args->files[i], nr_read == 0, &read, e);
		nr_read += read;
	}
	/* No file could be read: an empty output would look like an empty result. */
	if (r == 0 && nr_read > 0)
		r = outfile_commit(&out, e);
	else
		outfile_discard(&out);
	if (r < 0)
		return cmd_fail(e);
	return nr_read == args->nr_files ? 0 : ERR_FAILED;
}

static int report_run(int argc, char **argv)
{
	struct report_args args = { .format = &report_table };
	struct err e = { 0 };
	bool help = false;
	int status;

	if (options_parse(report_options(), argc, argv, &args, &help, &e) < 0) {
		status = cmd_fail(&e);
	} else if (help) {
		options_help(report_options(), stdout);
		status = 0;
	} else if (args.nr_files == 0) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"no FILE given; `lsbench report FILE` prints what `lsbench sweep --json FILE` saved");
		status = cmd_fail(&e);
	} else {
		status = report_all(&args, &e);
	}
	free(args.files);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "print saved results again, in any format",
	.options = report_options,
	.run = report_run,
};
