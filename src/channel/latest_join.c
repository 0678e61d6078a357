/* SPDX-License-Identifier: MIT */
/* A reader's talk with the writer: the hand-over of memory. Nothing that comes is believed before
 * it is checked, and what was checked is a copy. */
#include "channel/latest_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/point.h"
#include "base/sys.h"
#include "shm/fdpass.h"
#include "shm/futex.h"
#include "shm/rendezvous.h"

enum {
	LOOK_AROUND_MS = 50, /* how often a wait for the socket looks whether close has begun */
	PACKETS_MAX = 1000,  /* at once; an honest writer sends a few */
};

static void close_all(const int *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		close(fds[i]);
}

/* PH_OK: readable, or hung up. */
static ph_status wait_readable(struct latest_reader *reader, int64_t deadline_ns)
{
	struct pollfd poll_fd = {.fd = reader->socket, .events = POLLIN};

	for (;;) {
		int64_t left_ns = deadline_ns - ph_now_ns();
		if (left_ns <= 0)
			return ph__fail(PH_ETIMEDOUT, "%s: the writer does not answer; is it stopped?",
					reader->handle.name);
		int left_ms = left_ns > LOOK_AROUND_MS * INT64_C(1000000)
				  ? LOOK_AROUND_MS
				  : (int)(left_ns / 1000000) + 1;
		if (poll(&poll_fd, 1, left_ms) > 0)
			return PH_OK;
		if (atomic_load(&reader->handle.stop))
			return ph__fail(PH_ECLOSED, "the channel is being closed");
	}
}

struct packet {
	struct latest_message message;
	struct latest_geometry geometry;
	int fds[PH__FDPASS_MAX];
	unsigned fd_count;
};

/* On failure no descriptor is left. */
static ph_status receive(struct latest_reader *reader, struct packet *packet)
{
	struct latest_message bytes;
	size_t length;
	ph_status status = ph__fdpass_receive(reader->socket, &bytes, sizeof(bytes), &length,
					      packet->fds, PH__FDPASS_MAX, &packet->fd_count);
	if (status < 0)
		return status;
	status = ph__latest_message_from_writer(&packet->message, &packet->geometry, &bytes, length,
						packet->fd_count);
	if (status < 0)
		close_all(packet->fds, packet->fd_count);
	return status;
}

void ph__latest_mapping_drop(struct latest_mapping *mapping)
{
	if (!mapping || atomic_fetch_sub(&mapping->uses, 1) > 1)
		return;
	ph__memfd_drop(&mapping->memory);
	ph__sys->free(mapping);
}

ph_status ph__latest_reader_map(struct latest_reader *reader,
				const struct latest_geometry *geometry, int fd)
{
	struct latest_mapping *mapping = ph__sys->calloc(1, sizeof(*mapping));
	if (!mapping)
		return ph__fail(PH_ENOSPC, "%s: no memory to follow", reader->handle.name);
	ph_status status =
	    ph__memfd_map(&mapping->memory, fd, ph__latest_payload_bytes(geometry), true);
	if (status < 0) {
		ph__sys->free(mapping);
		return status;
	}
	atomic_store(&mapping->uses, 1);
	ph__latest_mapping_drop(reader->mapping);
	reader->mapping = mapping;
	reader->view.base = mapping->memory.base;
	reader->view.geometry = *geometry;
	return PH_OK;
}

/* Copies what never changes out of the board. */
static ph_status read_board(struct latest_reader *reader)
{
	const struct latest_board *board = reader->view.board;
	uint64_t magic = board->magic;
	uint32_t version = board->version, offset = board->owner_offset;
	uint32_t first = offsetof(struct latest_board, owner);

	if (magic != LATEST_MAGIC)
		return ph__fail(PH_EFORMAT, "%s: the board starts with 0x%" PRIx64 ", not ours",
				reader->handle.name, magic);
	if (version != LATEST_VERSION)
		return ph__fail(PH_EVERSION, "%s: a board of version %u; this is version %d",
				reader->handle.name, version, LATEST_VERSION);
	bool is_inside = offset >= first &&
			 offset <= first + LATEST_OWNER_BYTES - sizeof(uint32_t) &&
			 offset % sizeof(uint32_t) == 0;
	if (!is_inside && offset != LATEST_NO_OWNER)
		return ph__fail(PH_EFORMAT, "%s: the owner word cannot be at byte %u",
				reader->handle.name, offset);
	reader->owner_offset = is_inside ? offset : 0;
	reader->writer_pid = board->writer_pid;
	return PH_OK;
}

static ph_status take_welcome(struct latest_reader *reader, const struct packet *packet)
{
	ph_status status =
	    ph__memfd_map(&reader->board_memory, packet->fds[0], LATEST_PAGE_BYTES, true);
	if (status < 0)
		return status;
	reader->view.board = reader->board_memory.base;
	status = read_board(reader);
	if (status < 0)
		return status;
	status = ph__memfd_map(&reader->control_memory, packet->fds[2], LATEST_PAGE_BYTES, false);
	if (status < 0)
		return status;
	PH_POINT("open:half-mapped");
	reader->view.control = reader->control_memory.base;
	reader->held = packet->message.held;
	return ph__latest_reader_map(reader, &packet->geometry, packet->fds[1]);
}

static ph_status explain_refusal(const struct latest_reader *reader,
				 const struct latest_message *message)
{
	const char *name = reader->handle.name;

	switch (message->flags) {
	case LATEST_REFUSED_VERSION:
		return ph__fail(PH_EVERSION, "%s: the writer is of version %u; this is version %d",
				name, message->version, LATEST_VERSION);
	case LATEST_REFUSED_FULL:
		return ph__fail(
		    PH_ENOSPC,
		    "%s: no room for another reader: %u more frames may be held, it needs %" PRIu64
		    " bytes more; create or resize it with a larger max_readers",
		    name, message->held, message->needed_bytes);
	case LATEST_REFUSED_MEMORY:
		return ph__fail(PH_ENOSPC, "%s: the writer could not make %d bytes for this reader",
				name, LATEST_PAGE_BYTES);
	default:
		return ph__fail(PH_EFORMAT, "%s: refused with a reason unknown here, %u", name,
				message->flags);
	}
}

static ph_status take_answer(struct latest_reader *reader)
{
	struct packet packet;
	ph_status status = receive(reader, &packet);
	if (status < 0)
		return status;
	if (packet.message.type == LATEST_REFUSED)
		return explain_refusal(reader, &packet.message);
	PH_POINT("open:welcomed");
	if (packet.message.type == LATEST_WELCOME)
		status = take_welcome(reader, &packet);
	else
		status = ph__fail(PH_EFORMAT, "%s: an answer of type %u to HELLO",
				  reader->handle.name, packet.message.type);
	close_all(packet.fds, packet.fd_count);
	return status;
}

ph_status ph__latest_reader_join(struct latest_reader *reader, const char *name, uint32_t held,
				 int64_t deadline_ns)
{
	struct latest_message hello = ph__latest_message(LATEST_HELLO);

	hello.held = held;
	hello.flags = reader->is_pollable ? LATEST_WANTS_WAKE : 0;
	ph_status status = ph__rendezvous_connect(name, "latest", deadline_ns,
						  &reader->handle.guard, &reader->socket);
	if (status < 0)
		return status;
	PH_POINT("open:connected");
	status = ph__fdpass_send(reader->socket, &hello, sizeof(hello), NULL, 0);
	if (status < 0)
		return status;
	PH_POINT("open:said-hello");
	status = wait_readable(reader, deadline_ns);
	return status < 0 ? status : take_answer(reader);
}

/* Anything but what was asked for ends the acquaintance. */
static ph_status take_payload(struct latest_reader *reader, bool *is_new)
{
	struct packet packet;
	ph_status status = receive(reader, &packet);

	*is_new = false;
	if (status < 0)
		return status;
	if (packet.message.type == LATEST_WAKE)
		return PH_OK;
	/* Epochs grow, so that there is an end to following. */
	if (packet.message.type != LATEST_PAYLOAD || !reader->is_following ||
	    packet.geometry.epoch <= reader->view.geometry.epoch) {
		close_all(packet.fds, packet.fd_count);
		return ph__fail(PH_EPEER, "%s: the writer sent type %u unasked",
				reader->handle.name, packet.message.type);
	}
	status = ph__latest_reader_map(reader, &packet.geometry, packet.fds[0]);
	close_all(packet.fds, packet.fd_count);
	*is_new = status == PH_OK;
	return status;
}

ph_status ph__latest_reader_follow(struct latest_reader *reader, int64_t deadline_ns)
{
	struct latest_message message = ph__latest_message(LATEST_FOLLOW);
	ph_status status = PH_OK;
	bool is_new = false;

	message.epoch = reader->view.geometry.epoch;
	if (!reader->is_following) {
		status = ph__fdpass_send(reader->socket, &message, sizeof(message), NULL, 0);
		reader->is_following = status == PH_OK;
		PH_POINT("follow:asked");
	}
	for (int packets = 0; status == PH_OK && !is_new; packets++) {
		status = packets < PACKETS_MAX ? take_payload(reader, &is_new) : PH_EPEER;
		if (status == PH_EAGAIN && deadline_ns > 0)
			status = wait_readable(reader, deadline_ns);
	}
	if (status == PH_OK)
		reader->is_following = false;
	else if (status != PH_EAGAIN && status != PH_ETIMEDOUT && status != PH_ECLOSED)
		reader->is_lost = true;
	return status;
}

void ph__latest_reader_drain(struct latest_reader *reader)
{
	struct packet packet;
	ph_status status = PH_OK;

	if (reader->is_following) /* what comes is the payload: follow() takes it */
		return;
	for (int packets = 0; status == PH_OK && packets < PACKETS_MAX; packets++) {
		status = receive(reader, &packet);
		if (status == PH_OK)
			close_all(packet.fds, packet.fd_count);
	}
	if (status != PH_EAGAIN)
		reader->is_lost = true;
}
