/* SPDX-License-Identifier: MIT */
/* The objects of a queue: made whole, opened with suspicion, removed by their owner only. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/point.h"
#include "base/status.h"
#include "base/sys.h"
#include "channel/queue.h"

static void data_name(const struct queue_segment *segment, char name[PH__NAME_BYTES])
{
	snprintf(name, PH__NAME_BYTES, "sem-w-%.*s", QUEUE_NAME_LIMIT, segment->name);
}

static void space_name(const struct queue_segment *segment, char name[PH__NAME_BYTES])
{
	snprintf(name, PH__NAME_BYTES, "sem-r-%.*s", QUEUE_NAME_LIMIT, segment->name);
}

void ph__queue_segment_init(struct queue_segment *segment, const char *bare_name,
			    bool peer_is_foreign)
{
	*segment = (struct queue_segment){
		.object.fd = -1,
		.data.object.fd = -1,
		.space.object.fd = -1,
		.lease.fd = -1,
		.peer_is_foreign = peer_is_foreign,
	};
	snprintf(segment->name, sizeof(segment->name), "%s", bare_name);
}

static void place_blocks(struct queue_segment *segment, uint64_t metadata_bytes,
			 uint64_t ring_bytes)
{
	segment->header = segment->object.base;
	segment->metadata_bytes = metadata_bytes;
	segment->ring_bytes = ring_bytes;
	segment->metadata = (unsigned char *)segment->object.base + QUEUE_HEADER_BYTES;
	segment->ring = segment->metadata + metadata_bytes;
	segment->fork_generation = ph__fork_generation();
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + QUEUE_ALIGN_BYTES - 1) / QUEUE_ALIGN_BYTES * QUEUE_ALIGN_BYTES;
}

/* The object has no name yet: the order of these stores is nobody's business. */
static void fill_header(const struct queue_segment *segment)
{
	struct queue_header *header = segment->header;

	atomic_store(&header->header_bytes, QUEUE_HEADER_BYTES);
	atomic_store(&header->major, QUEUE_MAJOR);
	atomic_store(&header->metadata_bytes, segment->metadata_bytes);
	atomic_store(&header->metadata_free_bytes, segment->metadata_bytes);
	atomic_store(&header->ring_bytes, segment->ring_bytes);
	atomic_store(&header->free_bytes, segment->ring_bytes);
	atomic_store(&header->reader_mark, mark_make(0, 0));
	atomic_store(&header->reader_pid, (uint64_t)getpid());
}

static ph_status create_semaphores(struct queue_segment *segment, mode_t mode)
{
	char name[PH__NAME_BYTES];

	data_name(segment, name);
	ph_status status = ph__semaphore_create(&segment->data, name, mode);
	if (status < 0)
		return status;
	space_name(segment, name);
	return ph__semaphore_create(&segment->space, name, mode);
}

static ph_status create_object(struct queue_segment *segment,
			       const ph_queue_reader_options *options)
{
	uint64_t metadata_bytes = round_up(options->metadata_bytes);
	uint64_t ring_bytes = round_up(options->ring_bytes);
	ph_status status = ph__object_make(
		&segment->object, QUEUE_HEADER_BYTES + metadata_bytes + ring_bytes, options->mode);
	if (status < 0)
		return status;
	place_blocks(segment, metadata_bytes, ring_bytes);
	fill_header(segment);
	return PH_OK;
}

ph_status ph__queue_segment_create(struct queue_segment *segment,
				   const ph_queue_reader_options *options)
{
	/* The semaphores first: whoever finds the segment finds them too. */
	ph_status status = create_semaphores(segment, options->mode);
	if (status == PH_OK)
		status = create_object(segment, options);
	if (status == PH_OK)
		status = ph__lease_take(&segment->lease, segment->object.fd, QUEUE_READER_BYTE);
	if (status == PH_OK) {
		segment->object.fd = -1; /* the lease has it now */
		status = ph__object_link(&segment->object, segment->lease.fd, segment->name);
	}
	if (status == PH_OK)
		return PH_OK;
	ph__queue_segment_unlink(segment);
	ph__queue_segment_close(segment);
	return status;
}

void ph__queue_segment_prefault(const struct queue_segment *segment)
{
#ifdef MADV_POPULATE_WRITE
	/* An older kernel refuses: then each page costs its fault when it is first used. */
	ph__sys->madvise(segment->object.base, segment->object.length_bytes, MADV_POPULATE_WRITE);
#endif
}

/* ---- Opening ---- */

/* Copies the sizes out, checks the copies. The creator may be any program. */
static ph_status check_header(struct queue_segment *segment)
{
	const struct queue_header *header = segment->object.base;
	uint32_t header_bytes = atomic_load_explicit(&header->header_bytes, memory_order_acquire);
	uint64_t metadata_bytes = atomic_load(&header->metadata_bytes);
	uint64_t ring_bytes = atomic_load(&header->ring_bytes);
	unsigned major = atomic_load(&header->major);
	uint64_t end = QUEUE_HEADER_BYTES;

	if (header_bytes == 0)
		return ph__fail(PH_ENOENT, "queue \"%s\" is only half made yet", segment->name);
	if (header_bytes != QUEUE_HEADER_BYTES)
		return ph__fail(PH_EFORMAT,
				"\"%s\" is no ZeroBuffer: its header says %u bytes, not %d",
				segment->name, header_bytes, QUEUE_HEADER_BYTES);
	if (major != QUEUE_MAJOR)
		return ph__fail(PH_EVERSION, "\"%s\" is of ZeroBuffer %u; this library knows %d",
				segment->name, major, QUEUE_MAJOR);
	if (metadata_bytes % QUEUE_ALIGN_BYTES || ring_bytes % QUEUE_ALIGN_BYTES ||
	    ring_bytes == 0 || ring_bytes > MARK_POSITION_MASK ||
	    !ph__add_u64(end, metadata_bytes, &end) || !ph__add_u64(end, ring_bytes, &end) ||
	    end > segment->object.length_bytes)
		return ph__fail(PH_EFORMAT,
				"\"%s\" claims %" PRIu64 " bytes of metadata and %" PRIu64
				" of ring; its %" PRIu64 " bytes do not hold that",
				segment->name, metadata_bytes, ring_bytes,
				segment->object.length_bytes);
	place_blocks(segment, metadata_bytes, ring_bytes);
	return PH_OK;
}

ph_status ph__queue_segment_open(struct queue_segment *segment)
{
	char name[PH__NAME_BYTES];
	ph_status status = ph__object_open(&segment->object, segment->name, QUEUE_HEADER_BYTES);

	if (status == PH_OK)
		status = check_header(segment);
	data_name(segment, name);
	if (status == PH_OK)
		status = ph__semaphore_open(&segment->data, name);
	space_name(segment, name);
	if (status == PH_OK)
		status = ph__semaphore_open(&segment->space, name);
	if (status < 0)
		ph__queue_segment_close(segment);
	return status;
}

/* ---- Taking over from the dead ---- */

static bool is_blank(const struct queue_header *header)
{
	static const unsigned char zeros[QUEUE_HEADER_BYTES];

	return memcmp((const void *)header, zeros, sizeof(zeros)) == 0;
}

/* Whether the segment of that name may be removed: a ZeroBuffer whose reader is gone. A blank one
 * is what a stock reader leaves that was killed while it made it, if there is other evidence that
 * the name is a ZeroBuffer's. */
static ph_status judge_leftover(const struct queue_segment *segment, struct ph__object *object,
				bool lock_was_stale)
{
	const struct queue_header *header = object->base;
	struct ph__watch watch = {0};
	struct ph__lease lease = {.fd = object->fd};

	if (is_blank(header) && lock_was_stale)
		return PH_OK;
	if (atomic_load(&header->header_bytes) != QUEUE_HEADER_BYTES ||
	    atomic_load(&header->major) != QUEUE_MAJOR)
		return ph__fail(PH_EEXIST,
				"/dev/shm/%s exists and is no ZeroBuffer; choose another name, or "
				"remove it if nobody needs it",
				segment->name);
	uint64_t pid = atomic_load(&header->reader_pid);
	bool has_lease = mark_is_valid(atomic_load(&header->reader_mark));
	ph__watch_start(&watch, pid);
	if (pid == 0 ||
	    (has_lease ? !ph__lease_is_held(&lease, QUEUE_READER_BYTE) : ph__watch_is_gone(&watch)))
		return PH_OK;
	return ph__fail(PH_EEXIST,
			"queue \"%s\" has a reader, process %" PRIu64 "; choose another name",
			segment->name, pid);
}

ph_status ph__queue_segment_reclaim(const struct queue_segment *segment, bool lock_was_stale)
{
	struct ph__object object;
	char name[PH__NAME_BYTES];
	ph_status status = ph__object_open(&object, segment->name, QUEUE_HEADER_BYTES);

	if (status == PH_EFORMAT && lock_was_stale)
		ph__sys->shm_unlink(segment->name); /* killed before it had its size */
	else if (status == PH_EFORMAT)
		return ph__fail(PH_EEXIST, "/dev/shm/%s exists and is no ZeroBuffer",
				segment->name);
	if (status != PH_EFORMAT && status != PH_OK && status != PH_ENOENT)
		return status;
	if (status == PH_OK) {
		status = judge_leftover(segment, &object, lock_was_stale);
		if (status == PH_OK)
			ph__object_unlink(&object);
		ph__object_close(&object);
		if (status < 0)
			return status;
	}
	PH_POINT("reclaim:before-semaphores");
	data_name(segment, name);
	ph__semaphore_remove(name);
	space_name(segment, name);
	ph__semaphore_remove(name);
	return PH_OK;
}

bool ph__queue_segment_reader_is_ending(const char *name)
{
	struct ph__object object;

	if (ph__object_open(&object, name, QUEUE_HEADER_BYTES) != PH_OK)
		return false;
	const struct ph__lease asker = {.fd = object.fd};
	bool is_ending = ph__lease_is_ending(&asker, QUEUE_READER_BYTE);
	ph__object_close(&object);
	return is_ending;
}

/* ---- The end ---- */

void ph__queue_segment_unlink(const struct queue_segment *segment)
{
	ph__object_unlink(&segment->object);
	ph__semaphore_unlink(&segment->data);
	ph__semaphore_unlink(&segment->space);
}

void ph__queue_segment_close(struct queue_segment *segment)
{
	if (ph__fork_generation() == segment->fork_generation || !segment->header) {
		ph__semaphore_close(&segment->data);
		ph__semaphore_close(&segment->space);
		ph__object_close(&segment->object);
	}
	ph__lease_drop(&segment->lease);
}

ph_status ph__queue_segment_check(const struct queue_segment *segment)
{
	if (ph__fork_generation() != segment->fork_generation)
		return ph__fail(PH_EINVAL,
				"queue \"%s\" belongs to the process that forked this one",
				segment->name);
	return PH_OK;
}

/* ---- The other side ---- */

bool ph__queue_peer_is_gone(const struct queue_segment *segment, struct ph__watch *watch,
			    uint64_t pid, uint64_t lease_pid, off_t byte)
{
	if (lease_pid == pid)
		return !ph__lease_is_held(&segment->lease, byte) ||
		       ph__lease_is_ending(&segment->lease, byte);
	if (segment->peer_is_foreign)
		return false;
	ph__watch_start(watch, pid);
	return ph__watch_is_gone(watch);
}

/* Yields instead of sleeping, for the caller's spin_ns. */
static bool spin(struct queue_wait *wait, struct ph__semaphore *semaphore, int64_t until_ns)
{
	int64_t end_ns = until_ns;

	if (wait->spin_ns < until_ns - wait->begun_ns)
		end_ns = wait->begun_ns + wait->spin_ns;
	wait->spin_ns = 0; /* once, not in each slice */
	while (ph_now_ns() < end_ns) {
		sched_yield();
		if (ph__semaphore_try(semaphore))
			return true;
	}
	return false;
}

ph_status ph__queue_wait_slice(struct queue_wait *wait, struct ph__semaphore *semaphore)
{
	int64_t now_ns = ph_now_ns();

	if (wait->begun_ns == 0) {
		wait->begun_ns = now_ns;
		wait->deadline_ns = INT64_MAX;
		if (wait->timeout_ns >= 0 && wait->timeout_ns < INT64_MAX - now_ns)
			wait->deadline_ns = now_ns + wait->timeout_ns;
	}
	if (now_ns >= wait->deadline_ns)
		return PH_ETIMEDOUT;
	int64_t until_ns = now_ns + QUEUE_SLICE_NS;
	if (until_ns > wait->deadline_ns)
		until_ns = wait->deadline_ns;
	if (wait->spin_ns > 0 && spin(wait, semaphore, until_ns))
		return PH_OK;
	return ph__semaphore_wait(semaphore, until_ns) ? PH_OK : PH_EAGAIN;
}

void ph__queue_segment_room(const struct queue_segment *segment, ph_queue_stats *stats)
{
	uint64_t free_bytes = atomic_load(&segment->header->free_bytes);

	stats->ring_bytes = segment->ring_bytes;
	stats->free_bytes = free_bytes < segment->ring_bytes ? free_bytes : segment->ring_bytes;
}

ph_status ph__queue_stats_copy(ph_queue_stats *to, const ph_queue_stats *from)
{
	size_t size = to->size;

	if (size < sizeof(size) || size > 4096)
		return ph__fail(PH_EINVAL, "stats.size is %zu; set it to sizeof(ph_queue_stats)",
				size);
	memset(to, 0, size);
	memcpy(to, from, size < sizeof(*from) ? size : sizeof(*from));
	to->size = size;
	return PH_OK;
}
