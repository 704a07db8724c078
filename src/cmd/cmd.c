// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of subcommands, made by make from the files in this folder, and how an error is shown. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/cleanup.h"
#include "lib/str.h"
#include "registry_cmd.inc"

#define DECLARE(name) extern const struct cmd cmd_##name;
REGISTRY_cmd(DECLARE)

#define ENTRY(name) &cmd_##name,
	const struct cmd *const cmds[] = { REGISTRY_cmd(ENTRY) NULL };

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; cmds[i]; i++)
		if (!strcmp(cmds[i]->name, name))
			return cmds[i];
	return NULL;
}

int cmd_fail(const struct err *e)
{
	char text[sizeof(e->msg)], shown[sizeof(text)];
	char *rest = text, *line;
	const char *prefix = "lsbench: ";

	/* Values and file contents are quoted in messages: no control character of theirs reaches the terminal. Only
	 * our line breaks stay (the verifier's log has them). */
	str_copy(text, sizeof(text), e->msg);
	for (char *p = text; *p; p++)
		if (*p == '\t')
			*p = ' ';
	while ((line = strsep(&rest, "\n"))) {
		if (!*line && !rest)
			break;
		str_printable(shown, sizeof(shown), line);
		fprintf(stderr, "%s%s\n", prefix, shown);
		prefix = "  ";
	}
	return e->class == ERR_NONE ? ERR_FAILED : (int)e->class;
}

int cmd_fail_memory(void)
{
	struct err e = { 0 };

	err_set(&e, ERR_FAILED, -ENOMEM, "out of memory");
	return cmd_fail(&e);
}

void cmd_tell(const char *what, const char *text)
{
	char shown[1024];

	str_printable(shown, sizeof(shown), text);
	fprintf(stderr, "lsbench: %s%s\n", what, shown);
}

const struct argp_option cmd_json_table[] = {
	{ "json", 'j', NULL, 0, "as one JSON object", 0 },
	{ 0 },
};

int cmd_json_set(void *ctx, int key, const char *name, const char *value, struct err *e)
{
	bool *json = ctx;

	(void)name;
	(void)value;
	(void)e;
	if (key == 'j')
		*json = true;
	return 0;
}
