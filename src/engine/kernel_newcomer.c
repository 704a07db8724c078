// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which slots new task-storage maps get, seen in a throw-away child: the parent never holds a map, and maps die with
 * the child whatever happens to it.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine_probe.h"
#include "core/machine.h"
#include "core/newcomer.h"
#include "engine/kernel_priv.h"
#include "engine/kernel_probe.h"
#include "engine/kernel_session.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "lsbench.skel.h"

/* In the child. One map for the row and enough others for a few rounds of all slots. */
static int look(enum kernel_trigger trigger, struct kernel_slots *ret, struct err *e)
{
	struct session_options opt = {
		.trigger = trigger, .spare = KERNEL_SLOTS_MAPS - 1, .max_ops = 64, .producers = 1
	};
	struct row row = { 0 };
	struct results res = { .rows = &row, .nr_rows = 1 };
	bool want[1] = { true };
	struct session_setup setup;
	struct session *s = NULL;
	int rc;

	str_copy(row.point.bench, sizeof(row.point.bench), "local-storage-cache-seq-get");
	str_copy(row.point.loop, sizeof(row.point.loop), loop_form_names[LOOP_SINGLE]);
	params_set_num(&row.point.params, "nr_maps", 1);
	rc = kernel_session_open(&opt, &res, want, &s, &setup, e);
	if (rc)
		return rc;
	ret->seen = s->slots_seen;
	str_copy(ret->reason, sizeof(ret->reason), s->slots_reason);
	ret->nr_slots = s->nr_slots;
	ret->setup_ms = setup.storage_ms;
	while (ret->n < s->layout.nr_pool && ret->n < KERNEL_SLOTS_MAPS) {
		ret->slot[ret->n] = s->half[HALF_STORAGE].skel->bss->slot_of[ret->n];
		ret->n++;
	}
	kernel_session_close(s);
	return 0;
}

struct answer {
	int rc;
	struct kernel_slots slots;
	struct err err;
};

static bool read_all(int fd, void *buf, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = TEMP_FAILURE_RETRY(read(fd, (char *)buf + done, size - done));

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static int look_in_child(enum kernel_trigger trigger, struct answer *a, struct err *e)
{
	int fds[2], status = 0;
	bool whole;
	pid_t pid;

	memset(a, 0, sizeof(*a));
	if (pipe(fds))
		return err_set(e, ERR_MACHINE, -errno, "no pipe for a child process: %s (ulimit -n?)", strerror(errno));
	pid = fork();
	if (pid < 0) {
		status = errno;
		close(fds[0]);
		close(fds[1]);
		return err_set(e, ERR_MACHINE, -status, "a child process cannot be made: %s", strerror(status));
	}
	if (pid == 0) {
		close(fds[0]);
		a->rc = look(trigger, &a->slots, &a->err);
		/* Larger than the pipe's atomic size, smaller than its buffer: one write. */
		_exit(write(fds[1], a, sizeof(*a)) == (ssize_t)sizeof(*a) ? 0 : 1);
	}
	close(fds[1]);
	whole = read_all(fds[0], a, sizeof(*a));
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!whole)
		return err_set(e, ERR_MACHINE, -EIO, "looking at the slots ended its process (%s %d)",
			       WIFSIGNALED(status) ? "signal" : "status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}

int kernel_see_slots(struct kernel_slots *ret, struct err *e)
{
	/* Untimed programs enter through raw_tp or syscall; fentry would only add what can fail. */
	static const enum kernel_trigger triggers[] = { TRIGGER_RAW_TP, TRIGGER_SYSCALL };
	struct err first = { 0 };
	struct answer a;

	for (size_t i = 0; i < ARRAY_SIZE(triggers); i++) {
		int rc = look_in_child(triggers[i], &a, e);

		if (rc)
			return rc;
		if (!a.rc) {
			*ret = a.slots;
			return 0;
		}
		err_set(&first, a.err.class, a.rc, "%s", a.err.msg);
	}
	return err_set(e, first.class, first.code, "%s", first.msg);
}

int kernel_probe_newcomer(struct probe_newcomer *ret, struct err *e)
{
	struct foreign_maps foreign;
	struct kernel_slots slots;
	struct newcomer n;
	int rc;

	kernel_quiet_libbpf();
	kernel_count_foreign(&foreign);
	rc = kernel_see_slots(&slots, e);
	if (rc)
		return rc;
	if (!slots.seen || !newcomer_from_slots(slots.slot, slots.n, slots.nr_slots,
						foreign.task > 0 ? (uint32_t)foreign.task : 0, &n))
		return err_set(e, ERR_MACHINE, -EOPNOTSUPP, "the slot of a new map cannot be seen: %s",
			       slots.reason[0] ? slots.reason : "the kernel gave a slot beyond its cache");
	*ret = (struct probe_newcomer){
		.slots = (int)slots.nr_slots,
		.slot = n.slot,
		.foreign_task_maps = foreign.task,
		.neighbours = foreign.task < 0 ? -1 : n.neighbours,
		.closing = foreign.task < 0 ? 0 : n.closing,
		.exact = foreign.task >= 0 && n.exact,
	};
	return 0;
}
