/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between fake.c (the engine) and fake_script.c (what the script says for a row in a trial). docs/fake-engine.md. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/results.h"
#include "lib/err.h"

/* Where something happens. */
enum fake_place { FAKE_NOWHERE, FAKE_OPEN, FAKE_RESOLVE, FAKE_SETUP, FAKE_ENTER, FAKE_BATCH, FAKE_AUDIT };

#define FAKE_ANY_TRIAL (-1) /* before the trials: lines that match one trial do not count */

struct fake_script {
	char *path;
	json_t *lines;	       /* array of objects that were checked: nothing in them has a wrong type */
	json_t *machine, *run; /* owned by lines; NULL if there is no such line */
};

/* What all lines say together. Pointers belong to the script. */
struct fake_cfg {
	const json_t *gross, *overhead; /* number or list of numbers; NULL: not given */
	double noise;
	uint64_t nulls, errors, uncounted; /* of a batch */
	bool audit_misses_given;
	uint64_t audit_misses; /* of one round */
	double miss_share;     /* expected; NAN: from the slots */
	int error;	       /* errno, 0: none */
	enum err_class class;
	enum fake_place at;
	const char *message; /* NULL: made from the errno */
	double delay_ms;
	enum fake_place delay_at;
	int die; /* signal, 0: none */
	bool hang, evicted, visits_match, real_time;
	const char *loop, *trigger, *unsupported; /* NULL: not given */
	double storage_ms, hash_ms;
	bool random_seed, slots_seen;
};

int fake_script_read(const char *path, struct fake_script *ret, struct err *e);
void fake_script_free(struct fake_script *s);
/* For a row (NULL: what does not depend on the row) in a trial. */
void fake_script_get(const struct fake_script *s, const struct point *p, int trial, struct fake_cfg *ret);
/* Does any line give this row a figure, in whichever trial? */
bool fake_script_has_gross(const struct fake_script *s, const struct point *p);
/* Number `trial` of a list, which starts over at its end; a plain number always. */
double fake_script_number(const json_t *value, int trial);

/* fake_machine.c: the machine and run lines. `where` is "FILE:LINE". */
int fake_machine_check(const char *where, json_t *machine, struct err *e);
int fake_run_check(const char *where, json_t *run, struct err *e);
void fake_script_describe(const struct fake_script *s, struct run_info *run);
