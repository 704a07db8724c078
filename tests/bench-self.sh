#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench-self.sh: the acceptance measurements of the program itself on this kernel: measures with the real engine, several
# times, and sets what was found beside what was promised. Everything is computed from the results files, which stay in
# build/bench-self. Exit 0: all reached, 1: something was not, 4: this machine cannot run it.
# BENCH_SELF_SWEEPS (12): sweeps; BENCH_SELF_KEEP=1: no new measurement, judge the files that are there.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
LSBENCH=${LSBENCH:-$B/lsbench}
SWEEPS=${BENCH_SELF_SWEEPS:-12}
DIR=$B/bench-self
SEQ=local-storage-cache-seq-get
mkdir -p "$DIR"
case $SWEEPS in
'' | *[!0-9]* | 0 | 1) echo "bench-self: BENCH_SELF_SWEEPS must be a number of at least 2, not '$SWEEPS'" >&2 && exit 2 ;;
esac

# FILE OPTION...: one sweep with fixed repetitions; its wall time in ms goes to FILE.ms.
sweep() {
	local file=$1 began rc=0
	shift
	began=$(date +%s%N)
	"$LSBENCH" sweep --quiet --budget 0 --no-refine --json "$file" -o "$file.txt" "$@" 2>"$file.err" || rc=$?
	if [ "$rc" -ne 0 ]; then
		echo "bench-self: lsbench sweep $* ended with status $rc:" >&2
		cat "$file.err" >&2
		[ "$rc" -eq 1 ] || exit "$rc"
	fi
	echo $((($(date +%s%N) - began) / 1000000)) >"$file.ms"
}

measure() {
	local i began
	rm -rf "${DIR:?}"/*
	began=$(date +%s%N)
	env -u MAKEFLAGS -u MAKELEVEL "${MAKE:-make}" -s B="$DIR/clean" >/dev/null || exit 1
	echo $((($(date +%s%N) - began) / 1000000)) >"$DIR/make.ms"
	rm -rf "$DIR/clean"
	for ((i = 1; i <= SWEEPS; i++)); do
		echo "sweep $i of $SWEEPS" >&2
		sweep "$DIR/$i.jsonl" --no-isolating --trials 7:7 --seed "$i"
	done
	# One that closes 1000 maps again and again, and at once another one.
	echo "a sweep right after one that closed 1000 maps" >&2
	sweep "$DIR/before.jsonl" --bench $SEQ --nr-maps 1000 --trials 3:3
	sweep "$DIR/after.jsonl" --bench $SEQ --nr-maps 1,10,16,17,32 --trials 7:7
}

[ "${BENCH_SELF_KEEP:-}" = 1 ] || measure

# Everything as lines "SWEEP,COLUMN,..." under one header line, for awk.
table() {
	local i
	for i in $(seq "$SWEEPS") after; do
		"$LSBENCH" report --format csv "$DIR/$i.jsonl" | grep -v '^#' | sed "1s/^/sweep,/; 1!s/^/$i,/" || exit 1
	done
}
table >"$DIR/all.csv" || exit 1
{
	for i in $(seq "$SWEEPS"); do
		echo "duration,$(cat "$DIR/$i.jsonl.ms")"
		sed -n 's/.*"setup_storage_ms": *\([0-9.e+-]*\).*"setup_hash_ms": *\([0-9.e+-]*\).*/setup,\1,\2/p' <(
			grep '"kind": *"notes"' "$DIR/$i.jsonl")
	done
	echo "make,$(cat "$DIR/make.ms" 2>/dev/null)"
} >"$DIR/times.csv"

awk -v sweeps="$SWEEPS" -f tests/bench-self.awk "$DIR/times.csv" "$DIR/all.csv"
