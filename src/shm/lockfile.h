/* SPDX-License-Identifier: MIT */
/* The lock files by which ZeroBuffer readers keep each other from a name:
 * /tmp/zerobuffer/NAME.lock and, where the folder of the C# implementation exists,
 * {TMPDIR or /tmp}/zerobuffer/locks/NAME.lock. */
#ifndef SHM_LOCKFILE_H
#define SHM_LOCKFILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/status.h"
#include "shm/alive.h"

enum { PH__LOCK_FILES = 2 };

struct ph__lockfile {
	struct {
		struct ph__lease held; /* closed in a forked child: the lock is its parent's */
		char path[PATH_MAX];
	} files[PH__LOCK_FILES];
	bool was_stale; /* one was there already, and nobody held it */
};

/* Takes all of them or none. A folder that this user may not write to is passed over: whoever
 * owns it cannot remove this user's objects either.
 * Errors: PH_EEXIST (somebody holds one), PH_ENOSPC, PH_ESYS. */
ph_status ph__lockfile_take(struct ph__lockfile *lock, const char *name);

/* Removes the files and gives them up. */
void ph__lockfile_drop(struct ph__lockfile *lock);

#endif
