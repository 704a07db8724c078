# SPDX-License-Identifier: GPL-2.0-or-later
# One linked BPF object and its skeleton. vmlinux/ holds the few kernel types the programs name (CO-RE): no build
# reads the running kernel. -g gives BTF; DWARF is stripped.
# storage.bpf.c defines the maps that the others declare extern: it comes first.
BPF_SRC := src/bpf/storage.bpf.c $(filter-out src/bpf/storage.bpf.c,$(wildcard src/bpf/*.bpf.c))
BPF_OBJ := $(BPF_SRC:src/bpf/%.bpf.c=$(GEN)/%.bpf.o)
BPF_CFLAGS := -target bpf -mcpu=v3 -g -O2 -Wall -Wextra -Wno-unused-parameter -Werror -Isrc -Ivmlinux
$(BPF_OBJ): $(GEN)/%.bpf.o: src/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(Q_BPF)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<
$(GEN)/lsbench.bpf.o: $(BPF_OBJ)
	$(Q_BPF)$(BPFTOOL) gen object $@ $(BPF_OBJ) >/dev/null
$(GEN)/lsbench.skel.h: $(GEN)/lsbench.bpf.o
	$(Q_BPF)$(BPFTOOL) gen skeleton $< name lsbench >$@
-include $(BPF_OBJ:.o=.d)
