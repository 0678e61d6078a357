/* SPDX-License-Identifier: MIT */
/* Radial depth, positions and numbers of instances. */
#include <math.h>

#include "stage.h"

static const struct {
	uint32_t width_px, height_px;
} sizes[] = {{1, 1}, {3, 2}, {5, 7}, {64, 64}, {101, 333}, {640, 480}, {1, 200}};
enum { SIZE_COUNT = sizeof(sizes) / sizeof(sizes[0]) };

TEST(radial_depth_is_along_the_ray)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {4, 0, 0}, .scale = {1, 5000, 5000}});
	stage_start(stage);

	for (int s = 0; s < SIZE_COUNT; s++) {
		struct ph__view view = stage_view(sizes[s].width_px, sizes[s].height_px, 100);
		double focal_px = view.width_px / (2 * tan(view.fov_rad / 2));
		view.depth_far = 1e6f;
		const float *depth = stage_draw(stage, &view, PH__MODALITY_RADIAL_DEPTH);
		for (uint32_t y = 0; y < view.height_px; y++)
			for (uint32_t x = 0; x < view.width_px; x++) {
				double across = (x + 0.5 - view.width_px / 2.0) / focal_px;
				double down = (y + 0.5 - view.height_px / 2.0) / focal_px;
				double wanted = 4 * sqrt(1 + across * across + down * down);
				assert_near(depth[(size_t)y * view.width_px + x], wanted,
					    wanted * 1e-5);
			}
	}
	stage_close(stage);
}

TEST(radial_depth_ends_at_the_far_value)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(3, 3, 90);
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {4, 0, 0}, .scale = {1, 99, 99}});
	stage_start(stage);

	view.depth_far = 4.5f;
	const float *depth = stage_draw(stage, &view, PH__MODALITY_RADIAL_DEPTH);
	assert_near(depth[0], 4.5, 0); /* it is at 5.5 */
	assert_near(depth[4], 4, 4e-6);
	stage->objects[0].hidden = true;
	ph__scene_touch(&stage->scene);
	depth = stage_draw(stage, &view, PH__MODALITY_RADIAL_DEPTH);
	assert_near(depth[4], 4.5, 0);
	stage_close(stage);
}

/* In centimetres and Unreal's axes: X, Z, Y of ours. */
TEST(positions_are_where_depth_and_the_camera_say_they_are)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_box(stage), RED,
		  (struct placing){.at = {12, 1, -7}, .yaw_deg = 30, .scale = {2, 3, 4}});
	stage_start(stage);

	for (int s = 0; s < SIZE_COUNT; s++) {
		struct ph__view view = stage_view(sizes[s].width_px, sizes[s].height_px, 50);
		uint32_t seen = 0;
		view.pose = pose_deg(9, 2.2, -4, -10, -47, 12);
		view.depth_unit_m = 0.01f;
		view.depth_far = 65504;
		const float *position = stage_draw(stage, &view, PH__MODALITY_POSITION);
		for (uint32_t y = 0; y < view.height_px; y++)
			for (uint32_t x = 0; x < view.width_px; x++) {
				const float *at = position + 3 * ((size_t)y * view.width_px + x);
				const double point[3] = {at[0] / 100.0, at[2] / 100.0,
							 at[1] / 100.0};
				double x_px, y_px, depth;
				if (isnan(at[0]))
					continue;
				assert_true(project(&view, point, &x_px, &y_px, &depth));
				assert_near(x_px, x + 0.5, 1e-3);
				assert_near(y_px, y + 0.5, 1e-3);
				seen++;
			}
		assert_true(seen > 0);
	}
	stage_close(stage);
}

TEST(positions_lie_on_the_wall_that_they_show_and_the_background_has_none)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(64, 48, 90);
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {103, 0, 0}, .scale = {1, 2, 2}});
	stage_start(stage);
	view.pose.position_m[0] = 100;
	view.depth_unit_m = 0.01f;

	const float *position = stage_draw(stage, &view, PH__MODALITY_POSITION);
	for (size_t i = 0; i < (size_t)64 * 48; i++)
		if (!isnan(position[3 * i])) {
			assert_near(position[3 * i], 10300, 0.01);
			assert_true(fabsf(position[3 * i + 1]) < 100.01f);
			assert_true(fabsf(position[3 * i + 2]) < 100.01f);
		}
	for (int i = 0; i < 3; i++) {
		assert_true(isnan(position[i]));
		assert_false(isnan(position[3 * (24 * 64 + 32) + i]));
	}
	stage_close(stage);
}

TEST(an_instance_is_its_objects_place_in_the_scene_whatever_its_colour)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(40, 1, 90);
	uint32_t square = stage_square(stage);
	for (int i = 0; i < 40; i++)
		stage_add(stage, square, RED,
			  (struct placing){.at = {20, 0, i - 19.5}, .scale = {1, 2, 1}});
	stage_start(stage);
	for (int i = 0; i < 40; i++)
		memset(stage->objects[i].color, 77, 3);

	const uint8_t *number = stage_draw(stage, &view, PH__MODALITY_INSTANCE);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(
			number[4 * i] + 256 * number[4 * i + 1] + 65536 * number[4 * i + 2], i + 1);
		assert_int_equal(number[4 * i + 3], 255);
	}
	stage->objects[0].hidden = true;
	ph__scene_touch(&stage->scene);
	number = stage_draw(stage, &view, PH__MODALITY_INSTANCE);
	assert_memory_equal(number, "\0\0\0\xff", 4);
	assert_int_equal(number[4], 2);
	stage_close(stage);
}

/* The point that a position says projects to its pixel in an orthographic view, too. */
TEST(an_orthographic_view_has_the_same_data)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(60, 40, 90);
	static float depth[60 * 40], position[60 * 40 * 3];
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {9, 0, 0}, .yaw_deg = 30, .scale = {1, 99, 99}});
	stage_start(stage);
	view.is_orthographic = true;
	view.ortho_width_m = 3;
	view.pose.position_m[1] = 0.5;

	memcpy(depth, stage_draw(stage, &view, PH__MODALITY_DEPTH), sizeof(depth));
	memcpy(position, stage_draw(stage, &view, PH__MODALITY_POSITION), sizeof(position));
	const float *radial = stage_draw(stage, &view, PH__MODALITY_RADIAL_DEPTH);
	for (uint32_t y = 0; y < 40; y++)
		for (uint32_t x = 0; x < 60; x++) {
			size_t at = (size_t)y * 60 + x;
			double right = (x + 0.5 - 30) / 20, up = (19.5 - y) / 20;
			assert_near(position[3 * at], 9 - right * tan(M_PI / 6), 1e-3);
			assert_near(position[3 * at + 1], right, 1e-5);
			assert_near(position[3 * at + 2], up + 0.5, 1e-5);
			assert_near(depth[at], position[3 * at], 1e-5);
			assert_near(radial[at],
				    sqrt(depth[at] * depth[at] + right * right + up * up), 1e-4);
		}
	stage_close(stage);
}
