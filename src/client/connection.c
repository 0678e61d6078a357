/* SPDX-License-Identifier: MIT */
#include "client/connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/dial.h"

enum {
	HEADER_BYTES = 8,
	BODY_ALIGNMENT = 16,
	FIRST_ROOM_BYTES = 65536,
	GREETING_LIMIT_BYTES = 65536,
	COMMAND_LIMIT_BYTES = 268435456, /* servers drop the connection above it */
	ID_MAX = INT32_MAX,              /* servers read ids as int32 */
	/* The end of each receive reopens the sender's window, so small bites keep both sides
	 * copying at once: an 8.3 MB picture over loopback took 1.3 to 1.9 ms in bites of 128 KB
	 * and 2.5 to 3.5 ms in one call with MSG_WAITALL (two CPUs). */
	BITE_BYTES = 131072,
};

static const uint32_t magic = 0x9E2B83C1;
static const char greeting[] = "connected to ";

static uint32_t read_u32(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static void write_u32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* Bounds the next call by what is left until the deadline; false when nothing is. The socket's own
 * timeout costs no system call per request: it is set again only when it no longer fits. One that
 * is too short makes the call return early, and the caller's loop comes back here. */
static bool arm(struct ph__connection *connection, int option, int64_t *armed_ns)
{
	if (connection->timeout_ns < 0)
		return true;
	int64_t left_ns = connection->deadline_ns - ph_now_ns();
	if (left_ns <= 0)
		return false;
	if (*armed_ns >= left_ns / 2 && *armed_ns <= left_ns + left_ns / 8)
		return true;
	ph__dial_set_timeout(connection->fd, option, left_ns);
	*armed_ns = left_ns;
	return true;
}

static ph_status fail_timeout(const struct ph__connection *connection, const char *what)
{
	return ph__fail(PH_ETIMEDOUT, "%s within %.3f s; close the client and connect anew", what,
			(double)connection->timeout_ns / 1e9);
}

static bool is_passing(int error)
{
	return error == EINTR || error == EAGAIN;
}

static ph_status send_all(struct ph__connection *connection)
{
	const unsigned char *at = connection->out.bytes;
	size_t left = connection->out.length;

	while (left > 0) {
		if (!arm(connection, SO_SNDTIMEO, &connection->send_armed_ns))
			return fail_timeout(connection, "the server did not take the command");
		ssize_t sent = send(connection->fd, at, left, MSG_NOSIGNAL);
		if (sent < 0 && !is_passing(errno))
			return ph__fail_errno("cannot send to the server");
		if (sent > 0) {
			at += sent;
			left -= (size_t)sent;
		}
	}
	return PH_OK;
}

/* Receives until `in` is `least` bytes long; takes up to `most` if they are there already. */
static ph_status receive(struct ph__connection *connection, size_t least, size_t most)
{
	struct ph__buffer *in = &connection->in;

	while (in->length < least) {
		size_t bite = most - in->length;
		if (bite > BITE_BYTES)
			bite = BITE_BYTES;
		if (!arm(connection, SO_RCVTIMEO, &connection->receive_armed_ns))
			return fail_timeout(connection, "the server did not answer");
		ssize_t received = recv(connection->fd, in->bytes + in->length, bite, 0);
		if (received == 0)
			return ph__fail(PH_ECLOSED, "the server closed the connection");
		if (received < 0 && !is_passing(errno))
			return ph__fail_errno("cannot receive from the server");
		if (received > 0)
			in->length += (size_t)received;
	}
	return PH_OK;
}

/* Makes the buffer `length` bytes large, and room for a NUL, without touching what is in it. */
static ph_status reserve(struct ph__buffer *buffer, size_t length)
{
	if (!ph__buffer_room(buffer, length + 1 - buffer->length))
		return ph__fail(PH_ENOSPC, "no memory for a reply of %zu bytes", length);
	return PH_OK;
}

static ph_status check_header(const unsigned char *header, uint64_t limit_bytes)
{
	uint32_t length = read_u32(header + 4);

	if (read_u32(header) != magic)
		return ph__fail(
			PH_EFORMAT,
			"a reply starts with 0x%08x, not with 0x%08x: is this an UnrealCV server?",
			read_u32(header), magic);
	if (length == 0)
		return ph__fail(PH_EFORMAT, "the server sent an empty reply");
	if (length > limit_bytes)
		return ph__fail(
			PH_ETOOBIG,
			"a reply of %u bytes is above the limit of %llu; see reply_bytes_limit",
			length, (unsigned long long)limit_bytes);
	return PH_OK;
}

/* One frame, read with as few calls as it arrives in. `prefix_bytes` of its payload come before the
 * part that is to be aligned. */
static ph_status receive_frame(struct ph__connection *connection, size_t prefix_bytes,
			       uint64_t limit_bytes, struct ph__span *payload)
{
	struct ph__buffer *in = &connection->in;
	size_t start = -(HEADER_BYTES + prefix_bytes) % BODY_ALIGNMENT;

	ph__buffer_clear(in);
	ph_status status = reserve(in, FIRST_ROOM_BYTES);
	if (status < 0)
		return status;
	in->length = start;
	status = receive(connection, start + HEADER_BYTES, in->capacity - 1);
	if (status == PH_ECLOSED && in->length > start)
		return ph__fail(PH_EPEER, "the server closed the connection inside a reply");
	if (status == PH_OK)
		status = check_header(in->bytes + start, limit_bytes);
	if (status < 0)
		return status;

	size_t length = read_u32(in->bytes + start + 4);
	size_t end = start + HEADER_BYTES + length;
	if (in->length > end)
		return ph__fail(PH_EFORMAT, "the server sent %zu bytes behind its reply",
				in->length - end);
	status = reserve(in, end);
	if (status == PH_OK)
		status = receive(connection, end, end);
	if (status == PH_ECLOSED)
		return ph__fail(PH_EPEER, "the server closed the connection inside a reply");
	if (status < 0)
		return status;
	in->bytes[end] = '\0';
	*payload = (struct ph__span){(const char *)in->bytes + start + HEADER_BYTES, length};
	return PH_OK;
}

static ph_status receive_greeting(struct ph__connection *connection, struct ph__span *scene)
{
	struct ph__span text = {0};

	ph_status status = receive_frame(connection, 0, GREETING_LIMIT_BYTES, &text);
	if (status == PH_ECLOSED)
		return ph__fail(PH_ECLOSED,
				"the server closed the connection without a greeting: it "
				"may serve one client at a time");
	if (status < 0)
		return status;
	if (!ph__span_starts(text, greeting) || memchr(text.at, '\0', text.length))
		return ph__fail(PH_EFORMAT, "the server greets with '%.60s', not with '%s...'",
				text.at, greeting);
	*scene = (struct ph__span){text.at + strlen(greeting), text.length - strlen(greeting)};
	return PH_OK;
}

static void start_clock(struct ph__connection *connection)
{
	int64_t now_ns = ph_now_ns();

	if (connection->timeout_ns < 0 ||
	    __builtin_add_overflow(now_ns, connection->timeout_ns, &connection->deadline_ns))
		connection->deadline_ns = INT64_MAX;
}

ph_status ph__connection_open(struct ph__connection *connection, const struct ph__address *address,
			      int64_t timeout_ns, uint64_t limit_bytes, struct ph__span *scene)
{
	*connection = (struct ph__connection){
		.fd = -1,
		.timeout_ns = timeout_ns,
		.limit_bytes = limit_bytes,
	};
	start_clock(connection);
	ph_status status = ph__dial(address, connection->deadline_ns, &connection->fd);
	if (status < 0)
		return status;
	return receive_greeting(connection, scene);
}

/* Header, id and command as one piece: they leave with one send. */
static ph_status compose(struct ph__connection *connection, const char *id, const char *command)
{
	struct ph__buffer *out = &connection->out;
	size_t length = strlen(command), id_length = strlen(id);
	unsigned char header[HEADER_BYTES];

	if (memchr(command, '\n', length))
		return ph__fail(PH_EINVAL, "a command is one line: '%.100s' has a line break",
				command);
	if (length > COMMAND_LIMIT_BYTES - id_length)
		return ph__fail(PH_ETOOBIG, "a command of %zu bytes: servers take %d at most",
				length, COMMAND_LIMIT_BYTES);
	write_u32(header, magic);
	write_u32(header + 4, (uint32_t)(id_length + length));
	ph__buffer_clear(out);
	ph__buffer_add(out, header, sizeof(header));
	ph__buffer_add(out, id, id_length);
	ph__buffer_add(out, command, length);
	return out->failed ? ph__fail(PH_ENOSPC, "no memory for a command of %zu bytes", length)
			   : PH_OK;
}

static ph_status exchange(struct ph__connection *connection, const char *id, struct ph__span *reply)
{
	struct ph__span payload = {0};
	size_t id_length = strlen(id);

	start_clock(connection);
	ph_status status = send_all(connection);
	if (status == PH_OK)
		status = receive_frame(connection, id_length, connection->limit_bytes, &payload);
	if (status != PH_OK)
		return status;
	if (!ph__span_starts(payload, id))
		return ph__fail(PH_EFORMAT, "the server answered '%.20s' where the id '%s' was due",
				payload.at, id);
	*reply = (struct ph__span){payload.at + id_length, payload.length - id_length};
	return PH_OK;
}

ph_status ph__connection_ask(struct ph__connection *connection, const char *command,
			     struct ph__span *reply)
{
	char id[16];

	*reply = (struct ph__span){NULL, 0};
	if (connection->broken)
		return ph__fail(PH_EPEER,
				"a reply was lost on this connection before: close the client "
				"and connect anew");
	snprintf(id, sizeof(id), "%u:", connection->next_id);
	ph_status status = compose(connection, id, command);
	if (status < 0)
		return status;
	status = exchange(connection, id, reply);
	connection->broken = status < 0;
	connection->next_id = connection->next_id == ID_MAX ? 0 : connection->next_id + 1;
	return status;
}

void ph__connection_close(struct ph__connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
	ph__buffer_finish(&connection->out);
	ph__buffer_finish(&connection->in);
}
