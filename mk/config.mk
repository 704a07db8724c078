# SPDX-License-Identifier: GPL-2.0-or-later
# Tools and flags. Override on the command line: make CC=clang SAN=1 V=1
CC := gcc
CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
STRIP ?= strip
comma := ,
# Objects of each compiler and of the sanitizer and fuzzing builds stand apart.
O := $(B)/obj-$(notdir $(firstword $(CC)))$(if $(SAN),-san)$(if $(FUZZ),-fuzz)
GEN := $(B)/gen
# Where the program goes: build/ for the one people use, beside its objects for the sanitizer build.
BIN := $(if $(SAN),$(O)/bin,$(B))
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Werror
SANITIZE := address$(comma)undefined$(if $(FUZZ),$(comma)fuzzer-no-link)
# Instrumented code makes gcc see truncations and uses of unset values that are not there: the plain builds are the judge.
SANFLAGS := $(if $(SAN)$(FUZZ),-Wno-error -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -DSANITIZED=1)
ALL_CFLAGS = -std=gnu17 $(CFLAGS) $(WARN) $(SANFLAGS) -D_GNU_SOURCE -Isrc -I$(GEN) -pthread
LIBS := -lbpf -lelf -lz -ljansson -lRmath -lm
# A sanitizer's run-time library cannot be linked statically.
LINK_MODE := $(if $(SAN)$(FUZZ),,-static)
V ?= 0
# Not a word with make -s, the command with V=1, else a line a file.
ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
Q_CC = @
Q_LD = @
Q_BPF = @
else ifeq ($(V),0)
Q_CC = @echo "  CC    $@";
Q_LD = @echo "  LINK  $@";
Q_BPF = @echo "  BPF   $@";
MAKEFLAGS += --no-print-directory
endif
MAKEFLAGS += --no-builtin-rules --no-builtin-variables
# As many jobs as CPUs unless the caller says otherwise; a sub-make has its caller's.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
