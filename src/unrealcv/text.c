/* SPDX-License-Identifier: MIT */
#include "unrealcv/unrealcv.h"

#include "base/buffer.h"

enum { COMMAND_BYTES_MAX = 256 };

/* The length of the well-formed UTF-8 character at the start; 0: there is none. */
static size_t character_length(const unsigned char *at, size_t available)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = at[0] < 0x80   ? 1
			: at[0] < 0xC0 ? 0
			: at[0] < 0xE0 ? 2
			: at[0] < 0xF0 ? 3
			: at[0] < 0xF8 ? 4
				       : 0;

	if (length < 2 || length > available)
		return length <= available ? length : 0;
	uint32_t code = at[0] & (0x7Fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3F);
	}
	bool surrogate = code >= 0xD800 && code <= 0xDFFF;
	return code < least[length] || surrogate || code > 0x10FFFF ? 0 : length;
}

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7F;
}

void ph__text_quote(struct ph__span text, size_t limit_bytes, struct ph__buffer *reply)
{
	const unsigned char *at = (const unsigned char *)text.at;
	size_t done = 0;

	while (done < text.length) {
		size_t length = character_length(at + done, text.length - done);
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
