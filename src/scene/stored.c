/* SPDX-License-Identifier: MIT */
#include "scene/stored.h"

#include <string.h>

#include "base/status.h"
#include "base/sys.h"

static struct ph__stored_value *find(const struct ph__stored *stored, const void *key)
{
	for (uint32_t i = 0; i < stored->count; i++)
		if (stored->values[i].key == key)
			return &stored->values[i];
	return NULL;
}

static struct ph__stored_value *add(struct ph__stored *stored, const void *key)
{
	if (stored->count == stored->capacity) {
		uint32_t capacity = stored->capacity ? 2 * stored->capacity : 4;
		void *values =
			ph__sys->realloc(stored->values, capacity * sizeof(stored->values[0]));
		if (!values)
			return NULL;
		stored->values = values;
		stored->capacity = capacity;
	}
	stored->values[stored->count].key = key;
	return &stored->values[stored->count++];
}

const char *ph__stored_get(const struct ph__stored *stored, const void *key)
{
	const struct ph__stored_value *value = find(stored, key);
	return value ? value->text : NULL;
}

ph_status ph__stored_set(struct ph__stored *stored, const void *key, const char *text)
{
	size_t size_bytes = strlen(text) + 1;

	if (size_bytes > PH__STORED_BYTES)
		return ph__fail(PH_ETOOBIG, "a value of %zu bytes: %d are the most", size_bytes - 1,
				PH__STORED_BYTES - 1);
	struct ph__stored_value *value = find(stored, key);
	if (!value)
		value = add(stored, key);
	if (!value)
		return ph__fail(PH_ENOSPC, "no memory to store a value");
	memcpy(value->text, text, size_bytes);
	return PH_OK;
}

void ph__stored_finish(struct ph__stored *stored)
{
	ph__sys->free(stored->values);
	*stored = (struct ph__stored){0};
}
