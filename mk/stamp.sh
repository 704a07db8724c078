#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# stamp.sh FILE TEXT: FILE holds TEXT; touched only when TEXT changes.
set -eu
mkdir -p "$(dirname "$1")"
if [ "$(cat "$1" 2>/dev/null || true)" != "$2" ]; then printf '%s\n' "$2" >"$1"; fi
