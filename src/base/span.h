/* SPDX-License-Identifier: MIT */
/* Text inside somebody else's memory, not ended by NUL, and the numbers in it.
 * Numbers are read the same way in every locale. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

struct ph__span {
	const char *at;
	size_t length;
};

static inline struct ph__span ph__span_of(const char *text)
{
	return (struct ph__span){text, strlen(text)};
}

static inline bool ph__span_is(struct ph__span span, const char *text)
{
	return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

static inline bool ph__span_starts(struct ph__span span, const char *text)
{
	size_t length = strlen(text);
	return span.length >= length && memcmp(span.at, text, length) == 0;
}

/* The whole span as a finite decimal number: an optional sign, digits with at most one point and
 * an optional exponent ("1", "-.5", "1.", "1e-05"). No blanks, no "nan", "inf" or hexadecimal. */
PH_SHARED bool ph__span_double(struct ph__span span, double *value);

/* The whole span as decimal digits, no sign, at most `limit`. */
PH_SHARED bool ph__span_u64(struct ph__span span, uint64_t limit, uint64_t *value);

#endif
