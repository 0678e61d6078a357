/* SPDX-License-Identifier: MIT */
/* memcpy() for frames. */
#ifndef BASE_COPY_H
#define BASE_COPY_H

#include <stddef.h>

#include "base/status.h"

/* Copies memory that does not overlap. Large copies whose lines are likely to be cold go past the
 * cache where that has proved to be faster in this thread. Threads: any. */
PH_SHARED void ph__copy(void *to, const void *from, size_t length_bytes);

#endif
