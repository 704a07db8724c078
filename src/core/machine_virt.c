// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does this kernel run in a virtual machine, and in which.
 *
 * On x86 the "hypervisor" CPU flag decides and the rest only names it: makers of clouds put their name into DMI of
 * machines without a hypervisor too. Elsewhere there is no such flag, and DMI or the device tree decides.
 */
#include <string.h>

#include "core/machine_priv.h"
#include "lib/cleanup.h"
#include "lib/str.h"

struct name {
	const char *text, *virt;
};

/* Beginnings of /sys/class/dmi/id texts. */
static const struct name dmi_names[] = {
	{ "KVM", "kvm" },
	{ "OpenStack", "kvm" },
	{ "Amazon EC2", "amazon" },
	{ "QEMU", "qemu" },
	{ "VMware", "vmware" },
	{ "VMW", "vmware" },
	{ "innotek GmbH", "virtualbox" },
	{ "VirtualBox", "virtualbox" },
	{ "Xen", "xen" },
	{ "HVM domU", "xen" },
	{ "Bochs", "bochs" },
	{ "Parallels", "parallels" },
	{ "BHYVE", "bhyve" },
	{ "Hyper-V", "hyperv" },
	{ "Virtual Machine", "hyperv" },
	{ "Google Compute Engine", "google" },
	{ "Apple Virtualization", "apple" },
};

/* The host says which clock it offers, more surely than DMI: QEMU's DMI is the same with and without KVM. */
static const struct name clock_names[] = {
	{ "kvm-clock", "kvm" },
	{ "hyperv_clocksource", "hyperv" },
	{ "xen", "xen" },
};

static const struct name tree_names[] = {
	{ "linux,kvm", "kvm" },		{ "xen,xen", "xen" },	    { "vmware", "vmware" },
	{ "linux,dummy-virt", "qemu" }, { "riscv-virtio", "qemu" }, { "qemu", "qemu" },
};

struct flags {
	bool seen, hypervisor;
};

static bool take_flags(void *arg, char *text)
{
	struct flags *f = arg;
	char *rest = text, *word;

	if (strncmp(text, "flags", 5) || !strchr(text, ':'))
		return true;
	f->seen = true;
	while ((word = strsep(&rest, " \t")))
		f->hypervisor |= !strcmp(word, "hypervisor");
	return false;
}

static const char *find_anywhere(const char *text, const struct name *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, names[i].text))
			return names[i].virt;
	return NULL;
}

static const char *from_dmi(const char *root, bool *ret_readable)
{
	/* bios_vendor names the hypervisor where a cloud has put its own name everywhere else. */
	static const char *const files[] = { "/sys/class/dmi/id/product_name", "/sys/class/dmi/id/sys_vendor",
					     "/sys/class/dmi/id/board_vendor", "/sys/class/dmi/id/bios_vendor" };
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!machine_first_line(root, files[i], text, sizeof(text)))
			continue;
		*ret_readable = true;
		/* Amazon's machines without a hypervisor: c7g.metal */
		if (i == 0 && strstr(text, ".metal"))
			return NULL;
		for (size_t k = 0; k < ARRAY_SIZE(dmi_names); k++)
			if (!strncmp(text, dmi_names[k].text, strlen(dmi_names[k].text)))
				return dmi_names[k].virt;
	}
	return NULL;
}

static const char *from_device_tree(const char *root, bool *ret_readable)
{
	char text[512];

	if (machine_first_line(root, "/proc/device-tree/hypervisor/compatible", text, sizeof(text))) {
		const char *virt = find_anywhere(text, tree_names, ARRAY_SIZE(tree_names));

		return virt ? virt : "vm-other";
	}
	if (machine_exists(root, "/proc/device-tree/ibm,partition-name") &&
	    machine_exists(root, "/proc/device-tree/hmc-managed?"))
		return "powervm";
	if (!machine_first_line(root, "/proc/device-tree/compatible", text, sizeof(text)))
		return NULL;
	*ret_readable = true;
	return find_anywhere(text, tree_names, ARRAY_SIZE(tree_names));
}

static const char *from_sys_hypervisor(const char *root)
{
	char text[64];

	if (!machine_first_line(root, "/sys/hypervisor/type", text, sizeof(text)))
		return NULL;
	return strcmp(text, "xen") ? "vm-other" : "xen";
}

void machine_read_virt(const char *root, struct machine *m)
{
	bool readable = false;
	struct flags flags = { 0 };
	char clocks[256];
	const char *virt = from_sys_hypervisor(root);

	machine_each_line(root, "/proc/cpuinfo", take_flags, &flags);
	machine_first_line(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource", clocks,
			   sizeof(clocks));
	if (!virt && flags.seen && !flags.hypervisor)
		virt = "none";
	if (!virt)
		virt = find_anywhere(clocks, clock_names, ARRAY_SIZE(clock_names));
	if (!virt)
		virt = from_dmi(root, &readable);
	if (!virt)
		virt = from_device_tree(root, &readable);
	if (!virt && flags.hypervisor)
		virt = "vm-other";
	if (!virt && readable)
		virt = "none";
	str_copy(m->virt, sizeof(m->virt), virt ? virt : "");
}
