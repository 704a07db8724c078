# SPDX-License-Identifier: GPL-2.0-or-later
# C without its comments and without what stands in its strings, same lines: so that grep finds code and nothing else.
{
	out = ""
	n = length($0)
	for (i = 1; i <= n; i++) {
		two = substr($0, i, 2)
		c = substr($0, i, 1)
		if (in_comment) {
			if (two == "*/") { in_comment = 0; i++ }
		} else if (in_string != "") {
			if (c == "\\") i++
			else if (c == in_string) { in_string = ""; out = out c }
		} else if (two == "/*") { in_comment = 1; i++ }
		else if (two == "//") break
		else {
			if ((c == "\"" || c == "\047") && out !~ /^[ \t]*#[ \t]*include/) in_string = c
			out = out c
		}
	}
	if ($0 !~ /\\$/) in_string = ""
	print FILENAME ":" FNR ":" out
}
