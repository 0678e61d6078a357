/* SPDX-License-Identifier: MIT */
/* How frames describe themselves: a block in the metadata for what stays, a prefix of each payload
 * for what changes. Bytes: protocol/queue.md section 6. */
#include <string.h>

#include "base/status.h"
#include "channel/queue.h"

static const unsigned char block_magic[8] = {'P', 'H', 'F', 'R', 'A', 'M', 'E', '1'};
enum { PREFIX_MAGIC = 0x50464850 }; /* "PHFP" */

/* The two structs are the wire: little-endian, no padding (asserted below). */
struct block {
	unsigned char magic[8];
	uint32_t block_bytes, prefix_bytes;
	uint32_t pixel, width_px, height_px, plane_count;
	struct {
		uint64_t offset_bytes, stride_bytes;
	} planes[PH_PLANES_MAX];
	double fx_px, fy_px, cx_px, cy_px, fov_rad;
	uint64_t length_bytes;
	uint64_t zero[2];
};
static_assert(sizeof(struct block) == QUEUE_BLOCK_BYTES, "queue v1");
static_assert(offsetof(struct block, fx_px) == 0x60, "queue v1");

struct prefix {
	uint32_t magic, flags;
	int64_t capture_time_ns, publish_time_ns, sim_time_ns, render_ns, copy_ns;
	double position_m[3], pitch_rad, yaw_rad, roll_rad;
	uint32_t pixel, width_px, height_px, zero;
	uint64_t zeros[2];
};
static_assert(sizeof(struct prefix) == QUEUE_PREFIX_BYTES, "queue v1");
static_assert(offsetof(struct prefix, pixel) == 0x60, "queue v1");

void ph__queue_block_write(unsigned char bytes[QUEUE_BLOCK_BYTES], const ph_frame *shape)
{
	struct block block = {
		.block_bytes = QUEUE_BLOCK_BYTES,
		.prefix_bytes = QUEUE_PREFIX_BYTES,
		.pixel = shape->pixel,
		.width_px = shape->width_px,
		.height_px = shape->height_px,
		.plane_count = shape->plane_count,
		.fx_px = shape->intrinsics.fx_px,
		.fy_px = shape->intrinsics.fy_px,
		.cx_px = shape->intrinsics.cx_px,
		.cy_px = shape->intrinsics.cy_px,
		.fov_rad = shape->intrinsics.fov_rad,
		.length_bytes = shape->length_bytes,
	};

	memcpy(block.magic, block_magic, sizeof(block_magic));
	for (uint32_t i = 0; i < PH_PLANES_MAX; i++) {
		block.planes[i].offset_bytes = shape->planes[i].offset_bytes;
		block.planes[i].stride_bytes = shape->planes[i].stride_bytes;
	}
	memcpy(bytes, &block, sizeof(block));
}

static void take_shape(ph_frame *shape, const struct block *block)
{
	*shape = (ph_frame){
		.pixel = block->pixel,
		.width_px = block->width_px,
		.height_px = block->height_px,
		.plane_count = block->plane_count,
		.length_bytes = block->length_bytes,
		.intrinsics = {block->fx_px, block->fy_px, block->cx_px, block->cy_px,
			       block->fov_rad},
	};
	for (uint32_t i = 0; i < PH_PLANES_MAX; i++)
		shape->planes[i] =
			(ph_plane){block->planes[i].offset_bytes, block->planes[i].stride_bytes};
}

bool ph__queue_block_read(const unsigned char *bytes, uint64_t length_bytes, ph_frame *shape,
			  ph_status *status)
{
	struct block block;

	*status = PH_OK;
	if (length_bytes < sizeof(block) || memcmp(bytes, block_magic, sizeof(block_magic)) != 0)
		return false; /* metadata of somebody else's making */
	memcpy(&block, bytes, sizeof(block));
	take_shape(shape, &block);
	if (block.block_bytes < sizeof(block) || block.prefix_bytes != QUEUE_PREFIX_BYTES)
		*status = ph__fail(PH_EVERSION,
				   "frames with a prefix of %u bytes; this library knows %d",
				   block.prefix_bytes, QUEUE_PREFIX_BYTES);
	else if (shape->pixel != PH_PIXEL_NONE)
		*status = ph_frame_check(shape);
	return *status == PH_OK;
}

static bool differs(const ph_frame *description, const ph_frame *shape)
{
	return description->pixel != shape->pixel || description->width_px != shape->width_px ||
	       description->height_px != shape->height_px;
}

void ph__queue_prefix_write(unsigned char bytes[QUEUE_PREFIX_BYTES], const ph_frame *description,
			    const ph_frame *shape)
{
	static const ph_frame nothing;
	const ph_frame *from = description ? description : &nothing;
	struct prefix prefix = {
		.magic = PREFIX_MAGIC,
		.capture_time_ns = from->capture_time_ns,
		.publish_time_ns = from->publish_time_ns,
		.sim_time_ns = from->sim_time_ns,
		.render_ns = from->render_ns,
		.copy_ns = from->copy_ns,
		.position_m = {from->pose.position_m[0], from->pose.position_m[1],
			       from->pose.position_m[2]},
		.pitch_rad = from->pose.pitch_rad,
		.yaw_rad = from->pose.yaw_rad,
		.roll_rad = from->pose.roll_rad,
	};

	if (from->pixel != PH_PIXEL_NONE && differs(from, shape)) {
		prefix.pixel = from->pixel;
		prefix.width_px = from->width_px;
		prefix.height_px = from->height_px;
	}
	memcpy(bytes, &prefix, sizeof(prefix));
}

ph_status ph__queue_prefix_check(const ph_frame *description, const ph_frame *shape)
{
	ph_frame expected = *shape;

	if (!description || description->pixel == PH_PIXEL_NONE || description->plane_count == 0)
		return PH_OK;
	if (differs(description, shape) &&
	    ph_frame_describe(&expected, description->pixel, description->width_px,
			      description->height_px) < 0)
		return PH_EINVAL;
	for (uint32_t i = 0; i < expected.plane_count; i++)
		if (description->plane_count != expected.plane_count ||
		    description->planes[i].offset_bytes != expected.planes[i].offset_bytes ||
		    description->planes[i].stride_bytes != expected.planes[i].stride_bytes)
			return ph__fail(PH_EINVAL,
					"plane %u has offset %llu, stride %llu; its reader would take "
					"%llu, %llu: lay frames out as announced, others without "
					"padding",
					i, (unsigned long long)description->planes[i].offset_bytes,
					(unsigned long long)description->planes[i].stride_bytes,
					(unsigned long long)expected.planes[i].offset_bytes,
					(unsigned long long)expected.planes[i].stride_bytes);
	return PH_OK;
}

ph_status ph__queue_prefix_read(const unsigned char bytes[QUEUE_PREFIX_BYTES],
				const ph_frame *shape, ph_frame *frame)
{
	struct prefix prefix;
	ph_frame description = *shape;

	memcpy(&prefix, bytes, sizeof(prefix));
	if (prefix.magic != PREFIX_MAGIC)
		return ph__fail(PH_EFORMAT, "a frame without its prefix in a described queue");
	if (prefix.pixel != PH_PIXEL_NONE) {
		ph_status status = ph_frame_describe(&description, prefix.pixel, prefix.width_px,
						     prefix.height_px);
		if (status < 0)
			return ph__fail(PH_EFORMAT, "a frame that says %u x %u of pixel format %u",
					prefix.width_px, prefix.height_px, prefix.pixel);
	}
	description.bytes = frame->bytes;
	description.length_bytes = frame->length_bytes;
	description.sequence = frame->sequence;
	description.capture_time_ns = prefix.capture_time_ns;
	description.publish_time_ns = prefix.publish_time_ns;
	description.sim_time_ns = prefix.sim_time_ns;
	description.render_ns = prefix.render_ns;
	description.copy_ns = prefix.copy_ns;
	description.pose =
		(ph_pose){{prefix.position_m[0], prefix.position_m[1], prefix.position_m[2]},
			  prefix.pitch_rad,
			  prefix.yaw_rad,
			  prefix.roll_rad};
	if (description.pixel != PH_PIXEL_NONE && ph_frame_check(&description) < 0)
		return PH_EFORMAT;
	*frame = description;
	return PH_OK;
}
