/* SPDX-License-Identifier: MIT */
/* How a function of ours fails: ph__fail() writes the sentence for ph_last_error() and gives the
 * status back, so that every failure is one `return`. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <pinhole/base.h>

/* On internals that libpinhole-server uses from libpinhole: exported under PINHOLE_PRIVATE, of use
 * to the library of the very same version only. */
#define PH_SHARED __attribute__((visibility("default")))

/* Keeps errno. The sentence is cut at 511 bytes. */
PH_SHARED ph_status ph__fail(ph_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As ph__fail(), with ": " and the text of errno added; the status follows from errno where one of
 * the closed set says more than PH_ESYS (ENOENT, EACCES, ENOSPC, ...). */
PH_SHARED ph_status ph__fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the static analyzer cannot know from the declarations: a failure is never PH_OK. */
#ifdef __clang_analyzer__
#define ph__fail(status, ...) ((void)(ph__fail)(status, __VA_ARGS__), (status))
#define ph__fail_errno(...)   ((void)(ph__fail_errno)(__VA_ARGS__), PH_ESYS)
#endif

#endif
