/* SPDX-License-Identifier: MIT */
/* Names of channels: what may become a file in /dev/shm. */
#ifndef SHM_NAME_H
#define SHM_NAME_H

#include <stddef.h>

#include "base/status.h"

enum { PH__NAME_BYTES = 256 }; /* room for any name and its NUL: NAME_MAX is 255 */

/* Copies `name`, without the leading slash that some callers write, to `bare`. Refuses what is no
 * single file name ("", ".", "..", a slash, a control character) and what is longer than
 * limit_bytes. Any UTF-8 is allowed, so are spaces, colons and dots.
 * Errors: PH_EINVAL, PH_ETOOBIG. */
ph_status ph__name_check(const char *name, size_t limit_bytes, char bare[PH__NAME_BYTES]);

#endif
