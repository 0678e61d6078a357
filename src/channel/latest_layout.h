/* SPDX-License-Identifier: MIT */
/* The bytes that the processes of a `latest` channel share: protocol/latest-v1.md in C. */
#ifndef CHANNEL_LATEST_LAYOUT_H
#define CHANNEL_LATEST_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LATEST_VERSION = 1,
	LATEST_PAGE_BYTES = 4096,
	LATEST_HUGE_BYTES = 2 << 20,
	LATEST_HEADER_BYTES = 512,
	LATEST_HAZARDS = 16,
	LATEST_HELD_LIMIT = 1024, /* frames that all readers together may hold */
	LATEST_SLOTS_MIN = 3,
	LATEST_SLOTS_MAX = LATEST_HELD_LIMIT + 2,
	LATEST_USER_BYTES = 256,
	LATEST_OWNER_BYTES = 64,
	LATEST_EPOCH_MAX = 4095,
	LATEST_SLOT_BITS = 11,
	LATEST_SEQUENCE_BITS = 41,
};
#define LATEST_MAGIC        UINT64_C(0x54534554414c4850) /* "PHLATEST" */
#define LATEST_NO_OWNER     UINT32_MAX
#define LATEST_SEQUENCE_MAX ((UINT64_C(1) << LATEST_SEQUENCE_BITS) - 1)

enum latest_state { LATEST_OPEN = 0, LATEST_CLOSED = 1 };

/* Written by the writer only; readers map it read-only. One 128-byte line (two, for the prefetcher)
 * for each word that changes. */
struct latest_board {
	uint64_t magic;
	uint32_t version;
	uint32_t owner_offset;
	uint64_t writer_pid;
	_Alignas(128) _Atomic uint64_t latest;
	_Alignas(128) _Atomic uint32_t state;
	_Alignas(128) unsigned char owner[LATEST_OWNER_BYTES];
	_Alignas(128) _Atomic uint64_t reader_count;
	_Atomic uint64_t reserved_bytes;
	_Atomic uint64_t woken_count;
};

/* Written by one reader only; the writer maps it read-only. */
struct latest_control {
	_Atomic uint64_t hazard[LATEST_HAZARDS];
	_Alignas(128) _Atomic uint64_t armed;
};

struct latest_header {
	uint64_t sequence;
	uint64_t length_bytes;
	uint32_t pixel;
	uint32_t width_px, height_px;
	uint32_t plane_count;
	struct {
		uint64_t offset_bytes, stride_bytes;
	} planes[4];
	int64_t capture_time_ns, publish_time_ns, sim_time_ns, render_ns, copy_ns;
	double position_m[3];
	double pitch_rad, yaw_rad, roll_rad;
	double fx_px, fy_px, cx_px, cy_px;
	double fov_rad;
	uint64_t user_bytes;
	unsigned char reserved[24];
	unsigned char user[LATEST_USER_BYTES];
};

static_assert(offsetof(struct latest_board, latest) == 128, "latest v1");
static_assert(offsetof(struct latest_board, state) == 256, "latest v1");
static_assert(offsetof(struct latest_board, owner) == 384, "latest v1");
static_assert(offsetof(struct latest_board, reader_count) == 512, "latest v1");
static_assert(offsetof(struct latest_control, armed) == 128, "latest v1");
static_assert(sizeof(struct latest_header) == LATEST_HEADER_BYTES, "latest v1");
static_assert(offsetof(struct latest_header, planes) == 32, "latest v1");
static_assert(offsetof(struct latest_header, capture_time_ns) == 96, "latest v1");
static_assert(offsetof(struct latest_header, position_m) == 136, "latest v1");
static_assert(offsetof(struct latest_header, fx_px) == 184, "latest v1");
static_assert(offsetof(struct latest_header, user_bytes) == 224, "latest v1");
static_assert(offsetof(struct latest_header, user) == 256, "latest v1");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "shared memory needs address-free atomics");
static_assert(ATOMIC_INT_LOCK_FREE == 2, "shared memory needs address-free atomics");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "latest v1 is little-endian");

/* What `latest` and a hazard word say. */
static inline uint64_t latest_pack(uint32_t epoch, uint32_t slot, uint64_t sequence)
{
	return (uint64_t)epoch << (LATEST_SLOT_BITS + LATEST_SEQUENCE_BITS) |
	       (uint64_t)slot << LATEST_SEQUENCE_BITS | sequence;
}

static inline uint32_t latest_epoch_of(uint64_t word)
{
	return (uint32_t)(word >> (LATEST_SLOT_BITS + LATEST_SEQUENCE_BITS));
}

static inline uint32_t latest_slot_of(uint64_t word)
{
	return (uint32_t)(word >> LATEST_SEQUENCE_BITS) & ((1u << LATEST_SLOT_BITS) - 1);
}

static inline uint64_t latest_sequence_of(uint64_t word)
{
	return word & LATEST_SEQUENCE_MAX;
}

/* The half of `latest` that readers sleep on. */
static inline const _Atomic uint32_t *latest_futex(const struct latest_board *board)
{
	return (const _Atomic uint32_t *)(const void *)&board->latest;
}

#endif
