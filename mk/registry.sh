#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# registry.sh KIND OUT: writes KIND_LIST(X), one X(name) for each src/KIND/*.c, '-' as '_'. The folder's own files
# (KIND.c, *_lib.c) are not entries. OUT is touched only when the list changes.
set -eu
export LC_ALL=C
kind=$1 out=$2
mkdir -p "$(dirname "$out")"
new=$out.$$
{
	printf '/* Made by mk/registry.sh from the files in src/%s. */\n#define REGISTRY_%s(X)' "$kind" "$kind"
	for f in src/"$kind"/*.c; do
		name=$(basename "$f" .c)
		case $name in "$kind" | *_lib | '*') continue ;; esac
		printf ' \\\n\tX(%s)' "$(printf %s "$name" | tr - _)"
	done
	printf '\n'
} >"$new"
if cmp -s "$new" "$out"; then rm -f "$new"; else mv -f "$new" "$out"; fi
