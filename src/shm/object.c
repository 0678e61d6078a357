/* SPDX-License-Identifier: MIT */
#include "shm/object.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/point.h"
#include "base/sys.h"

#define FOLDER "/dev/shm"

static ph_status map(struct ph__object *object)
{
	struct stat st;

	if (fstat(object->fd, &st) != 0)
		return ph__fail_errno("cannot look at shared memory \"%s\"", object->name);
	void *base = ph__sys->mmap(NULL, object->length_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				   object->fd, 0);
	if (base == MAP_FAILED)
		return ph__fail_errno("cannot map the %" PRIu64 " bytes of shared memory \"%s\"",
				      object->length_bytes, object->name);
	object->base = base;
	object->device = st.st_dev;
	object->inode = st.st_ino;
	/* A child that kept the mapping would keep the file, and with it its parent's lease. */
	if (ph__sys->madvise(base, object->length_bytes, MADV_DONTFORK) != 0)
		return ph__fail_errno("cannot keep \"%s\" out of forked children", object->name);
	return PH_OK;
}

static ph_status reserve(int fd, uint64_t length_bytes)
{
	struct statvfs room;

	while (ph__sys->fallocate(fd, 0, 0, (off_t)length_bytes) != 0) {
		if (errno == EINTR)
			continue;
		if (errno != ENOSPC || fstatvfs(fd, &room) != 0)
			return ph__fail_errno("cannot reserve %" PRIu64 " bytes of shared memory",
					      length_bytes);
		return ph__fail(PH_ENOSPC,
				FOLDER " is too small: %" PRIu64 " bytes are needed, %" PRIu64
				       " are available; make it larger (docker: --shm-size) or ask "
				       "for less",
				length_bytes, (uint64_t)room.f_bavail * room.f_frsize);
	}
	return PH_OK;
}

ph_status ph__object_make(struct ph__object *object, uint64_t length_bytes, mode_t mode)
{
	*object = (struct ph__object){.fd = -1, .length_bytes = length_bytes};
	object->fd = ph__sys->open(FOLDER, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (object->fd < 0)
		return ph__fail_errno("cannot make a file in " FOLDER);

	ph_status status = reserve(object->fd, length_bytes);
	if (status == PH_OK && fchmod(object->fd, mode) != 0)
		status = ph__fail_errno("cannot set mode %o", (unsigned)mode);
	if (status == PH_OK)
		status = map(object);
	if (status < 0)
		ph__object_close(object);
	return status;
}

ph_status ph__object_link(struct ph__object *object, int fd, const char *name)
{
	char from[32], to[sizeof(FOLDER) + PH__NAME_BYTES];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	snprintf(to, sizeof(to), FOLDER "/%s", name);
	PH_POINT("object:before-link");
	if (ph__sys->linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) != 0)
		return ph__fail_errno("cannot give %s its name", to);
	PH_POINT("object:after-link");
	snprintf(object->name, sizeof(object->name), "%s", name);
	return PH_OK;
}

static ph_status check_file(const struct ph__object *object, uint64_t least_bytes,
			    uint64_t *length_bytes)
{
	struct stat st;

	if (fstat(object->fd, &st) != 0)
		return ph__fail_errno("cannot look at shared memory \"%s\"", object->name);
	if (!S_ISREG(st.st_mode))
		return ph__fail(PH_EFORMAT, FOLDER "/%s is no plain file", object->name);
	if ((uint64_t)st.st_size < least_bytes)
		return ph__fail(PH_EFORMAT,
				FOLDER "/%s has %lld bytes, at least %" PRIu64 " are needed",
				object->name, (long long)st.st_size, least_bytes);
	*length_bytes = (uint64_t)st.st_size;
	return PH_OK;
}

ph_status ph__object_open(struct ph__object *object, const char *name, uint64_t least_bytes)
{
	*object = (struct ph__object){.fd = -1};
	snprintf(object->name, sizeof(object->name), "%s", name);
	/* shm_open() adds O_NOFOLLOW, O_CLOEXEC and O_NONBLOCK. */
	object->fd = ph__sys->shm_open(name, O_RDWR, 0);
	if (object->fd < 0)
		return ph__fail_errno("cannot open shared memory \"%s\"", name);

	ph_status status = check_file(object, least_bytes, &object->length_bytes);
	if (status == PH_OK)
		status = map(object);
	if (status < 0)
		ph__object_close(object);
	return status;
}

bool ph__object_is_linked(const struct ph__object *object)
{
	char path[sizeof(FOLDER) + PH__NAME_BYTES];
	struct stat st;

	snprintf(path, sizeof(path), FOLDER "/%s", object->name);
	return object->name[0] && lstat(path, &st) == 0 && st.st_dev == object->device &&
	       st.st_ino == object->inode;
}

void ph__object_unlink(const struct ph__object *object)
{
	if (!ph__object_is_linked(object))
		return;
	PH_POINT("object:before-unlink");
	ph__sys->shm_unlink(object->name);
	PH_POINT("object:after-unlink");
}

void ph__object_close_file(struct ph__object *object)
{
	int kept = errno;

	if (object->fd >= 0)
		close(object->fd);
	object->fd = -1;
	errno = kept;
}

void ph__object_close(struct ph__object *object)
{
	int kept = errno;

	if (object->base)
		ph__sys->munmap(object->base, object->length_bytes);
	ph__object_close_file(object);
	*object = (struct ph__object){.fd = -1};
	errno = kept;
}
