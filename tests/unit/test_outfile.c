// SPDX-License-Identifier: GPL-2.0-or-later
/* A named output is there complete or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/outfile.h"
#include "unit.h"

struct dir {
	char path[64];
	char file[96];
};

static int make_dir(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	snprintf(d->path, sizeof(d->path), "/tmp/lsbench-test-XXXXXX");
	assert_non_null(mkdtemp(d->path));
	snprintf(d->file, sizeof(d->file), "%s/out", d->path);
	*state = d;
	return 0;
}

/* Entries of the directory, also removing them. */
static int count_entries(const struct dir *d, bool remove_them)
{
	DIR *dir = opendir(d->path);
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		n++;
		if (remove_them)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
	return n;
}

static int remove_dir(void **state)
{
	struct dir *d = *state;

	count_entries(d, true);
	rmdir(d->path);
	free(d);
	return 0;
}

static void read_back(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	buf[fread(buf, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_appears_when_whole(void **state)
{
	struct dir *d = *state;
	struct outfile o;
	struct err e = { 0 };
	char text[64];

	assert_int_equal(outfile_open(d->file, &o, &e), 0);
	fputs("whole\n", o.f);
	fflush(o.f);
	assert_int_equal(access(d->file, F_OK), -1);
	assert_int_equal(outfile_commit(&o, &e), 0);
	read_back(d->file, text, sizeof(text));
	assert_string_equal(text, "whole\n");
	assert_int_equal(count_entries(d, false), 1);
	outfile_discard(&o);
	assert_int_equal(outfile_commit(&o, &e), 0);
	assert_int_equal(access(d->file, F_OK), 0);
}

static void test_discard_keeps_old(void **state)
{
	struct dir *d = *state;
	struct outfile o;
	struct err e = { 0 };
	char text[64];

	write_file(d->file, "old");
	assert_int_equal(outfile_open(d->file, &o, &e), 0);
	fputs("half", o.f);
	outfile_discard(&o);
	outfile_discard(&o);
	read_back(d->file, text, sizeof(text));
	assert_string_equal(text, "old");
	assert_int_equal(count_entries(d, false), 1);
}

static void test_mode(void **state)
{
	struct dir *d = *state;
	mode_t old_umask = umask(027);
	struct outfile o;
	struct err e = { 0 };
	struct stat st;

	assert_int_equal(outfile_open(d->file, &o, &e), 0);
	assert_int_equal(outfile_commit(&o, &e), 0);
	assert_int_equal(stat(d->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(chmod(d->file, 0604), 0);
	assert_int_equal(outfile_open(d->file, &o, &e), 0);
	assert_int_equal(outfile_commit(&o, &e), 0);
	assert_int_equal(stat(d->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0604);
	umask(old_umask);
}

static void test_symlink_stays(void **state)
{
	struct dir *d = *state;
	char link[128], text[64];
	struct outfile o;
	struct err e = { 0 };
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", d->path);
	write_file(d->file, "old");
	assert_int_equal(symlink("out", link), 0);
	assert_int_equal(outfile_open(link, &o, &e), 0);
	fputs("new", o.f);
	assert_int_equal(outfile_commit(&o, &e), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	read_back(d->file, text, sizeof(text));
	assert_string_equal(text, "new");
}

static void test_full_disk(void **state)
{
	struct outfile o;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(outfile_open("/dev/full", &o, &e), 0);
	assert_null(o.tmp);
	fputs("lost", o.f);
	assert_int_equal(outfile_commit(&o, &e), -ENOSPC);
	assert_int_equal(e.class, ERR_FAILED);
	assert_non_null(strstr(e.msg, "/dev/full"));
}

/* The buffer was flushed, and failed, long before the commit. */
static void test_early_failure_is_remembered(void **state)
{
	struct outfile o;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(outfile_open("/dev/full", &o, &e), 0);
	fputs("lost", o.f);
	assert_int_not_equal(fflush(o.f), 0);
	errno = 0;
	assert_int_not_equal(outfile_commit(&o, &e), 0);
	assert_true(err_is_set(&e));
}

static void refuse(const char *path, const char *text)
{
	struct outfile o = { .path = (char *)"untouched" };
	struct err e = { 0 };

	assert_true(outfile_open(path, &o, &e) < 0);
	assert_non_null(strstr(e.msg, text));
	assert_string_equal(o.path, "untouched");
}

static void test_refusals(void **state)
{
	struct dir *d = *state;
	char path[5000];

	refuse("", "empty");
	refuse(d->path, "directory");
	snprintf(path, sizeof(path), "%s/absent/out", d->path);
	refuse(path, "no such directory");
	write_file(d->file, "x");
	snprintf(path, sizeof(path), "%s/out/below", d->path);
	refuse(path, "ot a directory");
	memset(path, 'n', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	refuse(path, "too long");
	assert_int_equal(count_entries(d, false), 1);
}

static void test_read_only_file(void **state)
{
	struct dir *d = *state;

	write_file(d->file, "x");
	assert_int_equal(chmod(d->file, 0444), 0);
	assert_int_equal(chmod(d->path, 0777), 0);
	/* root may write everywhere */
	if (!getuid())
		assert_int_equal(seteuid(65534), 0);
	refuse(d->file, "ermission denied");
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
}

static void test_stdout(void **state)
{
	struct outfile o;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(outfile_open("-", &o, &e), 0);
	assert_ptr_equal(o.f, stdout);
	assert_int_equal(outfile_commit(&o, &e), 0);
	assert_int_equal(outfile_open(NULL, &o, &e), 0);
	assert_ptr_equal(o.f, stdout);
	outfile_discard(&o);
	assert_true(fputs("", stdout) >= 0); /* still open */
}

static void test_same(void **state)
{
	struct dir *d = *state;
	char other[128], missing[128];

	snprintf(other, sizeof(other), "%s/./out", d->path);
	snprintf(missing, sizeof(missing), "%s/absent/out", d->path);
	/* not there yet, and then there */
	for (int i = 0; i < 2; i++) {
		assert_true(outfile_same(d->file, other));
		assert_false(outfile_same(d->file, d->path));
		assert_false(outfile_same(d->file, missing));
		write_file(d->file, "x");
	}
	snprintf(other, sizeof(other), "%s/link", d->path);
	assert_int_equal(symlink("out", other), 0);
	assert_true(outfile_same(d->file, other));
	/* Both may print to the same terminal. */
	assert_false(outfile_same("/dev/null", "/dev/null"));
}

static void test_flush_stream(void **state)
{
	_cleanup_fclose_ FILE *full = fopen("/dev/full", "w");
	_cleanup_fclose_ FILE *null = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(full);
	assert_non_null(null);
	fputs("x", null);
	assert_int_equal(outfile_flush_stream(null), 0);
	fputs("x", full);
	assert_int_not_equal(fflush(full), 0);
	errno = 0;
	/* The reason is still known when the write that failed is long ago. */
	assert_int_equal(outfile_flush_stream(full), ENOSPC);
	assert_string_equal(outfile_why(EPIPE), "closed pipe");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_appears_when_whole, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_discard_keeps_old, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_mode, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_symlink_stays, make_dir, remove_dir),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_early_failure_is_remembered),
		cmocka_unit_test_setup_teardown(test_refusals, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_read_only_file, make_dir, remove_dir),
		cmocka_unit_test(test_stdout),
		cmocka_unit_test_setup_teardown(test_same, make_dir, remove_dir),
		cmocka_unit_test(test_flush_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
