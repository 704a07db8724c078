#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run-all.sh TIER...: runs test tiers and counts every test in them. Every test program speaks TAP; one that dies, times
# out or runs fewer tests than it planned counts as failed, once for each test that is missing. Last line of stdout:
# "N passed, N failed", and ", N skipped" if any, after the list of what was skipped and why.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
MAKE=${MAKE:-make}
FUZZ_SECONDS=${FUZZ_SECONDS:-15}
JOBS=$(nproc)
OUT=$B/test-out
rm -rf "$OUT"
mkdir -p "$OUT"
started=$SECONDS

# A label for people, then a command: its output goes to OUT/LABEL.tap, "rc N" to OUT/LABEL.rc.
run_one() {
	local label=$1 limit=$2 file=$OUT/${1//\//.} rc=0
	shift 2
	timeout -k 10 "$limit" "$@" >"$file.tap" 2>"$file.err" </dev/null || rc=$?
	printf '%s\n%s\n' "$label" "$rc" >"$file.rc"
	tally "$file" >"$file.sum"
	show "$file"
}

# What a finished program said, as lines "pass NAME", "fail NAME", "skip NAME<tab>REASON".
tally() {
	local file=$1 label rc
	{ read -r label && read -r rc; } <"$file.rc"
	awk -v label="$label" -v rc="$rc" '
		/^1\.\.[0-9]+/ { planned += substr($1, 4) }
		/^(not )?ok [0-9]+/ {
			ran++
			name = $0
			failed = sub(/^not /, "", name)
			sub(/^ok [0-9]+ *(- )?/, "", name)
			# bats: "NAME # skip REASON"; cmocka: "not ok N # SKIP NAME"
			if (match(name, / ?# ?[sS][kK][iI][pP] ?/)) {
				reason = substr(name, RSTART + RLENGTH)
				before = substr(name, 1, RSTART - 1)
				if (before == "") { before = reason; reason = "skipped by the test itself" }
				print "skip " label ": " before "\t" reason
			} else if (failed) {
				print "fail " label ": " name
				bad++
			} else
				print "pass " label ": " name
		}
		END {
			for (i = ran; i < planned; i++) {
				print "fail " label ": planned but not run (exit status " rc ")"
				bad++
			}
			if (rc != 0 && !bad)
				print "fail " label ": exit status " rc (rc == 124 || rc == 137 ? " (time limit)" : "")
			else if (!ran && !planned)
				print "fail " label ": ran no test"
		}' "$file.tap"
}

# One line a program; all it said if anything failed.
show() {
	local file=$1 label
	read -r label <"$file.rc"
	awk -v label="$label" '
		{ n[$1]++ }
		END {
			printf "%-44s %d passed", label, n["pass"]
			if (n["fail"]) printf ", %d FAILED", n["fail"]
			if (n["skip"]) printf ", %d skipped", n["skip"]
			printf "\n"
		}' "$file.sum"
	if grep -q '^fail ' "$file.sum"; then
		echo "---- $label: output"
		tail -n 300 "$file.tap"
		echo "---- $label: stderr"
		tail -n 200 "$file.err"
		echo "----"
	fi
}

# Up to JOBS programs at once.
spawn() {
	while (($(jobs -rp | wc -l) >= JOBS)); do wait -n; done
	run_one "$@" &
}

# A build is a test, too: what does not compile fails, by name, and the tiers after it still run.
build() {
	local label=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands it
	run_one "$label" 900 bash -c '
		if out=$("$@" 2>&1); then echo "ok 1 - builds"; else echo "not ok 1 - builds"; fi; echo 1..1
		grep -vE "^  (CC|BPF|LINK)  " >&2 <<<"$out" || :' build "$@"
	grep -q '^pass ' "$OUT/${label//\//.}.sum"
}

tier_lint() {
	run_one lint 900 tests/lint.sh
}

tier_compilers() {
	local cc
	for cc in gcc clang; do
		command -v "$cc" >/dev/null || continue
		build "compilers/$cc" "$MAKE" CC="$cc" BIN="$B/obj-$cc/bin" all unit-programs || continue
		run_one "compilers/$cc-binary" 60 tests/binary.sh "$B/obj-$cc/bin"
	done
}

tier_unit() {
	local san program
	for san in '' 1; do
		local name=unit${san:+-san}
		# What cannot be built is missing below and fails there by its name; the others run.
		build "$name/build" "$MAKE" -k SAN=$san unit-programs
		for program in tests/unit/test_*.c; do
			program=${program##*/}
			program=${program%.c}
			spawn "$name/$program" 400 env CMOCKA_MESSAGE_OUTPUT=TAP "$B/obj-gcc${san:+-san}/unit/$program"
		done
		wait
	done
}

tier_cli() {
	local san bin file
	for san in '' 1; do
		local name=cli${san:+-san}
		build "$name/build" "$MAKE" SAN=$san all || continue
		bin=$PWD/$B
		[ -z "$san" ] || bin=$PWD/$B/obj-gcc-san/bin
		# A file that says "# alone: WHY" counts things of the whole machine and runs when nothing else does.
		for file in tests/cli/*.bats; do
			grep -q '^# alone:' "$file" && continue
			spawn "$name/$(basename "$file" .bats)" 600 \
				env LSBENCH="$bin/lsbench" BENCH="$bin/bench" bats --tap "$file"
		done
		wait
		for file in tests/cli/*.bats; do
			grep -q '^# alone:' "$file" || continue
			run_one "$name/$(basename "$file" .bats)" 600 \
				env LSBENCH="$bin/lsbench" BENCH="$bin/bench" bats --tap "$file"
		done
	done
}

# One after the other: they look at what is loaded in the kernel.
tier_bpf() {
	local file
	build bpf/build "$MAKE" all || return
	for file in tests/bpf/*.bats; do
		run_one "bpf/$(basename "$file" .bats)" 600 \
			env LSBENCH="$PWD/$B/lsbench" BENCH="$PWD/$B/bench" bats --tap "$file"
	done
}

tier_fuzz() {
	local file name
	build fuzz/build "$MAKE" -k CC=clang FUZZ=1 fuzz-programs
	for file in tests/fuzz/fuzz_*.c; do
		name=$(basename "$file" .c)
		spawn "fuzz/$name" $((FUZZ_SECONDS * 2 + 120)) tests/fuzz-one.sh "$B/obj-clang-fuzz/fuzz/$name" \
			"tests/fuzz/corpus/${name#fuzz_}" "$B/fuzz/${name#fuzz_}" "$FUZZ_SECONDS"
	done
	wait
}

shopt -s nullglob
trap 'echo "run-all: stopped" >&2; kill $(jobs -rp) 2>/dev/null; exit 130' INT TERM
for tier in "$@"; do
	echo "== $tier"
	case $tier in
	lint | compilers | unit | cli | bpf | fuzz) "tier_$tier" ;;
	*) echo "run-all: no tier named $tier" >&2 && exit 2 ;;
	esac
done

cat "$OUT"/*.sum >"$OUT/all" 2>/dev/null
passed=$(grep -c '^pass ' "$OUT/all")
failed=$(grep -c '^fail ' "$OUT/all")
skipped=$(grep -c '^skip ' "$OUT/all")
if ((skipped)); then
	printf '\nSkipped:\n'
	# A reason once for all the tests of a program that it concerns.
	sed -n 's/^skip //p' "$OUT/all" | awk -F '\t' '
		{
			at = index($1, ": ")
			why = substr($1, 1, at - 1) " -- " $2
			if (!(why in names)) order[++n] = why
			names[why] = names[why] "\n    " substr($1, at + 2)
		}
		END { for (i = 1; i <= n; i++) print "  " order[i] names[order[i]] }'
fi
if ((failed)); then
	printf '\nFailed:\n'
	grep '^fail ' "$OUT/all" | sed 's/^fail /  /'
fi
printf '\n%d s\n' $((SECONDS - started))
line="$passed passed, $failed failed"
((skipped)) && line+=", $skipped skipped"
echo "$line"
# Nothing tested is nothing shown to work.
((failed == 0 && passed > 0))
