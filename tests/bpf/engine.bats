#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Real BPF on the running kernel: every benchmark, trigger and loop form; the audit; the shape; nothing left behind.

load ../cli/lib

setup_file() {
	if ! reason=$("$LSBENCH" probe 2>&1); then
		SKIP_BPF="BPF is not allowed here: $(printf '%s' "$reason" | tail -n 1)"
		export SKIP_BPF
	fi
}

setup() {
	[ -z "${SKIP_BPF:-}" ] || skip "$SKIP_BPF"
	cd "$BATS_TEST_TMPDIR" || return 1
	out=$BATS_TEST_TMPDIR/out.jsonl
}

# Every row of $out that was measured, as "bench outcome expected audited loop trigger" lines of CSV columns.
csv_column() { # NAME: that column of every row
	"$LSBENCH" report --format csv "$out" | awk -F, -v want="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) col = i; if (!col) exit 1; next }
		{ print $col }'
}

quick() { # one short trial of each row
	"$LSBENCH" sweep -q --trials 1:1 --row-time 5ms --no-refine --json "$out" "$@" >/dev/null
}

# By id, since another lsbench may run on this machine, whose objects come and go with its trials.
programs_and_maps() {
	bpftool prog list 2>/dev/null | sed -nE 's/^([0-9]+): .* name (raw_tp|fentry|syscall)_.*/prog \1/p'
	bpftool map list 2>/dev/null | sed -nE 's/^([0-9]+): .* name (lsbench|io_map|producers|outer_).*/map \1/p'
}

# What is new since the list in the file `before` goes away: maps are freed by a worker a little later.
all_gone() {
	[ -z "$(programs_and_maps | sort | comm -12 - new)" ]
}

nothing_is_left() {
	programs_and_maps | sort | comm -13 before - >new
	wait_until 30 all_gone || fail "left behind: $(cat new)"
}

trigger_works() {
	"$LSBENCH" probe 2>/dev/null | grep -qE "^ok +trigger $1"
}

all_rows_are_sound() {
	run csv_column outcome
	[ "${#lines[@]}" -gt 0 ]
	for o in "${lines[@]}"; do [ "$o" = ok ]; done
	paste -d' ' <(csv_column miss_share) <(csv_column miss_share_audited) |
		awk '$1 != "" && $1 != $2 { d = $1 - $2; if (d < 0) d = -d; if (d > 1e-9) { print; bad = 1 } } END { exit bad }'
}

@test "bpf: storage rows in every loop form, raw_tp" {
	trigger_works raw_tp || skip "raw_tp does not work here"
	for loop in hoisted sequence single; do
		quick --trigger raw_tp --loop "$loop" --nr-maps 1,16,17,24,32 \
			--bench local-storage-cache-seq-get,local-storage-cache-int-get
		all_rows_are_sound
		[ "$(csv_column loop | sort -u)" = "$loop" ]
		[ "$(csv_column trigger | sort -u)" = raw_tp ]
	done
}

@test "bpf: storage rows in every loop form, syscall" {
	trigger_works syscall || skip "syscall programs do not work here"
	for loop in hoisted sequence single; do
		quick --trigger syscall --loop "$loop" --nr-maps 1,17,32 --bench local-storage-cache-seq-get
		all_rows_are_sound
		[ "$(csv_column trigger | sort -u)" = syscall ]
	done
}

@test "bpf: storage and hash rows through fentry" {
	trigger_works fentry || skip "fentry is refused here (lockdown?)"
	quick --trigger fentry --nr-maps 1,17,32,100 --nr-keys 10,1000 --hashmap-capacity 4096
	all_rows_are_sound
}

@test "bpf: the whole matrix: every benchmark is measured, audited and exact" {
	quick --hashmap-capacity 100000 --nr-keys 10,1000,100000
	all_rows_are_sound
	for b in seq-get int-get hashmap-control; do
		csv_column bench | grep -qx "local-storage-cache-$b"
	done
	csv_column bench | grep -qx local-storage-hit
	csv_column bench | grep -qx local-storage-miss
}

@test "bpf: several hashes in turn, own tid as the key, a random seed, only the used keys" {
	quick --bench local-storage-cache-hashmap-control --nr-keys 100 --hashmap-capacity 2000 --hashmap-key tid
	all_rows_are_sound
	quick --bench local-storage-cache-hashmap-control --nr-keys 100,1000 --hashmap-capacity 2000 --hashmap-fill used \
		--hashmap-seed random
	all_rows_are_sound
	run "$LSBENCH" run local-storage-cache-hashmap-control --nr_maps 3 --hashmap_capacity 1000 \
		--hashmap_nr_keys_used 1000 -d 1 -w 1 -q
	[ "$status" -eq 0 ]
	# The important hash is one of three. The Summary says so to three digits.
	[[ $output =~ hits\ throughput\ +([0-9.]+).*important_hits\ throughput\ +([0-9.]+) ]]
	awk -v all="${BASH_REMATCH[1]}" -v imp="${BASH_REMATCH[2]}" 'BEGIN { r = all / imp; exit !(r > 2.97 && r < 3.03) }'
}

@test "bpf: the shape: 17 maps cost more than 16, 32 twice as much, 100 twice that" {
	"$LSBENCH" sweep -q --trials 3:3 --no-refine --no-isolating --bench local-storage-cache-seq-get --nr-maps 1,16,32,100 \
		--json "$out" >/dev/null
	paste -d' ' <(csv_column nr_maps) <(csv_column gross) | awk '
		{ g[$1] = $2 }
		END { exit !(g[16] < 1.3 * g[1] && g[32] > 2 * g[16] && g[100] > 1.5 * g[32]) }'
}

@test "bpf: nothing is left behind: no map, no program, after an end, an interrupt and a kill" {
	programs_and_maps | sort >before
	quick --nr-maps 1,100 --nr-keys 10 --hashmap-capacity 1000
	"$LSBENCH" sweep -q --budget 60s --nr-maps 1,100,1000 --no-isolating --bench local-storage-cache-seq-get --json "$out" >/dev/null 2>&1 3>&- &
	pid=$!
	wait_until 20 grep -qs '"kind": "rep"' "$out.partial"
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	"$LSBENCH" sweep -q --budget 60s --nr-maps 1,100,1000 --no-isolating --bench local-storage-cache-seq-get --json "$out" >/dev/null 2>&1 3>&- &
	pid=$!
	wait_until 20 grep -qs '"kind": "rep"' "$out.partial"
	kill -KILL "$pid"
	wait "$pid" || true
	nothing_is_left
	[ -z "$(pgrep -f "$out")" ] # neither parent nor child
}

@test "bpf: a sweep right after one that closed 1000 maps has the same slots" {
	quick --bench local-storage-cache-seq-get --nr-maps 1000 --no-isolating
	quick --bench local-storage-cache-seq-get --nr-maps 1,16,17,24,32 --no-isolating
	all_rows_are_sound
	[ "$(csv_column miss_share_audited | head -n 2 | sort -u)" = 0 ]
}

@test "bpf: a hard open-file limit of 64 is refused before anything is created" {
	programs_and_maps | sort >before
	run bash -c 'ulimit -n 64; "$LSBENCH" sweep -q --nr-maps 100 --bench local-storage-cache-seq-get'
	[ "$status" -eq 4 ]
	# What the whole plan takes, not only the first try.
	[[ $output == *"limit is 64"* && $output == *"164 storage maps"* ]]
	nothing_is_left
}

@test "bpf: a hash larger than the memory is refused with both sizes" {
	run "$LSBENCH" run local-storage-cache-hashmap-control --nr_maps 1000 --hashmap_capacity 16777216 -d 1
	[ "$status" -eq 4 ]
	[[ $output == *"hashmap_capacity"* ]]
}

@test "bpf: without capabilities: exit 4, names what is missing" {
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	run setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-all "$LSBENCH" sweep -q --nr-maps 1
	[ "$status" -eq 4 ]
	[[ $output == *CAP_BPF* ]]
}

@test "bpf: run prints the in-tree bench's lines and its rates agree with its counters" {
	run "$LSBENCH" run local-storage-cache-int-get --nr_maps 16 -d 2 -w 1
	[ "$status" -eq 0 ]
	[ "$(grep -c '^Iter' <<<"$output")" -eq 4 ]
	grep -q '^Summary: hits throughput' <<<"$output"
}
