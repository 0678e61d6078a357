/* SPDX-License-Identifier: MIT */
#include "base/locale.h"

#include <pthread.h>

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* built in: glibc allocates nothing */
}

locale_t ph__c_locale(void)
{
	pthread_once(&once, make_locale);
	return c_locale;
}
