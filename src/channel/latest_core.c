/* SPDX-License-Identifier: MIT */
#include "channel/latest_core.h"

#include <sched.h>
#include <string.h>

#include "base/checked.h"
#include "base/point.h"
#include "base/status.h"

#define PAYLOAD_BYTES_MAX (UINT64_C(1) << 46)

/* No writer publishes in each of so many moments of 50 ns but to keep a reader from its work. */
enum { PIN_TRIES = 1000 };

static bool round_up(uint64_t value, uint64_t unit, uint64_t *rounded)
{
	if (!ph__add_u64(value, unit - 1, rounded))
		return false;
	*rounded -= *rounded % unit;
	return true;
}

ph_status ph__latest_geometry_make(struct latest_geometry *geometry, uint64_t frame_bytes,
				   uint32_t held_total, bool huge)
{
	const uint64_t unit = huge ? LATEST_HUGE_BYTES : LATEST_PAGE_BYTES;

	geometry->slot_count = held_total + 2;
	geometry->frame_bytes = frame_bytes;
	round_up((uint64_t)geometry->slot_count * LATEST_HEADER_BYTES, unit,
		 &geometry->slots_offset);
	if (!round_up(frame_bytes, unit, &geometry->slot_stride) ||
	    !ph__latest_geometry_is_sound(geometry))
		return ph__fail(
		    PH_ETOOBIG,
		    "%u slots of %llu bytes are more than a channel may have, 2^46 bytes",
		    geometry->slot_count, (unsigned long long)frame_bytes);
	return PH_OK;
}

bool ph__latest_geometry_is_sound(const struct latest_geometry *geometry)
{
	uint64_t headers = (uint64_t)geometry->slot_count * LATEST_HEADER_BYTES, end;

	return geometry->epoch <= LATEST_EPOCH_MAX && geometry->slot_count >= LATEST_SLOTS_MIN &&
	       geometry->slot_count <= LATEST_SLOTS_MAX && geometry->slots_offset >= headers &&
	       geometry->slots_offset % LATEST_PAGE_BYTES == 0 &&
	       geometry->slot_stride % LATEST_PAGE_BYTES == 0 && geometry->frame_bytes > 0 &&
	       geometry->frame_bytes <= geometry->slot_stride &&
	       ph__mul_u64(geometry->slot_stride, geometry->slot_count, &end) &&
	       ph__add_u64(end, geometry->slots_offset, &end) && end <= PAYLOAD_BYTES_MAX;
}

uint64_t ph__latest_payload_bytes(const struct latest_geometry *geometry)
{
	return geometry->slots_offset + geometry->slot_stride * geometry->slot_count;
}

void ph__latest_roster_init(struct latest_roster_cell *cell)
{
	atomic_store(&cell->current, &cell->room[0]);
}

const struct latest_roster *ph__latest_roster_take(struct latest_roster_cell *cell)
{
	atomic_fetch_add(&cell->uses, 1); /* before the load below, for install() */
	PH_POINT("roster:taken");
	return atomic_load(&cell->current);
}

void ph__latest_roster_done(struct latest_roster_cell *cell)
{
	atomic_fetch_add(&cell->uses, 1);
}

struct latest_roster *ph__latest_roster_draft(struct latest_roster_cell *cell)
{
	const struct latest_roster *current = atomic_load(&cell->current);
	struct latest_roster *draft = &cell->room[current == &cell->room[0]];

	*draft = *current;
	return draft;
}

void ph__latest_roster_install(struct latest_roster_cell *cell, const struct latest_roster *draft)
{
	atomic_store(&cell->current, draft);
	/* A scan that began before the store may use the old roster; a later one cannot. */
	uint32_t uses = atomic_load(&cell->uses);
	while (uses % 2 == 1 && atomic_load(&cell->uses) == uses) {
		PH_POINT("roster:wait");
		sched_yield();
	}
}

static struct latest_header *header_at(const struct latest_pool *pool, uint32_t slot)
{
	return (struct latest_header *)(void *)pool->base + slot;
}

void ph__latest_pool_use(struct latest_pool *pool, const struct latest_geometry *geometry,
			 void *base)
{
	pool->geometry = *geometry;
	pool->base = base;
	pool->is_claimed = false;
	pool->free_count = 0;
}

struct slot_set {
	uint64_t bits[(LATEST_SLOTS_MAX + 63) / 64];
};

/* `word` is a copy of what a reader wrote: anything. */
static void mark_busy(struct slot_set *busy, const struct latest_pool *pool, uint64_t word)
{
	uint32_t slot = latest_slot_of(word);

	if (latest_epoch_of(word) == pool->geometry.epoch && slot < pool->geometry.slot_count)
		busy->bits[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void mark_held(struct slot_set *busy, struct latest_pool *pool)
{
	const struct latest_roster *roster = ph__latest_roster_take(pool->roster);

	for (uint32_t i = 0; i < roster->count; i++)
		for (uint32_t k = 0; k < roster->readers[i].held; k++) {
			PH_POINT("claim:before-hazard");
			mark_busy(busy, pool,
				  atomic_load(&roster->readers[i].control->hazard[k])); /* W2 */
		}
	ph__latest_roster_done(pool->roster);
}

/* Fills the free list with the lowest slots that nobody holds, the lowest to be taken first. */
static void scan(struct latest_pool *pool)
{
	struct slot_set busy = {0};
	uint32_t found[LATEST_FREE_SLOTS] = {0};

	mark_busy(&busy, pool, pool->latest); /* L1 */
	mark_held(&busy, pool);
	for (uint32_t slot = 0; slot < pool->geometry.slot_count; slot++) {
		if (busy.bits[slot / 64] >> slot % 64 & 1)
			continue;
		found[pool->free_count++] = slot;
		if (pool->free_count == LATEST_FREE_SLOTS)
			break;
	}
	assert(pool->free_count > 0); /* L4 */
	for (uint32_t i = 0; i < pool->free_count; i++)
		pool->free_slots[pool->free_count - 1 - i] = found[i];
}

void *ph__latest_pool_claim(struct latest_pool *pool)
{
	if (!pool->is_claimed) {
		if (pool->free_count == 0)
			scan(pool);
		pool->claimed = pool->free_slots[--pool->free_count];
		pool->is_claimed = true;
	}
	return pool->base + pool->geometry.slots_offset +
	       pool->geometry.slot_stride * pool->claimed;
}

static void write_header(struct latest_header *header, const ph_frame *frame, uint64_t sequence)
{
	header->sequence = sequence;
	header->length_bytes = frame->length_bytes;
	header->pixel = (uint32_t)frame->pixel;
	header->width_px = frame->width_px;
	header->height_px = frame->height_px;
	header->plane_count = frame->plane_count;
	memcpy(header->planes, frame->planes, sizeof(header->planes));
	header->capture_time_ns = frame->capture_time_ns;
	header->publish_time_ns = ph_now_ns();
	header->sim_time_ns = frame->sim_time_ns;
	header->render_ns = frame->render_ns;
	header->copy_ns = frame->copy_ns;
	memcpy(header->position_m, frame->pose.position_m, sizeof(header->position_m));
	header->pitch_rad = frame->pose.pitch_rad;
	header->yaw_rad = frame->pose.yaw_rad;
	header->roll_rad = frame->pose.roll_rad;
	header->fx_px = frame->intrinsics.fx_px;
	header->fy_px = frame->intrinsics.fy_px;
	header->cx_px = frame->intrinsics.cx_px;
	header->cy_px = frame->intrinsics.cy_px;
	header->fov_rad = frame->intrinsics.fov_rad;
}

void ph__latest_pool_publish(struct latest_pool *pool, const ph_frame *frame, const void *user,
			     uint64_t user_bytes)
{
	struct latest_header *header = header_at(pool, pool->claimed);
	uint64_t sequence = latest_sequence_of(pool->latest) + 1;

	write_header(header, frame, sequence);
	PH_POINT("publish:half-header");
	header->user_bytes = user_bytes;
	if (user_bytes > 0)
		memcpy(header->user, user, user_bytes);
	pool->latest = latest_pack(pool->geometry.epoch, pool->claimed, sequence);
	pool->is_claimed = false;
	PH_POINT("publish:before-latest");
	atomic_store(&pool->board->latest, pool->latest); /* W1, pairs with R2 */
	PH_POINT("publish:after-latest");
}

enum latest_pin ph__latest_pin(const struct latest_view *view, uint32_t hold, uint64_t *word)
{
	uint64_t seen = atomic_load(&view->board->latest);

	for (int tries = 0; tries < PIN_TRIES; tries++) {
		bool elsewhere = latest_epoch_of(seen) != view->geometry.epoch;
		if (elsewhere || latest_slot_of(seen) >= view->geometry.slot_count) {
			ph__latest_unpin(view->control, hold);
			return elsewhere ? LATEST_ELSEWHERE : LATEST_NONSENSE;
		}
		PH_POINT("acquire:before-hazard");
		atomic_store(&view->control->hazard[hold], seen); /* R1, pairs with W2 */
		PH_POINT("acquire:before-recheck");
		*word = atomic_load(&view->board->latest); /* R2, pairs with W1 */
		if (*word == seen)
			return LATEST_PINNED;
		seen = *word; /* the writer moved on meanwhile; newer is better */
	}
	ph__latest_unpin(view->control, hold);
	return LATEST_NONSENSE;
}

void ph__latest_unpin(struct latest_control *control, uint32_t hold)
{
	PH_POINT("release:before-hazard");
	/* Release: our reads of the frame come before the scan that sees this. */
	atomic_store_explicit(&control->hazard[hold], 0, memory_order_release);
}

static void read_header(ph_frame *frame, const struct latest_header *header)
{
	frame->length_bytes = header->length_bytes;
	frame->pixel = (ph_pixel)header->pixel;
	frame->width_px = header->width_px;
	frame->height_px = header->height_px;
	frame->plane_count = header->plane_count;
	memcpy(frame->planes, header->planes, sizeof(frame->planes));
	frame->sequence = header->sequence;
	frame->capture_time_ns = header->capture_time_ns;
	frame->publish_time_ns = header->publish_time_ns;
	frame->sim_time_ns = header->sim_time_ns;
	frame->render_ns = header->render_ns;
	frame->copy_ns = header->copy_ns;
	memcpy(frame->pose.position_m, header->position_m, sizeof(frame->pose.position_m));
	frame->pose.pitch_rad = header->pitch_rad;
	frame->pose.yaw_rad = header->yaw_rad;
	frame->pose.roll_rad = header->roll_rad;
	frame->intrinsics.fx_px = header->fx_px;
	frame->intrinsics.fy_px = header->fy_px;
	frame->intrinsics.cx_px = header->cx_px;
	frame->intrinsics.cy_px = header->cy_px;
	frame->intrinsics.fov_rad = header->fov_rad;
}

ph_status ph__latest_describe(const struct latest_view *view, uint64_t word, ph_latest_frame *frame)
{
	const struct latest_header *shared =
	    (const struct latest_header *)(const void *)view->base + latest_slot_of(word);
	struct latest_header header;

	memcpy(&header, shared, sizeof(header));
	atomic_signal_fence(memory_order_seq_cst); /* the compiler may not read `shared` again */
	if (header.sequence != latest_sequence_of(word) ||
	    header.length_bytes > view->geometry.frame_bytes ||
	    header.plane_count > PH_PLANES_MAX || header.user_bytes > LATEST_USER_BYTES)
		return ph__fail(PH_EFORMAT,
				"the header of frame %llu is not what its writer may say",
				(unsigned long long)latest_sequence_of(word));
	read_header(&frame->frame, &header);
	if (frame->frame.pixel != PH_PIXEL_NONE && ph_frame_check(&frame->frame) < 0)
		return PH_EFORMAT;
	frame->frame.bytes = view->base + view->geometry.slots_offset +
			     view->geometry.slot_stride * latest_slot_of(word);
	frame->user_bytes = header.user_bytes;
	memcpy(frame->user, header.user, header.user_bytes);
	return PH_OK;
}
