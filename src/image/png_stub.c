/* SPDX-License-Identifier: MIT */
#include "image/image.h"

ph_status ph__png_encode(const ph_frame *frame, struct ph__buffer *file)
{
	(void)frame;
	(void)file;
	return ph__fail(PH_ENOTBUILT, "this build has no PNG: configure it with -Dimages=enabled "
				      "(libspng-dev), or ask for bmp");
}
