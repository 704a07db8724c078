/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few kernel types the BPF programs name, so that no build reads the running kernel or needs a kernel tree. Offsets and
 * sizes here mean nothing: preserve_access_index makes every access a CO-RE relocation that libbpf resolves
 * against the BTF of the kernel it loads into. Constants are from include/uapi/linux/bpf.h and fixed for ever.
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/linux/bpf_local_storage.h */
struct bpf_local_storage_data {
	void *smap;
	__u8 data[]; /* the value */
};
struct bpf_local_storage {
	struct bpf_local_storage_data *cache[16]; /* the real length: bpf_core_field_size() */
};
struct task_struct {
	struct bpf_local_storage *bpf_storage;
};

#pragma clang attribute pop
