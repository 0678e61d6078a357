/* SPDX-License-Identifier: MIT */
#include "base/sys.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/point.h"

static int real_open(const char *path, int flags, mode_t mode)
{
	return open(path, flags, mode);
}

static int real_lock(int fd, int command, struct flock *lock)
{
	return fcntl(fd, command, lock);
}

/* Number 449 on every machine since Linux 5.16; the C library has no wrapper. */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static_assert(sizeof(pthread_t) == sizeof(unsigned long), "sys.h passes threads as unsigned long");

static int add_seals(int fd, int seals)
{
	return fcntl(fd, F_ADD_SEALS, seals);
}

static int bind_socket(int fd, const struct sockaddr *address, unsigned length)
{
	return bind(fd, address, length);
}

static int connect_socket(int fd, const struct sockaddr *address, unsigned length)
{
	return connect(fd, address, length);
}

static int accept_socket(int fd, struct sockaddr *address, unsigned *length, int flags)
{
	return accept4(fd, address, length, flags);
}

static int create_thread(unsigned long *thread, void *(*run)(void *), void *context)
{
	sigset_t all, before;

	/* Handlers of the program run in its own threads, not in ours. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int wait_for_futexes(void *words, unsigned count, const void *deadline)
{
	return (int)syscall(SYS_futex_waitv, words, count, 0, deadline, CLOCK_MONOTONIC);
}

const struct ph__sys ph__sys_real = {
	.realloc = realloc,
	.calloc = calloc,
	.free = free,
	.shm_open = shm_open,
	.shm_unlink = shm_unlink,
	.ftruncate = ftruncate,
	.fallocate = fallocate,
	.flock = flock,
	.mmap = mmap,
	.munmap = munmap,
	.madvise = madvise,
	.open = real_open,
	.linkat = linkat,
	.unlink = unlink,
	.lock = real_lock,
	.memfd_create = memfd_create,
	.add_seals = add_seals,
	.socket = socket,
	.bind = bind_socket,
	.listen = listen,
	.connect = connect_socket,
	.accept4 = accept_socket,
	.sendmsg = sendmsg,
	.recvmsg = recvmsg,
	.eventfd = eventfd,
	.epoll_create1 = epoll_create1,
	.thread_create = create_thread,
	.futex_waitv = wait_for_futexes,
};

const struct ph__sys *ph__sys = &ph__sys_real;

#if PH_POINTS
void (*ph__point_hook)(const char *name);
#endif
