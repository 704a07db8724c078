# SPDX-License-Identifier: GPL-2.0-or-later
# The one binary, its man page, its completion, its documents. build/bench stays in the build folder: the name is too
# general for a system's PATH.
PREFIX ?= /usr/local
BINDIR := $(DESTDIR)$(PREFIX)/bin
MANDIR := $(DESTDIR)$(PREFIX)/share/man/man1
COMPDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
DOCDIR := $(DESTDIR)$(PREFIX)/share/doc/lsbench

.PHONY: install uninstall
##@ Use
install: $(BIN)/lsbench ## install program, man page and bash completion (PREFIX=/usr/local, DESTDIR)
	install -d '$(BINDIR)' '$(MANDIR)' '$(COMPDIR)' '$(DOCDIR)/docs/decisions'
	install -m 755 $(BIN)/lsbench '$(BINDIR)/lsbench'
	install -m 644 docs/lsbench.1 '$(MANDIR)/lsbench.1'
	$(BIN)/lsbench help --completion bash >$(B)/lsbench.completion
	install -m 644 $(B)/lsbench.completion '$(COMPDIR)/lsbench'
	install -m 644 README.md CONTRIBUTING.md COPYING '$(DOCDIR)/'
	install -m 644 $(wildcard docs/*.md) '$(DOCDIR)/docs/'
	install -m 644 $(wildcard docs/decisions/*.md) '$(DOCDIR)/docs/decisions/'

uninstall: ## remove what install put there (same PREFIX, DESTDIR)
	rm -f '$(BINDIR)/lsbench' '$(MANDIR)/lsbench.1' '$(COMPDIR)/lsbench'
	rm -rf '$(DOCDIR)'
