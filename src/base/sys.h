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
	int (*ofd_lock)(int fd, int command, struct flock *lock); /* fcntl with F_OFD_* */
};

extern PH_SHARED const struct ph__sys ph__sys_real;
extern PH_SHARED const struct ph__sys *ph__sys;

#endif
