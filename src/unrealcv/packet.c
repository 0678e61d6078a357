/* SPDX-License-Identifier: MIT */
#include "unrealcv/unrealcv.h"

static const unsigned char magic[4] = {0xC1, 0x83, 0x2B, 0x9E};

static enum ph__packet_state bad(struct ph__packet *packet, const char *why)
{
	*packet = (struct ph__packet){.why = why};
	return PH__PACKET_BAD;
}

static uint32_t get_u32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

enum ph__packet_state ph__packet_read(const void *bytes, size_t length, struct ph__packet *packet)
{
	const unsigned char *at = bytes;

	*packet = (struct ph__packet){0};
	for (size_t i = 0; i < sizeof(magic) && i < length; i++)
		if (at[i] != magic[i])
			return bad(packet, "it does not start with the magic number of UnrealCV");
	if (length < PH__PACKET_HEADER_BYTES)
		return PH__PACKET_PARTIAL;

	uint32_t payload_bytes = get_u32(at + sizeof(magic));
	if (payload_bytes == 0)
		return bad(packet, "its payload is empty");
	if (payload_bytes > PH__PACKET_PAYLOAD_LIMIT)
		return bad(packet, "its payload is longer than 256 MiB");
	packet->length_bytes = PH__PACKET_HEADER_BYTES + (size_t)payload_bytes;
	if (length < packet->length_bytes)
		return PH__PACKET_PARTIAL;
	packet->payload.at = (const char *)at + PH__PACKET_HEADER_BYTES;
	packet->payload.length = payload_bytes;
	return PH__PACKET_WHOLE;
}

void ph__packet_write_header(unsigned char header[PH__PACKET_HEADER_BYTES], uint32_t payload_bytes)
{
	memcpy(header, magic, sizeof(magic));
	for (int i = 0; i < 4; i++)
		header[4 + i] = (unsigned char)(payload_bytes >> 8 * i);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits that end at `colon`, without leading zeros; "0" for a number above int32. */
static struct ph__span read_id(const char *begin, const char *colon)
{
	const char *first = colon;
	uint64_t value;

	while (first > begin && is_digit(first[-1]))
		first--;
	while (first < colon - 1 && *first == '0')
		first++;
	struct ph__span id = {first, (size_t)(colon - first)};
	return ph__span_u64(id, INT32_MAX, &value) ? id : ph__span_of("0");
}

static struct ph__span first_line(const char *begin, const char *end)
{
	const char *at = begin;

	while (at < end && *at != '\n' && *at != '\r' && *at != '\0')
		at++;
	return (struct ph__span){begin, (size_t)(at - begin)};
}

bool ph__request_parse(struct ph__span payload, struct ph__request *request)
{
	const char *end = payload.at + payload.length;
	const char *from = payload.at;

	*request = (struct ph__request){0};
	while (from < end) {
		const char *colon = memchr(from, ':', (size_t)(end - from));
		if (!colon)
			return false;
		if (colon > payload.at && is_digit(colon[-1])) {
			request->id = read_id(payload.at, colon);
			request->command = first_line(colon + 1, end);
			return true;
		}
		from = colon + 1;
	}
	return false;
}
