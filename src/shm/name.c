/* SPDX-License-Identifier: MIT */
#include "shm/name.h"

#include <string.h>

static const char *find_fault(const char *bare)
{
	if (bare[0] == '\0')
		return "is empty";
	if (strcmp(bare, ".") == 0 || strcmp(bare, "..") == 0)
		return "is a folder";
	for (const unsigned char *at = (const unsigned char *)bare; *at; at++) {
		if (*at == '/')
			return "has a slash inside";
		if (*at < 0x20 || *at == 0x7f)
			return "has a control character";
	}
	return NULL;
}

ph_status ph__name_check(const char *name, size_t limit_bytes, char bare[PH__NAME_BYTES])
{
	bare[0] = '\0';
	if (!name)
		return ph__fail(PH_EINVAL, "the name of the channel is NULL");

	const char *start = name[0] == '/' ? name + 1 : name;
	const char *fault = find_fault(start);
	size_t length = strlen(start);
	if (fault)
		return ph__fail(PH_EINVAL, "the name \"%.64s\" %s; use one plain file name", name,
				fault);
	if (length > limit_bytes || length >= PH__NAME_BYTES)
		return ph__fail(PH_ETOOBIG, "the name \"%.32s...\" has %zu bytes, at most %zu fit",
				name, length, limit_bytes);
	memcpy(bare, start, length + 1);
	return PH_OK;
}
