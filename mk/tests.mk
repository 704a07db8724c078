# SPDX-License-Identifier: GPL-2.0-or-later
# What can be tested. The driver tests/run-all.sh calls back for the binaries of each tier and counts every single test.
FUZZ_SECONDS ?= 15
export FUZZ_SECONDS

# Everything but main() as an archive: a test program takes from it what it names.
$(O)/liblsbench.a: $(filter-out $(O)/main.o,$(OBJ))
	@rm -f $@
	@ar rcs $@ $^

UNIT := $(patsubst tests/unit/%.c,$(O)/unit/%,$(wildcard tests/unit/test_*.c))
# cmocka is a shared library only, so tests link dynamically.
$(UNIT): $(O)/unit/%: tests/unit/%.c tests/unit/unit.h $(O)/liblsbench.a
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(ALL_CFLAGS) -Itests/unit -MMD -MP -MF $@.d -o $@ $< $(O)/liblsbench.a -lcmocka $(LIBS)

FUZZERS := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
$(FUZZERS): $(O)/fuzz/%: tests/fuzz/%.c $(O)/liblsbench.a
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(filter-out -Wmissing-prototypes,$(ALL_CFLAGS)) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< \
		$(O)/liblsbench.a $(LIBS)
-include $(addsuffix .d,$(UNIT) $(FUZZERS))

.PHONY: check check-unit check-cli check-bpf check-fuzz check-compilers lint format bench-self unit-programs fuzz-programs
##@ Tests
# "make check-cli check-bpf": one after the other, they share a folder for what they say. The driver's own builds have jobs.
ifneq ($(filter check check-% lint,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
# The driver calls make itself; it must not inherit our job server through a pipe it does not know.
RUN_ALL = @env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS B='$(B)' MAKE='$(MAKE)' tests/run-all.sh
check: deps-test ## everything below; the last line counts: N passed, N failed
	$(RUN_ALL) lint compilers unit cli bpf fuzz
check-unit: ## unit tests, plain and with ASan + UBSan
	$(RUN_ALL) unit
check-cli: ## command-line tests on the fake engine, plain and with ASan + UBSan
	$(RUN_ALL) cli
check-bpf: ## tests that load BPF programs into this kernel (root; skipped by reason elsewhere)
	$(RUN_ALL) bpf
check-fuzz: ## each fuzzer for FUZZ_SECONDS (15) from its corpus
	$(RUN_ALL) fuzz
check-compilers: ## gcc and clang both build everything without a warning; static and <= 4 MB
	$(RUN_ALL) compilers
lint: ## format, layers, banned calls, shellcheck, cppcheck, clang-tidy, man page, sizes
	$(RUN_ALL) lint
format: ## rewrite the C files as .clang-format says
	clang-format -i $(shell find src tests -name '*.[ch]')
bench-self: $(BIN)/lsbench ## the acceptance measurements on this kernel, about 10 minutes (BENCH_SELF_SWEEPS=12)
	@LSBENCH=$(BIN)/lsbench B='$(B)' tests/bench-self.sh

# For the driver.
unit-programs: $(UNIT)
fuzz-programs: $(FUZZERS)
