# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 12 packages. Building needs no kernel tree and no kernel headers; running needs nothing (static binary).
BUILD_PACKAGES := gcc libc6-dev make clang bpftool libbpf-dev libelf-dev zlib1g-dev libjansson-dev r-mathlib
TEST_PACKAGES := libcmocka-dev bats libclang-rt-dev cppcheck clang-tidy clang-format shellcheck mandoc util-linux

.PHONY: deps deps-test
##@ Build
deps: ## install what a build needs (Debian 12; says what before it does)
	@mk/deps.sh "building" $(BUILD_PACKAGES)

##@ Tests
deps-test: ## install what the tests and lint need
	@mk/deps.sh "building and testing" $(BUILD_PACKAGES) $(TEST_PACKAGES)
