/* SPDX-License-Identifier: MIT */
/* Pictures against geometry: what must be seen follows from the pose formula and the pinhole
 * camera of <pinhole/frame.h>, never from another picture. */
#include <math.h>

#include "base/sys.h"
#include "stage.h"

#define DEPTH_ERROR 1e-5f /* relative */

static const struct {
	uint32_t width_px, height_px;
} sizes[] = {{1, 1},     {2, 3},    {3, 2},     {5, 7},   {64, 64},
	     {63, 65},   {640, 480}, {101, 333}, {1, 200}, {333, 1}};
enum { SIZE_COUNT = sizeof(sizes) / sizeof(sizes[0]) };

/* NAN where an edge makes either answer right. */
typedef double depth_at(const struct ph__view *view, double x_px, double y_px);

static double worst_error(const float *depth, const struct ph__view *view, depth_at *expected)
{
	double worst = 0;

	for (uint32_t y = 0; y < view->height_px; y++)
		for (uint32_t x = 0; x < view->width_px; x++) {
			double wanted = expected(view, x + 0.5, y + 0.5);
			double error = fabs(depth[(size_t)y * view->width_px + x] - wanted) / wanted;
			worst = error > worst ? error : worst;
		}
	return worst;
}

static double square_distance_m;

static double square_on(const struct ph__view *view, double x_px, double y_px)
{
	(void)view;
	(void)x_px;
	(void)y_px;
	return square_distance_m;
}

/* A square that fills the picture, at a distance that is one float. */
static void check_square(struct stage *stage, double distance_m, const struct ph__view *view)
{
	struct ph__object *square = &stage->objects[0];
	double tall = fmax(1, (double)view->height_px / view->width_px);

	square_distance_m = distance_m;
	square->pose.position_m[0] = distance_m;
	square->scale[1] = square->scale[2] = 2.5 * distance_m * tall * tan(view->fov_rad / 2);
	ph__scene_touch(&stage->scene);
	const float *depth = stage_draw(stage, view, PH__MODALITY_DEPTH);
	double worst = worst_error(depth, view, square_on);
	if (worst > DEPTH_ERROR)
		fail_msg("%g m, %u x %u: error %g", distance_m, view->width_px, view->height_px, worst);
}

TEST(a_plane_square_to_the_camera_has_one_depth_everywhere)
{
	static const double distances_m[] = {0.02, 0.5, 1, 7.3, 123.4, 600};
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {0}});
	stage_start(stage);

	for (uint32_t d = 0; d < 6; d++)
		for (uint32_t s = 0; s < SIZE_COUNT; s++) {
			struct ph__view view = stage_view(sizes[s].width_px, sizes[s].height_px, 90);
			check_square(stage, distances_m[d], &view);
		}
	stage_close(stage);
}

TEST(depth_is_along_the_axis_and_not_along_the_ray)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(64, 64, 140); /* in the corner the ray is 4 times longer */
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {0}});
	stage_start(stage);
	check_square(stage, 2, &view);
	stage_close(stage);
}

/* A square of 40 m, turned. */
static const ph_pose slant = {{3, -1, 0.2}, 35 * M_PI / 180, -50 * M_PI / 180, 15 * M_PI / 180};

static double slanted(const struct ph__view *view, double x_px, double y_px)
{
	struct ph__view at_slant = {.pose = slant, .fov_rad = M_PI / 2, .width_px = 2, .height_px = 2};
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2)), along = 0, distance = 0;
	double cp = cos(slant.pitch_rad), sp = sin(slant.pitch_rad), x, y, z;
	const double normal[3] = {cp * cos(slant.yaw_rad), sp, cp * sin(slant.yaw_rad)};
	double point[3] = {1, (view->height_px / 2.0 - y_px) / focal_px,
			   (x_px - view->width_px / 2.0) / focal_px};

	for (int i = 0; i < 3; i++) {
		along += normal[i] * point[i];
		distance += normal[i] * slant.position_m[i];
	}
	double depth = distance / along; /* the ray's part along forward is 1 */
	if (!(depth > 0))
		return view->depth_far;
	for (int i = 0; i < 3; i++) /* one metre before the plane, so that it can be projected */
		point[i] = point[i] * depth + normal[i];
	project(&at_slant, point, &x, &y, &z);
	double side = fmax(fabs(x - 1), fabs(y - 1)) - 20;
	return fabs(side) < 0.1 ? NAN : side < 0 ? depth : view->depth_far;
}

TEST(a_slanted_plane_has_the_depth_that_geometry_says)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED, (struct placing){.scale = {1, 40, 40}});
	stage->objects[0].pose = slant;
	stage_start(stage);

	for (uint32_t s = 0; s < SIZE_COUNT; s++) {
		struct ph__view view = stage_view(sizes[s].width_px, sizes[s].height_px, 35);
		const float *depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
		double worst = worst_error(depth, &view, slanted);
		if (worst > DEPTH_ERROR)
			fail_msg("%u x %u: error %g", view.width_px, view.height_px, worst);
	}
	stage_close(stage);
}

TEST(depth_comes_in_the_unit_and_up_to_the_limit_that_the_view_says)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(2, 2, 90);
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {5}, .scale = {1, 4, 11}});
	stage_start(stage);
	view.depth_unit_m = 0.01f;
	view.depth_far = 65504;

	const float *depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
	assert_float_equal(depth[0], 65504, 0); /* these rays pass 0.5 m above it and below */
	view.fov_rad = 0.1;
	depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
	assert_float_equal(depth[0], 500, 500 * DEPTH_ERROR);
	view.depth_far = 499;
	depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
	assert_float_equal(depth[3], 499, 0);
	stage_close(stage);
}

TEST(a_picture_far_from_the_origin_is_as_exact_as_one_near_it)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(65, 65, 60);
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {65536.5, 1024, -32768}, .scale = {1, 10, 10}});
	stage_start(stage);
	view.pose.position_m[0] = 65536.5 - 1.2345;
	view.pose.position_m[1] = 1024;
	view.pose.position_m[2] = -32768;
	square_distance_m = 1.2345;

	const float *depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
	assert_true(worst_error(depth, &view, square_on) < DEPTH_ERROR);
	stage_close(stage);
}

static const ph_pose poses[] = {
	{{0, 0, 0}, 0, 0, 0},
	{{-1, 0.5, 2}, 0, 0.7, 0},
	{{0, 3, 0}, -0.6, 0, 0},
	{{0.3, 0, -0.4}, 0, 0, 0.5},
	{{-2, 1, 1}, 30 * M_PI / 180, 40 * M_PI / 180, 20 * M_PI / 180},
	{{1, -2, 0.5}, -70 * M_PI / 180, 160 * M_PI / 180, -100 * M_PI / 180},
	{{100, 20, -300}, 85 * M_PI / 180, -120 * M_PI / 180, 180 * M_PI / 180},
};
enum { POSE_COUNT = sizeof(poses) / sizeof(poses[0]), MARKER_COUNT = 9 };

/* Where the marker of a view is in the camera's own axes: spread over the picture, 4 to 8 m away. */
static void place_marker(struct ph__object *marker, const ph_pose *pose, uint32_t number)
{
	double p = pose->pitch_rad, y = pose->yaw_rad, r = pose->roll_rad;
	double sp = sin(p), cp = cos(p), sy = sin(y), cy = cos(y), sr = sin(r), cr = cos(r);
	const double forward[3] = {cp * cy, sp, cp * sy};
	const double right[3] = {sr * sp * cy - cr * sy, -sr * cp, sr * sp * sy + cr * cy};
	const double up[3] = {-cr * sp * cy - sr * sy, cr * cp, cy * sr - cr * sp * sy};
	double z = 4 + number / 2.0, x = (number % 3 - 1.0) * 0.6 * z, u = (1.0 - number / 3) * 0.4 * z;

	for (int i = 0; i < 3; i++)
		marker->pose.position_m[i] =
			pose->position_m[i] + z * forward[i] + x * right[i] + u * up[i];
}

struct spot {
	double x_px, y_px; /* the middle of the pixels that show the object */
	uint32_t count;
};

static struct spot find_spot(const uint8_t *mask, const struct ph__view *view, int object)
{
	struct spot spot = {0, 0, 0};

	for (uint32_t y = 0; y < view->height_px; y++)
		for (uint32_t x = 0; x < view->width_px; x++)
			if (object_of(mask + 4 * ((size_t)y * view->width_px + x)) == object) {
				spot.x_px += x + 0.5;
				spot.y_px += y + 0.5;
				spot.count++;
			}
	spot.x_px /= spot.count;
	spot.y_px /= spot.count;
	return spot;
}

static void check_markers(struct stage *stage, const struct ph__view *view)
{
	const uint8_t *mask = stage_draw(stage, view, PH__MODALITY_OBJECT_MASK);

	for (int i = 0; i < MARKER_COUNT; i++) {
		struct spot spot = find_spot(mask, view, i);
		double x, y, z;
		assert_true(project(view, stage->objects[i].pose.position_m, &x, &y, &z));
		assert_true(spot.count > 0);
		if (fabs(spot.x_px - x) > 1 || fabs(spot.y_px - y) > 1)
			fail_msg("pitch %g yaw %g roll %g, %u x %u: marker %d is at %g %g, not %g %g",
				 view->pose.pitch_rad, view->pose.yaw_rad, view->pose.roll_rad,
				 view->width_px, view->height_px, i, spot.x_px, spot.y_px, x, y);
	}
}

TEST(markers_land_where_the_pose_formula_puts_them)
{
	struct stage *stage = stage_open();
	uint32_t ball = stage_ball(stage);
	for (int i = 0; i < MARKER_COUNT; i++)
		stage_add(stage, ball, i % 3, (struct placing){.scale = {0.08, 0.08, 0.08}});
	stage_start(stage);

	for (int p = 0; p < POSE_COUNT; p++) {
		struct ph__view view = stage_view(641, 480, 80);
		view.pose = poses[p];
		for (uint32_t i = 0; i < MARKER_COUNT; i++)
			place_marker(&stage->objects[i], &poses[p], i);
		ph__scene_touch(&stage->scene);
		check_markers(stage, &view);
		view.width_px = 480; /* tall: the field of view is still the horizontal one */
		view.height_px = 653;
		check_markers(stage, &view);
	}
	stage_close(stage);
}

TEST(what_is_to_the_right_and_above_appears_to_the_right_and_above)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(100, 100, 90);
	uint32_t ball = stage_ball(stage);
	stage_add(stage, ball, RED, (struct placing){.at = {5, 0, 2}});   /* right = forward x up = +Z */
	stage_add(stage, ball, GREEN, (struct placing){.at = {5, 2, 0}}); /* up */
	stage_start(stage);

	const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
	struct spot right = find_spot(mask, &view, 0), above = find_spot(mask, &view, 1);
	assert_true(right.x_px > 65 && fabs(right.y_px - 50) < 1);
	assert_true(above.y_px < 35 && fabs(above.x_px - 50) < 1);
	stage_close(stage);
}

/* The first column of a row that shows an object, and how many do. */
static uint32_t find_run(const uint8_t *row, uint32_t width_px, uint32_t *count)
{
	uint32_t first = width_px;

	*count = 0;
	for (uint32_t x = 0; x < width_px; x++) {
		if (object_of(row + 4 * (size_t)x) < 0)
			continue;
		first = x < first ? x : first;
		*count += 1;
	}
	return first;
}

TEST(a_vertical_pole_stays_vertical_at_any_width)
{
	static const uint32_t widths_px[] = {1, 2, 3, 5, 63, 65, 599, 601, 641};
	struct stage *stage = stage_open();
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {4, 0, 0}, .scale = {1, 500, 1.4}});
	stage_start(stage);

	for (uint32_t w = 0; w < sizeof(widths_px) / sizeof(widths_px[0]); w++) {
		uint32_t width_px = widths_px[w], count, first_count;
		struct ph__view view = stage_view(width_px, 37, 90);
		const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
		uint32_t first = find_run(mask, width_px, &first_count);
		if (width_px % 2 == 1) { /* the middle column looks straight at it */
			assert_true(first_count > 0);
			assert_int_equal(2 * first + first_count, width_px);
		}
		for (size_t y = 1; y < view.height_px; y++) {
			assert_int_equal(find_run(mask + 4 * y * width_px, width_px, &count), first);
			assert_int_equal(count, first_count);
		}
	}
	stage_close(stage);
}

TEST(a_mask_holds_the_bytes_of_the_objects_colour)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(9, 9, 60);
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {2, 0, 0}});
	stage_start(stage);

	for (int v = 0; v < 256; v++) {
		const uint8_t color[3] = {(uint8_t)v, (uint8_t)(v * 7), (uint8_t)(255 - v)};
		const uint8_t wanted[4] = {color[2], color[1], color[0], 255};
		static const uint8_t background[4] = {0, 0, 0, 255};
		memcpy(stage->objects[0].color, color, sizeof(color));
		ph__scene_touch(&stage->scene);
		const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
		assert_memory_equal(mask + 4 * (4 * 9 + 4), wanted, 4);
		assert_memory_equal(mask, background, 4);
	}
	stage_close(stage);
}

TEST(a_mask_shows_the_object_that_is_in_front)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(31, 31, 60);
	uint32_t box = stage_box(stage);
	stage_add(stage, box, RED, (struct placing){.at = {9, 0, 0}});
	stage_add(stage, box, GREEN, (struct placing){.at = {3, 0, 0}});
	stage_add(stage, box, BLUE, (struct placing){.at = {6, 0, 0}});
	stage_start(stage);

	const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * (15 * 31 + 15)), 1);
	stage_close(stage);
}

TEST(a_hidden_object_is_in_no_picture)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(64, 64, 60);
	static uint8_t empty[64 * 64 * 4];
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}});
	stage_start(stage);

	for (int modality = 0; modality < PH__MODALITY_COUNT; modality++) {
		stage->objects[0].hidden = true;
		ph__scene_touch(&stage->scene);
		memcpy(empty, stage_draw(stage, &view, modality), sizeof(empty));
		stage->objects[0].hidden = false;
		ph__scene_touch(&stage->scene);
		assert_memory_not_equal(stage_draw(stage, &view, modality), empty, sizeof(empty));
		stage->objects[0].hidden = true;
		stage->objects[0].pose.position_m[0] = -30; /* behind: the same as hidden */
		ph__scene_touch(&stage->scene);
		assert_memory_equal(stage_draw(stage, &view, modality), empty, sizeof(empty));
		stage->objects[0].pose.position_m[0] = 3;
	}
	stage_close(stage);
}

static int green_at(struct stage *stage, const struct ph__view *view, const double point_m[3])
{
	const uint8_t *lit = stage_draw(stage, view, PH__MODALITY_LIT);
	double x, y, z;

	assert_true(project(view, point_m, &x, &y, &z));
	return lit[4 * ((size_t)y * view->width_px + (size_t)x) + 1];
}

TEST(a_moved_object_takes_its_shadow_along)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(320, 240, 80);
	uint32_t box = stage_box(stage);
	stage_add(stage, box, GREEN, (struct placing){.at = {6, -1.05, 0}, .scale = {20, 0.1, 20}});
	stage_add(stage, box, RED, (struct placing){.at = {4, 1, -1}, .scale = {0.5, 0.5, 0.5}});
	stage_start(stage);
	view.pose.position_m[1] = 2;
	view.pose.pitch_rad = -0.5;
	/* The sun's direction is (0.6, -0.8, 0): 2 m below the box the shadow is 1.5 m farther on. */
	const double left[3] = {5.5, -1, -1}, right[3] = {5.5, -1, 1};

	int shaded_left = green_at(stage, &view, left), lit_right = green_at(stage, &view, right);
	assert_true(lit_right > shaded_left + 40);
	stage->objects[1].pose.position_m[2] = 1;
	ph__scene_touch(&stage->scene);
	int lit_left = green_at(stage, &view, left), shaded_right = green_at(stage, &view, right);
	assert_in_range(lit_left, lit_right - 2, lit_right + 2);
	assert_in_range(shaded_right, shaded_left - 2, shaded_left + 2);
	stage->objects[1].hidden = true;
	ph__scene_touch(&stage->scene);
	assert_in_range(green_at(stage, &view, right), lit_right - 2, lit_right + 2);
	stage_close(stage);
}

TEST(an_object_put_far_away_leaves_the_others_their_shadows)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(320, 240, 80);
	uint32_t box = stage_box(stage);
	stage_add(stage, box, GREEN, (struct placing){.at = {6, -1.05, 0}, .scale = {20, 0.1, 20}});
	stage_add(stage, box, RED, (struct placing){.at = {4, 1, -1}, .scale = {0.5, 0.5, 0.5}});
	stage_add(stage, box, BLUE, (struct placing){.at = {4, 1, 0}});
	stage_start(stage);
	view.pose.position_m[1] = 2;
	view.pose.pitch_rad = -0.5;
	const double shaded[3] = {5.5, -1, -1};

	int before = green_at(stage, &view, shaded);
	stage->objects[2].pose.position_m[0] = 1e6;
	stage->objects[2].pose.position_m[1] = -1e5;
	ph__scene_touch(&stage->scene);
	assert_in_range(green_at(stage, &view, shaded), before - 2, before + 2);
	stage_close(stage);
}

TEST(a_lit_surface_throws_no_shadow_on_itself)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(160, 120, 60);
	stage_add(stage, stage_box(stage), GREEN, (struct placing){.at = {8, -2.5, 0}, .scale = {10, 1, 10}});
	stage_start(stage);
	view.pose.position_m[1] = 3;
	view.pose.pitch_rad = -0.6;

	const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
	for (size_t x = 40; x < 120; x++) { /* neighbours on the plane differ by the highlight alone */
		int here = lit[4 * (60 * 160 + x) + 1], next = lit[4 * (60 * 160 + x + 1) + 1];
		assert_in_range(next + 255, here + 255 - 3, here + 255 + 3);
	}
	stage_close(stage);
}

TEST(the_bytes_of_a_picture_are_blue_green_red_and_255)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(33, 33, 60);
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}, .scale = {1, 9, 1}});
	stage_start(stage);

	const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
	const uint8_t *middle = lit + 4 * (16 * 33 + 16);
	assert_true(middle[2] > middle[0] + 50 && middle[2] > middle[1] + 50);
	for (int i = 0; i < 33 * 33; i++)
		assert_int_equal(lit[4 * i + 3], 255);
	stage_close(stage);
}

/* All lights off but the material's own. */
static void only_glow(struct stage *stage, float linear)
{
	memset(stage->scene.sun.radiance, 0, sizeof(stage->scene.sun.radiance));
	memset(&stage->scene.sky, 0, sizeof(stage->scene.sky));
	for (int i = 0; i < 3; i++)
		stage->materials[GLOWING_GREY].emissive[i] = linear;
	ph__scene_touch(&stage->scene);
}

static double srgb_of(double linear)
{
	return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

TEST(light_below_the_shoulder_becomes_its_srgb_value)
{
	static const float linear[] = {0, 0.001f, 0.004f, 0.01f, 0.05f, 0.1f, 0.2140f, 0.4f, 0.6f, 0.74f};
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(9, 9, 30);
	stage_add(stage, stage_square(stage), GLOWING_GREY, (struct placing){.at = {1, 0, 0}});
	stage_start(stage);

	assert_int_equal(lrint(srgb_of(0.2140)), 127); /* 127.5: 128 is as right */
	for (uint32_t i = 0; i < sizeof(linear) / sizeof(linear[0]); i++) {
		only_glow(stage, linear[i]);
		const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
		for (int channel = 0; channel < 3; channel++)
			assert_float_equal(lit[4 * 40 + channel], srgb_of(linear[i]), 0.75f); /* rounding, and 0.2 */
	}
	stage_close(stage);
}

TEST(brighter_light_is_never_darker_and_never_full)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(9, 9, 30);
	int before = 0;
	stage_add(stage, stage_square(stage), GLOWING_GREY, (struct placing){.at = {1, 0, 0}});
	stage_start(stage);

	for (float linear = 0.5f; linear < 20; linear *= 1.1f) {
		only_glow(stage, linear);
		int now = ((const uint8_t *)stage_draw(stage, &view, PH__MODALITY_LIT))[4 * 40];
		assert_true(now >= before);
		before = now;
	}
	assert_true(before > 250);
	stage_close(stage);
}

TEST(the_same_draw_gives_the_same_bytes)
{
	enum { WIDTH = 320, HEIGHT = 240 };
	struct ph__device *device = open_device_or_skip();
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot = {0};
	struct ph__view view = stage_view(WIDTH, HEIGHT, 90);
	static uint8_t first[WIDTH * HEIGHT * 4], second[WIDTH * HEIGHT * 4];
	struct ph__draw_times times;

	assert_int_equal(ph__scene_create_builtin(WIDTH, HEIGHT, M_PI / 2, &scene), PH_OK);
	assert_int_equal(ph__renderer_create(device, &scene->assets, &renderer), PH_OK);
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	view.pose = scene->cameras[0].pose;
	for (int modality = 0; modality < PH__MODALITY_COUNT; modality++) {
		assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, modality, first,
						   sizeof(first), &times), PH_OK);
		assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, modality, second,
						   sizeof(second), &times), PH_OK);
		assert_memory_equal(first, second, sizeof(first));
		assert_true(times.begin_ns > 0 && times.copy_ns > 0 && times.render_ns > times.copy_ns);
	}
	assert_int_equal(ph__device_error_count(device), 0);
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	ph__scene_close(&scene);
	ph__device_close(&device);
}

TEST(a_mirrored_object_shows_its_outside)
{
	enum { SIDE = 65, MIDDLE = 32 * SIDE + 32 };
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 60);
	static uint8_t upright[SIDE * SIDE * 4];
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}, .yaw_deg = 0});
	stage_start(stage);
	memcpy(upright, stage_draw(stage, &view, PH__MODALITY_LIT), sizeof(upright));

	for (int signs = 1; signs < 8; signs++) {
		for (int i = 0; i < 3; i++)
			stage->objects[0].scale[i] = signs >> i & 1 ? -1 : 1;
		ph__scene_touch(&stage->scene);
		const float *depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
		assert_float_equal(depth[MIDDLE], 2.5, 2.5f * DEPTH_ERROR);
		const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
		for (int i = 0; i < 4; i++)
			assert_in_range(lit[4 * MIDDLE + i], upright[4 * MIDDLE + i] - 1,
					upright[4 * MIDDLE + i] + 1);
	}
	stage_close(stage);
}

/* The same facets as stage_ball()'s, stretched as a mesh: normals from the facets themselves. */
static uint32_t add_stretched_ball(struct stage *stage, const double stretch[3])
{
	uint32_t number = stage_ball(stage);
	struct ph__mesh *mesh = &stage->meshes[number];

	for (uint32_t i = 0; i < mesh->vertex_count; i++)
		for (int k = 0; k < 3; k++)
			mesh->vertices[i].position_m[k] *= (float)stretch[k];
	for (int k = 0; k < 3; k++) {
		mesh->lower_m[k] *= (float)stretch[k];
		mesh->upper_m[k] *= (float)stretch[k];
	}
	for (uint32_t i = 0; i + 2 < mesh->index_count; i += 3) {
		struct ph__vertex *v[3];
		double a[3], b[3], n[3], length = 0;
		for (int k = 0; k < 3; k++)
			v[k] = &mesh->vertices[mesh->indices[i + (uint32_t)k]];
		for (int k = 0; k < 3; k++) {
			a[k] = v[1]->position_m[k] - v[0]->position_m[k];
			b[k] = v[2]->position_m[k] - v[0]->position_m[k];
		}
		for (int k = 0; k < 3; k++) {
			n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
			length += n[k] * n[k];
		}
		for (int k = 0; k < 9; k++)
			v[k / 3]->normal[k % 3] = (float)(n[k % 3] / sqrt(length));
	}
	return number;
}

TEST(a_stretched_object_is_lit_as_its_shape_says)
{
	enum { SIDE = 96 };
	static const double stretch[3] = {0.4, 1.8, 1.1};
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 50);
	static uint8_t by_mesh[SIDE * SIDE * 4];
	struct placing placing = {.at = {3, 0, 0}, .pitch_deg = 20, .yaw_deg = 35, .roll_deg = -25};
	uint32_t stretched = add_stretched_ball(stage, stretch), ball = stage_ball(stage);
	stage_add(stage, stretched, GREEN, placing);
	memcpy(placing.scale, stretch, sizeof(stretch));
	stage_add(stage, ball, GREEN, placing);
	stage_start(stage);

	stage->objects[1].hidden = true;
	memcpy(by_mesh, stage_draw(stage, &view, PH__MODALITY_LIT), sizeof(by_mesh));
	stage->objects[0].hidden = true;
	stage->objects[1].hidden = false;
	ph__scene_touch(&stage->scene);
	const uint8_t *by_scale = stage_draw(stage, &view, PH__MODALITY_LIT);
	int different = 0;
	for (int i = 0; i < SIDE * SIDE * 4; i++)
		different += abs(by_mesh[i] - by_scale[i]) > 2;
	assert_true(different < SIDE * SIDE * 4 / 500); /* pixels on the edges of facets */
	stage_close(stage);
}

static ph_status try_draw(struct stage *stage, struct ph__view view, int modality,
			  uint64_t length_bytes)
{
	static uint8_t pixels[64 * 64 * 4];
	struct ph__draw_times times;
	return ph__renderer_draw(stage->renderer, &stage->snapshot, &view, modality, pixels,
				 length_bytes, &times);
}

TEST(a_picture_that_cannot_be_drawn_is_refused)
{
	struct stage *stage = stage_open();
	struct ph__view good = stage_view(64, 64, 90), view;
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}});
	stage_start(stage);
	stage_draw(stage, &good, PH__MODALITY_LIT);
	uint32_t limit = ph__renderer_side_limit_px(stage->renderer);

	assert_true(limit >= 4096);
	view = stage_view(limit + 1, 1, 90);
	assert_int_equal(try_draw(stage, view, 0, ((uint64_t)limit + 1) * 4), PH_ETOOBIG);
	view = stage_view(1, limit + 1, 90);
	assert_int_equal(try_draw(stage, view, 0, ((uint64_t)limit + 1) * 4), PH_ETOOBIG);
	assert_int_equal(try_draw(stage, stage_view(0, 1, 90), 0, 0), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(1, 0, 90), 0, 0), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, 0, 64 * 64 * 4 - 1), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, 0, 64 * 64 * 3), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, PH__MODALITY_COUNT, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(64, 64, 0), 0, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(64, 64, 180), 0, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(64, 64, NAN), 0, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, 0, 64 * 64 * 4), PH_OK);
	stage_close(stage);
}

TEST(the_longest_picture_can_be_drawn)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {1, 0, 0}});
	stage_start(stage);
	uint32_t limit = ph__renderer_side_limit_px(stage->renderer);
	struct ph__view wide = stage_view(limit, 2, 60), tall = stage_view(2, limit, 0.001);

	const uint8_t *mask = stage_draw(stage, &wide, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * (size_t)(limit / 2)), 0);
	assert_int_equal(object_of(mask), -1);
	mask = stage_draw(stage, &tall, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * (size_t)limit), 0);
	stage_close(stage);
}

/* Memory of ours: counted, then real. */
static int allocations;

static void *counting_realloc(void *memory, size_t size)
{
	allocations++;
	return realloc(memory, size);
}

static void *counting_calloc(size_t count, size_t size)
{
	allocations++;
	return calloc(count, size);
}

TEST(nothing_is_allocated_once_each_size_has_been_drawn)
{
	struct stage *stage = stage_open();
	struct ph__sys counting = ph__sys_real;
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}});
	stage_start(stage);
	counting.realloc = counting_realloc;
	counting.calloc = counting_calloc;
	ph__sys = &counting;

	for (int round = 0; round < 3; round++) {
		int before = allocations;
		for (int size = 0; size < 5; size++)
			for (int modality = 0; modality < PH__MODALITY_COUNT; modality++) {
				struct ph__view view = stage_view(64u << size, 48u << size, 90);
				stage->objects[0].pose.yaw_rad += 0.1;
				ph__scene_touch(&stage->scene);
				stage_draw(stage, &view, modality);
			}
		assert_true(round == 0 ? allocations > 0 : allocations == before);
	}
	ph__sys = &ph__sys_real;
	stage_close(stage);
}

TEST(more_sizes_than_are_kept_can_be_drawn_in_turn)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {1, 0, 0}, .scale = {1, 9, 9}});
	stage_start(stage);

	for (int round = 0; round < 2; round++)
		for (uint32_t size = 1; size < 25; size++) {
			struct ph__view view = stage_view(size, 2 * size, 60);
			const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
			for (size_t i = 0; i < (size_t)2 * size * size; i++)
				assert_int_equal(object_of(mask + 4 * i), 0);
		}
	stage_close(stage);
}

TEST(a_scene_without_objects_is_sky)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(16, 16, 90);
	stage_start(stage);

	const float *depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
	assert_float_equal(depth[0], 655.04f, 0);
	const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * 100), -1);
	const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
	assert_float_equal(lit[0], srgb_of(0.2), 0.75f);
	stage_close(stage);
}
