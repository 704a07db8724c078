// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of `lsbench probe` as text of at most 80 columns, and as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/probe_lib.h"
#include "core/results_priv.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define WIDTH 80
#define COLUMN 29 /* where the text of a check begins: "limited  map lru_percpu_hash  " */

const char *probe_verdict_name(enum check_verdict v)
{
	static const char *const names[] = {
		[CHECK_OK] = "ok",
		[CHECK_LIMITED] = "limited",
		[CHECK_NO] = "no",
		[CHECK_INFO] = "info",
	};

	return (size_t)v < ARRAY_SIZE(names) ? names[v] : "info";
}

/* Bytes of the longest beginning of `text` that has at most `columns` columns; at least one character. */
static size_t fitting(const char *text, size_t len, size_t columns)
{
	size_t n = 0, used = 0;

	while (n < len) {
		size_t next = n + 1;

		while (next < len && ((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		if (n && used + 1 > columns)
			break;
		used++;
		n = next;
	}
	return n;
}

static size_t columns_of(const char *text, size_t len)
{
	char word[2048];

	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), text);
	return str_width(word);
}

void probe_wrap(FILE *f, const char *first, int indent, const char *text, int width)
{
	size_t room = (size_t)(width - indent), used = 0;

	fprintf(f, "%-*s", indent, first);
	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " "), columns = columns_of(text, len);

		if (used && used + 1 + columns > room) {
			fprintf(f, "\n%*s", indent, "");
			used = 0;
		}
		if (columns > room) { /* a path, a number: broken anywhere */
			len = fitting(text, len, room - used - (used > 0));
			columns = columns_of(text, len);
		}
		fprintf(f, "%s%.*s", used ? " " : "", (int)len, text);
		used += columns + (used > 0);
		text += len;
	}
	fputc('\n', f);
}

static void print_check(const struct check *c, FILE *f)
{
	char first[64], text[sizeof(c->found)];

	snprintf(first, sizeof(first), "%-8s %-19s ", probe_verdict_name(c->verdict), c->name);
	str_printable(text, sizeof(text), c->found);
	probe_wrap(f, first, COLUMN, text, WIDTH);
	if (c->hint[0]) {
		str_printable(text, sizeof(text), c->hint);
		snprintf(first, sizeof(first), "%*s-> ", COLUMN, "");
		probe_wrap(f, first, COLUMN + 3, text, WIDTH);
	}
}

__attribute__((format(printf, 2, 3))) static void sentence(FILE *f, const char *fmt, ...)
{
	char text[2304], shown[sizeof(text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_printable(shown, sizeof(shown), text);
	probe_wrap(f, "- ", 2, shown, WIDTH);
}

static void print_newcomer(const struct probe_newcomer *n, FILE *f)
{
	if (n->foreign_task_maps < 0) {
		sentence(f,
			 "A new task-storage map gets slot %d of %d (counted from 0); how many maps share it is unknown, because "
			 "maps of others may not be counted.",
			 n->slot, n->slots);
		return;
	}
	if (!n->foreign_task_maps)
		sentence(f,
			 "A new task-storage map gets slot %d of %d (counted from 0) and has it for itself: other programs hold none.",
			 n->slot, n->slots);
	else
		sentence(f,
			 "A new task-storage map gets slot %d of %d (counted from 0); %s%d of the %d task-storage maps of other programs "
			 "%s it.",
			 n->slot, n->slots, n->exact ? "" : "about ", n->neighbours, n->foreign_task_maps,
			 n->neighbours == 1 ? "shares" : "share");
	if (n->closing > 0)
		sentence(f, "%d closed maps still hold slots until they are freed: the picture changes within seconds.",
			 n->closing);
}

static void print_measured(const struct probe_measured *m, FILE *f)
{
	fputs("\nWhat a new program would see here\n", f);
	if (m->known)
		print_newcomer(&m->newcomer, f);
	if (isfinite(m->hit_ns))
		sentence(f,
			 "A get costs about %.1f ns as long as the map's own element stands in its slot (median of n = %d trials, "
			 "loop included; %.1f ns over 16 maps that share no slot).",
			 m->hit_ns, m->trials, m->hit16_ns);
	if (isfinite(m->miss_ns))
		sentence(f,
			 "It costs about %.1f ns whenever a neighbour's element stands there%s (n = %d; `lsbench sweep` gives "
			 "intervals).",
			 m->miss_ns, m->known && !m->newcomer.neighbours ? ", as it would with one neighbour" : "",
			 m->trials);
	if (m->disturbed)
		sentence(f,
			 "Another lsbench measured at the same time: its maps are counted as another program's, and both disturb each "
			 "other. Repeat when it has ended.");
	if (m->why_not[0])
		sentence(f, "Not found out: %s", m->why_not);
}

void probe_print(const struct probe_report *r, FILE *f)
{
	for (int i = 0; i < r->system.n; i++)
		print_check(&r->system.v[i], f);
	for (int i = 0; i < r->kernel.n; i++)
		print_check(&r->kernel.v[i], f);
	if (r->nr_advice)
		fputs("\nWhat makes figures less sure here\n", f);
	for (int i = 0; i < r->nr_advice; i++)
		sentence(f, "%s", r->advice[i]);
	if (r->measured.wanted)
		print_measured(&r->measured, f);
}

/* ---- JSON ---- */

static json_t *text_value(const char *s)
{
	char shown[2304];

	str_printable(shown, sizeof(shown), s);
	return json_string(shown);
}

static json_t *number_or_null(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count_or_null(int v)
{
	return v < 0 ? json_null() : json_integer(v);
}

/* Takes v; a NULL anywhere makes the whole array NULL in the end. */
static json_t *appended(json_t *array, json_t *v)
{
	if (array && json_array_append_new(array, v) == 0)
		return array;
	if (!array)
		json_decref(v);
	json_decref(array);
	return NULL;
}

static json_t *encode_list(json_t *array, const struct probe_list *list)
{
	for (int i = 0; i < list->n; i++) {
		const struct check *c = &list->v[i];

		array = appended(array, json_pack("{s:o,s:s,s:b,s:o,s:o}", "name", text_value(c->name), "verdict",
						  probe_verdict_name(c->verdict), "needed", c->needed, "found",
						  text_value(c->found), "hint", text_value(c->hint)));
	}
	return array;
}

/* The same object as in results files: one definition of it. */
static json_t *encode_machine(const struct machine *m)
{
	struct results res;
	json_t *run, *machine;

	results_init(&res);
	res.run.machine = *m;
	run = results_encode_run(&res.run);
	machine = json_incref(json_object_get(run, "machine"));
	json_decref(run);
	results_free(&res);
	return machine;
}

static json_t *encode_measured(const struct probe_measured *m)
{
	const struct probe_newcomer *n = &m->newcomer;

	if (!m->wanted)
		return json_null();
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:i,s:b,s:o}", "slots",
			 m->known ? json_integer(n->slots) : json_null(), "slot",
			 m->known ? json_integer(n->slot) : json_null(), "foreign_task_maps",
			 m->known ? count_or_null(n->foreign_task_maps) : json_null(), "neighbours",
			 m->known ? count_or_null(n->neighbours) : json_null(), "closing",
			 m->known ? json_integer(n->closing) : json_null(), "exact", m->known && n->exact, "hit_ns",
			 number_or_null(m->hit_ns), "hit16_ns", number_or_null(m->hit16_ns), "miss_ns",
			 number_or_null(m->miss_ns), "trials", m->trials, "disturbed", m->disturbed, "why_not",
			 text_value(m->why_not));
}

json_t *probe_encode(const struct probe_report *r)
{
	const struct check *missing = probe_first_missing(r);
	json_t *advice = json_array();

	for (int i = 0; i < r->nr_advice; i++)
		advice = appended(advice, text_value(r->advice[i]));
	return json_pack("{s:s,s:s,s:b,s:o,s:o,s:o,s:o,s:o}", "schema", "lsbench/1", "kind", "probe", "can_sweep",
			 !missing, "first_missing", missing ? text_value(missing->name) : json_null(), "checks",
			 encode_list(encode_list(json_array(), &r->system), &r->kernel), "advice", advice, "measured",
			 encode_measured(&r->measured), "machine", encode_machine(&r->machine));
}
