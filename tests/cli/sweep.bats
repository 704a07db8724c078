# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # run --separate-stderr sets stderr
# lsbench sweep from options to exit status, on the fake engine: without root and in milliseconds.

setup() {
	load lib
	cd "$BATS_TEST_TMPDIR" || return 1
	plays '{"gross": 5.0, "overhead": 0.2}'
}

# The lines of the script that the fake engine plays. Two CPUs: else a warning stands in every result.
plays() {
	printf '%s\n' '{"machine": {"slots": 16, "cpus": 2}}' "$@" >script.jsonl
}

fake() {
	lsbench sweep --engine fake --script script.jsonl "$@"
}

# Two rows, which is enough for most of what a sweep can do.
small() {
	fake --bench local-storage-cache-seq-get --nr-maps 1,16 --no-refine "$@"
}

# Without warnings and set-up times, which are the machine's.
figures() {
	"$LSBENCH" sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps 1,16 --no-refine \
		--format csv --trials 7:7 "$@" 2>/dev/null | awk -F, '{ print $1, $2, $11, $12, $13, $14, $17 }'
}

# Another test run on this machine may be noticed; nothing else may be said.
assert_quiet() {
	local rest
	rest=$(grep -v 'another lsbench measures' <<<"$stderr" || true)
	[ -z "$rest" ] || fail "stderr should be empty"
}

@test "the published matrix: every row, a cliff, within 80 columns, nothing on stderr" {
	plays '{"gross": 5.0, "overhead": 0.2}' \
		'{"match": {"bench": "local-storage-cache-seq-get", "nr_maps": 17}, "gross": 6.1}' \
		'{"match": {"bench": "local-storage-cache-seq-get", "nr_maps": 24}, "gross": 12}' \
		'{"match": {"bench": "local-storage-cache-seq-get", "nr_maps": 32}, "gross": 15}' \
		'{"match": {"bench": "local-storage-cache-seq-get", "nr_maps": 100}, "gross": 100}' \
		'{"match": {"bench": "local-storage-cache-seq-get", "nr_maps": 1000}, "gross": 3000}' \
		'{"match": {"bench": "local-storage-cache-hashmap-control"}, "gross": 60}'
	fake --json r.jsonl
	assert_status 0
	assert_quiet
	for n in 10 1000 10000 100000 4194304; do assert_out_line " *$n +60\.0.*"; done
	assert_out_line 'own tid +60\.0.*'
	for n in 1 10 16 17 24 32 100 1000; do
		[ "$(grep -cE "^ *$n +[0-9.]+ " <<<"$output")" -ge 2 ] || fail "$n maps: not both curves"
	done
	assert_out 'exactly 16 slots'
	[ "$(wc -L <<<"$output")" -le 80 ] || fail "wider than 80 columns"
	[ "$(grep -c '"kind": "point"' r.jsonl)" -eq 26 ]
	[ "$(grep -c '"kind": "rep"' r.jsonl)" -eq $((26 * 7)) ]
	[ "$(tail -n 1 r.jsonl)" = '{"kind": "end", "points": 26, "exit": 0}' ]
	[ ! -e r.jsonl.partial ]
	table=$output
	lsbench report r.jsonl
	assert_status 0
	[ "$output" = "$table" ] || fail "report prints something else"
}

@test "piped output has no escape sequence and nothing is redrawn, with and without NO_COLOR" {
	small
	assert_status 0
	[[ $output != *$'\e'* && $output != *$'\r'* ]]
	NO_COLOR=1 small
	assert_status 0
	[[ $output != *$'\e'* && $output != *$'\r'* ]]
}

@test "on a terminal: the plan, one redrawn line that is gone at the end, colour unless NO_COLOR" {
	need script
	plays '{"gross": 5.0, "overhead": 0.2, "delay_ms": 100, "delay_at": "enter"}'
	cmd="'$LSBENCH' sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps 1,16 --trials 7:7"
	TERM=xterm script -qec "stty cols 72; $cmd >/dev/null" typescript </dev/null >/dev/null
	text=$(tr '\r' '\n' <typescript)
	grep -q '^Plan: 2 rows; 7 to 7 trials' <<<"$text" || fail "$text"
	grep -qE '^round [1-7]/7  row [12]/2 seq-get, (1 map|16 maps)  [0-9]+ s used, about [0-9]+ s left' <<<"$text" || fail "$text"
	# Blanks over the last line, then nothing more.
	tr -d '\n' <typescript | grep -qE $'\r +\r' || fail "the line is not taken away"
	[[ $text != *$'\e'* ]] || fail "escape sequences in the progress line"
	TERM=xterm script -qec "stty cols 30; $cmd >/dev/null" narrow </dev/null >/dev/null
	[ "$(tr '\r' '\n' <narrow | grep '^round' | wc -L)" -le 29 ] || fail "wider than the terminal"
	TERM=xterm script -qec "$cmd -q 2>/dev/null" colour </dev/null >/dev/null
	grep -q $'\e\[' colour || fail "no colour on a terminal"
	NO_COLOR=1 TERM=xterm script -qec "$cmd -q 2>/dev/null" mono </dev/null >/dev/null
	! grep -q $'\e\[' mono || fail "colour in spite of NO_COLOR"
	TERM=xterm script -qec "$cmd -q >/dev/null" quiet </dev/null >/dev/null
	! grep -qE 'round|Plan' quiet || fail "-q is not quiet"
}

@test "-v prints the plan on stderr although it is no terminal" {
	small -v
	assert_status 0
	assert_err "Plan: 2 rows"
	assert_err "seq-get, 16 maps"
	assert_err "raw_tp, hoisted"
	refute_out "Plan:"
}

@test "--dry-run prints the plan, its time and its memory, and measures nothing" {
	lsbench sweep --dry-run --json r.jsonl
	assert_status 0
	assert_quiet
	assert_out_line 'Plan: 26 rows; 7 to 31 trials.*2 %'
	assert_out_line '  hash, own tid'
	assert_out_line '  miss, 100 maps'
	assert_out_line 'Time: about .* s, at most .*'
	assert_out_line 'Memory: about 335.5 MB for the hash.*'
	assert_out_line 'CPU: pinned to [0-9]+, seed 1'
	[ ! -e r.jsonl ] && [ ! -e r.jsonl.partial ]
	lsbench --dry-run --nr-maps 1,16..20 --nr-keys 10 --no-isolating --cpu none -o plan
	assert_status 0
	assert_no_out
	grep -q 'Plan: 13 rows' plan
	grep -q 'CPU: not pinned' plan
	lsbench sweep --dry-run --hashmap-capacity 5000
	assert_out 'Memory: about 400.0 kB'
	assert_out_line '  hash, 1000 keys'
	refute_out 'hash, 10000 keys'
	assert_out 'more keys than --hashmap-capacity 5000 are left out'
	lsbench sweep --dry-run --bench local-storage-hit,local-storage-miss --list-len 4,8
	assert_out_line '  hit, 4 maps'
	assert_out_line '  miss, 8 maps'
	lsbench sweep --dry-run --hashmap-key tid --bench local-storage-cache-hashmap-control
	assert_out_line '  hash, own tid'
	assert_out 'Plan: 1 row;'
}

@test "lists, _ for -, and --bench again or with commas choose the rows" {
	fake --bench local-storage-cache-seq-get --bench local-storage-cache-int-get --nr_maps 3,1..2 --format csv --no_refine
	assert_status 0
	[ "$(grep -c '^local-storage-cache-seq-get' <<<"$output")" -eq 3 ] || fail "not 3 rows"
	[ "$(grep -c '^local-storage-cache-int-get' <<<"$output")" -eq 3 ] || fail "not 3 rows"
	csv=$output
	fake --bench local-storage-cache-seq-get,local-storage-cache-int-get --nr-maps 1,2,3 --format csv --no-refine
	[ "$(wc -l <<<"$output")" -eq "$(wc -l <<<"$csv")" ]
	assert_status 0
}

# option and value, then what the refusal must name.
refuse() {
	local option=$1 value=$2
	shift 2
	fake --json r.jsonl "$option" "$value"
	assert_refused 2 "$option" "$@" || fail "$option '$value'"
	[ ! -e r.jsonl ] && [ ! -e r.jsonl.partial ]
}

@test "bad numbers and lists: status 2 with option, value and range" {
	for option in --nr-maps --list-len; do
		for value in 0 1001 10abc -5 99999999999999999999 1..1001 +3 1.5 ' 7'; do
			bad=${value#1..}
			refuse "$option" "$value" "'$bad'" 1000
		done
		refuse "$option" '' "''" 1000
		refuse "$option" , empty 1000
		refuse "$option" 1,,2 empty 1000
		refuse "$option" 20..16 "'20..16'" reversed
		refuse "$option" 1,16.. "'16..'" "lacks an end"
		refuse "$option" ..16 "'..16'" "lacks an end"
		refuse "$option" 1..1000000000 1000000000 1000
	done
	refuse --nr-keys 0 "'0'" 4194304
	refuse --nr-keys 4194305 "'4194305'" 4194304
	refuse --nr-keys 1..1000000000 1000000000 4194304
	refuse --nr-keys 1..4194304 4194304
	refuse --trials 9:7 "'9:7'" reversed
	refuse --trials 0:5 "'0'" 1000
	refuse --trials 7 "'7'"
	for value in 0 -1 nan inf 101 '' 2%; do refuse --precision "$value" "'$value'" 100; done
	for value in -3 1y '' 25h 60s5; do refuse --budget "$value" "'$value'" 24h; done
	for value in 0 11s 0.5ms; do refuse --row-time "$value" "$value" 10s; done
	for value in -1 9223372036854775808 1e3 ''; do refuse --seed "$value" "'$value'" 9223372036854775807; done
	refuse --hashmap-capacity 0 "'0'" 16777216
	refuse --cpu x "'x'"
}

@test "a CPU this process may not use is refused by number" {
	need taskset
	run_apart taskset -c 0 "$LSBENCH" sweep --dry-run --cpu 1
	assert_refused 2 "--cpu" "CPU 1" "may use 0"
	run_apart taskset -c 0 "$LSBENCH" sweep --dry-run
	assert_status 0
	assert_out "pinned to 0"
	refuse --cpu 1048575 1048575
}

@test "bad names: status 2 and the nearest" {
	refuse --bench local-storage-cache-seq-gt "'local-storage-cache-seq-gt'" "'local-storage-cache-seq-get'"
	refuse --bench local-storage-cache-seq-get,x "'x'" "lsbench list"
	refuse --bench "" "''"
	refuse --format tabel "'tabel'" "'table'" selftests csv jsonl
	refuse --trigger fentri "'fentri'" "'fentry'"
	refuse --loop spiral "'spiral'" hoisted sequence single
	refuse --engine fak "'fak'" "'fake'"
	refuse --hashmap-fill some "'some'" all used
	refuse --hashmap-seed one "'one'" zero random
	refuse --label "$(printf 'x%.0s' {1..300})" 300
	fake --nr-map 5
	assert_refused 2 "--nr-map" "--nr-maps"
	fake --nr-maps
	assert_refused 2 "--nr-maps"
	fake extra
	assert_refused 2 "extra"
}

@test "options that do not go together: status 2" {
	lsbench sweep --engine fake
	assert_refused 2 "--script"
	lsbench sweep --script script.jsonl
	assert_refused 2 "--engine fake"
	small --keep-batches
	assert_refused 2 "--keep-batches" "--json"
	small --json same -o same
	assert_refused 2 "'same'"
	small --json -
	assert_refused 2 "--format jsonl"
	small --nr-keys 10
	assert_refused 2 "--nr-keys"
	small --hashmap-fill used
	assert_refused 2 "hashmap_fill"
	small --list-len 4
	assert_refused 2 "list_len"
	lsbench sweep --list-len 1
	assert_refused 2 "--list_len of local-storage-miss" "'1'" "2 to 1000"
	fake --bench local-storage-cache-hashmap-control --nr-maps 5
	assert_refused 2 "--nr-maps"
	fake --nr-keys 2000 --hashmap-capacity 1000
	assert_refused 2 2000 1000
}

@test "what the machine refuses: status 4, nothing on stdout, no file" {
	for where in open resolve; do
		plays '{"gross": 5.0}' \
			"{\"at\": \"$where\", \"errno\": \"EPERM\", \"class\": \"machine\", \"message\": \"CAP_BPF is missing\"}"
		small --json r.jsonl -o out
		assert_refused 4 "CAP_BPF is missing"
		[ ! -e r.jsonl ] && [ ! -e r.jsonl.partial ] && [ ! -e out ]
	done
	# Limits, memory and the like come up when the first trial is set up.
	for errno in EMFILE ENOMEM ENOSYS EACCES E2BIG; do
		plays '{"gross": 5.0}' "{\"at\": \"setup\", \"errno\": \"$errno\", \"class\": \"machine\"}"
		small --json r.jsonl -o out
		assert_refused 4 "lsbench: "
		[ ! -e r.jsonl ] && [ ! -e r.jsonl.partial ] && [ ! -e out ] || fail "files are left"
	done
}

@test "a row that fails is named, the others are measured, status 1" {
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "at": "batch", "errno": "EIO", "message": "the batch broke"}'
	small --json r.jsonl
	assert_status 1
	assert_out "the batch broke"
	assert_out_line ' +1 +5\.00.*'
	grep -q '"outcome": "failed"' r.jsonl
	grep -q '"exit": 1' r.jsonl
}

@test "a row whose sum or audit breaks is invalid, status 1" {
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "uncounted": 1}'
	small --json r.jsonl
	assert_status 1
	grep -q '"outcome": "invalid"' r.jsonl
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "visits_match": false}'
	small --json r.jsonl
	assert_status 1
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "audit_misses": 3}'
	small --json r.jsonl
	assert_status 1
	assert_out "audit"
}

@test "rows the kernel does not support are named and no failure" {
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "unsupported": "no such map kind here"}'
	small --json r.jsonl
	assert_status 0
	assert_out "no such map kind here"
	grep '"kind": "point"' r.jsonl | grep -q '"outcome": "unsupported"'
}

@test "NULLs are shown, and a row with nothing else has no latency" {
	plays '{"gross": 5.0, "nulls": 7}'
	small --json r.jsonl
	assert_status 0
	grep '"kind": "point"' r.jsonl | grep -q '"nulls"'
	assert_out "NULL"
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "nulls": 1000000000}'
	small --format csv
	[ "$(grep -c 'nr_maps=16\|,16,' <<<"$output")" -ge 1 ] || fail "the row is gone"
}

@test "a child that is killed loses its repetition, which is named, and the sweep goes on" {
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16, "trial": 2}, "at": "batch", "die": "SIGKILL"}'
	small --json r.jsonl --trials 7:7
	assert_status 0
	assert_out "trial 2"
	assert_out "SIGKILL"
	[ "$(grep -c '"kind": "rep"' r.jsonl)" -eq 13 ]
}

@test "a row that kills every child is given up, the others are not" {
	plays '{"gross": 5.0}' '{"match": {"nr_maps": 16}, "at": "enter", "die": "SIGSEGV"}'
	small --json r.jsonl --trials 7:7
	assert_status 1
	assert_out_line ' +1 +5\.00.*'
	grep -q '"outcome": "failed"' r.jsonl
	grep -q '"kind": "end"' r.jsonl
}

@test "outputs that cannot be opened: status 1 before anything is measured" {
	plays '{"gross": 5.0, "delay_ms": 5000, "delay_at": "enter"}'
	for option in -o --json; do
		small "$option" missing/file
		assert_refused 1 "missing/file" "director"
		mkdir -p dir
		small "$option" dir
		assert_refused 1 "dir"
	done
	small --json /dev/full
	assert_refused 1 "/dev/full" "No space"
}

@test "a full disk or a closed pipe: one line, status 1, the results are kept" {
	plays '{"gross": 5.0}'
	export LINE="sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps 1,16 --no-refine"
	# shellcheck disable=SC2016
	run_apart bash -c '"$LSBENCH" $LINE --json r.jsonl >/dev/full'
	assert_refused 1 "No space left"
	[ "$(grep -v 'another lsbench' <<<"$stderr" | wc -l)" -eq 1 ]
	grep -q '"kind": "end"' r.jsonl
	# shellcheck disable=SC2016
	run_apart bash -c 'exec 3> >(exec true); wait $!; "$LSBENCH" $LINE --json r2.jsonl >&3'
	assert_refused 1 "closed pipe"
	grep -q '"kind": "end"' r2.jsonl
	# shellcheck disable=SC2016
	run_apart bash -c '"$LSBENCH" $LINE --json r3.jsonl >&-'
	assert_refused 1
	grep -q '"kind": "end"' r3.jsonl
	small -o /dev/full
	assert_refused 1 "/dev/full" "No space left"
}

@test "a disk that fills up in the middle: what was measured is printed, what is kept is named" {
	skip_if_sanitized
	plays '{"gross": 5.0}'
	# The limit stands for the disk: writing beyond it fails with EFBIG, and must not end the program by SIGXFSZ.
	# shellcheck disable=SC2016
	run_apart bash -c 'ulimit -f 4; exec "$LSBENCH" sweep --engine fake --script script.jsonl \
		--bench local-storage-cache-seq-get --nr-maps 1,16 --no-refine --trials 31:31 --precision 0.01 --json r.jsonl | cat'
	assert_err "r.jsonl.partial"
	assert_err "File too large"
	[ -s r.jsonl.partial ] && [ ! -e r.jsonl ]
	assert_out_line ' +1 +5\.00.*'
	lsbench report r.jsonl.partial
	assert_out "5.00"
	# shellcheck disable=SC2016
	run_apart bash -c 'ulimit -f 4; exec "$LSBENCH" sweep --engine fake --script script.jsonl \
		--bench local-storage-cache-seq-get --nr-maps 1,16 --no-refine --trials 31:31 --precision 0.01 --json r4.jsonl'
	assert_status 1
}

@test "--json and -o that lead to one file: status 2, whatever they are called" {
	touch there
	ln -s there link
	mkdir dir
	small --json there -o ./there
	assert_refused 2 "--json and -o name the same file"
	small --json there -o link
	assert_refused 2 "--json and -o name the same file"
	small --json new -o dir/../new
	assert_refused 2 "--json and -o name the same file"
	# The name while measuring is the other one that is taken.
	small --json new -o new.partial
	assert_refused 2 "--json and -o name the same file"
	[ ! -e new ] && [ ! -s there ]
	small --json new -o dir/new
	assert_status 0
	grep -q '"kind": "end"' new
}

@test "what the machine calls itself does not reach the terminal as escape codes" {
	printf '%s\n' '{"machine": {"slots": 16, "cpus": 2, "governor": "\u001b[2Jslow", "virt": "\u001b]0;vm\u0007"}}' \
		'{"gross": 5.0}' >script.jsonl
	for format in table csv selftests; do
		small --format "$format"
		assert_status 0
		[[ $output$stderr != *$'\e'* && $output$stderr != *$'\a'* ]] || fail "control characters"
		[[ $output$stderr == *slow* ]] || fail "no warning"
	done
}

@test "-o writes the same to a file, whole and with nothing beside it" {
	small -o out
	assert_status 0
	assert_no_out
	assert_quiet
	grep -qE '^ +16 +5\.00' out
	# Not the table: what the machine's clock did stands there, too.
	figures >expected
	figures -o csv >nothing
	[ ! -s nothing ]
	awk -F, '{ print $1, $2, $11, $12, $13, $14, $17 }' csv | cmp - expected
	[ "$(find . -name '*csv*' | wc -l)" -eq 1 ]
}

@test "the formats: csv, jsonl, selftests" {
	small --format csv
	assert_status 0
	assert_quiet
	[ "$(wc -l <<<"$output")" -ge 3 ]
	small --format jsonl
	assert_status 0
	[[ ${lines[0]} == *'"schema": "lsbench/1"'* ]]
	small --format selftests
	assert_status 0
	assert_out "local_storage cache sequential  get:  hits throughput: "
}

@test "--keep-batches keeps them, --label and --seed are recorded" {
	small --json r.jsonl --keep-batches --label "quiet night" --seed 77 --trials 7:7
	assert_status 0
	grep -q '"kind": "batch"' r.jsonl
	head -n 1 r.jsonl | grep -q '"label": "quiet night"'
	head -n 1 r.jsonl | grep -q '"seed": 77'
	head -n 1 r.jsonl | grep -q '"argv": \["sweep", '
}

@test "the same seed plays the same sweep, another one another" {
	plays '{"gross": 5.0, "noise": 0.02}'
	first=$(figures --seed 5)
	[ "$(wc -l <<<"$first")" -eq 3 ]
	[ "$(figures --seed 5)" = "$first" ] || fail "not the same"
	[ "$(figures --seed 6)" != "$first" ] || fail "the seed changes nothing"
}

@test "--precision, --trials and --budget end a sweep" {
	plays '{"gross": [4.0, 6.0], "overhead": 0.2}'
	small --json r.jsonl --trials 7:13
	assert_status 0
	[ "$(grep -c '"stopped_by": "trials"' r.jsonl)" -eq 2 ]
	[ "$(grep -c '"kind": "rep"' r.jsonl)" -eq 26 ]
	small --json r.jsonl --precision 50
	[ "$(grep -c '"stopped_by": "precision"' r.jsonl)" -eq 2 ]
	[ "$(grep -c '"kind": "rep"' r.jsonl)" -eq 14 ]
	small --json r.jsonl --budget 1ms
	[ "$(grep -c '"stopped_by": "budget"' r.jsonl)" -eq 2 ]
	small --trials 3:3
	assert_status 0
	assert_out "few-trials"
}

@test "two sweeps at once: both run, both warn" {
	plays '{"gross": 5.0, "delay_ms": 250, "delay_at": "enter"}'
	local line=(sweep --engine fake --script script.jsonl --bench local-storage-cache-seq-get --nr-maps "1,16" --trials 7:7)
	"$LSBENCH" "${line[@]}" --json first.jsonl >first.out 2>first.err 3>&- &
	first=$!
	wait_until 20 grep -qs '"kind": "rep"' first.jsonl.partial || fail "the first measures nothing"
	plays '{"gross": 5.0}'
	"$LSBENCH" "${line[@]}" >second.out 2>second.err 3>&-
	wait $first
	for f in first second; do
		grep -q 'another lsbench measures' $f.err || fail "the $f was not told"
		grep -q 'another lsbench' $f.out || fail "the $f result does not say it"
		grep -qE '^ +16 +5\.00' $f.out
	done
}
