/* SPDX-License-Identifier: MIT */
/* Sleeping on words in shared memory. The words may lie in read-only mappings. Times are absolute,
 * on CLOCK_MONOTONIC; PH__FOREVER_NS never comes. */
#ifndef SHM_FUTEX_H
#define SHM_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>

#include <pinhole/base.h>

#include "base/status.h"

#define PH__FOREVER_NS INT64_MAX

/* The end of a wait of `timeout_ns` that starts now; negative: for ever. */
int64_t ph__deadline_ns(int64_t timeout_ns);

enum { PH__FUTEX_WORDS_MAX = 4 };

struct ph__futex_word {
	const _Atomic uint32_t *at;
	uint32_t expected;
	bool is_private; /* only threads of this process sleep and wake there */
};

/* Sleeps until one of the words is woken or is not what it is expected to be (PH_OK, also without
 * a reason now and then), or until the deadline (PH_ETIMEDOUT). Without FUTEX_WAITV it sleeps on
 * the first word and looks at the others every 50 ms. */
ph_status ph__futex_wait_any(const struct ph__futex_word *words, unsigned count,
			     int64_t deadline_ns);

/* Wakes up to `count` sleepers and says how many there were. */
int ph__futex_wake(const _Atomic uint32_t *word, int count, bool is_private);

static inline void ph__cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

#endif
