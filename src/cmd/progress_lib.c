// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The progress line. Carriage return and blanks instead of escape sequences: right on every terminal. The width is
 * asked anew for every drawing, since people resize windows.
 */
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cmd/progress_lib.h"
#include "lib/str.h"
#include "report/report.h"

#define REDRAW_S 0.04 /* rows take longer, except in scripts */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void progress_init(struct progress *p, FILE *f, bool wanted, int rounds, int rounds_max, int rows, double expected_s)
{
	double t = now();

	*p = (struct progress){
		.f = wanted && isatty(fileno(f)) ? f : NULL,
		.started_s = t,
		.drawn_s = -1,
		.left_s = expected_s,
		.left_at_s = t,
		.round = 1,
		.rounds = rounds,
		.rounds_max = rounds_max,
		.rows_in_round = rows,
	};
}

static int columns_of(FILE *f)
{
	struct winsize w;

	if (ioctl(fileno(f), TIOCGWINSZ, &w) || w.ws_col < 2)
		return 80;
	return w.ws_col;
}

/* Whole seconds: more would only flicker. */
static const char *seconds(double s, char *buf, size_t size)
{
	if (s >= 59.5)
		return report_duration(s, buf, size);
	snprintf(buf, size, "%.0f s", fmax(s, 0));
	return buf;
}

const char *progress_text(const struct progress *p, const char *what, double now_s, int columns, char *buf, size_t size)
{
	char used[32], left[32], tail[96];
	double left_s = p->left_s - (now_s - p->left_at_s);
	int planned = p->round > p->rounds ? p->rounds_max : p->rounds;

	seconds(floor(now_s - p->started_s), used, sizeof(used));
	if (isfinite(left_s))
		snprintf(tail, sizeof(tail), "  %s used, about %s left", used,
			 seconds(ceil(left_s), left, sizeof(left)));
	else
		snprintf(tail, sizeof(tail), "  %s used", used);
	if (p->row_in_round)
		snprintf(buf, size, "round %d/%d  row %d/%d %s%s", p->round, planned, p->row_in_round, p->rows_in_round,
			 what, tail);
	else
		snprintf(buf, size, "round %d/%d  %s%s", p->round, planned, what, tail);
	/* The last column stays free: writing there wraps on some terminals. All of the text is ASCII. */
	if (columns > 0 && (size_t)columns <= size)
		buf[columns - 1] = '\0';
	return buf;
}

void progress_draw(struct progress *p, const char *what)
{
	char text[512];
	double t = now();
	int len;

	if (!p->f || (p->drawn_s >= 0 && t - p->drawn_s < REDRAW_S))
		return;
	progress_text(p, what, t, columns_of(p->f), text, sizeof(text));
	len = (int)strlen(text);
	fprintf(p->f, "\r%s%*s", text, p->width > len ? p->width - len : 0, "");
	fflush(p->f);
	p->width = len;
	p->drawn_s = t;
}

void progress_clear(struct progress *p)
{
	int columns;

	if (!p->f || !p->width)
		return;
	columns = columns_of(p->f);
	fprintf(p->f, "\r%*s\r", p->width < columns ? p->width : columns - 1, "");
	fflush(p->f);
	p->width = 0;
	p->drawn_s = -1;
}
