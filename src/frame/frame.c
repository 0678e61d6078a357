/* SPDX-License-Identifier: MIT */
#include <pinhole/frame.h>

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

enum { SIDE_LIMIT_PX = 65536 };

/* What each format needs: bytes of one pixel in plane 0, and for the planar ones how many planes
 * follow at half size and how wide a half pixel is there. */
static const struct format {
	const char *name;
	uint32_t pixel_bytes;
	uint32_t half_planes, half_bytes;
} formats[] = {
	[PH_PIXEL_NONE]   = {"NONE", 0, 0, 0},
	[PH_PIXEL_GRAY8]  = {"GRAY8", 1, 0, 0},
	[PH_PIXEL_GRAY16] = {"GRAY16", 2, 0, 0},
	[PH_PIXEL_RGB8]   = {"RGB8", 3, 0, 0},
	[PH_PIXEL_BGR8]   = {"BGR8", 3, 0, 0},
	[PH_PIXEL_RGBA8]  = {"RGBA8", 4, 0, 0},
	[PH_PIXEL_BGRA8]  = {"BGRA8", 4, 0, 0},
	[PH_PIXEL_I420]   = {"I420", 1, 2, 1},
	[PH_PIXEL_NV12]   = {"NV12", 1, 1, 2},
	[PH_PIXEL_F32]    = {"F32", 4, 0, 0},
	[PH_PIXEL_F32X2]  = {"F32X2", 8, 0, 0},
	[PH_PIXEL_F32X3]  = {"F32X3", 12, 0, 0},
	[PH_PIXEL_F32X4]  = {"F32X4", 16, 0, 0},
};
enum { FORMAT_COUNT = sizeof(formats) / sizeof(formats[0]) };

static const struct format *format_of(ph_pixel pixel)
{
	return (unsigned)pixel < FORMAT_COUNT ? &formats[pixel] : NULL;
}

const char *ph_pixel_name(ph_pixel pixel)
{
	const struct format *format = format_of(pixel);
	return format ? format->name : "?";
}

uint32_t ph_pixel_bytes(ph_pixel pixel)
{
	const struct format *format = format_of(pixel);
	return format && format->half_planes == 0 ? format->pixel_bytes : 0;
}

static ph_status check_size(ph_pixel pixel, uint32_t width_px, uint32_t height_px)
{
	const struct format *format = format_of(pixel);

	if (!format || format->pixel_bytes == 0)
		return ph__fail(PH_EINVAL, "%d is no pixel format; see ph_pixel", (int)pixel);
	if (width_px == 0 || height_px == 0)
		return ph__fail(PH_EINVAL, "a frame of %u x %u has no pixels", width_px, height_px);
	if (width_px > SIDE_LIMIT_PX || height_px > SIDE_LIMIT_PX)
		return ph__fail(PH_ETOOBIG, "a frame of %u x %u: a side may be %d pixels at most",
				width_px, height_px, SIDE_LIMIT_PX);
	return PH_OK;
}

/* Bytes of a row and rows of a plane. Sides are at most 2^16, pixels 16 bytes: no overflow. */
static void plane_extent(const struct format *format, uint32_t plane, uint32_t width_px,
			 uint32_t height_px, uint64_t *row_bytes, uint64_t *row_count)
{
	if (plane == 0) {
		*row_bytes = (uint64_t)width_px * format->pixel_bytes;
		*row_count = height_px;
	} else {
		*row_bytes = ((uint64_t)width_px + 1) / 2 * format->half_bytes;
		*row_count = ((uint64_t)height_px + 1) / 2;
	}
}

ph_status ph_frame_describe(ph_frame *frame, ph_pixel pixel, uint32_t width_px, uint32_t height_px)
{
	ph_status status = check_size(pixel, width_px, height_px);
	if (status < 0)
		return status;

	const struct format *format = format_of(pixel);
	uint64_t offset_bytes = 0;
	memset(frame->planes, 0, sizeof(frame->planes));
	frame->pixel = pixel;
	frame->width_px = width_px;
	frame->height_px = height_px;
	frame->plane_count = 1 + format->half_planes;
	for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
		uint64_t row_bytes, row_count;
		plane_extent(format, plane, width_px, height_px, &row_bytes, &row_count);
		frame->planes[plane] = (ph_plane){offset_bytes, row_bytes};
		offset_bytes += row_bytes * row_count;
	}
	frame->length_bytes = offset_bytes;
	return PH_OK;
}

ph_status ph_frame_check(const ph_frame *frame)
{
	ph_status status = check_size(frame->pixel, frame->width_px, frame->height_px);
	if (status < 0)
		return status;

	const struct format *format = format_of(frame->pixel);
	if (frame->plane_count != 1 + format->half_planes)
		return ph__fail(PH_EFORMAT, "a %s frame has %u planes, not %u", format->name,
				1 + format->half_planes, frame->plane_count);
	for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
		const ph_plane *at = &frame->planes[plane];
		uint64_t row_bytes, row_count, end;
		plane_extent(format, plane, frame->width_px, frame->height_px, &row_bytes,
			     &row_count);
		if (at->stride_bytes < row_bytes ||
		    !ph__mul_u64(at->stride_bytes, row_count - 1, &end) ||
		    !ph__add_u64(end, row_bytes, &end) ||
		    !ph__add_u64(end, at->offset_bytes, &end) || end > frame->length_bytes)
			return ph__fail(PH_EFORMAT,
					"plane %u (offset %llu, stride %llu) of a %u x %u %s frame leaves its %llu bytes",
					plane, (unsigned long long)at->offset_bytes,
					(unsigned long long)at->stride_bytes, frame->width_px,
					frame->height_px, format->name,
					(unsigned long long)frame->length_bytes);
	}
	return PH_OK;
}
