/* SPDX-License-Identifier: MIT */
/* One file in /dev/shm, mapped whole.
 *
 * An object is made without a name, filled, and only then linked under its name: nobody sees half
 * of one, and a process that dies before that leaves nothing behind. */
#ifndef SHM_OBJECT_H
#define SHM_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "shm/name.h"

struct ph__object {
	char name[PH__NAME_BYTES]; /* "" until it is linked */
	void *base;                /* not inherited by a forked child */
	uint64_t length_bytes;
	dev_t device;
	ino_t inode;
	int fd; /* -1 when it was given away or closed */
};

/* Makes an object of zeros without a name, with all its memory reserved: what cannot be had is an
 * error here and not SIGBUS later. The mode is set whatever the umask.
 * Errors: PH_ENOSPC (with the bytes needed and available), PH_ESYS. */
ph_status ph__object_make(struct ph__object *object, uint64_t length_bytes, mode_t mode);

/* Gives it its name; `fd` is the object's, whoever owns that now. Errors: PH_EEXIST, PH_EPERM,
 * PH_ENOSPC, PH_ESYS. */
ph_status ph__object_link(struct ph__object *object, int fd, const char *name);

/* Maps an existing object, never through a symbolic link.
 * Errors: PH_ENOENT, PH_EPERM, PH_EFORMAT (no plain file, or shorter), PH_ENOSPC, PH_ESYS. */
ph_status ph__object_open(struct ph__object *object, const char *name, uint64_t least_bytes);

/* Whether its name still leads to it. */
bool ph__object_is_linked(const struct ph__object *object);

/* Removes its name, unless that leads to something else by now. */
void ph__object_unlink(const struct ph__object *object);

/* Closes the descriptor only: the mapping does not need it. */
void ph__object_close_file(struct ph__object *object);

/* Unmaps and closes. Does nothing to one that was never made. Not for a
 * forked child, which has no such mapping. */
void ph__object_close(struct ph__object *object);

#endif
