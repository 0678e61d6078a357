/* SPDX-License-Identifier: MIT */
#include "base/copy.h"

#include <time.h>

#include "test.h"

/* Often enough, and with pauses, that both ways of copying have their turns. */
TEST(a_copy_is_exact_whatever_its_size_and_alignment)
{
	static const size_t lengths[] = {
		0, 1, 63, 4096, 1 << 20, (1 << 20) + 77, (3 << 20) + 1, 17 << 20};
	unsigned char *from = malloc((17 << 20) + 256), *to = malloc((17 << 20) + 256);
	for (size_t i = 0; i < (17 << 20) + 256; i++)
		from[i] = (unsigned char)(i * 2654435761u >> 11);
	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			size_t shift = (size_t)round * 7 % 64, length = lengths[i];
			memset(to, 0xee, 128);
			to[shift + length] = 0xee;
			if (length >= 1 << 20)
				nanosleep(&(struct timespec){0, 2100000}, NULL);
			ph__copy(to + shift, from + 2 * shift, length);
			assert_memory_equal(to + shift, from + 2 * shift, length);
			assert_int_equal(to[shift + length], 0xee);
			assert_true(shift == 0 || to[shift - 1] == 0xee);
		}
	free(from);
	free(to);
}
