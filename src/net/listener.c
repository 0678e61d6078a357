/* SPDX-License-Identifier: MIT */
#include "net/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sys.h"

enum { BACKLOG = 128, SEND_BUFFER_BYTES = 4 << 20 };

static const struct ph__listener none = {.fd = -1, .spare_fd = -1};

static int open_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Reads a numeric address, IPv4 or IPv6. */
static bool read_address(const char *text, uint16_t port, struct sockaddr_storage *address,
			 socklen_t *length)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		*length = sizeof(*v4);
		return true;
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		*length = sizeof(*v6);
		return true;
	}
	return false;
}

static int bound_port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address = {0};
	socklen_t length = sizeof(address);

	if (getsockname(fd, &address.any, &length) != 0)
		return -1;
	return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
						       : address.v4.sin_port);
}

ph_status ph__listener_open_tcp(struct ph__listener *listener, const char *address, uint16_t port)
{
	struct sockaddr_storage where;
	socklen_t length;

	*listener = none;
	if (!read_address(address, port, &where, &length))
		return ph__fail(PH_EINVAL, "'%s' is no numeric IPv4 or IPv6 address to bind to",
				address);
	listener->fd = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return ph__fail_errno("cannot open a TCP socket");
	/* A port whose last connections are still in TIME_WAIT may be taken at once. */
	setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (bind(listener->fd, (struct sockaddr *)&where, length) != 0 ||
	    listen(listener->fd, BACKLOG) != 0) {
		ph_status status = ph__fail_errno("cannot listen on %s port %u", address, port);
		ph__listener_close(listener);
		return status;
	}
	listener->port = bound_port(listener->fd);
	listener->spare_fd = open_spare();
	return PH_OK;
}

/* True when nobody listens on a socket file any more. */
static bool is_abandoned(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool refused = fd >= 0 &&
		       connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
		       errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

static ph_status make_way(const struct sockaddr_un *address)
{
	struct stat st;

	if (lstat(address->sun_path, &st) != 0)
		return PH_OK; /* bind() will say what else is wrong */
	if (!S_ISSOCK(st.st_mode))
		return ph__fail(PH_EEXIST,
				"'%s' is in the way: a file that is no socket; remove it or "
				"choose another --unix PATH",
				address->sun_path);
	/* What another user left is not ours to remove, and whether it is alive we may not see. */
	if (st.st_uid != geteuid())
		return ph__fail(PH_EEXIST,
				"'%s' is in the way: a socket of user %u; choose another "
				"--unix PATH, or none",
				address->sun_path, (unsigned)st.st_uid);
	if (!is_abandoned(address))
		return ph__fail(PH_EEXIST,
				"somebody listens on '%s' already; choose another --unix PATH, "
				"or none",
				address->sun_path);
	ph__log(PH_LOG_INFO, "removing '%s', which a dead server left", address->sun_path);
	unlink(address->sun_path);
	return PH_OK;
}

/* Under another name first: whoever sees the file can connect, and no start beside this one takes
 * it for abandoned between bind() and listen(). A path too long for that goes without. */
static int bind_and_listen(int fd, const struct sockaddr_un *address)
{
	struct sockaddr_un early = {.sun_family = AF_UNIX};
	int length = snprintf(early.sun_path, sizeof(early.sun_path), "%s.%d", address->sun_path,
			      (int)getpid());

	if (length >= (int)sizeof(early.sun_path))
		return bind(fd, (const struct sockaddr *)address, sizeof(*address)) != 0
			       ? -1
			       : listen(fd, BACKLOG);
	unlink(early.sun_path); /* of a dead process with this number */
	if (bind(fd, (const struct sockaddr *)&early, sizeof(early)) != 0)
		return -1;
	int result = listen(fd, BACKLOG) == 0 ? link(early.sun_path, address->sun_path) : -1;
	int kept = errno;
	unlink(early.sun_path);
	errno = kept;
	return result;
}

static ph_status bind_unix(struct ph__listener *listener, const struct sockaddr_un *address)
{
	struct stat st;

	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return ph__fail_errno("cannot open a Unix socket");
	/* The mode of the socket before bind() is the mode of the file that bind() makes. */
	if (fchmod(listener->fd, 0600) != 0 || bind_and_listen(listener->fd, address) != 0 ||
	    lstat(address->sun_path, &st) != 0)
		return ph__fail_errno("cannot listen on '%s'", address->sun_path);
	listener->device = st.st_dev;
	listener->inode = st.st_ino;
	return PH_OK;
}

ph_status ph__listener_open_unix(struct ph__listener *listener, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*listener = none;
	if (strlen(path) == 0 || strlen(path) >= sizeof(address.sun_path))
		return ph__fail(PH_EINVAL, "a Unix socket's path has 1 to %zu bytes, not %zu: '%s'",
				sizeof(address.sun_path) - 1, strlen(path), path);
	memcpy(address.sun_path, path, strlen(path));
	ph_status status = make_way(&address);
	if (status == PH_OK)
		status = bind_unix(listener, &address);
	if (status == PH_OK) {
		listener->path = ph__sys->calloc(1, strlen(path) + 1);
		if (!listener->path)
			status = ph__fail(PH_ENOSPC, "no memory for the path of a socket");
	}
	if (status < 0) {
		ph__listener_close(listener);
		return status;
	}
	memcpy(listener->path, path, strlen(path));
	listener->spare_fd = open_spare();
	return PH_OK;
}

bool ph__listener_has_file(const struct ph__listener *listener)
{
	struct stat st;
	return listener->path && lstat(listener->path, &st) == 0 && st.st_ino == listener->inode &&
	       st.st_dev == listener->device;
}

void ph__listener_close(struct ph__listener *listener)
{
	int kept = errno;

	if (ph__listener_has_file(listener))
		unlink(listener->path);
	if (listener->fd >= 0)
		close(listener->fd);
	if (listener->spare_fd >= 0)
		close(listener->spare_fd);
	ph__sys->free(listener->path);
	*listener = none;
	errno = kept;
}

static bool is_loopback(const struct sockaddr_storage *address)
{
	if (address->ss_family == AF_INET)
		return (ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24) == 127;
	return address->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* bbr, the default of some kernels, paces a loopback connection to half its speed. Not every user
 * may set cubic; reno is always allowed. A kernel that refuses both still works. */
static void tune_loopback(int fd)
{
	static const char *const choices[] = {"cubic", "reno"};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, choices[i],
			       (socklen_t)strlen(choices[i])) == 0)
			return;
}

static void tune(int fd, const struct sockaddr_storage *peer)
{
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SEND_BUFFER_BYTES}, sizeof(int));
	if (peer->ss_family != AF_INET && peer->ss_family != AF_INET6)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	if (is_loopback(peer))
		tune_loopback(fd);
}

/* Out of descriptors: the client at the head of the queue would wait for a greeting for ever. */
static void turn_away(struct ph__listener *listener)
{
	if (listener->spare_fd < 0)
		return;
	close(listener->spare_fd);
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	listener->spare_fd = open_spare();
	ph__log(PH_LOG_WARNING, "out of descriptors: turned a client away; raise `ulimit -n`");
}

int ph__listener_accept(struct ph__listener *listener)
{
	struct sockaddr_storage peer = {0};
	socklen_t length = sizeof(peer);
	int fd = accept4(listener->fd, (struct sockaddr *)&peer, &length,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		tune(fd, &peer);
	else if (errno == EMFILE || errno == ENFILE)
		turn_away(listener);
	return fd;
}
