/* SPDX-License-Identifier: MIT */
/* Which object is where, against the pose formula and the pinhole camera of <pinhole/frame.h>. */
#include <math.h>

#include "stage.h"

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

/* Places a marker in the camera's own axes: spread over the picture, 4 to 8 m away. */
static void place_marker(struct ph__object *marker, const ph_pose *pose, uint32_t number)
{
	double p = pose->pitch_rad, y = pose->yaw_rad, r = pose->roll_rad;
	double sp = sin(p), cp = cos(p), sy = sin(y), cy = cos(y), sr = sin(r), cr = cos(r);
	const double forward[3] = {cp * cy, sp, cp * sy};
	const double right[3] = {sr * sp * cy - cr * sy, -sr * cp, sr * sp * sy + cr * cy};
	const double up[3] = {-cr * sp * cy - sr * sy, cr * cp, cy * sr - cr * sp * sy};
	double z = 4 + number / 2.0;
	double x = (number % 3 - 1.0) * 0.6 * z, u = (1.0 - number / 3) * 0.4 * z;

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
			fail_msg("pitch %g yaw %g roll %g, %u x %u: %d is at %g %g, not %g %g",
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
	stage_add(stage, ball, RED,
		  (struct placing){.at = {5, 0, 2}}); /* right = forward x up = +Z */
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
	stage_add(stage, stage_box(stage), RED,
		  (struct placing){.at = {4, 0, 0}, .scale = {1, 500, 1.4}});
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
			assert_int_equal(find_run(mask + 4 * y * width_px, width_px, &count),
					 first);
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
