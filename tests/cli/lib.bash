# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Helpers of the command-line and BPF tests: `load lib` (tests/cli) or `load ../cli/lib` (tests/bpf) at the top of a
# .bats file. The driver runs every file twice, with the plain and with the sanitizer build: $LSBENCH says which
# binary is meant, a test never names build/ itself. stdout and stderr are kept apart, because which of the two a
# line goes to is part of what is promised.
bats_require_minimum_version 1.5.0

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
LSBENCH=${LSBENCH:-$ROOT/build/lsbench}
BENCH=${BENCH:-${LSBENCH%/*}/bench}
export ROOT LSBENCH BENCH
# A report of a sanitizer must not look like one of our own exit statuses.
export ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99:detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-exitcode=99:print_stacktrace=1}
export LC_ALL=C.UTF-8
unset NO_COLOR COLUMNS

# Runs lsbench with the given arguments: $status, $output (stdout), $stderr and their lines[] are set.
lsbench() {
	run --separate-stderr "$LSBENCH" "$@"
}

# The same program under its old name.
bench() {
	run --separate-stderr "$BENCH" "$@"
}

# Any command, with the streams apart.
run_apart() {
	run --separate-stderr "$@"
}

# Ends the test and shows what the last command did.
fail() {
	printf '%s\n' "$@" >&2
	# shellcheck disable=SC2154 # stderr is set by run --separate-stderr
	printf -- '--- status %s\n--- stdout\n%s\n--- stderr\n%s\n' "${status-?}" "${output-}" "${stderr-}" >&2
	return 1
}

assert_status() {
	[ "$status" -eq "$1" ] || fail "exit status $status, expected $1"
}

# A fixed text that stands somewhere in stdout / in stderr.
assert_out() {
	[[ $output == *"$1"* ]] || fail "not in stdout: $1"
}

refute_out() {
	[[ $output != *"$1"* ]] || fail "should not be in stdout: $1"
}

assert_err() {
	[[ $stderr == *"$1"* ]] || fail "not in stderr: $1"
}

refute_err() {
	[[ $stderr != *"$1"* ]] || fail "should not be in stderr: $1"
}

# An extended regular expression that one whole line of stdout / stderr matches.
assert_out_line() {
	grep -qxE -- "$1" <<<"$output" || fail "no line of stdout matches: $1"
}

assert_err_line() {
	grep -qxE -- "$1" <<<"$stderr" || fail "no line of stderr matches: $1"
}

assert_no_out() {
	[ -z "$output" ] || fail "stdout should be empty"
}

assert_no_err() {
	[ -z "$stderr" ] || fail "stderr should be empty"
}

# A refusal: this exit status, nothing on stdout, and every text given somewhere on stderr, whose first line is ours.
assert_refused() {
	local want=$1 text
	shift
	assert_status "$want" || return 1
	assert_no_out || return 1
	[[ $stderr == lsbench:* || $stderr == bench:* ]] || fail "stderr does not begin with the program's name" || return 1
	for text in "$@"; do
		assert_err "$text" || return 1
	done
}

# One sanitizer build knows that it is one: some limits (address space) cannot be tried with it.
is_sanitized() {
	[[ $LSBENCH == *-san/* ]]
}

skip_if_sanitized() {
	! is_sanitized || skip "${1:-not meaningful in the sanitizer build}"
}

# For tests that need a command the machine may lack.
need() {
	command -v "$1" >/dev/null || skip "no $1 on this machine"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# For the BPF tier: skips with the program's own reason where this machine cannot run a sweep.
need_bpf() {
	local out rc=0
	out=$("$LSBENCH" probe 2>&1) || rc=$?
	[ "$rc" -eq 4 ] || return 0
	skip "BPF cannot be used here: $(grep -m1 -iE '\bno\b|lsbench:' <<<"$out" | tr -s ' ' | cut -c1-160)"
}

# Ids of all BPF maps / programs of this machine, sorted, one a line: to show that nothing is left behind.
bpf_ids() {
	local bpftool=/usr/sbin/bpftool
	[ -x "$bpftool" ] || bpftool=bpftool
	"$bpftool" "$1" show 2>/dev/null | sed -n 's/^\([0-9]\+\): .*/\1/p' | sort
}

# Waits up to $1 seconds until the command succeeds.
wait_until() {
	local tries=$(($1 * 20))
	shift
	while ((tries-- > 0)); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	return 1
}

# The process catches the signal (a name). Before it does, a test would see the default action, or none.
hears() {
	local caught
	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
	((0x${caught:-0} >> ($(kill -l "$2") - 1) & 1))
}

# So many threads, the first one included.
has_threads() {
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge "$2" ]
}
