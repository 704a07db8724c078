// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals of a measurement, and the notice of another measurement at the same time.
 *
 * Not obvious: the state below is at file scope because a handler can have it nowhere else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/measure_lib.h"
#include "lib/cleanup.h"

#define STOP_SECONDS 5

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t current_phase;
static volatile pid_t owner;
static int stop_pipe[2] = { -1, -1 };

const char *measure_signal_name(int sig)
{
	return sig == SIGINT ? "SIGINT" : sig == SIGTERM ? "SIGTERM" : "SIGHUP";
}

static void say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored; /* a closed terminal: nobody left to tell */
}

/* Much longer than an orderly end takes: something we write to is stuck, such as a pipe that nobody reads. */
static void on_alarm(int sig)
{
	(void)sig;
	say("lsbench: stopped by ");
	say(measure_signal_name(stop_signal));
	say(" while an output did not take what was written to it; a results file may have stayed FILE.partial\n");
	_exit(128 + stop_signal);
}

static void on_signal(int sig)
{
	int saved = errno;
	ssize_t ignored;

	if (getpid() == owner && (current_phase == MEASURE_RUNNING || current_phase == MEASURE_OPENING)) {
		if (!stop_signal) {
			stop_signal = sig;
			alarm(STOP_SECONDS);
		}
		ignored = write(stop_pipe[1], "", 1); /* full: readable already */
		(void)ignored;
		errno = saved;
		return;
	}
	/* The terminal sends Ctrl-C to forked children, too: they end in silence. */
	if (getpid() == owner && current_phase == MEASURE_NOTHING_YET) {
		say("lsbench: stopped by ");
		say(measure_signal_name(sig));
		say(" before anything was measured\n");
	}
	_exit(128 + sig);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* With SA_RESTART a signal does not break the writing of a results file (the waits poll stop_fd); without it an open()
 * that waits for the reader of a fifo ends. */
static void let_restart(bool restart)
{
	struct sigaction sa;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		if (sigaction(signals[i], NULL, &sa) || sa.sa_handler != on_signal)
			continue;
		sa.sa_flags = restart ? SA_RESTART : 0;
		sigaction(signals[i], &sa, NULL);
	}
}

static int install(struct err *e)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, old;
	struct sigaction alarm_sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK))
		return err_set(e, ERR_MACHINE, -errno, "no pipe for signals: %s (ulimit -n?)", strerror(errno));
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&sa.sa_mask, signals[i]);
	if (sigaction(SIGALRM, &alarm_sa, NULL))
		return err_set(e, ERR_FAILED, -errno, "sigaction: %s", strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		/*
		 * nohup means it. An ignored SIGINT, though, is what a script's shell gives to every job in the
		 * background, and who sends it to such a job by hand wants it to stop.
		 */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		if (sigaction(signals[i], &sa, NULL))
			return err_set(e, ERR_FAILED, -errno, "sigaction: %s", strerror(errno));
	}
	return 0;
}

int measure_signals(enum measure_phase phase, struct err *e)
{
	int r = 0;

	current_phase = phase;
	owner = getpid();
	if (stop_pipe[0] < 0)
		r = install(e);
	let_restart(phase != MEASURE_OPENING);
	if (phase == MEASURE_PRINTING)
		alarm(0); /* who reads slowly may: another signal ends it */
	return r;
}

volatile sig_atomic_t *measure_stop_signal(void)
{
	return &stop_signal;
}

int measure_stop_fd(void)
{
	return stop_pipe[0];
}

/*
 * Every measurement binds the lowest free one of a few abstract datagram sockets, which need no file and vanish with
 * the process, and then sends a datagram to all others. Who could send knows that another one is running; who finds
 * a datagram knows that another one came later, even if it is gone again.
 */
#define NEIGHBOURS_MAX 16

static socklen_t neighbour_address(const char *engine, int number, struct sockaddr_un *ret)
{
	int len;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "lsbench-%s.%d", engine, number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

void measure_neighbours_open(struct measure_neighbours *n, const char *engine)
{
	struct sockaddr_un address;
	socklen_t len;
	int own;

	n->seen = false;
	n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (n->fd < 0)
		return;
	for (own = 0; own < NEIGHBOURS_MAX; own++) {
		len = neighbour_address(engine, own, &address);
		if (!bind(n->fd, (struct sockaddr *)&address, len))
			break;
		if (errno != EADDRINUSE)
			break;
	}
	for (int i = 0; i < NEIGHBOURS_MAX; i++) {
		if (i == own)
			continue;
		len = neighbour_address(engine, i, &address);
		/* EAGAIN: its queue is full, so it is there. */
		if (sendto(n->fd, "", 1, 0, (struct sockaddr *)&address, len) == 1 || errno == EAGAIN)
			n->seen = true;
	}
}

bool measure_neighbours_check(struct measure_neighbours *n)
{
	char byte;

	while (n->fd >= 0 && recv(n->fd, &byte, 1, 0) >= 0)
		n->seen = true;
	return n->seen;
}

void measure_neighbours_close(struct measure_neighbours *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}
