/* SPDX-License-Identifier: MIT */
#include "client/descriptor.h"

#include <math.h>
#include <stdbool.h>

#include "base/checked.h"
#include "client/json.h"

/* The keys that are read. Angles and lengths are Unreal's until convert_pose(). */
struct keys {
	struct ph__span transport, name, dtype, layout, channel_order;
	uint64_t num_bytes, offset_bytes, width, height, frame;
	uint64_t timestamp_ns, sim_time_ns, render_ns, copy_ns;
	struct ph__json_counts shape;
	struct {
		double x_cm, y_cm, z_cm, pitch_deg, yaw_deg, roll_deg;
	} pose;
	struct {
		double fx_px, fy_px, cx_px, cy_px, fov_deg;
		uint64_t width, height;
	} intrinsics;
	struct {
		bool transport, name, dtype, layout, channel_order;
		bool num_bytes, offset_bytes, width, height, frame;
		bool timestamp_ns, sim_time_ns, render_ns, copy_ns, shape, pose, intrinsics, views;
		bool x, y, z, pitch, yaw, roll;
		bool fx, fy, cx, cy, fov, intrinsics_width, intrinsics_height;
	} given;
};

#define GIVEN(flag) offsetof(struct keys, given.flag)
#define FIELD(key, kind, member, flag) \
	{key, PH__JSON_##kind, offsetof(struct keys, member), GIVEN(flag), NULL}
#define OBJECT(key, flag, fields) {key, PH__JSON_OBJECT, 0, GIVEN(flag), fields}
#define ANY(key, flag)            {key, PH__JSON_ANY, 0, GIVEN(flag), NULL}
#define END                       {NULL, PH__JSON_END, 0, 0, NULL}

static const struct ph__json_field pose_fields[] = {
	FIELD("x", NUMBER, pose.x_cm, x),
	FIELD("y", NUMBER, pose.y_cm, y),
	FIELD("z", NUMBER, pose.z_cm, z),
	FIELD("pitch", NUMBER, pose.pitch_deg, pitch),
	FIELD("yaw", NUMBER, pose.yaw_deg, yaw),
	FIELD("roll", NUMBER, pose.roll_deg, roll),
	END,
};

static const struct ph__json_field intrinsics_fields[] = {
	FIELD("fx", NUMBER, intrinsics.fx_px, fx),
	FIELD("fy", NUMBER, intrinsics.fy_px, fy),
	FIELD("cx", NUMBER, intrinsics.cx_px, cx),
	FIELD("cy", NUMBER, intrinsics.cy_px, cy),
	FIELD("fov", NUMBER, intrinsics.fov_deg, fov),
	FIELD("width", COUNT, intrinsics.width, intrinsics_width),
	FIELD("height", COUNT, intrinsics.height, intrinsics_height),
	END,
};

static const struct ph__json_field fields[] = {
	FIELD("transport", STRING, transport, transport),
	FIELD("name", STRING, name, name),
	FIELD("num_bytes", COUNT, num_bytes, num_bytes),
	FIELD("offset_bytes", COUNT, offset_bytes, offset_bytes),
	FIELD("shape", COUNTS, shape, shape),
	FIELD("dtype", STRING, dtype, dtype),
	FIELD("layout", STRING, layout, layout),
	FIELD("channel_order", STRING, channel_order, channel_order),
	FIELD("width", COUNT, width, width),
	FIELD("height", COUNT, height, height),
	FIELD("frame", COUNT, frame, frame),
	FIELD("timestamp_ns", COUNT, timestamp_ns, timestamp_ns),
	FIELD("sim_time_ns", COUNT, sim_time_ns, sim_time_ns),
	FIELD("render_ns", COUNT, render_ns, render_ns),
	FIELD("copy_ns", COUNT, copy_ns, copy_ns),
	ANY("views", views),
	OBJECT("pose", pose, pose_fields),
	OBJECT("intrinsics", intrinsics, intrinsics_fields),
	END,
};

/* What a dtype, a number of channels and their order are together. An order of NULL: any. */
static const struct format {
	const char *dtype;
	uint64_t channel_count;
	const char *order;
	ph_pixel pixel;
} formats[] = {
	{"uint8",   1, NULL,   PH_PIXEL_GRAY8},
	{"uint8",   3, "BGR",  PH_PIXEL_BGR8},
	{"uint8",   3, "RGB",  PH_PIXEL_RGB8},
	{"uint8",   4, "BGRA", PH_PIXEL_BGRA8},
	{"uint8",   4, "RGBA", PH_PIXEL_RGBA8},
	{"uint16",  1, NULL,   PH_PIXEL_GRAY16},
	{"float32", 1, NULL,   PH_PIXEL_F32},
	{"float32", 2, NULL,   PH_PIXEL_F32X2},
	{"float32", 3, NULL,   PH_PIXEL_F32X3},
	{"float32", 4, NULL,   PH_PIXEL_F32X4},
};

static ph_status check_required(const struct keys *keys)
{
	const struct {
		bool given;
		const char *key;
	} required[] = {
		{keys->given.transport, "transport"}, {keys->given.name, "name"},
		{keys->given.num_bytes, "num_bytes"}, {keys->given.shape, "shape"},
		{keys->given.dtype, "dtype"},
	};

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (!required[i].given)
			return ph__fail(PH_EFORMAT, "the descriptor has no '%s'", required[i].key);
	return PH_OK;
}

static ph_status check_transport(struct ph__span transport)
{
	if (ph__span_is(transport, "posix_shared_memory"))
		return PH_OK;
	return ph__fail(
		PH_EFORMAT,
		"the server shares frames by '%.*s', which is not of this system: ask for the "
		"picture itself, without _shared",
		PH__SHOWN(transport));
}

/* A name that stays inside the folder of shared memory. */
static ph_status check_name(struct ph__span *name)
{
	if (name->length > 0 && name->at[0] == '/')
		*name = (struct ph__span){name->at + 1, name->length - 1};
	bool good = name->length > 0 && name->length <= PH__REGION_NAME_BYTES_MAX &&
		    !ph__span_is(*name, ".") && !ph__span_is(*name, "..");
	for (size_t i = 0; good && i < name->length; i++)
		good = name->at[i] > ' ' && name->at[i] < 127 && name->at[i] != '/';
	if (good)
		return PH_OK;
	return ph__fail(PH_EFORMAT, "'%.*s' is no name of shared memory",
			PH__SHOWN(*name));
}

static const struct format *find_format(const struct keys *keys, uint64_t channel_count)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct format *format = &formats[i];
		if (!ph__span_is(keys->dtype, format->dtype) ||
		    format->channel_count != channel_count)
			continue;
		if (!format->order || !keys->given.channel_order ||
		    ph__span_is(keys->channel_order, format->order))
			return format;
	}
	return NULL;
}

/* N points, a lidar's say: one row of them. */
static ph_status describe_list(const struct keys *keys, ph_frame *frame)
{
	const uint64_t *shape = keys->shape.values;
	const struct format *format = find_format(keys, shape[1]);

	if (!format || shape[0] > UINT32_MAX ||
	    ph_frame_describe(frame, format->pixel, (uint32_t)shape[0], 1) < 0)
		return ph__fail(PH_EFORMAT, "a list of %llu x %llu of dtype '%.*s' is not known",
				(unsigned long long)shape[0], (unsigned long long)shape[1],
				PH__SHOWN(keys->dtype));
	return PH_OK;
}

/* The shape is the truth; every other key that says the same must agree. */
static ph_status describe(const struct keys *keys, ph_frame *frame)
{
	const uint64_t *shape = keys->shape.values;
	uint32_t dimensions = keys->shape.count;

	if (dimensions != 2 && dimensions != 3)
		return ph__fail(PH_EFORMAT, "a shape of %u dimensions is no picture", dimensions);
	if (dimensions == 2 && keys->given.layout && ph__span_is(keys->layout, "NC"))
		return describe_list(keys, frame);
	if (keys->given.layout && !ph__span_is(keys->layout, dimensions == 2 ? "HW" : "HWC"))
		return ph__fail(PH_EFORMAT,
				"the layout '%.*s' does not fit a shape of %u dimensions",
				PH__SHOWN(keys->layout), dimensions);
	const struct format *format = find_format(keys, dimensions == 3 ? shape[2] : 1);
	if (!format)
		return ph__fail(
			PH_EFORMAT,
			"pixels of dtype '%.*s', %llu channels, order '%.*s' are not known",
			PH__SHOWN(keys->dtype),
			(unsigned long long)(dimensions == 3 ? shape[2] : 1),
			PH__SHOWN(keys->channel_order));
	if (shape[0] == 0 || shape[1] == 0 || shape[0] > UINT32_MAX || shape[1] > UINT32_MAX ||
	    ph_frame_describe(frame, format->pixel, (uint32_t)shape[1], (uint32_t)shape[0]) < 0)
		return ph__fail(PH_EFORMAT, "%llu x %llu is no size of a picture",
				(unsigned long long)shape[1], (unsigned long long)shape[0]);
	return PH_OK;
}

static ph_status check_size(const struct keys *keys, const ph_frame *frame)
{
	uint64_t end;

	if ((keys->given.width && keys->width != frame->width_px) ||
	    (keys->given.height && keys->height != frame->height_px) ||
	    (keys->given.intrinsics_width && keys->intrinsics.width != frame->width_px) ||
	    (keys->given.intrinsics_height && keys->intrinsics.height != frame->height_px))
		return ph__fail(PH_EFORMAT,
				"the descriptor's width and height contradict its shape");
	if (keys->num_bytes != frame->length_bytes)
		return ph__fail(PH_EFORMAT, "num_bytes is %llu where the shape needs %llu",
				(unsigned long long)keys->num_bytes,
				(unsigned long long)frame->length_bytes);
	if (!ph__add_u64(keys->offset_bytes, keys->num_bytes, &end) || end > INT64_MAX)
		return ph__fail(PH_EFORMAT, "an offset of %llu bytes leaves every region",
				(unsigned long long)keys->offset_bytes);
	if (keys->offset_bytes % sizeof(float) != 0)
		return ph__fail(PH_EFORMAT, "an offset of %llu bytes is not a multiple of %zu",
				(unsigned long long)keys->offset_bytes, sizeof(float));
	return PH_OK;
}

static double radians(double degrees)
{
	return degrees * (M_PI / 180);
}

/* Unreal's left-handed centimetres with Z up become metres with Y up. */
static void convert_pose(const struct keys *keys, ph_pose *pose)
{
	pose->position_m[0] = keys->pose.x_cm / 100;
	pose->position_m[1] = keys->pose.z_cm / 100;
	pose->position_m[2] = keys->pose.y_cm / 100;
	pose->pitch_rad = radians(keys->pose.pitch_deg);
	pose->yaw_rad = radians(keys->pose.yaw_deg);
	pose->roll_rad = radians(keys->pose.roll_deg);
}

static void fill(const struct keys *keys, struct ph__descriptor *descriptor)
{
	ph_frame *frame = &descriptor->frame;

	descriptor->name = keys->name;
	descriptor->offset_bytes = keys->offset_bytes;
	frame->sequence = keys->frame;
	frame->capture_time_ns = (int64_t)keys->timestamp_ns;
	frame->sim_time_ns = (int64_t)keys->sim_time_ns;
	frame->render_ns = (int64_t)keys->render_ns;
	frame->copy_ns = (int64_t)keys->copy_ns;
	frame->intrinsics = (ph_intrinsics){
		.fx_px = keys->intrinsics.fx_px,
		.fy_px = keys->intrinsics.fy_px,
		.cx_px = keys->intrinsics.cx_px,
		.cy_px = keys->intrinsics.cy_px,
		.fov_rad = radians(keys->intrinsics.fov_deg),
	};
	convert_pose(keys, &frame->pose);
}

ph_status ph__descriptor_read(struct ph__span text, struct ph__descriptor *descriptor)
{
	struct keys keys = {0};

	*descriptor = (struct ph__descriptor){0};
	ph_status status = ph__json_read(text, fields, &keys);
	descriptor->is_list = status == PH_OK && keys.given.views;
	if (descriptor->is_list)
		return PH_OK;
	if (status == PH_OK)
		status = check_required(&keys);
	if (status == PH_OK)
		status = check_transport(keys.transport);
	if (status == PH_OK)
		status = check_name(&keys.name);
	if (status == PH_OK)
		status = describe(&keys, &descriptor->frame);
	if (status == PH_OK)
		status = check_size(&keys, &descriptor->frame);
	if (status == PH_OK)
		fill(&keys, descriptor);
	return status;
}
