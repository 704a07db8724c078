// SPDX-License-Identifier: GPL-2.0-or-later
/* What sweep and run share: common options, the description of a run, which CPUs may be used. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/measure_lib.h"
#include "core/machine.h"
#include "lib/cleanup.h"
#include "lib/num.h"
#include "lib/str.h"
#include "version.h"

const char *const measure_triggers[] = { "auto", "raw_tp", "fentry", "syscall", NULL };
const char *const measure_loops[] = { "auto", "hoisted", "sequence", "single", NULL };

void measure_init(struct measure *m)
{
	*m = (struct measure){
		.engine = engine_find("kernel"),
		.cfg = { .trigger = "auto", .loop = "auto", .producers = 1 },
		.label = "",
		.seed = 1,
	};
}

int measure_choice(const char *name, const char *value, const char *const *choices, struct err *e)
{
	char all[512] = "";
	size_t len = 0;
	const char *near;

	for (size_t i = 0; choices[i]; i++) {
		if (!strcmp(value, choices[i]))
			return 0;
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", choices[i]);
	}
	near = str_nearest(value, choices);
	if (near)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: '%.100s' is not known; the nearest is '%s' (one of %s)",
			       name, value, near, all);
	return err_set(e, ERR_USAGE, -EINVAL, "%s: '%.100s' is not one of %s", name, value, all);
}

static int set_label(struct measure *m, const char *name, const char *value, struct err *e)
{
	size_t max = sizeof(((struct run_info *)0)->label) - 1;

	if (strlen(value) > max)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: %zu bytes are too long, at most %zu are kept", name,
			       strlen(value), max);
	m->label = value;
	return 0;
}

/* Only regular output: a results file is written beside its place and renamed. */
static int set_json(struct measure *m, const char *name, const char *value, struct err *e)
{
	if (!*value)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: the file name is empty", name);
	if (!strcmp(value, "-"))
		return err_set(e, ERR_USAGE, -EINVAL,
			       "%s -: the results file needs a name; --format jsonl prints it to standard output",
			       name);
	m->json = value;
	return 0;
}

int measure_set(struct measure *m, int key, const char *name, const char *value, bool *ret_mine, struct err *e)
{
	const char **target = NULL;
	const char *const *choices = NULL;
	int r;

	*ret_mine = true;
	switch (key) {
	case MEASURE_KEY_ENGINE:
		r = measure_choice(name, value, engine_names, e);
		if (!r)
			m->engine = engine_find(value);
		return r;
	case MEASURE_KEY_SCRIPT:
		m->cfg.script = value;
		return 0;
	case MEASURE_KEY_TRIGGER:
		target = &m->cfg.trigger;
		choices = measure_triggers;
		break;
	case MEASURE_KEY_LOOP:
		target = &m->cfg.loop;
		choices = measure_loops;
		break;
	case MEASURE_KEY_LABEL:
		return set_label(m, name, value, e);
	case MEASURE_KEY_SEED:
		/* Above this a results file cannot hold it. */
		return num_parse_u64(name, value, 0, INT64_MAX, &m->seed, e);
	case MEASURE_KEY_JSON:
		return set_json(m, name, value, e);
	default:
		*ret_mine = false;
		return 0;
	}
	r = measure_choice(name, value, choices, e);
	if (!r)
		*target = value;
	return r;
}

int measure_check(const struct measure *m, struct err *e)
{
	bool fake = !strcmp(m->engine->name, "fake");

	if (fake && !m->cfg.script)
		return err_set(e, ERR_USAGE, -EINVAL, "--engine fake needs --script FILE, the repetitions it plays");
	if (!fake && m->cfg.script)
		return err_set(e, ERR_USAGE, -EINVAL, "--script belongs to --engine fake, the engine is '%s'",
			       m->engine->name);
	return 0;
}

static void warn_run(void *arg, const char *sentence)
{
	run_warn(arg, "%s", sentence);
}

static int copy_argv(int argc, char **argv, char ***ret)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	for (int i = 0; i < argc; i++) {
		copy[i] = strdup(argv[i]);
		if (!copy[i]) {
			while (i--)
				free(copy[i]);
			free(copy);
			return -ENOMEM;
		}
	}
	*ret = copy;
	return 0;
}

int measure_describe(const struct measure *m, void *state, int argc, char **argv, struct run_info *run, struct err *e)
{
	time_t now = time(NULL);
	struct tm tm;

	if (copy_argv(argc, argv, &run->argv))
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	str_copy(run->tool, sizeof(run->tool), "lsbench " LSBENCH_VERSION);
	str_copy(run->version, sizeof(run->version), LSBENCH_VERSION);
	str_copy(run->clang, sizeof(run->clang), LSBENCH_CLANG);
	if (gmtime_r(&now, &tm))
		strftime(run->started, sizeof(run->started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	str_copy(run->engine, sizeof(run->engine), m->engine->name);
	str_copy(run->accel, sizeof(run->accel), "native");
	str_copy(run->unit, sizeof(run->unit), "ns");
	str_copy(run->label, sizeof(run->label), m->label);
	run->seed = m->seed;
	machine_boot_id("", run->boot, sizeof(run->boot));
	machine_read("", &run->machine);
	m->engine->describe(state, run);
	machine_advise(&run->machine, warn_run, run);
	return 0;
}

int measure_allowed_cpus(int **ret_cpus, size_t *ret_n, struct err *e)
{
	/* The kernel refuses a set smaller than its own (EINVAL): grow until it fits. */
	for (int max = 1024; max <= 1 << 20; max *= 2) {
		size_t size = CPU_ALLOC_SIZE(max), n = 0;
		cpu_set_t *set = CPU_ALLOC(max);
		_cleanup_free_ int *cpus = calloc((size_t)max, sizeof(*cpus));
		int r = set && cpus ? 0 : ENOMEM;

		if (!r && sched_getaffinity(0, size, set))
			r = errno;
		for (int cpu = 0; !r && cpu < max; cpu++)
			if (CPU_ISSET_S(cpu, size, set))
				cpus[n++] = cpu;
		if (set)
			CPU_FREE(set);
		if (!r) {
			*ret_cpus = take_ptr(cpus);
			*ret_n = n;
			return 0;
		}
		if (r != EINVAL)
			return err_set(e, ERR_FAILED, -r, "which CPUs may be used: %s", strerror(r));
	}
	return err_set(e, ERR_FAILED, -EINVAL, "which CPUs may be used: the kernel's set is too large");
}

/* "0-3,5" */
static void cpus_text(const int *cpus, size_t n, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0, j; i < n && len < size; i = j) {
		for (j = i + 1; j < n && cpus[j] == cpus[j - 1] + 1; j++)
			;
		len += (size_t)snprintf(buf + len, size - len, i ? ",%d" : "%d", cpus[i]);
		if (j - i > 1 && len < size)
			len += (size_t)snprintf(buf + len, size - len, "-%d", cpus[j - 1]);
	}
}

static bool cpu_in(int cpu, const int *cpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

int measure_check_cpus(const char *name, const int *cpus, size_t n, struct err *e)
{
	_cleanup_free_ int *allowed = NULL;
	size_t nr_allowed;
	char text[256];
	int r = measure_allowed_cpus(&allowed, &nr_allowed, e);

	if (r)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (cpu_in(cpus[i], allowed, nr_allowed))
			continue;
		cpus_text(allowed, nr_allowed, text, sizeof(text));
		return err_set(e, ERR_USAGE, -EINVAL, "%s: this process may not use CPU %d; it may use %s", name,
			       cpus[i], text);
	}
	return 0;
}

int measure_cpu(const char *name, const char *text, int *ret_cpu, struct err *e)
{
	_cleanup_free_ int *allowed = NULL;
	size_t n;
	uint64_t number;
	int r, cpu;

	if (!text) {
		r = measure_allowed_cpus(&allowed, &n, e);
		if (!r)
			*ret_cpu = n ? allowed[n - 1] : -1;
		return r;
	}
	if (!strcmp(text, "none")) {
		*ret_cpu = -1;
		return 0;
	}
	r = num_parse_u64(name, text, 0, (1 << 20) - 1, &number, e);
	if (r)
		return r;
	cpu = (int)number;
	r = measure_check_cpus(name, &cpu, 1, e);
	if (!r)
		*ret_cpu = cpu;
	return r;
}
