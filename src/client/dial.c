/* SPDX-License-Identifier: MIT */
#include "client/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

void ph__dial_set_timeout(int fd, int option, int64_t timeout_ns)
{
	int64_t timeout_us = timeout_ns / 1000 + 1; /* a timeout of 0 would be none at all */
	struct timeval timeout = {timeout_us / 1000000, timeout_us % 1000000};

	setsockopt(fd, SOL_SOCKET, option, &timeout, sizeof(timeout));
}

static bool is_unfinished(int error)
{
	return error == EINTR || error == EINPROGRESS || error == EALREADY || error == EAGAIN;
}

/* The socket blocks, with a timeout of its own: a wait inside connect(), send() or recv() is one
 * system call, with poll() it would be two. Linux finishes an interrupted connect() when it is
 * called again. */
static int connect_until(int fd, const struct sockaddr *to, socklen_t length, int64_t deadline_ns)
{
	while (connect(fd, to, length) != 0) {
		int64_t left_ns = deadline_ns - ph_now_ns();
		if (!is_unfinished(errno))
			return errno;
		if (left_ns <= 0)
			return ETIMEDOUT;
		if (deadline_ns != INT64_MAX)
			ph__dial_set_timeout(fd, SO_SNDTIMEO, left_ns);
	}
	return 0;
}

/* 0 or an errno. The size of the receive buffer stays the kernel's choice: it grows to 6 MB by
 * itself, and a size set by hand is fixed and cut at net.core.rmem_max, 212,992 bytes on a stock
 * system (an 8.3 MB picture took 3.3 ms with that, 2.4 ms without). */
static int connect_socket(int fd, const struct sockaddr *to, socklen_t length, int64_t deadline_ns)
{
	int one = 1;

	if (to->sa_family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (deadline_ns != INT64_MAX) {
		int64_t left_ns = deadline_ns - ph_now_ns();
		if (left_ns <= 0)
			return ETIMEDOUT;
		ph__dial_set_timeout(fd, SO_SNDTIMEO, left_ns);
	}
	return connect_until(fd, to, length, deadline_ns);
}

/* The descriptor, or -1 with errno. */
static int dial_one(const struct sockaddr *to, socklen_t length, int64_t deadline_ns)
{
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	int error = connect_socket(fd, to, length, deadline_ns);
	if (error == 0)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static ph_status dial_path(const char *path, int64_t deadline_ns, int *fd)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	memcpy(to.sun_path, path, strlen(path) + 1);
	*fd = dial_one((const struct sockaddr *)&to, sizeof(to), deadline_ns);
	if (*fd < 0)
		return ph__fail_errno("cannot connect to the socket '%s'%s", path,
				      errno == ENOENT || errno == ECONNREFUSED
					      ? " (is a server running there?)"
					      : "");
	return PH_OK;
}

static ph_status dial_host(const char *host, const char *port, int64_t deadline_ns, int *fd)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *all;

	int error = getaddrinfo(host, port, &hints, &all);
	if (error != 0)
		return ph__fail(error == EAI_MEMORY ? PH_ENOSPC : PH_ENOENT,
				"cannot find the host '%s': %s", host, gai_strerror(error));
	*fd = -1;
	for (const struct addrinfo *at = all; at && *fd < 0; at = at->ai_next)
		*fd = dial_one(at->ai_addr, at->ai_addrlen, deadline_ns);
	error = errno;
	freeaddrinfo(all);
	errno = error;
	if (*fd < 0)
		return ph__fail_errno("cannot connect to %s port %s%s", host, port,
				      error == ECONNREFUSED ? " (is a server running there?)" : "");
	return PH_OK;
}

ph_status ph__dial(const struct ph__address *address, int64_t deadline_ns, int *fd)
{
	if (address->is_path)
		return dial_path(address->path, deadline_ns, fd);
	return dial_host(address->host, address->port, deadline_ns, fd);
}
