/* SPDX-License-Identifier: MIT */
#include "shm/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/point.h"
#include "base/sys.h"

#define FOLDER "/tmp/zerobuffer"

static bool is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Shared by all users, as /tmp is: the first one to come must not keep the others out. */
static void make_folder(void)
{
	if (mkdir(FOLDER, 0700) == 0)
		chmod(FOLDER, 01777);
}

static void choose_paths(struct ph__lockfile *lock, const char *name)
{
	const char *temporary = getenv("TMPDIR");
	char folder[PATH_MAX];

	for (int i = 0; i < PH__LOCK_FILES; i++) {
		lock->files[i].held = (struct ph__lease){.fd = -1};
		lock->files[i].path[0] = '\0';
	}
	make_folder();
	if (is_folder(FOLDER))
		snprintf(lock->files[0].path, PATH_MAX, FOLDER "/%s.lock", name);
	int length = snprintf(folder, sizeof(folder), "%s/zerobuffer/locks",
			      temporary && *temporary ? temporary : "/tmp");
	if (length < PATH_MAX - PATH_MAX / 8 && is_folder(folder))
		snprintf(lock->files[1].path, PATH_MAX, "%.*s/%s.lock", length, folder, name);
}

static bool names_this_file(const char *path, int fd)
{
	struct stat named, held;

	return lstat(path, &named) == 0 && fstat(fd, &held) == 0 && named.st_ino == held.st_ino &&
	       named.st_dev == held.st_dev;
}

enum take { TAKEN, PASSED_OVER, BUSY, AGAIN, FAILED };

static enum take lock_once(const char *path, int *fd, bool *was_stale)
{
	bool is_new = true;

	*fd = ph__sys->open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (*fd < 0 && errno == EEXIST) {
		is_new = false;
		*fd = ph__sys->open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
		if (*fd < 0 && errno == ENOENT)
			return AGAIN; /* its owner has just removed it */
	}
	if (*fd < 0)
		return errno == EACCES || errno == EPERM || errno == EROFS ? PASSED_OVER : FAILED;
	PH_POINT("lockfile:before-lock");
	if (ph__sys->flock(*fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK || errno == EINTR)
			return errno == EINTR ? AGAIN : BUSY;
		if (is_new)
			ph__sys->unlink(path);
		return FAILED;
	}
	PH_POINT("lockfile:after-lock");
	/* A stock reader's sweep may have removed the file between open and flock: then this is the
	 * lock of a file that nobody else will ever find. */
	if (!names_this_file(path, *fd))
		return AGAIN;
	*was_stale = !is_new;
	return TAKEN;
}

/* A sweep holds each lock for a moment; only a lock that stays held belongs to a reader. */
static ph_status take_one(const char *path, int *fd, bool *was_stale)
{
	enum { TRIES = 8, PAUSE_NS = 2000000 };
	enum take result = BUSY;

	for (int i = 0; i < TRIES; i++) {
		result = lock_once(path, fd, was_stale);
		if (result == TAKEN || result == PASSED_OVER || result == FAILED)
			break;
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		if (i + 1 < TRIES)
			nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	}
	if (result == TAKEN || result == PASSED_OVER)
		return PH_OK;
	if (result == FAILED) {
		ph_status status = ph__fail_errno("cannot lock %s", path);
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		return status;
	}
	return ph__fail(PH_EEXIST, "%s is locked: a reader of that name lives; choose another name",
			path);
}

ph_status ph__lockfile_take(struct ph__lockfile *lock, const char *name)
{
	choose_paths(lock, name);
	lock->was_stale = false;
	for (int i = 0; i < PH__LOCK_FILES; i++) {
		bool was_stale = false;
		if (!lock->files[i].path[0])
			continue;
		int fd = -1;
		ph_status status = take_one(lock->files[i].path, &fd, &was_stale);
		if (fd >= 0)
			ph__lease_adopt(&lock->files[i].held, fd);
		lock->was_stale |= was_stale;
		if (status < 0) {
			ph__lockfile_drop(lock);
			return status;
		}
	}
	return PH_OK;
}

void ph__lockfile_drop(struct ph__lockfile *lock)
{
	for (int i = 0; i < PH__LOCK_FILES; i++) {
		if (lock->files[i].held.fd < 0)
			continue;
		/* Removed while it is held: nobody can lock the file and lose it to this. */
		PH_POINT("lockfile:before-unlink");
		if (names_this_file(lock->files[i].path, lock->files[i].held.fd))
			ph__sys->unlink(lock->files[i].path);
		PH_POINT("lockfile:after-unlink");
		ph__lease_drop(&lock->files[i].held);
	}
}
