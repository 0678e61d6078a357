/* SPDX-License-Identifier: MIT */
/* Data that changes with every picture: a buffer that stays mapped, filled from its start for each
 * picture. The read-back at a picture's end has waited for the device, so nothing that it still
 * reads is overwritten. */
#ifndef RENDER_STREAM_H
#define RENDER_STREAM_H

#include "render/device.h"

struct ph__stream {
	GLuint buffer;
	unsigned char *bytes; /* mapped: write only */
	size_t capacity, used;
	size_t block_alignment; /* of uniform blocks */
};

/* Empties the stream and makes sure that it holds size_bytes, gaps for alignment included.
 * Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__stream_begin(struct ph__stream *stream, struct ph__device *device, size_t size_bytes);

/* The next piece, at a multiple of `alignment`; *offset_bytes is where it is in the buffer. */
void *ph__stream_take(struct ph__stream *stream, size_t size_bytes, size_t alignment,
		      size_t *offset_bytes);
void ph__stream_finish(struct ph__stream *stream);

#endif
