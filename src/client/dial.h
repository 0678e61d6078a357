/* SPDX-License-Identifier: MIT */
/* A connected socket, or the reason why not. */
#ifndef CLIENT_DIAL_H
#define CLIENT_DIAL_H

#include <stdint.h>

#include "client/address.h"

/* Tries every address that the host has, in order, all within the deadline (INT64_MAX: none).
 * Errors: PH_ENOENT (unknown host, nobody listens), PH_ETIMEDOUT, PH_EPERM, PH_ESYS. */
ph_status ph__dial(const struct ph__address *address, int64_t deadline_ns, int *fd);

/* Bounds each further wait on a socket; `option` is SO_SNDTIMEO or SO_RCVTIMEO. */
void ph__dial_set_timeout(int fd, int option, int64_t timeout_ns);

#endif
