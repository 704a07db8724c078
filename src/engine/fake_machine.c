// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of a script that are not about rows: the machine and the run. Not obvious: the machine is one that is not
 * there, so whatever the script does not say is unknown, on whichever host it is played.
 */
#include <errno.h>
#include <string.h>

#include "engine/fake_priv.h"
#include "lib/str.h"

static const char *const machine_texts[] = { "kernel", "arch",	  "cpu",      "clocksource", "governor",
					     "virt",   "preempt", "lockdown", NULL };
static const char *const machine_flags[] = { "inlined_hit", "jit", "smt", NULL };
static const char *const machine_others[] = { "slots", "cpus", "foreign_maps", "mitigations", NULL };
static const char *const run_texts[] = { "accel", "unit", "libbpf", "trigger_why_not", NULL };
static const char *const foreign_kinds[] = { "task_storage", "cgrp_storage", "inode_storage", "sk_storage", NULL };

static bool in_list(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static bool is_count(const json_t *v, json_int_t min, json_int_t max)
{
	return json_is_integer(v) && json_integer_value(v) >= min && json_integer_value(v) <= max;
}

static int check_foreign(const char *where, json_t *foreign, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach (foreign, key, v)
		if (!in_list(foreign_kinds, key) || !is_count(v, 0, 100000))
			return err_set(e, ERR_USAGE, -EINVAL,
				       "%s: foreign_maps: '%s' is not one of task_storage, cgrp_storage, "
				       "inode_storage and sk_storage with a whole number up to 100000",
				       where, key);
	return 0;
}

static bool is_texts(json_t *o)
{
	const char *key;
	json_t *v;

	json_object_foreach (o, key, v)
		if (!json_is_string(v))
			return false;
	return json_is_object(o);
}

int fake_machine_check(const char *where, json_t *machine, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach (machine, key, v) {
		const char *want = NULL;

		if (strcmp(key, "foreign_maps") == 0 && json_is_object(v)) {
			if (check_foreign(where, v, e))
				return e->code;
		} else if (in_list(machine_texts, key)) {
			want = json_is_string(v) ? NULL : "a text";
		} else if (in_list(machine_flags, key)) {
			want = json_is_boolean(v) ? NULL : "true or false";
		} else if (!in_list(machine_others, key)) {
			return err_set(e, ERR_USAGE, -EINVAL, "%s: machine: unknown field '%s'", where, key);
		} else if (strcmp(key, "slots") == 0) {
			want = is_count(v, 1, SLOTS_MAX) ? NULL : "a number from 1 to 64";
		} else if (strcmp(key, "cpus") == 0) {
			want = is_count(v, 1, 65536) ? NULL : "a number from 1 to 65536";
		} else {
			want = is_texts(v) ? NULL : "an object of texts";
		}
		if (want)
			return err_set(e, ERR_USAGE, -EINVAL, "%s: machine: '%s' is not %s", where, key, want);
	}
	return 0;
}

int fake_run_check(const char *where, json_t *run, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach (run, key, v) {
		const char *text = json_string_value(v);

		if (!in_list(run_texts, key) || !text)
			return err_set(e, ERR_USAGE, -EINVAL,
				       "%s: run: '%s' is not one of accel, unit, libbpf and trigger_why_not with a text",
				       where, key);
		if (strcmp(key, "unit") == 0 && strcmp(text, "ns") && strcmp(text, "insn"))
			return err_set(e, ERR_USAGE, -EINVAL, "%s: run: unit is \"ns\" or \"insn\"", where);
	}
	return 0;
}

static void take_text(const json_t *o, const char *key, char *buf, size_t size)
{
	const char *text = json_string_value(json_object_get(o, key));

	if (text)
		str_copy(buf, size, text);
}

static int flag_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v ? json_is_true(v) : -1;
}

static int count_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v ? (int)json_integer_value(v) : -1;
}

void fake_script_describe(const struct fake_script *s, struct run_info *run)
{
	const json_t *o = s->machine, *foreign = json_object_get(o, "foreign_maps");
	struct machine *m = &run->machine;
	const char *name;
	json_t *v;

	*m = (struct machine){ .slots = 16, .kernel = "fake" };
	take_text(o, "kernel", m->kernel, sizeof(m->kernel));
	take_text(o, "arch", m->arch, sizeof(m->arch));
	take_text(o, "cpu", m->cpu, sizeof(m->cpu));
	take_text(o, "clocksource", m->clocksource, sizeof(m->clocksource));
	take_text(o, "governor", m->governor, sizeof(m->governor));
	take_text(o, "virt", m->virt, sizeof(m->virt));
	take_text(o, "preempt", m->preempt, sizeof(m->preempt));
	take_text(o, "lockdown", m->lockdown, sizeof(m->lockdown));
	m->inlined_hit = flag_of(o, "inlined_hit");
	m->jit = flag_of(o, "jit");
	m->smt = flag_of(o, "smt");
	if (json_object_get(o, "slots"))
		m->slots = count_of(o, "slots");
	if (json_object_get(o, "cpus"))
		m->cpus = count_of(o, "cpus");
	m->foreign = (struct foreign_maps){ count_of(foreign, "task_storage"), count_of(foreign, "cgrp_storage"),
					    count_of(foreign, "inode_storage"), count_of(foreign, "sk_storage") };
	json_object_foreach (json_object_get(o, "mitigations"), name, v) {
		struct mitigation *mit = &m->mitigations[m->nr_mitigations];

		if (m->nr_mitigations == MITIGATIONS_MAX || !json_is_string(v))
			break;
		m->nr_mitigations++;
		str_copy(mit->name, sizeof(mit->name), name);
		str_copy(mit->state, sizeof(mit->state), json_string_value(v));
	}
	str_copy(run->accel, sizeof(run->accel), "native");
	take_text(s->run, "accel", run->accel, sizeof(run->accel));
	take_text(s->run, "unit", run->unit, sizeof(run->unit));
	take_text(s->run, "libbpf", run->libbpf, sizeof(run->libbpf));
	take_text(s->run, "trigger_why_not", run->trigger_why_not, sizeof(run->trigger_why_not));
}
