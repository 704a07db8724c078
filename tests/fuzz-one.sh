#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz-one.sh PROGRAM CORPUS WORK SECONDS: one libFuzzer run as a TAP test. Inputs it finds go to WORK, never into the
# tree; a crashing one is kept there and printed, so that it can become a unit test.
set -u
program=$1 corpus=$2 work=$3 seconds=$4
name=$(basename "$program")
mkdir -p "$work/found" "$work/crash"
rm -f "$work"/crash/*
echo 1..2
set -- "$work/found"
[ -d "$corpus" ] && set -- "$@" "$corpus"
if [ -d "$corpus" ] && [ -n "$(ls -A "$corpus")" ]; then
	echo "ok 1 - $name has a corpus"
else
	echo "not ok 1 - $name has a corpus ($corpus is empty)"
fi
# -timeout: an input that takes 10 s is a finding, too. Leaks are looked for at the end of each input.
if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
	-artifact_prefix="$work/crash/" "$@" >"$work/log" 2>&1; then
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
	echo "ok 2 - $name survives ${runs:-?} inputs in $seconds s"
else
	echo "not ok 2 - $name survives $seconds s"
	tail -n 60 "$work/log" | sed 's/^/# /'
	for f in "$work"/crash/*; do
		[ -f "$f" ] && echo "# kept as $f:" && od -c "$f" | head -n 20 | sed 's/^/# /'
	done
fi
