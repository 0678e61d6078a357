/* SPDX-License-Identifier: MIT */
/* Depth against planes whose distance along each pixel's ray follows from the pinhole camera. */
#include <math.h>

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
			double error =
				fabs(depth[(size_t)y * view->width_px + x] - wanted) / wanted;
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
		fail_msg("%g m, %u x %u: error %g", distance_m, view->width_px, view->height_px,
			 worst);
}

TEST(a_plane_square_to_the_camera_has_one_depth_everywhere)
{
	static const double distances_m[] = {0.02, 0.5, 1, 7.3, 123.4, 600};
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {0}});
	stage_start(stage);

	for (uint32_t d = 0; d < 6; d++)
		for (uint32_t s = 0; s < SIZE_COUNT; s++) {
			struct ph__view view =
				stage_view(sizes[s].width_px, sizes[s].height_px, 90);
			check_square(stage, distances_m[d], &view);
		}
	stage_close(stage);
}

TEST(depth_is_along_the_axis_and_not_along_the_ray)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(64, 64, 140); /* the corner's ray is 4 times longer */
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {0}});
	stage_start(stage);
	check_square(stage, 2, &view);
	stage_close(stage);
}

/* A square of 40 m, turned. */
static const ph_pose slant = {{3, -1, 0.2}, 35 * M_PI / 180, -50 * M_PI / 180, 15 * M_PI / 180};

static double slanted(const struct ph__view *view, double x_px, double y_px)
{
	struct ph__view at_slant = {
		.pose = slant, .fov_rad = M_PI / 2, .width_px = 2, .height_px = 2};
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
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {5}, .scale = {1, 4, 11}});
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
