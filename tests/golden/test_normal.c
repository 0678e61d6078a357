/* SPDX-License-Identifier: MIT */
/* Normals against walls, the ground and a ball, in Unreal's axes as bytes. */
#include <math.h>

#include "stage.h"

enum { SIDE = 64 };

/* What Unreal's X, Y, Z of a normal in our axes are as bytes. */
static void assert_normal(const uint8_t *bgra, double x, double y, double z, double steps)
{
	const double wanted[3] = {127.5 * (x + 1), 127.5 * (z + 1), 127.5 * (y + 1)};

	for (int i = 0; i < 3; i++)
		if (fabs(bgra[2 - i] - wanted[i]) > steps)
			fail_msg("channel %d is %d, not %g", i, bgra[2 - i], wanted[i]);
	assert_int_equal(bgra[3], 255);
}

TEST(a_wall_has_one_normal_everywhere_and_the_background_has_none)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 90);
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {2, 0, -1}, .scale = {1, 8, 2}});
	stage_start(stage);

	const uint8_t *normals = stage_draw(stage, &view, PH__MODALITY_NORMAL);
	for (uint32_t y = 0; y < SIDE; y++)
		for (uint32_t x = 0; x < SIDE; x++) {
			const uint8_t *at = normals + 4 * (y * SIDE + x);
			if (x < SIDE / 2)
				assert_normal(at, -1, 0, 0, 0.5);
			else
				assert_memory_equal(at, "\x80\x80\x80\xff", 4);
		}
	stage_close(stage);
}

TEST(normals_turn_with_their_object_and_not_with_the_camera)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 20);
	stage_add(stage, stage_square(stage), RED, (struct placing){.scale = {3, 9, 9}});
	stage_start(stage);

	for (int i = 0; i < 12; i++) {
		double yaw = 25 * sin(i) * M_PI / 180, pitch = 35 * cos(i) * M_PI / 180;
		stage->objects[0].pose = (ph_pose){{4, 0, 0}, pitch, yaw, i};
		ph__scene_touch(&stage->scene);
		view.pose = pose_deg(0, 0, 0, 3 * sin(2 * i), 2 * cos(3 * i), 40 * i);
		const uint8_t *at = stage_draw(stage, &view, PH__MODALITY_NORMAL);
		assert_normal(at + 4 * (SIDE * SIDE / 2 + SIDE / 2), -cos(pitch) * cos(yaw),
			      -sin(pitch), -cos(pitch) * sin(yaw), 0.51);
	}
	stage_close(stage);
}

TEST(the_ground_looks_up)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 90);
	stage_add(stage, stage_box(stage), RED,
		  (struct placing){.at = {0, -2, 0}, .scale = {500, 1, 500}});
	stage_start(stage);

	const uint8_t *normals = stage_draw(stage, &view, PH__MODALITY_NORMAL);
	assert_normal(normals + 4 * SIDE * (SIDE - 1), 0, 1, 0, 0.5);
	assert_memory_equal(normals, "\x80\x80\x80\xff", 4);
	stage_close(stage);
}

/* Where a ray from the origin meets a ball: the outward direction there. */
static bool ball_normal(const double ray[3], const double center[3], double radius,
			double normal[3])
{
	double along = 0, far2 = 0, length2 = 0;

	for (int i = 0; i < 3; i++) {
		along += ray[i] * center[i];
		far2 += center[i] * center[i];
		length2 += ray[i] * ray[i];
	}
	double under = along * along - length2 * (far2 - radius * radius);
	if (under <= 0)
		return false;
	double t = (along - sqrt(under)) / length2;
	for (int i = 0; i < 3; i++)
		normal[i] = (t * ray[i] - center[i]) / radius;
	return true;
}

/* The ball is made of triangles; its normals are a ball's. */
TEST(a_ball_has_the_normals_of_a_ball)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 60);
	struct ph__shape shape = {.vertex_count = 0};
	struct ph__outline outline = {.count = 0};
	const double center[3] = {3, 0.2, -0.3};
	uint32_t count = 0;
	ph__outline_arc(&outline, 0, 0, 0.5f, -90, 90, 48);
	ph__shape_lathe(&shape, &outline, 96);
	stage_add(stage, stage_take(stage, &shape), RED,
		  (struct placing){.at = {3, 0.2, -0.3}, .scale = {2, 2, 2}});
	stage_start(stage);

	const uint8_t *normals = stage_draw(stage, &view, PH__MODALITY_NORMAL);
	for (uint32_t y = 0; y < SIDE; y++)
		for (uint32_t x = 0; x < SIDE; x++) {
			double focal_px = SIDE / (2 * tan(M_PI / 6)), normal[3];
			const double ray[3] = {1, (SIDE / 2 - 0.5 - y) / focal_px,
					       (x + 0.5 - SIDE / 2) / focal_px};
			if (!ball_normal(ray, center, 0.98, normal))
				continue;
			ball_normal(ray, center, 1, normal);
			assert_normal(normals + 4 * (y * SIDE + x), normal[0], normal[1], normal[2],
				      3);
			count++;
		}
	assert_true(count > SIDE * SIDE / 4);
	stage_close(stage);
}
