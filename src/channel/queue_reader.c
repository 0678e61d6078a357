/* SPDX-License-Identifier: MIT */
/* The reader's half: it owns the segment, waits for frames, and learns how their writer fares. */
#include "channel/queue.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/copy.h"
#include "base/options.h"
#include "base/point.h"
#include "base/status.h"
#include "base/sys.h"

static ph_status read_options(const ph_queue_reader_options *given,
			      ph_queue_reader_options *options)
{
	enum { DEFAULT_RING_BYTES = 32 << 20, DEFAULT_METADATA_BYTES = 4096, DEFAULT_HELD = 64 };

	if (!ph__options_read(options, sizeof(*options), given))
		return ph__fail(PH_EINVAL,
				"options.size is wrong, or options of a newer library are set");
	if (options->ring_bytes == 0)
		options->ring_bytes = DEFAULT_RING_BYTES;
	if (options->metadata_bytes == 0)
		options->metadata_bytes = DEFAULT_METADATA_BYTES;
	if (options->no_metadata)
		options->metadata_bytes = 0;
	if (options->mode == 0)
		options->mode = 0600;
	if (options->held_frames == 0)
		options->held_frames = DEFAULT_HELD;
	if (options->mode & ~0777u)
		return ph__fail(PH_EINVAL, "mode %o has more than permission bits", options->mode);
	if (options->held_frames > 1 << 20)
		return ph__fail(PH_ETOOBIG, "held_frames is %u; at most %d", options->held_frames,
				1 << 20);
	if (options->ring_bytes > MARK_POSITION_MASK / 2 ||
	    options->metadata_bytes > MARK_POSITION_MASK / 2)
		return ph__fail(PH_ETOOBIG,
				"a queue of %" PRIu64 " + %" PRIu64 " bytes; at most 2^39 each",
				options->ring_bytes, options->metadata_bytes);
	return PH_OK;
}

/* A killed reader keeps its locks until the kernel has freed its memory: that is waited out. */
static ph_status take_name(ph_queue_reader *reader)
{
	enum { TRIES = 50, PAUSE_NS = 10000000 };
	ph_status status = PH_EEXIST;

	for (int i = 0; i < TRIES; i++) {
		status = ph__lockfile_take(&reader->lock, reader->segment.name);
		if (status != PH_EEXIST ||
		    !ph__queue_segment_reader_is_ending(reader->segment.name))
			return status;
		nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	}
	return status;
}

static ph_status open_reader(ph_queue_reader *reader, const ph_queue_reader_options *options)
{
	ph_status status = take_name(reader);

	if (status < 0)
		return status;
	PH_POINT("create:after-lock");
	status = ph__queue_segment_reclaim(&reader->segment, reader->lock.was_stale);
	if (status == PH_OK)
		status = ph__queue_segment_create(&reader->segment, options);
	if (status < 0)
		ph__lockfile_drop(&reader->lock);
	return status;
}

ph_status ph_queue_reader_create(const char *name, const ph_queue_reader_options *given,
				 ph_queue_reader **out)
{
	ph_queue_reader_options options;
	char bare[PH__NAME_BYTES];

	*out = NULL;
	ph_status status = read_options(given, &options);
	if (status == PH_OK)
		status = ph__name_check(name, QUEUE_NAME_LIMIT, bare);
	if (status < 0)
		return status;

	ph_queue_reader *reader = ph__sys->calloc(1, sizeof(*reader));
	struct held_frame *held = ph__sys->calloc(options.held_frames, sizeof(*held));
	if (!reader || !held) {
		status = ph__fail(PH_ENOSPC, "no memory for a reader of %u held frames",
				  options.held_frames);
		goto free_memory;
	}
	reader->held = held;
	reader->held_limit = options.held_frames;
	reader->spin_ns = options.spin_ns;
	ph__queue_segment_init(&reader->segment, bare, options.peer_is_foreign);
	status = open_reader(reader, &options);
	if (status < 0)
		goto free_memory;
	if (options.prefault)
		ph__queue_segment_prefault(&reader->segment);
	*out = reader;
	return PH_OK;

free_memory:
	ph__sys->free(held);
	ph__sys->free(reader);
	return status;
}

void ph_queue_reader_close(ph_queue_reader **reader_at)
{
	ph_queue_reader *reader = *reader_at;

	if (!reader)
		return;
	if (ph__queue_segment_check(&reader->segment) == PH_OK) {
		atomic_store(&reader->segment.header->reader_pid, 0);
		PH_POINT("close-reader:before-post");
		ph__semaphore_post(&reader->segment.space); /* a writer may be waiting for room */
		PH_POINT("close-reader:before-unlink");
		ph__queue_segment_unlink(&reader->segment);
		ph__lockfile_drop(&reader->lock);
	}
	ph__queue_segment_close(&reader->segment);
	ph__sys->free(reader->held);
	ph__sys->free(reader);
	*reader_at = NULL;
}

void ph_queue_reader_interrupt(ph_queue_reader *reader)
{
	atomic_store(&reader->interrupted, 1);
	if (ph__fork_generation() == reader->segment.fork_generation)
		ph__semaphore_post(&reader->segment.data);
}

/* ---- Waiting for a frame ---- */

static bool writer_ever_came(ph_queue_reader *reader)
{
	const struct queue_header *header = reader->segment.header;

	reader->had_writer |=
		atomic_load(&header->writer_flags) != 0 || atomic_load(&header->written_count) != 0;
	return reader->had_writer;
}

/* A PID that looked dead, yet positions move under it, is of another PID namespace. */
static bool writer_moved(const ph_queue_reader *reader)
{
	return atomic_load(&reader->segment.header->write_position) != reader->lost_position;
}

static ph_status look_at_writer(ph_queue_reader *reader, uint64_t pid)
{
	const struct queue_header *header = reader->segment.header;

	if (pid == reader->lost_pid && writer_moved(reader))
		reader->watch.is_foreign = true;
	reader->looked_ns = ph_now_ns();
	reader->lost_pid = 0;
	if (!ph__queue_peer_is_gone(&reader->segment, &reader->watch, pid,
				    atomic_load(&header->writer_lease), QUEUE_WRITER_BYTE))
		return PH_EAGAIN;
	/* It may have closed and dropped its lease since its PID was read: not a death. */
	if (atomic_load_explicit(&header->writer_pid, memory_order_acquire) != pid)
		return PH_EAGAIN;
	reader->lost_pid = pid;
	reader->lost_position = atomic_load(&header->write_position);
	return PH_EPEER;
}

/* PH_EAGAIN while the writer may still send something, or none has come yet. */
static ph_status writer_state(ph_queue_reader *reader)
{
	uint64_t pid =
		atomic_load_explicit(&reader->segment.header->writer_pid, memory_order_acquire);

	if (pid == 0)
		return writer_ever_came(reader) ? PH_ECLOSED : PH_EAGAIN;
	reader->had_writer = true;
	if (ph_now_ns() - reader->looked_ns >= QUEUE_SLICE_NS)
		return look_at_writer(reader, pid);
	return pid == reader->lost_pid ? PH_EPEER : PH_EAGAIN;
}

static ph_status say(const ph_queue_reader *reader, ph_status status)
{
	const char *name = reader->segment.name;

	switch (status) {
	case PH_ECLOSED:
		return ph__fail(status, "queue \"%s\": the writer has closed and all is read",
				name);
	case PH_EPEER:
		return ph__fail(status, "queue \"%s\": the writer, process %" PRIu64 ", died", name,
				reader->lost_pid);
	case PH_ETIMEDOUT:
		return ph__fail(status, "queue \"%s\": nothing came within the timeout", name);
	default:
		return ph__fail(status, "queue \"%s\": nothing has come yet", name);
	}
}

/* PH_OK: look again, with or without a token. */
static ph_status sleep_a_slice(ph_queue_reader *reader, struct queue_wait *wait, bool *has_token)
{
	if (atomic_load(&reader->interrupted))
		return ph__fail(PH_ECLOSED, "queue \"%s\": the wait was interrupted",
				reader->segment.name);
	if (wait->timeout_ns == 0)
		return say(reader, PH_EAGAIN);
	int64_t before_ns = ph_now_ns();
	ph_status status = ph__queue_wait_slice(wait, &reader->segment.data);
	reader->stats.wait_count++;
	reader->stats.wait_ns += (uint64_t)(ph_now_ns() - before_ns);
	*has_token = status == PH_OK;
	return status == PH_ETIMEDOUT ? say(reader, status) : PH_OK;
}

static ph_status wait_for_frame(ph_queue_reader *reader, int64_t timeout_ns,
				ph_status (*check)(void *), void *context)
{
	enum { SWALLOWED_MAX = 1000 };
	struct queue_wait wait = {.timeout_ns = timeout_ns, .spin_ns = reader->spin_ns};
	bool has_token = ph__semaphore_try(&reader->segment.data);

	for (int swallowed = 0;;) {
		/* Before looking for a frame: then whatever the writer published before its end is
		 * seen, and "ended" with "no frame" means that all is read. */
		ph_status state = writer_state(reader);
		ph_status verdict = check ? check(context) : PH_OK;
		if (ph__queue_frame_is_there(reader, has_token))
			return PH_OK;
		/* One too many (Q4). A semaphore that never runs dry is no reason to stay: the
		 * sleep below takes tokens too, and looks at the clock. */
		if (has_token && swallowed++ < SWALLOWED_MAX) {
			has_token = ph__semaphore_try(&reader->segment.data);
			continue;
		}
		if (verdict < 0)
			return verdict;
		if (state != PH_EAGAIN)
			return say(reader, state);
		ph_status status = sleep_a_slice(reader, &wait, &has_token);
		if (status < 0)
			return status;
	}
}

static ph_status begin(ph_queue_reader *reader)
{
	if (reader->broken < 0)
		return ph__fail(reader->broken,
				"queue \"%s\" was given up: its writer broke the protocol",
				reader->segment.name);
	if (reader->next_held - reader->first_held == reader->held_limit)
		return ph__fail(
			PH_ENOSPC,
			"queue \"%s\": %u frames are held; release some or raise held_frames",
			reader->segment.name, reader->held_limit);
	return PH_OK;
}

ph_status ph__queue_acquire_while(ph_queue_reader *reader, int64_t timeout_ns, ph_frame *frame,
				  ph_status (*check)(void *), void *context)
{
	ph_status status = ph__queue_segment_check(&reader->segment);

	memset(frame, 0, sizeof(*frame));
	if (status == PH_OK && reader->parked.bytes) {
		*frame = reader->parked;
		reader->parked.bytes = NULL;
		return PH_OK;
	}
	if (status == PH_OK)
		status = begin(reader);
	if (status == PH_OK)
		status = wait_for_frame(reader, timeout_ns, check, context);
	if (status == PH_OK)
		status = ph__queue_take(reader, frame);
	return status;
}

ph_status ph_queue_acquire(ph_queue_reader *reader, int64_t timeout_ns, ph_frame *frame)
{
	return ph__queue_acquire_while(reader, timeout_ns, frame, NULL, NULL);
}

ph_status ph_queue_await_writer(ph_queue_reader *reader, int64_t timeout_ns)
{
	struct queue_wait wait = {.timeout_ns = timeout_ns};
	bool has_token = false;
	ph_status status = ph__queue_segment_check(&reader->segment);

	while (status == PH_OK) {
		uint64_t pid = atomic_load(&reader->segment.header->writer_pid);
		if (ph__queue_frame_is_there(reader, false) ||
		    (pid != 0 && look_at_writer(reader, pid) == PH_EAGAIN))
			break;
		status = sleep_a_slice(reader, &wait, &has_token);
	}
	/* What was taken here may be the token of a stock writer's first frame. */
	if (has_token)
		ph__semaphore_post(&reader->segment.data);
	return status;
}

/* ---- The rest ---- */

ph_status ph_queue_read(ph_queue_reader *reader, void *buffer, uint64_t capacity_bytes,
			int64_t timeout_ns, ph_frame *frame)
{
	ph_status status = ph_queue_acquire(reader, timeout_ns, frame);

	if (status < 0)
		return status;
	if (frame->length_bytes > capacity_bytes) {
		reader->parked = *frame;
		frame->bytes = NULL;
		return ph__fail(PH_ETOOBIG,
				"queue \"%s\": a frame of %" PRIu64
				" bytes for a buffer of %" PRIu64,
				reader->segment.name, frame->length_bytes, capacity_bytes);
	}
	ph_frame held = *frame;
	ph__copy(buffer, frame->bytes, frame->length_bytes);
	frame->bytes = buffer;
	return ph_queue_release(reader, &held);
}

ph_status ph_queue_read_metadata(ph_queue_reader *reader, void *buffer, uint64_t capacity_bytes,
				 uint64_t *length_bytes)
{
	const struct queue_segment *segment = &reader->segment;
	uint64_t length;
	ph_status status = ph__queue_segment_check(segment);

	*length_bytes = 0;
	if (status < 0)
		return status;
	uint64_t written = atomic_load_explicit(&segment->header->metadata_written_bytes,
						memory_order_acquire);
	if (written == 0)
		return ph__fail(PH_EAGAIN, "queue \"%s\" has no metadata yet", segment->name);
	if (written <= sizeof(length) || written > segment->metadata_bytes)
		return ph__fail(PH_EFORMAT,
				"queue \"%s\" claims %" PRIu64 " bytes of metadata in %" PRIu64,
				segment->name, written, segment->metadata_bytes);
	memcpy(&length, segment->metadata, sizeof(length));
	if (length == 0 || length > written - sizeof(length))
		return ph__fail(PH_EFORMAT,
				"queue \"%s\": metadata of %" PRIu64 " bytes in %" PRIu64,
				segment->name, length, written);
	*length_bytes = length;
	if (length > capacity_bytes)
		return ph__fail(PH_ETOOBIG,
				"%" PRIu64 " bytes of metadata for a buffer of %" PRIu64, length,
				capacity_bytes);
	memcpy(buffer, segment->metadata + sizeof(length), length);
	return PH_OK;
}

bool ph__queue_reader_has_answers(const ph_queue_reader *reader)
{
	return (atomic_load(&reader->segment.header->writer_flags) & QUEUE_ANSWERS) != 0;
}

bool ph__queue_reader_has_writer(ph_queue_reader *reader)
{
	uint64_t pid = atomic_load(&reader->segment.header->writer_pid);

	return pid != 0 && look_at_writer(reader, pid) == PH_EAGAIN;
}

ph_status ph_queue_reader_stats(const ph_queue_reader *reader, ph_queue_stats *stats)
{
	ph_status status = ph__queue_segment_check(&reader->segment);
	ph_queue_stats now = reader->stats;

	if (status < 0)
		return status;
	now.held_count = reader->next_held - reader->first_held;
	now.peer_pid = atomic_load(&reader->segment.header->writer_pid);
	ph__queue_segment_room(&reader->segment, &now);
	return ph__queue_stats_copy(stats, &now);
}
