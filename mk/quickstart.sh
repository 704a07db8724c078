#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# quickstart.sh: from a clone to a result. Installs what is missing (and says what), builds, measures this machine and
# shows the table. Where this kernel cannot be used it says why and shows a saved result instead, so that nobody is
# left without an idea of what the figures look like.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
MAKE=${MAKE:-make}
result=$B/results/latest.jsonl

say() { printf '\n== %s\n' "$*"; }

say "1/3 what a build needs"
"$MAKE" deps || exit 1

say "2/3 building $B/lsbench"
"$MAKE" all || exit 1

say "3/3 measuring (about a minute; Ctrl-C stops and keeps what was measured)"
mkdir -p "$(dirname "$result")"
# So that what is shown at the end is of this run.
[ ! -e "$result" ] || mv -f "$result" "$result.old"
as_root=
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null 2>&1; then
		as_root=sudo
		echo "Loading BPF programs needs root: running this one command with sudo."
	else
		echo "Loading BPF programs needs root and there is no sudo here: trying without."
	fi
fi
echo "\$ ${as_root:+$as_root }$B/lsbench sweep --json $result"
$as_root "$B/lsbench" sweep --json "$result"
status=$?
# What root wrote belongs to the one who asked.
[ -z "$as_root" ] || $as_root chown -R "$(id -u):$(id -g)" "$B/results"

case $status in
4)
	say "This machine cannot measure it. What lsbench probe finds:"
	$as_root "$B/lsbench" probe
	say "AN EXAMPLE FROM ANOTHER MACHINE (docs/example.jsonl), nothing of it was measured here:"
	"$B/lsbench" report docs/example.jsonl || exit 1
	say "What still works here: lsbench report FILE, lsbench sweep --engine fake --script FILE, make check"
	exit 0
	;;
0 | 1)
	say "Kept in $result; show it again, or in another form:"
	echo "  $B/lsbench report $result"
	echo "  $B/lsbench report --format csv $result"
	[ $status -eq 0 ] || echo "Some rows failed or are invalid; the table says which and why." >&2
	;;
130 | 143)
	echo "Stopped." >&2
	[ ! -e "$result" ] || echo "What was measured until then is kept:  $B/lsbench report $result" >&2
	;;
esac
exit $status
