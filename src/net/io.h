/* SPDX-License-Identifier: MIT */
/* One client's bytes: what has come and is not yet understood, what is to go and is not yet sent.
 * Sockets are non-blocking; nothing here waits. */
#ifndef NET_IO_H
#define NET_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/span.h"

struct ph__io {
	int fd;
	struct ph__buffer in;
	size_t in_start; /* bytes of `in` that are dealt with */
	struct ph__buffer out;
	size_t out_start; /* bytes of `out` that are sent */
	/* Goes after `out`, from its owner's memory; shrinks as it is sent. */
	struct ph__span large;
};

enum ph__io_state {
	PH__IO_DONE,    /* all that there was is read, or sent */
	PH__IO_BLOCKED, /* the rest must wait until the socket is ready again */
	PH__IO_ENDED,   /* the other side has closed */
	PH__IO_FAILED   /* the connection is of no more use; errno says why */
};

void ph__io_finish(struct ph__io *io);

/* Reads what has come, 64 KiB or so at a time. */
enum ph__io_state ph__io_read(struct ph__io *io);

static inline struct ph__span ph__io_unread(const struct ph__io *io)
{
	return (struct ph__span){(const char *)io->in.bytes + io->in_start,
				 io->in.length - io->in_start};
}

/* Says that the first `length` bytes of the unread ones are dealt with. They stay where they are
 * until the next ph__io_read(). */
void ph__io_skip(struct ph__io *io, size_t length);

/* Sends `out`, then `large`. DONE: both are empty. */
enum ph__io_state ph__io_write(struct ph__io *io);

static inline size_t ph__io_unsent(const struct ph__io *io)
{
	return io->out.length - io->out_start + io->large.length;
}

#endif
