/* SPDX-License-Identifier: MIT */
/* Where a server listens, as people write it. */
#ifndef CLIENT_ADDRESS_H
#define CLIENT_ADDRESS_H

#include <stdbool.h>

#include "base/status.h"

enum { PH__HOST_BYTES_MAX = 256, PH__PATH_BYTES_MAX = 108 }; /* with the NUL; sun_path's size */

struct ph__address {
	bool is_path;
	char path[PH__PATH_BYTES_MAX];
	char host[PH__HOST_BYTES_MAX]; /* a name or a numeric address, without brackets */
	char port[6];
};

/* "HOST:PORT", ":PORT", "[::1]:PORT", "unix:PATH" or a path with a slash. Errors: PH_EINVAL. */
ph_status ph__address_parse(const char *text, struct ph__address *address);

#endif
