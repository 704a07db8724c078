# SPDX-License-Identifier: GPL-2.0-or-later
# `lsbench report`: saved results in every format, and one line for each file that cannot be read.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	results whole.json
}

RUN='{"schema": "lsbench/1", "kind": "run", "tool": "lsbench 0.1.0", "engine": "fake", "accel": "native", "unit": "ns", "machine": {"kernel": "6.18.1", "slots": 16}}'

# rep BENCH PARAMS STORE ROW TRIAL GROSS
rep() {
	printf '{"kind": "rep", "bench": "%s", "params": {%s}, "store": "%s", "trigger": "raw_tp", "loop": "hoisted", "row": %s, "trial": %s, "gross": %s, "overhead": 0.25, "batches": 9, "counters": {"ops": 100, "hits": 100, "important_hits": 7, "nulls": 0, "errors": 0}}\n' "$@"
}

# A small whole sweep: seven trials of five storage rows and of one hash row.
results() {
	local row=0 maps trial
	{
		echo "$RUN"
		for maps in 1 10 16 17 32; do
			for trial in 0 1 2 3 4 5 6; do
				rep local-storage-cache-seq-get "\"nr_maps\": $maps" task $row $trial $((maps > 16 ? maps : 5)).0$trial
			done
			row=$((row + 1))
		done
		for trial in 0 1 2 3 4 5 6; do
			rep local-storage-cache-hashmap-control '"hashmap_nr_keys_used": 1000, "nr_maps": 1' hash $row $trial 12.2$trial
		done
		echo '{"kind": "end", "points": 6, "exit": 0}'
	} >"$1"
}

# The refusal of one bad file: exit 1, nothing on stdout, exactly one line, which names file (and line).
assert_one_line() {
	assert_status 1 || return 1
	assert_no_out || return 1
	# shellcheck disable=SC2154 # set by run --separate-stderr
	[ "${#stderr_lines[@]}" -eq 1 ] || fail "expected exactly one line on stderr" || return 1
	[[ ${stderr_lines[0]} == "lsbench: $1"* ]] || fail "the line does not begin with: lsbench: $1"
}

@test "report prints a table without root or BPF" {
	lsbench report whole.json
	assert_status 0
	assert_no_err
	assert_out "5.03"
	assert_out "32.0"
	assert_out "12.2"
	refute_out "whole.json"
}

@test "report reads standard input" {
	run_apart "$LSBENCH" report - <whole.json
	assert_status 0
	assert_out "32.0"
}

@test "report runs as an ordinary user" {
	need_root
	need setpriv
	chmod -R a+rX . && chmod a+rx "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	setpriv --reuid 65534 --clear-groups test -x "$LSBENCH" || skip "another user may not reach the program"
	setpriv --reuid 65534 --clear-groups test -r "$PWD/whole.json" || skip "another user may not reach the files"
	run_apart setpriv --reuid 65534 --clear-groups --bounding-set=-all "$LSBENCH" report whole.json
	assert_status 0
	assert_out "32.0"
}

@test "report knows every format" {
	for format in table selftests csv jsonl; do
		lsbench report --format "$format" whole.json
		assert_status 0
		assert_no_err
		[ -n "$output" ] || fail "nothing printed as $format"
	done
}

@test "report refuses an unknown format by name" {
	lsbench report --format tabel whole.json
	assert_refused 2 "--format" "tabel" "table" "selftests" "csv" "jsonl"
}

@test "report without a file is wrong use" {
	lsbench report
	assert_refused 2 "no FILE given"
}

@test "report --format jsonl can be read again and says the same" {
	lsbench report --format jsonl -o copy.json whole.json
	assert_status 0
	assert_no_out
	"$LSBENCH" report --format csv whole.json >a.csv
	"$LSBENCH" report --format csv copy.json >b.csv
	cmp a.csv b.csv
	"$LSBENCH" report --format jsonl copy.json >again.json
	cmp copy.json again.json
}

@test "report -o writes a file and nothing on stdout" {
	lsbench report -o out.txt whole.json
	assert_status 0
	assert_no_out
	assert_no_err
	grep -qF 32.0 out.txt
}

@test "report -o into a directory that does not exist fails" {
	lsbench report -o none/out.txt whole.json
	assert_refused 1 "none/out.txt"
}

@test "report to a full disk fails" {
	run_apart bash -c '"$LSBENCH" report whole.json >/dev/full'
	assert_status 1
	assert_err "No space left"
	lsbench report -o /dev/full whole.json
	assert_refused 1 "/dev/full" "No space left"
}

@test "report into a closed pipe fails and does not hang" {
	run_apart bash -c '"$LSBENCH" report --format jsonl whole.json | true; exit "${PIPESTATUS[0]}"'
	[ "$status" -le 1 ] || fail "killed"
}

@test "several files are printed each under its name" {
	cp whole.json second.json
	lsbench report whole.json second.json
	assert_status 0
	assert_out_line "whole.json"
	assert_out_line "second.json"
	lsbench report --format csv whole.json second.json
	assert_out_line "# whole.json"
	assert_out_line "# second.json"
}

@test "a bad file among good ones: one line, exit 1, the others are printed" {
	echo nonsense >bad.json
	lsbench report whole.json bad.json missing.json
	assert_status 1
	assert_out "32.0"
	[ "${#stderr_lines[@]}" -eq 2 ] || fail "expected two lines on stderr"
	assert_err_line "lsbench: bad.json:1: .*"
	assert_err_line "lsbench: missing.json: .*No such file.*"
}

@test "only bad files with -o leave no output file" {
	echo nonsense >bad.json
	lsbench report -o out.txt bad.json
	assert_status 1
	[ ! -e out.txt ] || fail "out.txt is there"
}

@test "bad files: one line that names file and line" {
	: >empty.json
	lsbench report empty.json
	assert_one_line "empty.json:1: the file is empty"

	head -c 4096 /bin/sh >binary.json
	lsbench report binary.json
	assert_one_line "binary.json:1: "

	echo '{"hello": "world"}' >foreign.json
	lsbench report foreign.json
	assert_one_line "foreign.json:1: the first line names no \"schema\""

	sed '1s,lsbench/1,lsbench/2,' whole.json >newer.json
	lsbench report newer.json
	assert_one_line 'newer.json:1: its schema is "lsbench/2", this lsbench reads "lsbench/1"'

	sed 1d whole.json >headless.json
	lsbench report headless.json
	assert_one_line "headless.json:1: "

	sed '7s/.*/{"kind": "rep", /' whole.json >broken.json
	lsbench report broken.json
	assert_one_line "broken.json:7: the line is not JSON"

	sed '9s/"gross": [0-9.]*/"gross": -3.0/' whole.json >absurd.json
	lsbench report absurd.json
	assert_one_line 'absurd.json:9: "gross" is -3.0, expected'

	cat whole.json whole.json >two.json
	lsbench report two.json
	assert_one_line "two.json:45: a second run line"

	head -n 1 whole.json >nothing.json
	lsbench report nothing.json
	assert_one_line "nothing.json:1: no repetition"

	lsbench report .
	assert_one_line ".:1: cannot read it: Is a directory"
}

@test "huge files are refused without being read whole" {
	lsbench report /dev/zero
	assert_one_line "/dev/zero:1: the line is longer than 1048576 bytes"
	truncate -s 20G huge.json 2>/dev/null || skip "no sparse files here"
	lsbench report huge.json
	assert_one_line "huge.json:1: the line is longer than 1048576 bytes"
}

@test "an escape sequence in a file does not reach the terminal" {
	sed 's/"lsbench 0.1.0"/"ls\\u001b[31mbench"/; s/"6.18.1"/"6\\u001b]0;x\\u0007"/' whole.json >escape.json
	for format in table selftests csv; do
		lsbench report --format "$format" escape.json
		assert_status 0
		refute_out $'\e'
	done
	sed '2s/"kind": "rep"/"kind": "rep", "cpu": "\\u001b[31m"/' whole.json >escape.json
	lsbench report escape.json
	assert_one_line "escape.json:2: "
	refute_err $'\e'
}

@test "a partial file and a cut last line are read and named" {
	head -n 30 whole.json >sweep.json.partial
	lsbench report sweep.json.partial
	assert_status 0
	assert_out "no end line"
	head -c -200 sweep.json.partial >cut.json.partial
	lsbench report cut.json.partial
	assert_status 0
	assert_out "cut short"
	assert_out "no end line"
}

@test "a partial run copied as jsonl stays partial" {
	head -n 30 whole.json >sweep.json.partial
	lsbench report --format jsonl -o copy.json sweep.json.partial
	assert_status 0
	! grep -q '"kind": "end"' copy.json || fail "the copy claims to be whole"
}

@test "lines with CR LF are read" {
	sed 's/$/\r/' whole.json >crlf.json
	"$LSBENCH" report --format csv whole.json >a.csv
	"$LSBENCH" report --format csv crlf.json >b.csv
	cmp a.csv b.csv
}

@test "report --help exits 0 and names its options" {
	lsbench report --help
	assert_status 0
	assert_out "--format"
	assert_out "--output"
	lsbench report --formt csv whole.json
	assert_refused 2 "formt" "--format"
}
