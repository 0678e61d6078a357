/* SPDX-License-Identifier: MIT */
#include "channel/latest_message.h"

#include <string.h>

#include "base/status.h"

enum { MAGIC = 0x314c4850 }; /* "PHL1" */

struct latest_message ph__latest_message(enum latest_type type)
{
	return (struct latest_message){
	    .magic = MAGIC, .version = LATEST_VERSION, .type = (uint16_t)type};
}

void ph__latest_message_put_geometry(struct latest_message *message,
				     const struct latest_geometry *geometry)
{
	message->epoch = geometry->epoch;
	message->slot_count = geometry->slot_count;
	message->slots_offset = geometry->slots_offset;
	message->slot_stride = geometry->slot_stride;
	message->frame_bytes = geometry->frame_bytes;
}

static ph_status read_message(struct latest_message *message, const void *bytes, size_t length)
{
	if (length != sizeof(*message))
		return ph__fail(PH_EFORMAT, "a packet of %zu bytes, not %zu", length,
				sizeof(*message));
	memcpy(message, bytes, sizeof(*message));
	if (message->magic != MAGIC)
		return ph__fail(PH_EFORMAT, "a packet that starts with 0x%08x is not ours",
				message->magic);
	return PH_OK;
}

static ph_status refuse_type(const struct latest_message *message)
{
	return ph__fail(PH_EFORMAT, "a packet of type %u with fields that do not go with it",
			message->type);
}

ph_status ph__latest_message_from_reader(struct latest_message *message, const void *bytes,
					 size_t length)
{
	ph_status status = read_message(message, bytes, length);
	if (status < 0)
		return status;
	if (message->version != LATEST_VERSION)
		return ph__fail(PH_EVERSION, "a reader of version %u; this is version %d",
				message->version, LATEST_VERSION);
	if (message->type == LATEST_HELLO && message->held <= LATEST_HAZARDS &&
	    (message->flags & ~(uint32_t)LATEST_WANTS_WAKE) == 0)
		return PH_OK;
	if (message->type == LATEST_FOLLOW && message->epoch > 0 &&
	    message->epoch <= LATEST_EPOCH_MAX)
		return PH_OK;
	return refuse_type(message);
}

/* The wide fields are checked before they are made narrow. */
static bool read_geometry(struct latest_geometry *geometry, const struct latest_message *message)
{
	if (message->epoch == 0 || message->epoch > LATEST_EPOCH_MAX ||
	    message->slot_count > LATEST_SLOTS_MAX)
		return false;
	geometry->epoch = (uint32_t)message->epoch;
	geometry->slot_count = (uint32_t)message->slot_count;
	geometry->slots_offset = message->slots_offset;
	geometry->slot_stride = message->slot_stride;
	geometry->frame_bytes = message->frame_bytes;
	return ph__latest_geometry_is_sound(geometry);
}

ph_status ph__latest_message_from_writer(struct latest_message *message,
					 struct latest_geometry *geometry, const void *bytes,
					 size_t length, unsigned fd_count)
{
	ph_status status = read_message(message, bytes, length);
	if (status < 0)
		return status;
	if (message->type == LATEST_REFUSED && fd_count == 0)
		return PH_OK; /* of any version: it may be what it is about */
	if (message->version != LATEST_VERSION)
		return ph__fail(PH_EVERSION, "a writer of version %u; this is version %d",
				message->version, LATEST_VERSION);
	if (message->type == LATEST_WAKE && fd_count == 0)
		return PH_OK;
	if (message->type == LATEST_WELCOME && fd_count == 3 && message->held > 0 &&
	    message->held <= LATEST_HAZARDS && read_geometry(geometry, message))
		return PH_OK;
	if (message->type == LATEST_PAYLOAD && fd_count == 1 && read_geometry(geometry, message))
		return PH_OK;
	return refuse_type(message);
}
