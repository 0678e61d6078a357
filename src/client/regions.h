/* SPDX-License-Identifier: MIT */
/* The server's regions of shared memory, each opened once and mapped read-only for as long as its
 * name stays the same. "..._v2" takes the place of "..._v1".
 *
 * A mapping is safe to read as long as its file keeps its size. That is the server's promise: it
 * reserves a region's memory before it tells its name and never shrinks it. The size is checked
 * when the region is mapped; a file that a stranger shrinks later is SIGBUS for every reader. */
#ifndef CLIENT_REGIONS_H
#define CLIENT_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct ph__region;

struct ph__regions {
	struct ph__region *all;
	uint32_t count, room;
};

/* The first byte of the region `name`, at least `needed_bytes` of which can be read. Valid until
 * the same route, the name without its version, is opened under another name.
 * Errors: PH_ENOENT, PH_EPERM, PH_EFORMAT (too small, no shared memory), PH_ETOOBIG (too many),
 * PH_ENOSPC, PH_ESYS. */
ph_status ph__regions_find(struct ph__regions *regions, struct ph__span name, uint64_t needed_bytes,
			   const void **bytes);

void ph__regions_finish(struct ph__regions *regions);

#endif
