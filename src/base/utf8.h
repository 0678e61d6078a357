/* SPDX-License-Identifier: MIT */
/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

#include "base/status.h"

/* The length of the well-formed character at the start of `available` (1 or more) bytes; 0: there
 * is none. */
PH_SHARED size_t ph__utf8_length(const unsigned char *at, size_t available);

#endif
