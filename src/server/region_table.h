/* SPDX-License-Identifier: MIT */
/* The regions of one connection: one for each camera and route it has asked for, reused while the
 * picture fits, replaced by a larger one under a new version's name when it does not. */
#ifndef SERVER_REGION_TABLE_H
#define SERVER_REGION_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "shm/region.h"

enum { PH__REGIONS_PER_CONNECTION = 256, PH__REGION_KEY_BYTES = 96 };

/* What all connections of a server may use together. */
struct ph__shared_budget {
	_Atomic uint64_t used_bytes;
	uint64_t limit_bytes;
};

struct ph__region_entry {
	char key[PH__REGION_KEY_BYTES]; /* "camera_0_lit_bgra8" */
	struct ph__region region;
	struct ph__region former; /* of the version before; its name stays until the next request */
	uint32_t version;         /* of the name; grows each time the region is made anew */
};

struct ph__region_table {
	struct ph__region_entry *entries;
	uint32_t count, capacity;
	uint64_t connection_number;
	struct ph__shared_budget *budget;
};

/* The region of `key` with room for `length_bytes`. It stays where it is until the next call.
 * Errors: PH_ENOSPC (memory, or the budget: the message has the figures), PH_ETOOBIG (too many
 * regions), PH_EPERM, PH_ESYS. Blocks while pages are reserved. */
ph_status ph__region_table_get(struct ph__region_table *regions, const char *key,
			       uint64_t length_bytes, struct ph__region_entry **entry);
void ph__region_table_finish(struct ph__region_table *regions);

/* Removes the regions of servers that are dead. */
void ph__region_table_sweep(void);

#endif
