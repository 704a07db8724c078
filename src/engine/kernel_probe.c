// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this kernel can do, asked by doing it: every map kind is created, every trigger runs a program, slots are read.
 *
 * Not obvious: libbpf's helper probe takes a refused load for "supported" when the verifier wrote no log (EPERM), so it
 * is asked only after a trivial program of the same type has loaded.
 */
#include "core/engine_probe.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "core/machine.h"
#include "core/store.h"
#include "engine/kernel_priv.h"
#include "engine/kernel_probe.h"
#include "engine/kernel_session.h"
#include "lib/cleanup.h"
#include "lib/str.h"

#define BATCH_ELEMENTS 8
#define NOT_TRIED "not tried, because bpf() calls are refused (above)"

struct probe {
	void (*emit)(void *arg, const struct check *c);
	void *arg;
	bool bpf_works; /* the simplest call went through */
};

static struct check check_new(const char *kind, const char *what)
{
	struct check c = { .verdict = CHECK_OK };

	snprintf(c.name, sizeof(c.name), "%s%s%s", kind, *kind ? " " : "", what);
	return c;
}

__attribute__((format(printf, 2, 3))) static void found(struct check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->found, sizeof(c->found), fmt, ap);
	va_end(ap);
}

static void hint(struct check *c, enum check_verdict verdict, const char *text)
{
	c->verdict = verdict;
	str_copy(c->hint, sizeof(c->hint), text);
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

void kernel_quiet_libbpf(void)
{
	libbpf_set_print(quiet);
}

/* ---- what BTF tells; needs no bpf() ---- */

static void probe_btf(struct probe *p)
{
	struct check c = check_new("", "BTF");
	struct btf *btf = btf__load_vmlinux_btf();
	__u32 size = 0;

	c.needed = true;
	if (btf) {
		btf__raw_data(btf, &size);
		found(&c, "%u types, %.1f MB", btf__type_cnt(btf) - 1, size / 1e6);
	} else {
		found(&c, "this kernel shows none: %s", strerror(errno));
		hint(&c, CHECK_NO,
		     "the programs are fitted to the kernel by BTF: boot a kernel with CONFIG_DEBUG_INFO_BTF=y "
		     "(distributions' kernels have it)");
	}
	btf__free(btf);
	p->emit(p->arg, &c);
}

static void probe_slots(struct probe *p)
{
	struct check c = check_new("", "cache slots");
	int slots = kernel_btf_slots();

	if (slots > 0) {
		found(&c, "%d for each task, from the length of bpf_local_storage.cache in BTF", slots);
	} else {
		found(&c, "BTF does not tell, 16 are assumed");
		hint(&c, CHECK_LIMITED,
		     "the place where the cliff is expected may be wrong; the measured one is right");
	}
	p->emit(p->arg, &c);
}

static void probe_inlined(struct probe *p)
{
	struct check c = check_new("", "hit path");
	int inlined = kernel_inlined_hit();

	c.verdict = CHECK_INFO;
	if (inlined < 0)
		found(&c, "inlined or a call of its own: unknown, neither BTF nor /proc/kallsyms names it");
	else if (inlined)
		found(&c, "inlined into the get (as in 6.9 and later)");
	else
		found(&c, "a function call (before 6.9): a hit costs about 15 %% more than inlined");
	p->emit(p->arg, &c);
}

/* ---- bpf() itself ---- */

static void probe_call(struct probe *p)
{
	struct check c = check_new("", "bpf() calls");
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lsbench", 4, 4, 1, NULL);

	c.needed = true;
	p->bpf_works = fd >= 0;
	if (fd >= 0) {
		found(&c, "allowed (an array map was created)");
	} else {
		kernel_explain(-fd, "creating an array map", c.found, sizeof(c.found));
		/* The explanation of EPERM says so itself. */
		hint(&c, CHECK_NO, fd == -EPERM ? "" : "`lsbench report` and `--engine fake` work without bpf()");
	}
	p->emit(p->arg, &c);
}

/* Loads "return 0" of a type that needs no more than CAP_BPF and asks whether it became machine code. -1: cannot tell. */
static int jit_by_trying(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	_cleanup_close_ int fd =
		bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "lsbench", "GPL", insns, ARRAY_SIZE(insns), NULL);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) || !info.xlated_prog_len)
		return -1;
	return info.jited_prog_len > 0;
}

static void probe_jit(struct probe *p)
{
	struct check c = check_new("", "JIT");
	struct machine m;
	int tried = p->bpf_works ? jit_by_trying() : -1;

	machine_read("", &m);
	c.needed = true;
	if (tried > 0)
		found(&c, "on: a program was compiled to machine code");
	else if (tried < 0 && m.jit > 0)
		found(&c, "on, by what the system says (no program could be loaded)");
	else if (tried == 0 || m.jit == 0)
		found(&c, "off: programs are interpreted, and bpf_loop callbacks do not load at all");
	else
		found(&c, "unknown: bpf_jit_enable cannot be read");
	if (tried == 0 || (tried < 0 && m.jit == 0))
		hint(&c, CHECK_NO, "sysctl net.core.bpf_jit_enable=1, or boot a kernel with CONFIG_BPF_JIT=y");
	else if (tried < 0 && m.jit < 0)
		hint(&c, CHECK_INFO, "");
	p->emit(p->arg, &c);
}

/* All are tried before any is told: one that fails matters only if no other works. */
static void probe_triggers(struct probe *p)
{
	struct check c[TRIGGER_NR];
	const char *first = NULL;

	for (int t = 0; t < TRIGGER_NR; t++) {
		c[t] = check_new("trigger", trigger_names[t]);
		if (!p->bpf_works) {
			found(&c[t], NOT_TRIED);
			c[t].verdict = CHECK_NO;
		} else if (kernel_try_trigger(trigger_names[t], c[t].found, sizeof(c[t].found))) {
			first = first ? first : trigger_names[t];
			found(&c[t], "a program was loaded, run and taken down again");
		} else {
			c[t].verdict = CHECK_NO;
		}
	}
	for (int t = 0; t < TRIGGER_NR; t++) {
		if (c[t].verdict == CHECK_NO && first) {
			hint(&c[t], CHECK_LIMITED, "");
			snprintf(c[t].hint, sizeof(c[t].hint), "not needed: --trigger auto takes %s", first);
		} else if (c[t].verdict == CHECK_NO && p->bpf_works) {
			c[t].needed = t == 0;
			hint(&c[t], CHECK_NO,
			     "one trigger must work; `lsbench run --trigger NAME -v` shows what the verifier said");
		}
		p->emit(p->arg, &c[t]);
	}
}

/* ---- maps ---- */

/* Local storage wants BTF of an int as key and of a value of the map's size. Type ids: 1 int, 2 char, 3 char[size]. */
static int storage_btf(__u32 value_size)
{
	struct btf *btf = btf__new_empty();
	int fd = -ENOMEM, rc;

	if (!btf)
		return fd;
	rc = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	if (rc > 0)
		rc = btf__add_int(btf, "char", 1, BTF_INT_CHAR);
	if (rc > 0)
		rc = btf__add_array(btf, 1, 2, value_size);
	if (rc > 0)
		rc = btf__load_into_kernel(btf);
	if (rc >= 0) {
		fd = fcntl(btf__fd(btf), F_DUPFD_CLOEXEC, 3); /* btf__free closes its own */
		fd = fd < 0 ? -errno : fd;
	} else {
		fd = rc;
	}
	btf__free(btf);
	return fd;
}

static int create_store(const struct store *st, char *why, size_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = st->flags);
	_cleanup_close_ int btf_fd = -1;
	char what[96];
	int fd;

	if (st->local_storage) {
		btf_fd = storage_btf(st->value_size);
		if (btf_fd < 0) {
			kernel_explain(-btf_fd, "loading the BTF of the map's value", why, size);
			return btf_fd;
		}
		opts.btf_fd = (__u32)btf_fd;
		opts.btf_key_type_id = 1;
		opts.btf_value_type_id = 3;
	}
	fd = bpf_map_create((enum bpf_map_type)st->type, "lsbench", st->key_size, st->value_size, st->max_entries,
			    &opts);
	if (fd < 0) {
		snprintf(what, sizeof(what), "creating a %s map", st->map_type + strlen("BPF_MAP_TYPE_"));
		kernel_explain(-fd, what, why, size);
	}
	return fd;
}

static void probe_map(struct probe *p, const struct store *st)
{
	struct check c = check_new("map", st->name);
	_cleanup_close_ int fd = -1;

	c.needed = st->measured;
	if (!p->bpf_works) {
		found(&c, NOT_TRIED);
		c.verdict = CHECK_NO;
		c.needed = false; /* the bpf() call itself is what fails */
		p->emit(p->arg, &c);
		return;
	}
	fd = create_store(st, c.found, sizeof(c.found));
	if (fd >= 0) {
		found(&c, "created: %s", st->summary);
	} else {
		c.verdict = st->measured ? CHECK_NO : CHECK_LIMITED;
		snprintf(c.hint, sizeof(c.hint), "this kind of map is in kernels from %s on%s%s", st->since,
			 strcmp(st->name, "inode") ? "" : ", where BPF LSM is built in",
			 st->measured ? "" : "; a sweep does not need it");
	}
	p->emit(p->arg, &c);
}

/* How long a single update and a batch of them take; 0 or -errno. */
static int time_outer_updates(double *ret_one_ms, double *ret_batch_ms)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	_cleanup_close_ int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lsbench", 4, 4, 1, NULL);
	_cleanup_close_ int outer = -1;
	__u32 keys[BATCH_ELEMENTS], fds[BATCH_ELEMENTS], n = BATCH_ELEMENTS;
	double start;
	int rc;

	if (inner < 0)
		return inner;
	opts.inner_map_fd = (__u32)inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "lsbench", 4, 4, BATCH_ELEMENTS, &opts);
	if (outer < 0)
		return outer;
	for (__u32 i = 0; i < n; i++) {
		keys[i] = i;
		fds[i] = (__u32)inner;
	}
	/* Not timed: it may meet a grace period that is about to end. */
	rc = bpf_map_update_elem(outer, &keys[0], &fds[0], BPF_ANY);
	if (rc)
		return rc;
	start = kernel_now_ms();
	rc = bpf_map_update_elem(outer, &keys[1], &fds[1], BPF_ANY);
	if (rc)
		return rc;
	*ret_one_ms = kernel_now_ms() - start;
	start = kernel_now_ms();
	rc = bpf_map_update_batch(outer, keys, fds, &n, NULL);
	*ret_batch_ms = kernel_now_ms() - start;
	return rc;
}

static void probe_batch(struct probe *p)
{
	struct check c = check_new("", "map-in-map batch");
	double one = 0, batch = 0;
	int rc = p->bpf_works ? time_outer_updates(&one, &batch) : 0;
	bool gains = batch < 1 || batch < one * BATCH_ELEMENTS / 2;

	if (!p->bpf_works) {
		found(&c, NOT_TRIED);
		c.verdict = CHECK_NO;
	} else if (rc) {
		kernel_explain(-rc, "a batch update of a map-in-map", c.found, sizeof(c.found));
		hint(&c, CHECK_LIMITED, "many threads fill the map-in-map instead");
	} else {
		found(&c, "one update takes %.1f ms, a batch of %d %.1f ms", one, BATCH_ELEMENTS, batch);
		if (!gains)
			hint(&c, CHECK_LIMITED,
			     "a batch waits for each element here: many threads fill the map-in-map instead");
	}
	p->emit(p->arg, &c);
}

/* ---- helpers ---- */

static void probe_loop(struct probe *p)
{
	static const enum bpf_prog_type types[] = { BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_SYSCALL };
	static const char *const names[] = { "raw_tp", "syscall" };
	struct check c = check_new("", "bpf_loop");
	int rc = -EPERM;

	if (!p->bpf_works) {
		found(&c, NOT_TRIED);
		c.verdict = CHECK_NO;
		p->emit(p->arg, &c);
		return;
	}
	c.needed = true;
	for (size_t i = 0; i < ARRAY_SIZE(types) && rc <= 0; i++) {
		if (libbpf_probe_bpf_prog_type(types[i], NULL) != 1)
			continue;
		rc = libbpf_probe_bpf_helper(types[i], BPF_FUNC_loop, NULL);
		if (rc == 1)
			found(&c, "the verifier knows it (in a %s program)", names[i]);
	}
	if (rc < 0) {
		c.needed = false; /* the triggers say what is wrong */
		found(&c, "could not be asked: a trivial raw_tp or syscall program does not load");
		hint(&c, CHECK_NO, "see the triggers above");
	} else if (rc == 0) {
		found(&c, "the verifier does not know it");
		hint(&c, CHECK_NO, "the timed loop is made of it: boot a kernel from 5.17 on");
	}
	p->emit(p->arg, &c);
}

static void probe_readable(struct probe *p)
{
	struct check c = check_new("", "slots readable");
	struct kernel_slots slots;
	struct err e = { 0 };

	if (!p->bpf_works) {
		found(&c, NOT_TRIED);
		c.verdict = CHECK_NO;
	} else if (kernel_see_slots(&slots, &e)) {
		str_copy(c.found, sizeof(c.found), e.msg);
		hint(&c, CHECK_NO, "see the triggers and maps above");
	} else if (!slots.seen) {
		found(&c, "%s", slots.reason[0] ? slots.reason : "the slots could not be read");
		hint(&c, CHECK_LIMITED, "a sweep assumes creation order; wait 3 s or more after another one has ended");
	} else {
		found(&c, "the slot of each of %u new maps was read; set-up took %.0f ms", slots.n, slots.setup_ms);
	}
	p->emit(p->arg, &c);
}

void kernel_probe(void (*emit)(void *arg, const struct check *c), void *arg)
{
	struct probe p = { .emit = emit, .arg = arg };

	kernel_quiet_libbpf();
	probe_btf(&p);
	probe_slots(&p);
	probe_inlined(&p);
	probe_call(&p);
	probe_jit(&p);
	probe_triggers(&p);
	for (size_t i = 0; stores[i]; i++)
		probe_map(&p, stores[i]);
	probe_batch(&p);
	probe_loop(&p);
	probe_readable(&p);
}
