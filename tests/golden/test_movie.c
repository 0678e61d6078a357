/* SPDX-License-Identifier: MIT */
/* Movie quality: what the mean of many samples has to be. */
#include <math.h>

#include "stage.h"

enum { SIDE = 48 };

/* Linear light of a byte, where tone mapping changes nothing. */
static double linear_of(uint8_t byte)
{
	double value = byte / 255.0;
	return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

TEST(where_nothing_changes_within_a_pixel_it_is_the_lit_picture)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 60);
	static uint8_t lit[SIDE * SIDE * 4];
	stage_add(stage, stage_square(stage), GLOWING_GREY,
		  (struct placing){.at = {2, 0, 0}, .scale = {1, 9, 9}});
	stage_start(stage);
	memcpy(lit, stage_draw(stage, &view, PH__MODALITY_LIT), sizeof(lit));

	const uint8_t *movie = stage_draw(stage, &view, PH__MODALITY_MOVIE);
	for (size_t i = 0; i < sizeof(lit); i++)
		assert_near(movie[i], lit[i], 1);
	view.width_px = 2 * SIDE;
	movie = stage_draw(stage, &view, PH__MODALITY_MOVIE_PANORAMIC);
	assert_near(movie[4 * (SIDE / 2 * 2 * SIDE + SIDE)], lit[4 * (SIDE / 2 * SIDE + SIDE / 2)],
		    1);
	stage_close(stage);
}

/* The upper edge of a square, a little tilted: across each column its light adds up to the height
 * that it has there. */
TEST(an_edge_covers_as_much_of_a_pixel_as_it_does)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 60);
	const double tilt = 7 * M_PI / 180, focal_px = SIDE / (2 * tan(M_PI / 6));
	stage_add(stage, stage_square(stage), GLOWING_GREY,
		  (struct placing){.at = {2, 0, 0}, .roll_deg = 7, .scale = {1, 0.4, 9}});
	memset(&stage->scene.sky, 0, sizeof(stage->scene.sky));
	memset(&stage->scene.sun.radiance, 0, sizeof(stage->scene.sun.radiance));
	stage_start(stage);
	view.sample_count = 64;

	const uint8_t *movie = stage_draw(stage, &view, PH__MODALITY_MOVIE);
	double full = linear_of(movie[4 * (SIDE / 2 * SIDE + SIDE / 2)]);
	for (uint32_t x = 0; x < SIDE; x++) {
		double light = 0;
		for (uint32_t y = 0; y < SIDE; y++)
			light += linear_of(movie[4 * (y * SIDE + x)]) / full;
		assert_near(light, 0.2 * focal_px / cos(tilt), 0.1);
	}
	stage_close(stage);
}

/* The share of the sun's disc that is seen past an edge `d` of its radii from the middle. */
static double share_past_edge(double d)
{
	if (fabs(d) >= 1)
		return d > 0;
	return 1 - (acos(d) - d * sqrt(1 - d * d)) / M_PI;
}

TEST(a_shadow_is_as_soft_as_the_sun_is_wide_and_its_caster_far)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(SIDE, SIDE, 40);
	static float position[SIDE * SIDE * 3];
	static uint8_t open[SIDE * SIDE * 4];
	const double height = 2, radius = 0.1;
	uint32_t inside = 0;
	double worst = 0;
	uint32_t box = stage_box(stage); /* the ground's top is at 0; the roof ends at x = 0 */
	stage_add(stage, box, RED, (struct placing){.at = {0, -1, 0}, .scale = {40, 2, 40}});
	stage_add(stage, box, RED,
		  (struct placing){.at = {-2, height + 0.005, 0}, .scale = {4, 0.01, 8}});
	memset(&stage->scene.sky, 0, sizeof(stage->scene.sky));
	stage->scene.sun = (struct ph__sun){{0, -1, 0}, {0.8f, 0.8f, 0.8f}, (float)radius};
	stage->objects[0].casts_no_shadow = true;
	stage_start(stage);
	view.pose = pose_deg(2.5, 1.5, 0, -32, 180, 0);
	view.sample_count = 64;

	memcpy(position, stage_draw(stage, &view, PH__MODALITY_POSITION), sizeof(position));
	stage->objects[1].hidden = true;
	ph__scene_touch(&stage->scene);
	memcpy(open, stage_draw(stage, &view, PH__MODALITY_MOVIE), sizeof(open));
	stage->objects[1].hidden = false;
	ph__scene_touch(&stage->scene);
	const uint8_t *movie = stage_draw(stage, &view, PH__MODALITY_MOVIE);
	for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
		double d = position[3 * i] / (height * tan(radius));
		if (!(fabsf(position[3 * i]) < 2 && fabsf(position[3 * i + 1]) < 2 &&
		      fabsf(position[3 * i + 2]) < 1e-3f)) /* the ground near the edge */
			continue;
		worst = fmax(worst, fabs(linear_of(movie[4 * i + 2]) / linear_of(open[4 * i + 2]) -
					 share_past_edge(d)));
		inside += fabs(d) < 1;
	}
	if (worst > 0.06)
		fail_msg("the share of light is off by %g", worst);
	if (inside < 3 * SIDE)
		fail_msg("only %u pixels", inside);
	stage_close(stage);
}

/* --- the built-in scene ----------------------------------------------------------------------- */

enum { WIDTH = 96, HEIGHT = 72 };

struct world {
	struct ph__device *device;
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot;
	struct ph__view view;
};

static struct world open_world(void)
{
	struct world world = {.device = open_device_or_skip(),
			      .view = stage_view(WIDTH, HEIGHT, 90)};

	assert_int_equal(ph__scene_create_builtin(WIDTH, HEIGHT, M_PI / 2, &world.scene), PH_OK);
	assert_int_equal(ph__renderer_create(world.device, &world.scene->assets, &world.renderer),
			 PH_OK);
	assert_int_equal(ph__snapshot_take(&world.snapshot, world.scene), PH_OK);
	world.view.pose = world.scene->cameras[0].pose;
	return world;
}

static void close_world(struct world *world)
{
	ph__snapshot_finish(&world->snapshot);
	ph__renderer_close(&world->renderer);
	ph__scene_close(&world->scene);
	ph__device_close(&world->device);
}

static ph_status draw(struct world *world, enum ph__modality modality, uint32_t samples,
		      uint8_t *pixels)
{
	struct ph__draw_times times;

	world->view.sample_count = samples;
	return ph__renderer_draw(world->renderer, &world->snapshot, &world->view, modality, pixels,
				 (uint64_t)world->view.width_px * world->view.height_px * 4,
				 &times);
}

static double distance_between(const uint8_t *a, const uint8_t *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sqrt(sum / (double)count);
}

SLOW_TEST(more_samples_come_ever_closer_to_very_many, 300)
{
	static uint8_t many[WIDTH * HEIGHT * 4], few[WIDTH * HEIGHT * 4];
	static const uint32_t counts[] = {1, 4, 16, 64};
	static const double most[] = {20, 8, 3, 1}; /* bytes, root of the mean square */
	struct world world = open_world();
	double before = INFINITY;

	assert_int_equal(draw(&world, PH__MODALITY_MOVIE, test_full() ? 1024 : 256, many), PH_OK);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(draw(&world, PH__MODALITY_MOVIE, counts[i], few), PH_OK);
		double distance = distance_between(few, many, sizeof(few));
		if (distance > most[i] || distance > 0.7 * before)
			fail_msg("%u samples are off by %g, fewer by %g", counts[i], distance,
				 before);
		before = distance;
	}
	close_world(&world);
}

TEST(sixteen_samples_are_the_default_and_a_cancelled_picture_leaves_the_next_as_it_is)
{
	static uint8_t first[WIDTH * HEIGHT * 4], second[WIDTH * HEIGHT * 4];
	struct world world = open_world();
	static atomic_bool cancelled;

	assert_int_equal(draw(&world, PH__MODALITY_MOVIE, 0, first), PH_OK);
	world.view.cancelled = &cancelled;
	atomic_store(&cancelled, true);
	assert_int_equal(draw(&world, PH__MODALITY_MOVIE, 16, second), PH_ECLOSED);
	assert_non_null(strstr(ph_last_error(), "cancelled after 0 of 16 samples"));
	assert_int_equal(draw(&world, PH__MODALITY_MOVIE_PANORAMIC, 16, second), PH_ECLOSED);
	atomic_store(&cancelled, false);
	assert_int_equal(draw(&world, PH__MODALITY_MOVIE, 16, second), PH_OK);
	assert_memory_equal(first, second, sizeof(first));
	close_world(&world);
}

TEST(a_lit_picture_after_a_movie_is_as_before_it)
{
	static uint8_t first[WIDTH * HEIGHT * 4], second[WIDTH * HEIGHT * 4];
	struct world world = open_world();

	assert_int_equal(draw(&world, PH__MODALITY_LIT, 0, first), PH_OK);
	assert_int_equal(draw(&world, PH__MODALITY_MOVIE_PANORAMIC, 2, second), PH_OK);
	assert_int_equal(draw(&world, PH__MODALITY_LIT, 0, second), PH_OK);
	assert_memory_equal(first, second, sizeof(first));
	close_world(&world);
}

TEST(a_panorama_in_movie_quality_is_the_panorama_and_smoother)
{
	enum { W = 192, H = 96 };
	static uint8_t plain[W * H * 4], movie[W * H * 4];
	struct world world = open_world();
	world.view.width_px = W;
	world.view.height_px = H;

	assert_int_equal(draw(&world, PH__MODALITY_PANORAMIC, 0, plain), PH_OK);
	assert_int_equal(draw(&world, PH__MODALITY_MOVIE_PANORAMIC, 16, movie), PH_OK);
	double distance = distance_between(plain, movie, sizeof(plain));
	assert_true(distance > 0.1 && distance < 12);
	close_world(&world);
}
