// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parent's side of one trial: fork, read records, and cope with a child that is killed, crashes or hangs.
 *
 * Not obvious: a child that dies takes only the repetition it was at with it. The rows it had not come to are measured
 * by another child of the same trial; a row that kills child after child is given up, so this ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/run_priv.h"
#include "lib/cleanup.h"

#define HANG_BASE_NS UINT64_C(30000000000)
#define HANG_ROWS 100
#define TICK_MS 100 /* how often the signal flag is looked at where there is no stop_fd */

struct child {
	pid_t pid;
	int fd;	   /* records */
	int pidfd; /* -1 on old kernels: then the end of the pipe tells */
	const int *order;
	int n;
	int pos; /* rows that are done or lost */
	int row; /* being measured, -1 between rows */
	bool set_up, done;
	bool trial_failed;
	bool hung;
	double since_s; /* of the last record */
	size_t have;
	struct record rec;
};

double run_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool run_stopped(const struct run *r)
{
	return r->opt->stop_signal && *r->opt->stop_signal;
}

const char *run_row_name(const struct row *row, char *buf, int size)
{
	int len = snprintf(buf, (size_t)size, "%s", row->point.bench);

	for (int i = 0; i < row->point.params.n && len < size; i++) {
		const struct param *p = &row->point.params.v[i];

		/* The other parameters are the same for nearly all rows; a warning has little room. */
		if (p->is_num && i == 0)
			len += snprintf(buf + len, (size_t)(size - len), " %s=%" PRIu64, p->name, p->num);
		else if (!p->is_num && strcmp(p->text, "tid") == 0)
			len += snprintf(buf + len, (size_t)(size - len), " %s=%s", p->name, p->text);
	}
	return buf;
}

/* ---- records ---- */

static int keep_setup(struct run *r, const struct session_setup *s)
{
	if (r->nr_setups == r->cap_setups) {
		int cap = r->cap_setups ? 2 * r->cap_setups : 32;
		double *storage = reallocarray(r->storage_ms, (size_t)cap, sizeof(*storage)), *hash;

		if (!storage)
			return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for the set-up times of %d trials",
				       cap);
		r->storage_ms = storage;
		hash = reallocarray(r->hash_ms, (size_t)cap, sizeof(*hash));
		if (!hash)
			return err_set(r->e, ERR_FAILED, -ENOMEM, "out of memory for the set-up times of %d trials",
				       cap);
		r->hash_ms = hash;
		r->cap_setups = cap;
	}
	r->storage_ms[r->nr_setups] = s->storage_ms;
	r->hash_ms[r->nr_setups++] = s->hash_ms;
	return 0;
}

static int take_setup(struct run *r, struct child *c)
{
	const struct session_setup *s = &c->rec.setup;
	struct run_info *run = &r->res->run;

	c->set_up = r->set_up_once = true;
	r->failures = 0;
	r->last_setup_s = run_now_s() - c->since_s;
	if (s->random_seed)
		run_warn(run,
			 "the hash seed is random, because a fixed one was refused (it needs CAP_SYS_ADMIN): hash rows "
			 "move by 20 %% from one trial to the next");
	if (!s->slots_seen && s->slots_reason[0])
		run_warn(run,
			 "the cache slots could not be read (%.160s): they are assumed in the order of creation, which "
			 "maps of other programs disturb",
			 s->slots_reason);
	if (r->ev->setup)
		r->ev->setup(r->ev->arg, r->trial, s);
	return keep_setup(r, s);
}

/* A row that cannot be measured ends; the trial goes on. */
static int take_row_err(struct run *r, struct child *c)
{
	struct row *row = &r->res->rows[c->rec.row];

	row->outcome = c->rec.outcome == OUTCOME_INVALID ? OUTCOME_INVALID : OUTCOME_FAILED;
	snprintf(row->reason, sizeof(row->reason), "trial %d: %.480s", r->trial, c->rec.err.msg);
	return run_close_row(r, c->rec.row, STOPPED_NOT);
}

static int take_trial_err(struct run *r, struct child *c)
{
	const struct err *err = &c->rec.err;
	bool hopeless = err->class == ERR_MACHINE || err->class == ERR_USAGE;

	c->trial_failed = true;
	c->done = true;
	r->failures++;
	if (!r->set_up_once && hopeless)
		return err_set(r->e, err->class, err->code, "%s", err->msg);
	if (r->failures >= RUN_TRIAL_FAILURES_MAX)
		return err_set(r->e, err->class, err->code, "%d trials in a row could not be set up, the last one: %s",
			       r->failures, err->msg);
	run_warn(&r->res->run, "trial %d could not be set up and is lost: %.200s", r->trial, err->msg);
	return 0;
}

static int take_record(struct run *r, struct child *c)
{
	const struct run_events *ev = r->ev;
	const struct record *rec = &c->rec;
	bool of_row = rec->kind == REC_ROW || rec->kind == REC_REP || rec->kind == REC_BATCH ||
		      rec->kind == REC_ROW_ERR;
	int rc = 0;

	/* Our own child wrote it; but a child that measures can also be one that went wild. */
	if (of_row && (c->pos >= c->n || rec->row != c->order[c->pos]))
		return err_set(r->e, ERR_FAILED, -EBADMSG, "trial %d: the child sent a record of row %d out of turn",
			       r->trial, rec->row);
	switch (rec->kind) {
	case REC_SETUP:
		rc = take_setup(r, c);
		break;
	case REC_ROW:
		c->row = rec->row;
		if (ev->row_begin)
			ev->row_begin(ev->arg, r->trial, rec->row);
		break;
	case REC_BATCH:
		if (ev->batch)
			rc = ev->batch(ev->arg, r->res, rec->row, r->trial, rec->batch.batch, rec->batch.gross,
				       rec->batch.overhead, r->e);
		break;
	case REC_REP:
	case REC_ROW_ERR:
		c->row = -1;
		c->pos++;
		r->row_sum_s += run_now_s() - c->since_s;
		r->row_n++;
		rc = rec->kind == REC_REP ? run_take_rep(r, rec) : take_row_err(r, c);
		break;
	case REC_TRIAL_ERR:
		rc = take_trial_err(r, c);
		break;
	case REC_DONE:
		c->done = true;
		break;
	}
	c->since_s = run_now_s();
	return rc;
}

/* Reads what there is, at most one record. 1: go on, 0: end of the pipe or nothing there, < 0: -errno, e set. */
static int read_record(struct run *r, struct child *c)
{
	ssize_t n = read(c->fd, (char *)&c->rec + c->have, sizeof(c->rec) - c->have);
	int rc;

	if (n < 0 && errno == EINTR)
		return 1;
	if (n < 0 && errno != EAGAIN)
		return err_set(r->e, ERR_FAILED, -errno, "reading from the measuring child: %s", strerror(errno));
	if (n <= 0)
		return 0;
	c->have += (size_t)n;
	if (c->have < sizeof(c->rec))
		return 1;
	c->have = 0;
	rc = take_record(r, c);
	return rc ? rc : 1;
}

/* ---- the child's life ---- */

static uint64_t hang_ns(const struct run_options *opt)
{
	return opt->hang_ns ? opt->hang_ns : HANG_BASE_NS + HANG_ROWS * opt->row_ns;
}

/* Milliseconds until the child counts as hung, at most a tick where a signal must be looked for; < 0: never. */
static int wait_ms(const struct run *r, const struct child *c)
{
	double left_ms = ((double)hang_ns(r->opt) * 1e-9 - (run_now_s() - c->since_s)) * 1e3;

	left_ms = fmin(fmax(ceil(left_ms), 0), 1e6);
	if (r->opt->stop_signal && r->opt->stop_fd < 0)
		left_ms = fmin(left_ms, TICK_MS);
	return (int)left_ms;
}

/* Waits for records until the child is done or dead. 0, -EINTR or -errno with e set; c tells how far it came. */
static int follow_child(struct run *r, struct child *c)
{
	while (!c->done) {
		struct pollfd fds[3] = {
			{ .fd = c->fd, .events = POLLIN },
			{ .fd = r->opt->stop_fd, .events = POLLIN },
			{ .fd = c->pidfd, .events = POLLIN },
		};
		int n, rc;

		if (run_stopped(r))
			return -EINTR;
		n = poll(fds, ARRAY_SIZE(fds), wait_ms(r, c));
		if (n < 0 && errno != EINTR)
			return err_set(r->e, ERR_FAILED, -errno, "waiting for the measuring child: %s",
				       strerror(errno));
		if (run_stopped(r) || (n > 0 && fds[1].revents))
			return -EINTR;
		if (n > 0 && fds[0].revents) {
			rc = read_record(r, c);
			if (rc <= 0)
				return rc;
		} else if (n > 0 && fds[2].revents) {
			return 0; /* dead, and the pipe is empty */
		} else if ((run_now_s() - c->since_s) * 1e9 >= (double)hang_ns(r->opt)) {
			c->hung = true;
			return 0;
		}
	}
	return 0;
}

static int start_child(struct run *r, struct child *c)
{
	const struct trial_options topt = {
		.cpu = r->opt->cpu,
		.row_ns = r->opt->row_ns,
		.keep_batches = r->opt->keep_batches,
		.started_s = r->started_s,
	};
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(r->e, ERR_MACHINE, -errno, "no pipe for the measuring child: %s (ulimit -n?)",
			       strerror(errno));
	c->since_s = run_now_s();
	c->pid = fork();
	if (c->pid < 0) {
		int code = errno;

		close(fds[0]);
		close(fds[1]);
		return err_set(r->e, ERR_MACHINE, -code, "no process for the measuring child: %s (ulimit -u?)",
			       strerror(code));
	}
	if (c->pid == 0) {
		close(fds[0]);
		trial_child(r->eng, r->state, r->res, c->order, c->n, r->trial, &topt, fds[1]);
	}
	close(fds[1]);
	c->fd = fds[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return 0;
}

/* Takes what it had sent, and says how it ended. One that is ending already is not changed by the signal. */
static int end_child(struct run *r, struct child *c, int rc, int *ret_status)
{
	int flags = fcntl(c->fd, F_GETFL), status = 0;

	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	/* A grandchild may hold the pipe open: do not wait for its end. */
	fcntl(c->fd, F_SETFL, flags | O_NONBLOCK);
	while ((!rc || rc == -EINTR) && !c->done) {
		int got = read_record(r, c);

		if (got == 0)
			break;
		if (got < 0)
			rc = got;
	}
	close(c->fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	*ret_status = status;
	return rc;
}

/* ---- a child that ended before its time ---- */

static void say_how(const struct run *r, const struct child *c, int status, char *buf, size_t size)
{
	if (c->hung)
		snprintf(buf, size, "sent nothing for %.3g s and was ended", (double)hang_ns(r->opt) * 1e-9);
	else if (WIFSIGNALED(status))
		snprintf(buf, size, "was killed by signal %d (SIG%s)", WTERMSIG(status),
			 sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
	else
		snprintf(buf, size, "ended early with status %d", WEXITSTATUS(status));
}

static int lose_row(struct run *r, struct child *c, const char *how)
{
	struct row *row = &r->res->rows[c->row];
	int nr = c->row, kills = ++r->rows[nr].kills;
	char name[128];

	run_warn(&r->res->run, "trial %d: the child %s while measuring %s; its repetition is lost", r->trial, how,
		 run_row_name(row, name, sizeof(name)));
	c->row = -1;
	c->pos++;
	if (kills < RUN_ROW_KILLS_MAX)
		return 0;
	row->outcome = OUTCOME_FAILED;
	snprintf(row->reason, sizeof(row->reason), "%d children ended while measuring it; the last one %s", kills, how);
	return run_close_row(r, nr, STOPPED_NOT);
}

/* *deaths counts those of this trial that no row can be blamed for. */
static int lose_child(struct run *r, struct child *c, int status, int *deaths)
{
	char how[96];

	say_how(r, c, status, how, sizeof(how));
	if (c->row >= 0)
		return lose_row(r, c, how);
	if (c->pos >= c->n) {
		run_warn(&r->res->run, "trial %d: the child %s after its last row; nothing is lost", r->trial, how);
		return 0;
	}
	if (++*deaths >= RUN_TRIAL_FAILURES_MAX)
		return err_set(r->e, ERR_FAILED, -ECHILD, "trial %d: %d children ended %s, the last one %s", r->trial,
			       *deaths, c->set_up ? "between rows" : "during set-up", how);
	run_warn(&r->res->run, "trial %d: the child %s %s; another one goes on", r->trial, how,
		 c->set_up ? "between two rows" : "during set-up");
	return 0;
}

int run_trial(struct run *r, int *order, int n)
{
	int deaths = 0, pos = 0;

	while (pos < n) {
		struct child c = { .order = order + pos, .n = n - pos, .row = -1, .pidfd = -1 };
		int status, rc = start_child(r, &c);

		if (rc)
			return rc;
		rc = follow_child(r, &c);
		rc = end_child(r, &c, rc, &status);
		/* A signal may have reached the child first. */
		if (!rc && !c.done && run_stopped(r))
			rc = -EINTR;
		if (!rc && !c.done)
			rc = lose_child(r, &c, status, &deaths);
		if (rc)
			return rc;
		if (c.trial_failed)
			return 1;
		pos += c.pos;
	}
	return 0;
}
