/* SPDX-License-Identifier: MIT */
#include "render/stream.h"

#include <assert.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 * 1024 };

static ph_status grow(struct ph__stream *stream, struct ph__device *device, size_t needed)
{
	static const GLbitfield flags =
		GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
	size_t capacity = stream->capacity ? stream->capacity : FIRST_CAPACITY;
	GLint alignment;

	while (capacity < needed)
		capacity *= 2;
	ph__stream_finish(stream);
	glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &alignment);
	stream->block_alignment = (size_t)alignment;
	glCreateBuffers(1, &stream->buffer);
	glNamedBufferStorage(stream->buffer, (GLsizeiptr)capacity, NULL, flags);
	stream->bytes = glMapNamedBufferRange(stream->buffer, 0, (GLsizeiptr)capacity, flags);
	ph_status status = ph__gl_check(device, "mapping a buffer");
	if (status == PH_OK)
		stream->capacity = capacity;
	return status;
}

ph_status ph__stream_begin(struct ph__stream *stream, struct ph__device *device, size_t size_bytes)
{
	stream->used = 0;
	return size_bytes <= stream->capacity ? PH_OK : grow(stream, device, size_bytes);
}

void *ph__stream_take(struct ph__stream *stream, size_t size_bytes, size_t alignment,
		      size_t *offset_bytes)
{
	size_t over = stream->used % alignment;
	size_t offset = over ? stream->used + alignment - over : stream->used;

	assert(offset + size_bytes <= stream->capacity);
	stream->used = offset + size_bytes;
	*offset_bytes = offset;
	return stream->bytes + offset;
}

void ph__stream_finish(struct ph__stream *stream)
{
	glDeleteBuffers(1, &stream->buffer); /* unmaps it, too */
	memset(stream, 0, sizeof(*stream));
}
