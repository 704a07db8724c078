// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lsbench help [COMMAND]. Also prints the bash completion script, which is made from the same option tables and
 * registries as everything else, so that it cannot fall behind.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/measure_lib.h"
#include "core/bench.h"
#include "core/engine.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "report/report.h"

enum { KEY_COMPLETION = 0x700 };

struct help_options {
	const char *command, *completion;
};

static const struct argp_option table[] = {
	{ "completion", KEY_COMPLETION, "SHELL", 0, "print a completion script; SHELL is bash", 0 },
	{ 0 },
};

static int set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	struct help_options *o = ctx;

	if (key == KEY_COMPLETION) {
		if (strcmp(value, "bash"))
			return err_set(e, ERR_USAGE, -EINVAL, "%s: '%.100s' is not a shell this can complete for: bash",
				       name, value);
		o->completion = value;
		return 0;
	}
	if (o->command)
		return err_set(e, ERR_USAGE, -EINVAL, "'%.100s' is one word too many: help takes one command", value);
	o->command = value;
	return 0;
}

static const struct options option_table = {
	.command = "lsbench help",
	.args_doc = "[COMMAND]",
	.doc = "Prints what lsbench can do, or the options of a command.",
	.table = table,
	.set = set,
};

static void print_overview(void)
{
	printf("Usage: lsbench [COMMAND] [OPTION...]\n"
	       "Measures what BPF local storage costs on this kernel, and where the cliff is.\n\n"
	       "Commands:\n");
	for (size_t i = 0; cmds[i]; i++)
		printf("  %-8s  %s\n", cmds[i]->name, cmds[i]->summary);
	printf("\n"
	       "Without a command it is `lsbench sweep`; called by the name `bench` it is `lsbench run`.\n"
	       "`lsbench help COMMAND` or `lsbench COMMAND --help` prints the options of a command.\n\n"
	       "Exit status: 0 done; 1 failed, or a row failed or is invalid; 2 wrong use; 4 this\n"
	       "machine cannot run it; 130, 143 stopped by SIGINT, SIGTERM with the results kept.\n");
}

static int print_command(const char *name, struct err *e)
{
	const struct cmd *cmd = cmd_find(name);
	const char *names[64] = { NULL };
	const char *near;

	if (cmd) {
		options_help(cmd->options(), stdout);
		return 0;
	}
	for (size_t i = 0; cmds[i] && i + 1 < ARRAY_SIZE(names); i++)
		names[i] = cmds[i]->name;
	near = str_nearest(name, names);
	if (near)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown command '%.100s'; the nearest is '%s'", name, near);
	return err_set(e, ERR_USAGE, -EINVAL, "unknown command '%.100s'; `lsbench help` lists the commands", name);
}

/* ---- completion ---- */

static void emit_option(void *arg, const char *option, bool takes_value)
{
	(void)arg;
	(void)takes_value;
	printf(" %s", option);
}

static void emit_valued(void *arg, const char *option, bool takes_value)
{
	(void)arg;
	if (takes_value)
		printf(" %s", option);
}

static void print_words(const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		printf(" %s", words[i]);
}

static void print_bench_names(void)
{
	for (size_t i = 0; benches[i]; i++)
		printf(" %s", benches[i]->name);
}

/* One line of a case over an option's name (with "-", the script has turned "_" into it) and its short form, or "". */
static void print_choices(const char *option, const char *or_short, const char *const *choices)
{
	printf("\t--");
	for (const char *p = option; *p; p++)
		putchar(*p == '_' ? '-' : *p);
	printf("%s) words=\"", or_short);
	print_words(choices);
	printf("\" ;;\n");
}

/* The first benchmark with a parameter speaks for all that share its name. */
static void print_param_choices(void)
{
	const char *seen[64];
	size_t n = 0;

	for (size_t i = 0; benches[i]; i++)
		for (const struct bench_param *p = benches[i]->params; p && p->name; p++) {
			size_t k = 0;

			while (k < n && strcmp(seen[k], p->name))
				k++;
			if (!p->choices || k < n || n == ARRAY_SIZE(seen))
				continue;
			seen[n++] = p->name;
			print_choices(p->name, "", p->choices);
		}
}

static void print_values(void)
{
	static const char *const shells[] = { "bash", NULL };
	const char *formats[16] = { NULL };

	for (size_t i = 0; report_formats[i] && i + 1 < ARRAY_SIZE(formats); i++)
		formats[i] = report_formats[i]->name;
	printf("\tcase ${prev//_/-} in\n");
	print_choices("format", " | -f", formats);
	print_choices("trigger", "", measure_triggers);
	print_choices("loop", "", measure_loops);
	print_choices("engine", "", engine_names);
	print_choices("completion", "", shells);
	print_param_choices();
	printf("\t--bench)\n\t\twords=\"");
	print_bench_names();
	/* Several, with commas: what stands before the last one is kept. */
	printf("\"\n\t\t[[ $cur != *,* ]] || before=${cur%%,*},\n\t\tcur=${cur##*,}\n\t\t;;\n"
	       "\t--json | --script | --output | -o)\n"
	       "\t\t[[ \" $valued \" != *\" $prev \"* ]] || options= args= files=1\n\t\t;;\n"
	       "\t*) case \" ${valued//_/-} \" in *\" ${prev//_/-} \"*) return ;; esac ;;\n"
	       "\tesac\n");
}

static void print_commands_case(void)
{
	printf("\tcase $cmd in\n");
	for (size_t i = 0; cmds[i]; i++) {
		const struct options *o = cmds[i]->options();

		printf("\t%s)\n\t\toptions=\"", cmds[i]->name);
		options_each(o, emit_option, NULL);
		printf("\"\n\t\tvalued=\"");
		options_each(o, emit_valued, NULL);
		printf("\"\n\t\targs=\"");
		if (!strcmp(cmds[i]->name, "run"))
			print_bench_names();
		else if (!strcmp(cmds[i]->name, "help"))
			printf("$commands");
		printf("\"\n\t\t;;\n");
	}
	printf("\tesac\n");
}

static void print_completion(void)
{
	printf("# bash completion for lsbench, made by `lsbench help --completion bash`\n"
	       "_lsbench()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\tlocal cmd=${COMP_WORDS[1]} words= options= valued= args= files= before= commands=\"");
	for (size_t i = 0; cmds[i]; i++)
		printf(" %s", cmds[i]->name);
	printf("\"\n\tCOMPREPLY=()\n"
	       "\t# \"--format=ta\" arrives as three words\n"
	       "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
	       "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
	       "\tif [[ ${COMP_WORDS[0]##*/} == bench ]]; then\n\t\tcmd=run\n"
	       "\telif [[ $COMP_CWORD -eq 1 && $cur != -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n\t\treturn\n"
	       "\telif [[ $cmd == -* ]]; then\n\t\tcmd=sweep\n\tfi\n");
	print_commands_case();
	print_values();
	/* An option begun with "-" where the table has "_" is still found, in the table's spelling. */
	printf("\tif [[ -z $words && $cur == -* ]]; then\n"
	       "\t\tlocal option\n"
	       "\t\tfor option in $options; do\n"
	       "\t\t\t[[ ${option//_/-} != \"${cur//_/-}\"* ]] || COMPREPLY+=(\"$option\")\n"
	       "\t\tdone\n\t\treturn\n\tfi\n"
	       "\twords=${words:-$args}\n"
	       "\tif [[ -n $words ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"$cur\"))\n"
	       "\telif [[ -n $files || $cmd == report ]]; then\n"
	       "\t\t# so that blanks are quoted and folders end in a slash\n"
	       "\t\tcompopt -o filenames 2>/dev/null || :\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\tfi\n"
	       "}\ncomplete -F _lsbench lsbench\n");
}

static int help_run(int argc, char **argv)
{
	struct help_options o = { 0 };
	struct err e = { 0 };
	bool help = false;

	if (options_parse(&option_table, argc, argv, &o, &help, &e))
		return cmd_fail(&e);
	if (help)
		options_help(&option_table, stdout);
	else if (o.completion)
		print_completion();
	else if (!o.command)
		print_overview();
	else if (print_command(o.command, &e))
		return cmd_fail(&e);
	return 0;
}

static const struct options *help_options(void)
{
	return &option_table;
}

const struct cmd cmd_help = {
	.name = "help",
	.summary = "this, or the options of a command",
	.options = help_options,
	.run = help_run,
};
