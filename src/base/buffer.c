/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"

enum { LEAST_BYTES = 4096 }; /* short texts of varying length never grow it again */

unsigned char *ph__buffer_room(struct ph__buffer *buffer, size_t more)
{
	size_t needed;

	if (__builtin_add_overflow(buffer->length, more, &needed) || needed > PTRDIFF_MAX) {
		buffer->failed = true;
		return NULL;
	}
	if (needed > buffer->capacity) {
		size_t capacity = buffer->capacity + buffer->capacity / 2;
		if (capacity < needed)
			capacity = needed;
		if (capacity < LEAST_BYTES)
			capacity = LEAST_BYTES;
		void *bytes = ph__sys->realloc(buffer->bytes, capacity);
		if (!bytes) {
			buffer->failed = true;
			return NULL;
		}
		buffer->bytes = bytes;
		buffer->capacity = capacity;
	}
	return buffer->bytes + buffer->length;
}

void ph__buffer_add(struct ph__buffer *buffer, const void *bytes, size_t length)
{
	unsigned char *room = ph__buffer_room(buffer, length);

	if (!room || length == 0)
		return;
	memcpy(room, bytes, length);
	buffer->length += length;
}

void ph__buffer_print(struct ph__buffer *buffer, const char *format, ...)
{
	for (size_t guess = 128;;) {
		char *room = (char *)ph__buffer_room(buffer, guess);
		va_list args;
		if (!room)
			return;
		va_start(args, format);
		int length = vsnprintf(room, guess, format, args);
		va_end(args);
		if (length < 0) {
			buffer->failed = true;
			return;
		}
		if ((size_t)length < guess) {
			buffer->length += (size_t)length;
			return;
		}
		guess = (size_t)length + 1;
	}
}

void ph__buffer_clear(struct ph__buffer *buffer)
{
	buffer->length = 0;
	buffer->failed = false;
}

void ph__buffer_finish(struct ph__buffer *buffer)
{
	ph__sys->free(buffer->bytes);
	*buffer = (struct ph__buffer){0};
}
