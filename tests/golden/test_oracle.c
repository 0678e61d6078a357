/* SPDX-License-Identifier: MIT */
/* The built-in scene through a second pair of eyes: a ray caster of a few lines that tries every
 * triangle, with the pose formula and nothing else of the renderer's.
 *
 * On edges, where a ray a fiftieth of a pixel beside the middle sees something else, either answer
 * is right. */
#include <math.h>

#include "stage.h"

enum { WIDTH = 120, HEIGHT = 90 };

struct triangle {
	double corner[3], edge1[3], edge2[3];
	uint32_t object;
};

struct oracle {
	struct triangle *triangles;
	uint32_t count;
	double (*centers)[3], *radii; /* of each object, to pass it by */
	uint32_t *first;              /* each object's first triangle; one more at the end */
};

struct hit {
	int object; /* -1: none */
	double depth_m;
};

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double product[3])
{
	for (int i = 0; i < 3; i++)
		product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* By frame.h: an object's +X is its forward axis, +Y up, +Z right. */
static void to_world(const struct ph__object *object, const float local[3], double world[3])
{
	double p = object->pose.pitch_rad, y = object->pose.yaw_rad, r = object->pose.roll_rad;
	double sp = sin(p), cp = cos(p), sy = sin(y), cy = cos(y), sr = sin(r), cr = cos(r);
	const double forward[3] = {cp * cy, sp, cp * sy};
	const double right[3] = {sr * sp * cy - cr * sy, -sr * cp, sr * sp * sy + cr * cy};
	const double up[3] = {-cr * sp * cy - sr * sy, cr * cp, cy * sr - cr * sp * sy};

	for (int i = 0; i < 3; i++)
		world[i] = object->pose.position_m[i] + local[0] * object->scale[0] * forward[i] +
			   local[1] * object->scale[1] * up[i] +
			   local[2] * object->scale[2] * right[i];
}

static void add_mesh(struct oracle *oracle, const struct ph__scene *scene, uint32_t object,
		     const struct ph__mesh *mesh)
{
	const double *scale = scene->objects[object].scale;
	bool mirrored = scale[0] * scale[1] * scale[2] < 0; /* its triangles are turned over */

	for (uint32_t i = 0; i < mesh->index_count; i += 3) {
		struct triangle *triangle = &oracle->triangles[oracle->count++];
		double corners[3][3];
		for (uint32_t k = 0; k < 3; k++)
			to_world(&scene->objects[object],
				 mesh->vertices[mesh->indices[i + k]].position_m,
				 corners[mirrored ? 2 - k : k]);
		for (int k = 0; k < 3; k++) {
			triangle->corner[k] = corners[0][k];
			triangle->edge1[k] = corners[1][k] - corners[0][k];
			triangle->edge2[k] = corners[2][k] - corners[0][k];
		}
		triangle->object = object;
	}
}

static void add_ball_around(struct oracle *oracle, const struct ph__scene *scene, uint32_t object)
{
	double *center = oracle->centers[object];

	memcpy(center, scene->objects[object].pose.position_m, 3 * sizeof(double));
	for (uint32_t i = oracle->first[object]; i < oracle->count; i++) {
		const struct triangle *triangle = &oracle->triangles[i];
		for (int corner = 0; corner < 3; corner++) {
			double from[3];
			for (int k = 0; k < 3; k++)
				from[k] = triangle->corner[k] + (corner == 1) * triangle->edge1[k] +
					  (corner == 2) * triangle->edge2[k] - center[k];
			oracle->radii[object] = fmax(oracle->radii[object], sqrt(dot(from, from)));
		}
	}
}

static struct oracle make_oracle(const struct ph__scene *scene)
{
	const struct ph__assets *assets = &scene->assets;
	struct oracle oracle = {
		.triangles = calloc(20000, sizeof(oracle.triangles[0])),
		.centers = calloc(scene->object_count, sizeof(oracle.centers[0])),
		.radii = calloc(scene->object_count, sizeof(oracle.radii[0])),
		.first = calloc(scene->object_count + 1, sizeof(oracle.first[0])),
	};

	for (uint32_t i = 0; i < scene->object_count; i++) {
		const struct ph__object *object = &scene->objects[i];
		oracle.first[i] = oracle.count;
		for (uint32_t part = 0; part < object->part_count; part++)
			add_mesh(&oracle, scene, i,
				 &assets->meshes[assets->parts[object->first_part + part].mesh]);
		add_ball_around(&oracle, scene, i);
	}
	oracle.first[scene->object_count] = oracle.count;
	return oracle;
}

static void free_oracle(struct oracle *oracle)
{
	free(oracle->triangles);
	free(oracle->centers);
	free(oracle->radii);
	free(oracle->first);
}

/* Möller and Trumbore's test; what is seen from behind is not seen. Returns the distance in units
 * of the ray, or INFINITY. */
static double meet(const struct triangle *triangle, const double from[3], const double ray[3])
{
	double p[3], q[3], s[3];

	cross(ray, triangle->edge2, p);
	double determinant = dot(triangle->edge1, p);
	if (determinant <= 0)
		return INFINITY;
	for (int i = 0; i < 3; i++)
		s[i] = from[i] - triangle->corner[i];
	double u = dot(s, p) / determinant;
	if (u < 0 || u > 1)
		return INFINITY;
	cross(s, triangle->edge1, q);
	double v = dot(ray, q) / determinant;
	if (v < 0 || u + v > 1)
		return INFINITY;
	double t = dot(triangle->edge2, q) / determinant;
	return t >= 0.01 ? t : INFINITY; /* nearer is not drawn */
}

static bool passes_by(const struct oracle *oracle, uint32_t object, const double from[3],
		      const double ray[3])
{
	double to[3], along, distance2;

	for (int i = 0; i < 3; i++)
		to[i] = oracle->centers[object][i] - from[i];
	along = dot(to, ray) / dot(ray, ray);
	distance2 = dot(to, to) - along * along * dot(ray, ray);
	return distance2 > oracle->radii[object] * oracle->radii[object] * 1.0001;
}

static struct hit cast(const struct oracle *oracle, uint32_t object_count,
		       const struct ph__view *view, double x_px, double y_px)
{
	struct ph__object camera = {.pose = view->pose, .scale = {1, 1, 1}};
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2));
	const double *from = view->pose.position_m;
	const float local[3] = {1, (float)((view->height_px / 2.0 - y_px) / focal_px),
				(float)((x_px - view->width_px / 2.0) / focal_px)};
	struct hit hit = {-1, INFINITY};
	double ray[3];

	to_world(&camera, local, ray); /* its part along forward is 1: distances are depths */
	for (int i = 0; i < 3; i++)
		ray[i] -= from[i];
	for (uint32_t object = 0; object < object_count; object++) {
		if (passes_by(oracle, object, from, ray))
			continue;
		for (uint32_t i = oracle->first[object]; i < oracle->first[object + 1]; i++) {
			double t = meet(&oracle->triangles[i], from, ray);
			if (t < hit.depth_m)
				hit = (struct hit){(int)object, t};
		}
	}
	return hit;
}

/* The depths that rays see a thousandth of a pixel around: where a surface is seen at a grazing
 * angle that is more than rounding, and no float can do better. */
static bool is_grazing(const struct oracle *oracle, uint32_t object_count,
		       const struct ph__view *view, double x_px, double y_px, double depth_m)
{
	double least = INFINITY, most = 0;

	for (int i = 0; i < 4; i++) {
		double angle = i * M_PI / 2;
		struct hit hit = cast(oracle, object_count, view, x_px + 0.001 * cos(angle),
				      y_px + 0.001 * sin(angle));
		least = fmin(least, hit.depth_m);
		most = fmax(most, hit.depth_m);
	}
	return depth_m >= least && depth_m <= most;
}

static bool agrees(const struct oracle *oracle, uint32_t object_count, const struct ph__view *view,
		   double x_px, double y_px, int object, double depth_m)
{
	struct hit hit = cast(oracle, object_count, view, x_px, y_px);
	double wanted = hit.object < 0 ? view->depth_far : hit.depth_m;

	return hit.object == object &&
	       (fabs(depth_m - wanted) <= 1e-5 * wanted ||
		is_grazing(oracle, object_count, view, x_px, y_px, depth_m));
}

/* Whether a ray that passes within a fiftieth of a pixel sees what the picture shows. */
static bool is_edge(const struct oracle *oracle, uint32_t object_count, const struct ph__view *view,
		    double x_px, double y_px, int object, double depth_m)
{
	for (int i = 0; i < 8; i++) {
		double angle = i * M_PI / 4;
		struct hit hit = cast(oracle, object_count, view, x_px + 0.02 * cos(angle),
				      y_px + 0.02 * sin(angle));
		double wanted = hit.object < 0 ? view->depth_far : hit.depth_m;
		if (hit.object == object && fabs(depth_m - wanted) < 0.01 * wanted)
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

static uint8_t mask[WIDTH * HEIGHT * 4];
static float depth[WIDTH * HEIGHT];

static void check_view(struct world *world, const struct ph__view *view)
{
	struct ph__draw_times times;
	uint32_t edges = 0, objects = world->scene->object_count;
	const struct oracle *oracle = &world->oracle;

	assert_int_equal(ph__renderer_draw(world->renderer, &world->snapshot, view,
					   PH__MODALITY_OBJECT_MASK, mask, sizeof(mask), &times),
			 PH_OK);
	assert_int_equal(ph__renderer_draw(world->renderer, &world->snapshot, view,
					   PH__MODALITY_DEPTH, depth, sizeof(depth), &times),
			 PH_OK);
	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++) {
			size_t at = (size_t)y * WIDTH + x;
			int object = object_of(mask + 4 * at);
			if (agrees(oracle, objects, view, x + 0.5, y + 0.5, object, depth[at]))
				continue;
			if (!is_edge(oracle, objects, view, x + 0.5, y + 0.5, object, depth[at]))
				fail_msg("pixel %u %u from %g %g %g: object %d at %.7g m is wrong",
					 x, y, view->pose.position_m[0], view->pose.position_m[1],
					 view->pose.position_m[2], object, depth[at]);
			edges++;
		}
	assert_true(edges < WIDTH * HEIGHT / 500);
}

static double random_between(double low, double high)
{
	static uint64_t state = 42;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

SLOW_TEST(mask_and_depth_are_what_rays_see, 300)
{
	struct world world = {.device = open_device_or_skip()};
	int views = test_full() ? 200 : 20;

	assert_int_equal(ph__scene_create_builtin(WIDTH, HEIGHT, M_PI / 2, &world.scene), PH_OK);
	assert_int_equal(ph__renderer_create(world.device, &world.scene->assets, &world.renderer),
			 PH_OK);
	world.scene->objects[11].scale[1] *= 0.6; /* unequal, and one mirrored */
	world.scene->objects[15].scale[0] *= -1.3;
	ph__scene_touch(world.scene);
	assert_int_equal(ph__snapshot_take(&world.snapshot, world.scene), PH_OK);
	world.oracle = make_oracle(world.scene);
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
	free_oracle(&world.oracle);
	ph__snapshot_finish(&world.snapshot);
	ph__renderer_close(&world.renderer);
	ph__scene_close(&world.scene);
	ph__device_close(&world.device);
}
