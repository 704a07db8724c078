#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lsbench probe: as root with BPF, with less and less of it, and without. What should be found is asked of other tools
# (bpftool, /proc), never of lsbench itself.
# alone: compares counts of maps and programs of the whole machine

load lib

setup() {
	# Another user must be able to run it: the source tree may be closed to him.
	if [ "$(id -u)" -eq 0 ]; then
		OPEN=$(mktemp -d /tmp/lsbench-probe.XXXXXX)
		chmod 755 "$OPEN"
		cp "$LSBENCH" "$OPEN/lsbench"
		chmod 755 "$OPEN/lsbench"
	fi
}

teardown() {
	if [ -n "${OPEN-}" ]; then
		rm -rf "$OPEN"
	fi
}

bpftool_path() {
	if [ -x /usr/sbin/bpftool ]; then echo /usr/sbin/bpftool; else command -v bpftool; fi
}

bpftool() {
	command "$(bpftool_path)" "$@"
}

# A machine where a sweep must be possible, by what others say.
need_able_machine() {
	need_root
	[ "$(printf '6.1\n%s\n' "$(uname -r)" | sort -V | head -1)" = 6.1 ] || skip "kernel older than 6.1"
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	bpftool prog show >/dev/null 2>&1 || skip "bpf() is refused to root here, or there is no bpftool"
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 1113 ] || skip "hard limit of open files is $(ulimit -Hn)"
	awk '/^MemAvailable:/ { exit $2 < 600000 }' /proc/meminfo || skip "too little memory for the hash"
}

assert_narrow() {
	local wide
	wide=$(awk 'length($0) > 80' <<<"$output")
	[ -z "$wide" ] || fail "lines of more than 80 columns: $wide"
}

# The verdict of a check in stdout.
verdict() {
	sed -nE "s/^([a-z]+) +$1( .*)?\$/\\1/p" <<<"$output"
}

assert_verdict() {
	[ "$(verdict "$1")" = "$2" ] || fail "verdict of '$1' is '$(verdict "$1")', expected '$2'"
}

@test "probe as root: a sweep can run, exit 0, every line fits 80 columns" {
	need_able_machine
	lsbench probe
	assert_status 0
	assert_no_err
	assert_narrow
	assert_out "A sweep can run here."
	assert_verdict "bpf\(\) calls" ok
	assert_verdict "trigger raw_tp" ok
	assert_verdict "map task" ok
	assert_verdict "map hash" ok
	assert_verdict "bpf_loop" ok
	assert_verdict "open files" ok
	assert_out "$(uname -r)"
	assert_out "$(uname -m)"
}

@test "probe tries every kind of map that lsbench knows" {
	need_able_machine
	lsbench probe
	for f in "$ROOT"/src/store/*.c; do
		name=$(basename "$f" .c)
		case $name in store | *_lib) continue ;; esac
		[ -n "$(verdict "map $name")" ] || fail "no line for map $name"
	done
}

# The two maps of each kind that the test below holds are among them.
counts_as_bpftool() {
	task=$(bpftool map show | grep -cE '^[0-9]+: task_storage ')
	sk=$(bpftool map show | grep -cE '^[0-9]+: sk_storage ')
	lsbench probe --json -
	[ "$task" -ge 2 ] && [ "$sk" -ge 1 ] && [ "$(json machine.foreign_maps.task_storage)" -eq "$task" ] &&
		[ "$(json machine.foreign_maps.sk_storage)" -eq "$sk" ]
}

@test "probe finds the number of slots that bpftool shows" {
	need_able_machine
	type_id=$(bpftool btf dump file /sys/kernel/btf/vmlinux format raw |
		sed -n "/STRUCT 'bpf_local_storage' /,/^\[/s/.*'cache' type_id=\([0-9]*\).*/\1/p" | head -1)
	slots=$(bpftool btf dump file /sys/kernel/btf/vmlinux format raw |
		sed -n "s/^\[$type_id\] ARRAY .*nr_elems=\([0-9]*\).*/\1/p")
	[ "$slots" -gt 0 ]
	lsbench probe --json -
	[ "$(json machine.slots)" = "$slots" ] || fail "slots $(json machine.slots), bpftool says $slots"
}

@test "probe says whether the hit path is inlined as /proc/kallsyms does" {
	need_able_machine
	lsbench probe --json -
	if grep -qw __bpf_local_storage_insert_cache /proc/kallsyms; then
		[ "$(json machine.inlined_hit)" = True ]
	else
		grep -qw bpf_local_storage_lookup /proc/kallsyms
		[ "$(json machine.inlined_hit)" = False ]
	fi
}

# A member of the JSON in stdout, by its path.
json() {
	command -v python3 >/dev/null || skip "needs python3"
	python3 -c '
import json, sys
v = json.load(sys.stdin)
for k in sys.argv[1].split("."):
    v = v[k]
print(v)' "$1" <<<"$output"
}

@test "probe --json FILE: the same findings, whole, and the text as well" {
	need_able_machine
	lsbench probe --json "$BATS_TEST_TMPDIR/probe.json"
	assert_status 0
	assert_out "A sweep can run here."
	nr_checks=$(grep -cE '^(ok|limited|no|info) ' <<<"$output")
	output=$(cat "$BATS_TEST_TMPDIR/probe.json")
	[ "$(json schema)" = lsbench/1 ]
	[ "$(json kind)" = probe ]
	[ "$(json can_sweep)" = True ]
	[ "$(json machine.kernel)" = "$(uname -r)" ]
	[ "$(grep -c '"verdict":' <<<"$output")" -eq "$nr_checks" ]
}

@test "probe --json - prints JSON and nothing else" {
	lsbench probe --json -
	[ "$(json kind)" = probe ]
}

@test "probe leaves no map and no program behind" {
	need_able_machine
	maps=$(bpf_ids map) progs=$(bpf_ids prog)
	lsbench probe
	assert_status 0
	nothing_new() { [ -z "$(comm -13 <(echo "$1") <(bpf_ids "$2"))" ]; }
	wait_until 20 nothing_new "$maps" map || fail "new maps: $(comm -13 <(echo "$maps") <(bpf_ids map))"
	wait_until 20 nothing_new "$progs" prog || fail "new programs: $(comm -13 <(echo "$progs") <(bpf_ids prog))"
}

# Another program with storage maps, loaded by bpftool into a mount namespace of its own; they go with it.
@test "probe counts the local-storage maps of another program, by kind" {
	need_able_machine
	need unshare
	need clang
	local dir=$BATS_TEST_TMPDIR
	cat >"$dir/other.bpf.c" <<-'EOF'
		#include <linux/bpf.h>
		#include <bpf/bpf_helpers.h>
		#define STORAGE(name, kind) struct { __uint(type, kind); __uint(map_flags, BPF_F_NO_PREALLOC); \
			__type(key, int); __type(value, int); } name SEC(".maps")
		STORAGE(task1, BPF_MAP_TYPE_TASK_STORAGE);
		STORAGE(task2, BPF_MAP_TYPE_TASK_STORAGE);
		STORAGE(sk1, BPF_MAP_TYPE_SK_STORAGE);
		struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, int); __type(value, int); } hash SEC(".maps");
		SEC("socket") int nothing(void *ctx) { return 0; }
	EOF
	clang -target bpf -g -O2 -I/usr/include/"$(uname -m)"-linux-gnu -c -o "$dir/other.bpf.o" "$dir/other.bpf.c"
	local holder
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m sh -c 'mount -t bpf bpf /sys/fs/bpf && mkdir /sys/fs/bpf/o &&
		"$1" prog loadall "$2/other.bpf.o" /sys/fs/bpf/o pinmaps /sys/fs/bpf/o && touch "$2/ready" && exec sleep 300' \
		- "$(bpftool_path)" "$dir" 3>&- >"$dir/log" 2>&1 &
	holder=$!
	wait_until 10 test -e "$dir/ready" || fail "bpftool did not load it: $(cat "$dir/log")"
	# Maps of an lsbench that just ended go a little later, those of one that runs come and go.
	local rc=0
	wait_until 30 counts_as_bpftool || rc=1
	kill $holder
	wait $holder || true
	[ $rc -eq 0 ] || fail "bpftool counts $task task and $sk sk storage maps"
}

@test "probe --measure: a slot below the number of slots, a hit and a dearer miss" {
	need_able_machine
	skip_if_sanitized "timing under a sanitizer says nothing"
	lsbench probe --measure --json -
	assert_status 0
	[ "$(json measured.why_not)" = "" ] || fail "not found out: $(json measured.why_not)"
	[ "$(json measured.slot)" -ge 0 ]
	[ "$(json measured.slot)" -lt "$(json measured.slots)" ]
	[ "$(json measured.trials)" -eq 3 ]
	awk -v h="$(json measured.hit_ns)" -v m="$(json measured.miss_ns)" 'BEGIN { exit !(h > 0 && m > h) }' ||
		fail "hit $(json measured.hit_ns) ns, miss $(json measured.miss_ns) ns"
}

@test "probe --measure in words fits 80 columns and names its n" {
	need_able_machine
	lsbench probe --measure
	assert_status 0
	assert_narrow
	assert_out "What a new program would see here"
	assert_out "n = 3"
}

@test "probe --measure ends on SIGTERM with 143 and leaves no child" {
	need_able_machine
	"$OPEN/lsbench" probe --measure >/dev/null 2>&1 &
	pid=$!
	wait_until 10 hears $pid TERM || fail "no handler"
	kill -TERM $pid
	rc=0
	wait $pid || rc=$?
	[ $rc -eq 143 ] || fail "exit status $rc"
	nobody() { ! pgrep -f "$OPEN/lsbench" >/dev/null; }
	wait_until 2 nobody
}

@test "probe as root without capabilities: exit 4, names CAP_BPF" {
	need_root
	need setpriv
	run_apart setpriv --bounding-set=-all --inh-caps=-all "$OPEN/lsbench" probe
	assert_status 4
	assert_narrow
	assert_verdict capabilities no
	assert_verdict "bpf\(\) calls" no
	assert_out "CAP_BPF"
	[[ ${stderr_lines[0]} == "lsbench: a sweep cannot run here: capabilities: "*CAP_BPF* ]]
	[ ${#stderr_lines[@]} -eq 1 ]
	refute_out "A sweep can run here"
}

@test "probe as an unprivileged user: exit 4, what is missing and what still works" {
	need_root
	need setpriv
	run_apart setpriv --reuid=65534 --clear-groups "$OPEN/lsbench" probe
	assert_status 4
	assert_narrow
	assert_err "CAP_BPF"
	assert_err "not root"
	assert_err "lsbench report"
	assert_verdict "map task" no
}

@test "probe --measure as an unprivileged user is as harmless" {
	need_root
	need setpriv
	run_apart setpriv --reuid=65534 --clear-groups "$OPEN/lsbench" probe --measure
	assert_status 4
	assert_narrow
	assert_out "Not found out"
}

@test "probe with CAP_BPF alone: exit 4, CAP_PERFMON is what is missing" {
	need_able_machine
	need setpriv
	run_apart setpriv --bounding-set=-all,+bpf --inh-caps=-all "$OPEN/lsbench" probe
	assert_status 4
	assert_verdict "bpf\(\) calls" ok
	assert_verdict capabilities limited
	assert_verdict "trigger raw_tp" no
	assert_err "CAP_PERFMON"
}

@test "probe inside a user namespace says that its capabilities do not count" {
	need_root
	need unshare
	unshare -Ur true 2>/dev/null || skip "user namespaces are not allowed here"
	run_apart unshare -Ur "$OPEN/lsbench" probe
	assert_status 4
	assert_verdict capabilities no
	assert_err "user namespace"
}

@test "probe with too few open files: both numbers and how many maps would fit" {
	need_able_machine
	run_apart bash -c 'ulimit -n 500 && exec "$1" probe' - "$LSBENCH"
	assert_status 4
	assert_verdict "open files" no
	assert_err "500 hard"
	assert_err "1113"
	assert_err "--nr-maps with at most 387"
	# and so it is
	run_apart bash -c 'ulimit -n 500 && exec "$1" sweep -q --nr-maps 387 --nr-keys 10 --hashmap-capacity 1000 \
		--trials 1:1 --row-time 1ms' - "$LSBENCH"
	assert_status 0
}

@test "probe with 64 open files" {
	need_able_machine
	run_apart bash -c 'ulimit -n 64 && exec "$1" probe' - "$LSBENCH"
	assert_status 4
	assert_verdict "open files" no
	assert_err "open files"
	refute_err "at most"
}

@test "probe without BTF: one line on stderr" {
	need_able_machine
	mkdir "$BATS_TEST_TMPDIR/empty"
	unshare -m mount --bind "$BATS_TEST_TMPDIR/empty" /sys/kernel/btf 2>/dev/null || skip "no mount namespace here"
	# shellcheck disable=SC2016
	run_apart unshare -m sh -c 'mount --bind "$0" /sys/kernel/btf && exec "$1" probe' "$BATS_TEST_TMPDIR/empty" "$LSBENCH"
	assert_status 4
	assert_verdict BTF no
	assert_err_line 'lsbench: a sweep cannot run here: BTF: .*CONFIG_DEBUG_INFO_BTF.*'
	[ "$(wc -l <<<"$stderr")" -eq 1 ] || fail "more than one line"
}

@test "probe --help: exit 0, its options" {
	lsbench probe --help
	assert_status 0
	assert_out "--measure"
	assert_out "--json"
}

@test "probe refuses what it does not know" {
	lsbench probe --mesure
	assert_refused 2 "--mesure" "--measure"
	lsbench probe something
	assert_refused 2 "something"
	lsbench probe --json
	assert_refused 2 "--json"
	lsbench probe --json ""
	assert_refused 2 "--json" "empty"
	lsbench probe --measure=1
	assert_refused 2 "--measure"
}

@test "probe --json into a directory that does not exist, and onto a full disk: exit 1, the file named" {
	lsbench probe --json "$BATS_TEST_TMPDIR/none/probe.json"
	assert_status 1
	assert_err "$BATS_TEST_TMPDIR/none/probe.json"
	lsbench probe --json /dev/full
	assert_status 1
	assert_err "/dev/full"
}

@test "probe onto a full disk is an error" {
	run_apart bash -c '"$1" probe >/dev/full' - "$LSBENCH"
	assert_status 1
	assert_err "standard output"
	# Also where a sweep cannot run.
	run_apart bash -c 'ulimit -n 64; "$1" probe >/dev/full' - "$LSBENCH"
	assert_status 1
	assert_err "standard output"
}
