// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates and lines of a live run; see live.h. The formats of the Iter and Summary lines are those of the kernel's bench,
 * to the blank; scripts cut them out with sed, so no other line may contain " hits throughput" or " hits latency".
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/live.h"
#include "lib/str.h"

double live_rate(uint64_t events_before, uint64_t events_after, uint64_t before_ns, uint64_t after_ns)
{
	if (after_ns <= before_ns || events_after <= events_before)
		return 0;
	return (double)(events_after - events_before) / (double)(after_ns - before_ns) * 1e3;
}

/* Welford: the sum of squares less the square of the sum loses everything where the rates hardly differ. */
void live_stat_add(struct live_stat *s, double x)
{
	double delta = x - s->mean;

	s->n++;
	s->mean += delta / s->n;
	s->sum_sq += delta * (x - s->mean);
}

double live_stat_sd(const struct live_stat *s)
{
	return s->n > 1 ? sqrt(s->sum_sq / (s->n - 1)) : 0;
}

const char *live_iter_line(char *buf, size_t size, const struct live_tick *t)
{
	snprintf(buf, size, "Iter %3d (%7.3lfus): hits %8.3lfM/s important_hits %8.3lfM/s", t->iter, t->late_us,
		 t->hits_m, t->important_m);
	return buf;
}

const char *live_summary_line(char *buf, size_t size, const struct live_result *r)
{
	char latency[64];

	if (r->hits_m.mean > 0)
		snprintf(latency, sizeof(latency), "hits latency %8.3lf ns/op",
			 1000.0 / r->hits_m.mean * r->nr_producers);
	else
		str_copy(latency, sizeof(latency), "no latency: no hits");
	snprintf(buf, size,
		 "Summary: hits throughput %8.3lf ± %5.3lf M ops/s, %s, important_hits throughput %8.3lf ± %5.3lf M ops/s",
		 r->hits_m.mean, live_stat_sd(&r->hits_m), latency, r->important_m.mean, live_stat_sd(&r->important_m));
	return buf;
}

const char *live_producer_line(char *buf, size_t size, uint32_t number, const struct live_producer *p)
{
	char cpu[32] = "any CPU";

	if (p->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "CPU %d", p->cpu);
	snprintf(buf, size, "Producer %3" PRIu32 " (%s): %8.3lf ± %5.3lf M hits/s, important %8.3lf ± %5.3lf M hits/s",
		 number, cpu, p->hits_m.mean, live_stat_sd(&p->hits_m), p->important_m.mean,
		 live_stat_sd(&p->important_m));
	return buf;
}

const char *live_nulls_line(char *buf, size_t size, const struct counters *c)
{
	if (c->nulls)
		snprintf(buf, size, "NULL results: %" PRIu64 " of %" PRIu64 " gets (%.3g %%); they are not hits",
			 c->nulls, c->ops, 100.0 * (double)c->nulls / (double)c->ops);
	else if (size)
		buf[0] = '\0';
	return buf;
}
