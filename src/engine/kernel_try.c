// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this kernel lets us do, found out by doing it once in a throw-away process, and errors put into words.
 *
 * bpf() has few errnos for many causes: EPERM is a missing capability, lockdown, a security module or seccomp. The
 * process's own state tells them apart.
 */
#include "engine/kernel_try.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/kernel_priv.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT 38
#define CAP_BPF_BIT 39

/* A "Name:\tvalue" line of /proc/self/status. */
static bool status_value(const char *name, int base, unsigned long long *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	size_t len = strlen(name);
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, len) == 0 && line[len] == ':')
			return sscanf(line + len + 1, base == 16 ? "%llx" : "%llu", ret) == 1;
	return false;
}

static bool has_cap(unsigned long long caps, int bit)
{
	return caps & (1ull << bit) || caps & (1ull << CAP_SYS_ADMIN_BIT);
}

static void explain_permission(const char *what, char *buf, size_t size)
{
	unsigned long long caps = 0, seccomp = 0;
	const char *missing = NULL;

	status_value("CapEff", 16, &caps);
	status_value("Seccomp", 10, &seccomp);
	if (!has_cap(caps, CAP_BPF_BIT))
		missing = "CAP_BPF";
	else if (!has_cap(caps, CAP_PERFMON_BIT))
		missing = "CAP_PERFMON";
	if (missing)
		snprintf(buf, size,
			 "%s was refused (EPERM): %s is missing%s; run as root (sudo lsbench ...) - `report` and `--engine fake` work "
			 "without",
			 what, missing, geteuid() ? ", this is not root" : "");
	else if (seccomp == 2)
		snprintf(buf, size,
			 "%s was refused (EPERM) although the capabilities are there: a seccomp filter of this container denies bpf(); "
			 "run outside it or with a profile that allows bpf()",
			 what);
	else
		snprintf(buf, size,
			 "%s was refused (EPERM) although the capabilities are there: kernel lockdown or a security module does not allow it "
			 "(cat /sys/kernel/security/lockdown)",
			 what);
}

void kernel_explain(int err, const char *what, char *buf, size_t size)
{
	switch (err) {
	case EPERM:
	case EACCES:
		if (err == EPERM || geteuid()) {
			explain_permission(what, buf, size);
			return;
		}
		snprintf(buf, size, "%s: the verifier does not accept the program (EACCES)", what);
		return;
	case ENOSYS:
		snprintf(buf, size,
			 "%s: this kernel has no bpf() system call (CONFIG_BPF_SYSCALL), or a seccomp filter hides it",
			 what);
		return;
	case ESRCH:
	case ENOENT:
		if (!access("/sys/kernel/btf/vmlinux", R_OK)) {
			snprintf(buf, size,
				 "%s: the kernel's BTF (/sys/kernel/btf/vmlinux) lacks what the program needs (%s), or "
				 "there is no memory to read it (ulimit -v?)",
				 what, strerror(err));
			return;
		}
		snprintf(buf, size,
			 "%s: the kernel's BTF lacks what the program needs (%s): is CONFIG_DEBUG_INFO_BTF set?", what,
			 strerror(err));
		return;
	case EINVAL:
		if (access("/sys/kernel/btf/vmlinux", R_OK))
			snprintf(buf, size,
				 "%s: invalid argument, and this kernel shows no BTF (/sys/kernel/btf/vmlinux): it needs "
				 "CONFIG_DEBUG_INFO_BTF",
				 what);
		else
			snprintf(buf, size,
				 "%s: invalid argument: this kernel is too old for it, or its verifier refuses the program",
				 what);
		return;
	case ENOTSUP:
	case 524: /* ENOTSUPP, which the kernel lets out and libc does not know */
		snprintf(buf, size, "%s: not supported by this kernel, or by the JIT of this architecture", what);
		return;
	case ENOMEM:
		snprintf(buf, size, "%s: out of memory (or of the memory that this cgroup or RLIMIT_MEMLOCK allows)",
			 what);
		return;
	default:
		snprintf(buf, size, "%s: %s (errno %d)", what, strerror(err), err);
	}
}

int kernel_btf_slots(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *t;
	int id = btf ? btf__find_by_name_kind(btf, "bpf_local_storage", BTF_KIND_STRUCT) : -1, slots = 0;

	if (id > 0) {
		t = btf__type_by_id(btf, (__u32)id);
		for (int i = 0; i < btf_vlen(t); i++) {
			const struct btf_member *m = &btf_members(t)[i];
			const struct btf_type *array = btf__type_by_id(btf, m->type);

			if (strcmp(btf__name_by_offset(btf, m->name_off), "cache") == 0 && btf_is_array(array))
				slots = (int)btf_array(array)->nelems;
		}
	}
	btf__free(btf);
	return slots > 0 && slots <= SLOTS_MAX ? slots : 0;
}

/* ---- one tiny session, really run ---- */

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
