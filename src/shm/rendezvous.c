/* SPDX-License-Identifier: MIT */
#include "shm/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/point.h"
#include "base/sys.h"

enum { NAME_LIMIT = 64, BACKLOG = 64, RETRY_NS = 1000000 };
#define LOCK_TIMEOUT_NS INT64_C(1000000000)

static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

struct where {
	char folder[PH__RENDEZVOUS_PATH_BYTES];
	char path[PH__RENDEZVOUS_PATH_BYTES];
	bool is_ours; /* the folder: we make it and answer for who may enter */
};

static bool format(char out[PH__RENDEZVOUS_PATH_BYTES], const char *first, const char *second,
		   const char *third, const char *fourth)
{
	int length =
	    snprintf(out, PH__RENDEZVOUS_PATH_BYTES, "%s%s%s%s", first, second, third, fourth);
	return length > 0 && length < PH__RENDEZVOUS_PATH_BYTES;
}

static ph_status locate_path(struct where *where, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t folder_length = slash == path ? 1 : (size_t)(slash - path);

	if (slash[1] == '\0' || !format(where->path, path, "", "", ""))
		return ph__fail(PH_EINVAL,
				"'%s' is no path of a socket: at most %d bytes, and no folder",
				path, PH__RENDEZVOUS_PATH_BYTES - 1);
	memcpy(where->folder, path, folder_length);
	where->folder[folder_length] = '\0';
	where->is_ours = false;
	return PH_OK;
}

static ph_status locate(struct where *where, const char *name, const char *kind)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char user[32];
	bool fits;

	if (!name)
		return ph__fail(PH_EINVAL, "a %s channel needs a name", kind);
	if (name[0] == '/')
		return locate_path(where, name);
	size_t length = strlen(name);
	if (length == 0 || length > NAME_LIMIT || name[0] == '.' || strspn(name, allowed) != length)
		return ph__fail(PH_EINVAL,
				"'%.80s' is no name: 1 to %d of A-Z a-z 0-9 . _ -, not first a dot",
				name, NAME_LIMIT);
	if (runtime && runtime[0] == '/') {
		fits = format(where->folder, runtime, "/pinhole", "", "");
	} else {
		snprintf(user, sizeof(user), "%u", (unsigned)geteuid());
		fits = format(where->folder, "/tmp/pinhole-", user, "", "");
	}
	where->is_ours = true;
	if (!fits || snprintf(where->path, sizeof(where->path), "%s/%s.%s", where->folder, name,
			      kind) >= PH__RENDEZVOUS_PATH_BYTES)
		return ph__fail(PH_EINVAL,
				"the socket of '%s' would have a path longer than %d bytes: "
				"set XDG_RUNTIME_DIR to a shorter one",
				name, PH__RENDEZVOUS_PATH_BYTES - 1);
	return PH_OK;
}

/* /tmp is everybody's: a folder there is ours only if we own it and nobody else may enter. */
static ph_status open_folder(const struct where *where, bool make, int *fd)
{
	struct stat st;

	if (where->is_ours && make && mkdir(where->folder, 0700) != 0 && errno != EEXIST)
		return ph__fail_errno("make %s", where->folder);
	*fd = open(where->folder,
		   O_RDONLY | O_DIRECTORY | O_CLOEXEC | (where->is_ours ? O_NOFOLLOW : 0));
	if (*fd < 0)
		return ph__fail_errno("open the folder %s", where->folder);
	if (!where->is_ours ||
	    (fstat(*fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0))
		return PH_OK;
	close(*fd);
	*fd = -1;
	return ph__fail(PH_EPERM, "the folder %s must be this user's, with mode 0700: remove it",
			where->folder);
}

static int new_socket(const char *path, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, path, strlen(path) + 1);
	return ph__sys->socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int new_guarded_socket(const char *path, struct sockaddr_un *address,
			      struct ph__forkguard *guard)
{
	ph__forkguard_pause();
	int fd = new_socket(path, address);
	if (fd >= 0)
		ph__forkguard_add(guard, fd);
	ph__forkguard_resume();
	return fd;
}

static int connect_to(int fd, const struct sockaddr_un *address)
{
	int result;
	do
		result = ph__sys->connect(fd, (const struct sockaddr *)address, sizeof(*address));
	while (result != 0 && errno == EINTR);
	return result;
}

/* A socket file that refuses was left by a dead process. The folder is locked, so nobody is between
 * bind() and listen(). */
static bool is_stale(const char *path)
{
	struct sockaddr_un address;
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	int fd = new_socket(path, &address);
	if (fd < 0)
		return false;
	bool stale = connect_to(fd, &address) != 0 && errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static ph_status bind_and_listen(struct ph__rendezvous *place, const struct sockaddr_un *address,
				 unsigned mode)
{
	struct stat st;
	int result = ph__sys->bind(place->fd, (const struct sockaddr *)address, sizeof(*address));

	if (result != 0 && errno == EADDRINUSE && is_stale(place->path)) {
		PH_POINT("create:before-unlink-stale");
		unlink(place->path);
		result =
		    ph__sys->bind(place->fd, (const struct sockaddr *)address, sizeof(*address));
	}
	if (result != 0 && errno == EADDRINUSE)
		return ph__fail(PH_EEXIST, "%s is taken by a living process", place->path);
	if (result != 0)
		return ph__fail_errno("bind %s", place->path);
	PH_POINT("create:bound");
	if (chmod(place->path, mode) == 0 && lstat(place->path, &st) == 0 &&
	    ph__sys->listen(place->fd, BACKLOG) == 0) {
		place->device = st.st_dev;
		place->inode = st.st_ino;
		return PH_OK;
	}
	ph_status status = ph__fail_errno("listen on %s", place->path);
	unlink(place->path);
	return status;
}

/* Ours hold it for microseconds. But whoever may read the folder may lock it, in /tmp everybody,
 * and one of ours may be stopped while it does: that must not keep us. */
static ph_status lock_folder(int folder, const char *path)
{
	int64_t deadline_ns = ph_now_ns() + LOCK_TIMEOUT_NS;

	while (ph__sys->flock(folder, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return ph__fail_errno("lock the folder of %s", path);
		if (ph_now_ns() >= deadline_ns)
			return ph__fail(PH_ETIMEDOUT,
					"the folder of %s is locked (flock) by another process: end "
					"that, or take another folder",
					path);
		nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
	}
	return PH_OK;
}

ph_status ph__rendezvous_listen(struct ph__rendezvous *place, const char *name, const char *kind,
				unsigned mode, struct ph__forkguard *guard)
{
	struct where where;
	struct sockaddr_un address;
	int folder;

	place->fd = -1;
	ph_status status = locate(&where, name, kind);
	if (status == PH_OK)
		status = open_folder(&where, true, &folder);
	if (status < 0)
		return status;
	memcpy(place->path, where.path, sizeof(place->path));
	status = lock_folder(folder, place->path);
	if (status < 0)
		goto close_folder;
	place->fd = new_guarded_socket(place->path, &address, guard);
	status = place->fd < 0 ? ph__fail_errno("socket") : bind_and_listen(place, &address, mode);
	if (status < 0 && place->fd >= 0) {
		ph__forkguard_close(guard, place->fd);
		place->fd = -1;
	}
close_folder:
	close(folder); /* and with it the lock */
	return status;
}

void ph__rendezvous_close(struct ph__rendezvous *place, struct ph__forkguard *guard)
{
	struct where where;
	struct stat st;
	int folder = -1;

	if (place->fd < 0)
		return;
	/* A successor may have taken the path meanwhile: look and remove under the lock. */
	if (locate_path(&where, place->path) == PH_OK &&
	    open_folder(&where, false, &folder) == PH_OK) {
		/* Without the lock it stays: the next writer finds that it refuses. */
		if (lock_folder(folder, place->path) == PH_OK && lstat(place->path, &st) == 0 &&
		    st.st_dev == place->device && st.st_ino == place->inode)
			unlink(place->path);
		close(folder);
	}
	ph__forkguard_close(guard, place->fd);
	place->fd = -1;
}

/* Linux gives EAGAIN at once when the queue is full; there is nothing to poll for. */
static ph_status connect_until(int fd, const struct sockaddr_un *address, int64_t deadline_ns)
{
	while (connect_to(fd, address) != 0) {
		if (errno != EAGAIN)
			return ph__fail_errno("connect to %s", address->sun_path);
		if (ph_now_ns() >= deadline_ns)
			return ph__fail(PH_ETIMEDOUT, "%s: its owner admits nobody",
					address->sun_path);
		nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
	}
	return PH_OK;
}

ph_status ph__rendezvous_connect(const char *name, const char *kind, int64_t deadline_ns,
				 struct ph__forkguard *guard, int *fd)
{
	struct where where;
	struct sockaddr_un address;
	int folder;

	*fd = -1;
	ph_status status = locate(&where, name, kind);
	if (status < 0)
		return status;
	if (where.is_ours) { /* nobody else's folder can stand in for it */
		status = open_folder(&where, false, &folder);
		if (status < 0)
			return status;
		close(folder);
	}
	*fd = new_guarded_socket(where.path, &address, guard);
	if (*fd < 0)
		return ph__fail_errno("socket");
	status = connect_until(*fd, &address, deadline_ns);
	if (status < 0) {
		ph__forkguard_close(guard, *fd);
		*fd = -1;
	}
	return status;
}
