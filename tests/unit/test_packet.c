/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "unrealcv/unrealcv.h"

static const char version_request[] = "\xC1\x83\x2B\x9E\x18\0\0\0" "0:vget /unrealcv/version";
enum { REQUEST_BYTES = sizeof(version_request) - 1 };

static void assert_span(struct ph__span span, const char *text)
{
	assert_int_equal(span.length, strlen(text));
	assert_memory_equal(span.at, text, span.length);
}

static enum ph__packet_state read_length(uint32_t payload_bytes, struct ph__packet *packet)
{
	unsigned char header[PH__PACKET_HEADER_BYTES];

	ph__packet_write_header(header, payload_bytes);
	return ph__packet_read(header, sizeof(header), packet);
}

TEST(a_whole_packet_is_read_as_the_protocol_page_draws_it)
{
	struct ph__packet packet;

	assert_int_equal(ph__packet_read(version_request, REQUEST_BYTES, &packet),
			 PH__PACKET_WHOLE);
	assert_int_equal(packet.length_bytes, REQUEST_BYTES);
	assert_span(packet.payload, "0:vget /unrealcv/version");
}

TEST(a_header_is_written_little_endian)
{
	unsigned char header[PH__PACKET_HEADER_BYTES];

	ph__packet_write_header(header, 0x04030201);
	assert_memory_equal(header, "\xC1\x83\x2B\x9E\1\2\3\4", sizeof(header));
}

TEST(a_packet_cut_at_any_byte_is_partial_and_says_its_length_once_it_is_known)
{
	for (size_t length = 0; length < REQUEST_BYTES; length++) {
		/* A copy of just this size: AddressSanitizer sees a byte read too many. */
		char *piece = malloc(length + 1);
		struct ph__packet packet;
		memcpy(piece + 1, version_request, length);
		assert_int_equal(ph__packet_read(piece + 1, length, &packet), PH__PACKET_PARTIAL);
		assert_int_equal(packet.length_bytes,
				 length < PH__PACKET_HEADER_BYTES ? 0 : REQUEST_BYTES);
		assert_int_equal(packet.payload.length, 0);
		free(piece);
	}
}

TEST(two_packets_in_one_piece_are_read_one_after_the_other)
{
	char both[2 * REQUEST_BYTES];
	struct ph__packet packet;

	memcpy(both, version_request, REQUEST_BYTES);
	memcpy(both + REQUEST_BYTES, version_request, REQUEST_BYTES);
	both[REQUEST_BYTES + 8] = '1';
	assert_int_equal(ph__packet_read(both, sizeof(both), &packet), PH__PACKET_WHOLE);
	assert_int_equal(packet.length_bytes, REQUEST_BYTES);
	assert_span(packet.payload, "0:vget /unrealcv/version");
	assert_int_equal(ph__packet_read(both + packet.length_bytes, REQUEST_BYTES, &packet),
			 PH__PACKET_WHOLE);
	assert_span(packet.payload, "1:vget /unrealcv/version");
}

TEST(a_wrong_magic_is_seen_at_its_first_wrong_byte)
{
	for (size_t wrong = 0; wrong < 4; wrong++) {
		char bytes[REQUEST_BYTES];
		struct ph__packet packet;
		memcpy(bytes, version_request, REQUEST_BYTES);
		bytes[wrong] ^= 1;
		for (size_t length = 0; length <= REQUEST_BYTES; length++) {
			bool seen = ph__packet_read(bytes, length, &packet) == PH__PACKET_BAD;
			assert_int_equal(seen, length > wrong);
			assert_int_equal(packet.why != NULL, seen);
		}
	}
}

TEST(an_empty_payload_is_refused)
{
	struct ph__packet packet;

	assert_int_equal(read_length(0, &packet), PH__PACKET_BAD);
	assert_non_null(packet.why);
}

TEST(a_payload_of_256_mib_is_the_longest)
{
	struct ph__packet packet;

	assert_int_equal(read_length(256u << 20, &packet), PH__PACKET_PARTIAL);
	assert_int_equal(packet.length_bytes, (256u << 20) + PH__PACKET_HEADER_BYTES);
	assert_int_equal(read_length((256u << 20) + 1, &packet), PH__PACKET_BAD);
	assert_int_equal(read_length(1u << 30, &packet), PH__PACKET_BAD);
	assert_int_equal(read_length(UINT32_MAX, &packet), PH__PACKET_BAD);
}

TEST(other_protocols_are_refused)
{
	struct ph__packet packet;

	assert_int_equal(ph__packet_read("GET / HTTP/1.1\r\n", 16, &packet), PH__PACKET_BAD);
	assert_int_equal(ph__packet_read("\x16\x03\x01\x02\x00\x01\x00\x01", 8, &packet),
			 PH__PACKET_BAD);
	assert_int_equal(ph__packet_read("SSH-2.0-OpenSSH_9.2\r\n", 21, &packet), PH__PACKET_BAD);
}

static void assert_request(const char *payload, const char *id, const char *command)
{
	struct ph__request request;

	assert_true(ph__request_parse(ph__span_of(payload), &request));
	assert_span(request.id, id);
	assert_span(request.command, command);
}

static void assert_no_request(const char *payload)
{
	struct ph__request request;

	assert_false(ph__request_parse(ph__span_of(payload), &request));
}

TEST(a_request_is_an_id_a_colon_and_a_command)
{
	assert_request("0:vget /unrealcv/version", "0", "vget /unrealcv/version");
	assert_request("12345:x", "12345", "x");
	assert_request("7:", "7", "");
}

TEST(an_id_that_does_not_fit_int32_counts_as_0)
{
	assert_request("2147483647:x", "2147483647", "x");
	assert_request("2147483648:x", "0", "x");
	assert_request("4294967297:x", "0", "x");
	assert_request("99999999999999999999999999999999999999:x", "0", "x");
}

TEST(an_id_loses_its_leading_zeros)
{
	assert_request("007:x", "7", "x");
	assert_request("000:x", "0", "x");
	assert_request("00000000000000000000000000000000000000000001:x", "1", "x");
}

TEST(the_sign_of_a_negative_id_is_junk_before_the_digits)
{
	assert_request("-5:x", "5", "x");
	assert_request("-1:", "1", "");
}

TEST(junk_before_the_id_is_ignored)
{
	assert_request("junk3:x", "3", "x");
	assert_request("12a34:x", "34", "x");
	assert_request("a:b:5:x", "5", "x");
	assert_request("::1:x", "1", "x");
	assert_request("one\n2:x", "2", "x");
}

TEST(the_first_id_counts_and_later_colons_belong_to_the_command)
{
	assert_request("1:2:3:x", "1", "2:3:x");
	assert_request("1:vset /x a:b", "1", "vset /x a:b");
}

TEST(a_command_ends_at_its_first_line_break)
{
	assert_request("1:vget /cameras\nvget /objects", "1", "vget /cameras");
	assert_request("1:vget /cameras\r\n", "1", "vget /cameras");
	assert_request("1:\nvget /cameras", "1", "");
}

TEST(a_command_ends_at_a_nul)
{
	struct ph__request request;
	struct ph__span payload = {"1:a.png\0.bmp", 12};

	assert_true(ph__request_parse(payload, &request));
	assert_span(request.command, "a.png");
}

TEST(a_payload_without_an_id_is_no_request)
{
	assert_no_request("vget /unrealcv/version");
	assert_no_request(":x");
	assert_no_request("12");
	assert_no_request("1 :x");
	assert_no_request("x:y:z:");
	assert_no_request("");
}
