/* SPDX-License-Identifier: MIT */
/* Panoramas against directions: what a pixel looks along follows from its place alone. */
#include <math.h>

#include "stage.h"

enum { WIDTH = 256, HEIGHT = 128 };

/* forward, right, up of the camera */
static void direction_of(double x_px, double y_px, double width, double height, double direction[3])
{
	double azimuth = (2 * x_px / width - 1) * M_PI, elevation = (0.5 - y_px / height) * M_PI;

	direction[0] = cos(elevation) * cos(azimuth);
	direction[1] = cos(elevation) * sin(azimuth);
	direction[2] = sin(elevation);
}

/* Walls at 3 m all around, their objects 0 to 5: forward, back, right, left, up, down, turned with
 * a camera of that pose. */
static const double wall_m = 3;

static struct stage *open_room(const ph_pose *pose)
{
	struct stage *stage = stage_open();
	uint32_t square = stage_square(stage);
	static const double turns[6][2] = {{0, 0}, {180, 0}, {90, 0}, {-90, 0}, {0, 90}, {0, -90}};

	for (int i = 0; i < 6; i++)
		stage_add(stage, square, RED,
			  (struct placing){.scale = {1, 2 * wall_m, 2 * wall_m}});
	stage_start(stage);
	for (int i = 0; i < 6; i++) { /* each looks back at where it is seen from */
		double yaw = turns[i][0] * M_PI / 180, pitch = turns[i][1] * M_PI / 180;
		ph_pose *at = &stage->objects[i].pose;
		*at = (ph_pose){{0, 0, 0}, pitch, yaw, 0};
		at->position_m[0] = wall_m * cos(pitch) * cos(yaw) + pose->position_m[0];
		at->position_m[1] = wall_m * sin(pitch) + pose->position_m[1];
		at->position_m[2] = wall_m * cos(pitch) * sin(yaw) + pose->position_m[2];
	}
	return stage;
}

static int wall_towards(const double direction[3], double *distance)
{
	int axis = 0;

	for (int i = 1; i < 3; i++)
		if (fabs(direction[i]) > fabs(direction[axis]))
			axis = i;
	*distance = wall_m / fabs(direction[axis]);
	return 2 * axis + (direction[axis] < 0);
}

/* The walls and distances in the directions up to `reach` pixels away, as the corners see them. */
static void look_around(double x, double y, double reach_x, double reach_y, unsigned *walls,
			double *least, double *most)
{
	*walls = 0;
	*least = INFINITY;
	*most = 0;
	for (int i = 0; i < 25; i++) {
		double direction[3], distance;
		direction_of(x + reach_x * (i % 5 - 2) / 2, y + reach_y * (i / 5 - 2) / 2, WIDTH,
			     HEIGHT, direction);
		*walls |= 1u << wall_towards(direction, &distance);
		*least = fmin(*least, distance);
		*most = fmax(*most, distance);
	}
}

TEST(mask_and_depth_are_right_to_half_a_texel_of_the_cube)
{
	static const uint32_t face_px[] = {0, 100, 512};
	static uint8_t mask[WIDTH * HEIGHT * 4];
	ph_pose pose = pose_deg(1, 2, 3, 0, 0, 0);
	struct stage *stage = open_room(&pose);
	struct ph__view view = stage_view(WIDTH, HEIGHT, 90);
	view.pose = pose;

	for (int f = 0; f < 3; f++) {
		double side = face_px[f] ? face_px[f] : 96; /* 256 / pi is 81: the next 16 */
		view.face_px = face_px[f];
		memcpy(mask, stage_draw(stage, &view, PH__MODALITY_PANORAMIC_MASK), sizeof(mask));
		const float *depth = stage_draw(stage, &view, PH__MODALITY_PANORAMIC_DEPTH);
		for (uint32_t y = 0; y < HEIGHT; y++)
			for (uint32_t x = 0; x < WIDTH; x++) {
				size_t at = (size_t)y * WIDTH + x;
				double elevation = (0.5 - (y + 0.5) / HEIGHT) * M_PI, least, most;
				/* half a texel's corner is 0.71 texels away, 2 / side wide */
				double reach_y = 1.42 / side * HEIGHT / M_PI;
				double reach_x =
					fmin(1.42 / side * WIDTH / 2 / M_PI / cos(elevation),
					     WIDTH / 4.0);
				unsigned walls;
				look_around(x + 0.5, y + 0.5, reach_x, reach_y, &walls, &least,
					    &most);
				int object = object_of(mask + 4 * at);
				if (object < 0 || !(walls & 1u << object))
					fail_msg("%u %u: wall %d", x, y, object);
				if (depth[at] < least * 0.99999 || depth[at] > most * 1.00001)
					fail_msg("%u %u: %g m, not %g to %g", x, y, depth[at],
						 least, most);
			}
	}
	stage_close(stage);
}

TEST(a_panorama_follows_the_cameras_yaw_pitch_and_roll)
{
	struct stage *stage = stage_open();
	uint32_t ball = stage_ball(stage);
	static const double places[6][2] = {{0.5, 0.5},  {0.75, 0.5},  {0.25, 0.5},
					    {0.5, 0.25}, {0.625, 0.7}, {0.05, 0.4}};
	for (int i = 0; i < 6; i++)
		stage_add(stage, ball, RED, (struct placing){.scale = {0.5, 0.5, 0.5}});
	stage_start(stage);

	for (int turn = 0; turn < 8; turn++) {
		struct ph__view view = stage_view(WIDTH, HEIGHT, 90);
		view.pose = pose_deg(5, -3, 2, 25 * turn - 80, 70 * turn, turn ? 47 * turn : 0);
		for (int i = 0; i < 6; i++) {
			double along[3], p = view.pose.pitch_rad, w = view.pose.yaw_rad;
			double r = view.pose.roll_rad, sp = sin(p), cp = cos(p), sy = sin(w);
			double cy = cos(w), sr = sin(r), cr = cos(r);
			const double forward[3] = {cp * cy, sp, cp * sy};
			const double right[3] = {sr * sp * cy - cr * sy, -sr * cp,
						 sr * sp * sy + cr * cy};
			const double up[3] = {-cr * sp * cy - sr * sy, cr * cp,
					      cy * sr - cr * sp * sy};
			direction_of(places[i][0], places[i][1], 1, 1, along);
			for (int k = 0; k < 3; k++)
				stage->objects[i].pose.position_m[k] =
					view.pose.position_m[k] +
					4 * (along[0] * forward[k] + along[1] * right[k] +
					     along[2] * up[k]);
		}
		ph__scene_touch(&stage->scene);
		const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_PANORAMIC_MASK);
		for (int i = 0; i < 6; i++)
			assert_int_equal(
				object_of(mask + 4 * ((size_t)(places[i][1] * HEIGHT) * WIDTH +
						      (size_t)(places[i][0] * WIDTH))),
				i);
	}
	stage_close(stage);
}

TEST(the_normals_of_a_room_look_inwards)
{
	ph_pose pose = pose_deg(0, 0, 0, 0, 0, 0);
	struct stage *stage = open_room(&pose);
	struct ph__view view = stage_view(WIDTH, HEIGHT, 90);

	const uint8_t *normals = stage_draw(stage, &view, PH__MODALITY_PANORAMIC_NORMAL);
	const uint8_t *at = normals + 4 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
	assert_near(at[2], 0, 1); /* forward: Unreal's -X */
	at = normals + 4 * (HEIGHT / 2 * WIDTH + WIDTH * 3 / 4);
	assert_near(at[1], 0, 1);      /* right: -Y */
	assert_near(normals[0], 0, 1); /* up: -Z */
	at = normals + 4 * ((HEIGHT - 1) * WIDTH);
	assert_near(at[0], 255, 1);
	stage_close(stage);
}

TEST(the_preview_of_depth_runs_from_red_to_blue_and_to_black)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(WIDTH, HEIGHT, 90);
	const size_t middle = 4 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
	static const struct {
		double distance_m;
		uint8_t bgra[4];
	} steps[] = {{0.9, {0, 0, 255, 255}}, {2, {0, 255, 255, 255}}, {3, {0, 255, 0, 255}},
		     {4, {255, 255, 0, 255}}, {5, {255, 0, 0, 255}},   {9, {255, 0, 0, 255}},
		     {11, {0, 0, 0, 255}}};
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {2, 0, 0}});
	stage_start(stage);
	view.preview = (struct ph__preview){1, 5, 1};
	view.depth_far = 10;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		stage->objects[0].pose.position_m[0] = steps[i].distance_m;
		ph__scene_touch(&stage->scene);
		const uint8_t *picture = stage_draw(stage, &view, PH__MODALITY_PANORAMIC_PREVIEW);
		for (int k = 0; k < 4; k++)
			assert_near(picture[middle + (size_t)k], steps[i].bgra[k], 2);
	}
	stage_close(stage);
}

/* --- the built-in scene ----------------------------------------------------------------------- */

static int step_between(const uint8_t *a, const uint8_t *b)
{
	int most = 0;

	for (int i = 0; i < 3; i++)
		most = abs(a[i] - b[i]) > most ? abs(a[i] - b[i]) : most;
	return most;
}

/* The face that a pixel comes from. */
static int face_at(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
	double direction[3], distance;

	direction_of(x + 0.5, y + 0.5, width, height, direction);
	return wall_towards(direction, &distance);
}

TEST(no_seam_is_seen_where_two_faces_meet)
{
	enum { W = 768, H = 384 };
	struct ph__device *device = open_device_or_skip();
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot = {0};
	struct ph__view view = stage_view(W, H, 90);
	static uint8_t lit[W * H * 4];
	uint32_t inside[256] = {0}, across[256] = {0}, inside_count = 0, across_count = 0;
	struct ph__draw_times times;

	assert_int_equal(ph__scene_create_builtin(W, H, M_PI / 2, &scene), PH_OK);
	assert_int_equal(ph__renderer_create(device, &scene->assets, &renderer), PH_OK);
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	view.pose = pose_deg(-2, 1.1, 0.4, 0, 20, 0);
	assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, PH__MODALITY_PANORAMIC, lit,
					   sizeof(lit), &times),
			 PH_OK);
	for (uint32_t y = 0; y < H; y++)
		for (uint32_t x = 0; x < W; x++)
			for (int down = 0; down < 2; down++) {
				uint32_t x2 = down ? x : (x + 1) % W, y2 = y + (uint32_t)down;
				if (y2 == H)
					continue;
				int step = step_between(lit + 4 * (y * W + x),
							lit + 4 * (y2 * W + x2));
				bool seam = face_at(x, y, W, H) != face_at(x2, y2, W, H);
				(seam ? across : inside)[step]++;
				*(seam ? &across_count : &inside_count) += 1;
			}
	/* Large steps are edges of things. Seams that can be seen would be large steps all along
	 * them: of those across seams, hardly more are above what one in a hundred is above. */
	uint32_t above = 0, limit = 255, above_across = 0;
	while (above + inside[limit] < inside_count / 100)
		above += inside[limit--];
	for (uint32_t step = limit + 1; step < 256; step++)
		above_across += across[step];
	if (above_across * 50 > across_count)
		fail_msg("%u of %u steps across seams are above %u", above_across, across_count,
			 limit);
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	ph__scene_close(&scene);
	ph__device_close(&device);
}

TEST(the_middle_of_a_panorama_is_the_flat_picture)
{
	enum { W = 1024, H = 512, SIDE = 512 };
	struct ph__device *device = open_device_or_skip();
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot = {0};
	struct ph__view view = stage_view(W, H, 90), flat = stage_view(SIDE, SIDE, 90);
	static uint8_t panorama[W * H * 4], picture[SIDE * SIDE * 4];
	struct ph__draw_times times;
	double sum = 0;
	uint32_t count = 0;

	assert_int_equal(ph__scene_create_builtin(W, H, M_PI / 2, &scene), PH_OK);
	assert_int_equal(ph__renderer_create(device, &scene->assets, &renderer), PH_OK);
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	view.pose = flat.pose = scene->cameras[0].pose;
	view.face_px = SIDE;
	assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, PH__MODALITY_PANORAMIC,
					   panorama, sizeof(panorama), &times),
			 PH_OK);
	assert_int_equal(ph__renderer_draw(renderer, &snapshot, &flat, PH__MODALITY_LIT, picture,
					   sizeof(picture), &times),
			 PH_OK);
	for (uint32_t y = 0; y < H; y++)
		for (uint32_t x = 0; x < W; x++) {
			double direction[3], distance;
			direction_of(x + 0.5, y + 0.5, W, H, direction);
			if (wall_towards(direction, &distance) != 0)
				continue;
			uint32_t px = (uint32_t)((direction[1] / direction[0] + 1) * SIDE / 2);
			uint32_t py = (uint32_t)((1 - direction[2] / direction[0]) * SIDE / 2);
			sum += step_between(panorama + 4 * (y * W + x),
					    picture + 4 * (py * SIDE + px));
			count++;
		}
	if (sum / count > 4) /* blended against nearest: 2.4 */
		fail_msg("a mean difference of %g", sum / count);
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	ph__scene_close(&scene);
	ph__device_close(&device);
}

TEST(panoramas_of_any_size_can_be_drawn_and_too_large_faces_are_refused)
{
	static const uint32_t sides[][2] = {{1, 1}, {640, 480}, {3, 200}, {501, 7}};
	ph_pose pose = pose_deg(1, 2, 3, 0, 0, 0);
	struct stage *stage = open_room(&pose);
	struct ph__draw_times times;
	uint8_t pixel[4];

	for (int i = 0; i < 4; i++) {
		struct ph__view view = stage_view(sides[i][0], sides[i][1], 90);
		view.pose = pose;
		const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_PANORAMIC_MASK);
		for (size_t k = 0; k < (size_t)sides[i][0] * sides[i][1]; k++)
			assert_true(object_of(mask + 4 * k) >= 0);
	}
	struct ph__view view = stage_view(1, 1, 90);
	view.face_px = ph__renderer_side_limit_px(stage->renderer) + 1;
	assert_int_equal(ph__renderer_draw(stage->renderer, &stage->snapshot, &view,
					   PH__MODALITY_PANORAMIC, pixel, 4, &times),
			 PH_ETOOBIG);
	stage_close(stage);
}
