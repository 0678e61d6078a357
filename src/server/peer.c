/* SPDX-License-Identifier: MIT */
/* A client: its requests are executed one after the other, its replies go out in that order.
 *
 * Reading never stops while a reply cannot be sent: a client may send thousands of requests before
 * it reads its first reply. What it has asked for and not yet got is bounded instead:
 * PENDING_LIMIT_BYTES of requests, UNSENT_LIMIT_BYTES of text or one picture of replies. */
#include "server/routes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sys.h"

enum {
	PENDING_LIMIT_BYTES = 64 << 20,
	UNSENT_LIMIT_BYTES = 64 << 10,
	COMMANDS_PER_TURN = 512,
	AGAIN_MAX = 64,
	ERROR_BYTES_MAX = 512, /* of a sentence in a reply */
};

/* --- replies --------------------------------------------------------------------------------- */

/* A text reply is written in place: the header's room first, its length when the body is there. */
static void reply_begin(struct ph__peer *peer, struct ph__span id)
{
	static const unsigned char room[PH__PACKET_HEADER_BYTES];
	struct ph__buffer *out = &peer->io.out;

	peer->reply_start = out->length;
	ph__buffer_add(out, room, sizeof(room));
	ph__buffer_add(out, id.at, id.length);
	ph__buffer_add(out, ":", 1);
}

static void reply_end(struct ph__peer *peer)
{
	struct ph__buffer *out = &peer->io.out;
	size_t payload_bytes = out->length - peer->reply_start - PH__PACKET_HEADER_BYTES;

	if (out->failed) {
		ph__log(PH_LOG_ERROR, "no memory for a reply: closing the connection");
		ph__peer_close(peer);
		return;
	}
	ph__packet_write_header(out->bytes + peer->reply_start, (uint32_t)payload_bytes);
}

static void reply_text(struct ph__peer *peer, struct ph__span text)
{
	reply_begin(peer, ph__span_of(peer->reply_id));
	ph__buffer_add(&peer->io.out, text.at, text.length);
	reply_end(peer);
}

/* The sentence may repeat a file name from outside. */
static void reply_error(struct ph__peer *peer, const char *sentence)
{
	reply_begin(peer, ph__span_of(peer->reply_id));
	ph__buffer_add(&peer->io.out, "error ", 6);
	ph__text_quote(ph__span_of(sentence), ERROR_BYTES_MAX, &peer->io.out);
	reply_end(peer);
}

/* The packet header and the id go right before the picture, which is sent from where it lies. */
static void reply_picture(struct ph__peer *peer)
{
	struct ph__capture *capture = &peer->capture;
	struct ph__span picture = ph__capture_picture(capture);
	size_t id_length = strlen(peer->reply_id);
	size_t payload_bytes = id_length + 1 + picture.length;

	if (payload_bytes > UINT32_MAX) {
		reply_error(peer, "the picture does not fit a packet");
		return;
	}
	if (capture->shots[0].delivery == PH__DELIVER_PNG) {
		reply_begin(peer, ph__span_of(peer->reply_id));
		ph__packet_write_header(peer->io.out.bytes + peer->reply_start,
					(uint32_t)payload_bytes);
		peer->io.large = picture;
		return;
	}
	unsigned char *start =
		(unsigned char *)picture.at - id_length - 1 - PH__PACKET_HEADER_BYTES;
	ph__packet_write_header(start, (uint32_t)payload_bytes);
	memcpy(start + PH__PACKET_HEADER_BYTES, peer->reply_id, id_length);
	start[PH__PACKET_HEADER_BYTES + id_length] = ':';
	peer->io.large = (struct ph__span){(char *)start, PH__PACKET_HEADER_BYTES + payload_bytes};
}

static struct ph__span text_of(const struct ph__buffer *buffer)
{
	return (struct ph__span){(char *)buffer->bytes, buffer->length};
}

/* {"frame":..., "views":[descriptors]}; the last view is the connection's last capture. */
static void reply_list(struct ph__peer *peer)
{
	const struct ph__capture *capture = &peer->capture;
	struct ph__buffer *out = &peer->io.out;

	reply_begin(peer, ph__span_of(peer->reply_id));
	ph__buffer_print(out,
			 "{\"frame\":%" PRIu64 ",\"timestamp_ns\":%" PRId64
			 ",\"sim_time_ns\":%" PRId64 ",\"views\":[",
			 ++peer->server->list_count, capture->shots[0].times.begin_ns,
			 capture->sim_time_ns);
	for (uint32_t i = 0; i < capture->shot_count; i++) {
		ph__buffer_clear(&peer->last_capture);
		ph__capture_describe(capture, &capture->shots[i], &peer->last_capture);
		ph__buffer_add_text(out, i > 0 ? "," : "");
		ph__buffer_add(out, peer->last_capture.bytes, peer->last_capture.length);
	}
	ph__buffer_add_text(out, "]}");
	reply_end(peer);
}

static void reply_capture(struct ph__peer *peer)
{
	struct ph__capture *capture = &peer->capture;
	struct ph__shot *first = capture->shots;

	if (capture->status < 0) {
		reply_error(peer, capture->error);
		return;
	}
	for (uint32_t i = 0; i < capture->shot_count; i++)
		first[i].number = first[i].delivery == PH__DELIVER_SHARED
					  ? ++peer->server->shared_count[first[i].modality]
					  : 0;
	if (capture->is_list) {
		reply_list(peer);
		return;
	}
	ph__buffer_clear(&peer->last_capture);
	ph__capture_describe(capture, first, &peer->last_capture);
	if (first->delivery == PH__DELIVER_SHARED)
		reply_text(peer, text_of(&peer->last_capture));
	else if (first->file[0])
		reply_text(peer, ph__span_of(first->file));
	else
		reply_picture(peer);
}

/* --- requests -------------------------------------------------------------------------------- */

/* What this call did not finish is finished when its capture is back. */
static void dispatch(struct ph__call *call, enum ph__parse_result result)
{
	if (!call->peer->is_trusted && !ph__call_is_token(call, result))
		ph__call_error(call, "token required");
	else if (result == PH__PARSE_OK)
		ph__route_execute(call);
	else if (result == PH__PARSE_UNKNOWN)
		ph__command_unknown_text(call->text, call->out);
	else
		ph__call_error(call, "Argument Invalid");
}

static void keep_id(struct ph__peer *peer, struct ph__span id)
{
	memcpy(peer->reply_id, id.at, id.length); /* 10 digits at most */
	peer->reply_id[id.length] = '\0';
}

static void execute(struct ph__peer *peer, const struct ph__request *request)
{
	struct ph__buffer *out = &peer->io.out;
	struct ph__command command;

	keep_id(peer, request->id);
	reply_begin(peer, request->id);
	size_t body_start = out->length;
	struct ph__call call = {
		.server = peer->server,
		.peer = peer,
		.command = &command,
		.text = request->command,
		.out = out,
	};
	dispatch(&call, ph__route_parse(request->command, &command));
	if (peer->capturing) {
		out->length = peer->reply_start; /* the reply is written when it is back */
		return;
	}
	if (out->length == body_start)
		ph__buffer_add(out, "ok", 2);
	reply_end(peer);
}

static void close_bad(struct ph__peer *peer, const struct ph__packet *packet)
{
	ph__log(PH_LOG_WARNING, "client %" PRIu64 ": %s; closing the connection",
		peer->capture.regions.connection_number, packet->why);
	ph__peer_close(peer);
}

/* Executes the next request, if a whole one is there. */
static bool execute_next(struct ph__peer *peer)
{
	struct ph__span unread = ph__io_unread(&peer->io);
	struct ph__packet packet;
	struct ph__request request;
	enum ph__packet_state state = ph__packet_read(unread.at, unread.length, &packet);

	if (state == PH__PACKET_BAD)
		close_bad(peer, &packet);
	if (state != PH__PACKET_WHOLE)
		return false;
	bool is_request = ph__request_parse(packet.payload, &request);
	if (is_request && peer->batch_left > 0)
		ph__batch_count(peer);
	if (is_request)
		execute(peer, &request);
	else
		ph__log(PH_LOG_WARNING,
			"client %" PRIu64 ": a packet of %zu bytes without '<id>:' gets no reply",
			peer->capture.regions.connection_number, packet.payload.length);
	if (!peer->closed)
		ph__io_skip(&peer->io, packet.length_bytes);
	return true;
}

static void set_has_work(struct ph__peer *peer, bool has_work)
{
	peer->server->work_count += has_work - peer->has_work;
	peer->has_work = has_work;
}

static void watch(struct ph__peer *peer, uint32_t events)
{
	if (events == peer->events || peer->closed)
		return;
	if (ph__poller_change(&peer->server->poller, peer->io.fd, events, &peer->watch) < 0) {
		ph__log(PH_LOG_ERROR, "%s", ph_last_error());
		ph__peer_close(peer);
		return;
	}
	peer->events = events;
}

/* False: the rest has to wait until the client has read more. */
static bool send_replies(struct ph__peer *peer)
{
	enum ph__io_state state = ph__io_write(&peer->io);

	if (state == PH__IO_FAILED) {
		ph__peer_close(peer);
		return false;
	}
	watch(peer, state == PH__IO_BLOCKED ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return state == PH__IO_DONE;
}

static bool has_too_much_unsent(const struct ph__peer *peer)
{
	return peer->io.large.length > 0 || ph__io_unsent(&peer->io) > UNSENT_LIMIT_BYTES;
}

static void check_pending(struct ph__peer *peer)
{
	size_t pending_bytes = ph__io_unread(&peer->io).length;

	if (pending_bytes <= PENDING_LIMIT_BYTES)
		return;
	ph__log(PH_LOG_WARNING,
		"client %" PRIu64 ": %zu bytes of requests are pending, above the limit of %d; "
		"closing the connection",
		peer->capture.regions.connection_number, pending_bytes, PENDING_LIMIT_BYTES);
	ph__peer_close(peer);
}

void ph__peer_serve(struct ph__peer *peer)
{
	int left = COMMANDS_PER_TURN;
	bool waits_to_send = false;

	set_has_work(peer, false);
	while (!peer->closed && !peer->capturing && left > 0 && !peer->server->stopping) {
		if (has_too_much_unsent(peer) && !send_replies(peer)) {
			waits_to_send = true;
			break;
		}
		if (!ph__batch_may_go_on(peer) || !execute_next(peer))
			break;
		left--;
	}
	if (peer->closed)
		return;
	ph__batch_end_if_done(peer);
	bool sent = send_replies(peer);
	if (peer->closed)
		return;
	/* What could not be sent a moment ago may be sent now: then no event will come for the
	 * requests that had to wait for it. */
	set_has_work(peer, (left == 0 || waits_to_send) && sent && !peer->capturing);
	check_pending(peer);
}

/* False: nothing has come, or nothing will come any more. */
static bool read_more(struct ph__peer *peer)
{
	enum ph__io_state state = ph__io_read(&peer->io);

	if (state == PH__IO_ENDED || state == PH__IO_FAILED)
		ph__peer_close(peer);
	return state == PH__IO_DONE;
}

/* A client that gets a reply often asks again at once, and may have done so while it was sent: when
 * nobody else wants anything, a look at its socket is cheaper than a wait for all of them. */
static void serve_again(struct ph__peer *peer)
{
	for (int i = 0; i < AGAIN_MAX && !peer->closed && !peer->capturing && !peer->has_work;
	     i++) {
		if (!read_more(peer))
			break;
		ph__peer_serve(peer);
	}
}

static void ready(struct ph__watch *watch_, uint32_t events)
{
	struct ph__peer *peer = (struct ph__peer *)watch_;

	if (peer->closed)
		return;
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		read_more(peer);
	if (!peer->closed)
		ph__peer_serve(peer);
	if (peer->server->poller.ready_count == 1)
		serve_again(peer);
}

/* Takes a capture back and answers it. */
static void captured(void *owner)
{
	struct ph__peer *peer = owner;

	peer->capturing = false;
	if (peer->closed)
		return;
	reply_capture(peer);
	if (!peer->closed)
		ph__peer_serve(peer);
}

/* --- life ------------------------------------------------------------------------------------ */

static void link_peer(struct ph_server *server, struct ph__peer *peer)
{
	peer->next = server->peers;
	if (peer->next)
		peer->next->previous = peer;
	server->peers = peer;
}

static void unlink_peer(struct ph_server *server, struct ph__peer *peer)
{
	if (peer->next)
		peer->next->previous = peer->previous;
	if (peer->previous)
		peer->previous->next = peer->next;
	else
		server->peers = peer->next;
}

static void greet(struct ph__peer *peer)
{
	struct ph__buffer *out = &peer->io.out;
	static const unsigned char room[PH__PACKET_HEADER_BYTES];

	peer->reply_start = 0;
	ph__buffer_add(out, room, sizeof(room));
	ph__buffer_print(out, "connected to %s", peer->server->scene->name);
	reply_end(peer);
	if (!peer->closed)
		send_replies(peer);
}

void ph__peer_open(struct ph_server *server, int fd, bool over_tcp)
{
	struct ph__peer *peer = ph__sys->calloc(1, sizeof(*peer));

	if (!peer) {
		ph__log(PH_LOG_ERROR, "no memory for a connection: turned a client away");
		close(fd);
		return;
	}
	peer->watch.ready = ready;
	peer->server = server;
	peer->io.fd = fd;
	peer->over_tcp = over_tcp;
	peer->events = EPOLLIN;
	peer->is_trusted = server->token.length == 0;
	peer->capture.server = server;
	peer->capture.owner = peer;
	peer->capture.returned = captured;
	peer->capture.regions.connection_number = ++server->connection_count;
	peer->capture.regions.budget = &server->budget;
	link_peer(server, peer);
	if (ph__poller_add(&server->poller, fd, EPOLLIN, &peer->watch) < 0) {
		ph__log(PH_LOG_ERROR, "%s", ph_last_error());
		ph__peer_close(peer);
		return;
	}
	ph__log(PH_LOG_INFO, "client %" PRIu64 " has come by %s", server->connection_count,
		over_tcp ? "TCP" : "the Unix socket");
	greet(peer);
}

void ph__peer_close(struct ph__peer *peer)
{
	if (peer->closed)
		return;
	ph__log(PH_LOG_INFO, "client %" PRIu64 " is gone", peer->capture.regions.connection_number);
	set_has_work(peer, false);
	ph__batch_drop(peer);
	peer->capture.is_abandoned = true;
	peer->closed = true;
	ph__poller_remove(&peer->server->poller, peer->io.fd);
	ph__io_finish(&peer->io);
}

void ph__peer_free(struct ph__peer *peer)
{
	unlink_peer(peer->server, peer);
	ph__capture_finish(&peer->capture);
	ph__buffer_finish(&peer->last_capture);
	ph__sys->free(peer);
}
