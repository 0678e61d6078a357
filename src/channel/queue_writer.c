/* SPDX-License-Identifier: MIT */
/* The writer's half: it finds room, lends it, and publishes with one store. */
#include "channel/queue.h"

#include <inttypes.h>
#include <string.h>

#include "base/copy.h"
#include "base/point.h"
#include "base/status.h"

/* ---- Room ---- */

struct room {
	bool is_drained;
	uint64_t free_bytes; /* from our position on, around the end of the ring */
};

/* With a Pinhole reader: from the two marks. */
static bool measure_by_marks(const ph_queue_writer *writer, struct room *room)
{
	struct queue_header *header = writer->segment.header;
	uint64_t ring_bytes = writer->segment.ring_bytes;
	uint64_t mark = atomic_load_explicit(&header->reader_mark, memory_order_acquire); /* Q2 */
	uint64_t start = mark_position(mark);

	if (!mark_is_valid(mark) || start >= ring_bytes)
		return false;
	if (!writer->mark_is_valid) {
		/* After a stock writer: nothing is known of its frames but that they are over when
		 * the positions meet and the ring is not full. */
		room->is_drained =
			start == writer->position && atomic_load(&header->free_bytes) != 0;
		room->free_bytes = 0;
		return true;
	}
	uint64_t pending = (writer->sequence - mark_sequence(mark)) & MARK_SEQUENCE_MASK;
	uint64_t used_bytes = (writer->position + ring_bytes - start) % ring_bytes;
	room->is_drained = pending == 0;
	room->free_bytes = used_bytes == 0 ? 0 : ring_bytes - used_bytes;
	if (pending == MARK_SEQUENCE_MASK || writer->must_drain)
		room->free_bytes = 0; /* one more, and it would look drained; or see repair() */
	return true;
}

/* With a stock reader: from the word that both sides change. */
static bool measure_by_count(const ph_queue_writer *writer, struct room *room)
{
	room->free_bytes =
		atomic_load_explicit(&writer->segment.header->free_bytes, memory_order_acquire);
	room->is_drained = room->free_bytes == writer->segment.ring_bytes;
	return room->free_bytes <= writer->segment.ring_bytes;
}

static ph_status measure(const ph_queue_writer *writer, struct room *room)
{
	bool is_sane = writer->reader_has_marks ? measure_by_marks(writer, room)
						: measure_by_count(writer, room);

	if (is_sane)
		return PH_OK;
	return ph__fail(PH_EPEER, "queue \"%s\": the reader broke the protocol",
			writer->segment.name);
}

/* The largest number up to `last` that ends with these bits: that of the frame which the reader let
 * go last. If a stock writer sent it, `last` may be older, and the bits are all that is known. */
static uint64_t complete(uint64_t last, uint64_t low_bits)
{
	uint64_t behind = (last - low_bits) & MARK_SEQUENCE_MASK;

	return behind <= last ? last - behind : low_bits;
}

/* The queue is drained, so the reader's mark says where it ended: at our position. From this store
 * on the marks decide. */
static void set_first_mark(ph_queue_writer *writer)
{
	struct queue_header *header = writer->segment.header;
	uint64_t mark = atomic_load(&header->reader_mark);

	if (writer->reader_has_marks)
		writer->sequence = complete(writer->sequence, mark_sequence(mark));
	PH_POINT("restart:before-sequence");
	atomic_store_explicit(&header->last_sequence, writer->sequence, memory_order_relaxed);
	PH_POINT("restart:before-first-mark");
	atomic_store_explicit(&header->writer_mark, mark_make(writer->sequence, writer->position),
			      memory_order_release);
	writer->mark_is_valid = true;
}

/* The queue is drained: all position words are ours (Q3). Starting at 0 again keeps the working set
 * small and in the cache, gives every frame the whole ring, and ends every fragment of a tail. */
static void begin_anew(ph_queue_writer *writer)
{
	struct queue_header *header = writer->segment.header;

	if (!writer->mark_is_valid)
		set_first_mark(writer);
	PH_POINT("restart:before-read-position");
	atomic_store_explicit(&header->read_position, 0, memory_order_relaxed);
	PH_POINT("restart:before-write-position");
	atomic_store_explicit(&header->write_position, 0, memory_order_relaxed);
	PH_POINT("restart:before-free");
	if (writer->reader_has_marks) {
		/* Heals what a writer took or counted that died before it published (Q6). */
		atomic_store_explicit(&header->free_bytes, writer->segment.ring_bytes,
				      memory_order_relaxed);
		PH_POINT("restart:before-written-count");
		atomic_store_explicit(&header->written_count, atomic_load(&header->read_count),
				      memory_order_relaxed);
		PH_POINT("restart:before-reader-mark");
		atomic_store_explicit(&header->reader_mark, mark_make(writer->sequence, 0),
				      memory_order_relaxed);
	}
	PH_POINT("restart:before-writer-mark");
	atomic_store_explicit(&header->writer_mark, mark_make(writer->sequence, 0),
			      memory_order_release);
	PH_POINT("restart:before-last-sequence");
	atomic_store_explicit(&header->last_sequence, writer->sequence, memory_order_relaxed);
	PH_POINT("restart:after-last-sequence");
	writer->must_drain = false;
	writer->position = 0;
	writer->stats.restart_count++;
}

void ph__queue_begin_anew_if_drained(ph_queue_writer *writer)
{
	struct room room = {0};

	if (measure(writer, &room) < 0 || !room.is_drained)
		return;
	begin_anew(writer);
	/* A stock reader that has released everything is owed no token: what is left is the last
	 * writer's word that it closed, which this reader would take for a frame. */
	while (!writer->reader_has_marks && ph__semaphore_try(&writer->segment.data))
		;
}

static bool is_new(const ph_queue_writer *writer)
{
	return writer->mark_is_valid && !writer->must_drain && writer->position == 0 &&
	       atomic_load_explicit(&writer->segment.header->free_bytes, memory_order_relaxed) ==
		       writer->segment.ring_bytes;
}

/* PH_OK: the claim is set; PH_EAGAIN: not now. */
static ph_status find_room(ph_queue_writer *writer, uint64_t payload_bytes)
{
	uint64_t whole_bytes = QUEUE_FRAME_BYTES + payload_bytes;
	struct room room = {0};
	ph_status status = measure(writer, &room);

	if (status != PH_OK)
		return status;
	if (room.is_drained && !is_new(writer))
		begin_anew(writer);
	if (room.is_drained)
		room.free_bytes = writer->segment.ring_bytes;
	uint64_t tail_bytes = writer->segment.ring_bytes - writer->position;
	bool fits_here = whole_bytes <= tail_bytes && whole_bytes <= room.free_bytes;
	/* A tail too short for a marker is left until the queue is drained: stock readers run past
	 * the end of the ring there. */
	bool fits_at_start = whole_bytes > tail_bytes && tail_bytes >= QUEUE_FRAME_BYTES &&
			     tail_bytes + whole_bytes <= room.free_bytes;
	if (!fits_here && !fits_at_start)
		return PH_EAGAIN;
	writer->has_claim = true;
	writer->claim_bytes = payload_bytes;
	writer->claim_skip = fits_here ? 0 : tail_bytes;
	writer->claim_position = fits_here ? writer->position : 0;
	return PH_OK;
}

/* ---- Claiming ---- */

ph_status ph__queue_writer_check_reader(ph_queue_writer *writer)
{
	struct queue_header *header = writer->segment.header;
	uint64_t pid = atomic_load_explicit(&header->reader_pid, memory_order_acquire);

	if (pid == 0)
		return ph__fail(PH_ECLOSED, "queue \"%s\": the reader has closed",
				writer->segment.name);
	int64_t now_ns = ph_now_ns();
	if (now_ns - writer->looked_ns < QUEUE_SLICE_NS)
		return PH_OK;
	if (!ph__queue_peer_is_gone(&writer->segment, &writer->watch, pid,
				    writer->reader_has_marks ? pid : 0, QUEUE_READER_BYTE)) {
		writer->looked_ns = now_ns;
		return PH_OK;
	}
	if (atomic_load_explicit(&header->reader_pid, memory_order_acquire) == 0)
		return ph__fail(PH_ECLOSED, "queue \"%s\": the reader has closed",
				writer->segment.name);
	return ph__fail(PH_EPEER, "queue \"%s\": the reader, process %" PRIu64 ", died",
			writer->segment.name, pid);
}

static ph_status check_size(const ph_queue_writer *writer, uint64_t length_bytes)
{
	uint64_t limit = writer->segment.ring_bytes - QUEUE_FRAME_BYTES - writer->lead_bytes;

	if (length_bytes == 0)
		return ph__fail(PH_EINVAL, "queue \"%s\": a frame has at least 1 byte",
				writer->segment.name);
	if (limit > writer->segment.ring_bytes || length_bytes > limit)
		return ph__fail(PH_ETOOBIG,
				"queue \"%s\": a frame of %" PRIu64 " bytes; its ring of %" PRIu64
				" holds frames up to %" PRIu64,
				writer->segment.name, length_bytes, writer->segment.ring_bytes,
				limit > writer->segment.ring_bytes ? 0 : limit);
	return PH_OK;
}

void ph_queue_writer_interrupt(ph_queue_writer *writer)
{
	atomic_store(&writer->interrupted, 1);
	if (ph__fork_generation() == writer->segment.fork_generation)
		ph__semaphore_post(&writer->segment.space);
}

static ph_status wait_for_room(ph_queue_writer *writer, struct queue_wait *wait)
{
	if (atomic_load(&writer->interrupted) ||
	    (writer->also_interrupted && atomic_load(writer->also_interrupted)))
		return ph__fail(PH_ECLOSED, "queue \"%s\": the wait was interrupted",
				writer->segment.name);
	if (wait->timeout_ns == 0)
		return ph__fail(PH_EAGAIN, "queue \"%s\" is full", writer->segment.name);
	int64_t before_ns = ph_now_ns();
	ph_status status = ph__queue_wait_slice(wait, &writer->segment.space);
	writer->stats.wait_count++;
	writer->stats.wait_ns += (uint64_t)(ph_now_ns() - before_ns);
	if (status == PH_ETIMEDOUT)
		return ph__fail(status, "queue \"%s\" stayed full for the whole timeout",
				writer->segment.name);
	return PH_OK;
}

static ph_status claim(ph_queue_writer *writer, uint64_t payload_bytes, int64_t timeout_ns)
{
	struct queue_wait wait = {.timeout_ns = timeout_ns, .spin_ns = writer->spin_ns};

	/* One token comes with each frame that the reader lets go: take one with each claim, so
	 * that they do not pile up (2^31 of them abort stock C++ readers). */
	ph__semaphore_try(&writer->segment.space);
	for (;;) {
		ph_status status = ph__queue_writer_check_reader(writer);
		if (status == PH_OK)
			status = find_room(writer, payload_bytes);
		if (status != PH_EAGAIN)
			return status;
		status = wait_for_room(writer, &wait);
		if (status < 0)
			return status;
	}
}

void *ph__queue_claim_lead(const ph_queue_writer *writer)
{
	return writer->segment.ring + writer->claim_position + QUEUE_FRAME_BYTES;
}

ph_status ph_queue_claim(ph_queue_writer *writer, uint64_t length_bytes, int64_t timeout_ns,
			 void **bytes)
{
	*bytes = NULL;
	ph_status status = ph__queue_segment_check(&writer->segment);
	if (status == PH_OK && writer->has_claim)
		status =
			ph__fail(PH_EINVAL, "queue \"%s\": publish or abandon the last claim first",
				 writer->segment.name);
	if (status == PH_OK)
		status = check_size(writer, length_bytes);
	if (status == PH_OK)
		status = claim(writer, length_bytes + writer->lead_bytes, timeout_ns);
	if (status != PH_OK)
		return status;
	*bytes = (unsigned char *)ph__queue_claim_lead(writer) + writer->lead_bytes;
	return PH_OK;
}

ph_status ph_queue_abandon(ph_queue_writer *writer)
{
	ph_status status = ph__queue_segment_check(&writer->segment);

	if (status == PH_OK && !writer->has_claim)
		status = ph__fail(PH_EINVAL, "queue \"%s\": nothing is claimed",
				  writer->segment.name);
	writer->has_claim = false;
	return status;
}

/* ---- Publishing ---- */

static void store_header(const ph_queue_writer *writer, uint64_t position, uint64_t payload_bytes,
			 uint64_t sequence)
{
	const struct queue_frame header = {payload_bytes, sequence};

	memcpy(writer->segment.ring + position, &header, sizeof(header));
}

static void add_to_count(struct queue_header *header, uint64_t count)
{
	uint64_t before = atomic_load_explicit(&header->written_count, memory_order_relaxed);

	atomic_store_explicit(&header->written_count, before + count, memory_order_relaxed);
}

/* A stock reader looks at nothing of this before it has the token, a Pinhole before it has the
 * mark (Q1). Room is taken before it is published and never the other way round (Q6). */
static void publish(ph_queue_writer *writer, uint64_t payload_bytes)
{
	struct queue_header *header = writer->segment.header;
	uint64_t whole_bytes = QUEUE_FRAME_BYTES + payload_bytes;
	uint64_t end = (writer->claim_position + whole_bytes) % writer->segment.ring_bytes;
	uint64_t sequence = writer->sequence + 1;

	PH_POINT("publish:before-header");
	store_header(writer, writer->claim_position, payload_bytes, sequence);
	PH_POINT("publish:before-marker");
	if (writer->claim_skip > 0)
		store_header(writer, writer->position, 0, 0);
	PH_POINT("publish:before-sequence");
	atomic_store_explicit(&header->last_sequence, sequence, memory_order_relaxed);
	PH_POINT("publish:before-count");
	add_to_count(header, writer->claim_skip > 0 ? 2 : 1);
	PH_POINT("publish:before-free");
	atomic_fetch_sub_explicit(&header->free_bytes, writer->claim_skip + whole_bytes,
				  memory_order_release);
	PH_POINT("publish:before-position");
	atomic_store_explicit(&header->write_position, end, memory_order_release);
	PH_POINT("publish:before-mark");
	atomic_store_explicit(&header->writer_mark, mark_make(sequence, end), memory_order_release);
	PH_POINT("publish:before-post");
	ph__semaphore_post(&writer->segment.data);
	PH_POINT("publish:after-post");
	writer->stats.wrap_count += writer->claim_skip > 0;
	writer->position = end;
	writer->sequence = sequence;
	writer->has_claim = false;
}

ph_status ph_queue_publish(ph_queue_writer *writer, uint64_t length_bytes,
			   const ph_frame *description)
{
	ph_status status = ph__queue_segment_check(&writer->segment);

	if (status < 0)
		return status;
	if (!writer->has_claim)
		return ph__fail(PH_EINVAL, "queue \"%s\": nothing is claimed",
				writer->segment.name);
	if (length_bytes == 0 || length_bytes > writer->claim_bytes - writer->lead_bytes)
		return ph__fail(PH_EINVAL, "queue \"%s\": %" PRIu64 " bytes of a claim of %" PRIu64,
				writer->segment.name, length_bytes,
				writer->claim_bytes - writer->lead_bytes);
	if (writer->is_described)
		status = ph__queue_prefix_check(description, &writer->shape);
	if (status < 0)
		return status;
	if (writer->is_described)
		ph__queue_prefix_write(ph__queue_claim_lead(writer), description, &writer->shape);
	publish(writer, length_bytes + writer->lead_bytes);
	writer->stats.frame_count++;
	writer->stats.payload_bytes += length_bytes;
	return PH_OK;
}

ph_status ph_queue_write(ph_queue_writer *writer, const void *bytes, uint64_t length_bytes,
			 int64_t timeout_ns, const ph_frame *description)
{
	void *to;
	ph_status status = ph_queue_claim(writer, length_bytes, timeout_ns, &to);

	if (status < 0)
		return status;
	ph__copy(to, bytes, length_bytes);
	status = ph_queue_publish(writer, length_bytes, description);
	if (status < 0)
		writer->has_claim = false;
	return status;
}

/* ---- Metadata ---- */

ph_status ph_queue_write_metadata(ph_queue_writer *writer, const void *bytes, uint64_t length_bytes)
{
	struct queue_segment *segment = &writer->segment;
	ph_status status = ph__queue_segment_check(segment);

	if (status < 0)
		return status;
	if (length_bytes == 0)
		return ph__fail(PH_EINVAL,
				"queue \"%s\": no bytes of metadata; stock readers fail on that",
				segment->name);
	if (atomic_load(&segment->header->metadata_written_bytes) != 0)
		return ph__fail(PH_EEXIST, "queue \"%s\" has its metadata already", segment->name);
	if (segment->metadata_bytes < sizeof(length_bytes) ||
	    length_bytes > segment->metadata_bytes - sizeof(length_bytes))
		return ph__fail(PH_ETOOBIG,
				"queue \"%s\": %" PRIu64
				" + 8 bytes of metadata, room for %" PRIu64,
				segment->name, length_bytes, segment->metadata_bytes);
	memcpy(segment->metadata + sizeof(length_bytes), bytes, length_bytes);
	PH_POINT("metadata:before-length");
	memcpy(segment->metadata, &length_bytes, sizeof(length_bytes));
	PH_POINT("metadata:before-written");
	atomic_store_explicit(&segment->header->metadata_written_bytes,
			      sizeof(length_bytes) + length_bytes, memory_order_release);
	PH_POINT("metadata:before-free");
	atomic_store(&segment->header->metadata_free_bytes,
		     segment->metadata_bytes - sizeof(length_bytes) - length_bytes);
	PH_POINT("metadata:after-free");
	return PH_OK;
}

ph_status ph_queue_describe(ph_queue_writer *writer, const ph_frame *shape)
{
	unsigned char block[QUEUE_BLOCK_BYTES];
	ph_status status = PH_OK;

	if (writer->sequence != 0 || writer->has_claim)
		return ph__fail(PH_EINVAL, "queue \"%s\": describe it before its first frame",
				writer->segment.name);
	if (shape->pixel != PH_PIXEL_NONE)
		status = ph_frame_check(shape);
	if (status < 0)
		return status;
	ph__queue_block_write(block, shape);
	status = ph_queue_write_metadata(writer, block, sizeof(block));
	if (status < 0)
		return status;
	writer->shape = *shape;
	writer->is_described = true;
	writer->lead_bytes = QUEUE_PREFIX_BYTES;
	return PH_OK;
}

ph_status ph_queue_writer_stats(const ph_queue_writer *writer, ph_queue_stats *stats)
{
	ph_status status = ph__queue_segment_check(&writer->segment);
	ph_queue_stats now = writer->stats;

	if (status < 0)
		return status;
	now.peer_pid = atomic_load(&writer->segment.header->reader_pid);
	ph__queue_segment_room(&writer->segment, &now);
	return ph__queue_stats_copy(stats, &now);
}
