/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include <math.h>

static const double deg = M_PI / 180;

struct ph__device *open_device_or_skip(void)
{
	struct ph__device *device;
	const char *wanted = getenv("PH_TEST_RENDERER"); /* "gpu" or "software" */
	ph_renderer_kind kind = PH_RENDERER_AUTO;

	if (wanted)
		kind = strcmp(wanted, "gpu") == 0 ? PH_RENDERER_GPU : PH_RENDERER_SOFTWARE;
	if (ph__device_open(kind, &device) < 0)
		skip_test("%s", ph_last_error());
	return device;
}

struct stage *stage_open(void)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	static const float colors[STAGE_MATERIAL_COUNT][3] = {
		[RED] = {0.8f, 0.02f, 0.02f},
		[GREEN] = {0.02f, 0.7f, 0.02f},
		[BLUE] = {0.02f, 0.02f, 0.8f},
	};

	assert_non_null(stage);
	stage->device = open_device_or_skip();
	for (int i = 0; i < STAGE_MATERIAL_COUNT; i++) {
		struct ph__material *material = &stage->materials[i];
		memcpy(material->base_color, colors[i], sizeof(material->base_color));
		material->roughness = 0.5f;
		material->texture = PH__NO_TEXTURE;
	}
	for (int i = 0; i < 3; i++)
		stage->materials[GLOWING_GREY].emissive[i] = 0.2140f;
	stage->scene = (struct ph__scene){
		.assets = {.meshes = stage->meshes,
		       .materials = stage->materials,
		       .parts = stage->parts,
		       .material_count = STAGE_MATERIAL_COUNT},
		.objects = stage->objects,
		.sun = {.direction = {0.6f, -0.8f, 0}, .radiance = {1, 1, 1}},
		.sky = {.zenith = {0.2f, 0.2f, 0.2f},
			.horizon = {0.2f, 0.2f, 0.2f},
			.ground = {0.2f, 0.2f, 0.2f}},
		.version = 1,
	};
	return stage;
}

void stage_close(struct stage *stage)
{
	ph__renderer_close(&stage->renderer);
	ph__device_close(&stage->device);
	ph__snapshot_finish(&stage->snapshot);
	for (uint32_t i = 0; i < stage->scene.assets.mesh_count; i++) {
		free(stage->meshes[i].vertices);
		free(stage->meshes[i].indices);
	}
	free(stage->pixels);
	free(stage);
}

uint32_t stage_take(struct stage *stage, struct ph__shape *shape)
{
	uint32_t number = stage->scene.assets.mesh_count++;

	assert_true(number < STAGE_SHAPES_MAX);
	assert_int_equal(ph__shape_take(shape, &stage->meshes[number]), PH_OK);
	return number;
}

uint32_t stage_box(struct stage *stage)
{
	struct ph__shape shape = {.vertex_count = 0};
	ph__shape_box(&shape, 1, 1, 1, 0, 0);
	return stage_take(stage, &shape);
}

uint32_t stage_ball(struct stage *stage)
{
	struct ph__shape shape = {.vertex_count = 0};
	ph__shape_gem(&shape, 0.5f, 3);
	return stage_take(stage, &shape);
}

uint32_t stage_square(struct stage *stage)
{
	static const float towards_camera[3] = {-1, 0, 0};
	struct ph__shape shape = {.vertex_count = 0};

	for (int i = 0; i < 4; i++) /* counter-clockwise seen from -X, where +Z is to the right */
		ph__shape_vertex(&shape, (float[3]){0, i < 2 ? -0.5f : 0.5f, i % 3 ? 0.5f : -0.5f},
				 towards_camera, 0, 0);
	ph__shape_triangle(&shape, 0, 1, 2);
	ph__shape_triangle(&shape, 0, 2, 3);
	return stage_take(stage, &shape);
}

ph_pose pose_deg(double x, double y, double z, double pitch_deg, double yaw_deg, double roll_deg)
{
	return (ph_pose){{x, y, z}, pitch_deg * deg, yaw_deg * deg, roll_deg * deg};
}

uint32_t stage_add(struct stage *stage, uint32_t shape, enum stage_material material,
		   struct placing placing)
{
	uint32_t number = stage->scene.object_count++;
	struct ph__object *object = &stage->objects[number];

	assert_true(number < STAGE_OBJECTS_MAX);
	stage->parts[number] = (struct ph__part){shape, material};
	stage->scene.assets.part_count++;
	*object = (struct ph__object){
		.id = number + 1,
		.label = PH__LABEL_BLOCK,
		.first_part = number,
		.part_count = 1,
		.pose = pose_deg(placing.at[0], placing.at[1], placing.at[2], placing.pitch_deg,
				 placing.yaw_deg, placing.roll_deg),
	};
	for (int i = 0; i < 3; i++)
		object->scale[i] = placing.scale[i] != 0 ? placing.scale[i] : 1;
	ph__mask_color(number + 1, object->color);
	return number;
}

void stage_start(struct stage *stage)
{
	ph_status status =
		ph__renderer_create(stage->device, &stage->scene.assets, &stage->renderer);
	if (status < 0)
		fail_msg("%s: %s", ph_status_name(status), ph_last_error());
}

struct ph__view stage_view(uint32_t width_px, uint32_t height_px, double fov_deg)
{
	return (struct ph__view){
		.fov_rad = fov_deg * deg,
		.width_px = width_px,
		.height_px = height_px,
		.depth_unit_m = 1,
		.depth_far = 655.04f,
	};
}

void *stage_draw(struct stage *stage, const struct ph__view *view, enum ph__modality modality)
{
	uint64_t length_bytes = (uint64_t)view->width_px * view->height_px *
				ph_pixel_bytes(ph__modality_pixel(modality));

	if (length_bytes > stage->capacity_bytes) {
		free(stage->pixels);
		stage->pixels = malloc(length_bytes);
		stage->capacity_bytes = length_bytes;
		assert_non_null(stage->pixels);
	}
	memset(stage->pixels, 0xA5, length_bytes);
	assert_int_equal(ph__snapshot_take(&stage->snapshot, &stage->scene), PH_OK);
	ph_status status = ph__renderer_draw(stage->renderer, &stage->snapshot, view, modality,
					     stage->pixels, length_bytes, &stage->times);
	if (status < 0)
		fail_msg("%s: %s", ph_status_name(status), ph_last_error());
	assert_int_equal(ph__device_error_count(stage->device), 0);
	return stage->pixels;
}

bool project(const struct ph__view *view, const double point_m[3], double *x_px, double *y_px,
	     double *depth_m)
{
	double p = view->pose.pitch_rad, y = view->pose.yaw_rad, r = view->pose.roll_rad;
	double sp = sin(p), cp = cos(p), sy = sin(y), cy = cos(y), sr = sin(r), cr = cos(r);
	const double forward[3] = {cp * cy, sp, cp * sy};
	const double right[3] = {sr * sp * cy - cr * sy, -sr * cp, sr * sp * sy + cr * cy};
	const double up[3] = {-cr * sp * cy - sr * sy, cr * cp, cy * sr - cr * sp * sy};
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2)), x = 0, down = 0, z = 0;

	for (int i = 0; i < 3; i++) {
		double d = point_m[i] - view->pose.position_m[i];
		x += d * right[i];
		down -= d * up[i];
		z += d * forward[i];
	}
	*x_px = focal_px * x / z + view->width_px / 2.0;
	*y_px = focal_px * down / z + view->height_px / 2.0;
	*depth_m = z;
	return z > 0;
}

int object_of(const uint8_t *bgra)
{
	uint8_t rgb[3];

	for (uint32_t i = 0; i < 1000; i++) {
		ph__mask_color(i, rgb);
		if (rgb[0] == bgra[2] && rgb[1] == bgra[1] && rgb[2] == bgra[0])
			return (int)i - 1;
	}
	return -2;
}

void assert_near(double value, double wanted, double error)
{
	if (!(fabs(value - wanted) <= error))
		fail_msg("%.9g is not %.9g +- %g", value, wanted, error);
}
