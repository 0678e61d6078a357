/* SPDX-License-Identifier: MIT */
#include "shm/fdpass.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/sys.h"

union control {
	struct cmsghdr header; /* for its alignment */
	/* Room for one more than anybody may send, so that too many are seen and not cut. */
	char bytes[CMSG_SPACE(sizeof(int) * (PH__FDPASS_MAX + 1))];
};

static ph_status fail_transfer(const char *what)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return ph__fail(PH_EAGAIN, "%s: the socket is not ready", what);
	return ph__fail_errno("%s", what);
}

ph_status ph__fdpass_send(int socket, const void *bytes, size_t length, const int *fds,
			  unsigned fd_count)
{
	union control control = {0};
	struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	assert(fd_count <= PH__FDPASS_MAX);
	if (fd_count > 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(header), fds, sizeof(int) * fd_count);
	}
	do
		sent = ph__sys->sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? fail_transfer("send") : PH_OK;
}

/* Takes every descriptor that came, so that none is lost, and says whether there were too many. */
static bool take_descriptors(struct msghdr *message, int *fds, unsigned fd_room, unsigned *fd_count)
{
	bool good = true;

	*fd_count = 0;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
			good = false;
			continue;
		}
		size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
			if (*fd_count < fd_room)
				fds[(*fd_count)++] = fd;
			else
				close(fd), good = false;
		}
	}
	return good;
}

static void close_all(const int *fds, unsigned *fd_count)
{
	while (*fd_count > 0)
		close(fds[--*fd_count]);
}

ph_status ph__fdpass_receive(int socket, void *bytes, size_t room, size_t *length, int *fds,
			     unsigned fd_room, unsigned *fd_count)
{
	union control control;
	struct iovec part = {.iov_base = bytes, .iov_len = room};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	unsigned came = 0;
	ssize_t received;

	*length = 0;
	if (fd_count)
		*fd_count = 0;
	if (fd_room > 0) { /* without room for them the kernel closes what is sent */
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	do
		received = ph__sys->recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return fail_transfer("receive");
	bool good = fd_room == 0 || take_descriptors(&message, fds, fd_room, &came);
	int cut = message.msg_flags & (fd_room > 0 ? MSG_TRUNC | MSG_CTRUNC : MSG_TRUNC);
	if (!good || cut) {
		close_all(fds, &came);
		return ph__fail(
		    PH_EFORMAT,
		    "receive: a packet longer than %zu bytes, or with more than %u descriptors",
		    room, fd_room);
	}
	if (received == 0) {
		close_all(fds, &came);
		return ph__fail(PH_EPEER, "receive: the other side hung up");
	}
	*length = (size_t)received;
	if (fd_count)
		*fd_count = came;
	return PH_OK;
}
