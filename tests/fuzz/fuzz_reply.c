/* SPDX-License-Identifier: MIT */
/* Any bytes as the body of a reply: a frame in it must lie inside it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "client/reply.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	char *body = malloc(length + 1);
	ph_reply reply;

	if (!body)
		return 0;
	memcpy(body, bytes, length);
	body[length] = '\0';
	ph__reply_read((struct ph__span){body, length}, &reply);
	if (reply.kind == PH_REPLY_FRAME) {
		const char *pixels = reply.frame.bytes;
		assert(ph_frame_check(&reply.frame) == PH_OK);
		assert(pixels >= body && pixels + reply.frame.length_bytes == body + length);
	}
	if (reply.kind == PH_REPLY_TEXT)
		assert(strlen(reply.text) == length);
	free(body);
	return 0;
}
