/* SPDX-License-Identifier: MIT */
/* Lines on stderr, each written at once, with its level and the time since the first. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <pinhole/base.h>

#include "base/status.h"

PH_SHARED void ph__log(ph_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
