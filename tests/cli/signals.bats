# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # run --separate-stderr sets stderr
# Signals in every phase of a sweep: it ends within a second, keeps what was measured, leaves no child behind.

setup() {
	load lib
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	[ -z "${pid:-}" ] || kill -KILL "$pid" 2>/dev/null || true
}

# Trial 0 plays at once; in trial 1 the sweep sits where it is told to, for ten seconds.
sit_at() {
	local match=', "match": {"trial": 1}'
	case $1 in open | resolve) match= ;; esac
	printf '%s\n' '{"machine": {"slots": 16, "cpus": 2}}' '{"gross": 5.0, "overhead": 0.2}' \
		"{\"delay_ms\": 10000, \"delay_at\": \"$1\"$match}" >script.jsonl
}

start() {
	"$LSBENCH" sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps 1,16 \
		--json r.jsonl "$@" >out 2>err 3>&- &
	pid=$!
}

reps() {
	[ "$(cat r.jsonl.partial r.jsonl 2>/dev/null | grep -c '"kind": "rep"')" -ge "$1" ]
}

no_child_of() {
	[ -z "$(ps -e -o ppid= -o pgid= -o args= | awk -v p="$1" '($1 == p || $2 == p) && /lsbench/')" ]
}

# Sends the signal, waits for the end, checks that it came soon. $rc is the exit status.
stop() {
	local began now
	began=$(date +%s%N)
	kill -"$1" "$pid"
	rc=0
	wait "$pid" || rc=$?
	now=$(date +%s%N)
	# A second, and as much again for a machine that runs other tests.
	((now - began < 2000000000)) || fail "took $(((now - began) / 1000000)) ms"
	wait_until 2 no_child_of "$pid" || fail "children are left"
	pid=
}

check_kept() {
	local sig=$1 want=$2
	[ "$rc" -eq "$want" ] || fail "exit status $rc, expected $want: $(cat err)"
	[ -s r.jsonl ] && [ ! -e r.jsonl.partial ] || fail "not kept: $(ls)"
	[ "$(grep -c '"kind": "rep"' r.jsonl)" -ge 2 ]
	! grep -q '"kind": "end"' r.jsonl || fail "looks whole"
	grep -qE '^ +16 +5\.00' out || fail "no table: $(cat out)"
	grep -q "stopped by SIG$sig after 1 of 7 trials" out
	grep -q "lsbench: stopped by SIG$sig after 1 of 7 trials" err
	lsbench report r.jsonl
	assert_status 0
	assert_out "5.00"
}

@test "SIGINT and SIGTERM before anything is measured: 130 and 143, one line, no file" {
	for phase in open resolve; do
		for pair in INT:130 TERM:143; do
			sit_at "$phase"
			start -o table
			wait_until 10 hears "$pid" "${pair%:*}" || fail "$phase: no handler"
			sleep 0.2 # it is on its way to the phase
			stop "${pair%:*}"
			[ "$rc" -eq "${pair#*:}" ] || fail "$phase: exit status $rc"
			grep -qx "lsbench: stopped by SIG${pair%:*} before anything was measured" err || fail "$(cat err)"
			[ ! -s out ] && [ ! -e r.jsonl ] && [ ! -e r.jsonl.partial ] && [ ! -e table ] || fail "$phase: $(ls)"
		done
	done
}

@test "SIGINT and SIGTERM in the set-up of the first trial" {
	for pair in INT:130 TERM:143; do
		printf '%s\n' '{"gross": 5.0, "delay_ms": 10000, "delay_at": "setup"}' >script.jsonl
		start -o table
		wait_until 10 hears "$pid" "${pair%:*}" || fail "no handler"
		sleep 0.2
		stop "${pair%:*}"
		[ "$rc" -eq "${pair#*:}" ] || fail "exit status $rc"
		grep -q "stopped by SIG${pair%:*} before anything was measured" err || fail "$(cat err)"
		[ ! -e r.jsonl ] && [ ! -e r.jsonl.partial ] && [ ! -e table ] || fail "$(ls)"
	done
}

# SIG STATUS: in a later trial's set-up, row, batch and audit.
kept_in_every_phase() {
	local phase
	for phase in setup enter batch audit; do
		rm -f r.jsonl
		sit_at "$phase"
		start
		wait_until 20 reps 2 || fail "$phase: no repetition"
		sleep 0.2
		stop "$1"
		check_kept "$1" "$2" || fail "$phase"
	done
}

@test "SIGINT in the set-up, a row, a batch, the audit of a later trial: 130, results kept" {
	kept_in_every_phase INT 130
}

@test "SIGTERM in the set-up, a row, a batch, the audit of a later trial: 143, results kept" {
	kept_in_every_phase TERM 143
}

@test "SIGHUP keeps the results, too; under nohup it is not heard" {
	sit_at batch
	start
	wait_until 20 reps 2
	sleep 0.2
	stop HUP
	check_kept HUP 129
	rm -f r.jsonl
	printf '%s\n' '{"gross": 5.0, "delay_ms": 60, "delay_at": "enter"}' >script.jsonl
	(
		trap '' HUP
		exec "$LSBENCH" sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps 1,16 \
			--json r.jsonl
	) >out 2>err 3>&- &
	pid=$!
	wait_until 10 grep -qs lsbench "/proc/$pid/comm" || fail "not started"
	kill -HUP "$pid"
	rc=0
	wait "$pid" || rc=$?
	pid=
	[ "$rc" -eq 0 ] || fail "exit status $rc"
	grep -q '"kind": "end"' r.jsonl
}

@test "Ctrl-C on a terminal, which reaches the children as well" {
	need setsid
	sit_at batch
	# A group of its own, to which the signal goes as the terminal would send it.
	setsid "$LSBENCH" sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps 1,16 \
		--json r.jsonl >out 2>err 3>&- &
	pid=$!
	wait_until 20 reps 2
	sleep 0.2
	group=$(ps -o pgid= -p "$pid" | tr -d ' ')
	[ "$group" = "$pid" ] || skip "setsid made another process"
	rc=0
	kill -INT -- "-$group"
	wait "$pid" || rc=$?
	wait_until 2 no_child_of "$pid"
	pid=
	check_kept INT 130
}

@test "a second signal does no harm" {
	sit_at setup
	start
	wait_until 20 reps 2
	sleep 0.2
	kill -INT "$pid"
	kill -TERM "$pid" 2>/dev/null || true
	kill -INT "$pid" 2>/dev/null || true
	rc=0
	wait "$pid" || rc=$?
	pid=
	[ "$rc" -eq 130 ] || [ "$rc" -eq 143 ] || fail "exit status $rc"
	[ -s r.jsonl ] && [ ! -e r.jsonl.partial ]
}

@test "kill -9 leaves a .partial that report reads, and no child" {
	sit_at batch
	start
	wait_until 20 reps 2
	sleep 0.2
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	wait_until 2 no_child_of "$pid" || fail "children are left"
	pid=
	[ ! -e r.jsonl ]
	lsbench report r.jsonl.partial
	assert_status 0
	assert_out "5.00"
}

@test "a fifo that nobody opens: SIGINT and SIGTERM end the wait for a reader" {
	mkfifo pipe
	sit_at batch
	for pair in INT:130 TERM:143; do
		"$LSBENCH" sweep --engine fake --script script.jsonl -q --nr-maps 1 --json r.jsonl -o pipe 2>err 3>&- &
		pid=$!
		wait_until 10 hears "$pid" "${pair%:*}" || fail "no handler"
		sleep 0.3
		stop "${pair%:*}"
		[ "$rc" -eq "${pair#*:}" ] || fail "-o: exit status $rc"
		"$LSBENCH" sweep --engine fake --script script.jsonl -q --nr-maps 1 --json pipe -o table 2>err 3>&- &
		pid=$!
		wait_until 10 hears "$pid" "${pair%:*}" || fail "no handler"
		sleep 0.3
		stop "${pair%:*}"
		[ "$rc" -eq "${pair#*:}" ] || fail "--json: exit status $rc"
		grep -qx "lsbench: stopped by SIG${pair%:*} before anything was measured" err || fail "$(cat err)"
		[ "$(find . -name '*.partial' -o -name '*.tmp' -o -name table -o -name r.jsonl | wc -l)" -eq 0 ] || fail "$(ls -A)"
	done
}

@test "an output that nobody reads does not hold a run for ever" {
	echo '{"gross": 10, "real_time": true}' >script.jsonl
	mkfifo pipe
	exec 8<>pipe
	"$LSBENCH" run --engine fake --script script.jsonl -d 60 local-storage-hit >pipe 2>err 3>&- 8>&- &
	pid=$!
	# It measures; then the pipe is filled, so that the line of a later second waits.
	wait_until 10 grep -m 1 -q started <&8 || fail "not started"
	head -c 1048576 /dev/zero 2>/dev/null >&8 3>&- &
	filler=$!
	sleep 2.5
	kill -INT "$pid"
	rc=0
	wait "$pid" || rc=$?
	pid=
	kill "$filler" 2>/dev/null || true
	exec 8<&-
	[ "$rc" -eq 130 ] || fail "exit status $rc: $(cat err)"
	grep -q 'stopped by SIGINT' err
}
