/* SPDX-License-Identifier: MIT */
#include "base/copy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

#include <pinhole/base.h>

/* From these sizes on a copy is worth the decision. The second is above what one core's share of
 * any present cache holds together with its source: nothing of it would be warm. */
enum {
	WORTH_IT_BYTES = 512 << 10,
	ALWAYS_BYTES = 16 << 20,
	COLD_AFTER_NS = 2000000, /* since this thread's last large copy: the lines are gone by then */
};

static bool is_cold(size_t length_bytes)
{
	static _Thread_local int64_t last_ns;
	int64_t now_ns = ph_now_ns();
	bool cold = length_bytes >= ALWAYS_BYTES || now_ns - last_ns > COLD_AFTER_NS;

	last_ns = now_ns;
	return cold;
}

/* `to` is 16-byte aligned, length_bytes a multiple of 64. */
static void copy_past_cache(unsigned char *to, const unsigned char *from, size_t length_bytes)
{
	for (const unsigned char *end = from + length_bytes; from < end; from += 64, to += 64) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
		__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
		__m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
		_mm_stream_si128((__m128i *)(void *)to, a);
		_mm_stream_si128((__m128i *)(void *)(to + 16), b);
		_mm_stream_si128((__m128i *)(void *)(to + 32), c);
		_mm_stream_si128((__m128i *)(void *)(to + 48), d);
	}
	_mm_sfence(); /* these stores are ordered by nothing else, not even by a release */
}

void ph__copy(void *to, const void *from, size_t length_bytes)
{
	if (length_bytes < WORTH_IT_BYTES || !is_cold(length_bytes)) {
		memcpy(to, from, length_bytes);
		return;
	}
	size_t head_bytes = -(uintptr_t)to & 63;
	size_t body_bytes = (length_bytes - head_bytes) & ~(size_t)63;
	unsigned char *at = to;
	const unsigned char *source = from;
	memcpy(at, source, head_bytes);
	copy_past_cache(at + head_bytes, source + head_bytes, body_bytes);
	memcpy(at + head_bytes + body_bytes, source + head_bytes + body_bytes,
	       length_bytes - head_bytes - body_bytes);
}
#else
void ph__copy(void *to, const void *from, size_t length_bytes)
{
	memcpy(to, from, length_bytes);
}
#endif
