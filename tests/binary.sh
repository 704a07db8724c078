#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# binary.sh DIR: what is promised about the binary itself: one static file of at most 4 MB, the bench link beside it,
# and that it runs where there is nothing but itself.
set -u
dir=$1
test_nr=0
check() {
	local name=$1
	shift
	test_nr=$((test_nr + 1))
	if "$@"; then echo "ok $test_nr - $name"; else echo "not ok $test_nr - $name"; fi
}
is_static() { ! readelf -lW "$dir/lsbench" | grep -qE 'INTERP|NEEDED'; }
is_small() { [ "$(stat -c %s "$dir/lsbench")" -le $((4 * 1024 * 1024)) ]; }
is_link() { [ "$(readlink "$dir/bench")" = lsbench ]; }
runs() { "$dir/lsbench" version >/dev/null; }
is_bench() { "$dir/bench" --list | grep -q '^Available benchmarks:'; }
echo 1..5
check "static, asks for no dynamic linker" is_static
check "at most 4 MB stripped ($(stat -c %s "$dir/lsbench" 2>/dev/null) bytes)" is_small
check "bench is a link to it" is_link
check "runs" runs
check "behaves as run under its old name" is_bench
