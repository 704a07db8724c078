// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a results file: reading never crashes, and what could be read can be summarized, analysed, written and
 * read again with the same rows and repetitions. Not obvious: a second writing must give the very same text, which
 * compares everything that is kept without naming each field here.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis.h"
#include "core/results_json.h"
#include "lib/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(cond)                                                                \
	do {                                                                       \
		if (!(cond)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                   \
		}                                                                  \
	} while (0)

static bool read_text(const void *text, size_t len, struct results *ret)
{
	_cleanup_fclose_ FILE *f = fmemopen((void *)text, len, "r");
	struct err e = { 0 };
	int r;

	results_init(ret);
	if (!f)
		return false;
	r = results_read_stream(f, "input", ret, &e);
	/* A refusal is one line with a reason, and leaves nothing behind. */
	CHECK(r == 0 || (err_is_set(&e) && e.class == ERR_FAILED && !strchr(e.msg, '\n') && !ret->rows));
	return r == 0;
}

static char *write_text(const struct results *res, size_t *ret_len)
{
	_cleanup_free_ struct analysis *a = calloc(1, sizeof(*a));
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);
	struct err e = { 0 };

	CHECK(a && f);
	analysis_compute(res, a);
	CHECK(results_write_all(res, a, f, &e) == 0);
	CHECK(fclose(f) == 0);
	return text;
}

static void check_same(const struct results *a, const struct results *b)
{
	CHECK(a->nr_rows == b->nr_rows && a->partial == b->partial && a->exit_status == b->exit_status);
	for (int i = 0; i < a->nr_rows; i++) {
		const struct row *x = &a->rows[i], *y = &b->rows[i];

		CHECK(point_same_row(&x->point, &y->point));
		CHECK(x->nr_reps == y->nr_reps && x->outcome == y->outcome);
		for (int k = 0; k < x->nr_reps; k++) {
			CHECK(x->reps[k].trial == y->reps[k].trial);
			CHECK(memcmp(&x->reps[k].gross, &y->reps[k].gross, sizeof(double)) == 0);
			CHECK(memcmp(&x->reps[k].counters, &y->reps[k].counters, sizeof(struct counters)) == 0);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct results first, second, third;

	if (!read_text(data, size, &first))
		return 0;
	{
		_cleanup_free_ char *text = NULL, *again = NULL;
		size_t len = 0, len_again = 0;

		text = write_text(&first, &len);
		CHECK(read_text(text, len, &second));
		check_same(&first, &second);
		/* Notes of the second reading may be new; from then on nothing changes any more. */
		free(text);
		text = write_text(&second, &len);
		CHECK(read_text(text, len, &third));
		again = write_text(&third, &len_again);
		CHECK(len == len_again && memcmp(text, again, len) == 0);
	}
	results_free(&first);
	results_free(&second);
	results_free(&third);
	return 0;
}
