/* SPDX-License-Identifier: MIT */
/* In place of lists of views in a build without JSON. */
#include "server/views.h"

ph_status ph__views_add(struct ph__capture *capture, struct ph__span json)
{
	(void)capture;
	(void)json;
	return ph__fail(PH_ENOTBUILT, "this build reads no JSON: configure it with -Djson=enabled "
				      "(libjansson-dev)");
}
