/* SPDX-License-Identifier: MIT */
/* Picture files. BMP and NPY are a header in front of the pixels as they are: the caller reserves
 * PREFIX_MAX bytes before them and sends the lot as one piece. PNG goes through libspng. */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <pinhole/frame.h>

#include "base/buffer.h"

enum { PH__BMP_HEADER_BYTES = 54, PH__NPY_HEADER_BYTES_MAX = 128 };

/* The header of a 32-bit top-down BMP of BGRA8 rows, as the UnrealCV clients read it. */
void ph__bmp_write_header(unsigned char header[PH__BMP_HEADER_BYTES], uint32_t width_px,
			  uint32_t height_px);

/* The header of an NPY 1.0 file of float32, little endian, the last dimension fastest.
 * Returns its length, a multiple of 16. */
uint32_t ph__npy_write_header(unsigned char header[PH__NPY_HEADER_BYTES_MAX],
			      const uint32_t *shape, uint32_t dimension_count);

/* Appends a PNG file of a BGRA8 or RGBA8 (written as RGBA), RGB8 or GRAY8 frame.
 * Errors: PH_EINVAL (another format), PH_ENOTBUILT, PH_ENOSPC. */
ph_status ph__png_encode(const ph_frame *frame, struct ph__buffer *file);

#endif
