/* SPDX-License-Identifier: MIT */
/* A region: the named shared memory that answers one camera request. Raw pixels from offset 0.
 *
 * Its owner holds a lock (flock) on it for as long as it lives, which the kernel drops with the
 * owner, however that dies. So a region whose lock can be taken has no owner and may be removed:
 * process ids say nothing across containers that share /dev/shm.
 *
 * Invariant G1: a region that anybody can see under its name is either locked by its owner, or
 *               not yet announced by one. A sweep that comes between an owner's open and lock
 *               removes the name; the owner sees that by the link count and starts again.
 */
#ifndef SHM_REGION_H
#define SHM_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { PH__REGION_NAME_BYTES = 192 };

struct ph__region {
	void *bytes; /* mapped for writing; NULL: there is no region */
	uint64_t capacity_bytes;
	int fd;                           /* holds the lock */
	char name[PH__REGION_NAME_BYTES]; /* without the slash */
};

/* Makes a region of mode 0600 with all its pages reserved: writing to it cannot fault for lack of
 * memory. Errors: PH_EEXIST, PH_ENOSPC (the message has the bytes needed and available), PH_EPERM,
 * PH_EINVAL (the name), PH_ESYS. */
PH_SHARED ph_status ph__region_create(struct ph__region *region, const char *name,
				      uint64_t length_bytes);

/* Whether it still has its name and all its pages. Processes of the same user can take either; a
 * write to pages that are gone would end this process (SIGBUS). */
PH_SHARED bool ph__region_is_whole(const struct ph__region *region);

/* Unmaps and removes it; those who have it mapped keep their memory. A region that is none (fd -1)
 * is fine. */
PH_SHARED void ph__region_close(struct ph__region *region);

/* Removes the regions of dead servers: the objects in /dev/shm whose name `is_ours` accepts, that
 * are regular files of this user, and whose lock can be taken. Returns how many. */
PH_SHARED uint32_t ph__region_sweep(int (*is_ours)(const char *name));

#endif
