/* SPDX-License-Identifier: MIT */
#include "base/sys.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/point.h"

static int real_open(const char *path, int flags, mode_t mode)
{
	return open(path, flags, mode);
}

static int real_ofd_lock(int fd, int command, struct flock *lock)
{
	return fcntl(fd, command, lock);
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
	.ofd_lock = real_ofd_lock,
};

const struct ph__sys *ph__sys = &ph__sys_real;

#if PH_POINTS
void (*ph__point_hook)(const char *name);
#endif
