/* SPDX-License-Identifier: MIT */
/* The reader's half: it owns the segment, finds the next frame, lends it, and lets go in order. */
#include "channel/queue.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/options.h"
#include "base/point.h"
#include "base/status.h"
#include "base/sys.h"

static ph_status read_options(const ph_queue_reader_options *given, ph_queue_reader_options *options)
{
	enum { DEFAULT_RING_BYTES = 32 << 20, DEFAULT_METADATA_BYTES = 4096, DEFAULT_HELD = 64 };

	if (!ph__options_read(options, sizeof(*options), given))
		return ph__fail(PH_EINVAL, "options.size is wrong, or options of a newer library are set");
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
		return ph__fail(PH_ETOOBIG, "held_frames is %u; at most %d", options->held_frames, 1 << 20);
	if (options->ring_bytes > MARK_POSITION_MASK / 2 ||
	    options->metadata_bytes > MARK_POSITION_MASK / 2)
		return ph__fail(PH_ETOOBIG, "a queue of %" PRIu64 " + %" PRIu64 " bytes; at most 2^39 each",
				options->ring_bytes, options->metadata_bytes);
	return PH_OK;
}

static ph_status open_reader(ph_queue_reader *reader, const ph_queue_reader_options *options)
{
	ph_status status = ph__lockfile_take(&reader->lock, reader->segment.name);

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
	ph__semaphore_post(&reader->segment.data);
}

/* ---- Is there a frame? ---- */

static bool writer_has_marks(const struct queue_header *header, uint64_t *mark)
{
	uint64_t pid = atomic_load_explicit(&header->writer_pid, memory_order_acquire);

	*mark = atomic_load_explicit(&header->writer_mark, memory_order_acquire); /* Q1 */
	return pid != 0 && pid == atomic_load(&header->writer_lease) && mark_is_valid(*mark);
}

/* By the stock words. When the positions meet, the ring is either empty or full of frames that
 * have not been given yet; in the latter case there is no room and we hold none of it. */
static bool positions_differ(const ph_queue_reader *reader)
{
	const struct queue_header *header = reader->segment.header;
	uint64_t write_position = atomic_load_explicit(&header->write_position, memory_order_acquire);
	uint64_t read_position = atomic_load(&header->read_position);

	if (write_position % reader->segment.ring_bytes != read_position)
		return true;
	return atomic_load_explicit(&header->free_bytes, memory_order_acquire) == 0 &&
	       reader->held_bytes == 0;
}

/* A stock writer says with a token that a frame is whole; when it is gone, nothing is half done
 * any more (or never will be whole: then its positions have not moved). A Pinhole that took over
 * from a stock writer has no valid mark until what that one left is drained. */
static bool frame_is_there(const ph_queue_reader *reader, bool has_token)
{
	const struct queue_header *header = reader->segment.header;
	uint64_t mark;

	if (writer_has_marks(header, &mark))
		return mark_sequence(mark) != (reader->sequence & MARK_SEQUENCE_MASK);
	uint64_t pid = atomic_load_explicit(&header->writer_pid, memory_order_acquire);
	bool is_settled = pid == 0 || pid == reader->lost_pid ||
			  pid == atomic_load(&header->writer_lease);
	return (has_token || is_settled) && positions_differ(reader);
}

/* ---- Taking it ---- */

static ph_status break_off(ph_queue_reader *reader, ph_status status)
{
	reader->broken = status;
	return status;
}

/* The next frame starts where the last one ended, or at 0 if the writer has begun the ring anew,
 * which it may do only while nothing is held (Q3). */
static ph_status find_start(ph_queue_reader *reader, uint64_t *position)
{
	uint64_t held_count = reader->next_held - reader->first_held;

	*position = atomic_load_explicit(&reader->segment.header->read_position, memory_order_relaxed);
	if (*position == reader->position || (*position == 0 && held_count == 0))
		return PH_OK;
	return break_off(reader, ph__fail(PH_EFORMAT,
					  "queue \"%s\": the writer moved the read position from %" PRIu64
					  " to %" PRIu64,
					  reader->segment.name, reader->position, *position));
}

static struct queue_frame load_header(const ph_queue_reader *reader, uint64_t position)
{
	struct queue_frame header;

	memcpy(&header, reader->segment.ring + position, sizeof(header));
	return header;
}

/* A new stock writer starts at 1. A Pinhole that follows one knows only the low bits of where its
 * predecessor ended. */
static bool sequence_is_right(const ph_queue_reader *reader, uint64_t sequence)
{
	uint64_t expected = reader->sequence + 1;

	return sequence == expected || sequence == 1 ||
	       (sequence != 0 && ((sequence ^ expected) & MARK_SEQUENCE_MASK) == 0 &&
		reader->sequence > MARK_SEQUENCE_MASK);
}

static ph_status check_frame(ph_queue_reader *reader, const struct queue_frame *header,
			     uint64_t position)
{
	uint64_t room_bytes = reader->segment.ring_bytes - position - QUEUE_FRAME_BYTES;

	if (header->payload_bytes == 0 || header->payload_bytes > room_bytes)
		return break_off(reader, ph__fail(PH_EFORMAT,
						  "queue \"%s\": a frame of invalid size, %" PRIu64
						  " bytes at %" PRIu64 " of a ring of %" PRIu64,
						  reader->segment.name, header->payload_bytes, position,
						  reader->segment.ring_bytes));
	if (!sequence_is_right(reader, header->sequence))
		return break_off(reader, ph__fail(PH_EFORMAT,
						  "queue \"%s\": frame %" PRIu64 " expected, got %" PRIu64,
						  reader->segment.name, reader->sequence + 1,
						  header->sequence));
	return PH_OK;
}

/* Finds the frame's header, past a wrap marker or a tail too short for one. */
static ph_status locate(ph_queue_reader *reader, struct queue_frame *header, uint64_t *position,
			uint64_t *skipped_bytes, unsigned *count)
{
	uint64_t ring_bytes = reader->segment.ring_bytes;
	ph_status status = find_start(reader, position);

	*skipped_bytes = 0;
	*count = 1;
	if (status < 0)
		return status;
	bool is_short = ring_bytes - *position < QUEUE_FRAME_BYTES;
	if (!is_short)
		*header = load_header(reader, *position);
	if (is_short || (header->payload_bytes == 0 && header->sequence == 0)) {
		*skipped_bytes = ring_bytes - *position;
		*count += !is_short;
		*position = 0;
		*header = load_header(reader, 0);
		reader->stats.wrap_count++;
	}
	return check_frame(reader, header, *position);
}

static void remember(ph_queue_reader *reader, const struct queue_frame *header, uint64_t position,
		     uint64_t skipped_bytes)
{
	struct held_frame *held = &reader->held[reader->next_held % reader->held_limit];
	uint64_t whole_bytes = QUEUE_FRAME_BYTES + header->payload_bytes;

	held->bytes = reader->segment.ring + position + QUEUE_FRAME_BYTES;
	held->extent_bytes = skipped_bytes + whole_bytes;
	held->end_position = (position + whole_bytes) % reader->segment.ring_bytes;
	held->sequence = header->sequence;
	reader->next_held++;
	reader->held_bytes += held->extent_bytes;
	reader->position = held->end_position;
	reader->sequence = header->sequence;
	reader->had_writer = true;
	reader->stats.frame_count++;
}

/* Learns from the metadata, once, whether frames describe themselves; a writer that announces it
 * does so before its first frame. */
static ph_status learn_shape(ph_queue_reader *reader)
{
	unsigned char block[QUEUE_BLOCK_BYTES];
	uint64_t length_bytes;
	ph_status status = PH_OK;

	if (reader->shape_is_known)
		return PH_OK;
	reader->shape_is_known = true;
	ph_status got = ph_queue_read_metadata(reader, block, sizeof(block), &length_bytes);
	if (got == PH_OK)
		reader->is_described =
			ph__queue_block_read(block, length_bytes, &reader->shape, &status);
	return status < 0 ? break_off(reader, status) : PH_OK;
}

static ph_status describe(ph_queue_reader *reader, ph_frame *frame)
{
	ph_status status = learn_shape(reader);

	if (status < 0 || !reader->is_described)
		return status;
	if (frame->length_bytes <= QUEUE_PREFIX_BYTES)
		return ph__fail(PH_EFORMAT, "a frame of %" PRIu64 " bytes in a described queue",
				frame->length_bytes);
	unsigned char prefix[QUEUE_PREFIX_BYTES];
	memcpy(prefix, frame->bytes, sizeof(prefix));
	frame->bytes = (const unsigned char *)frame->bytes + QUEUE_PREFIX_BYTES;
	frame->length_bytes -= QUEUE_PREFIX_BYTES;
	return ph__queue_prefix_read(prefix, &reader->shape, frame);
}

static void let_go(ph_queue_reader *reader, struct held_frame *held);

static ph_status take(ph_queue_reader *reader, ph_frame *frame)
{
	struct queue_header *shared = reader->segment.header;
	struct queue_frame header;
	uint64_t position, skipped_bytes;
	unsigned count;
	ph_status status = locate(reader, &header, &position, &skipped_bytes, &count);

	if (status < 0)
		return status;
	remember(reader, &header, position, skipped_bytes);
	PH_POINT("acquire:before-position");
	atomic_store_explicit(&shared->read_position, reader->position, memory_order_relaxed);
	PH_POINT("acquire:before-count");
	atomic_store_explicit(&shared->read_count,
			      atomic_load_explicit(&shared->read_count, memory_order_relaxed) + count,
			      memory_order_relaxed);
	PH_POINT("acquire:after-count");

	struct held_frame *held = &reader->held[(reader->next_held - 1) % reader->held_limit];
	frame->bytes = held->bytes;
	frame->length_bytes = header.payload_bytes;
	frame->sequence = header.sequence;
	status = describe(reader, frame);
	held->bytes = frame->bytes;
	reader->stats.payload_bytes += frame->length_bytes;
	if (status == PH_OK)
		return PH_OK;
	memset(frame, 0, sizeof(*frame));
	let_go(reader, held); /* it can be of no use to anybody, and must not stay in the way */
	return status;
}

/* ---- Waiting for it ---- */

static bool writer_ever_came(ph_queue_reader *reader)
{
	const struct queue_header *header = reader->segment.header;

	reader->had_writer |= atomic_load(&header->writer_flags) != 0 ||
			      atomic_load(&header->written_count) != 0;
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
		return ph__fail(status, "queue \"%s\": the writer has closed and all is read", name);
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
	struct queue_wait wait = {.timeout_ns = timeout_ns, .spin_ns = reader->spin_ns};
	bool has_token = ph__semaphore_try(&reader->segment.data);

	for (;;) {
		/* Before looking for a frame: then whatever the writer published before its end is
		 * seen, and "ended" with "no frame" means that all is read. */
		ph_status state = writer_state(reader);
		ph_status verdict = check ? check(context) : PH_OK;
		if (frame_is_there(reader, has_token))
			return PH_OK;
		if (has_token) { /* one too many (Q4) */
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
	ph_status status = ph__queue_segment_check(&reader->segment);

	if (status < 0)
		return status;
	if (reader->broken < 0)
		return ph__fail(reader->broken, "queue \"%s\" was given up: its writer broke the protocol",
				reader->segment.name);
	if (reader->next_held - reader->first_held == reader->held_limit)
		return ph__fail(PH_ENOSPC,
				"queue \"%s\": %u frames are held; release some or raise held_frames",
				reader->segment.name, reader->held_limit);
	return PH_OK;
}

ph_status ph__queue_acquire_while(ph_queue_reader *reader, int64_t timeout_ns, ph_frame *frame,
				  ph_status (*check)(void *), void *context)
{
	memset(frame, 0, sizeof(*frame));
	if (reader->parked.bytes) {
		*frame = reader->parked;
		reader->parked.bytes = NULL;
		return PH_OK;
	}
	ph_status status = begin(reader);
	if (status == PH_OK)
		status = wait_for_frame(reader, timeout_ns, check, context);
	if (status == PH_OK)
		status = take(reader, frame);
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
		if (frame_is_there(reader, false) ||
		    (pid != 0 && look_at_writer(reader, pid) == PH_EAGAIN))
			break;
		status = sleep_a_slice(reader, &wait, &has_token);
	}
	/* What was taken here may be the token of a stock writer's first frame. */
	if (has_token)
		ph__semaphore_post(&reader->segment.data);
	return status;
}

/* ---- Letting go ---- */

/* Frees the room of everything released at the front, in order (Q2): what is held behind a gap
 * stays out of the writer's reach although frames after it were released. */
static void let_go(ph_queue_reader *reader, struct held_frame *held)
{
	struct queue_header *header = reader->segment.header;

	held->bytes = NULL;
	while (reader->first_held != reader->next_held) {
		struct held_frame *first = &reader->held[reader->first_held % reader->held_limit];
		if (first->bytes)
			break;
		reader->first_held++;
		reader->held_bytes -= first->extent_bytes;
		PH_POINT("release:before-free");
		atomic_fetch_add_explicit(&header->free_bytes, first->extent_bytes,
					  memory_order_release);
		/* Last: a drained queue is the writer's, free_bytes included (Q3). */
		PH_POINT("release:before-mark");
		atomic_store_explicit(&header->reader_mark,
				      mark_make(first->sequence, first->end_position),
				      memory_order_release);
		PH_POINT("release:before-post");
		ph__semaphore_post(&reader->segment.space);
		PH_POINT("release:after-post");
	}
}

ph_status ph_queue_release(ph_queue_reader *reader, ph_frame *frame)
{
	ph_status status = ph__queue_segment_check(&reader->segment);

	if (status < 0)
		return status;
	for (uint64_t i = reader->first_held; frame->bytes && i != reader->next_held; i++) {
		struct held_frame *held = &reader->held[i % reader->held_limit];
		if (held->bytes != frame->bytes)
			continue;
		frame->bytes = NULL;
		let_go(reader, held);
		return PH_OK;
	}
	return ph__fail(PH_EINVAL, "queue \"%s\": this frame is not held; was it released already?",
			reader->segment.name);
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
				"queue \"%s\": a frame of %" PRIu64 " bytes for a buffer of %" PRIu64,
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
	uint64_t written =
		atomic_load_explicit(&segment->header->metadata_written_bytes, memory_order_acquire);
	if (written == 0)
		return ph__fail(PH_EAGAIN, "queue \"%s\" has no metadata yet", segment->name);
	if (written <= sizeof(length) || written > segment->metadata_bytes)
		return ph__fail(PH_EFORMAT, "queue \"%s\" claims %" PRIu64 " bytes of metadata in %" PRIu64,
				segment->name, written, segment->metadata_bytes);
	memcpy(&length, segment->metadata, sizeof(length));
	if (length == 0 || length > written - sizeof(length))
		return ph__fail(PH_EFORMAT, "queue \"%s\": metadata of %" PRIu64 " bytes in %" PRIu64,
				segment->name, length, written);
	*length_bytes = length;
	if (length > capacity_bytes)
		return ph__fail(PH_ETOOBIG, "%" PRIu64 " bytes of metadata for a buffer of %" PRIu64,
				length, capacity_bytes);
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

void ph__queue_rename_held(ph_queue_reader *reader, const void *from, const void *to)
{
	for (uint64_t i = reader->first_held; i != reader->next_held; i++)
		if (reader->held[i % reader->held_limit].bytes == from)
			reader->held[i % reader->held_limit].bytes = to;
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
