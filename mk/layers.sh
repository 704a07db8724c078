#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# layers.sh: who may include what (CONTRIBUTING.md, "Layers"), who may print and exit, which calls nobody may make.
# Prints every breach as FILE:LINE and exits 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
breach() {
	echo "$1"
	bad=1
}

# FOLDER -> folders its files may include from. core holds the interfaces (bench.h, store.h, engine.h), so the folders
# above it need not know each other.
may_include() {
	case $1 in
	lib) echo lib ;;
	stats) echo lib stats ;;
	core) echo lib stats core ;;
	bench | store | report) echo lib stats core "$1" ;;
	engine) echo lib stats core engine bpf ;;
	bpf) echo bpf ;;
	cmd) echo lib stats core bench store report engine cmd bpf ;;
	main) echo lib cmd ;;
	*) echo "" ;;
	esac
}

code=$(mktemp)
trap 'rm -f "$code"' EXIT
find src -name '*.[ch]' -print0 | sort -z | xargs -0 awk -f mk/strip-comments.awk >"$code"

while IFS=: read -r file line text; do
	folder=${file#src/}
	[[ $folder == */* ]] && folder=${folder%%/*} || folder=main
	if [[ $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]+\"([^\"]*)\" ]]; then
		inc=${BASH_REMATCH[1]}
		case $inc in
		version.h | registry_*.inc) continue ;; # made by make
		vmlinux.h)
			[ "$folder" = bpf ] || breach "$file:$line: vmlinux.h belongs into BPF programs only"
			continue
			;;
		lsbench.skel.h)
			[[ $file == src/engine/kernel* ]] || breach "$file:$line: the skeleton belongs into src/engine/kernel*"
			continue
			;;
		esac
		if [[ $inc != */* || $inc == ../* || $inc == ./* ]]; then
			breach "$file:$line: #include \"$inc\": write \"folder/file.h\""
			continue
		fi
		allowed=$(may_include "$folder")
		[[ " $allowed " == *" ${inc%%/*} "* ]] || breach "$file:$line: $folder may not include \"$inc\" (only: $allowed)"
		[[ $inc != bpf/* || $folder = bpf || $inc == bpf/abi.h ]] || breach "$file:$line: only bpf/abi.h is for both sides"
	elif [[ $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]+\<(bpf/[^\>]*)\> ]]; then
		[[ $file == src/engine/kernel* || $folder = bpf ]] ||
			breach "$file:$line: libbpf (<${BASH_REMATCH[1]}>) belongs into src/engine/kernel* only"
	fi
done < <(grep -E ':[[:space:]]*#[[:space:]]*include' "$code")

# PATTERN, which files (regular expression), which of them are free to, why.
ban() {
	local pattern=$1 where=$2 except=$3 why=$4 hits
	hits=$(grep -E "^$where" "$code" | grep -vE "^($except):" | grep -E ":[0-9]+:.*(^|[^A-Za-z0-9_>.])($pattern)" || true)
	[ -z "$hits" ] || breach "${hits//$'\n'/   <- $why$'\n'}   <- $why"
}
nobody='-'
ban '(strcpy|strcat|stpcpy|strncpy|strncat|sprintf|vsprintf|gets|strtok|strtok_r|alloca|system|popen|mktemp|tmpnam) *\(' \
	src/ "$nobody" "banned: no room is checked, or a shell is started"
ban '(atoi|atol|atoll|atof|strtol|strtoll|strtoul|strtoull|strtod|strtof) *\(' src/ 'src/lib/num\.c' \
	"numbers are parsed by lib/num.h"
below='src/(lib|stats|core|bench|store|report|engine)/'
ban '(printf|vprintf|puts|putchar|perror|err|errx|warn|warnx|error) *\(' "$below" "$nobody" "nothing prints below cmd/"
ban '(stdout|stderr)([^A-Za-z0-9_]|$)' "$below" 'src/lib/outfile\.c' "nothing prints below cmd/"
ban '(exit|abort|quick_exit) *\(' 'src/(lib|stats|core|bench|store|report|engine|cmd)/' "$nobody" "only main.c exits"
ban 'typedef +(struct|union)' src/ "$nobody" "no typedef of a struct"
exit $bad
