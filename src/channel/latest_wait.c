/* SPDX-License-Identifier: MIT */
/* How a reader waits: protocol/latest-v1.md section 6. */
#include "channel/latest_reader.h"

#include <limits.h>
#include <poll.h>

#include "shm/futex.h"

enum { RELAX_COUNT = 32, SPIN_FLOOR_NS = 1000, MISSES_PER_HALVING = 8 };
#define LOOK_AT_SOCKET_NS INT64_C(1000000000)

static const _Atomic uint32_t *owner_word(const struct latest_reader *reader)
{
	const unsigned char *board = reader->board_memory.base;
	return (const _Atomic uint32_t *)(const void *)(board + reader->owner_offset);
}

uint32_t ph__latest_reader_owner(const struct latest_reader *reader)
{
	return reader->owner_offset ? atomic_load(owner_word(reader)) : 0;
}

/* A frame that is about to come costs less to spin for than to sleep for. Halved after eight
 * misses in a row, doubled by a hit: at frame rates it soon hardly spins. */
static bool spin(struct latest_reader *reader, uint64_t seen)
{
	int64_t end_ns;

	if (reader->spin_limit_ns <= 0)
		return false;
	end_ns = ph_now_ns() + reader->spin_ns;
	do {
		for (int i = 0; i < RELAX_COUNT; i++)
			ph__cpu_relax();
		if (atomic_load_explicit(&reader->view.board->latest, memory_order_relaxed) !=
		    seen) {
			reader->spin_misses = 0;
			if (reader->spin_ns <= reader->spin_limit_ns / 2)
				reader->spin_ns *= 2;
			return true;
		}
	} while (ph_now_ns() < end_ns);
	if (++reader->spin_misses % MISSES_PER_HALVING == 0 && reader->spin_ns > SPIN_FLOOR_NS)
		reader->spin_ns /= 2;
	return false;
}

static void look_at_socket(struct latest_reader *reader)
{
	struct pollfd poll_fd = {.fd = reader->socket, .events = 0};

	if (poll(&poll_fd, 1, 0) > 0)
		reader->is_lost = true;
}

ph_status ph__latest_reader_wait(struct latest_reader *reader, uint64_t seen, uint32_t owner,
				 int64_t deadline_ns)
{
	const struct ph__futex_word words[] = {
		{latest_futex(reader->view.board), (uint32_t)seen, false},
		{&reader->handle.stop, 0, true},
		{owner_word(reader), owner, false},
	};

	/* The caller has just looked. A writer whose words never rest cannot keep us here. */
	if (ph_now_ns() >= deadline_ns)
		return ph__fail(PH_ETIMEDOUT, "%s: no newer frame in time", reader->handle.name);
	if (spin(reader, seen))
		return PH_OK;
	int64_t look_ns = ph__deadline_ns(LOOK_AT_SOCKET_NS);
	int64_t until_ns = deadline_ns < look_ns ? deadline_ns : look_ns;
	ph_status status = ph__futex_wait_any(words, reader->owner_offset ? 3 : 2, until_ns);
	if (atomic_load(&reader->handle.stop))
		return ph__fail(PH_ECLOSED, "the channel is being closed");
	/* The kernel wakes one sleeper when the owner dies; that one wakes the others. */
	if (reader->owner_offset && atomic_load(owner_word(reader)) != owner)
		ph__futex_wake(owner_word(reader), INT_MAX, false);
	if (status == PH_ETIMEDOUT)
		look_at_socket(reader);
	return PH_OK;
}
