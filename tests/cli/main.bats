# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # run --separate-stderr sets stderr
# What happens before a command: which one is meant, help, version, completion, standard streams.

setup() {
	load lib
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "help lists every command, on stdout, with status 0" {
	lsbench help
	assert_status 0
	assert_no_err
	for cmd in sweep run report list probe version help; do
		assert_out_line "  $cmd +[^ ].*"
	done
	assert_out "Exit status"
	overview=$output
	for form in -h --help; do
		lsbench $form
		assert_status 0
		[ "$output" = "$overview" ]
	done
}

@test "every command answers --help and is explained by help, within 80 columns" {
	for cmd in sweep run report list probe version help; do
		lsbench "$cmd" --help
		assert_status 0
		assert_no_err
		assert_out "lsbench $cmd"
		assert_out "--help"
		[ "$(wc -L <<<"$output")" -le 80 ] || fail "$cmd --help is wider than 80 columns"
		direct=$output
		lsbench help "$cmd"
		assert_status 0
		[ "$output" = "$direct" ]
	done
}

@test "an unknown command: status 2 and the nearest name" {
	lsbench sweeep
	assert_refused 2 "unknown command 'sweeep'" "'sweep'"
	lsbench reprot x.jsonl
	assert_refused 2 "'reprot'" "'report'"
	lsbench frobnicate
	assert_refused 2 "'frobnicate'" "lsbench help"
	lsbench ""
	assert_refused 2 "unknown command ''"
	lsbench help vresion
	assert_refused 2 "'vresion'" "'version'"
	lsbench help list sweep
	assert_refused 2 "'sweep'"
}

@test "commands are not found by a prefix of their name" {
	lsbench swee --dry-run
	assert_refused 2 "unknown command 'swee'"
	lsbench vers
	assert_refused 2
}

@test "control characters of an argument do not reach the terminal" {
	lsbench $'\e[31mred\a'
	assert_refused 2 "unknown command"
	[[ $stderr != *$'\e'* && $stderr != *$'\a'* ]] || fail "an escape came through"
	lsbench sweep --nr-maps $'1\e[2J'
	assert_refused 2 "--nr-maps"
	[[ $stderr != *$'\e'* ]] || fail "an escape came through"
}

@test "a first word that is an option means sweep" {
	lsbench --dry-run
	assert_status 0
	assert_out "Plan:"
	first=$output
	lsbench sweep --dry-run
	[ "$output" = "$first" ]
}

@test "without any word it is sweep, too" {
	# As nobody: a real sweep would take a minute.
	need setpriv
	need_root
	run_apart setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$LSBENCH"
	[ "$status" -ne 126 ] && [ "$status" -ne 127 ] || skip "the build is not readable for others"
	assert_refused 4 "report"
	run_apart setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$LSBENCH" -q
	assert_refused 4 "report"
}

@test "called by the name bench it is lsbench run" {
	ln -s "$LSBENCH" bench
	run_apart ./bench --help
	assert_status 0
	assert_out "lsbench run"
	run_apart ./bench --list
	assert_status 0
	assert_out_line "Available benchmarks:"
	assert_out_line "- local-storage-cache-seq-get"
}

@test "version, in words and as JSON" {
	lsbench version
	assert_status 0
	assert_no_err
	assert_out_line 'lsbench [0-9]+\.[0-9]+.*'
	assert_out_line 'libbpf [0-9]+\.[0-9]+.*clang [0-9]+.*jansson.*'
	lsbench --version
	assert_status 0
	assert_out_line 'lsbench [0-9]+\.[0-9]+.*'
	lsbench version --json
	assert_status 0
	need python3
	python3 -c 'import json,sys; v=json.load(sys.stdin); assert v["lsbench"] and v["libbpf"][0].isdigit() and v["clang"]' \
		<<<"$output"
	lsbench version extra
	assert_refused 2 "extra"
}

@test "an unknown option of any command: status 2 and the nearest name" {
	lsbench version --jsn
	assert_refused 2 "--jsn" "--json"
	lsbench list --frob
	assert_refused 2 "--frob"
	lsbench sweep --nr-map 5
	assert_refused 2 "--nr-map" "--nr-maps"
}

@test "a full disk or a closed pipe on standard output is an error" {
	for cmd in list version help "help sweep" "list --json"; do
		# shellcheck disable=SC2086
		run_apart bash -c '"$LSBENCH" "$@" >/dev/full' bash $cmd
		assert_status 1
		assert_err "No space left"
		# shellcheck disable=SC2086
		run_apart bash -c '"$LSBENCH" "$@" >&-' bash $cmd
		assert_status 1
		assert_err "lsbench: "
	done
}

@test "a file that has grown to the limit (ulimit -f) is an error, not a death by SIGXFSZ" {
	# The limit holds for the file that bats keeps stderr in, too: a pipe is taken.
	run_apart bash -c 'set -o pipefail; (ulimit -f 0; "$LSBENCH" list 2>&1 >"$0") | cat' "$BATS_TEST_TMPDIR/list"
	assert_status 1
	assert_out "standard output: File too large"
}

@test "a closed pipe is an error, not a death by SIGPIPE" {
	run_apart bash -c 'exec 3> >(exec true); wait $!; "$LSBENCH" list >&3'
	assert_status 1
	assert_err "closed pipe"
}

@test "with standard error closed nothing is written into the output" {
	run_apart bash -c '"$LSBENCH" sweeep 2>&-'
	assert_status 2
	assert_no_out
}

complete() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_lsbench
	REPLIES=" ${COMPREPLY[*]} "
}

@test "bash completion is made of the tables" {
	"$LSBENCH" help --completion bash >completion
	bash -n completion
	# shellcheck disable=SC1091
	source ./completion
	complete lsbench sw
	[ "$REPLIES" = " sweep " ]
	complete lsbench ""
	for cmd in sweep run report list probe version help; do [[ $REPLIES == *" $cmd "* ]]; done
	complete lsbench sweep --nr
	[[ $REPLIES == *" --nr-maps "* && $REPLIES == *" --nr-keys "* && $REPLIES != *budget* ]]
	complete lsbench --bud
	[ "$REPLIES" = " --budget " ]
	complete lsbench sweep --format ""
	[ "$REPLIES" = " table selftests csv jsonl " ]
	complete lsbench sweep --format = ta
	[ "$REPLIES" = " table " ]
	complete lsbench sweep --trigger ""
	[ "$REPLIES" = " auto raw_tp fentry syscall " ]
	complete lsbench sweep --engine ""
	[ "$REPLIES" = " kernel fake " ]
	complete lsbench sweep --hashmap_fill ""
	[ "$REPLIES" = " all used " ]
	complete lsbench sweep --bench local-storage-cache-s
	[ "$REPLIES" = " local-storage-cache-seq-get " ]
	complete lsbench run local-storage-cache-i
	[ "$REPLIES" = " local-storage-cache-int-get " ]
	complete lsbench sweep --budget ""
	[ "$REPLIES" = "  " ] || [ "$REPLIES" = " " ]
	touch results.jsonl
	complete lsbench report res
	[ "$REPLIES" = " results.jsonl " ]
	complete lsbench report -f s
	[ "$REPLIES" = " selftests " ]
	complete lsbench sweep --bench local-storage-hit,local-storage-m
	[ "$REPLIES" = " local-storage-hit,local-storage-miss " ]
	# "_" and "-" are the same: begun, and as the word before.
	complete lsbench run --nr-
	[ "$REPLIES" = " --nr_maps " ]
	complete lsbench run --nr-maps ""
	[ "$REPLIES" = "  " ] || [ "$REPLIES" = " " ]
	touch "with blank"
	complete lsbench sweep -o with
	[ "${#COMPREPLY[@]}" -eq 1 ] && [ "${COMPREPLY[0]}" = "with blank" ]
	complete lsbench list --json ""
	[ "$REPLIES" = "  " ] || [ "$REPLIES" = " " ]
	complete lsbench help --completion ""
	[ "$REPLIES" = " bash " ]
	complete lsbench help ver
	[ "$REPLIES" = " version " ]
}

@test "completion knows every visible option of every command" {
	"$LSBENCH" help --completion bash >completion
	# shellcheck disable=SC1091
	source ./completion
	for cmd in sweep run report list probe version help; do
		complete lsbench "$cmd" --
		for option in $("$LSBENCH" help "$cmd" | grep -oE '^ +(-[a-z], +)?--[a-z_-]+' | grep -oE -- '--[a-z_-]+'); do
			[[ $REPLIES == *" $option "* ]] || fail "$cmd $option is not completed"
		done
	done
	lsbench help --completion fish
	assert_refused 2 "--completion" "fish" "bash"
}
