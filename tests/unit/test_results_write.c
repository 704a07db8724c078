// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing results files: what is on the disk at each moment, leftovers, locks, full disks, special files. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/results_json.h"
#include "lib/cleanup.h"

struct fixture {
	char dir[64], path[128], partial[160];
	struct results res;
};

static void add_row(struct results *res, const char *bench)
{
	struct row *row = results_add_row(res);

	assert_non_null(row);
	snprintf(row->point.bench, sizeof(row->point.bench), "%s", bench);
	for (int i = 0; i < 7; i++) {
		const struct rep rep = {
			.trial = i, .cpu = -1, .ghz = NAN, .gross = 5 + i, .overhead = 0.5, .setup_ms = NAN
		};

		assert_int_equal(row_add_rep(row, &rep), 0);
	}
}

static int set_up(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	int r = -1;

	assert_non_null(fx);
	/* Another name when one is left from a test that crashed. */
	for (int i = 0; r < 0 && i < 1000; i++) {
		snprintf(fx->dir, sizeof(fx->dir), "/tmp/lsbench-unit-%d-%d", getpid(), i);
		r = mkdir(fx->dir, 0700);
	}
	assert_int_equal(r, 0);
	snprintf(fx->path, sizeof(fx->path), "%s/r.json", fx->dir);
	snprintf(fx->partial, sizeof(fx->partial), "%s.partial", fx->path);
	results_init(&fx->res);
	snprintf(fx->res.run.unit, sizeof(fx->res.run.unit), "ns");
	add_row(&fx->res, "a");
	add_row(&fx->res, "b");
	results_summarize(&fx->res);
	*state = fx;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fx = *state;
	DIR *dir = opendir(fx->dir);

	for (struct dirent *d; dir && (d = readdir(dir));)
		if (d->d_name[0] != '.')
			unlinkat(dirfd(dir), d->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(fx->dir);
	results_free(&fx->res);
	free(fx);
	return 0;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static void write_text(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
}

static void assert_text(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char buf[256];

	assert_non_null(f);
	buf[fread(buf, 1, sizeof(buf) - 1, f)] = '\0';
	assert_string_equal(buf, text);
}

static struct results_writer *open_ok(struct fixture *fx)
{
	struct results_writer *w = NULL;
	struct err e = { 0 };

	if (results_writer_open(fx->path, &fx->res.run, &w, &e) < 0)
		fail_msg("%s", e.msg);
	assert_non_null(w);
	return w;
}

static void assert_open_fails(const char *path, const char *message)
{
	struct results_writer *w = NULL;
	struct run_info run = { .unit = "ns" };
	struct err e = { 0 };

	assert_true(results_writer_open(path, &run, &w, &e) < 0);
	assert_null(w);
	assert_int_equal(e.class, ERR_FAILED);
	if (!strstr(e.msg, message))
		fail_msg("%s: %s", path, e.msg);
	assert_null(strchr(e.msg, '\n'));
}

static void every_repetition_is_kept_at_once(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = open_ok(fx);
	struct err e = { 0 };

	assert_true(exists(fx->partial));
	for (int i = 0; i < 7; i++) {
		struct results now;

		assert_int_equal(results_writer_batch(w, &fx->res.rows[1], i, 0, 5.0, NAN, &e), 0);
		assert_int_equal(results_writer_rep(w, &fx->res.rows[1], &fx->res.rows[1].reps[i], &e), 0);
		/* Another process reads this while we write. */
		results_init(&now);
		assert_int_equal(results_read(fx->partial, &now, &e), 0);
		assert_true(now.partial);
		assert_int_equal(now.rows[0].nr_reps, i + 1);
		assert_int_equal(now.run.nr_warnings, 1);
		results_free(&now);
	}
	assert_int_equal(results_writer_point(w, &fx->res.rows[1], &e), 0);
	assert_false(exists(fx->path));
	fx->res.run.setup_hash_ms = 7;
	run_warn(&fx->res.run, "known at the end only");
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, true, 3, &e), 0);
	assert_false(exists(fx->partial));
}

static void a_finished_file_is_whole(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w;
	struct results back;
	struct err e = { 0 };

	/* What was there before stays until the new one is complete. */
	write_text(fx->path, "old");
	w = open_ok(fx);
	for (int r = 1; r >= 0; r--) {
		for (int i = 0; i < 7; i++)
			assert_int_equal(results_writer_rep(w, &fx->res.rows[r], &fx->res.rows[r].reps[i], &e), 0);
		assert_int_equal(results_writer_point(w, &fx->res.rows[r], &e), 0);
	}
	assert_text(fx->path, "old");
	fx->res.run.setup_hash_ms = 7;
	run_warn(&fx->res.run, "known at the end only");
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, true, 1, &e), 0);
	results_init(&back);
	assert_int_equal(results_read(fx->path, &back, &e), 0);
	assert_false(back.partial);
	assert_int_equal(back.exit_status, 1);
	assert_int_equal(back.nr_rows, 2);
	assert_string_equal(back.rows[0].point.bench, "a");
	assert_true(back.rows[0].gross.mid == 8);
	assert_true(back.run.setup_hash_ms == 7);
	assert_int_equal(back.run.nr_warnings, 1);
	assert_string_equal(back.run.warnings[0], "known at the end only");
	results_free(&back);
}

static void a_stopped_run_is_renamed_without_end_line(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = open_ok(fx);
	struct results back;
	struct err e = { 0 };

	assert_int_equal(results_writer_rep(w, &fx->res.rows[0], &fx->res.rows[0].reps[0], &e), 0);
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, false, 130, &e), 0);
	assert_false(exists(fx->partial));
	results_init(&back);
	assert_int_equal(results_read(fx->path, &back, &e), 0);
	assert_true(back.partial);
	results_free(&back);
}

static void leftovers_are_never_lost(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w;
	struct err e = { 0 };
	char one[192], two[192], three[192];

	snprintf(one, sizeof(one), "%s.1", fx->partial);
	snprintf(two, sizeof(two), "%s.2", fx->partial);
	snprintf(three, sizeof(three), "%s.3", fx->partial);
	write_text(fx->partial, "first");
	w = open_ok(fx);
	assert_text(one, "first");
	/* As after an error: the file stays, and the next run sets it aside, too. */
	assert_int_equal(results_writer_rep(w, &fx->res.rows[0], &fx->res.rows[0].reps[0], &e), 0);
	results_writer_abandon(w);
	assert_true(exists(fx->partial));
	write_text(two, "somebody's own");
	w = open_ok(fx);
	assert_text(one, "first");
	assert_text(two, "somebody's own");
	assert_true(exists(three));
	results_writer_abandon(w);
}

static void a_link_that_leads_nowhere_is_set_aside(void **state)
{
	struct fixture *fx = *state;
	char one[192];
	struct stat st;

	snprintf(one, sizeof(one), "%s.1", fx->partial);
	assert_int_equal(symlink("/nonexistent", fx->partial), 0);
	results_writer_discard(open_ok(fx));
	assert_int_equal(lstat(one, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(one);
}

static void discard_removes_only_its_own(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = open_ok(fx);

	results_writer_discard(w);
	assert_false(exists(fx->partial));
	w = open_ok(fx);
	unlink(fx->partial);
	write_text(fx->partial, "another measurement's");
	results_writer_discard(w);
	assert_text(fx->partial, "another measurement's");
	results_writer_discard(NULL);
}

static void a_measurement_still_running_is_not_disturbed(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = open_ok(fx);
	struct err e = { 0 };
	struct results back;
	char one[192];
	int status;
	pid_t child;

	snprintf(one, sizeof(one), "%s.1", fx->partial);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct results_writer *other = NULL;
		int r = results_writer_open(fx->path, &fx->res.run, &other, &e);

		_exit(r == -EBUSY && strstr(e.msg, "is being written by another lsbench") ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_false(exists(one));
	assert_open_fails(fx->path, "is being written by another lsbench");
	assert_int_equal(results_writer_rep(w, &fx->res.rows[0], &fx->res.rows[0].reps[0], &e), 0);
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, true, 0, &e), 0);
	results_init(&back);
	assert_int_equal(results_read(fx->path, &back, &e), 0);
	results_free(&back);
	/* And afterwards the name is free again. */
	results_writer_abandon(open_ok(fx));
}

static void names_that_cannot_be_written(void **state)
{
	struct fixture *fx = *state;
	char path[256];

	snprintf(path, sizeof(path), "%s/none/r.json", fx->dir);
	assert_open_fails(path, "the directory");
	assert_open_fails(path, "/none does not exist");
	assert_open_fails(fx->dir, "it is a directory");
	assert_open_fails("", "the file name is empty");
	assert_open_fails("/proc/self/nothing", "cannot write /proc/self/nothing: ");
	assert_open_fails("/dev/full", "cannot write /dev/full: No space left on device");
	snprintf(path, sizeof(path), "%s/r.json/x", fx->dir);
	write_text(fx->path, "a file");
	assert_open_fails(path, "Not a directory");
}

/* A limit on the size of files stands for a disk that is full: the last line fits only in part. */
static void a_full_disk_keeps_whole_lines(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = open_ok(fx);
	struct rlimit old, tight;
	struct results back;
	struct err e = { 0 };
	struct stat st;
	int kept = 0, r = 0;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(stat(fx->partial, &st), 0);
	tight = (struct rlimit){ .rlim_cur = (rlim_t)st.st_size + 1000, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	for (; kept < 7 && r == 0; kept += r == 0)
		r = results_writer_rep(w, &fx->res.rows[0], &fx->res.rows[0].reps[kept], &e);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_in_range(kept, 1, 6);
	assert_int_equal(r, -EFBIG);
	assert_non_null(strstr(e.msg, fx->partial));
	assert_non_null(strstr(e.msg, "repetitions written before are kept"));
	assert_non_null(strstr(e.msg, "another file system"));
	/* There is room again, but a line is missing: the error stays, and the name that promises a whole file never
	 * comes. */
	err_clear(&e);
	assert_int_equal(results_writer_point(w, &fx->res.rows[0], &e), -EFBIG);
	err_clear(&e);
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, true, 0, &e), -EFBIG);
	assert_false(exists(fx->path));
	err_clear(&e);
	results_init(&back);
	assert_int_equal(results_read(fx->partial, &back, &e), 0);
	assert_int_equal(back.rows[0].nr_reps, kept);
	assert_int_equal(back.run.nr_warnings, 1); /* no end line, but nothing is cut */
	results_free(&back);
}

static void special_files_are_written_in_place(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = NULL;
	struct err e = { 0 };
	char fifo[128], buf[8192];
	ssize_t n;
	int fd;

	snprintf(fifo, sizeof(fifo), "%s/fifo", fx->dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(results_writer_open(fifo, &fx->res.run, &w, &e), 0);
	assert_int_equal(results_writer_rep(w, &fx->res.rows[0], &fx->res.rows[0].reps[0], &e), 0);
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, true, 0, &e), 0);
	n = read(fd, buf, sizeof(buf) - 1);
	assert_true(n > 0);
	buf[n] = '\0';
	assert_non_null(strstr(buf, "\"kind\": \"run\""));
	assert_non_null(strstr(buf, "\"kind\": \"end\""));
	close(fd);
	snprintf(buf, sizeof(buf), "%s.partial", fifo);
	assert_false(exists(buf));
	assert_int_equal(results_writer_open("/dev/null", &fx->res.run, &w, &e), 0);
	assert_int_equal(results_writer_finish(w, &fx->res, NULL, true, 0, &e), 0);
	assert_false(exists("/dev/null.partial"));
}

static void a_reader_that_goes_away_is_an_error(void **state)
{
	struct fixture *fx = *state;
	struct results_writer *w = NULL;
	struct err e = { 0 };
	char fifo[128];
	int fd;

	signal(SIGPIPE, SIG_IGN);
	snprintf(fifo, sizeof(fifo), "%s/fifo", fx->dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_int_equal(results_writer_open(fifo, &fx->res.run, &w, &e), 0);
	close(fd);
	assert_int_equal(results_writer_rep(w, &fx->res.rows[0], &fx->res.rows[0].reps[0], &e), -EPIPE);
	assert_non_null(strstr(e.msg, fifo));
	results_writer_abandon(w);
}

static void no_writer_keeps_nothing(void **state)
{
	struct fixture *fx = *state;
	struct err e = { 0 };

	assert_int_equal(results_writer_rep(NULL, &fx->res.rows[0], &fx->res.rows[0].reps[0], &e), 0);
	assert_int_equal(results_writer_batch(NULL, &fx->res.rows[0], 0, 0, 1, 1, &e), 0);
	assert_int_equal(results_writer_point(NULL, &fx->res.rows[0], &e), 0);
	assert_int_equal(results_writer_finish(NULL, &fx->res, NULL, true, 0, &e), 0);
	results_writer_abandon(NULL);
	assert_false(err_is_set(&e));
}

static void a_stream_that_is_full_is_an_error(void **state)
{
	struct fixture *fx = *state;
	_cleanup_fclose_ FILE *f = fopen("/dev/full", "w");
	struct err e = { 0 };

	assert_non_null(f);
	assert_int_equal(results_write_all(&fx->res, NULL, f, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "No space left"));
}

int main(void)
{
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_DIR(every_repetition_is_kept_at_once),
		WITH_DIR(a_finished_file_is_whole),
		WITH_DIR(a_stopped_run_is_renamed_without_end_line),
		WITH_DIR(leftovers_are_never_lost),
		WITH_DIR(a_link_that_leads_nowhere_is_set_aside),
		WITH_DIR(discard_removes_only_its_own),
		WITH_DIR(a_measurement_still_running_is_not_disturbed),
		WITH_DIR(names_that_cannot_be_written),
		WITH_DIR(a_full_disk_keeps_whole_lines),
		WITH_DIR(special_files_are_written_in_place),
		WITH_DIR(a_reader_that_goes_away_is_an_error),
		WITH_DIR(no_writer_keeps_nothing),
		WITH_DIR(a_stream_that_is_full_is_an_error),
	};

	return cmocka_run_group_tests_name("results_write", tests, NULL, NULL);
}
