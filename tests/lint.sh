#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lint.sh [NAME...]: every rule of the house as one TAP test with what it found. With names only those.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
JOBS=$(nproc)
shopt -s nullglob globstar
C_FILES=(src/**/*.[ch] tests/**/*.[ch])
USER_C=()
for f in src/**/*.c; do [[ $f == src/bpf/* ]] || USER_C+=("$f"); done
SHELL_FILES=(mk/*.sh tests/**/*.sh tests/**/*.bash .ci/run)
CFLAGS=(-std=gnu17 -D_GNU_SOURCE -Isrc "-I$B/gen" -Itests/unit -pthread)

lint_format() {
	printf '%s\0' "${C_FILES[@]}" | xargs -0 -n 8 -P "$JOBS" clang-format --dry-run -Werror
}

lint_layers() {
	mk/layers.sh
}

lint_headers_alone() {
	local h rc=0
	for h in src/**/*.h; do
		case $h in
		# abi.h says so: the includer brings __u32.
		*/abi.h) printf '#include <linux/types.h>\n#include "%s"\n' "${h#src/}" | gcc "${CFLAGS[@]}" -Wall -Werror -x c -fsyntax-only - || rc=1 ;;
		src/bpf/*) printf '#include "%s"\n' "${h#src/}" | clang -target bpf -g -O2 -Isrc -Ivmlinux -x c -fsyntax-only - || rc=1 ;;
		*) printf '#include "%s"\n' "${h#src/}" | gcc "${CFLAGS[@]}" -Wall -Werror -x c -fsyntax-only - || rc=1 ;;
		esac
	done
	return $rc
}

# What is written to at run time must be passed, not kept: objects in .data and .bss below cmd/.
lint_no_mutable_state() {
	local o rc=0 found
	"${MAKE:-make}" -s "$B/obj-gcc/liblsbench.a" || return 1
	for o in "$B"/obj-gcc/{lib,stats,core,bench,store,report,engine}/*.o; do
		found=$(objdump -t "$o" | awk '$3 == "O" || $2 == "O" || $4 == "O" {
			for (i = 2; i <= NF; i++) if ($i ~ /^\.(data|bss|tdata|tbss)/ && $i !~ /^\.data\.rel\.ro/) print $NF }')
		[ -z "$found" ] || { echo "$o: mutable state: $found" && rc=1; }
	done
	return $rc
}

lint_shellcheck() {
	local bats=(tests/**/*.bats)
	shellcheck -x "${SHELL_FILES[@]}" && { [ ${#bats[@]} -eq 0 ] || shellcheck -S warning -e SC2154,SC2034 "${bats[@]}"; }
}

# Without the generated skeleton, whose bytes take it minutes.
lint_cppcheck() {
	cppcheck -q -j "$JOBS" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppressions-list=tests/cppcheck.txt -D_GNU_SOURCE -D__linux__ -D__x86_64__ \
		--include=tests/cppcheck.h -Isrc "${USER_C[@]}"
}

lint_clang_tidy() {
	"${MAKE:-make}" -s "$B/gen/lsbench.skel.h" "$B/obj-gcc/liblsbench.a" || return 1
	# shellcheck disable=SC2016 # the inner shell expands it
	# clang-tidy has a line of its own for what it left out; only findings are wanted.
	printf '%s\0' "${USER_C[@]}" | xargs -0 -n 4 -P "$JOBS" sh -c '
		out=$(clang-tidy --quiet "$@" -- '"${CFLAGS[*]}"' 2>&1) && exit 0
		printf "%s\n" "$out" | grep -vE "^[0-9]+ warnings? |^Suppressed|^Use -"
		exit 1' tidy
}

lint_man() {
	local out
	out=$(mandoc -T lint -W warning docs/lsbench.1 2>&1)
	[ -z "$out" ] || { echo "$out" && return 1; }
}

# Files that grow past this are two things.
lint_sizes() {
	local f n rc=0
	for f in "${C_FILES[@]}" "${SHELL_FILES[@]}" tests/**/*.bats Makefile mk/*; do
		n=$(wc -l <"$f")
		[ "$n" -le 600 ] || { echo "$f: $n lines (limit 600)" && rc=1; }
		[[ $f == *.[ch] ]] || continue
		# A text is not broken for the margin: then grep would not find what a user quotes.
		expand -t 8 "$f" | LC_ALL=C.UTF-8 grep -nE '^[^"]{121,}$' | cut -c1-60 |
			sed "s|^|$f:|; s|\$|... is longer than 120 columns|" | grep . && rc=1
	done
	return $rc
}

lint_headings() {
	local f rc=0
	for f in "${C_FILES[@]}" "${SHELL_FILES[@]}" tests/**/*.bats mk/* Makefile; do
		head -n 2 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || { echo "$f: no SPDX line" && rc=1; }
	done
	# Spelt apart here, so that this file is not found.
	grep -nE '\b(TO''DO|FIX''ME|XX''X)\b' -r src tests mk docs README.md CONTRIBUTING.md && rc=1
	return $rc
}

# What the documents name must be there: files, and `make` targets.
lint_documents() {
	local doc f t rc=0
	for doc in README.md CONTRIBUTING.md docs/*.md docs/**/*.md; do
		while read -r f; do
			[ -e "$(dirname "$doc")/$f" ] || { echo "$doc: links to $f, which is not there" && rc=1; }
		done < <(grep -oE '\]\([^)#]+' "$doc" | cut -c3- | grep -vE '^https?:')
		while read -r t; do
			grep -qE "^$t:|^\.PHONY:.* $t( |\$)" Makefile mk/*.mk || { echo "$doc: no such target: make $t" && rc=1; }
		done < <(grep -oE '`make [a-z][a-z-]+' "$doc" | cut -d' ' -f2 | sort -u)
	done
	return $rc
}

ALL=(format layers headers_alone no_mutable_state shellcheck cppcheck clang_tidy man sizes headings documents)
[ $# -gt 0 ] || set -- "${ALL[@]}"
echo "1..$#"
nr=0
for name in "$@"; do
	nr=$((nr + 1))
	began=$SECONDS
	if out=$("lint_$name" 2>&1); then
		echo "ok $nr - $name"
	else
		echo "not ok $nr - $name"
		head -n 120 <<<"$out" | sed 's/^/# /'
	fi
	echo "# $name took $((SECONDS - began)) s" >&2
done
