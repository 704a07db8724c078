# SPDX-License-Identifier: GPL-2.0-or-later
# lsbench: what BPF local storage costs. `make help` lists what can be asked for.
B := build
LIB_SRC := $(wildcard src/lib/*.c src/stats/*.c src/core/*.c src/report/*.c)
REG_SRC := $(wildcard src/bench/*.c src/store/*.c src/engine/*.c src/cmd/*.c)
SRC := $(LIB_SRC) $(REG_SRC) src/main.c

include mk/config.mk
OBJ := $(SRC:src/%.c=$(O)/%.o)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help clean quickstart FORCE
# "make clean all" and "make lint check-cli" mean one after the other, although we run jobs in parallel. (The test
# driver's own builds are parallel.)
ifneq ($(filter clean check% lint,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

##@ Build
all: $(BIN)/lsbench $(BIN)/bench ## build build/lsbench (static) and its link build/bench

help: ## this list
	@awk -f mk/help.awk $(filter-out %.d,$(MAKEFILE_LIST))

clean: ## remove everything that was built (measured results in build/results stay)
	rm -rf $(filter-out $(B)/results,$(wildcard $(B)/*))

##@ Use
quickstart: ## install what is missing, build, measure this machine, show the result
	@MAKE='$(MAKE)' B='$(B)' mk/quickstart.sh

include mk/deps.mk
include mk/bpf.mk
include mk/tests.mk
include mk/install.mk

# Registries: the list of files is the list of things. Rewritten only when it changes, so that deletions are noticed.
REGISTRIES := $(addprefix $(GEN)/registry_,$(addsuffix .inc,bench store cmd))
$(REGISTRIES): $(GEN)/registry_%.inc: FORCE
	@mk/registry.sh $* $@
$(O)/bench/bench.o $(O)/store/store.o $(O)/cmd/cmd.o: $(REGISTRIES)

# Flags are a prerequisite too: objects of other flags are never linked together.
$(O)/flags: FORCE
	@mk/stamp.sh $@ '$(CC) $(ALL_CFLAGS)'
$(BIN)/linked: FORCE
	@mk/stamp.sh $@ '$(O) $(LINK_MODE) $(LDFLAGS) $(LIBS)'

$(O)/%.o: src/%.c $(O)/flags | $(GEN)/version.h
	@mkdir -p $(@D)
	$(Q_CC)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(filter $(O)/engine/%,$(OBJ)): $(GEN)/lsbench.skel.h

$(GEN)/version.h: FORCE
	@mk/version.sh $@ '$(CC)' '$(CLANG)'

$(O)/lsbench.full: $(OBJ) $(BIN)/linked
	$(Q_LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(LINK_MODE) -o $@ $(OBJ) $(LIBS)
# The sanitizer build keeps its symbols: reports with line numbers are what it is for.
$(BIN)/lsbench: $(O)/lsbench.full $(BIN)/linked
	@mkdir -p $(@D)
	$(Q_LD)$(if $(SAN),cp -f $< $@,$(STRIP) -o $@ $<)
$(BIN)/bench: $(BIN)/lsbench
	@ln -sf lsbench $@

-include $(OBJ:.o=.d)
