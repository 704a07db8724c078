// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of output formats, what a stream can show, and how long a time is said. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/text.h"

const struct report_format *const report_formats[] = {
	&report_table, &report_selftests, &report_csv, &report_jsonl, NULL,
};

const struct report_format *report_find(const char *name)
{
	for (size_t i = 0; report_formats[i]; i++)
		if (strcmp(report_formats[i]->name, name) == 0)
			return report_formats[i];
	return NULL;
}

/*
 * Not setlocale(): a static binary on a machine without that locale's files would fall back to "C" although the
 * terminal shows UTF-8 perfectly. The first of the three that is not empty counts, as POSIX says.
 */
static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
	}
	return false;
}

void report_style_for(FILE *f, struct report_style *ret)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	int fd = fileno(f);
	bool tty = fd >= 0 && isatty(fd);
	struct winsize ws = { 0 };

	ret->utf8 = locale_is_utf8();
	ret->colour = tty && !(no_colour && *no_colour) && term && *term && strcmp(term, "dumb") != 0;
	ret->width = REPORT_COLUMNS;
	if (tty && ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > REPORT_COLUMNS)
		ret->width = ws.ws_col;
}

const char *report_duration(double s, char *buf, size_t size)
{
	double minutes;

	if (!isfinite(s)) {
		snprintf(buf, size, "?");
		return buf;
	}
	s = s > 0 ? s : 0;
	if (s < 0.9995)
		snprintf(buf, size, s < 0.00995 ? "%.1f ms" : "%.0f ms", s * 1000);
	else if (s < 9.95)
		snprintf(buf, size, "%.1f s", s);
	else if (s < 59.5)
		snprintf(buf, size, "%.0f s", s);
	else if (s < 3599.5)
		snprintf(buf, size, "%d min %02d s", (int)(lround(s) / 60), (int)(lround(s) % 60));
	else if (minutes = round(s / 60), minutes < 1e6)
		snprintf(buf, size, "%d h %02d min", (int)minutes / 60, (int)minutes % 60);
	else
		snprintf(buf, size, "%.3g h", minutes / 60);
	return buf;
}
