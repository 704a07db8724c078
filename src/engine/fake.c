// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The engine that plays a script (docs/fake-engine.md): everything above the engine is tested with it, without root and
 * in milliseconds. It has no figures of its own: what the script does not give, a row does not have.
 *
 * Not obvious: batches take no time, their nanoseconds are only said. Sampling counts them as time, so rows end soon.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/bench.h"
#include "core/engine.h"
#include "core/slots.h"
#include "engine/fake_priv.h"
#include "lib/cleanup.h"
#include "lib/rng.h"
#include "lib/str.h"

#define BATCH_NS 2e7 /* a batch claims about so much */
#define BATCH_OPS_MAX 1e7
#define HOISTED_MAX 48 /* longest round that the kernel engine plays from map pointers it keeps */
#define PI 3.14159265358979323846

struct fake {
	struct fake_script script;
	struct engine_config cfg; /* its strings are copies */
	int slots;
};

struct fake_row {
	bool wanted;
	const struct bench *bench;
	struct fake_cfg cfg;
	double gross, overhead; /* per operation, in this trial */
	uint16_t *seq;		/* owned; NULL for a hash */
	uint32_t round_len, round_important, nr_maps;
	uint64_t ops; /* of a batch */
	struct row_slots slots;
	uint64_t misses; /* of one round, in the audit */
	atomic_bool delayed;
};

struct session {
	const struct fake *fake;
	struct fake_row *rows; /* owned */
	int nr_rows;
};

/* ---- things that happen ---- */

static void sleep_ns(double ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1e9), .tv_nsec = (long)fmod(ns, 1e9) };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* Delay, death, hanging, an error, as the script says for this place. */
static int happen(const struct fake_cfg *c, enum fake_place place, bool delay, struct err *e)
{
	if (delay && c->delay_at == place && c->delay_ms > 0)
		sleep_ns(c->delay_ms * 1e6);
	if (c->at != place)
		return 0;
	if (c->die)
		raise(c->die);
	while (c->hang)
		pause();
	if (!c->error && !c->message)
		return 0;
	if (c->message)
		return err_set(e, c->class, c->error ? -c->error : -EIO, "%s", c->message);
	return err_set(e, c->class, -c->error, "the script says: %s", strerror(c->error));
}

/* ---- parent ---- */

static char *copy_or_null(const char *s)
{
	return s ? strdup(s) : NULL;
}

static void fake_close(void *state)
{
	struct fake *f = state;

	if (!f)
		return;
	fake_script_free(&f->script);
	free((char *)f->cfg.trigger);
	free((char *)f->cfg.loop);
	free(f);
}

static int fake_open(const struct engine_config *cfg, void **ret_state, struct err *e)
{
	struct run_info *run;
	struct fake_cfg c;
	struct fake *f;
	int rc;

	if (!cfg->script)
		return err_set(e, ERR_USAGE, -EINVAL,
			       "the fake engine plays a script: --script FILE (docs/fake-engine.md)");
	f = calloc(1, sizeof(*f));
	run = calloc(1, sizeof(*run));
	if (!f || !run) {
		free(f);
		free(run);
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	}
	f->cfg = *cfg;
	f->cfg.script = NULL;
	f->cfg.trigger = copy_or_null(cfg->trigger);
	f->cfg.loop = copy_or_null(cfg->loop);
	rc = fake_script_read(cfg->script, &f->script, e);
	if (!rc) {
		fake_script_describe(&f->script, run);
		f->slots = run->machine.slots;
		fake_script_get(&f->script, NULL, FAKE_ANY_TRIAL, &c);
		rc = happen(&c, FAKE_OPEN, true, e);
	}
	free(run);
	if (rc)
		fake_close(f);
	else
		*ret_state = f;
	return rc;
}

static void fake_describe(void *state, struct run_info *run)
{
	const struct fake *f = state;

	fake_script_describe(&f->script, run);
}

static bool is_choice(const char *choice)
{
	return choice && choice[0] && strcmp(choice, "auto");
}

/* As the kernel engine would name it; nothing else depends on it here. */
static int name_loop(const struct fake *f, const struct bench *b, struct point *p, struct err *e)
{
	_cleanup_free_ uint16_t *seq = NULL;
	uint32_t len = 0;

	if (b->family == BENCH_HASH) {
		str_copy(p->loop, sizeof(p->loop), b->nr_maps(&p->params) > 1 ? "hash-cycle" : "hash");
		return 0;
	}
	if (b->sequence(&p->params, &seq, &len))
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	str_copy(p->loop, sizeof(p->loop),
		 is_choice(f->cfg.loop) ? f->cfg.loop
		 : len <= HOISTED_MAX	? "hoisted"
					: "sequence");
	return 0;
}

static int resolve_row(const struct fake *f, struct row *row, struct err *e)
{
	struct point *p = &row->point;
	const struct bench *b = bench_find(p->bench);
	struct fake_cfg c;
	int rc;

	if (!b)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown benchmark '%s'", p->bench);
	fake_script_get(&f->script, p, FAKE_ANY_TRIAL, &c);
	rc = happen(&c, FAKE_RESOLVE, true, e);
	if (rc)
		return rc;
	str_copy(p->trigger, sizeof(p->trigger),
		 c.trigger		     ? c.trigger
		 : is_choice(f->cfg.trigger) ? f->cfg.trigger
					     : "raw_tp");
	rc = name_loop(f, b, p, e);
	if (rc)
		return rc;
	if (c.loop)
		str_copy(p->loop, sizeof(p->loop), c.loop);
	if (c.unsupported) {
		row->outcome = OUTCOME_UNSUPPORTED;
		str_copy(row->reason, sizeof(row->reason), c.unsupported);
	} else if (!fake_script_has_gross(&f->script, p)) {
		row->outcome = OUTCOME_FAILED;
		snprintf(row->reason, sizeof(row->reason), "the script %.300s gives this row no figure (\"gross\")",
			 f->script.path);
	}
	return 0;
}

static int fake_resolve(void *state, struct results *res, struct err *e)
{
	const struct fake *f = state;

	for (int i = 0; i < res->nr_rows; i++) {
		int rc = res->rows[i].outcome == OUTCOME_OK ? resolve_row(f, &res->rows[i], e) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

/* ---- a session ---- */

static uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return h;
}

/* By what the row is, not by its place in the plan: the same row plays the same noise in every plan. */
static uint64_t row_hash(uint64_t seed, const struct point *p)
{
	uint64_t h = hash_bytes(rng_mix(seed) ^ UINT64_C(0xcbf29ce484222325), p->bench, strlen(p->bench));

	for (int i = 0; i < p->params.n; i++) {
		const struct param *v = &p->params.v[i];

		h = hash_bytes(h, v->name, strlen(v->name));
		h = v->is_num ? hash_bytes(h, &v->num, sizeof(v->num)) : hash_bytes(h, v->text, strlen(v->text));
	}
	return h;
}

static double log_normal(struct rng *rng, double sd)
{
	double u = rng_unit(rng), v = rng_unit(rng);

	return exp(sd * sqrt(-2 * log(u)) * cos(2 * PI * v));
}

static void plan_slots(const struct fake *f, const struct point *p, struct fake_row *r)
{
	uint8_t slot[UINT16_MAX + 1];

	for (uint32_t i = 0; i < r->nr_maps; i++) {
		slot[i] = (uint8_t)r->bench->slot(&p->params, i, (uint32_t)f->slots);
		r->slots.used[slot[i]]++;
	}
	r->slots.seen = r->cfg.slots_seen;
	r->slots.n = f->slots;
	r->slots.miss_share = slots_miss_share(slot, (uint32_t)f->slots, r->seq, r->round_len);
	r->misses = slots_misses_per_round(slot, (uint32_t)f->slots, r->seq, r->round_len);
	if (isfinite(r->cfg.miss_share))
		r->slots.miss_share = r->cfg.miss_share;
	if (r->cfg.audit_misses_given)
		r->misses = r->cfg.audit_misses;
}

static int plan_round(const struct fake *f, const struct point *p, struct fake_row *r, struct err *e)
{
	r->slots.miss_share = r->slots.miss_share_audited = NAN;
	r->nr_maps = r->bench->nr_maps(&p->params);
	r->round_len = r->nr_maps;
	r->round_important = 1;
	if (r->bench->family == BENCH_HASH)
		return 0;
	if (r->bench->sequence(&p->params, &r->seq, &r->round_len))
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	r->round_important = 0;
	for (uint32_t i = 0; i < r->round_len; i++)
		r->round_important += r->seq[i] == 0;
	plan_slots(f, p, r);
	return 0;
}

static int plan_row(const struct fake *f, const struct results *res, int row, int trial, struct fake_row *r,
		    struct err *e)
{
	const struct point *p = &res->rows[row].point;
	struct rng rng;
	double ops;
	int rc;

	r->wanted = true;
	r->bench = bench_find(p->bench);
	if (!r->bench)
		return err_set(e, ERR_USAGE, -EINVAL, "unknown benchmark '%s'", p->bench);
	fake_script_get(&f->script, p, trial, &r->cfg);
	rc = plan_round(f, p, r, e);
	if (rc)
		return rc;
	rng.state = row_hash(res->run.seed, p) + (uint64_t)trial * UINT64_C(0xd1342543de82ef95);
	r->gross = r->cfg.gross ? fake_script_number(r->cfg.gross, trial) * log_normal(&rng, r->cfg.noise) : NAN;
	r->overhead = r->cfg.overhead ? fake_script_number(r->cfg.overhead, trial) * log_normal(&rng, r->cfg.noise) : 0;
	ops = r->gross > 0 ? fmin(BATCH_NS / r->gross, BATCH_OPS_MAX) : BATCH_OPS_MAX;
	if (f->cfg.max_ops_batch)
		ops = fmin(ops, (double)f->cfg.max_ops_batch);
	r->ops = (uint64_t)(ops / r->round_len) * r->round_len;
	if (!r->ops)
		r->ops = r->round_len;
	return happen(&r->cfg, FAKE_SETUP, true, e);
}

static void fake_session_close(struct session *s)
{
	if (!s)
		return;
	for (int i = 0; s->rows && i < s->nr_rows; i++)
		free(s->rows[i].seq);
	free(s->rows);
	free(s);
}

static int fake_session_open(void *state, const struct results *res, const bool *want, int trial, struct session **ret,
			     struct session_setup *ret_setup, struct err *e)
{
	const struct fake *f = state;
	struct session *s = calloc(1, sizeof(*s));
	struct fake_cfg c;
	int rc = 0;

	if (s)
		s->rows = calloc((size_t)(res->nr_rows ? res->nr_rows : 1), sizeof(*s->rows));
	if (!s || !s->rows) {
		free(s);
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %d rows", res->nr_rows);
	}
	s->fake = f;
	s->nr_rows = res->nr_rows;
	for (int i = 0; i < res->nr_rows && !rc; i++)
		if (want[i])
			rc = plan_row(f, res, i, trial, &s->rows[i], e);
	if (rc) {
		fake_session_close(s);
		return rc;
	}
	fake_script_get(&f->script, NULL, trial, &c);
	*ret_setup = (struct session_setup){
		.storage_ms = c.storage_ms,
		.hash_ms = c.hash_ms,
		.load_ms = NAN,
		.fill = "script",
		.random_seed = c.random_seed,
		.slots_seen = c.slots_seen,
	};
	if (!c.slots_seen)
		str_copy(ret_setup->slots_reason, sizeof(ret_setup->slots_reason), "the script says so");
	*ret = s;
	return 0;
}

/* ---- a row ---- */

static void fake_row_slots(struct session *s, int row, struct row_slots *ret)
{
	*ret = s->rows[row].slots;
}

static int fake_enter(struct session *s, int row, uint32_t producer, struct err *e)
{
	(void)producer;
	atomic_store(&s->rows[row].delayed, false);
	return happen(&s->rows[row].cfg, FAKE_ENTER, true, e);
}

static void count_gets(const struct fake_row *r, struct counters *c)
{
	uint64_t left = r->ops, important = r->ops / r->round_len * r->round_important;

	c->nulls = r->cfg.nulls < left ? r->cfg.nulls : left;
	left -= c->nulls;
	c->errors = r->cfg.errors < left ? r->cfg.errors : left;
	left -= c->errors;
	c->hits = left - (r->cfg.uncounted < left ? r->cfg.uncounted : left);
	c->important_hits = important < c->hits ? important : c->hits;
}

static int fake_batch(struct session *s, int row, uint32_t producer, bool empty, struct batch *ret, struct err *e)
{
	struct fake_row *r = &s->rows[row];
	double per_op = empty ? r->overhead : r->gross, ns;
	int rc = happen(&r->cfg, FAKE_BATCH, !atomic_exchange(&r->delayed, true), e);

	(void)producer;
	if (rc)
		return rc;
	if (!(r->gross > 0))
		return err_set(e, ERR_FAILED, -ENODATA,
			       "the script gives this row no figure (\"gross\" above 0) in this trial");
	ns = per_op * (double)r->ops;
	*ret = (struct batch){ .ns = (uint64_t)llround(ns), .counters = { .ops = r->ops, .hits = r->ops } };
	if (!empty)
		count_gets(r, &ret->counters);
	if (r->cfg.real_time)
		sleep_ns(ns);
	return 0;
}

static int fake_audit(struct session *s, int row, uint32_t producer, struct audit *ret, struct err *e)
{
	const struct fake_row *r = &s->rows[row];
	int rc = happen(&r->cfg, FAKE_AUDIT, true, e);

	(void)producer;
	if (rc)
		return rc;
	*ret = (struct audit){ .visits_match = r->cfg.visits_match };
	if (!ret->visits_match)
		str_copy(ret->mismatch, sizeof(ret->mismatch), "the script says that the visits of a map differ");
	if (!r->seq) {
		str_copy(ret->reason, sizeof(ret->reason), "a hash has no slot cache");
		return 0;
	}
	ret->gets = r->round_len;
	ret->misses = r->misses;
	ret->done = r->cfg.slots_seen;
	if (!ret->done)
		str_copy(ret->reason, sizeof(ret->reason), "the cache slots could not be read");
	return 0;
}

static void fake_leave(struct session *s, int row, uint32_t producer, bool *ret_evicted)
{
	(void)producer;
	*ret_evicted = s->rows[row].cfg.evicted;
}

const struct engine engine_fake = {
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.describe = fake_describe,
	.resolve = fake_resolve,
	.session_open = fake_session_open,
	.session_close = fake_session_close,
	.row_slots = fake_row_slots,
	.enter = fake_enter,
	.batch = fake_batch,
	.audit = fake_audit,
	.leave = fake_leave,
};
