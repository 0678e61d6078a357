/* SPDX-License-Identifier: MIT */
/* The bytes of a queue in shared memory: ZeroBuffer 1.0.0, and in its 32 reserved bytes four words
 * of ours that stock peers leave alone. Normative text: protocol/queue.md. */
#ifndef CHANNEL_QUEUE_LAYOUT_H
#define CHANNEL_QUEUE_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	QUEUE_HEADER_BYTES = 128, /* of the block below */
	QUEUE_FRAME_BYTES = 16,   /* of the header before each payload */
	QUEUE_ALIGN_BYTES = 64,   /* of the two blocks behind it */
	QUEUE_MAJOR = 1,
	QUEUE_NAME_LIMIT = 245, /* "sem.sem-w-" and the name make one file name */
};

struct queue_header {
	_Atomic uint32_t header_bytes;
	_Atomic uint8_t major, minor, patch, zero;
	_Atomic uint64_t metadata_bytes;
	_Atomic uint64_t metadata_free_bytes;
	_Atomic uint64_t metadata_written_bytes;
	_Atomic uint64_t ring_bytes;
	_Atomic uint64_t free_bytes; /* the one word that both sides change */
	_Atomic uint64_t write_position;
	_Atomic uint64_t read_position;
	_Atomic uint64_t written_count; /* frames and wrap markers */
	_Atomic uint64_t read_count;
	_Atomic uint64_t writer_pid;
	_Atomic uint64_t reader_pid;
	/* Ours from here on. */
	_Atomic uint32_t
		writer_lease; /* the PID of the writer that holds the lock on its own word */
	_Atomic uint32_t writer_flags; /* of the last Pinhole writer: below */
	_Atomic uint64_t last_sequence;
	_Atomic uint64_t writer_mark; /* a mark: where the writer is; its store publishes a frame */
	_Atomic uint64_t reader_mark; /* a mark: up to where the reader has let go */
};

/* A process that holds a lease locks the byte at the offset of its own PID word. */
enum {
	QUEUE_WRITER_BYTE = 0x50,
	QUEUE_READER_BYTE = 0x58,
};

enum {
	QUEUE_ANSWERS = 1,  /* each payload starts with a duplex answer header */
	QUEUE_ATTACHED = 2, /* set by every Pinhole writer */
	QUEUE_CLOSED = 4,   /* it closed in order, when written_count ended with the bits from 8 on:
			     * if   it still does, nobody has written since and the mark is good */
	QUEUE_FLAG_BITS = 8,
};

static_assert(sizeof(struct queue_header) == QUEUE_HEADER_BYTES, "ZeroBuffer 1.0.0");
static_assert(offsetof(struct queue_header, metadata_bytes) == 0x08, "ZeroBuffer 1.0.0");
static_assert(offsetof(struct queue_header, ring_bytes) == 0x20, "ZeroBuffer 1.0.0");
static_assert(offsetof(struct queue_header, free_bytes) == 0x28, "ZeroBuffer 1.0.0");
static_assert(offsetof(struct queue_header, writer_pid) == QUEUE_WRITER_BYTE, "ZeroBuffer 1.0.0");
static_assert(offsetof(struct queue_header, reader_pid) == QUEUE_READER_BYTE, "ZeroBuffer 1.0.0");
static_assert(offsetof(struct queue_header, writer_lease) == 0x60, "queue v1");
static_assert(offsetof(struct queue_header, reader_mark) == 0x78, "queue v1");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "shared memory needs address-free atomics");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire is little-endian");

/* Before each payload, at any byte offset: copied in and out, never accessed in place. */
struct queue_frame {
	uint64_t payload_bytes; /* 0: a wrap marker, go on at the start of the ring */
	uint64_t sequence;
};
enum { QUEUE_ANSWER_BYTES = 16 }; /* what QUEUE_ANSWERS puts in front of a payload: duplex.h */
static_assert(sizeof(struct queue_frame) == QUEUE_FRAME_BYTES, "ZeroBuffer 1.0.0");

/* A mark is a position in the ring and the low bits of the last frame's sequence number before it,
 * in one word, so that both are always of the same moment. Bit 63 tells a mark from "none". */
enum { MARK_POSITION_BITS = 40, MARK_SEQUENCE_BITS = 23 };
#define MARK_POSITION_MASK ((UINT64_C(1) << MARK_POSITION_BITS) - 1)
#define MARK_SEQUENCE_MASK ((UINT64_C(1) << MARK_SEQUENCE_BITS) - 1)
#define MARK_VALID         (UINT64_C(1) << 63)

static inline uint64_t mark_make(uint64_t sequence, uint64_t position)
{
	return MARK_VALID | (sequence & MARK_SEQUENCE_MASK) << MARK_POSITION_BITS | position;
}

static inline bool mark_is_valid(uint64_t mark)
{
	return (mark & MARK_VALID) != 0;
}

static inline uint64_t mark_position(uint64_t mark)
{
	return mark & MARK_POSITION_MASK;
}

static inline uint64_t mark_sequence(uint64_t mark)
{
	return mark >> MARK_POSITION_BITS & MARK_SEQUENCE_MASK;
}

#endif
