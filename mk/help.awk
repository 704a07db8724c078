# SPDX-License-Identifier: GPL-2.0-or-later
# The list of `make help`: targets with a "## text" comment, under the "##@ Section" they stand below. Sections of the
# same name from several files are put together, in the order in which they first appear.
/^##@ / {
	section = substr($0, 5)
	if (!(section in seen)) {
		seen[section] = ++sections
		title[sections] = section
	}
	next
}
/^[a-zA-Z][a-zA-Z0-9_-]*:.*## / {
	target = $0
	sub(/:.*/, "", target)
	text = $0
	sub(/.*## /, "", text)
	s = seen[section]
	lines[s] = lines[s] sprintf("  %-16s %s\n", target, text)
}
END {
	print "make TARGET [CC=clang] [SAN=1] [V=1]"
	for (s = 1; s <= sections; s++)
		if (lines[s] != "")
			printf "\n%s\n%s", title[s], lines[s]
}
