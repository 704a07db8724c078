// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this kernel lets us do, found out by doing it once in a throw-away process: a crash, a memory limit or a map
 * that is slow to go concerns that process only.
 */
#include "engine/kernel_try.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/kernel_priv.h"
#include "lib/str.h"

struct try_job {
	struct session *s;
	struct err *e;
	int rc;
};

static void *try_thread(void *arg)
{
	struct try_job *job = arg;
	struct batch gross = { 0 }, empty = { 0 };
	bool evicted;

	job->rc = kernel_enter(job->s, 0, 0, job->e);
	if (!job->rc)
		job->rc = kernel_batch(job->s, 0, 0, false, &gross, job->e);
	if (!job->rc)
		job->rc = kernel_batch(job->s, 0, 0, true, &empty, job->e);
	if (!job->rc && !gross.counters.hits && !gross.counters.nulls)
		job->rc = err_set(job->e, ERR_MACHINE, -EIO, "the program ran and did nothing");
	kernel_leave(job->s, 0, 0, &evicted);
	return NULL;
}

static int try_here(enum kernel_trigger trigger, enum loop_form form, enum outer_fill *fill, int verbose, struct err *e)
{
	bool hash = form == LOOP_HASH || form == LOOP_HASH_CYCLE, want[1] = { true };
	struct session_options opt = {
		.trigger = trigger, .fill = *fill, .max_ops = 64, .verbose = verbose, .producers = 1
	};
	struct row row = { 0 };
	struct results res = { .rows = &row, .nr_rows = 1 };
	struct session_setup setup;
	struct try_job job = { .e = e };
	pthread_t tid;
	int rc;

	str_copy(row.point.bench, sizeof(row.point.bench),
		 hash ? "local-storage-cache-hashmap-control" : "local-storage-cache-seq-get");
	str_copy(row.point.loop, sizeof(row.point.loop), loop_form_names[form]);
	params_set_num(&row.point.params, "nr_maps", form == LOOP_HASH_CYCLE ? 2 : 1);
	params_set_num(&row.point.params, "hashmap_capacity", 64);
	params_set_num(&row.point.params, "hashmap_nr_keys_used", 64);
	if (!hash)
		opt.spare = 12; /* enough entries to learn how the outer array is filled best */
	rc = kernel_session_open(&opt, &res, want, &job.s, &setup, e);
	if (rc)
		return rc;
	if (!hash)
		*fill = job.s->opt.fill;
	if (pthread_create(&tid, NULL, try_thread, &job))
		rc = err_set(e, ERR_MACHINE, -EAGAIN, "no thread can be created (ulimit -u?)");
	else
		pthread_join(tid, NULL);
	if (!rc)
		rc = job.rc;
	kernel_session_close(job.s);
	return rc;
}

struct try_answer {
	int rc;
	enum outer_fill fill;
	struct err err;
};

/* In a child of its own: a crash, a lost lock or a memory limit hits the child only, and no map outlives it. */
int kernel_try_form(enum kernel_trigger trigger, enum loop_form form, enum outer_fill *fill, int verbose, struct err *e)
{
	struct try_answer a = { .fill = *fill };
	int fds[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return err_set(e, ERR_MACHINE, -errno, "no pipe for a child process: %s (ulimit -n?)", strerror(errno));
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return err_set(e, ERR_MACHINE, -EAGAIN, "no child process can be made: %s (ulimit -u?)",
			       strerror(errno));
	}
	if (pid == 0) {
		/* Nobody would read the answer of a child that outlives its parent. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		a.rc = try_here(trigger, form, &a.fill, verbose, &a.err);
		_exit(write(fds[1], &a, sizeof(a)) == (ssize_t)sizeof(a) ? 0 : 1);
	}
	close(fds[1]);
	n = TEMP_FAILURE_RETRY(read(fds[0], &a, sizeof(a)));
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(a))
		return err_set(e, ERR_MACHINE, -EIO, "trying %s ended its process (%s %d)", trigger_names[trigger],
			       WIFSIGNALED(status) ? "signal" : "status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (a.rc) {
		err_set(e, a.err.class, a.rc, "%s", a.err.msg);
		return a.rc;
	}
	*fill = a.fill;
	return 0;
}

bool kernel_try_trigger(const char *trigger, char *why, size_t size)
{
	enum outer_fill fill = FILL_BATCH;
	struct err e = { 0 };
	int t = trigger_find(trigger);

	if (t >= 0 && kernel_try_form((enum kernel_trigger)t, LOOP_SINGLE, &fill, 0, &e) == 0)
		return true;
	str_copy(why, size, t < 0 ? "no such trigger" : e.msg);
	return false;
}
