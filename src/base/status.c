/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef ph__fail
#undef ph__fail_errno

static _Thread_local char last_error[512];

const char *ph_status_name(ph_status status)
{
	switch (status) {
	case PH_OK:        return "PH_OK";
	case PH_EINVAL:    return "PH_EINVAL";
	case PH_EAGAIN:    return "PH_EAGAIN";
	case PH_ETIMEDOUT: return "PH_ETIMEDOUT";
	case PH_ECLOSED:   return "PH_ECLOSED";
	case PH_EPEER:     return "PH_EPEER";
	case PH_EEXIST:    return "PH_EEXIST";
	case PH_ENOENT:    return "PH_ENOENT";
	case PH_EPERM:     return "PH_EPERM";
	case PH_ENOSPC:    return "PH_ENOSPC";
	case PH_ETOOBIG:   return "PH_ETOOBIG";
	case PH_EFORMAT:   return "PH_EFORMAT";
	case PH_EVERSION:  return "PH_EVERSION";
	case PH_ENOTBUILT: return "PH_ENOTBUILT";
	case PH_ESYS:      return "PH_ESYS";
	}
	return "PH_?";
}

const char *ph_last_error(void)
{
	return last_error;
}

const char *ph_version(void)
{
	return PH_VERSION_TEXT;
}

ph_status ph__fail(ph_status status, const char *format, ...)
{
	int kept = errno;
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	errno = kept;
	return status;
}

static ph_status status_of_errno(int number)
{
	switch (number) {
	case ENOENT:
	case ECONNREFUSED:  return PH_ENOENT;
	case EEXIST:
	case EADDRINUSE:    return PH_EEXIST;
	case EACCES:
	case EPERM:
	case EROFS:         return PH_EPERM;
	case ENOSPC:
	case EDQUOT:
	case ENOMEM:        return PH_ENOSPC;
	case EPIPE:
	case ECONNRESET:    return PH_EPEER;
	case ETIMEDOUT:     return PH_ETIMEDOUT;
	default:            return PH_ESYS;
	}
}

ph_status ph__fail_errno(const char *format, ...)
{
	int kept = errno;
	char why[128], sentence[384];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	/* The GNU form: gives back the text, which need not be in `why`. */
	const char *text = strerror_r(kept, why, sizeof(why));
	ph__fail(PH_ESYS, "%s: %s", sentence, text);
	errno = kept;
	return status_of_errno(kept);
}
