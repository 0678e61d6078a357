/* SPDX-License-Identifier: MIT */
#include "net/io.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10 };

void ph__io_finish(struct ph__io *io)
{
	if (io->fd >= 0)
		close(io->fd);
	ph__buffer_finish(&io->in);
	ph__buffer_finish(&io->out);
	*io = (struct ph__io){.fd = -1};
}

void ph__io_skip(struct ph__io *io, size_t length)
{
	io->in_start += length;
	if (io->in_start == io->in.length) {
		io->in_start = 0;
		ph__buffer_clear(&io->in);
	}
}

/* Moves the bytes after the first `*start` to the front when at least half of the buffer lies
 * before them: each byte is moved a bounded number of times. */
static void compact(struct ph__buffer *buffer, size_t *start)
{
	size_t rest = buffer->length - *start;

	if (*start < rest || *start == 0)
		return;
	memmove(buffer->bytes, buffer->bytes + *start, rest);
	buffer->length = rest;
	*start = 0;
}

enum ph__io_state ph__io_read(struct ph__io *io)
{
	compact(&io->in, &io->in_start);
	unsigned char *room = ph__buffer_room(&io->in, READ_BYTES);
	if (!room) {
		errno = ENOMEM;
		return PH__IO_FAILED;
	}
	ssize_t length = recv(io->fd, room, READ_BYTES, 0);
	if (length > 0) {
		io->in.length += (size_t)length;
		return PH__IO_DONE;
	}
	if (length == 0)
		return PH__IO_ENDED;
	return errno == EAGAIN || errno == EINTR ? PH__IO_BLOCKED : PH__IO_FAILED;
}

static void mark_sent(struct ph__io *io, size_t length)
{
	size_t unsent = io->out.length - io->out_start;

	if (length < unsent) {
		io->out_start += length;
		compact(&io->out, &io->out_start);
		return;
	}
	io->out_start = 0;
	ph__buffer_clear(&io->out);
	io->large.at += length - unsent;
	io->large.length -= length - unsent;
}

/* Most replies are in one piece, and for one piece send() is the shorter way. */
static ssize_t send_some(const struct ph__io *io)
{
	struct iovec pieces[2] = {
		{io->out.bytes + io->out_start, io->out.length - io->out_start},
		{(void *)io->large.at, io->large.length},
	};
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};

	if (io->large.length == 0)
		return send(io->fd, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL);
	return sendmsg(io->fd, &message, MSG_NOSIGNAL);
}

enum ph__io_state ph__io_write(struct ph__io *io)
{
	while (ph__io_unsent(io) > 0) {
		ssize_t length = send_some(io);
		if (length >= 0)
			mark_sent(io, (size_t)length);
		else if (errno == EAGAIN)
			return PH__IO_BLOCKED;
		else if (errno != EINTR)
			return PH__IO_FAILED;
	}
	return PH__IO_DONE;
}
