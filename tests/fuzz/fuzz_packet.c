/* SPDX-License-Identifier: MIT */
/* Bytes from a connection: packets are cut from the front as the server does, requests and commands
 * read from them. Checks what the header promises about each result. */
#include <assert.h>

#include "fuzz.h"
#include "unrealcv/unrealcv.h"

static bool is_inside(struct ph__span span, struct ph__span whole)
{
	return span.at >= whole.at && span.length <= whole.length &&
	       (size_t)(span.at - whole.at) <= whole.length - span.length;
}

static void check_request(struct ph__span payload)
{
	struct ph__request request;
	uint64_t id;

	if (!ph__request_parse(payload, &request))
		return;
	assert(ph__span_u64(request.id, INT32_MAX, &id));
	assert(request.id.length == 1 || request.id.at[0] != '0');
	assert(is_inside(request.command, payload));
	assert(request.command.length == 0 ||
	       (!memchr(request.command.at, '\n', request.command.length) &&
		!memchr(request.command.at, '\0', request.command.length)));
}

/* A packet that is whole is partial at every shorter length, and a bad one is never whole. */
static void check_prefixes(const unsigned char *bytes, size_t length, enum ph__packet_state state)
{
	struct ph__packet packet;

	for (size_t shorter = 0; shorter < length && shorter < 64; shorter++) {
		enum ph__packet_state earlier = ph__packet_read(bytes, shorter, &packet);
		assert(earlier == PH__PACKET_PARTIAL ||
		       (earlier == PH__PACKET_BAD && state == PH__PACKET_BAD));
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	while (length > 0) {
		struct ph__packet packet;
		enum ph__packet_state state = ph__packet_read(bytes, length, &packet);
		assert((state == PH__PACKET_BAD) == (packet.why != NULL));
		check_prefixes(bytes, state == PH__PACKET_WHOLE ? packet.length_bytes : length,
			       state);
		if (state != PH__PACKET_WHOLE)
			break;
		assert(is_inside(packet.payload, (struct ph__span){(const char *)bytes, length}));
		assert(packet.length_bytes == packet.payload.length + PH__PACKET_HEADER_BYTES);
		check_request(packet.payload);
		bytes += packet.length_bytes;
		length -= packet.length_bytes;
	}
	return 0;
}
