/* SPDX-License-Identifier: MIT */
/* How a writer attaches: nobody else may be attached, and what a predecessor left is taken over. */
#include "channel/queue.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/options.h"
#include "base/point.h"
#include "base/status.h"
#include "base/sys.h"
#include "shm/futex.h"

static ph_status find_reader(ph_queue_writer *writer)
{
	struct queue_header *header = writer->segment.header;
	uint64_t pid = atomic_load_explicit(&header->reader_pid, memory_order_acquire);

	writer->reader_has_marks = mark_is_valid(atomic_load(&header->reader_mark));
	if (pid == 0 ||
	    ph__queue_peer_is_gone(&writer->segment, &writer->watch, pid,
				   writer->reader_has_marks ? pid : 0, QUEUE_READER_BYTE))
		return ph__fail(PH_EPEER,
				"queue \"%s\" is what its reader, process %" PRIu64
				", left when it died; the next reader of that name replaces it",
				writer->segment.name, pid);
	return PH_OK;
}

/* Puts the stock words right after a Pinhole that died, or closed: from its mark alone (Q5). Its
 * lease is ours by now, so nobody else writes them. Does nothing that may not be done twice.
 *
 * Each number is stored before its frame takes its room and is published. If it is not the mark's,
 * a writer died in between, and it is unknown whether free_bytes and written_count are that frame's
 * already: they are put right when the queue is drained, and until then nothing more is taken. */
static void repair(ph_queue_writer *writer, uint64_t mark)
{
	struct queue_header *header = writer->segment.header;
	uint64_t sequence = atomic_load(&header->last_sequence);
	bool is_torn = (sequence & MARK_SEQUENCE_MASK) != mark_sequence(mark);

	PH_POINT("attach:before-repair");
	atomic_store(&header->write_position, mark_position(mark));
	PH_POINT("attach:after-repair");
	writer->position = mark_position(mark);
	writer->sequence = is_torn ? sequence - 1 : sequence;
	writer->must_drain = is_torn && writer->reader_has_marks;
}

static uint32_t closing_flags(const struct queue_header *header)
{
	uint32_t count = (uint32_t)atomic_load(&header->written_count);

	return QUEUE_ATTACHED | QUEUE_CLOSED | count << QUEUE_FLAG_BITS;
}

/* The mark is good after a Pinhole that died, or that closed and was not followed by a stock
 * writer, which does not keep it up to date. */
static bool mark_is_fresh(const struct queue_header *header, uint64_t mark, uint64_t predecessor)
{
	uint32_t lease = atomic_load(&header->writer_lease);
	bool has_died = predecessor != 0 && predecessor == lease;
	bool has_closed =
		lease == 0 &&
		(atomic_load(&header->writer_flags) & ~QUEUE_ANSWERS) == closing_flags(header) &&
		atomic_load(&header->write_position) == mark_position(mark);

	return mark_is_valid(mark) && (has_died || has_closed);
}

/* Learns from the predecessor where the ring goes on. */
static void take_position(ph_queue_writer *writer, uint64_t predecessor)
{
	struct queue_header *header = writer->segment.header;
	uint64_t mark = atomic_load(&header->writer_mark);

	writer->mark_is_valid = mark_is_fresh(header, mark, predecessor) &&
				mark_position(mark) < writer->segment.ring_bytes;
	if (writer->mark_is_valid) {
		repair(writer, mark);
		return;
	}
	atomic_store(&header->writer_mark, 0); /* of an older time, if any */
	writer->position = atomic_load(&header->write_position) % writer->segment.ring_bytes;
	writer->sequence = atomic_load(&header->last_sequence);
}

/* Stock writers know nothing of the lease: among them and us the PID word decides. */
static ph_status claim_queue(ph_queue_writer *writer, bool has_answers)
{
	struct queue_header *header = writer->segment.header;
	uint64_t predecessor = atomic_load_explicit(&header->writer_pid, memory_order_acquire);
	struct ph__watch watch = {0};

	if (predecessor != 0 &&
	    !ph__queue_peer_is_gone(&writer->segment, &watch, predecessor,
				    atomic_load(&header->writer_lease), QUEUE_WRITER_BYTE))
		return ph__fail(PH_EEXIST, "queue \"%s\" has a writer, process %" PRIu64,
				writer->segment.name, predecessor);
	take_position(writer, predecessor);
	PH_POINT("attach:before-lease");
	bool has_headers = has_answers && writer->reader_has_marks;
	writer->lead_bytes = has_headers ? QUEUE_ANSWER_BYTES : 0;
	atomic_store(&header->writer_flags, QUEUE_ATTACHED | (has_headers ? QUEUE_ANSWERS : 0));
	atomic_store(&header->writer_lease, (uint32_t)getpid());
	PH_POINT("attach:before-claim");
	if (!atomic_compare_exchange_strong(&header->writer_pid, &predecessor, (uint64_t)getpid()))
		return ph__fail(PH_EEXIST, "queue \"%s\": process %" PRIu64 " came first",
				writer->segment.name, predecessor);
	PH_POINT("attach:after-claim");
	return PH_OK;
}

/* Whether a predecessor announced frames that describe themselves. */
static void take_shape(ph_queue_writer *writer)
{
	const struct queue_segment *segment = &writer->segment;
	unsigned char block[QUEUE_BLOCK_BYTES];
	ph_status status;

	if (atomic_load(&segment->header->metadata_written_bytes) < 8 + sizeof(block) ||
	    segment->metadata_bytes < 8 + sizeof(block))
		return;
	memcpy(block, segment->metadata + 8, sizeof(block));
	writer->is_described = ph__queue_block_read(block, sizeof(block), &writer->shape, &status);
	if (writer->is_described)
		writer->lead_bytes = QUEUE_PREFIX_BYTES;
}

static ph_status take_lease(struct queue_segment *segment)
{
	ph_status status = ph__lease_take(&segment->lease, segment->object.fd, QUEUE_WRITER_BYTE);
	const struct ph__lease asker = {.fd = segment->object.fd};

	if (status == PH_OK)
		segment->object.fd = -1; /* the lease has it now */
	if (status != PH_EEXIST)
		return status;
	if (ph__lease_is_ending(&asker, QUEUE_WRITER_BYTE))
		return ph__fail(PH_EPEER, "queue \"%s\": its writer is just being killed",
				segment->name);
	return ph__fail(PH_EEXIST, "queue \"%s\" has a writer already", segment->name);
}

static ph_status attach_once(ph_queue_writer *writer, const struct queue_answers *answers)
{
	ph_status status = ph__queue_segment_open(&writer->segment);

	if (status < 0)
		return status;
	status = take_lease(&writer->segment);
	if (status == PH_OK)
		status = find_reader(writer);
	if (status == PH_OK && answers)
		status = answers->admit(writer, answers->context);
	if (status == PH_OK)
		status = claim_queue(writer, answers != NULL);
	if (status < 0)
		ph__queue_segment_close(&writer->segment);
	return status;
}

/* What is not there yet, half made or left by a dead reader may be another thing in a moment. */
static ph_status attach(ph_queue_writer *writer, int64_t timeout_ns,
			const struct queue_answers *answers)
{
	int64_t deadline_ns = ph__deadline_ns(timeout_ns);

	for (;;) {
		ph_status status = attach_once(writer, answers);
		if (status != PH_ENOENT && status != PH_EPEER)
			return status;
		int64_t left_ns = deadline_ns - ph_now_ns();
		if (left_ns <= 0)
			return status;
		if (left_ns > QUEUE_SLICE_NS)
			left_ns = QUEUE_SLICE_NS;
		nanosleep(&(struct timespec){0, left_ns}, NULL);
	}
}

ph_status ph__queue_writer_attach(const char *name, const ph_queue_writer_options *given,
				  const struct queue_answers *answers, ph_queue_writer **out)
{
	ph_queue_writer_options options;
	char bare[PH__NAME_BYTES];

	*out = NULL;
	if (!ph__options_read(&options, sizeof(options), given))
		return ph__fail(PH_EINVAL,
				"options.size is wrong, or options of a newer library are set");
	ph_status status = ph__name_check(name, QUEUE_NAME_LIMIT, bare);
	if (status < 0)
		return status;
	ph_queue_writer *writer = ph__sys->calloc(1, sizeof(*writer));
	if (!writer)
		return ph__fail(PH_ENOSPC, "no memory for a writer");

	ph__queue_segment_init(&writer->segment, bare, options.peer_is_foreign);
	writer->spin_ns = options.spin_ns;
	status = attach(writer, options.timeout_ns, answers);
	if (status < 0) {
		ph__sys->free(writer);
		return status;
	}
	if (options.prefault)
		ph__queue_segment_prefault(&writer->segment);
	if (!answers)
		take_shape(writer);
	ph__queue_begin_anew_if_drained(writer);
	if (writer->reader_has_marks) /* "a writer is here": only a hint (Q4) */
		ph__semaphore_post(&writer->segment.data);
	*out = writer;
	return PH_OK;
}

ph_status ph_queue_writer_open(const char *name, const ph_queue_writer_options *options,
			       ph_queue_writer **writer)
{
	return ph__queue_writer_attach(name, options, NULL, writer);
}

void ph_queue_writer_close(ph_queue_writer **writer_at)
{
	ph_queue_writer *writer = *writer_at;

	if (!writer)
		return;
	if (ph__queue_segment_check(&writer->segment) == PH_OK) {
		struct queue_header *header = writer->segment.header;
		uint64_t pid = (uint64_t)getpid();
		atomic_store(&header->writer_flags,
			     closing_flags(header) |
				     (atomic_load(&header->writer_flags) & QUEUE_ANSWERS));
		PH_POINT("close-writer:before-lease");
		atomic_store(&header->writer_lease, 0);
		PH_POINT("close-writer:before-pid");
		atomic_compare_exchange_strong(&header->writer_pid, &pid, 0);
		PH_POINT("close-writer:before-post");
		ph__semaphore_post(&writer->segment.data); /* the end is told at once */
		PH_POINT("close-writer:after-post");
	}
	ph__queue_segment_close(&writer->segment);
	ph__sys->free(writer);
	*writer_at = NULL;
}
