/* SPDX-License-Identifier: MIT */
/* What the reader's and the writer's half of a queue have in common, and what duplex needs of them.
 *
 * The words of the segment and who stores them: queue_layout.h. Everything else follows from these
 * invariants, which the comments of the files queue_*.c refer to:
 *
 *  Q1  One store publishes a frame: the writer's mark (Pinhole to Pinhole), or the token (a stock
 *      peer on either side). All bytes of the frame and its header are stored before it.
 *  Q2  The reader lets go in the order of the frames, with one store: its mark. What lies between
 *      the reader's mark and the writer's is never written.
 *  Q3  The queue is drained when both marks carry the same sequence number (with a stock reader:
 *      when free_bytes == ring_bytes). While it is drained the reader touches no position, because
 *      it holds no frame and finds none; then, and only then, the writer may set all of them.
 *  Q4  A token is a hint between two Pinholes, never a count: one too many is swallowed, one too
 *      few is found at the next look. From a stock writer one token is one frame.
 *  Q5  Marks survive their writer. Its successor puts the stock words right from them, so it does
 *      not matter between which two stores it died.
 *  Q6  free_bytes is never larger than the room there is, at any moment and after any death. What
 *      a death took from it comes back when the queue is next drained. */
#ifndef CHANNEL_QUEUE_H
#define CHANNEL_QUEUE_H

#include <pinhole/queue.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "channel/queue_layout.h"
#include "shm/alive.h"
#include "shm/lockfile.h"
#include "shm/object.h"
#include "shm/semaphore.h"

/* How long a sleeper sleeps before it looks whether its peer still lives. */
enum { QUEUE_SLICE_NS = 100000000 };

/* The objects in /dev/shm, as one side has them mapped. The sizes are copies that were checked. */
struct queue_segment {
	char name[PH__NAME_BYTES];
	struct ph__object object;
	struct ph__semaphore data;  /* "sem-w": posted by the writer */
	struct ph__semaphore space; /* "sem-r": posted by the reader */
	struct ph__lease lease;     /* on our own byte */
	struct queue_header *header;
	unsigned char *metadata, *ring;
	uint64_t metadata_bytes, ring_bytes;
	unsigned fork_generation;
	bool peer_is_foreign; /* believe nothing that a stock peer's PID seems to say */
};

void ph__queue_segment_init(struct queue_segment *segment, const char *bare_name,
			    bool peer_is_foreign);

/* Creates all of it, complete before it has a name, with the reader's lease taken.
 * `lock` is held by the caller. */
ph_status ph__queue_segment_create(struct queue_segment *segment,
				   const ph_queue_reader_options *options);

/* Removes what a dead reader of segment->name left behind, if it did. PH_EEXIST: something else, or
 * somebody alive, has the name. */
ph_status ph__queue_segment_reclaim(const struct queue_segment *segment, bool lock_was_stale);

/* Whether the reader of that name is being killed, but still holds its locks. */
bool ph__queue_segment_reader_is_ending(const char *name);

/* Opens and checks an existing one, without a lease. */
ph_status ph__queue_segment_open(struct queue_segment *segment);

/* Touches every page, if the kernel can (5.14). */
void ph__queue_segment_prefault(const struct queue_segment *segment);

void ph__queue_segment_unlink(const struct queue_segment *segment);
void ph__queue_segment_close(struct queue_segment *segment);

/* PH_EINVAL in a forked child, where the handle is not ours. */
ph_status ph__queue_segment_check(const struct queue_segment *segment);

/* Whether the process behind the other side's PID word is gone. `lease_pid` is that side's lease
 * word, or 0 for a stock peer; `watch` is used for the latter. */
bool ph__queue_peer_is_gone(const struct queue_segment *segment, struct ph__watch *watch,
			    uint64_t pid, uint64_t lease_pid, off_t byte);

/* One wait: how long it may take, and what it has cost. */
struct queue_wait {
	int64_t timeout_ns;
	int64_t spin_ns;
	int64_t begun_ns; /* 0: not begun, as in most calls: they do not wait at all */
	int64_t deadline_ns;
};

/* Takes a token, or looks in vain for a slice. PH_OK: a token; PH_EAGAIN: time to look at the
 * peer; PH_ETIMEDOUT: the caller's time is over. */
ph_status ph__queue_wait_slice(struct queue_wait *wait, struct ph__semaphore *semaphore);

/* Where frames describe themselves: the block in the metadata, and the bytes before each payload.
 * Layouts in protocol/queue.md. */
enum { QUEUE_BLOCK_BYTES = 160, QUEUE_PREFIX_BYTES = 128 };
void ph__queue_block_write(unsigned char block[QUEUE_BLOCK_BYTES], const ph_frame *shape);
/* False when the bytes are no such block; PH_EFORMAT in *status when they are a wrong one. */
bool ph__queue_block_read(const unsigned char *bytes, uint64_t length_bytes, ph_frame *shape,
			  ph_status *status);
void ph__queue_prefix_write(unsigned char prefix[QUEUE_PREFIX_BYTES], const ph_frame *description,
			    const ph_frame *shape);
/* The prefix has no place for planes: PH_EINVAL unless they lie as the reader will take them. */
ph_status ph__queue_prefix_check(const ph_frame *description, const ph_frame *shape);
ph_status ph__queue_prefix_read(const unsigned char prefix[QUEUE_PREFIX_BYTES],
				const ph_frame *shape, ph_frame *frame);

struct held_frame {
	const void *bytes;     /* what the caller knows it by; NULL: released already */
	uint64_t extent_bytes; /* of the ring: header, payload and what was skipped before them */
	uint64_t end_position;
	uint64_t sequence;
};

struct ph_queue_reader {
	struct queue_segment segment;
	struct ph__lockfile lock;
	struct ph__watch watch;
	int64_t spin_ns;
	_Atomic int interrupted;

	/* What the reader alone knows; shared words are compared with it. */
	uint64_t position;      /* where the next frame must start */
	uint64_t sequence;      /* of the last frame given, 0 before the first */
	uint64_t lost_pid;      /* the writer that was found dead; 0: none */
	uint64_t lost_position; /* its write position then */
	int64_t looked_ns;      /* when the writer's life was checked last */
	ph_status broken;       /* what every call returns once the writer broke the protocol */
	bool had_writer;
	uint64_t held_bytes;            /* of the ring, not given back yet */
	uint64_t first_held, next_held; /* running numbers; modulo held_limit in held[] */
	uint32_t held_limit;
	struct held_frame *held;

	ph_frame parked;     /* acquired, but too large for the buffer of ph_queue_read() */
	bool shape_is_known; /* whether `shape` has been looked for in the metadata */
	bool is_described;
	ph_frame shape;
	ph_queue_stats stats;
};

struct ph_queue_writer {
	struct queue_segment segment;
	struct ph__watch watch;
	int64_t spin_ns;
	_Atomic int interrupted;
	const _Atomic int *also_interrupted; /* looked at after every slice; NULL: none */

	bool reader_has_marks; /* it is a Pinhole */
	bool mark_is_valid;    /* ours is: not so after a stock writer until the queue is drained */
	bool must_drain;       /* before the first frame: a predecessor died while it published */
	uint64_t position;     /* where the next frame goes */
	uint64_t sequence;     /* of the last frame published */
	int64_t looked_ns;

	/* The claim: nothing of it is visible to anybody before it is published. */
	bool has_claim;
	uint64_t claim_position; /* of its header */
	uint64_t claim_bytes;    /* of payload on the wire */
	uint64_t claim_skip;     /* bytes left unused at the end of the ring before it */

	bool is_described;
	ph_frame shape;
	uint64_t lead_bytes; /* in front of each payload: prefix or answer header */
	ph_queue_stats stats;
};

/* Between the files of the reader. A token is one that was taken from the data semaphore. */
bool ph__queue_frame_is_there(const ph_queue_reader *reader, bool has_token);
ph_status ph__queue_take(ph_queue_reader *reader, ph_frame *frame);

/* Between the files of the writer: takes over the positions if the queue is drained. */
void ph__queue_begin_anew_if_drained(ph_queue_writer *writer);

/* For duplex. */

/* For a queue of answers: `admit` is asked about the reader before the queue is claimed, and if the
 * reader is a Pinhole, payloads start with QUEUE_ANSWER_BYTES of the caller's. */
struct queue_answers {
	ph_status (*admit)(const ph_queue_writer *writer, const void *context);
	const void *context;
};

/* As ph_queue_writer_open(). `answers` may be NULL. */
ph_status ph__queue_writer_attach(const char *name, const ph_queue_writer_options *options,
				  const struct queue_answers *answers, ph_queue_writer **writer);

/* The bytes before what ph_queue_claim() lent. */
void *ph__queue_claim_lead(const ph_queue_writer *writer);

/* PH_OK while the reader lives; PH_ECLOSED, PH_EPEER. */
ph_status ph__queue_writer_check_reader(ph_queue_writer *writer);

/* Whether a writer that is not known to be dead is attached. */
bool ph__queue_reader_has_writer(ph_queue_reader *reader);

/* The frame given as `from` will be released as `to`. */
void ph__queue_rename_held(ph_queue_reader *reader, const void *from, const void *to);

/* Whether the frames of the last Pinhole writer carry QUEUE_ANSWERS. */
bool ph__queue_reader_has_answers(const ph_queue_reader *reader);

/* As ph_queue_acquire(), but ends when `check` fails while there is no frame. */
ph_status ph__queue_acquire_while(ph_queue_reader *reader, int64_t timeout_ns, ph_frame *frame,
				  ph_status (*check)(void *), void *context);

/* The sizes of the ring, for the statistics. */
void ph__queue_segment_room(const struct queue_segment *segment, ph_queue_stats *stats);

/* Fills a ph_queue_stats of the caller's size. */
ph_status ph__queue_stats_copy(ph_queue_stats *to, const ph_queue_stats *from);

#endif
