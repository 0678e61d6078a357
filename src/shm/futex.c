/* SPDX-License-Identifier: MIT */
#include "shm/futex.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sys.h"

#define FALLBACK_SLICE_NS INT64_C(50000000)

/* struct futex_waitv of Linux 5.16; older headers lack it. */
struct waitv {
	uint64_t expected;
	uint64_t address;
	uint32_t flags;
	uint32_t reserved;
};
enum { WAITV_32_BITS = 2, WAITV_PRIVATE = 128 };

static _Atomic bool waitv_is_missing;

int64_t ph__deadline_ns(int64_t timeout_ns)
{
	int64_t deadline_ns;

	if (timeout_ns < 0 || __builtin_add_overflow(ph_now_ns(), timeout_ns, &deadline_ns))
		return PH__FOREVER_NS;
	return deadline_ns;
}

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static bool has_changed(const struct ph__futex_word *word)
{
	return atomic_load(word->at) != word->expected;
}

/* EAGAIN: a word was not as expected. EINTR: a handler ran; the caller looks and comes back. */
static ph_status status_of_wait(int result)
{
	return result < 0 && errno == ETIMEDOUT ? PH_ETIMEDOUT : PH_OK;
}

static ph_status wait_on_first(const struct ph__futex_word *words, unsigned count,
			       int64_t deadline_ns)
{
	for (unsigned i = 1; i < count; i++)
		if (has_changed(&words[i]))
			return PH_OK;
	int64_t slice_ns = ph__deadline_ns(FALLBACK_SLICE_NS);
	bool is_last = deadline_ns <= slice_ns;
	struct timespec until = timespec_of(is_last ? deadline_ns : slice_ns);
	int operation = FUTEX_WAIT_BITSET | (words->is_private ? FUTEX_PRIVATE_FLAG : 0);
	long result = syscall(SYS_futex, words->at, operation, words->expected, &until, NULL,
			      FUTEX_BITSET_MATCH_ANY);
	ph_status status = status_of_wait((int)result);
	return is_last ? status : PH_OK;
}

ph_status ph__futex_wait_any(const struct ph__futex_word *words, unsigned count,
			     int64_t deadline_ns)
{
	struct waitv waits[PH__FUTEX_WORDS_MAX];
	struct timespec until;

	assert(count > 0 && count <= PH__FUTEX_WORDS_MAX);
	if (atomic_load_explicit(&waitv_is_missing, memory_order_relaxed))
		return wait_on_first(words, count, deadline_ns);
	for (unsigned i = 0; i < count; i++)
		waits[i] = (struct waitv){
		    .expected = words[i].expected,
		    .address = (uintptr_t)words[i].at,
		    .flags = WAITV_32_BITS | (words[i].is_private ? WAITV_PRIVATE : 0),
		};
	if (deadline_ns != PH__FOREVER_NS)
		until = timespec_of(deadline_ns);
	int result =
	    ph__sys->futex_waitv(waits, count, deadline_ns == PH__FOREVER_NS ? NULL : &until);
	if (result < 0 && errno == ENOSYS) {
		atomic_store_explicit(&waitv_is_missing, true, memory_order_relaxed);
		return wait_on_first(words, count, deadline_ns);
	}
	return status_of_wait(result);
}

int ph__futex_wake(const _Atomic uint32_t *word, int count, bool is_private)
{
	int operation = FUTEX_WAKE | (is_private ? FUTEX_PRIVATE_FLAG : 0);
	return (int)syscall(SYS_futex, word, operation, count, NULL, NULL, 0);
}
