/* SPDX-License-Identifier: MIT */
/* Any bytes as the answer to a `*_shared` command: what is accepted must hold together. */
#include <assert.h>
#include <string.h>

#include "client/descriptor.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	struct ph__descriptor descriptor;

	ph_status status = ph__descriptor_read((struct ph__span){(const char *)bytes, length},
					       &descriptor);
	assert(status == PH_OK || status == PH_EFORMAT);
	if (status < 0 || descriptor.is_list)
		return 0;
	assert(ph_frame_check(&descriptor.frame) == PH_OK);
	assert(descriptor.name.length > 0 && descriptor.name.length <= PH__REGION_NAME_BYTES_MAX);
	assert(!memchr(descriptor.name.at, '/', descriptor.name.length));
	assert(descriptor.offset_bytes <= INT64_MAX - descriptor.frame.length_bytes);
	return 0;
}
