/* SPDX-License-Identifier: MIT */
/* Light, shadow and the bytes of colours. */
#include <math.h>

#include "stage.h"

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
	/* The sun's direction is (0.6, -0.8, 0): 2 m below the box its shadow is 1.5 m on. */
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
	stage_add(stage, stage_box(stage), GREEN,
		  (struct placing){.at = {8, -2.5, 0}, .scale = {10, 1, 10}});
	stage_start(stage);
	view.pose.position_m[1] = 3;
	view.pose.pitch_rad = -0.6;

	const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
	for (size_t x = 40; x < 120; x++) { /* neighbours differ by the highlight alone */
		int here = lit[4 * (60 * 160 + x) + 1], next = lit[4 * (60 * 160 + x + 1) + 1];
		assert_in_range(next + 255, here + 255 - 3, here + 255 + 3);
	}
	stage_close(stage);
}

TEST(the_bytes_of_a_picture_are_blue_green_red_and_255)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(33, 33, 60);
	stage_add(stage, stage_box(stage), RED,
		  (struct placing){.at = {3, 0, 0}, .scale = {1, 9, 1}});
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
	static const float linear[] = {0,    0.001f,  0.004f, 0.01f, 0.05f,
				       0.1f, 0.2140f, 0.4f,   0.6f,  0.74f};
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(9, 9, 30);
	stage_add(stage, stage_square(stage), GLOWING_GREY, (struct placing){.at = {1, 0, 0}});
	stage_start(stage);

	assert_int_equal(lrint(srgb_of(0.2140)), 127); /* 127.5: 128 is as right */
	for (uint32_t i = 0; i < sizeof(linear) / sizeof(linear[0]); i++) {
		only_glow(stage, linear[i]);
		const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
		for (int channel = 0; channel < 3; channel++)
			assert_float_equal(lit[4 * 40 + channel], srgb_of(linear[i]), 0.75f);
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
		assert_float_equal(depth[MIDDLE], 2.5, 1e-5f);
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
