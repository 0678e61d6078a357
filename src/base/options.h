/* SPDX-License-Identifier: MIT */
/* Options structs grow at the end. Reading one: start from zeros, take what the caller had, and
 * refuse only if it asks for something that this library has never heard of. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* `given` may be NULL: all defaults. */
static inline bool ph__options_read(void *known, size_t known_size, const void *given)
{
	memset(known, 0, known_size);
	if (!given)
		return true;
	size_t given_size;
	memcpy(&given_size, given, sizeof(given_size));
	if (given_size < sizeof(given_size) || given_size > 4096)
		return false;
	for (size_t i = known_size; i < given_size; i++)
		if (((const unsigned char *)given)[i] != 0)
			return false; /* built against a newer header, and uses it */
	memcpy(known, given, given_size < known_size ? given_size : known_size);
	return true;
}

#endif
