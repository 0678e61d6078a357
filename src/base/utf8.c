/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

size_t ph__utf8_length(const unsigned char *at, size_t available)
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
