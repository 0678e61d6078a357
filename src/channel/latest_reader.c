/* SPDX-License-Identifier: MIT */
#include "channel/latest_reader.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>

#include "base/options.h"
#include "base/point.h"
#include "base/sys.h"
#include "shm/futex.h"

#define OPEN_TIMEOUT_NS INT64_C(5000000000)
#define SPIN_DEFAULT_NS INT64_C(20000)

static struct latest_reader *reader_of(ph_latest *channel)
{
	return (struct latest_reader *)channel;
}

static int64_t spin_limit(int64_t asked_ns)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) < 2)
		return 0; /* spinning would keep the writer from its work */
	return asked_ns == 0 ? SPIN_DEFAULT_NS : asked_ns;
}

static void init(struct latest_reader *reader, const char *name, const ph_latest_options *options)
{
	ph__latest_handle_init(&reader->handle, LATEST_READER, name);
	reader->socket = -1;
	reader->board_memory = PH__MEMFD_NONE;
	reader->control_memory = PH__MEMFD_NONE;
	reader->is_pollable = options->flags & PH_LATEST_POLLABLE;
	reader->spin_limit_ns = spin_limit(options->spin_ns);
	reader->spin_ns = reader->spin_limit_ns;
}

/* In the child of a fork only the memory of the handle is left: none of the mappings. */
static void forget_mappings(struct latest_reader *reader)
{
	for (uint32_t k = 0; k < LATEST_HAZARDS; k++)
		if (reader->holds[k].mapping && atomic_load(&reader->holds[k].sequence) != 0)
			reader->holds[k].mapping->memory.base = NULL;
	if (reader->mapping)
		reader->mapping->memory.base = NULL;
	reader->control_memory.base = NULL;
	reader->board_memory.base = NULL;
}

void ph__latest_reader_close(ph_latest *channel)
{
	struct latest_reader *reader = reader_of(channel);

	if (channel->guard.is_child)
		forget_mappings(reader);
	for (uint32_t k = 0; k < LATEST_HAZARDS; k++)
		if (atomic_load(&reader->holds[k].sequence) != 0)
			ph__latest_mapping_drop(reader->holds[k].mapping);
	ph__latest_mapping_drop(reader->mapping);
	PH_POINT("close:before-hang-up");
	/* Last: with the hang-up our claims end, so nothing may be read any more. */
	ph__memfd_drop(&reader->control_memory);
	ph__memfd_drop(&reader->board_memory);
	if (reader->socket >= 0)
		ph__forkguard_close(&channel->guard, reader->socket);
}

static ph_status read_options(ph_latest_options *options, const ph_latest_options *given)
{
	if (!ph__options_read(options, sizeof(*options), given))
		return ph__fail(PH_EINVAL,
				"options of a newer library, or without PH_LATEST_OPTIONS");
	if (options->held_frames > PH_LATEST_HELD_MAX)
		return ph__fail(PH_EINVAL, "held_frames %u is above %d", options->held_frames,
				PH_LATEST_HELD_MAX);
	if (options->timeout_ns == 0)
		options->timeout_ns = OPEN_TIMEOUT_NS;
	return PH_OK;
}

ph_status ph_latest_open(const char *name, const ph_latest_options *options, ph_latest **channel)
{
	ph_latest_options known;

	if (!channel)
		return ph__fail(PH_EINVAL, "ph_latest_open needs a place for the channel");
	*channel = NULL;
	if (!name)
		return ph__fail(PH_EINVAL, "a latest channel needs a name");
	ph_status status = read_options(&known, options);
	if (status < 0)
		return status;
	struct latest_reader *reader = ph__sys->calloc(1, sizeof(*reader));
	if (!reader)
		return ph__fail(PH_ENOSPC, "%s: no memory for a channel", name);
	init(reader, name, &known);
	ph_latest *made = &reader->handle;
	status = ph__latest_reader_join(reader, name, known.held_frames,
					ph__deadline_ns(known.timeout_ns));
	if (status < 0) {
		ph_latest_close(&made);
		return status;
	}
	*channel = made;
	return PH_OK;
}

static int free_hold(const struct latest_reader *reader)
{
	uint32_t used = atomic_load(&reader->holds_used);
	uint32_t all = (uint32_t)((UINT64_C(1) << reader->held) - 1);

	return (used & all) == all ? -1 : __builtin_ctz(~used);
}

static bool is_newer(const struct latest_reader *reader, uint64_t word)
{
	return latest_sequence_of(word) > reader->last_sequence;
}

/* The newest frame, in a hold. PH_EAGAIN: it lies in a payload that we do not have. */
static ph_status take(struct latest_reader *reader, uint32_t hold, ph_latest_frame *frame)
{
	uint64_t word;
	enum latest_pin pin = ph__latest_pin(&reader->view, hold, &word);

	if (pin == LATEST_ELSEWHERE)
		return PH_EAGAIN;
	if (pin == LATEST_NONSENSE) {
		reader->is_lost = true;
		return ph__fail(PH_EFORMAT, "%s: the writer names a slot that does not exist",
				reader->handle.name);
	}
	if (!is_newer(reader, word)) { /* L6; and a hold of sequence 0 would be none */
		ph__latest_unpin(reader->view.control, hold);
		reader->is_lost = true;
		return ph__fail(PH_EFORMAT, "%s: the writer went back to an older frame",
				reader->handle.name);
	}
	uint64_t last = reader->last_sequence, sequence = latest_sequence_of(word);
	reader->last_sequence = sequence;
	PH_POINT("acquire:pinned");
	ph_status status = ph__latest_describe(&reader->view, word, frame);
	if (status < 0) {
		ph__latest_unpin(reader->view.control, hold);
		return status;
	}
	frame->missed = last > 0 && sequence > last ? sequence - last - 1 : 0;
	frame->hold = hold;
	reader->missed += frame->missed;
	reader->holds[hold].mapping = reader->mapping;
	atomic_fetch_add(&reader->mapping->uses, 1);
	atomic_store(&reader->holds[hold].sequence, sequence);
	atomic_fetch_or(&reader->holds_used, 1u << hold);
	return PH_OK;
}

static ph_status fail_ended(const struct latest_reader *reader, uint32_t state)
{
	if (state == LATEST_CLOSED)
		return ph__fail(PH_ECLOSED, "%s: the writer has closed", reader->handle.name);
	return ph__fail(PH_EPEER, "%s: the writer is gone", reader->handle.name);
}

/* Is it over? Both were read before `latest`, so a last frame is not lost. */
static bool has_ended(const struct latest_reader *reader, uint32_t state, uint32_t owner)
{
	return state == LATEST_CLOSED || reader->is_lost || owner & FUTEX_OWNER_DIED;
}

/* Nothing new and no wish to wait. Whoever polls is armed, then looks once more: the writer stores
 * `latest` before it reads `armed`. */
static ph_status arm(struct latest_reader *reader)
{
	if (reader->is_pollable && !reader->is_lost) {
		ph__latest_reader_drain(reader);
		atomic_store(&reader->view.control->armed, ++reader->armed);
		PH_POINT("acquire:armed");
		if (reader->is_lost || is_newer(reader, atomic_load(&reader->view.board->latest)))
			return PH_OK;
	}
	return ph__fail(PH_EAGAIN, "%s: no newer frame", reader->handle.name);
}

static ph_status acquire(struct latest_reader *reader, int64_t timeout_ns, ph_latest_frame *frame)
{
	int64_t deadline_ns = 0;
	int hold = free_hold(reader);

	if (hold < 0)
		return ph__fail(PH_ENOSPC,
				"%s: this reader holds all of its %u frames: release one, or "
				"open it with larger held_frames",
				reader->handle.name, reader->held);
	for (;;) {
		uint32_t owner = ph__latest_reader_owner(reader);
		uint32_t state = atomic_load(&reader->view.board->state);
		uint64_t latest = atomic_load(&reader->view.board->latest);
		ph_status status = PH_EAGAIN;
		bool newer = is_newer(reader, latest);

		if (newer)
			status = take(reader, (uint32_t)hold, frame);
		if (status != PH_EAGAIN)
			return status;
		if (has_ended(reader, state, owner))
			return fail_ended(reader, state);
		if (timeout_ns != 0 && deadline_ns == 0)
			deadline_ns = ph__deadline_ns(timeout_ns);
		if (newer)
			status = ph__latest_reader_follow(reader, deadline_ns);
		else if (timeout_ns == 0)
			status = arm(reader);
		else
			status = ph__latest_reader_wait(reader, latest, owner, deadline_ns);
		if (status < 0 && !reader->is_lost)
			return status;
	}
}

ph_status ph_latest_acquire(ph_latest *channel, int64_t timeout_ns, ph_latest_frame *frame)
{
	if (!frame)
		return ph__fail(PH_EINVAL, "ph_latest_acquire needs a place for the frame");
	frame->frame.bytes = NULL;
	frame->frame.length_bytes = 0;
	ph_status status = ph__latest_enter(channel, LATEST_READER);
	if (status < 0)
		return status;
	status = acquire(reader_of(channel), timeout_ns, frame);
	if (status < 0) {
		frame->frame.bytes = NULL;
		frame->frame.length_bytes = 0;
	}
	ph__latest_leave(channel);
	return status;
}

static ph_status release(struct latest_reader *reader, ph_latest_frame *frame)
{
	struct latest_hold *hold = &reader->holds[frame->hold % LATEST_HAZARDS];
	uint64_t sequence = frame->frame.sequence;

	/* Of two who give the same frame back, one wins here. */
	if (!frame->frame.bytes || sequence == 0 || frame->hold >= LATEST_HAZARDS ||
	    !atomic_compare_exchange_strong(&hold->sequence, &sequence, 0))
		return ph__fail(PH_EINVAL, "%s: frame %" PRIu64 " is not held", reader->handle.name,
				frame->frame.sequence);
	struct latest_mapping *mapping = hold->mapping;
	frame->frame.bytes = NULL;
	ph__latest_unpin(reader->view.control, frame->hold);
	/* Only now may acquire take this hold again. */
	atomic_fetch_and(&reader->holds_used, ~(1u << frame->hold));
	PH_POINT("release:after-hazard");
	ph__latest_mapping_drop(mapping);
	return PH_OK;
}

ph_status ph_latest_release(ph_latest *channel, ph_latest_frame *frame)
{
	if (!frame)
		return ph__fail(PH_EINVAL, "ph_latest_release needs a frame");
	ph_status status = ph__latest_enter(channel, LATEST_READER);
	if (status < 0)
		return status;
	status = release(reader_of(channel), frame);
	ph__latest_leave(channel);
	return status;
}

int ph_latest_fd(const ph_latest *channel)
{
	const struct latest_reader *reader = (const struct latest_reader *)channel;

	if (!channel || channel->role != LATEST_READER || channel->guard.is_child ||
	    !reader->is_pollable)
		return -1;
	return reader->socket;
}

void ph__latest_reader_info(const ph_latest *channel, ph_latest_info *info)
{
	const struct latest_reader *reader = (const struct latest_reader *)channel;

	info->writer_pid = reader->writer_pid;
	info->reader_count = atomic_load(&reader->view.board->reader_count);
	info->reserved_bytes = atomic_load(&reader->view.board->reserved_bytes);
	info->sequence = latest_sequence_of(atomic_load(&reader->view.board->latest));
	info->frame_bytes = reader->view.geometry.frame_bytes;
	info->slot_count = reader->view.geometry.slot_count;
	info->held_frames = reader->held;
	info->missed = reader->missed;
}
