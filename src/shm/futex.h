/* SPDX-License-Identifier: MIT */
/* Sleeping on a word of shared memory until somebody changes it and says so.
 *
 * The rule that loses no wake-up: the waiter announces itself, looks at the word again and only
 * then sleeps; the notifier changes the word and only then looks for waiters. Both put a
 * sequentially consistent fence between their two steps (protocol/models/wakeup.pml). */
#ifndef SHM_FUTEX_H
#define SHM_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while *word is `expected`, at most until deadline_ns (CLOCK_MONOTONIC; negative: for
 * ever). Returns false when the deadline passed; true means "look again": a wake-up, a signal or a
 * changed word. The kernel reads the word only: a read-only mapping will do. */
static inline bool ph__futex_wait(const _Atomic uint32_t *word, uint32_t expected,
				  int64_t deadline_ns)
{
	struct timespec until = {deadline_ns / 1000000000, deadline_ns % 1000000000};
	long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected,
			      deadline_ns < 0 ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);

	return result == 0 || errno != ETIMEDOUT;
}

/* Wakes up to `count` sleepers and returns how many there were. */
static inline int ph__futex_wake(const _Atomic uint32_t *word, int count)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

#endif
