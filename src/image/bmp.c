/* SPDX-License-Identifier: MIT */
#include "image/image.h"

#include <string.h>

enum { PIXELS_PER_METRE = 1024 };

static void put_u16(unsigned char *at, uint16_t value)
{
	at[0] = (unsigned char)value;
	at[1] = (unsigned char)(value >> 8);
}

static void put_u32(unsigned char *at, uint32_t value)
{
	put_u16(at, (uint16_t)value);
	put_u16(at + 2, (uint16_t)(value >> 16));
}

void ph__bmp_write_header(unsigned char header[PH__BMP_HEADER_BYTES], uint32_t width_px,
			  uint32_t height_px)
{
	memset(header, 0, PH__BMP_HEADER_BYTES);
	memcpy(header, "BM", 2);
	put_u32(header + 2, PH__BMP_HEADER_BYTES + width_px * height_px * 4);
	put_u32(header + 10, PH__BMP_HEADER_BYTES);
	put_u32(header + 14, 40);
	put_u32(header + 18, width_px);
	put_u32(header + 22, -height_px); /* negative: the top row comes first */
	put_u16(header + 26, 1);
	put_u16(header + 28, 32);
	put_u32(header + 38, PIXELS_PER_METRE);
	put_u32(header + 42, PIXELS_PER_METRE);
}
