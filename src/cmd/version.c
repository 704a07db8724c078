// SPDX-License-Identifier: GPL-2.0-or-later
/* lsbench version: which build this is, and what it was built with. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "core/engine.h"
#include "core/results.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "version.h"

static const struct options option_table = {
	.command = "lsbench version",
	.doc = "Prints the version of lsbench and of what it was built with.",
	.table = cmd_json_table,
	.set = cmd_json_set,
};

/* Only the kernel engine knows libbpf: it says so in its description, which needs no privilege. */
static void libbpf_version(char *buf, size_t size)
{
	struct engine_config cfg = { .trigger = "auto", .loop = "auto", .producers = 1 };
	struct results res;
	struct err e = { 0 };
	void *state;

	results_init(&res);
	if (!engine_kernel.open(&cfg, &state, &e)) {
		engine_kernel.describe(state, &res.run);
		engine_kernel.close(state);
	}
	str_copy(buf, size, res.run.libbpf[0] ? res.run.libbpf : "unknown");
	results_free(&res);
}

static int print_json(const char *libbpf)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "lsbench", LSBENCH_VERSION, "libbpf", libbpf, "clang",
			      LSBENCH_CLANG, "cc", __VERSION__, "jansson", jansson_version_str());
	_cleanup_free_ char *text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;

	json_decref(o);
	if (!text)
		return cmd_fail_memory();
	puts(text);
	return 0;
}

static int version_run(int argc, char **argv)
{
	struct err e = { 0 };
	bool json = false, help = false;
	char libbpf[64];

	if (options_parse(&option_table, argc, argv, &json, &help, &e))
		return cmd_fail(&e);
	if (help) {
		options_help(&option_table, stdout);
		return 0;
	}
	libbpf_version(libbpf, sizeof(libbpf));
	if (json)
		return print_json(libbpf);
	printf("lsbench %s\nlibbpf %s, clang %s (BPF programs), jansson %s, compiler %s\n", LSBENCH_VERSION, libbpf,
	       LSBENCH_CLANG, jansson_version_str(), __VERSION__);
	return 0;
}

static const struct options *version_options(void)
{
	return &option_table;
}

const struct cmd cmd_version = {
	.name = "version",
	.summary = "version of lsbench and of what it was built with",
	.options = version_options,
	.run = version_run,
};
