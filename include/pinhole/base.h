/* SPDX-License-Identifier: MIT */
/* What every part of Pinhole shares: statuses, the last error's sentence, logging, the version.
 *
 * Rules that hold for all of <pinhole/...>:
 *
 *  - A fallible function returns a ph_status: 0 (PH_OK) or one of the negative values below.
 *    Results come through out parameters, which are NULL or zero after a failure.
 *  - ph_last_error() then gives a sentence with the name, the value and the remedy. It belongs to
 *    the calling thread and stays valid until that thread's next failing call.
 *  - `X_create`/`X_connect`/`X_open` allocate; `X_close(&x)` frees, sets x to NULL, accepts NULL,
 *    and may be called after the other side has died.
 *  - Options structs start with their own size. Zero means the default in every field. Fields are
 *    only ever added at the end. The X_OPTIONS(...) macros are C; in C++ write
 *    `X_options options = {}; options.size = sizeof(options);` and pass &options.
 *  - Times are nanoseconds on CLOCK_MONOTONIC; timeouts are nanoseconds: 0 polls, a negative value
 *    waits for ever. Lengths are metres, angles radians, unless a name says otherwise.
 *  - Threads: a handle may be used by one thread at a time unless its comment says more.
 */
#ifndef PINHOLE_BASE_H
#define PINHOLE_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PH_API __attribute__((visibility("default")))
#else
#define PH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The closed set of results. The values are ABI: none changes, none is reused. */
typedef enum ph_status {
	PH_OK = 0,
	PH_EINVAL = -1,     /* an argument is outside what its comment allows */
	PH_EAGAIN = -2,     /* nothing to give yet; try again later */
	PH_ETIMEDOUT = -3,  /* the timeout passed first */
	PH_ECLOSED = -4,    /* the other side closed in good order */
	PH_EPEER = -5,      /* the other side is gone without closing, or broke the protocol */
	PH_EEXIST = -6,     /* the name is taken */
	PH_ENOENT = -7,     /* there is nothing of that name */
	PH_EPERM = -8,      /* not allowed for this user */
	PH_ENOSPC = -9,     /* memory, shared memory or disk is full */
	PH_ETOOBIG = -10,   /* larger than the limit that the message names */
	PH_EFORMAT = -11,   /* bytes that are not what they should be */
	PH_EVERSION = -12,  /* a version that this library does not know */
	PH_ENOTBUILT = -13, /* this build leaves that part out */
	PH_ESYS = -14       /* a system call failed; errno is kept */
} ph_status;

/* The name of a status ("PH_EAGAIN"; "PH_?" for a value outside the set).
 * Never NULL, never freed. Threads: any. */
PH_API const char *ph_status_name(ph_status status);

/* The sentence of the calling thread's last failure; "" before the first.
 * Owned by the library, valid until this thread's next failing call. */
PH_API const char *ph_last_error(void);

/* The version of the library that is running ("0.1.0"). Never NULL, never freed. */
PH_API const char *ph_version(void);

typedef enum ph_log_level {
	PH_LOG_ERROR = 0,
	PH_LOG_WARNING = 1,
	PH_LOG_INFO = 2,
	PH_LOG_DEBUG = 3
} ph_log_level;

/* Sets how much is written to stderr, for the whole process; PH_LOG_WARNING at first.
 * Threads: any, at any time. */
PH_API void ph_log_set_level(ph_log_level level);

/* A time on CLOCK_MONOTONIC in nanoseconds, as in every *_ns field. Threads: any. */
PH_API int64_t ph_now_ns(void);

#ifdef __cplusplus
}
#endif
#endif
