/* SPDX-License-Identifier: MIT */
/* The built-in scene through a second pair of eyes.
 *
 * On edges, where a ray a fiftieth of a pixel beside the middle sees something else, either answer
 * is right. */
#include <math.h>

#include "oracle.h"

enum { WIDTH = 120, HEIGHT = 90 };

/* The depths that rays see a thousandth of a pixel around: where a surface is seen at a grazing
 * angle that is more than rounding, and no float can do better. */
static bool is_grazing(const struct oracle *oracle, const struct ph__view *view, double x_px,
		       double y_px, double depth_m)
{
	double least = INFINITY, most = 0;

	for (int i = 0; i < 4; i++) {
		double angle = i * M_PI / 2;
		struct hit hit = cast_pixel(oracle, view, x_px + 0.001 * cos(angle),
					    y_px + 0.001 * sin(angle));
		least = fmin(least, hit.distance);
		most = fmax(most, hit.distance);
	}
	return depth_m >= least && depth_m <= most;
}

/* What the pictures show in a pixel. */
struct seen {
	int object;
	double depth_m;
};

/* Within two steps: rounding, and that of interpolation over large triangles. */
static bool is_normal(const uint8_t *bgra, const struct hit *hit)
{
	const double unreal[3] = {hit->shaded[0], hit->shaded[2], hit->shaded[1]};

	for (int i = 0; i < 3; i++)
		if (fabs(bgra[2 - i] - 127.5 * (unreal[i] + 1)) > 2)
			return false;
	return true;
}

static bool agrees(const struct oracle *oracle, const struct ph__view *view, double x_px,
		   double y_px, const struct seen *seen)
{
	struct hit hit = cast_pixel(oracle, view, x_px, y_px);
	double wanted = hit.object < 0 ? view->depth_far : hit.distance;

	if (hit.object != seen->object)
		return false;
	if (hit.object < 0)
		return seen->depth_m == wanted;
	return fabs(seen->depth_m - wanted) <= 1e-5 * wanted ||
	       is_grazing(oracle, view, x_px, y_px, seen->depth_m);
}

/* Where two faces have an edge in common, either may be drawn, even one that no ray can see. */
static bool agrees_on_normal(const struct oracle *oracle, const struct ph__view *view, double x_px,
			     double y_px, const uint8_t *bgra)
{
	struct hit hit = cast_pixel(oracle, view, x_px, y_px);
	return hit.object < 0 ? memcmp(bgra, "\x80\x80\x80\xff", 4) == 0 : is_normal(bgra, &hit);
}

/* Whether a ray that passes within a fiftieth of a pixel sees what the picture shows. */
static bool is_edge(const struct oracle *oracle, const struct ph__view *view, double x_px,
		    double y_px, const struct seen *seen)
{
	for (int i = 0; i < 8; i++) {
		double angle = i * M_PI / 4;
		struct hit hit = cast_pixel(oracle, view, x_px + 0.02 * cos(angle),
					    y_px + 0.02 * sin(angle));
		double wanted = hit.object < 0 ? view->depth_far : hit.distance;
		if (hit.object == seen->object && fabs(seen->depth_m - wanted) < 0.01 * wanted)
			return true;
	}
	return false;
}

struct world {
	struct ph__device *device;
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot;
	struct oracle oracle;
};

static uint8_t mask[WIDTH * HEIGHT * 4], normal[WIDTH * HEIGHT * 4];
static float depth[WIDTH * HEIGHT];

static void draw(struct world *world, const struct ph__view *view, enum ph__modality modality,
		 void *pixels)
{
	struct ph__draw_times times;

	assert_int_equal(ph__renderer_draw(world->renderer, &world->snapshot, view, modality,
					   pixels, sizeof(mask), &times),
			 PH_OK);
}

static void check_view(struct world *world, const struct ph__view *view)
{
	const struct oracle *oracle = &world->oracle;
	uint32_t edges = 0, odd_normals = 0;

	draw(world, view, PH__MODALITY_OBJECT_MASK, mask);
	draw(world, view, PH__MODALITY_DEPTH, depth);
	draw(world, view, PH__MODALITY_NORMAL, normal);
	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++) {
			size_t at = (size_t)y * WIDTH + x;
			struct seen seen = {object_of(mask + 4 * at), depth[at]};
			double x_px = x + 0.5, y_px = y + 0.5;
			odd_normals += !agrees_on_normal(oracle, view, x_px, y_px, normal + 4 * at);
			if (agrees(oracle, view, x_px, y_px, &seen))
				continue;
			if (!is_edge(oracle, view, x_px, y_px, &seen))
				fail_msg("pixel %u %u from %g %g %g: object %d at %.7g m is wrong",
					 x, y, view->pose.position_m[0], view->pose.position_m[1],
					 view->pose.position_m[2], seen.object, seen.depth_m);
			edges++;
		}
	assert_true(edges < WIDTH * HEIGHT / 500);
	if (odd_normals > WIDTH * HEIGHT / 500)
		fail_msg("%u normals are wrong", odd_normals);
}

static double random_between(double low, double high)
{
	static uint64_t state = 42;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static struct world open_world(void)
{
	struct world world = {.device = open_device_or_skip()};

	assert_int_equal(ph__scene_create_builtin(WIDTH, HEIGHT, M_PI / 2, &world.scene), PH_OK);
	assert_int_equal(ph__renderer_create(world.device, &world.scene->assets, &world.renderer),
			 PH_OK);
	world.scene->objects[11].scale[1] *= 0.6; /* unequal, and one mirrored */
	world.scene->objects[15].scale[0] *= -1.3;
	ph__scene_touch(world.scene);
	assert_int_equal(ph__snapshot_take(&world.snapshot, world.scene), PH_OK);
	world.oracle = make_oracle(world.scene);
	return world;
}

static void close_world(struct world *world)
{
	free_oracle(&world->oracle);
	ph__snapshot_finish(&world->snapshot);
	ph__renderer_close(&world->renderer);
	ph__scene_close(&world->scene);
	ph__device_close(&world->device);
}

SLOW_TEST(mask_depth_and_normals_are_what_rays_see, 300)
{
	struct world world = open_world();
	int views = test_full() ? 200 : 20;

	for (int i = 0; i < views; i++) {
		struct ph__view view =
			stage_view(WIDTH, HEIGHT, i == 0 ? 90 : random_between(20, 130));
		view.pose = world.scene->cameras[0].pose;
		if (i > 0)
			view.pose = pose_deg(random_between(-6, 3), random_between(0.3, 4),
					     random_between(-4, 4), random_between(-60, 30),
					     random_between(-180, 180), random_between(-180, 180));
		check_view(&world, &view);
	}
	close_world(&world);
}
