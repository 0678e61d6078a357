/* SPDX-License-Identifier: MIT */
#include "client/reply.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

static bool is_text(struct ph__span body)
{
	const unsigned char *at = (const unsigned char *)body.at;
	size_t left = body.length;

	while (left > 0) {
		size_t length = ph__utf8_length(at, left);
		if (length == 0 || at[0] == '\0')
			return false;
		at += length;
		left -= length;
	}
	return true;
}

static uint32_t read_u16(const char *at)
{
	return (uint32_t)(unsigned char)at[0] | (uint32_t)(unsigned char)at[1] << 8;
}

static uint32_t read_u32(const char *at)
{
	return read_u16(at) | read_u16(at + 2) << 16;
}

/* A frame whose rows fill the body from `header_bytes` on, exactly. */
static bool frame_of(struct ph__span body, size_t header_bytes, ph_pixel pixel, uint32_t width_px,
		     uint32_t height_px, ph_frame *frame)
{
	ph_frame inside = {.bytes = body.at + header_bytes};

	if (ph_frame_describe(&inside, pixel, width_px, height_px) < 0 ||
	    inside.length_bytes != body.length - header_bytes)
		return false;
	*frame = inside;
	return true;
}

static bool read_bmp(struct ph__span body, ph_frame *frame)
{
	enum { HEADER_BYTES = 54, INFO_BYTES = 40 };
	const char *header = body.at;

	if (body.length < HEADER_BYTES || memcmp(header, "BM", 2) != 0)
		return false;
	uint32_t width_px = read_u32(header + 18);
	uint32_t height_px = -read_u32(header + 22); /* negative: the top row comes first */
	bool plain = read_u32(header + 2) == body.length && read_u32(header + 10) == HEADER_BYTES &&
		     read_u32(header + 14) == INFO_BYTES && read_u16(header + 26) == 1 &&
		     read_u16(header + 28) == 32 && read_u32(header + 30) == 0;
	return plain && frame_of(body, HEADER_BYTES, PH_PIXEL_BGRA8, width_px, height_px, frame);
}

/* Takes `text` off the front of the span. */
static bool take(struct ph__span *span, const char *text)
{
	if (!ph__span_starts(*span, text))
		return false;
	span->at += strlen(text);
	span->length -= strlen(text);
	return true;
}

static bool take_count(struct ph__span *span, uint64_t *count)
{
	size_t length = 0;

	while (length < span->length && span->at[length] >= '0' && span->at[length] <= '9')
		length++;
	if (!ph__span_u64((struct ph__span){span->at, length}, UINT32_MAX, count))
		return false;
	span->at += length;
	span->length -= length;
	return true;
}

/* The dictionary as NumPy writes it: keys in order, one space behind each comma. */
static bool read_npy_shape(struct ph__span text, uint64_t shape[3])
{
	shape[2] = 1;
	if (!take(&text, "{'descr': '<f4', 'fortran_order': False, 'shape': (") ||
	    !take_count(&text, &shape[0]) || !take(&text, ", ") || !take_count(&text, &shape[1]))
		return false;
	if (take(&text, ", ") && !take_count(&text, &shape[2]))
		return false;
	return take(&text, "), }");
}

static bool read_npy(struct ph__span body, ph_frame *frame)
{
	enum { PREFIX_BYTES = 10 };
	static const ph_pixel pixels[] = {PH_PIXEL_NONE, PH_PIXEL_F32, PH_PIXEL_F32X2,
					  PH_PIXEL_F32X3, PH_PIXEL_F32X4};
	uint64_t shape[3];

	if (body.length < PREFIX_BYTES || memcmp(body.at, "\x93NUMPY\x01\x00", 8) != 0)
		return false;
	size_t text_bytes = read_u16(body.at + 8), header_bytes = PREFIX_BYTES + text_bytes;
	if (header_bytes > body.length || header_bytes % sizeof(float) != 0 ||
	    !read_npy_shape((struct ph__span){body.at + PREFIX_BYTES, text_bytes}, shape))
		return false;
	ph_pixel pixel =
		shape[2] < sizeof(pixels) / sizeof(pixels[0]) ? pixels[shape[2]] : PH_PIXEL_NONE;
	return frame_of(body, header_bytes, pixel, (uint32_t)shape[1], (uint32_t)shape[0], frame);
}

void ph__reply_read(struct ph__span body, ph_reply *reply)
{
	*reply = (ph_reply){.bytes = body.at, .bytes_length = body.length};
	if (read_bmp(body, &reply->frame) || read_npy(body, &reply->frame)) {
		reply->kind = PH_REPLY_FRAME;
	} else if (is_text(body)) {
		reply->kind = PH_REPLY_TEXT;
		reply->text = body.at;
	} else {
		reply->kind = PH_REPLY_BYTES;
	}
}
