/* SPDX-License-Identifier: MIT */
/* vbatch: the next N requests of a connection are held until all have come, and are then executed
 * with nothing in between: no command and no picture of anybody else. The one exception is a client
 * that does not read its replies: after PATIENCE_NS the others go on until it does. */
#include "server/routes.h"

#include <inttypes.h>

#include "base/log.h"

#define PATIENCE_NS INT64_C(2000000000)

enum { BATCH_MAX = 1000000 };

/* The packets of the batch that are there and were not looked at. True: it is complete. */
static bool collect(struct ph__peer *peer)
{
	struct ph__span unread = ph__io_unread(&peer->io);
	struct ph__packet packet;
	struct ph__request request;

	while (peer->batch_found < peer->batch_left) {
		enum ph__packet_state state =
			ph__packet_read(unread.at + peer->batch_bytes,
					unread.length - peer->batch_bytes, &packet);
		if (state == PH__PACKET_BAD) {
			ph__log(PH_LOG_WARNING, "client %" PRIu64 ": %s; closing the connection",
				peer->capture.regions.connection_number, packet.why);
			ph__peer_close(peer);
		}
		if (state != PH__PACKET_WHOLE)
			return false;
		peer->batch_bytes += packet.length_bytes;
		peer->batch_found += ph__request_parse(packet.payload, &request);
	}
	return true;
}

bool ph__batch_may_go_on(struct ph__peer *peer)
{
	struct ph_server *server = peer->server;

	if (server->batching && server->batching != peer) {
		server->has_held_back = true;
		return false;
	}
	ph__batch_end_if_done(peer);
	if (peer->batch_left == 0)
		return true;
	if (!collect(peer))
		return false;
	server->batching = peer;
	server->batching_since_ns = ph_now_ns();
	return true;
}

void ph__batch_count(struct ph__peer *peer)
{
	peer->batch_left--;
	peer->batch_found--;
}

static void release(struct ph_server *server)
{
	server->batching = NULL;
}

void ph__batch_end_if_done(struct ph__peer *peer)
{
	if (peer->server->batching == peer && peer->batch_left == 0 && !peer->capturing)
		release(peer->server);
}

void ph__batch_drop(struct ph__peer *peer)
{
	peer->batch_left = peer->batch_found = 0;
	if (peer->server->batching == peer)
		release(peer->server);
}

void ph__batch_check(struct ph_server *server)
{
	const struct ph__peer *peer = server->batching;

	if (!peer || peer->capturing || ph_now_ns() - server->batching_since_ns < PATIENCE_NS)
		return;
	ph__log(PH_LOG_WARNING,
		"client %" PRIu64 " does not read the replies of its batch: others go on meanwhile",
		peer->capture.regions.connection_number);
	release(server);
}

/* "vbatch N" and "vbatchN". As in UnrealCV less than 1 is a warning and ok. */
void ph__call_batch(struct ph__call *call)
{
	struct ph__span text = call->command->args[0].text;
	struct ph__peer *peer = call->peer;
	double count;

	if (!ph__span_double(text, &count) || count != (double)(int64_t)count) {
		ph__call_error(call, "Argument Invalid");
		return;
	}
	if (peer->server->batching == peer) {
		ph__call_error(call, "Argument Invalid: a batch within a batch");
		return;
	}
	if (count > BATCH_MAX) {
		ph__call_error(call, "Argument Invalid: a batch has %d commands at most", BATCH_MAX);
		return;
	}
	if (count < 1) {
		ph__log(PH_LOG_WARNING, "a batch of less than one command is none");
		return;
	}
	peer->batch_left = (uint32_t)count;
	peer->batch_found = 0;
	peer->batch_bytes = 0;
}
