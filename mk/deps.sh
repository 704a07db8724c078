#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# deps.sh WHAT-FOR PACKAGE...: installs the Debian packages that are missing and only those, after saying which.
# Elsewhere it names them and fails: guessing another distribution's names helps nobody.
set -eu
what=$1
shift

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: this is not a Debian system (no dpkg-query, apt-get). For $what install what these contain:" >&2
	printf '  %s\n' "$@" >&2
	exit 1
fi

missing_of() {
	for p in "$@"; do
		case $(dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null || true) in
		installed*) ;;
		*) printf '%s\n' "$p" ;;
		esac
	done
}

missing=$(missing_of "$@")
if [ -z "$missing" ]; then
	echo "deps: nothing to install, all $# packages for $what are there"
	exit 0
fi

echo "deps: for $what these packages will be installed (and what they depend on, nothing recommended):"
printf '%s\n' "$missing" | sed 's/^/  /'

if [ "$(id -u)" -eq 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1; then
	as_root=sudo
	echo "deps: using sudo for apt-get"
else
	echo "deps: not root and no sudo here. As root:" >&2
	echo "  apt-get update && apt-get install --no-install-recommends $(echo "$missing" | tr '\n' ' ')" >&2
	exit 1
fi

install_missing() {
	# sudo drops the environment: set it behind sudo. $missing is a list.
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}

# Package lists that are there may be good enough; if not (a fresh image has none, an old one names versions that are
# gone), they are fetched, and a mirror that fails once is asked again.
# shellcheck disable=SC2086
if $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q -q --no-install-recommends --simulate $missing >/dev/null 2>&1 &&
	install_missing; then
	:
else
	try=1
	until $as_root apt-get update -q && install_missing; do
		if [ $try -ge 3 ]; then
			echo "deps: apt-get failed $try times; see its messages above" >&2
			exit 1
		fi
		try=$((try + 1))
		echo "deps: apt-get failed, try $try of 3 in 5 seconds" >&2
		sleep 5
	done
fi

# shellcheck disable=SC2086
still=$(missing_of $missing)
if [ -n "$still" ]; then
	echo "deps: apt-get ended well, yet these are not installed: $(echo "$still" | tr '\n' ' ')" >&2
	exit 1
fi
