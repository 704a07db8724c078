// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing the results file. Not obvious: every line is one write(2), and a line that could only be written in
 * part (full disk) is cut off again, so PATH.partial is at any moment whole lines that a reader can use. The file is
 * locked while it is open, which is how a measurement still running is told from one that died.
 */
#include "core/results_json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/results_priv.h"
#include "lib/cleanup.h"

#define LEFTOVERS_MAX 9999
#define OPEN_TRIES 100

struct results_writer {
	int fd;
	bool in_place; /* a special file: no .partial, no rename */
	char *path;    /* what the user named */
	char *partial; /* where the lines go until the end; equal to path if in_place */
	off_t bytes;   /* of whole lines */
	uint64_t nr_reps;
	bool unit_insn;
	struct err failed; /* the first error; repeated for every later call */
};

static void writer_free(struct results_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w->path);
	free(w->partial);
	free(w);
}

static void cleanup_writer(struct results_writer **w)
{
	writer_free(*w);
}

/* ---- opening ---- */

/*
 * /dev/stdout may lead to a regular file by way of /proc/self/fd, and "/dev/stdout.partial" would be nonsense: what
 * is named below /dev or /proc is meant as it is. /dev/shm holds ordinary files.
 */
static bool path_is_special(const char *path)
{
	struct stat st;

	if ((strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) || strncmp(path, "/proc/", 6) == 0)
		return true;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool error_is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

static int open_failed(const char *path, int error, struct err *e)
{
	_cleanup_free_ char *copy = strdup(path);
	const char *dir = copy ? dirname(copy) : "";
	struct stat st;

	if (error == ENOENT && copy && stat(dir, &st) < 0)
		return err_set(e, ERR_FAILED, -error,
			       "cannot write %s: the directory %s does not exist; create it first "
			       "(mkdir -p) or name another file",
			       path, dir);
	return err_set(e, ERR_FAILED, -error, "cannot write %s: %s; %s", path, strerror(error),
		       error == ENAMETOOLONG  ? "name a shorter one (.partial is added while measuring)"
		       : error_is_full(error) ? "free some space or name a file on another file system"
					      : "name a file in a directory you may write to");
}

/* The name still leads to the open file, not to one that took its place. */
static bool same_file(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Gives the file a free name; never one that is taken. */
static int rename_to_free_name(const char *path, struct err *e)
{
	for (int i = 1; i <= LEFTOVERS_MAX; i++) {
		_cleanup_free_ char *to = NULL;

		if (asprintf(&to, "%s.%d", path, i) < 0)
			return err_set(e, ERR_FAILED, -ENOMEM, "cannot keep %s: out of memory", path);
		if (renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE) == 0 || errno == ENOENT)
			return 0;
		if (errno == EEXIST)
			continue;
		/* A file system without RENAME_NOREPLACE (NFS, FAT): a hard link does not replace either. */
		if (errno == EINVAL && link(path, to) == 0)
			return unlink(path) == 0
				       ? 0
				       : err_set(e, ERR_FAILED, -errno, "cannot move %s: %s", path, strerror(errno));
		if (errno != EEXIST)
			return err_set(e, ERR_FAILED, -errno,
				       "%s is left from a measurement that died and cannot be "
				       "renamed: %s; move it away",
				       path, strerror(errno));
	}
	return err_set(e, ERR_FAILED, -EEXIST, "%s and %s.1 to .%d exist already; remove some", path, path,
		       LEFTOVERS_MAX);
}

/* PATH.partial exists: refused if a live process holds it, else moved out of the way with what it holds. */
static int set_leftover_aside(const char *partial, struct err *e)
{
	/* For writing: NFS gives no exclusive lock to a reader. */
	_cleanup_close_ int fd = open(partial, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	/* A measurement never makes a symbolic link. */
	if (fd < 0 && errno == ELOOP)
		return rename_to_free_name(partial, e);
	if (fd < 0)
		return errno == ENOENT ? 0 : open_failed(partial, errno, e);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(e, ERR_FAILED, -EBUSY,
			       "%s is being written by another lsbench; wait for it or name "
			       "another file",
			       partial);
	/* Between open and lock its writer may have finished and a new one begun under the same name. */
	return same_file(fd, partial) ? rename_to_free_name(partial, e) : 0;
}

/* Creates and locks PATH.partial. */
static int open_partial(const char *partial, int *ret_fd, struct err *e)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		_cleanup_close_ int fd = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
		int r;

		if (fd < 0 && errno != EEXIST)
			return open_failed(partial, errno, e);
		if (fd < 0) {
			r = set_leftover_aside(partial, e);
			if (r < 0)
				return r;
			continue;
		}
		/* A file system without locks is used without; a file that was taken from us meanwhile is not. */
		if ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) || !same_file(fd, partial))
			continue;
		*ret_fd = take_fd(&fd);
		return 0;
	}
	return err_set(e, ERR_FAILED, -EBUSY, "cannot create %s: others keep creating it; name another file", partial);
}

static int open_special(const char *path, int *ret_fd, struct err *e)
{
	/* O_APPEND: /dev/stdout that leads to a file must not overwrite what is in it. */
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return open_failed(path, errno, e);
	*ret_fd = fd;
	return 0;
}

/* ---- lines ---- */

static int line_failed(struct results_writer *w, int error, bool torn)
{
	char kept[128] = "";

	if (w->in_place)
		return err_set(&w->failed, ERR_FAILED, -error, "cannot write %s: %s", w->path, strerror(error));
	if (w->nr_reps)
		snprintf(kept, sizeof(kept), " the %" PRIu64 " repetitions written before are kept in it%s;",
			 w->nr_reps, torn ? " (its last line is cut)" : "");
	return err_set(&w->failed, ERR_FAILED, -error, "cannot write %s: %s;%s %s", w->partial, strerror(error), kept,
		       error_is_full(error) ? "free some space or name a file on another file system"
					    : "name another file");
}

/* Takes the reference. */
static int write_line(struct results_writer *w, json_t *json, struct err *e)
{
	size_t len = 0, done = 0;
	_cleanup_free_ char *line = results_line(json, &len);

	if (!err_is_set(&w->failed) && !line)
		line_failed(w, ENOMEM, false);
	while (!err_is_set(&w->failed) && done < len) {
		ssize_t n = write(w->fd, line + done, len - done);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno != EINTR) {
			int error = errno;

			/* Back to whole lines; if that fails too, readers can do with a last line that is cut. */
			line_failed(w, error, done > 0 && (w->in_place || ftruncate(w->fd, w->bytes) < 0));
		}
	}
	if (err_is_set(&w->failed))
		return err_set(e, w->failed.class, w->failed.code, "%s", w->failed.msg);
	w->bytes += (off_t)len;
	return 0;
}

int results_writer_open(const char *path, const struct run_info *run, struct results_writer **ret, struct err *e)
{
	_cleanup_(cleanup_writer) struct results_writer *w = calloc(1, sizeof(*w));
	struct stat st;
	int r;

	if (!w)
		return err_set(e, ERR_FAILED, -ENOMEM, "cannot write %s: out of memory", path);
	w->fd = -1;
	if (!*path)
		return err_set(e, ERR_FAILED, -ENOENT, "cannot write the results: the file name is empty");
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(e, ERR_FAILED, -EISDIR, "cannot write %s: it is a directory; name a file in it", path);
	w->in_place = path_is_special(path);
	w->unit_insn = strcmp(run->unit, "insn") == 0;
	w->path = strdup(path);
	if (!w->path || asprintf(&w->partial, "%s%s", path, w->in_place ? "" : ".partial") < 0) {
		w->partial = NULL;
		return err_set(e, ERR_FAILED, -ENOMEM, "cannot write %s: out of memory", path);
	}
	r = w->in_place ? open_special(path, &w->fd, e) : open_partial(w->partial, &w->fd, e);
	if (r < 0)
		return r;
	r = write_line(w, results_encode_run(run), e);
	if (r < 0) {
		/* Nothing was measured: an empty leftover would only be in the way. */
		if (!w->in_place)
			unlink(w->partial);
		return r;
	}
	*ret = take_ptr(w);
	return 0;
}

int results_writer_rep(struct results_writer *w, const struct row *row, const struct rep *rep, struct err *e)
{
	int r;

	if (!w)
		return 0;
	r = write_line(w, results_encode_rep(row, rep), e);
	if (r == 0)
		w->nr_reps++;
	return r;
}

int results_writer_batch(struct results_writer *w, const struct row *row, int trial, uint32_t batch, double gross,
			 double overhead, struct err *e)
{
	return w ? write_line(w, results_encode_batch(row, trial, batch, gross, overhead), e) : 0;
}

int results_writer_point(struct results_writer *w, const struct row *row, struct err *e)
{
	return w ? write_line(w, results_encode_point(row, w->unit_insn), e) : 0;
}

/* The name PATH appears only when everything is on the disk: a file of that name is never cut. */
static int sync_and_rename(struct results_writer *w, struct err *e)
{
	_cleanup_free_ char *copy = strdup(w->path);
	_cleanup_close_ int dir = -1;

	/* EINVAL, ENOTSUP: a file system that cannot sync has nothing to wait for. */
	if (fsync(w->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return err_set(e, ERR_FAILED, -errno, "cannot write %s: %s; it may be cut", w->partial,
			       strerror(errno));
	if (rename(w->partial, w->path) < 0)
		return err_set(e, ERR_FAILED, -errno, "cannot rename %s to %s: %s; the results are in %s", w->partial,
			       w->path, strerror(errno), w->partial);
	/* The new name is on the disk when the directory is; nothing is lost if this fails, only the name. */
	dir = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir >= 0)
		fsync(dir);
	return 0;
}

int results_writer_finish(struct results_writer *w, const struct results *res, const struct analysis *a, bool complete,
			  int exit_status, struct err *e)
{
	_cleanup_(cleanup_writer) struct results_writer *owned = w;
	int r;

	if (!w)
		return 0;
	r = write_line(w, results_encode_notes(&res->run), e);
	if (r == 0 && a)
		r = write_line(w, results_encode_analysis(res, a), e);
	if (r == 0 && complete)
		r = write_line(w, results_encode_end(res, exit_status), e);
	if (r == 0 && !w->in_place)
		r = sync_and_rename(w, e);
	/* A network file system reports a full disk only here. */
	if (close(take_fd(&owned->fd)) < 0 && r == 0)
		r = err_set(e, ERR_FAILED, -errno, "cannot write %s: %s; it may be cut", w->path, strerror(errno));
	return r;
}

void results_writer_abandon(struct results_writer *w)
{
	writer_free(w);
}

void results_writer_discard(struct results_writer *w)
{
	/* While the lock is held: afterwards the name may be that of another measurement. */
	if (w && !w->in_place && same_file(w->fd, w->partial))
		unlink(w->partial);
	writer_free(w);
}

/* ---- to a stream ---- */

static int put_line(FILE *f, json_t *json, struct err *e)
{
	size_t len = 0;
	_cleanup_free_ char *line = results_line(json, &len);

	if (!line)
		return err_set(e, ERR_FAILED, -ENOMEM, "cannot write the results: out of memory");
	errno = 0;
	if (fwrite(line, 1, len, f) != len)
		return err_set(e, ERR_FAILED, errno ? -errno : -EIO, "cannot write the results: %s",
			       strerror(errno ? errno : EIO));
	return 0;
}

static int put_row(FILE *f, const struct row *row, bool unit_insn, struct err *e)
{
	for (int i = 0; i < row->nr_reps; i++) {
		int r = put_line(f, results_encode_rep(row, &row->reps[i]), e);

		if (r < 0)
			return r;
	}
	return put_line(f, results_encode_point(row, unit_insn), e);
}

int results_write_all(const struct results *res, const struct analysis *a, FILE *f, struct err *e)
{
	bool unit_insn = results_unit_is_insn(res);
	int r = put_line(f, results_encode_run(&res->run), e);

	for (int i = 0; r == 0 && i < res->nr_rows; i++)
		r = put_row(f, &res->rows[i], unit_insn, e);
	if (r == 0)
		r = put_line(f, results_encode_notes(&res->run), e);
	if (r == 0 && a)
		r = put_line(f, results_encode_analysis(res, a), e);
	/* A copy of a partial run must stay recognizable as one. */
	if (r == 0 && !res->partial)
		r = put_line(f, results_encode_end(res, res->exit_status), e);
	if (r == 0 && fflush(f) != 0)
		r = err_set(e, ERR_FAILED, -errno, "cannot write the results: %s", strerror(errno));
	return r;
}
