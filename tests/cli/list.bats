# SPDX-License-Identifier: GPL-2.0-or-later
# lsbench list: everything that has a name on the command line.

setup() {
	load lib
}

@test "list names benchmarks with ranges and defaults, maps, triggers, loops, engines, formats" {
	lsbench list
	assert_status 0
	assert_no_err
	for b in seq-get int-get hashmap-control; do assert_out_line "  local-storage-cache-$b"; done
	assert_out_line '    --nr_maps 1\.\.1000 maps \(default 1000\)'
	assert_out_line '    --hashmap_nr_keys_used 1\.\.4194304 keys \(default 1000\)'
	assert_out_line '    --hashmap_capacity .*\(default 4194304\)'
	assert_out_line '    --hashmap_fill all\|used \(default all\)'
	assert_out_line '    --hashmap_seed zero\|random \(default zero\)'
	assert_out_line '  \* task .*'
	assert_out_line '    (cgrp|inode|sk) .*'
	assert_out_line 'Triggers .*: auto, raw_tp, fentry, syscall'
	assert_out_line 'Loops .*: auto, hoisted, sequence, single'
	assert_out_line 'Engines .*: kernel, fake'
	for f in table selftests csv jsonl; do assert_out_line "  $f +[^ ].*"; done
}

@test "list --json holds the same" {
	need python3
	lsbench list --json
	assert_status 0
	assert_no_err
	python3 - "$output" <<'PY'
import json, sys
v = json.loads(sys.argv[1])
b = {x["name"]: x for x in v["benchmarks"]}
p = {x["name"]: x for x in b["local-storage-cache-hashmap-control"]["params"]}
assert (p["hashmap_nr_keys_used"]["min"], p["hashmap_nr_keys_used"]["max"]) == (1, 4194304)
assert p["nr_maps"]["default"] == 1
assert p["hashmap_key"]["choices"] == ["random", "tid"]
assert {x["name"]: x["default"] for x in b["local-storage-cache-seq-get"]["params"]} == {"nr_maps": 1000}
assert v["triggers"] == ["auto", "raw_tp", "fentry", "syscall"]
assert v["engines"] == ["kernel", "fake"]
assert [f["name"] for f in v["formats"]] == ["table", "selftests", "csv", "jsonl"]
s = {x["name"]: x for x in v["stores"]}
assert s["task"]["map_type"] == "BPF_MAP_TYPE_TASK_STORAGE" and s["task"]["measured"]
PY
}

@test "every benchmark that is listed can be planned" {
	while read -r name; do
		lsbench sweep --dry-run --bench "$name"
		assert_status 0
	done < <("$LSBENCH" list | sed -n 's/^  \(local-storage-[a-z-]*\)$/\1/p')
}

@test "list needs neither root nor BPF, and takes no arguments" {
	lsbench list everything
	assert_refused 2 "everything"
	need setpriv
	need_root
	run_apart setpriv --reuid=65534 --clear-groups "$LSBENCH" list
	[ "$status" -ne 126 ] || skip "the build is not readable for others"
	assert_status 0
}
