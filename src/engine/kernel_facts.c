// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about the kernel that need no program: how many slots, is the hit path inlined, which maps do others hold. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "core/engine_probe.h"
#include "core/machine.h"
#include "core/results.h"
#include "engine/kernel_priv.h"
#include "lib/cleanup.h"

#define MAP_TYPE_CGRP_STORAGE 32 /* BPF_MAP_TYPE_CGRP_STORAGE, 6.2: newer than the headers of Debian 12 */

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

/*
 * Commit 68bc61c26cac (6.9) made bpf_local_storage_lookup a static inline whose rare part, taking the slot, became a
 * function of its own. So which of the two names exists tells which kernel this is, whatever its version says.
 */
static const char outlined_insert[] = "__bpf_local_storage_insert_cache",
		  outlined_lookup[] = "bpf_local_storage_lookup";

static int inlined_from_btf(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int inlined = -1;

	if (btf && btf__find_by_name_kind(btf, outlined_insert, BTF_KIND_FUNC) > 0)
		inlined = 1;
	else if (btf && btf__find_by_name_kind(btf, outlined_lookup, BTF_KIND_FUNC) > 0)
		inlined = 0;
	btf__free(btf);
	return inlined;
}

/* The names are there for everyone, only the addresses are hidden. */
static int inlined_from_kallsyms(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024], name[256];
	int inlined = -1;

	while (f && inlined != 1 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %*s %255s", name) != 1)
			continue;
		if (!strcmp(name, outlined_insert))
			inlined = 1;
		else if (!strcmp(name, outlined_lookup))
			inlined = 0;
	}
	return inlined;
}

int kernel_inlined_hit(void)
{
	int inlined = inlined_from_btf();

	return inlined >= 0 ? inlined : inlined_from_kallsyms();
}

static void count_map(__u32 type, struct foreign_maps *f)
{
	switch (type) {
	case BPF_MAP_TYPE_TASK_STORAGE:
		f->task++;
		break;
	case MAP_TYPE_CGRP_STORAGE:
		f->cgrp++;
		break;
	case BPF_MAP_TYPE_INODE_STORAGE:
		f->inode++;
		break;
	case BPF_MAP_TYPE_SK_STORAGE:
		f->sk++;
		break;
	default:
		break;
	}
}

void kernel_count_foreign(struct foreign_maps *ret)
{
	static const struct foreign_maps unknown = { -1, -1, -1, -1 };
	struct foreign_maps f = { 0 };
	__u32 id = 0;

	*ret = unknown;
	while (bpf_map_get_next_id(id, &id) == 0) {
		struct bpf_map_info info = { 0 };
		__u32 len = sizeof(info);
		_cleanup_close_ int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0 && errno == ENOENT) /* closed in between */
			continue;
		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
			return;
		count_map(info.type, &f);
	}
	if (errno == ENOENT) /* the end of the list */
		*ret = f;
}

static int count_programs(void)
{
	__u32 id = 0;
	int n = 0;

	while (bpf_prog_get_next_id(id, &id) == 0)
		n++;
	return errno == ENOENT ? n : -1;
}

void kernel_probe_machine(struct machine *m, int *ret_programs)
{
	libbpf_set_print(NULL); /* what it has to say is in our own checks */
	*ret_programs = count_programs();
	m->slots = kernel_btf_slots();
	m->inlined_hit = kernel_inlined_hit();
	kernel_count_foreign(&m->foreign);
}
