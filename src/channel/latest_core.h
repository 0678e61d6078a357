/* SPDX-License-Identifier: MIT */
/* The algorithm of protocol/latest-v1.md section 5, on memory that somebody else has mapped: no
 * system call, no allocation, no lock. The invariants L1 to L7 are stated and argued there; the
 * labels W1, W2, R1, R2 in the code are the four operations of that argument.
 *
 *     pool    the writer's slots: claim and publish
 *     roster  the readers that the pool must look at: one thread changes it, another scans it
 *     view    a reader's side: pin and unpin */
#ifndef CHANNEL_LATEST_CORE_H
#define CHANNEL_LATEST_CORE_H

#include <stdbool.h>

#include <pinhole/latest.h>

#include "channel/latest_layout.h"

/* Where the slots of one payload lie. */
struct latest_geometry {
	uint32_t epoch;
	uint32_t slot_count;
	uint64_t slots_offset;
	uint64_t slot_stride;
	uint64_t frame_bytes;
};

/* For `held_total` frames in the hands of readers. Errors: PH_ETOOBIG (does not fit 2^46 bytes). */
ph_status ph__latest_geometry_make(struct latest_geometry *geometry, uint64_t frame_bytes,
				   uint32_t held_total, bool huge);

/* For numbers that come from a peer. */
bool ph__latest_geometry_is_sound(const struct latest_geometry *geometry);

/* Of a sound geometry: no overflow. */
uint64_t ph__latest_payload_bytes(const struct latest_geometry *geometry);

struct latest_roster {
	uint32_t count;
	struct latest_roster_entry {
		const struct latest_control *control;
		uint32_t held;
		const _Atomic uint64_t *served; /* `armed` as last answered; NULL: never asks */
	} readers[PH_LATEST_READERS_MAX];
};

/* The roster is never changed in place: the admitting thread installs another one and goes on when
 * nobody can be looking at the old one. The scanning thread never waits. */
struct latest_roster_cell {
	_Atomic(const struct latest_roster *) current;
	_Atomic uint32_t uses; /* odd while the scanning thread looks */
	struct latest_roster room[2];
};

void ph__latest_roster_init(struct latest_roster_cell *cell);
const struct latest_roster *ph__latest_roster_take(struct latest_roster_cell *cell);
void ph__latest_roster_done(struct latest_roster_cell *cell);

/* A copy of the current roster, to be changed and installed. */
struct latest_roster *ph__latest_roster_draft(struct latest_roster_cell *cell);

/* When it returns, no scan uses the roster before this one: pages that it alone named may go. */
void ph__latest_roster_install(struct latest_roster_cell *cell, const struct latest_roster *draft);

enum { LATEST_FREE_SLOTS = 4 };

/* All private to the writer, but the memory that board and base point to. */
struct latest_pool {
	struct latest_board *board;
	struct latest_roster_cell *roster;
	unsigned char *base;
	struct latest_geometry geometry;
	uint64_t latest; /* what the board says: nobody else changes it */
	bool is_claimed;
	uint32_t claimed;
	uint32_t free_count;
	uint32_t free_slots[LATEST_FREE_SLOTS]; /* taken from the end */
};

/* Slots of this payload from now on; the newest frame stays where it is. */
void ph__latest_pool_use(struct latest_pool *pool, const struct latest_geometry *geometry,
			 void *base);

/* The slot to write into, the same one until it is published. */
void *ph__latest_pool_claim(struct latest_pool *pool);

/* `frame` was checked. The caller wakes the sleepers. */
void ph__latest_pool_publish(struct latest_pool *pool, const ph_frame *frame, const void *user,
			     uint64_t user_bytes);

/* A reader's private copy of what it needs to find a frame. */
struct latest_view {
	const struct latest_board *board;
	struct latest_control *control;
	const unsigned char *base;
	struct latest_geometry geometry;
};

enum latest_pin {
	LATEST_PINNED,
	LATEST_ELSEWHERE, /* the newest frame lies in another payload: follow, then try again */
	LATEST_NONSENSE   /* no such slot, or another one at every look */
};

/* Holds the newest frame with hazard word `hold` and says which it is; there is one. */
enum latest_pin ph__latest_pin(const struct latest_view *view, uint32_t hold, uint64_t *word);
void ph__latest_unpin(struct latest_control *control, uint32_t hold);

/* Describes a pinned frame: copies the slot's header out, checks the copy, uses the copy.
 * Errors: PH_EFORMAT. */
ph_status ph__latest_describe(const struct latest_view *view, uint64_t word,
			      ph_latest_frame *frame);

#endif
