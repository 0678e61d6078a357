/* SPDX-License-Identifier: MIT */
/* Values that are kept for whoever set them and have no effect: a small list of (key, text). */
#ifndef SCENE_STORED_H
#define SCENE_STORED_H

#include <stddef.h>
#include <stdint.h>

#include <pinhole/base.h>

enum { PH__STORED_BYTES = 104 };

struct ph__stored_value {
	const void *key; /* compared by its address */
	char text[PH__STORED_BYTES];
};

struct ph__stored {
	struct ph__stored_value *values;
	uint32_t count, capacity;
};

/* NULL: was never set. Stays until the next set. */
const char *ph__stored_get(const struct ph__stored *stored, const void *key);

/* Errors: PH_ETOOBIG (the text), PH_ENOSPC. */
ph_status ph__stored_set(struct ph__stored *stored, const void *key, const char *text);
void ph__stored_finish(struct ph__stored *stored);

#endif
