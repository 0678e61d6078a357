/* SPDX-License-Identifier: MIT */
/* Reads JSON objects whose keys are known beforehand into a struct, by a table. Strict: one object
 * and nothing behind it; a known key at most once and of the right type. Unknown keys are checked
 * and skipped, nested up to PH__JSON_DEPTH_MAX. Nothing is allocated or copied. */
#ifndef CLIENT_JSON_H
#define CLIENT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum { PH__JSON_DEPTH_MAX = 32, PH__JSON_COUNTS_MAX = 4 };

/* For "%.*s": the start of a span that may be long. */
#define PH__SHOWN(span) (int)((span).length < 60 ? (span).length : 60), (span).at ? (span).at : ""

enum ph__json_kind {
	PH__JSON_END,    /* of a table */
	PH__JSON_STRING, /* a struct ph__span; without escapes */
	PH__JSON_COUNT,  /* a uint64_t up to INT64_MAX */
	PH__JSON_NUMBER, /* a double */
	PH__JSON_COUNTS, /* a struct ph__json_counts */
	PH__JSON_OBJECT, /* filled by a table of its own */
	PH__JSON_ANY     /* skipped: only its presence counts */
};

struct ph__json_counts {
	uint64_t values[PH__JSON_COUNTS_MAX];
	uint32_t count;
};

/* One key and where its value goes: offsets are from the start of the outermost struct. */
struct ph__json_field {
	const char *key;
	enum ph__json_kind kind;
	size_t value_offset;
	size_t given_offset; /* a bool, set when the key is there */
	const struct ph__json_field *fields;
};

/* Errors: PH_EFORMAT, with the key or the place. Members without a key are left alone. */
ph_status ph__json_read(struct ph__span text, const struct ph__json_field *fields, void *into);

#endif
