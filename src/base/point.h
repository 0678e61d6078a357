/* SPDX-License-Identifier: MIT */
/* A crash point names a moment between two stores to shared memory, or between two steps that
 * leave a trace outside the process. In a release it is nothing; in the crash tests it is where
 * the process dies. */
#ifndef BASE_POINT_H
#define BASE_POINT_H

#include "base/status.h"

#if PH_POINTS
extern PH_SHARED void (*ph__point_hook)(const char *name);
#define PH_POINT(name) \
	do { \
		if (ph__point_hook) \
			ph__point_hook(name); \
	} while (0)
#else
#define PH_POINT(name) ((void)0)
#endif

#endif
