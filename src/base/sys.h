/* SPDX-License-Identifier: MIT */
/* Every call of the core that leaves the process and can fail, in one table. Production uses the
 * real one; tests point ph__sys at a table that fails on command. tools/check_style.py finds calls
 * that go around it. */
#ifndef BASE_SYS_H
#define BASE_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

struct msghdr;
struct sockaddr;

struct ph__sys {
	void *(*realloc)(void *memory, size_t size);
	void *(*calloc)(size_t count, size_t size);
	void (*free)(void *memory);
	int (*shm_open)(const char *name, int flags, mode_t mode);
	int (*shm_unlink)(const char *name);
	int (*ftruncate)(int fd, off_t length);
	int (*fallocate)(int fd, int mode, off_t offset, off_t length);
	int (*flock)(int fd, int operation);
	void *(*mmap)(void *hint, size_t length, int prot, int flags, int fd, off_t offset);
	int (*munmap)(void *memory, size_t length);
	int (*madvise)(void *memory, size_t length, int advice);
	int (*open)(const char *path, int flags, mode_t mode);
	int (*linkat)(int from_folder, const char *from, int to_folder, const char *to, int flags);
	int (*unlink)(const char *path);
	int (*lock)(int fd, int command, struct flock *lock); /* fcntl */
	int (*memfd_create)(const char *label, unsigned flags);
	int (*add_seals)(int fd, int seals); /* fcntl(F_ADD_SEALS) */
	int (*socket)(int domain, int type, int protocol);
	int (*bind)(int fd, const struct sockaddr *address, unsigned length);
	int (*listen)(int fd, int backlog);
	int (*connect)(int fd, const struct sockaddr *address, unsigned length);
	int (*accept4)(int fd, struct sockaddr *address, unsigned *length, int flags);
	ssize_t (*sendmsg)(int fd, const struct msghdr *message, int flags);
	ssize_t (*recvmsg)(int fd, struct msghdr *message, int flags);
	int (*eventfd)(unsigned start, int flags);
	int (*epoll_create1)(int flags);
	/* pthread_create() with default attributes and every signal blocked in the new thread. */
	int (*thread_create)(unsigned long *thread, void *(*run)(void *), void *context);
	/* struct futex_waitv *words; an absolute struct timespec on CLOCK_MONOTONIC, or NULL. */
	int (*futex_waitv)(void *words, unsigned count, const void *deadline);
};

extern PH_SHARED const struct ph__sys ph__sys_real;
extern PH_SHARED const struct ph__sys *ph__sys;

#endif
