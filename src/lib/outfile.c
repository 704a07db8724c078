// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output that never looks whole when it is not; see outfile.h. The temporary file stands in the directory of the
 * target (a rename does not cross file systems) and gets its mode from the umask, which mkstemp() would not give it.
 */
#include "lib/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define TMP_TRIES 1000

const char *outfile_why(int code)
{
	return code == EPIPE ? "closed pipe" : strerror(code);
}

static int cannot_write(const char *path, int code, struct err *e)
{
	return err_set(e, ERR_FAILED, -code, "%.1000s cannot be written: %s", path ? path : "standard output",
		       code == ENOENT ? "there is no such directory" : outfile_why(code));
}

int outfile_flush_stream(FILE *f)
{
	errno = 0;
	if (!fflush(f) && !ferror(f))
		return 0;
	if (errno)
		return errno;
	/* It was an earlier write that failed, and its errno is gone. The same cause refuses another byte. */
	return write(fileno(f), "\n", 1) < 0 ? errno : EIO;
}

/* The name after the last slash, and the directory before it, which must be there. */
static const char *place(const char *path, struct stat *ret_dir)
{
	_cleanup_free_ char *copy = strdup(path);
	const char *slash = strrchr(path, '/');

	return copy && !stat(dirname(copy), ret_dir) ? (slash ? slash + 1 : path) : NULL;
}

bool outfile_same(const char *a, const char *b)
{
	struct stat sa, sb;
	const char *name_a, *name_b;

	if (!stat(a, &sa) && !stat(b, &sb))
		return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
	name_a = place(a, &sa);
	name_b = place(b, &sb);
	return name_a && name_b && !strcmp(name_a, name_b) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Creates a file beside `path`, no one else's. */
static int open_tmp(const char *path, mode_t mode, char **ret_tmp, int *ret_fd)
{
	const char *slash = strrchr(path, '/');
	int dir_len = slash ? (int)(slash - path) + 1 : 0;

	for (int i = 0; i < TMP_TRIES; i++) {
		_cleanup_free_ char *tmp = NULL;
		int fd;

		if (asprintf(&tmp, "%.*s.lsbench-%ld-%d.tmp", dir_len, path, (long)getpid(), i) < 0) {
			tmp = NULL;
			return -ENOMEM;
		}
		fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0) {
			*ret_tmp = take_ptr(tmp);
			*ret_fd = fd;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* What is there already. *ret_in_place: a device, a fifo, a socket; a regular file must be writable to be replaced. */
static int look_at(const char *path, bool *ret_in_place, bool *ret_exists, struct stat *ret_st)
{
	*ret_in_place = *ret_exists = false;
	if (stat(path, ret_st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(ret_st->st_mode))
		return -EISDIR;
	*ret_exists = true;
	*ret_in_place = !S_ISREG(ret_st->st_mode);
	return euidaccess(path, W_OK) ? -errno : 0;
}

int outfile_open(const char *path, struct outfile *ret, struct err *e)
{
	_cleanup_free_ char *target = NULL, *tmp = NULL;
	_cleanup_close_ int fd = -1;
	bool in_place, exists;
	struct stat st;
	FILE *f;
	int r;

	if (!path || !strcmp(path, "-")) {
		*ret = (struct outfile){ .f = stdout };
		return 0;
	}
	if (!*path)
		return err_set(e, ERR_USAGE, -EINVAL, "the name of the output file is empty");
	r = look_at(path, &in_place, &exists, &st);
	if (r)
		return cannot_write(path, -r, e);
	/* A symbolic link stays one: what it points to is replaced. */
	target = exists && !in_place ? realpath(path, NULL) : strdup(path);
	if (!target)
		return cannot_write(path, errno, e);
	if (in_place)
		fd = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		r = open_tmp(target, 0666, &tmp, &fd);
	if (in_place && fd < 0)
		r = -errno;
	if (r)
		return cannot_write(path, -r, e);
	/* A replaced file keeps who may read it; where that is refused the umask has decided. */
	if (exists && !in_place && fchmod(fd, st.st_mode & 0777))
		errno = 0;
	f = fdopen(fd, "w");
	if (!f) {
		r = -errno;
		if (tmp)
			unlink(tmp);
		return cannot_write(path, -r, e);
	}
	take_fd(&fd);
	*ret = (struct outfile){ .f = f, .path = take_ptr(target), .tmp = take_ptr(tmp) };
	return 0;
}

static void forget(struct outfile *o)
{
	free(o->path);
	free(o->tmp);
	*o = (struct outfile){ 0 };
}

/* 0 or an errno: everything has left the program (and reached the disk, for a file that will be renamed). */
static int flush(struct outfile *o)
{
	int code = outfile_flush_stream(o->f);

	if (!code && o->tmp && fsync(fileno(o->f)) && errno != EINVAL && errno != ENOSYS)
		code = errno;
	if (o->path && fclose(o->f) && !code)
		code = errno ? errno : EIO;
	o->f = NULL;
	return code;
}

int outfile_commit(struct outfile *o, struct err *e)
{
	int code, r = 0;

	if (!o->f)
		return 0;
	code = flush(o);
	if (!code && o->tmp && rename(o->tmp, o->path))
		code = errno;
	if (code) {
		r = cannot_write(o->path, code, e);
		if (o->tmp)
			unlink(o->tmp);
	}
	forget(o);
	return r;
}

void outfile_discard(struct outfile *o)
{
	if (o->f && o->path)
		fclose(o->f);
	if (o->f && o->tmp)
		unlink(o->tmp);
	forget(o);
}
