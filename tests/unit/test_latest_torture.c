/* SPDX-License-Identifier: MIT */
/* Every call that can fail is failed in turn: an error comes back and nothing is left behind. */
#include "latest_help.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/sys.h"

#define SMALL PH_LATEST_OPTIONS(.frame_bytes = 4096, .max_readers = 2)

static _Atomic int calls_until_failure = -1;

static bool fails(int number)
{
	if (atomic_fetch_sub(&calls_until_failure, 1) != 0)
		return false;
	errno = number;
	return true;
}

static void *t_calloc(size_t n, size_t size)
{
	return fails(ENOMEM) ? NULL : calloc(n, size);
}
static int t_ftruncate(int fd, off_t n)
{
	return fails(EFBIG) ? -1 : ftruncate(fd, n);
}
static int t_fallocate(int fd, int m, off_t a, off_t n)
{
	return fails(ENOSPC) ? -1 : ph__sys_real.fallocate(fd, m, a, n);
}
static int t_flock(int fd, int op)
{
	return fails(ENOLCK) ? -1 : ph__sys_real.flock(fd, op);
}
static void *t_mmap(void *h, size_t n, int p, int f, int fd, off_t o)
{
	return fails(ENOMEM) ? MAP_FAILED : mmap(h, n, p, f, fd, o);
}
static int t_memfd_create(const char *l, unsigned f)
{
	return fails(EMFILE) ? -1 : memfd_create(l, f);
}
static int t_add_seals(int fd, int s)
{
	return fails(EPERM) ? -1 : ph__sys_real.add_seals(fd, s);
}
static int t_socket(int d, int t, int p)
{
	return fails(EMFILE) ? -1 : ph__sys_real.socket(d, t, p);
}
static int t_bind(int fd, const struct sockaddr *a, unsigned n)
{
	return fails(ENOSPC) ? -1 : ph__sys_real.bind(fd, a, n);
}
static int t_listen(int fd, int n)
{
	return fails(EADDRINUSE) ? -1 : ph__sys_real.listen(fd, n);
}
static int t_connect(int fd, const struct sockaddr *a, unsigned n)
{
	return fails(ECONNREFUSED) ? -1 : ph__sys_real.connect(fd, a, n);
}
static int t_accept4(int fd, struct sockaddr *a, unsigned *n, int f)
{
	return fails(EMFILE) ? -1 : ph__sys_real.accept4(fd, a, n, f);
}
static ssize_t t_sendmsg(int fd, const struct msghdr *m, int f)
{
	return fails(EPIPE) ? -1 : ph__sys_real.sendmsg(fd, m, f);
}
static ssize_t t_recvmsg(int fd, struct msghdr *m, int f)
{
	return fails(ECONNRESET) ? -1 : ph__sys_real.recvmsg(fd, m, f);
}
static int t_eventfd(unsigned s, int f)
{
	return fails(EMFILE) ? -1 : ph__sys_real.eventfd(s, f);
}
static int t_epoll_create1(int f)
{
	return fails(EMFILE) ? -1 : ph__sys_real.epoll_create1(f);
}
static int t_thread_create(unsigned long *t, void *(*run)(void *), void *c)
{
	return fails(EAGAIN) ? EAGAIN : ph__sys_real.thread_create(t, run, c);
}

static struct ph__sys torture;

static void start_torture(void)
{
	torture = ph__sys_real;
	torture.calloc = t_calloc;
	torture.ftruncate = t_ftruncate;
	torture.fallocate = t_fallocate;
	torture.flock = t_flock;
	torture.mmap = t_mmap;
	torture.memfd_create = t_memfd_create;
	torture.add_seals = t_add_seals;
	torture.socket = t_socket;
	torture.bind = t_bind;
	torture.listen = t_listen;
	torture.connect = t_connect;
	torture.accept4 = t_accept4;
	torture.sendmsg = t_sendmsg;
	torture.recvmsg = t_recvmsg;
	torture.eventfd = t_eventfd;
	torture.epoll_create1 = t_epoll_create1;
	torture.thread_create = t_thread_create;
	ph__sys = &torture;
}

/* The runner checks that no descriptor is left, sanitizers that no memory is. */
TEST(every_failed_call_of_create_leaves_nothing_behind)
{
	ph_latest *writer = NULL;
	int nth;

	channel_name();
	start_torture();
	for (nth = 0;; nth++) {
		atomic_store(&calls_until_failure, nth);
		ph_status status = ph_latest_create(channel_name(), SMALL, &writer);
		if (status == PH_OK)
			break;
		assert_null(writer);
		assert_int_not_equal(ph_last_error()[0], '\0');
		assert_int_not_equal(access(channel_name(), F_OK), 0);
	}
	/* calloc 2, flock, socket, bind, listen; twice memfd_create, ftruncate, fallocate, mmap,
	 * add_seals; epoll_create1, eventfd 2, thread_create 2 */
	assert_int_equal(nth, 21);
	ph_latest_close(&writer);
}

TEST(every_failed_call_of_resize_changes_nothing)
{
	start_torture(); /* before there is a thread that reads the table */
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;
	uint64_t sequence = 0;
	int nth;

	for (nth = 0;; nth++) {
		atomic_store(&calls_until_failure, nth);
		ph_status status =
		    ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = 16384));
		atomic_store(&calls_until_failure, -1);
		publish_words(writer, ++sequence, 8);
		assert_ok(ph_latest_acquire(reader, -1, &frame));
		assert_int_equal(frame.frame.sequence, sequence);
		assert_ok(ph_latest_release(reader, &frame));
		if (status == PH_OK)
			break;
	}
	assert_int_equal(nth, 6); /* calloc, memfd_create, ftruncate, fallocate, mmap, add_seals */
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

static pid_t start_writer(void)
{
	channel_name();
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ph_latest *writer = create_with(SMALL);
		publish_words(writer, 1, 8);
		for (;;)
			pause();
	}
	ph_latest *probe;
	while (ph_latest_open(channel_name(), NULL, &probe) != PH_OK)
		sleep_ms(1);
	ph_latest_close(&probe);
	return child;
}

TEST(every_failed_call_of_open_leaves_nothing_behind)
{
	pid_t writer = start_writer();
	ph_latest *reader = NULL;
	ph_latest_frame frame;
	int nth;

	start_torture();
	for (nth = 0;; nth++) {
		/* Shares of those that failed come back a moment later: those refusals do not
		 * count. */
		ph_status status;
		do {
			atomic_store(&calls_until_failure, nth);
			status = ph_latest_open(channel_name(), NULL, &reader);
		} while (status == PH_ENOSPC && strstr(ph_last_error(), "no room"));
		if (status == PH_OK)
			break;
		assert_null(reader);
		assert_int_not_equal(ph_last_error()[0], '\0');
	}
	/* calloc, socket, connect, sendmsg, recvmsg, mmap 2, calloc, mmap */
	assert_int_equal(nth, 9);
	atomic_store(&calls_until_failure, -1);
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	ph_latest_close(&reader);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
}

/* The writer's service thread runs out of this and that while readers come. */
TEST(a_writer_that_cannot_admit_a_reader_goes_on)
{
	start_torture();
	ph_latest *writer = create_with(SMALL);
	uint64_t sequence = 0;

	for (int nth = 0; nth < 16; nth++) {
		atomic_store(&calls_until_failure, -1);
		fflush(NULL);
		pid_t child = fork();
		if (child == 0) {
			ph_latest *reader;
			ph__sys = &ph__sys_real;
			sleep_ms(20);
			ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.timeout_ns = 200000000),
				       &reader);
			ph_latest_close(&reader);
			_exit(0);
		}
		atomic_store(&calls_until_failure, nth);
		waitpid(child, NULL, 0);
		atomic_store(&calls_until_failure, -1);
		publish_words(writer, ++sequence, 8);
		ph_latest *reader;
		ph_latest_frame frame;
		while (ph_latest_open(channel_name(), NULL, &reader) != PH_OK)
			sleep_ms(1);
		assert_ok(ph_latest_acquire(reader, -1, &frame));
		assert_int_equal(frame.frame.sequence, sequence);
		ph_latest_close(&reader);
	}
	ph_latest_close(&writer);
}
