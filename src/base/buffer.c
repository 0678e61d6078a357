/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <math.h>
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

void ph__buffer_add_text(struct ph__buffer *buffer, const char *text)
{
	ph__buffer_add(buffer, text, strlen(text));
}

/* The digits of `value`, at least `least` of them, before `end`; gives where they start. */
static char *write_digits(char *end, uint64_t value, int least)
{
	for (; value > 0 || least > 0; value /= 10, least--)
		*--end = (char)('0' + value % 10);
	return end;
}

void ph__buffer_add_u64(struct ph__buffer *buffer, uint64_t value)
{
	char text[20], *end = text + sizeof(text), *begin = write_digits(end, value, 1);

	ph__buffer_add(buffer, begin, (size_t)(end - begin));
}

/* "%.<decimals>f", less the sign of a zero. */
static void print_fixed(struct ph__buffer *buffer, double value, int decimals)
{
	size_t start = buffer->length;

	ph__buffer_print(buffer, "%.*f", decimals, value);
	char *text = (char *)buffer->bytes + start;
	size_t length = buffer->length - start;
	if (length == 0 || text[0] != '-')
		return;
	for (size_t i = 1; i < length; i++)
		if (text[i] != '0' && text[i] != '.')
			return;
	memmove(text, text + 1, --buffer->length - start);
}

/* What printf rounds is the exact value; the product here is off by half an ulp at most. Only next
 * to a tie can that matter, and there printf decides. */
void ph__buffer_add_fixed(struct ph__buffer *buffer, double value, int decimals)
{
	static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
	char text[32], *end = text + sizeof(text), *begin = end;
	double scaled = fabs(value) * powers[decimals];
	uint64_t whole = scaled < 1e12 ? (uint64_t)scaled : 0;
	double rest = scaled - (double)whole;

	if (!(scaled < 1e12) || fabs(rest - 0.5) < 1e-3) {
		print_fixed(buffer, value, decimals);
		return;
	}
	whole += rest > 0.5;
	if (decimals > 0) {
		begin = write_digits(begin, whole % powers[decimals], decimals);
		*--begin = '.';
	}
	begin = write_digits(begin, whole / powers[decimals], 1);
	if (value < 0 && whole > 0)
		*--begin = '-';
	ph__buffer_add(buffer, begin, (size_t)(end - begin));
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
