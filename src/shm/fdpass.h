/* SPDX-License-Identifier: MIT */
/* Packets with descriptors over a Unix socket. */
#ifndef SHM_FDPASS_H
#define SHM_FDPASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { PH__FDPASS_MAX = 4 };

/* One packet, whole or not at all, never waiting. The descriptors stay the caller's.
 * Errors: PH_EAGAIN (the other side does not read), PH_EPEER (it is gone), PH_ESYS. */
ph_status ph__fdpass_send(int socket, const void *bytes, size_t length, const int *fds,
			  unsigned fd_count);

/* One packet, never waiting. *length is what came, cut at `room`: a packet longer than that gives
 * PH_EFORMAT. At most fd_room descriptors are given to the caller, close-on-exec; a packet with
 * more, or with what is not descriptors, gives PH_EFORMAT and none. fd_room may be 0: then those
 * sent are closed. Errors: PH_EAGAIN (nothing there), PH_EPEER (hung up), PH_EFORMAT, PH_ESYS. */
ph_status ph__fdpass_receive(int socket, void *bytes, size_t room, size_t *length, int *fds,
			     unsigned fd_room, unsigned *fd_count);

#endif
