/* SPDX-License-Identifier: MIT */
#include "shm/region.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/point.h"
#include "base/sys.h"

#define SHM_FOLDER "/dev/shm"

static uint64_t available_bytes(void)
{
	struct statvfs fs;
	return statvfs(SHM_FOLDER, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
}

static ph_status check_name(const char *name)
{
	size_t length = strlen(name);

	if (length == 0 || length >= PH__REGION_NAME_BYTES || name[0] == '.' || strchr(name, '/'))
		return ph__fail(PH_EINVAL,
				"'%s' cannot name a region: 1 to %d bytes, no '/', no '.' in front",
				name, PH__REGION_NAME_BYTES - 1);
	return PH_OK;
}

/* Opens a new object and locks it. -1 with EAGAIN: a sweep took it in between (invariant G1). */
static int open_locked(const char *path)
{
	struct stat st;
	int fd = ph__sys->shm_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -1;
	PH_POINT("region:between-open-and-lock");
	if (ph__sys->flock(fd, LOCK_EX) == 0) {
		if (fstat(fd, &st) == 0 && st.st_nlink > 0)
			return fd;
		errno = EAGAIN;
	} else {
		int kept = errno;
		ph__sys->shm_unlink(path);
		errno = kept;
	}
	int kept = errno;
	close(fd);
	errno = kept;
	return -1;
}

static ph_status reserve_and_map(struct ph__region *region, uint64_t length_bytes)
{
	if (ph__sys->fallocate(region->fd, 0, 0, (off_t)length_bytes) != 0) {
		if (errno == ENOSPC || errno == ENOMEM)
			return ph__fail(PH_ENOSPC,
					"shared memory is full: region %s needs %llu bytes, %s has "
					"%llu; make it "
					"larger (docker: --shm-size) or ask for smaller pictures",
					region->name, (unsigned long long)length_bytes, SHM_FOLDER,
					(unsigned long long)available_bytes());
		return ph__fail_errno("cannot reserve %llu bytes for region %s",
				      (unsigned long long)length_bytes, region->name);
	}
	PH_POINT("region:after-reserve");
	void *bytes = ph__sys->mmap(NULL, length_bytes, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_POPULATE, region->fd, 0);
	if (bytes == MAP_FAILED)
		return ph__fail_errno("cannot map region %s of %llu bytes", region->name,
				      (unsigned long long)length_bytes);
	region->bytes = bytes;
	region->capacity_bytes = length_bytes;
	return PH_OK;
}

ph_status ph__region_create(struct ph__region *region, const char *name, uint64_t length_bytes)
{
	char path[PH__REGION_NAME_BYTES + 1];

	*region = (struct ph__region){.fd = -1};
	ph_status status = check_name(name);
	if (status < 0)
		return status;
	if (length_bytes == 0 || length_bytes > INT64_MAX)
		return ph__fail(PH_EINVAL, "a region of %llu bytes cannot be",
				(unsigned long long)length_bytes);
	snprintf(region->name, sizeof(region->name), "%s", name);
	snprintf(path, sizeof(path), "/%s", name);
	do
		region->fd = open_locked(path);
	while (region->fd < 0 && errno == EAGAIN);
	if (region->fd < 0)
		return ph__fail_errno("cannot create region %s in %s", name, SHM_FOLDER);
	status = reserve_and_map(region, length_bytes);
	if (status < 0)
		ph__region_close(region);
	return status;
}

bool ph__region_is_whole(const struct ph__region *region)
{
	struct stat st;
	return fstat(region->fd, &st) == 0 && st.st_nlink > 0 &&
	       (uint64_t)st.st_size >= region->capacity_bytes;
}

void ph__region_close(struct ph__region *region)
{
	char path[PH__REGION_NAME_BYTES + 1];
	int kept = errno;

	if (region->bytes)
		ph__sys->munmap(region->bytes, region->capacity_bytes);
	if (region->fd >= 0) {
		snprintf(path, sizeof(path), "/%s", region->name);
		ph__sys->shm_unlink(path);
		PH_POINT("region:between-unlink-and-unlock");
		close(region->fd); /* drops the lock, after the name is gone */
	}
	*region = (struct ph__region){.fd = -1};
	errno = kept;
}

/* Removes one name if nobody owns what it stands for. The lock is held while the name goes, and the
 * name must still stand for the object that was locked. */
static bool remove_if_orphaned(int folder, const char *name)
{
	struct stat opened, named;
	bool removed = false;
	int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	if (fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
	    ph__sys->flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
		removed = unlinkat(folder, name, 0) == 0;
	close(fd);
	return removed;
}

uint32_t ph__region_sweep(int (*is_ours)(const char *name))
{
	uint32_t removed_count = 0;
	DIR *folder = opendir(SHM_FOLDER);

	if (!folder)
		return 0;
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (!is_ours(entry->d_name) || !remove_if_orphaned(dirfd(folder), entry->d_name))
			continue;
		ph__log(PH_LOG_INFO, "removed %s/%s, which a dead server left", SHM_FOLDER,
			entry->d_name);
		removed_count++;
	}
	closedir(folder);
	return removed_count;
}
