/* SPDX-License-Identifier: MIT */
/* The packets of protocol/latest-v1.md section 8. */
#ifndef CHANNEL_LATEST_MESSAGE_H
#define CHANNEL_LATEST_MESSAGE_H

#include <stdbool.h>

#include "channel/latest_core.h"

enum latest_type {
	LATEST_HELLO = 1,
	LATEST_WELCOME = 2,
	LATEST_REFUSED = 3,
	LATEST_FOLLOW = 4,
	LATEST_PAYLOAD = 5,
	LATEST_WAKE = 6,
};

enum { LATEST_WANTS_WAKE = 1 };

enum latest_refusal {
	LATEST_REFUSED_VERSION = 1,
	LATEST_REFUSED_FULL = 2,
	LATEST_REFUSED_MEMORY = 3,
};

struct latest_message {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t held;
	uint32_t flags;
	uint64_t epoch;
	uint64_t slot_count;
	uint64_t slots_offset;
	uint64_t slot_stride;
	uint64_t frame_bytes;
	uint64_t needed_bytes;
};
static_assert(sizeof(struct latest_message) == 64, "latest v1");

struct latest_message ph__latest_message(enum latest_type type);
void ph__latest_message_put_geometry(struct latest_message *message,
				     const struct latest_geometry *geometry);

/* What a writer may be told. `bytes` is a private copy of the packet, `length` its true length;
 * reading a HELLO of another version gives PH_EVERSION. Errors: PH_EFORMAT, PH_EVERSION. */
ph_status ph__latest_message_from_reader(struct latest_message *message, const void *bytes,
					 size_t length);

/* What a reader may be told, with the descriptors that came along; of WELCOME and PAYLOAD the
 * geometry is sound. Errors: PH_EFORMAT, PH_EVERSION. */
ph_status ph__latest_message_from_writer(struct latest_message *message,
					 struct latest_geometry *geometry, const void *bytes,
					 size_t length, unsigned fd_count);

#endif
