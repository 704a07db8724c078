# SPDX-License-Identifier: GPL-2.0-or-later
# `lsbench run` on the fake engine: the lines that scripts parse, refusals, signals, what is kept.

load lib

SEQ=local-storage-cache-seq-get
INT=local-storage-cache-int-get
HASH=local-storage-cache-hashmap-control

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	# 10 ns a get: 100 M/s
	echo '{"gross": 10, "overhead": 0.5, "real_time": true}' >plain
}

# The script's further lines come from the arguments.
script() {
	printf '%s\n' '{"gross": 10, "overhead": 0.5, "real_time": true}' "$@" >script
}

fake() {
	lsbench run --engine fake --script "${SCRIPT-plain}" "$@"
}

# Starts one in the background: $pid, its streams in out and err.
start() {
	"$LSBENCH" run --engine fake --script "${SCRIPT-plain}" "$@" >out 2>err 3>&- &
	pid=$!
}

# Sends the signal and waits; $status, $took_ms.
stop() {
	local before after
	before=$(date +%s%N)
	kill "-$1" "$pid"
	status=0
	wait "$pid" || status=$?
	after=$(date +%s%N)
	took_ms=$(((after - before) / 1000000))
	output=$(cat out)
	# shellcheck disable=SC2034 # assert_err reads it
	stderr=$(cat err)
}

ITER='Iter +[0-9]+ \( *-?[0-9]+\.[0-9]{3}us\): hits +[0-9]+\.[0-9]{3}M/s important_hits +[0-9]+\.[0-9]{3}M/s'
SUMMARY='Summary: hits throughput +[0-9.]+ ± +?[0-9.]+ M ops/s, hits latency +[0-9.]+ ns/op, important_hits throughput +[0-9.]+ ± +?[0-9.]+ M ops/s'

@test "run: the lines of the kernel's bench, in its order and number" {
	fake -w 1 -d 2 --nr_maps 10 "$SEQ"
	assert_status 0
	[ "${lines[0]}" = "Setting up benchmark '$SEQ'..." ] || fail "first line"
	[ "${lines[1]}" = "Benchmark '$SEQ' started." ] || fail "second line"
	# warm-up + duration + 1
	for i in 0 1 2 3; do
		[[ ${lines[i + 2]} == "Iter   $i ("* ]] || fail "line $((i + 2)) is not Iter $i"
		grep -qxE "$ITER" <<<"${lines[i + 2]}" || fail "form of: ${lines[i + 2]}"
	done
	grep -qxE "$SUMMARY" <<<"${lines[6]}" || fail "form of: ${lines[6]}"
	[ "${#lines[@]}" -eq 7 ] || fail "${#lines[@]} lines"
}

@test "run: rate, latency and important hits agree with each other" {
	fake -q -w 1 -d 1 --nr_maps 10 "$SEQ"
	assert_status 0
	# never faster than what a batch says, and the sleep of the fake engine costs little
	awk '{ r = $4; for (i = 1; i <= NF; i++) { if ($i == "latency") l = $(i + 1); if ($i == "important_hits") m = $(i + 2) }
		exit !(r > 20 && r <= 100.001 && l * r > 999 && l * r < 1001 && m * 10 > r * 0.99 && m * 10 < r * 1.01) }' <<<"$output" ||
		fail "figures"
}

@test "run: the sed lines of the published script find their figures" {
	fake -w 1 -d 1 -p 2 --nr_maps 10 "$INT"
	assert_status 0
	[[ $(sed -E 's/.* hits throughput\s+([0-9]+\.[0-9]+ ± [0-9]+\.[0-9]+\sM\sops\/s).*/\1/' <<<"$(echo "$output")" | tail -n 1) =~ ^[0-9.]+\ ±\ [0-9.]+\ M\ ops/s$ ]] ||
		fail "hits throughput"
	[ "$(grep -c ' hits throughput' <<<"$output")" -eq 1 ] || fail "another line has ' hits throughput'"
	[ "$(grep -c ' hits latency' <<<"$output")" -eq 1 ] || fail "another line has ' hits latency'"
	[ "$(grep -c 'important_hits throughput' <<<"$output")" -eq 1 ] || fail "another line has important_hits throughput"
	[[ ${lines[-1]} == Summary:* ]] || fail "the Summary is not the last line"
}

@test "run: several producers have lines of their own, which -q leaves out" {
	fake -w 1 -d 1 -p 2 --nr_maps 10 "$SEQ"
	assert_status 0
	assert_out_line 'Producer +0 \(any CPU\): +[0-9.]+ ± +?[0-9.]+ M hits/s, important +[0-9.]+ ± +?[0-9.]+ M hits/s'
	assert_out_line 'Producer +1 \(any CPU\): .*'
	# the latency is one producer's, the rate that of both
	awk '/^Summary/ { for (i = 1; i <= NF; i++) if ($i == "latency") l = $(i + 1); exit !($4 > 40 && l * $4 > 1998 && l * $4 < 2002) }' \
		<<<"$output" || fail "figures"
}

@test "run: -q prints the Summary line only" {
	fake --quiet -w1 -d1 -p 2 "$SEQ"
	assert_status 0
	[ "${#lines[@]}" -eq 1 ] || fail "more than one line"
	assert_out_line "$SUMMARY"
}

@test "run: build/bench is the same command" {
	bench -q -w 1 -d 1 --engine fake --script plain --nr-maps 16 "$SEQ"
	assert_status 0
	assert_out_line "$SUMMARY"
}

@test "run: --list prints names and nothing else is needed" {
	lsbench run --list
	assert_status 0
	[ "${lines[0]}" = "Available benchmarks:" ] || fail "first line"
	assert_out_line "- $SEQ"
	assert_out_line "- $INT"
	assert_out_line "- $HASH"
	bench -l
	assert_status 0
	assert_out_line "- $SEQ"
}

@test "run: --help names every option within 80 columns" {
	lsbench run --help
	assert_status 0
	for o in --list --duration --warmup --producers --consumers --affinity --prod-affinity --cons-affinity --verbose --quiet \
		--nr_maps --hashmap_nr_keys_used --hashmap_capacity --list_len --json --cpu --trigger; do
		assert_out "$o"
	done
	[ "$(wc -L <<<"$output")" -le 80 ] || fail "a line is longer than 80 columns"
}

@test "run: NULL results are shown and are no hits" {
	script '{"nulls": 500000}'
	SCRIPT=script fake -w 1 -d 1 "$SEQ"
	assert_status 0
	assert_out_line 'NULL results: [0-9]+ of [0-9]+ gets \([0-9.]+ %\); they are not hits'
	SCRIPT=script fake -q -w 1 -d 1 "$SEQ"
	assert_status 0
	[ "${#lines[@]}" -eq 1 ] || fail "-q prints more than the Summary"
	assert_err "NULL results"
}

@test "run: no hits, no latency" {
	script '{"nulls": 100000000}'
	SCRIPT=script fake -q -w 1 -d 1 --json r.json "$SEQ"
	assert_status 0
	assert_out "no latency: no hits"
	refute_out "hits latency"
	refute_out nan
	refute_out inf
	grep -q '"kind": "rep".*"gross": null' r.json || fail "the file has a figure"
}

@test "run: --json keeps one repetition that report reads" {
	fake -q -w 1 -d 1 --nr_maps 24 --json r.json "$SEQ"
	assert_status 0
	[ "$(grep -c '"kind": "rep"' r.json)" -eq 1 ] || fail "not one repetition"
	grep -q '"kind": "rep".*"nr_maps": 24.*"trial": 0.*"gross": \(10\|9\.99\|10\.0\)' r.json || fail "gross is not what the batches say"
	grep -q '"overhead": \(0\.5\|0\.49999\|0\.50000\)' r.json || fail "overhead"
	grep -q '"kind": "end".*"exit": 0' r.json || fail "no end line"
	[ ! -e r.json.partial ] || fail "the partial file is still there"
	lsbench report --format csv r.json
	assert_status 0
	assert_out "$SEQ"
}

@test "run: an unsupported benchmark is named with its reason and is no failure" {
	script '{"unsupported": "this kernel has no task storage"}'
	SCRIPT=script fake --json r.json "$SEQ"
	assert_status 0
	assert_err "$SEQ is not supported here: this kernel has no task storage"
	refute_out Summary
	grep -q '"outcome": "unsupported"' r.json || fail "not in the file"
}

@test "run: what the machine cannot do is exit 4, what breaks is exit 1" {
	script '{"at": "setup", "class": "machine", "errno": "EPERM", "message": "no CAP_BPF here"}'
	SCRIPT=script fake --json r.json "$SEQ"
	assert_status 4
	assert_err "no CAP_BPF here"
	[ ! -e r.json ] && [ ! -e r.json.partial ] || fail "a file without a result"
	script '{"at": "enter", "errno": "ENOMEM", "message": "no storage for the thread"}'
	SCRIPT=script fake -p 2 "$SEQ"
	assert_status 1
	assert_err "no storage for the thread"
	refute_out started
	script '{"at": "batch", "errno": "EIO", "message": "the program broke"}'
	SCRIPT=script fake --json r.json "$SEQ"
	assert_status 1
	assert_err "the program broke"
	refute_out Summary
	grep -q '"outcome": "failed"' r.json || fail "not in the file"
}

@test "run: a result that does not add up is invalid and has no Summary" {
	script '{"uncounted": 3}'
	SCRIPT=script fake --json r.json "$SEQ"
	assert_status 1
	assert_err "do not add up"
	refute_out Summary
	grep -q '"outcome": "invalid"' r.json || fail "not in the file"
	script '{"visits_match": false}'
	SCRIPT=script fake -w 1 -d 1 "$SEQ"
	assert_status 1
	assert_err "invalid"
	refute_out Summary
}

@test "run: whole numbers only, each refusal names option, value and range" {
	for v in 0 1001 10abc '' -5 99999999999999999999 ' 5' 1.5; do
		fake --nr_maps "$v" "$SEQ"
		assert_refused 2 --nr_maps "'$v'" "1 to 1000" || return 1
	done
	for o in -d -w -p; do
		for v in 0 x '' -1 1.5; do
			fake "$o" "$v" "$SEQ"
			assert_refused 2 "$o" "'$v'" "1 to" || return 1
		done
	done
	fake --hashmap_nr_keys_used 4194305 "$HASH"
	assert_refused 2 --hashmap_nr_keys_used "'4194305'" "1 to 4194304"
	fake --hashmap-nr-keys-used 100 --hashmap_capacity 50 "$HASH"
	assert_refused 2 hashmap_nr_keys_used 100 50
	fake --hashmap_fill some "$HASH"
	assert_refused 2 --hashmap_fill "'some'" all used
}

@test "run: an option of another benchmark is refused by name" {
	fake --hashmap_nr_keys_used 10 "$SEQ"
	assert_refused 2 "--hashmap_nr_keys_used is an option of $HASH" "$SEQ has --nr_maps"
	fake "$HASH" --list-len 3
	assert_refused 2 "--list_len is an option of local-storage-hit, local-storage-miss" "$HASH has --hashmap_nr_keys_used"
	# the same name in two benchmarks
	fake -q -w 1 -d 1 "$HASH" --nr_maps 3
	assert_status 0
}

@test "run: more producers than there is room for: option, value, range" {
	fake -p 65 "$SEQ"
	assert_refused 2 "-p: '65'" "1 to 64"
}

@test "run: unknown words are refused with the nearest name" {
	fake local-storage-cache-seq-gte
	assert_refused 2 "unknown benchmark 'local-storage-cache-seq-gte'" "did you mean '$SEQ'"
	fake --nr_mpas 5 "$SEQ"
	assert_refused 2 "unknown option '--nr_mpas' of lsbench run" "did you mean '--nr_maps'"
	fake
	assert_refused 2 "run which benchmark?" "--list"
	fake "$SEQ" "$INT"
	assert_refused 2 "$INT" "one benchmark too many"
	fake --dur 5 "$SEQ"
	assert_refused 2 "unknown option '--dur'"
	fake "$SEQ" --nr-maps
	assert_refused 2 "--nr_maps" "needs a value"
}

@test "run: consumers are refused, none is fine" {
	fake -c 1 "$SEQ"
	assert_refused 2 "--consumers" "$SEQ has no consumers"
	fake -q -c 0 -w 1 -d 1 "$SEQ"
	assert_status 0
}

@test "run: CPUs that may not be used are refused by number" {
	local cpu
	cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
	for o in --prod-affinity --cons_affinity; do
		fake "$o" "$cpu,8191" "$SEQ"
		assert_refused 2 "${o//_/-}" "CPU 8191" "it may use" || return 1
		fake "$o" 3-1 "$SEQ"
		assert_refused 2 "${o//_/-}" "reversed" || return 1
		fake "$o" "" "$SEQ"
		assert_refused 2 "${o//_/-}" "empty" || return 1
	done
	fake --cpu 8191 "$SEQ"
	assert_refused 2 --cpu "CPU 8191"
	fake --prod-affinity "$cpu" -p 2 "$SEQ"
	assert_refused 2 "--prod-affinity" "1 CPUs for 2 producers"
	fake --cpu "$cpu" -a "$SEQ"
	assert_refused 2 --cpu --affinity
	fake --cpu "$cpu" -p 2 "$SEQ"
	assert_refused 2 --cpu --prod-affinity
	run_apart taskset -c "$cpu" "$LSBENCH" run --engine fake --script plain -a -p 2 "$SEQ"
	assert_refused 2 --affinity "2 producers" "may use 1"
}

@test "run: producers are pinned where they are told to" {
	local cpu
	cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
	fake -q -w 1 -d 1 --prod_affinity "$cpu" --json r.json "$SEQ"
	assert_status 0
	grep -q "\"kind\": \"rep\".*\"cpu\": $cpu," r.json || fail "not pinned to $cpu"
	fake -q -w 1 -d 1 -a --json r.json "$SEQ"
	assert_status 0
	grep -q "\"kind\": \"rep\".*\"cpu\": $cpu," r.json || fail "not pinned to the first allowed CPU"
}

@test "run: SIGINT and SIGTERM keep what was counted and stop within a second" {
	for pair in INT:130 TERM:143; do
		start -w 1 -d 1000 --json r.json "$SEQ"
		wait_until 10 grep -q '^Iter   2' out || fail "no third second"
		stop "${pair%:*}"
		assert_status "${pair#*:}" || return 1
		[ "$took_ms" -lt 1000 ] || fail "took $took_ms ms"
		assert_out_line "$SUMMARY" || return 1
		assert_err "stopped by SIG${pair%:*} after 2 of 1001 counted seconds" || return 1
		[ "$(grep -c '"kind": "rep"' r.json)" -eq 1 ] || fail "the repetition is not kept"
		! grep -q '"kind": "end"' r.json || fail "the file looks whole"
		rm r.json
	done
}

@test "run: a signal before anything is counted leaves no file and no Summary" {
	start -w 1000 -d 5 --json r.json "$SEQ"
	wait_until 10 grep -q started out || fail "not started"
	stop INT
	assert_status 130
	refute_out Summary
	assert_err "0 of 6 counted seconds"
	[ ! -e r.json ] && [ ! -e r.json.partial ] || fail "a file without a result"
	# during the set-up
	script '{"delay_ms": 60000, "delay_at": "setup"}'
	SCRIPT=script start --json r.json "$SEQ"
	wait_until 10 grep -q 'Setting up' out || fail "not at the set-up"
	sleep 0.2
	stop TERM
	assert_status 143
	[ "$took_ms" -lt 1000 ] || fail "took $took_ms ms"
	assert_err "SIGTERM"
	# while a producer gets its storage
	script '{"delay_ms": 60000, "delay_at": "enter"}'
	SCRIPT=script start "$SEQ"
	wait_until 10 grep -q 'Setting up' out || fail "not at the set-up"
	sleep 0.3
	stop INT
	assert_status 130
	[ "$took_ms" -lt 1500 ] || fail "took $took_ms ms"
}

@test "run: a producer that hangs is left behind" {
	script '{"hang": true}'
	SCRIPT=script start -p 2 "$SEQ"
	wait_until 10 has_threads "$pid" 3 || fail "no producers"
	sleep 0.3
	stop TERM
	assert_status 143
	[ "$took_ms" -lt 1500 ] || fail "took $took_ms ms"
	assert_err "left behind"
}

@test "run: outputs that cannot be written" {
	fake --json absent/r.json "$SEQ"
	assert_status 1
	assert_err "absent/r.json"
	refute_out Summary
	run_apart bash -c '"$0" run --engine fake --script plain -q -w 1 -d 1 local-storage-cache-seq-get >/dev/full' "$LSBENCH"
	assert_status 1
	assert_err "standard output: No space left"
	run_apart bash -c '"$0" run --engine fake --script plain -w 1 -d 1 local-storage-cache-seq-get >/dev/full' "$LSBENCH"
	assert_status 1
	assert_err "standard output: No space left"
	fake --json - "$SEQ"
	assert_refused 2 --json
}

@test "run: a reader that went away ends it, unless the result is kept in a file" {
	local began=$SECONDS
	# shellcheck disable=SC2016
	run_apart bash -c 'set -o pipefail; "$0" run --engine fake --script plain -w 1 -d 20 local-storage-hit | head -n 1' "$LSBENCH"
	assert_status 1
	assert_err "standard output: closed pipe"
	((SECONDS - began < 10)) || fail "measured on for nobody"
	# shellcheck disable=SC2016
	run_apart bash -c 'set -o pipefail; "$0" run --engine fake --script plain -w 1 -d 1 --json r.jsonl local-storage-hit | head -n 1' \
		"$LSBENCH"
	assert_status 1
	assert_err "standard output: closed pipe"
	grep -q '"kind": "end"' r.jsonl
}

@test "run: engine and script go together" {
	lsbench run --engine fake "$SEQ"
	assert_refused 2 "--script"
	lsbench run --script plain "$SEQ"
	assert_refused 2 "--engine fake"
	lsbench run --engine fake --script absent "$SEQ"
	assert_status 1
	assert_err absent
}
