#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# mk/deps.sh with a package system that is played: PATH holds nothing but what the test puts there.
load lib

setup() {
	skip_if_sanitized "concerns no binary"
	BIN=$BATS_TEST_TMPDIR/bin
	STATE=$BATS_TEST_TMPDIR/installed
	LOG=$BATS_TEST_TMPDIR/log
	mkdir -p "$BIN"
	: >"$STATE" && : >"$LOG"
	local c
	for c in sh sed tr env sleep grep cat; do ln -s "$(command -v $c)" "$BIN/$c"; done
	fake id 'echo 0'
	fake sleep ':'
	# "half" is unpacked but not installed, which dpkg-query reports, too.
	fake dpkg-query "for p; do :; done; if grep -qx \"\$p\" '$STATE'; then echo installed
		elif [ \"\$p\" = half ]; then echo half-installed; else exit 1; fi"
	fake apt-get "echo \"\$*\" >>'$LOG'
		case \"\$*\" in
		update*) exit 0 ;;
		*--simulate*) exit \$(cat '$STATE.simulate' 2>/dev/null || echo 0) ;;
		esac
		[ ! -e '$STATE.broken' ] || exit 100
		for p; do case \$p in -* | install) ;; *) echo \"\$p\" >>'$STATE' ;; esac; done"
}

fake() {
	rm -f "$BIN/$1"
	printf '#!%s\n%s\n' "$(command -v sh)" "$2" >"$BIN/$1"
	chmod +x "$BIN/$1"
}

deps() {
	run_apart env PATH="$BIN" "$ROOT/mk/deps.sh" testing "$@"
}

@test "nothing is installed when all is there, and it says so" {
	printf 'one\ntwo\n' >"$STATE"
	deps one two
	assert_status 0
	assert_out "nothing to install"
	[ ! -s "$LOG" ] || fail "apt-get was called: $(cat "$LOG")"
}

@test "only what is missing is named and installed, nothing recommended" {
	printf 'one\n' >"$STATE"
	deps one two three
	assert_status 0
	assert_out_line "  two"
	assert_out_line "  three"
	[[ $output != *$'\n  one'* ]] || fail "names a package that is there"
	grep -qx 'install -y -q --no-install-recommends two three' "$LOG" || fail "apt-get got: $(cat "$LOG")"
	! grep -q '^update' "$LOG" || fail "package lists were fetched without need"
}

@test "half-installed is not installed" {
	deps half
	assert_status 0
	grep -q 'install .* half' "$LOG" || fail "not installed: $(cat "$LOG")"
}

@test "package lists are fetched when the package is not known yet" {
	echo 100 >"$STATE.simulate"
	deps two
	assert_status 0
	grep -q '^update' "$LOG" || fail "no update: $(cat "$LOG")"
	grep -qx two "$STATE" || fail "two is not installed"
}

@test "a mirror that fails is asked three times, then it is an error" {
	: >"$STATE.broken"
	deps two
	assert_status 1
	assert_err "failed 3 times"
	[ "$(grep -c '^update' "$LOG")" -eq 3 ] || fail "updates: $(cat "$LOG")"
}

@test "not root: sudo is used; without sudo the command to type is printed" {
	fake id 'echo 1000'
	deps two
	assert_status 1
	assert_err "apt-get install --no-install-recommends two"
	[ ! -s "$LOG" ] || fail "apt-get was called without root"
	# shellcheck disable=SC2016 # for the fake
	fake sudo 'echo sudo >>'"'$LOG'"'; exec "$@"'
	deps two
	assert_status 0
	grep -qx sudo "$LOG" || fail "sudo was not used"
}

@test "another distribution: names the packages and fails" {
	rm "$BIN/apt-get"
	deps one two
	assert_status 1
	assert_err "not a Debian system"
	assert_err "  two"
}
