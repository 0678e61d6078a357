/* SPDX-License-Identifier: MIT */
/* The "C" locale, whatever the program has set: numbers in protocols have a point. */
#ifndef BASE_LOCALE_H
#define BASE_LOCALE_H

#include <locale.h>

#include "base/status.h"

/* Made at the first call and kept for ever. Threads: any. */
PH_SHARED locale_t ph__c_locale(void);

#endif
