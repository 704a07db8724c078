#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The man page against the option tables, and what `make install` puts where.
load lib

setup() {
	cd "$ROOT" || return 1
}

@test "every command has a section of its own in the man page" {
	local c n=0
	for c in $("$LSBENCH" help | sed -n 's/^  \([a-z]\+\)  .*/\1/p'); do
		grep -qx ".Ss $c" docs/lsbench.1 || fail "no section .Ss $c"
		n=$((n + 1))
	done
	[ "$n" -ge 7 ] || fail "help names only $n commands"
}

# The text of one command's section, with options as a reader sees them ("--nr-maps").
section() {
	awk -v want=".Ss $1" '/^\.S[sh] /{ on = $0 == want } on' docs/lsbench.1 |
		sed 's/\(Fl\|,\) -\([a-z]\)/\1 --\2/g; s/Fl \([a-z]\)\([ ,]\|$\)/-\1\2/g' | tr '_' '-'
}

@test "every option of every command stands in its section of the man page" {
	local c option n=0
	for c in $("$LSBENCH" help | sed -n 's/^  \([a-z]\+\)  .*/\1/p'); do
		section "$c" >"$BATS_TEST_TMPDIR/$c"
		for option in $("$LSBENCH" "$c" --help | grep -oE '^ +(-[a-z], )?--[a-z_-]+|^ +-[a-z](,|$)' |
			grep -oE -- '--[a-z_-]+' | tr '_' '-'); do
			n=$((n + 1))
			case $option in --help | --usage | --version) continue ;; esac
			grep -qE -- "$option([^a-z-]|\$)" "$BATS_TEST_TMPDIR/$c" || fail "$c: $option is not in the man page"
		done
	done
	[ "$n" -ge 40 ] || fail "only $n options seen: --help looks different from what this test knows"
}

@test "every option in the man page exists" {
	local c option
	for c in $("$LSBENCH" help | sed -n 's/^  \([a-z]\+\)  .*/\1/p'); do
		"$LSBENCH" "$c" --help | tr '_' '-' >"$BATS_TEST_TMPDIR/$c.help"
		for option in $(section "$c" | grep '^\.It ' | grep -oE -- '--[a-z-]+' | sort -u); do
			# Every command has --help, and "lsbench --version" is told beside it.
			case $c$option in help--help) continue ;; esac
			grep -qE -- "$option([^a-z-]|\$)" "$BATS_TEST_TMPDIR/$c.help" || fail "$c has no $option"
		done
	done
}

@test "every benchmark is described in the man page" {
	local b n=0
	for b in $("$BENCH" --list | sed -n 's/^- //p'); do
		grep -qx ".It Cm $b" docs/lsbench.1 || fail "$b is not in the man page"
		n=$((n + 1))
	done
	[ "$n" -ge 3 ] || fail "only $n benchmarks listed"
}

@test "install puts program, manual, completion and documents below DESTDIR, uninstall leaves no file" {
	skip_if_sanitized "what is installed is the plain build"
	local dir=$BATS_TEST_TMPDIR/root
	env -u MAKEFLAGS -u MAKELEVEL make -s install DESTDIR="$dir" PREFIX=/opt/x || fail "make install failed"
	[ -x "$dir/opt/x/bin/lsbench" ] || fail "no program"
	[ -s "$dir/opt/x/share/man/man1/lsbench.1" ] || fail "no man page"
	grep -q 'complete .*lsbench' "$dir/opt/x/share/bash-completion/completions/lsbench" || fail "no completion"
	bash -n "$dir/opt/x/share/bash-completion/completions/lsbench" || fail "the completion is not bash"
	# As in the tree, so that the links between them hold.
	local doc=$dir/opt/x/share/doc/lsbench link n=0
	for link in $(grep -oE '\]\([^)#]+' "$doc/README.md" | cut -c3- | grep -vE '^https?:|docs/lsbench.1'); do
		[ -e "$doc/$link" ] || fail "README.md links to $link, which is not installed"
		n=$((n + 1))
	done
	[ "$n" -ge 4 ] || fail "README.md has only $n links"
	"$dir/opt/x/bin/lsbench" version >/dev/null || fail "the installed program does not run"
	env -u MAKEFLAGS -u MAKELEVEL make -s uninstall DESTDIR="$dir" PREFIX=/opt/x || fail "make uninstall failed"
	[ -z "$(find "$dir" -type f)" ] || fail "left behind: $(find "$dir" -type f)"
}
