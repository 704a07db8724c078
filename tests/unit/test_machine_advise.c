// SPDX-License-Identifier: GPL-2.0-or-later
/* Advice about a machine: nothing without a reason, one sentence each, and all of them fit into a warning. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "core/machine.h"

struct said {
	int n;
	char all[8192];
};

static void take(void *arg, const char *sentence)
{
	struct said *s = arg;

	/* It must fit into a warning of a run. */
	assert_true(strlen(sentence) < 319);
	s->n++;
	strncat(s->all, sentence, sizeof(s->all) - strlen(s->all) - 1);
	strncat(s->all, "\n", sizeof(s->all) - strlen(s->all) - 1);
}

static struct said advice_for(const struct machine *m)
{
	struct said s = { 0 };

	machine_advise(m, take, &s);
	return s;
}

static struct machine quiet_machine(void)
{
	struct machine m = { .arch = "x86_64",
			     .cpus = 8,
			     .jit = 1,
			     .smt = 0,
			     .clocksource = "tsc",
			     .governor = "performance",
			     .virt = "none" };

	return m;
}

static void says_nothing_without_a_reason(void **state)
{
	struct machine unknown = { .jit = -1, .smt = -1 }, quiet = quiet_machine();

	(void)state;
	assert_int_equal(advice_for(&quiet).n, 0);
	assert_int_equal(advice_for(&unknown).n, 0);
	snprintf(quiet.arch, sizeof(quiet.arch), "aarch64");
	snprintf(quiet.clocksource, sizeof(quiet.clocksource), "arch_sys_counter");
	assert_int_equal(advice_for(&quiet).n, 0);
}

static void expect_one(const struct machine *m, const char *word)
{
	struct said s = advice_for(m);

	assert_int_equal(s.n, 1);
	assert_non_null(strstr(s.all, word));
}

static void says_each_thing(void **state)
{
	struct machine m = quiet_machine();

	(void)state;
	m.jit = 0;
	expect_one(&m, "bpf_jit_enable");
	m = quiet_machine();
	snprintf(m.governor, sizeof(m.governor), "schedutil");
	expect_one(&m, "'schedutil'");
	m = quiet_machine();
	m.boost = true;
	expect_one(&m, "boost");
	m = quiet_machine();
	m.smt = 1;
	expect_one(&m, "sibling");
	m = quiet_machine();
	snprintf(m.clocksource, sizeof(m.clocksource), "hpet");
	expect_one(&m, "'hpet'");
	m = quiet_machine();
	snprintf(m.debug, sizeof(m.debug), "KASAN");
	expect_one(&m, "KASAN");
	m = quiet_machine();
	m.cpus = 1;
	expect_one(&m, "1 CPU");
	m = quiet_machine();
	snprintf(m.virt, sizeof(m.virt), "kvm");
	expect_one(&m, "kvm");
	m.steal = 0.031;
	expect_one(&m, "3.1 %");
	m = quiet_machine();
	m.nr_mitigations = 2;
	snprintf(m.mitigations[0].name, sizeof(m.mitigations[0].name), "l1tf");
	snprintf(m.mitigations[0].state, sizeof(m.mitigations[0].state), "Not affected");
	snprintf(m.mitigations[1].name, sizeof(m.mitigations[1].name), "spec_rstack_overflow");
	snprintf(m.mitigations[1].state, sizeof(m.mitigations[1].state), "Mitigation: Safe RET");
	expect_one(&m, "Safe RET");
}

static void longest_texts_fit(void **state)
{
	struct machine m = quiet_machine();

	(void)state;
	memset(m.governor, 'g', sizeof(m.governor) - 1);
	memset(m.clocksource, 'c', sizeof(m.clocksource) - 1);
	memset(m.virt, 'v', sizeof(m.virt) - 1);
	memset(m.debug, 'd', sizeof(m.debug) - 1);
	m.jit = 0;
	m.smt = 1;
	m.cpus = 1;
	m.boost = true;
	m.steal = 1;
	m.nr_mitigations = 1;
	memset(m.mitigations[0].name, 'n', sizeof(m.mitigations[0].name) - 1);
	memset(m.mitigations[0].state, 's', sizeof(m.mitigations[0].state) - 1);
	memcpy(m.mitigations[0].state, "Safe RET", 8);
	assert_int_equal(advice_for(&m).n, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_nothing_without_a_reason),
		cmocka_unit_test(says_each_thing),
		cmocka_unit_test(longest_texts_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
