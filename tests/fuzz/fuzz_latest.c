/* SPDX-License-Identifier: MIT */
/* What a peer of `latest` can send or write: packets to a writer, packets to a reader, slot
 * headers, words of the board. Whatever is accepted must lie inside what was announced.
 *
 *     byte 0  what follows: 0 packet from a reader, 1 packet from a writer, 2 slot header, 3 board
 * word byte 1  number of descriptors that came along; epoch of the view */
#include <pinhole/latest.h>

#include <stdlib.h>
#include <string.h>

#include "channel/latest_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 5, FRAME_BYTES = 5000, STRIDE = 8192, PAYLOAD_BYTES = 4096 + SLOTS * STRIDE };

static void require(bool good)
{
	if (!good)
		abort();
}

static void check_from_writer(const uint8_t *bytes, size_t size, unsigned fd_count)
{
	struct latest_message message;
	struct latest_geometry geometry = {0};
	ph_status status =
	    ph__latest_message_from_writer(&message, &geometry, bytes, size, fd_count);

	if (status < 0 || (message.type != LATEST_WELCOME && message.type != LATEST_PAYLOAD))
		return;
	uint64_t length = ph__latest_payload_bytes(&geometry);
	require(fd_count == (message.type == LATEST_WELCOME ? 3 : 1));
	require(geometry.epoch > 0 && geometry.slot_count >= LATEST_SLOTS_MIN);
	require(length <= UINT64_C(1) << 46);
	require(geometry.slots_offset >= geometry.slot_count * sizeof(struct latest_header));
	require(geometry.slots_offset + (geometry.slot_count - 1) * geometry.slot_stride +
		    geometry.frame_bytes <=
		length);
}

/* Reads every byte that the description names: AddressSanitizer watches the edges. */
static void use_frame(const ph_latest_frame *frame)
{
	static volatile uint8_t sink;
	const uint8_t *bytes = frame->frame.bytes;

	require(frame->user_bytes <= PH_LATEST_USER_BYTES_MAX);
	require(frame->frame.length_bytes <= FRAME_BYTES);
	for (uint64_t i = 0; i < frame->frame.length_bytes; i++)
		sink ^= bytes[i];
	for (uint32_t i = 0; frame->frame.pixel != PH_PIXEL_NONE && i < frame->frame.plane_count;
	     i++) {
		uint64_t rows = i == 0 ? frame->frame.height_px : (frame->frame.height_px + 1) / 2;
		sink ^= bytes[frame->frame.planes[i].offset_bytes +
			     (rows - 1) * frame->frame.planes[i].stride_bytes];
	}
	(void)sink;
}

static void check_memory(const uint8_t *bytes, size_t size, uint32_t epoch, bool is_word)
{
	static struct latest_board board;
	static struct latest_control control;
	const struct latest_geometry geometry = {epoch, SLOTS, 4096, STRIDE, FRAME_BYTES};
	unsigned char *payload = calloc(1, PAYLOAD_BYTES);
	struct latest_view view = {&board, &control, payload, geometry};
	ph_latest_frame frame;
	uint64_t word = latest_pack(epoch, 1, 1);

	if (is_word)
		memcpy(&word, bytes, size < sizeof(word) ? size : sizeof(word));
	else
		memcpy(payload + LATEST_HEADER_BYTES, bytes,
		       size < LATEST_HEADER_BYTES ? size : LATEST_HEADER_BYTES);
	atomic_store(&board.latest, word);
	if (ph__latest_pin(&view, 0, &word) == LATEST_PINNED &&
	    ph__latest_describe(&view, word, &frame) == PH_OK)
		use_frame(&frame);
	free(payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct latest_message message;

	if (size < 2)
		return 0;
	switch (data[0] % 4) {
	case 0:
		if (ph__latest_message_from_reader(&message, data + 2, size - 2) == PH_OK)
			require(message.type == LATEST_HELLO ? message.held <= LATEST_HAZARDS
							     : message.epoch <= LATEST_EPOCH_MAX);
		break;
	case 1:
		check_from_writer(data + 2, size - 2, data[1] % 5);
		break;
	default:
		check_memory(data + 2, size - 2, 1 + data[1] % 2, data[0] % 4 == 3);
	}
	return 0;
}
