/* SPDX-License-Identifier: MIT */
/* Stores that go past the cache save reading the lines that they overwrite, and cost the next
 * reader a trip to memory. What that balance is depends on the processor and on who else uses its
 * cache: copies of 3.1 MB at 30 a second were 1.5 times faster with them on one machine (EPYC, 32
 * MB of L3) and no faster on another (Xeon, 480 MB), where the reader then lost 15 to 35 %. So each
 * thread measures: both ways are tried, and streaming is used where it is faster by a margin that
 * pays for the reader. Copies that follow each other closely are warm and never stream. */
#include "base/copy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

#include <pinhole/base.h>

enum {
	WORTH_IT_BYTES = 1 << 20,
	HUGE_BYTES = 16 << 20,   /* from here on nothing is warm, however close the copies are */
	COLD_AFTER_NS = 2000000, /* since this thread's last large copy */
	TRIALS = 8,              /* copies that alternate at first */
	RETRY_EVERY = 64,        /* then, how often the other way is given a chance */
};

/* What one kind of copy, cold or huge, has cost this thread: a sliding mean for each way. */
struct trial {
	unsigned count;
	int64_t cached_ps, streamed_ps; /* per byte */
};

/* `to` is 16-byte aligned, length_bytes a multiple of 64. */
static void stream(unsigned char *to, const unsigned char *from, size_t length_bytes)
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

static void copy_streaming(unsigned char *to, const unsigned char *from, size_t length_bytes)
{
	size_t head_bytes = -(uintptr_t)to & 63;
	size_t body_bytes = (length_bytes - head_bytes) & ~(size_t)63;

	memcpy(to, from, head_bytes);
	stream(to + head_bytes, from + head_bytes, body_bytes);
	memcpy(to + head_bytes + body_bytes, from + head_bytes + body_bytes,
	       length_bytes - head_bytes - body_bytes);
}

static bool choose_streaming(const struct trial *trial)
{
	bool is_faster = trial->streamed_ps * 5 < trial->cached_ps * 4;

	if (trial->count < TRIALS)
		return trial->count % 2;
	return trial->count % RETRY_EVERY == 0 ? !is_faster : is_faster;
}

static void learn(int64_t *mean_ps, int64_t took_ns, size_t length_bytes)
{
	int64_t now_ps = took_ns * 1000 / (int64_t)length_bytes;

	*mean_ps = *mean_ps == 0 ? now_ps : (*mean_ps * 3 + now_ps) / 4;
}

void ph__copy(void *to, const void *from, size_t length_bytes)
{
	static _Thread_local struct trial trials[2];
	static _Thread_local int64_t last_ns;

	if (length_bytes < WORTH_IT_BYTES) {
		memcpy(to, from, length_bytes);
		return;
	}
	int64_t begun_ns = ph_now_ns();
	bool is_huge = length_bytes >= HUGE_BYTES;
	if (!is_huge && begun_ns - last_ns < COLD_AFTER_NS) {
		memcpy(to, from, length_bytes);
		last_ns = ph_now_ns();
		return;
	}
	struct trial *trial = &trials[is_huge];
	bool is_streaming = choose_streaming(trial);
	if (is_streaming)
		copy_streaming(to, from, length_bytes);
	else
		memcpy(to, from, length_bytes);
	last_ns = ph_now_ns();
	learn(is_streaming ? &trial->streamed_ps : &trial->cached_ps, last_ns - begun_ns,
	      length_bytes);
	trial->count++;
}
#else
void ph__copy(void *to, const void *from, size_t length_bytes)
{
	memcpy(to, from, length_bytes);
}
#endif
