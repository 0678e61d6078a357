/* SPDX-License-Identifier: MIT */
/* The NPY format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "image/image.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX_BYTES = 10, ALIGNMENT = 16 };

uint32_t ph__npy_write_header(unsigned char header[PH__NPY_HEADER_BYTES_MAX], uint32_t width_px,
			      uint32_t height_px)
{
	char *text = (char *)header + PREFIX_BYTES;
	int length = snprintf(text, PH__NPY_HEADER_BYTES_MAX - PREFIX_BYTES,
			      "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }",
			      height_px, width_px);
	/* The last byte is a newline, so at least one byte of padding: a length that is a multiple
	 * already gets a whole further 16. */
	uint32_t total = ((uint32_t)length + PREFIX_BYTES) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
	assert(total <= PH__NPY_HEADER_BYTES_MAX);
	uint32_t dictionary_bytes = total - PREFIX_BYTES;

	memcpy(header, "\x93NUMPY\x01\x00", 8);
	header[8] = (unsigned char)dictionary_bytes;
	header[9] = (unsigned char)(dictionary_bytes >> 8);
	memset(text + length, ' ', dictionary_bytes - (uint32_t)length);
	header[total - 1] = '\n';
	return total;
}
