/* SPDX-License-Identifier: MIT */
/* The JSON object that answers a `*_shared` command: where the pixels are and what they are.
 * Everything in it is checked here, against everything else in it; what remains is to compare it
 * with the region itself. */
#ifndef CLIENT_DESCRIPTOR_H
#define CLIENT_DESCRIPTOR_H

#include <pinhole/frame.h>

#include <stdbool.h>

#include "base/span.h"

enum { PH__REGION_NAME_BYTES_MAX = 250 }; /* a file name holds 255 */

struct ph__descriptor {
	struct ph__span name; /* inside the text, without a leading slash */
	uint64_t offset_bytes;
	ph_frame frame; /* all but `bytes` */
	bool is_list; /* a list of several views, which is no descriptor: nothing else is filled */
};

/* Errors: PH_EFORMAT. */
ph_status ph__descriptor_read(struct ph__span text, struct ph__descriptor *descriptor);

#endif
