/* SPDX-License-Identifier: MIT */
/* Where a writer and its readers meet: a SOCK_SEQPACKET socket in a folder that is this user's
 * alone. A NAME is 1..64 of A-Z a-z 0-9 . _ -, not first a dot, and stands for
 * $XDG_RUNTIME_DIR/pinhole/NAME.KIND or /tmp/pinhole-UID/NAME.KIND; with a slash in front it is the
 * path of the socket. */
#ifndef SHM_RENDEZVOUS_H
#define SHM_RENDEZVOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "shm/forkguard.h"

enum { PH__RENDEZVOUS_PATH_BYTES = 108 }; /* what struct sockaddr_un has room for */

struct ph__rendezvous {
	int fd; /* listening, non-blocking */
	char path[PH__RENDEZVOUS_PATH_BYTES];
	uint64_t device, inode; /* of the socket file: whose it is when it comes to removing it */
};

/* Errors: PH_EINVAL (name), PH_EEXIST (somebody listens there), PH_EPERM (folder), PH_ESYS. */
ph_status ph__rendezvous_listen(struct ph__rendezvous *place, const char *name, const char *kind,
				unsigned mode, struct ph__forkguard *guard);

/* Closes, and removes the socket file if it is still ours. */
void ph__rendezvous_close(struct ph__rendezvous *place, struct ph__forkguard *guard);

/* A connected, non-blocking socket in *fd, known to `guard`; -1 after a failure. Waits while the
 * queue of connections is full.
 * Errors: PH_EINVAL, PH_ENOENT (nobody listens), PH_EPERM, PH_ETIMEDOUT, PH_ESYS. */
ph_status ph__rendezvous_connect(const char *name, const char *kind, int64_t deadline_ns,
				 struct ph__forkguard *guard, int *fd);

#endif
