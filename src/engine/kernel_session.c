// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a session: check limits, load what the rows need, create and fill the maps. Every step that takes time is
 * timed.
 *
 * The object is opened once for storage rows and once for hash rows, with only the programs of the forms and the
 * trigger in use: programs are verified once for all rows (rows differ by numbers in shared memory), and a form that
 * this kernel's verifier refuses cannot spoil one it takes.
 */
#include "engine/kernel_session.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "engine/kernel_priv.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "lsbench.skel.h"

#define VERIFIER_LOG_BYTES (4u << 20)

const char *const trigger_names[TRIGGER_NR + 1] = { "raw_tp", "fentry", "syscall", NULL };

int trigger_find(const char *name)
{
	for (int i = 0; i < TRIGGER_NR; i++)
		if (strcmp(trigger_names[i], name) == 0)
			return i;
	return -1;
}

double kernel_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int kernel_check_limits(const struct layout *l, uint32_t producers, struct err *e)
{
	uint64_t files = l->nr_pool + l->nr_hashes + LSB_OTHER_FILES, have, bytes = layout_hash_bytes(l);
	char need_text[32], have_text[32];
	struct rlimit lim;

	if (producers > LSB_PRODUCERS_MAX)
		return err_set(e, ERR_USAGE, -EINVAL, "%u producers, at most %d", producers, LSB_PRODUCERS_MAX);
	if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < files) {
		if (lim.rlim_max < files)
			return err_set(
				e, ERR_MACHINE, -EMFILE,
				"%llu open files are needed (one a map: %u storage maps, %u hashes) and the hard limit is "
				"%llu: raise it (ulimit -Hn) or measure fewer maps",
				(unsigned long long)files, l->nr_pool, l->nr_hashes, (unsigned long long)lim.rlim_max);
		lim.rlim_cur = lim.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &lim))
			return err_set(e, ERR_MACHINE, -errno, "open-file limit cannot be raised to %llu: %s",
				       (unsigned long long)lim.rlim_max, strerror(errno));
	}
	have = machine_available_bytes("");
	if (bytes && have && bytes > have)
		return err_set(
			e, ERR_MACHINE, -ENOMEM,
			"the hash of the control rows needs about %s and %s are available: give --hashmap_capacity %llu or less",
			str_bytes(need_text, sizeof(need_text), (double)bytes),
			str_bytes(have_text, sizeof(have_text), (double)have),
			(unsigned long long)((double)l->sets[0].capacity * (double)have / (double)bytes / 2));
	return 0;
}

static struct bpf_program *program(struct half *h, const char *trigger, const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "%s_%s", trigger, name);
	return bpf_object__find_program_by_name(h->skel->obj, full);
}

/* Untimed programs enter by a test run; where raw_tp is refused (no CAP_PERFMON) the syscall type may do. */
static const char *untimed_trigger(const struct session *s)
{
	return s->opt.trigger == TRIGGER_SYSCALL ? "syscall" : "raw_tp";
}

static void want_program(struct session *s, struct half *h, const char *trigger, const char *name)
{
	struct bpf_program *p = program(h, trigger, name);

	bpf_program__set_autoload(p, true);
	bpf_program__set_log_buf(p, s->verifier_log, VERIFIER_LOG_BYTES);
}

static const char *const timed_names[LOOP_NR][2] = {
	[LOOP_HOISTED] = { "hoisted_get", "hoisted_empty" },
	[LOOP_SEQUENCE] = { "sequence_get", "sequence_empty" },
	[LOOP_SINGLE] = { "single_get", "single_empty" },
	[LOOP_HASH] = { "hash_get", "hash_empty" },
	[LOOP_HASH_CYCLE] = { "hash_cycle_get", "hash_cycle_empty" },
};
static const char *const storage_untimed[] = { "register", "touch", "audit", "collect", "look_foreign", "see_slots" };
static const char *const hash_untimed[] = { "register", "fill" };

/* Attach names are chosen at run time: the entry of getpgid is __x64_sys_getpgid, __arm64_sys_getpgid,
 * __s390x_sys_getpgid ... */
static int getpgid_entry(char *name, size_t size, struct err *e)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int rc = -ENOENT;

	for (__u32 id = 1; btf && id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *n = btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : "";
		size_t len = strlen(n);

		if (len > 12 && strncmp(n, "__", 2) == 0 && strcmp(n + len - 12, "_sys_getpgid") == 0 &&
		    strncmp(n, "__se_", 5) && strncmp(n, "__do_", 5) && strncmp(n, "__ia32_", 7) &&
		    strncmp(n, "__compat", 8)) {
			str_copy(name, size, n);
			rc = 0;
			break;
		}
	}
	btf__free(btf);
	if (rc)
		err_set(e, ERR_MACHINE, rc,
			"kernel BTF lists no entry function of the getpgid system call to attach fentry to");
	return rc;
}

static bool form_used(const struct session *s, int form)
{
	for (int i = 0; i < s->layout.nr_rows; i++)
		if (s->layout.rows[i].wanted && (int)s->layout.rows[i].form == form)
			return true;
	return false;
}

/* The last lines of the verifier's log say what it refused. */
static void verifier_tail(const char *log, char *buf, size_t size)
{
	size_t len = strlen(log), room = size - 1, start;
	int lines = 0;

	start = len;
	while (start > 0 && len - start < room && lines < 12)
		if (log[--start] == '\n' && start + 1 < len)
			lines++;
	str_copy(buf, size, log + start);
}

static int load_error(struct session *s, int rc, const char *what, struct err *e)
{
	char why[512], tail[1400];

	kernel_explain(-rc, what, why, sizeof(why));
	if (!s->opt.verbose || !s->verifier_log[0])
		return err_set(e, ERR_MACHINE, rc, "%s%s", why,
			       s->verifier_log[0] ? " (-v shows the verifier's last lines)" : "");
	verifier_tail(s->verifier_log, tail, sizeof(tail));
	return err_set(e, ERR_MACHINE, rc, "%s; the verifier's last lines:\n%s", why, tail);
}

/* The timed programs of one loop form. target: what fentry programs attach to. */
static int want_timed(struct session *s, struct half *h, int form, const char *target, struct err *e)
{
	const char *trigger = trigger_names[s->opt.trigger];

	for (int empty = 0; empty < 2; empty++) {
		int rc = 0;

		want_program(s, h, trigger, timed_names[form][empty]);
		if (s->opt.trigger == TRIGGER_FENTRY)
			rc = bpf_program__set_attach_target(program(h, trigger, timed_names[form][empty]), 0, target);
		if (rc)
			return err_set(e, ERR_MACHINE, rc, "fentry on %s: %s", target, strerror(-rc));
	}
	return 0;
}

static int half_open(struct session *s, int which, struct err *e)
{
	bool storage = which == HALF_STORAGE;
	const char *const *untimed = storage ? storage_untimed : hash_untimed;
	size_t nr_untimed = storage ? ARRAY_SIZE(storage_untimed) : ARRAY_SIZE(hash_untimed);
	struct half *h = &s->half[which];
	char target[64] = "";

	h->skel = lsbench__open();
	if (!h->skel)
		return err_set(e, ERR_FAILED, -errno, "the BPF object cannot be opened: %s", strerror(errno));
	for (size_t i = 0; i < nr_untimed; i++)
		want_program(s, h, untimed_trigger(s), untimed[i]);
	if (s->opt.trigger == TRIGGER_FENTRY && getpgid_entry(target, sizeof(target), e))
		return e->code;
	for (int f = storage ? LOOP_HOISTED : LOOP_HASH; f <= (storage ? LOOP_SINGLE : LOOP_HASH_CYCLE); f++)
		if (form_used(s, f) && want_timed(s, h, f, target, e))
			return e->code;
	bpf_map__set_autocreate(storage ? h->skel->maps.outer_hash : h->skel->maps.outer_storage, false);
	if (storage) {
		struct bpf_map *inner = bpf_map__inner_map(h->skel->maps.outer_storage);

		s->pool_key_type = bpf_map__btf_key_type_id(inner);
		s->pool_value_type = bpf_map__btf_value_type_id(inner);
		bpf_map__set_max_entries(h->skel->maps.outer_storage, s->layout.nr_outer);
	} else {
		bpf_map__set_max_entries(h->skel->maps.outer_hash, s->layout.nr_hashes);
	}
	return 0;
}

static int fd_of(struct half *h, const char *trigger, const char *name)
{
	return bpf_program__fd(program(h, trigger, name));
}

static int attach(struct half *h, struct bpf_program *p, struct err *e)
{
	struct bpf_link *link = bpf_program__attach(p);
	char why[512];

	if (!link) {
		int code = errno;

		kernel_explain(code, "attaching an fentry program to getpgid", why, sizeof(why));
		return err_set(e, ERR_MACHINE, -code, "%s", why);
	}
	h->links[h->nr_links++] = link;
	return 0;
}

static int half_load(struct session *s, int which, struct err *e)
{
	struct half *h = &s->half[which];
	const char *t = untimed_trigger(s), *timed = trigger_names[s->opt.trigger];
	bool storage = which == HALF_STORAGE;
	char what[96];
	int rc;

	snprintf(what, sizeof(what), "loading the %s %s programs", timed, storage ? "storage" : "hash");
	s->verifier_log[0] = '\0';
	rc = lsbench__load(h->skel);
	if (rc)
		return load_error(s, rc, what, e);
	h->io = mmap(NULL, sizeof(struct lsb_io) * LSB_PRODUCERS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED,
		     bpf_map__fd(h->skel->maps.io_map), 0);
	if (h->io == MAP_FAILED) {
		h->io = NULL;
		return err_set(e, ERR_MACHINE, -errno, "the programs' shared memory cannot be mapped: %s",
			       strerror(errno));
	}
	for (int i = 0; i < LSB_PRODUCERS_MAX; i++) {
		h->io[i].not_null = 1;
		h->io[i].number = (__u32)i;
	}
	h->prog_register = fd_of(h, t, "register");
	if (storage) {
		h->prog_touch = fd_of(h, t, "touch");
		h->prog_audit = fd_of(h, t, "audit");
		h->prog_collect = fd_of(h, t, "collect");
		h->prog_foreign = fd_of(h, t, "look_foreign");
		h->prog_slots = fd_of(h, t, "see_slots");
	} else {
		h->prog_fill = fd_of(h, t, "fill");
	}
	for (int f = 0; f < LOOP_NR; f++)
		for (int empty = 0; empty < 2; empty++) {
			struct bpf_program *p = program(h, timed, timed_names[f][empty]);

			h->prog[f][empty] = bpf_program__fd(p);
			if (s->opt.trigger == TRIGGER_FENTRY && bpf_program__autoload(p)) {
				rc = attach(h, p, e);
				if (rc)
					return rc;
			}
		}
	return 0;
}

static void half_close(struct half *h)
{
	for (int i = 0; i < h->nr_links; i++)
		bpf_link__destroy(h->links[i]);
	if (h->io)
		munmap(h->io, sizeof(struct lsb_io) * LSB_PRODUCERS_MAX);
	lsbench__destroy(h->skel);
}

static void close_all(int *fds, uint32_t n)
{
	for (uint32_t i = 0; fds && i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

void kernel_session_close(struct session *s)
{
	if (!s)
		return;
	half_close(&s->half[HALF_STORAGE]);
	half_close(&s->half[HALF_HASH]);
	close_all(s->pool_fds, s->layout.nr_pool);
	close_all(s->hash_fds, s->layout.nr_hashes);
	layout_free(&s->layout);
	if (s->verifier_log)
		munmap(s->verifier_log, VERIFIER_LOG_BYTES);
	free(s);
}

static int *fd_array(uint32_t n)
{
	int *fds = malloc((n ? n : 1) * sizeof(*fds));

	for (uint32_t i = 0; fds && i < n; i++)
		fds[i] = -1;
	return fds;
}

static int setup(struct session *s, struct session_setup *ret, struct err *e)
{
	double start = kernel_now_ms();
	int rc = 0;

	if (s->layout.any_storage) {
		rc = half_open(s, HALF_STORAGE, e);
		if (!rc)
			rc = half_load(s, HALF_STORAGE, e);
	}
	if (!rc && s->layout.any_hash) {
		rc = half_open(s, HALF_HASH, e);
		if (!rc)
			rc = kernel_hash_create(s, ret, e); /* before the load: the template must have the same flags */
		if (!rc)
			rc = half_load(s, HALF_HASH, e);
	}
	ret->load_ms = kernel_now_ms() - start;
	if (!rc && s->layout.any_storage)
		rc = kernel_storage_fill(s, ret, e);
	if (!rc && s->layout.any_hash)
		rc = kernel_hash_fill(s, ret, e);
	return rc;
}

int kernel_session_open(const struct session_options *opt, const struct results *res, const bool *want,
			struct session **ret, struct session_setup *ret_setup, struct err *e)
{
	struct session *s = calloc(1, sizeof(*s));
	struct session_setup setup_times = { .storage_ms = NAN, .hash_ms = NAN, .load_ms = NAN };
	int rc;

	if (!s)
		return err_set(e, ERR_FAILED, -ENOMEM, "out of memory");
	s->opt = *opt;
	/* Untouched pages cost nothing; the kernel writes here only when a program is refused. */
	s->verifier_log = mmap(NULL, VERIFIER_LOG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->verifier_log == MAP_FAILED) {
		s->verifier_log = NULL;
		rc = err_set(e, ERR_FAILED, -ENOMEM, "out of memory for the verifier's log");
		kernel_session_close(s);
		return rc;
	}
	rc = layout_plan(res, want, opt->spare, opt->max_ops, &s->layout, e);
	if (!rc)
		rc = kernel_check_limits(&s->layout, opt->producers, e);
	if (!rc) {
		s->pool_fds = fd_array(s->layout.nr_pool);
		s->hash_fds = fd_array(s->layout.nr_hashes);
		if (!s->pool_fds || !s->hash_fds)
			rc = err_set(e, ERR_FAILED, -ENOMEM, "out of memory for %u maps", s->layout.nr_pool);
	}
	if (!rc)
		rc = setup(s, &setup_times, e);
	if (rc) {
		kernel_session_close(s);
		return rc;
	}
	setup_times.slots_seen = s->slots_seen;
	str_copy(setup_times.slots_reason, sizeof(setup_times.slots_reason), s->slots_reason);
	*ret_setup = setup_times;
	*ret = s;
	return 0;
}
