// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * argv -> command -> exit status. The only exit() of the program is the return of main.
 *
 * Called as "bench" it is `lsbench run`, so that scripts written for the kernel's bench keep working; without a
 * command (nothing at all, or an option first) it is `lsbench sweep`.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/cleanup.h"
#include "lib/outfile.h"
#include "lib/str.h"

/*
 * A closed 0, 1 or 2 would be given to the next file opened, and messages would be written into a results file.
 * 0 and 1 are filled such that using them fails, as it would have done.
 */
static void fill_standard_fds(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < (int)ARRAY_SIZE(flags); fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags[fd]) < 0)
			return;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int unknown_command(const char *word)
{
	const char *names[64] = { NULL };
	size_t n = 0;
	struct err e = { 0 };
	char shown[128];
	const char *near;

	for (size_t i = 0; cmds[i] && n + 1 < ARRAY_SIZE(names); i++)
		names[n++] = cmds[i]->name;
	near = str_nearest(word, names);
	str_printable(shown, sizeof(shown), word);
	if (near)
		err_set(&e, ERR_USAGE, -EINVAL, "unknown command '%s'; the nearest is '%s'", shown, near);
	else
		err_set(&e, ERR_USAGE, -EINVAL, "unknown command '%s'; `lsbench help` lists the commands", shown);
	return cmd_fail(&e);
}

/* Meant without being named: a command of that name must be there, or linking fails. */
extern const struct cmd cmd_help, cmd_run, cmd_sweep, cmd_version;

/* argv[0] of what the command gets is the word before its own arguments. */
static int dispatch(int argc, char **argv)
{
	const struct cmd *cmd;

	if (!strcmp(base_name(argv[0]), "bench"))
		return cmd_run.run(argc, argv);
	if (argc < 2)
		return cmd_sweep.run(argc, argv);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return cmd_help.run(1, argv);
	if (!strcmp(argv[1], "--version"))
		return cmd_version.run(1, argv);
	if (argv[1][0] == '-')
		return cmd_sweep.run(argc, argv);
	cmd = cmd_find(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	return cmd->run(argc - 1, argv + 1);
}

/* A full disk or a closed pipe shows at the last flush at the latest. A command that failed has said why. */
static int close_stdout(int status)
{
	struct err e = { 0 };
	int code = outfile_flush_stream(stdout);

	errno = 0;
	if (fclose(stdout) && !code)
		code = errno ? errno : EIO;
	if (!code || status)
		return status;
	err_set(&e, ERR_FAILED, -code, "standard output: %s", outfile_why(code));
	return cmd_fail(&e);
}

int main(int argc, char **argv)
{
	static char buffer[65536]; /* glibc takes no size without a buffer */
	char name[] = "lsbench";
	char *nothing[] = { name, NULL };

	fill_standard_fds();
	/* Room for all that is not written through an outfile: then it fails, if it does, where errno is looked at. */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	/* A closed pipe and a file grown to ulimit -f are errors of a write, like a full disk. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 1) {
		argc = 1;
		argv = nothing;
	}
	return close_stdout(dispatch(argc, argv));
}
