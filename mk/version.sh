#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# version.sh OUT CC CLANG: what this build is, for `lsbench version` and results files.
set -eu
out=$1
mkdir -p "$(dirname "$out")"
version=0.1.0
rev=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
{
	printf '/* Made by mk/version.sh. */\n'
	printf '#define LSBENCH_VERSION "%s"\n' "$version${rev:++$rev}"
	printf '#define LSBENCH_CLANG "%s"\n' "$("$3" -dumpversion 2>/dev/null || echo unknown)"
} >"$out.$$"
if cmp -s "$out.$$" "$out"; then rm -f "$out.$$"; else mv -f "$out.$$" "$out"; fi
