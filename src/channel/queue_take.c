/* SPDX-License-Identifier: MIT */
/* Where the next frame is, whether it is there, and how its room is given back. */
#include "channel/queue.h"

#include <inttypes.h>
#include <string.h>

#include "base/point.h"
#include "base/status.h"

/* ---- Is there a frame? ---- */

/* Who the writer is and where, as of one moment: while one writer takes over from another, its
 * words change one by one. */
struct writer_words {
	uint64_t pid, mark;
	uint32_t lease;
};

static struct writer_words load_words(const struct queue_header *header)
{
	struct writer_words words;

	words.pid = atomic_load_explicit(&header->writer_pid, memory_order_acquire);
	PH_POINT("look:after-pid");
	words.lease = atomic_load_explicit(&header->writer_lease, memory_order_acquire);
	words.mark = atomic_load_explicit(&header->writer_mark, memory_order_acquire); /* Q1 */
	return words;
}

/* By the stock words. When the positions meet, the ring is either empty or full of frames that
 * have not been given yet; in the latter case there is no room and we hold none of it. */
static bool positions_differ(const ph_queue_reader *reader)
{
	const struct queue_header *header = reader->segment.header;
	uint64_t write_position =
		atomic_load_explicit(&header->write_position, memory_order_acquire);
	uint64_t read_position =
		atomic_load_explicit(&header->read_position, memory_order_acquire);

	if (write_position % reader->segment.ring_bytes != read_position)
		return true;
	return atomic_load_explicit(&header->free_bytes, memory_order_acquire) == 0 &&
	       reader->held_bytes == 0;
}

static bool are_same(struct writer_words a, struct writer_words b)
{
	return a.pid == b.pid && a.lease == b.lease && a.mark == b.mark;
}

/* With a valid mark, the mark says it. Without one the positions do, which a Pinhole rearranges
 * when it takes over a drained queue, but not before its mark is valid: so they count only if the
 * writer's words were the same before and after.
 *
 * A stock writer says with a token that a frame is whole; when it is gone, nothing is half done any
 * more (or never will be whole: then its positions have not moved). A Pinhole that took over from a
 * stock writer has no valid mark until what that one left is drained. */
bool ph__queue_frame_is_there(const ph_queue_reader *reader, bool has_token)
{
	const struct queue_header *header = reader->segment.header;
	struct writer_words words = load_words(header);

	for (;;) {
		bool is_pinhole = words.pid != 0 && words.pid == words.lease;
		if (is_pinhole && mark_is_valid(words.mark))
			return mark_sequence(words.mark) != (reader->sequence & MARK_SEQUENCE_MASK);
		bool is_settled = words.pid == 0 || words.pid == reader->lost_pid || is_pinhole;
		bool verdict = (has_token || is_settled) && positions_differ(reader);
		/* The positions were loaded with acquire order: this comes after them. */
		struct writer_words after = load_words(header);
		if (are_same(words, after))
			return verdict;
		words = after;
	}
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

	*position =
		atomic_load_explicit(&reader->segment.header->read_position, memory_order_relaxed);
	if (*position == reader->position || (*position == 0 && held_count == 0))
		return PH_OK;
	return break_off(reader,
			 ph__fail(PH_EFORMAT,
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
						  reader->segment.name, header->payload_bytes,
						  position, reader->segment.ring_bytes));
	if (!sequence_is_right(reader, header->sequence))
		return break_off(reader,
				 ph__fail(PH_EFORMAT,
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

ph_status ph__queue_take(ph_queue_reader *reader, ph_frame *frame)
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
			      atomic_load_explicit(&shared->read_count, memory_order_relaxed) +
				      count,
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

/* ---- Letting go ---- */

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

void ph__queue_rename_held(ph_queue_reader *reader, const void *from, const void *to)
{
	for (uint64_t i = reader->first_held; i != reader->next_held; i++)
		if (reader->held[i % reader->held_limit].bytes == from)
			reader->held[i % reader->held_limit].bytes = to;
}
