/* SPDX-License-Identifier: MIT */
/* The NPY format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "image/image.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX_BYTES = 10, ALIGNMENT = 16 };

uint32_t ph__npy_write_header(unsigned char header[PH__NPY_HEADER_BYTES_MAX],
			      const uint32_t *shape, uint32_t dimension_count)
{
	char *text = (char *)header + PREFIX_BYTES;
	const size_t room = PH__NPY_HEADER_BYTES_MAX - PREFIX_BYTES;
	int length = snprintf(text, room, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
	assert(dimension_count == 2 || dimension_count == 3);
	for (uint32_t i = 0; i < dimension_count; i++)
		length += snprintf(text + length, room - (size_t)length, "%s%u", i ? ", " : "",
				   shape[i]);
	length += snprintf(text + length, room - (size_t)length, "), }");
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
