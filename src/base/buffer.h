/* SPDX-License-Identifier: MIT */
/* Bytes that grow at the end and keep their memory when emptied: nothing is allocated once a
 * buffer has reached its working size.
 *
 * A failed append leaves `failed` set and the bytes as they were; callers check once, at the
 * end. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ph__buffer {
	unsigned char *bytes;
	size_t length;
	size_t capacity;
	bool failed; /* memory ran out since the last clear */
};

/* Room for `more` bytes behind the present ones; they are not yet part of the buffer. NULL and
 * `failed` when there is no memory. */
PH_SHARED unsigned char *ph__buffer_room(struct ph__buffer *buffer, size_t more);
PH_SHARED void ph__buffer_add(struct ph__buffer *buffer, const void *bytes, size_t length);
PH_SHARED void ph__buffer_print(struct ph__buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
PH_SHARED void ph__buffer_add_text(struct ph__buffer *buffer, const char *text);
PH_SHARED void ph__buffer_add_u64(struct ph__buffer *buffer, uint64_t value);

/* As "%.<decimals>f" prints it, 0 to 6 decimals, but faster, and what rounds to zero has no sign. */
PH_SHARED void ph__buffer_add_fixed(struct ph__buffer *buffer, double value, int decimals);
PH_SHARED void ph__buffer_clear(struct ph__buffer *buffer);
PH_SHARED void ph__buffer_finish(struct ph__buffer *buffer);

#endif
