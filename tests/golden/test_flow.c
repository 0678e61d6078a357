/* SPDX-License-Identifier: MIT */
/* Flow against two projections of the same points: that of frame.h now and that of before. */
#include <math.h>

#include "stage.h"

enum { WIDTH = 160, HEIGHT = 120 };
#define FLOW_ERROR_PX 2e-3

struct pair {
	struct stage *stage;
	struct ph__snapshot snapshot_before;
	struct ph__view view, view_before;
};

/* A wall of 40 m at x = 5, and a box in front of it. */
static struct pair open_pair(void)
{
	struct pair pair = {
		.stage = stage_open(),
		.view = stage_view(WIDTH, HEIGHT, 80),
		.view_before = stage_view(WIDTH, HEIGHT, 80),
	};
	struct stage *stage = pair.stage;

	stage_add(stage, stage_square(stage), GREEN,
		  (struct placing){.at = {5, 0, 0}, .scale = {1, 40, 40}});
	stage_add(stage, stage_box(stage), RED,
		  (struct placing){.at = {3, 0.2, 0.1}, .yaw_deg = 20, .scale = {0.8, 1, 0.7}});
	stage_start(stage);
	return pair;
}

static void close_pair(struct pair *pair)
{
	ph__snapshot_finish(&pair->snapshot_before);
	stage_close(pair->stage);
}

static void keep_as_before(struct pair *pair)
{
	assert_int_equal(ph__snapshot_take(&pair->snapshot_before, &pair->stage->scene), PH_OK);
	pair->view_before = pair->view;
}

static const float *draw_flow(struct pair *pair)
{
	ph__scene_touch(&pair->stage->scene);
	pair->view.before = (struct ph__before){&pair->snapshot_before, &pair->view_before};
	return stage_draw(pair->stage, &pair->view, PH__MODALITY_FLOW);
}

struct axes {
	double axis[3][3]; /* forward, up, right: frame.h's formula */
};

static struct axes axes_of(const ph_pose *pose)
{
	double p = pose->pitch_rad, w = pose->yaw_rad, r = pose->roll_rad;
	double sp = sin(p), cp = cos(p), sy = sin(w), cy = cos(w), sr = sin(r), cr = cos(r);

	return (struct axes){{{cp * cy, sp, cp * sy},
			      {-cr * sp * cy - sr * sy, cr * cp, cy * sr - cr * sp * sy},
			      {sr * sp * cy - cr * sy, -sr * cp, sr * sp * sy + cr * cy}}};
}

/* A point that is fixed to the object, when that was at another pose. */
static void carry(const ph_pose *from, const ph_pose *to, const double point[3], double carried[3])
{
	struct axes now = axes_of(from), then = axes_of(to);

	memcpy(carried, to->position_m, sizeof(to->position_m));
	for (int axis = 0; axis < 3; axis++) {
		double along = 0;
		for (int i = 0; i < 3; i++)
			along += (point[i] - from->position_m[i]) * now.axis[axis][i];
		for (int i = 0; i < 3; i++)
			carried[i] += along * then.axis[axis][i];
	}
}

static void point_at(const struct ph__view *view, uint32_t x, uint32_t y, double depth,
		     double point[3])
{
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2));
	const ph_pose camera = view->pose, origin = {{0, 0, 0}, 0, 0, 0};
	const double local[3] = {depth, (view->height_px / 2.0 - y - 0.5) * depth / focal_px,
				 (x + 0.5 - view->width_px / 2.0) * depth / focal_px};

	carry(&origin, &camera, local, point);
}

/* Every pixel: the point that it shows, by depth and object, is projected where it was. */
static void check_flow(struct pair *pair, const ph_pose objects_before[2])
{
	static float depth[WIDTH * HEIGHT], flow[WIDTH * HEIGHT * 2];
	static uint8_t mask[WIDTH * HEIGHT * 4];
	struct stage *stage = pair->stage;
	double worst = 0, largest = 0;

	memcpy(flow, draw_flow(pair), sizeof(flow));
	memcpy(depth, stage_draw(stage, &pair->view, PH__MODALITY_DEPTH), sizeof(depth));
	memcpy(mask, stage_draw(stage, &pair->view, PH__MODALITY_OBJECT_MASK), sizeof(mask));
	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++) {
			size_t at = (size_t)y * WIDTH + x;
			int object = object_of(mask + 4 * at);
			double point[3], was[3], x_was, y_was, depth_was;
			assert_true(object >= 0);
			point_at(&pair->view, x, y, depth[at], point);
			carry(&stage->objects[object].pose, &objects_before[object], point, was);
			assert_true(project(&pair->view_before, was, &x_was, &y_was, &depth_was));
			worst = fmax(worst, hypot(x + 0.5 - x_was - flow[2 * at],
						  y + 0.5 - y_was - flow[2 * at + 1]));
			largest = fmax(largest, hypot(flow[2 * at], flow[2 * at + 1]));
		}
	if (worst > FLOW_ERROR_PX || largest < 1)
		fail_msg("error %g px, of flow up to %g px", worst, largest);
}

static const ph_pose *poses_of(const struct stage *stage, ph_pose poses[2])
{
	poses[0] = stage->objects[0].pose;
	poses[1] = stage->objects[1].pose;
	return poses;
}

TEST(the_first_flow_is_zero_and_so_is_that_of_a_scene_at_rest)
{
	struct pair pair = open_pair();
	static const float still[WIDTH * HEIGHT * 2];

	const float *flow = stage_draw(pair.stage, &pair.view, PH__MODALITY_FLOW);
	assert_memory_equal(flow, still, sizeof(still));
	pair.view.pose = pose_deg(0.3, 0.1, -0.2, 5, 17, 33);
	keep_as_before(&pair);
	flow = draw_flow(&pair);
	for (size_t i = 0; i < sizeof(still) / sizeof(still[0]); i++)
		assert_near(flow[i], 0, 0);
	close_pair(&pair);
}

TEST(a_camera_that_moves_aside_shifts_a_wall_by_one_length)
{
	struct pair pair = open_pair();
	double focal_px = WIDTH / (2 * tan(40 * M_PI / 180));
	ph_pose poses[2];
	keep_as_before(&pair);
	pair.view.pose.position_m[2] = 0.25; /* to the right by 1/20 of the wall's distance */
	pair.view.pose.position_m[1] = -0.1; /* and down by 1/50 */

	const float *flow = draw_flow(&pair);
	assert_near(flow[0], -focal_px / 20, FLOW_ERROR_PX);
	assert_near(flow[1], -focal_px / 50, FLOW_ERROR_PX);
	check_flow(&pair, poses_of(pair.stage, poses));
	close_pair(&pair);
}

TEST(a_camera_that_turns_moves_the_sky_as_it_moves_walls)
{
	struct pair pair = open_pair();
	ph_pose poses[2];
	double x, y, depth, far[3];
	keep_as_before(&pair);
	pair.view.pose = pose_deg(0, 0, 0, -3, 4, 10);
	check_flow(&pair, poses_of(pair.stage, poses));

	pair.stage->objects[0].hidden = pair.stage->objects[1].hidden = true;
	const float *flow = draw_flow(&pair);
	point_at(&pair.view, 20, 30, 1e9, far);
	project(&pair.view_before, far, &x, &y, &depth);
	assert_near(flow[2 * (30 * WIDTH + 20)], 20.5 - x, FLOW_ERROR_PX);
	assert_near(flow[2 * (30 * WIDTH + 20) + 1], 30.5 - y, FLOW_ERROR_PX);
	close_pair(&pair);
}

TEST(an_object_that_moves_has_flow_and_the_wall_behind_it_has_none)
{
	struct pair pair = open_pair();
	ph_pose poses[2];
	poses_of(pair.stage, poses);
	keep_as_before(&pair);
	pair.stage->objects[1].pose = pose_deg(2.9, 0.3, -0.1, 12, 40, -9);

	check_flow(&pair, poses);
	const float *flow = draw_flow(&pair);
	assert_near(flow[0], 0, 0);
	assert_near(flow[1], 0, 0);
	close_pair(&pair);
}

TEST(motion_of_camera_lens_and_objects_adds_up)
{
	struct pair pair = open_pair();
	ph_pose poses[2];
	poses_of(pair.stage, poses);
	keep_as_before(&pair);
	pair.stage->objects[0].pose.position_m[0] = 5.5;
	pair.stage->objects[1].pose = pose_deg(2.9, 0.3, -0.1, 12, 40, -9);
	pair.view.pose = pose_deg(0.2, 0.1, -0.3, 6, -4, 11);
	pair.view.fov_rad *= 0.9;

	check_flow(&pair, poses);
	close_pair(&pair);
}

TEST(flow_far_from_the_origin_is_as_exact_as_near_it)
{
	struct pair pair = open_pair();
	double focal_px = WIDTH / (2 * tan(40 * M_PI / 180));
	for (int i = 0; i < 2; i++) /* places that are floats */
		pair.stage->objects[i].pose.position_m[2] = 32768;
	ph__scene_touch(&pair.stage->scene);
	pair.view.pose.position_m[2] = 32768;
	keep_as_before(&pair);
	pair.view.pose.position_m[2] += 0.05;

	const float *flow = draw_flow(&pair);
	assert_near(flow[0], -focal_px / 100, FLOW_ERROR_PX);
	close_pair(&pair);
}

TEST(a_new_object_has_not_moved_and_a_point_from_behind_is_not_known)
{
	struct pair pair = open_pair();
	keep_as_before(&pair);
	pair.snapshot_before.instance_count = 1; /* the box is new */

	const float *flow = draw_flow(&pair);
	size_t middle = (size_t)HEIGHT / 2 * WIDTH + WIDTH / 2;
	assert_near(flow[2 * middle], 0, 0);
	pair.view_before.pose.yaw_rad = M_PI;
	const uint8_t *picture = stage_draw(pair.stage, &pair.view, PH__MODALITY_OPTICAL_FLOW);
	assert_memory_equal(picture + 4 * middle, "\x00\x80\x80\xff", 4);
	flow = draw_flow(&pair);
	assert_near(flow[2 * middle], 0, 0);
	assert_near(flow[2 * middle + 1], 0, 0);
	close_pair(&pair);
}

TEST(the_flow_picture_has_30_steps_for_each_pixel_about_128)
{
	struct pair pair = open_pair();
	static float flow[WIDTH * HEIGHT * 2];
	keep_as_before(&pair);
	pair.view.pose = pose_deg(0, 0.01, -0.06, 0.1, 0.5, 1);
	memcpy(flow, draw_flow(&pair), sizeof(flow));

	const uint8_t *picture = stage_draw(pair.stage, &pair.view, PH__MODALITY_OPTICAL_FLOW);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
		for (int axis = 0; axis < 2; axis++) { /* R is x, G is y */
			double wanted = fmin(fmax(128 + 30 * flow[2 * i + axis], 0), 255);
			assert_true(fabs(picture[4 * i + 2 - axis] - wanted) < 0.51);
		}
		assert_int_equal(picture[4 * i], 255);
		assert_int_equal(picture[4 * i + 3], 255);
	}
	close_pair(&pair);
}

TEST(flow_of_an_orthographic_view_is_the_same_at_every_distance)
{
	struct pair pair = open_pair();
	pair.view.is_orthographic = true;
	pair.view.ortho_width_m = 4;
	keep_as_before(&pair);
	pair.view.pose.position_m[2] = 0.1; /* 4 pixels to the right */

	const float *flow = draw_flow(&pair);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
		assert_near(flow[2 * i], -4, FLOW_ERROR_PX);
		assert_near(flow[2 * i + 1], 0, FLOW_ERROR_PX);
	}
	pair.stage->objects[0].hidden = pair.stage->objects[1].hidden = true;
	flow = draw_flow(&pair);
	assert_near(flow[0], 0, 0); /* the sky */
	close_pair(&pair);
}
