/* SPDX-License-Identifier: MIT */
#include "unrealcv/unrealcv.h"

#include "base/buffer.h"
#include "base/utf8.h"

enum { COMMAND_BYTES_MAX = 256 };

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7F;
}

void ph__text_quote(struct ph__span text, size_t limit_bytes, struct ph__buffer *reply)
{
	const unsigned char *at = (const unsigned char *)text.at;
	size_t done = 0;

	while (done < text.length) {
		size_t length = ph__utf8_length(at + done, text.length - done);
		bool bad = length == 0 || is_control(at[done]);
		if (bad)
			length = 1;
		if (done + length > limit_bytes) {
			ph__buffer_add(reply, "...", 3);
			return;
		}
		ph__buffer_add(reply, bad ? "?" : (const char *)at + done, length);
		done += length;
	}
}

void ph__command_unknown_text(struct ph__span command, struct ph__buffer *reply)
{
	struct ph__span before = ph__span_of("error No handler found for URI '");
	struct ph__span after = ph__span_of("' (Can not find a handler)");

	ph__buffer_add(reply, before.at, before.length);
	ph__text_quote(command, COMMAND_BYTES_MAX, reply);
	ph__buffer_add(reply, after.at, after.length);
}
