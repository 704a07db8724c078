// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lsbench list: everything that has a name on the command line. One JSON value is built from the registries, and the
 * text is printed from it: the two cannot differ.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/measure_lib.h"
#include "core/bench.h"
#include "core/engine.h"
#include "core/store.h"
#include "report/report.h"

static const struct options option_table = {
	.command = "lsbench list",
	.doc = "Lists benchmarks with their parameters, kinds of maps, triggers, loops, engines and output formats.",
	.table = cmd_json_table,
	.set = cmd_json_set,
};

/* ---- as JSON; NULL anywhere below makes NULL at the top ---- */

static json_t *strings(const char *const *names)
{
	json_t *a = json_array();

	for (size_t i = 0; a && names[i]; i++)
		if (json_array_append_new(a, json_string(names[i]))) {
			json_decref(a);
			return NULL;
		}
	return a;
}

static json_t *param_json(const struct bench_param *p)
{
	if (p->choices)
		return json_pack("{s:s, s:o, s:s, s:s}", "name", p->name, "choices", strings(p->choices), "default",
				 p->dflt_text, "doc", p->doc);
	return json_pack("{s:s, s:I, s:I, s:I, s:s, s:s}", "name", p->name, "min", (json_int_t)p->min, "max",
			 (json_int_t)p->max, "default", (json_int_t)p->dflt, "unit", p->unit ? p->unit : "", "doc",
			 p->doc);
}

static json_t *params_json(const struct bench *b)
{
	json_t *all = json_array();

	for (const struct bench_param *p = b->params; all && p && p->name; p++)
		if (json_array_append_new(all, param_json(p))) {
			json_decref(all);
			return NULL;
		}
	return all;
}

static json_t *benches_json(void)
{
	json_t *all = json_array();

	for (size_t i = 0; all && benches[i]; i++) {
		const struct bench *b = benches[i];

		if (json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", b->name, "summary",
							 b->summary, "operation", b->operation, "store", b->dflt_store,
							 "params", params_json(b)))) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

static json_t *stores_json(void)
{
	json_t *all = json_array();

	for (size_t i = 0; all && stores[i]; i++)
		if (json_array_append_new(all, json_pack("{s:s, s:s?, s:s?, s:s?, s:b}", "name", stores[i]->name,
							 "map_type", stores[i]->map_type, "summary", stores[i]->summary,
							 "since", stores[i]->since, "measured", stores[i]->measured))) {
			json_decref(all);
			return NULL;
		}
	return all;
}

static json_t *formats_json(void)
{
	json_t *all = json_array();

	for (size_t i = 0; all && report_formats[i]; i++)
		if (json_array_append_new(all, json_pack("{s:s, s:s}", "name", report_formats[i]->name, "summary",
							 report_formats[i]->summary))) {
			json_decref(all);
			return NULL;
		}
	return all;
}

static json_t *everything(void)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "benchmarks", benches_json(), "stores", stores_json(),
			 "triggers", strings(measure_triggers), "loops", strings(measure_loops), "engines",
			 strings(engine_names), "formats", formats_json());
}

/* ---- as text ---- */

static const char *text_of(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void print_param(json_t *p)
{
	json_t *choices = json_object_get(p, "choices"), *choice;

	printf("    --%s ", text_of(p, "name"));
	for (size_t i = 0; (choice = json_array_get(choices, i)); i++)
		printf("%s%s", i ? "|" : "", json_string_value(choice));
	if (!choices)
		printf("%lld..%lld", (long long)json_integer_value(json_object_get(p, "min")),
		       (long long)json_integer_value(json_object_get(p, "max")));
	if (choices)
		printf(" (default %s)\n", text_of(p, "default"));
	else
		printf(" %s (default %lld)\n", text_of(p, "unit"),
		       (long long)json_integer_value(json_object_get(p, "default")));
	printf("        %s\n", text_of(p, "doc"));
}

static void print_benches(json_t *all)
{
	json_t *b, *p;

	printf("Benchmarks:\n");
	for (size_t i = 0; (b = json_array_get(all, i)); i++) {
		printf("  %s\n    %s\n    one operation: %s\n", text_of(b, "name"), text_of(b, "summary"),
		       text_of(b, "operation"));
		for (size_t k = 0; (p = json_array_get(json_object_get(b, "params"), k)); k++)
			print_param(p);
	}
}

static void print_stores(json_t *all)
{
	json_t *s;

	printf("\nKinds of maps (* can be measured, others are probed):\n");
	for (size_t i = 0; (s = json_array_get(all, i)); i++)
		printf("  %c %-16s %s\n", json_is_true(json_object_get(s, "measured")) ? '*' : ' ', text_of(s, "name"),
		       text_of(s, "summary"));
}

static void print_names(const char *heading, json_t *all)
{
	json_t *v;

	printf("\n%s:", heading);
	for (size_t i = 0; (v = json_array_get(all, i)); i++)
		printf("%s %s", i ? "," : "", json_string_value(v));
}

static void print_text(json_t *all)
{
	json_t *f;

	print_benches(json_object_get(all, "benchmarks"));
	print_stores(json_object_get(all, "stores"));
	print_names("Triggers (--trigger)", json_object_get(all, "triggers"));
	print_names("Loops (--loop)", json_object_get(all, "loops"));
	print_names("Engines (--engine)", json_object_get(all, "engines"));
	printf("\n\nFormats (--format):\n");
	for (size_t i = 0; (f = json_array_get(json_object_get(all, "formats"), i)); i++)
		printf("  %-10s %s\n", text_of(f, "name"), text_of(f, "summary"));
}

static int list_run(int argc, char **argv)
{
	struct err e = { 0 };
	bool json = false, help = false;
	char *text;
	json_t *all;
	int status = 0;

	if (options_parse(&option_table, argc, argv, &json, &help, &e))
		return cmd_fail(&e);
	if (help) {
		options_help(&option_table, stdout);
		return 0;
	}
	all = everything();
	text = json && all ? json_dumps(all, JSON_INDENT(2)) : NULL;
	if (!all || (json && !text))
		status = cmd_fail_memory();
	else if (json)
		puts(text);
	else
		print_text(all);
	free(text);
	json_decref(all);
	return status;
}

static const struct options *list_options(void)
{
	return &option_table;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "benchmarks, kinds of maps, triggers, engines and formats",
	.options = list_options,
	.run = list_run,
};
