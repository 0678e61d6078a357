/* SPDX-License-Identifier: MIT */
/* The scanner against rays that try every triangle, and against numbers that follow from walls. */
#include <math.h>

#include "oracle.h"
#include "scene/lidar.h"
#include "scene/pose.h"

enum { POINTS_MAX = 32 * 180 };

static struct ph__lidar_point points[POINTS_MAX];

static struct ph__scene *open_scene(void)
{
	struct ph__scene *scene;

	assert_int_equal(ph__scene_create_builtin(64, 64, M_PI / 2, &scene), PH_OK);
	scene->objects[11].scale[1] *= 0.6; /* unequal, and one mirrored */
	scene->objects[15].scale[0] *= -1.3;
	ph__scene_touch(scene);
	return scene;
}

/* Whether any of a few rays within `spread` of a beam ends at that distance. */
static bool ends_there(const struct oracle *oracle, const double from[3], const double ray[3],
		       double distance, double spread)
{
	for (int i = 0; i < 9; i++) {
		double tilted[3];
		for (int k = 0; k < 3; k++)
			tilted[k] = ray[k] + (i ? spread * sin(2.4 * i + 2.1 * k) : 0);
		struct hit hit = cast_ray(oracle, from, tilted);
		double wanted = hit.distance < 0.1 || hit.distance > 100 ? INFINITY : hit.distance;
		if (isinf(wanted) ? isinf(distance)
				  : fabs(distance - wanted) < 1e-5 * wanted + 2 * spread * wanted)
			return true;
	}
	return false;
}

static void check_scan(const struct oracle *oracle, const struct ph__caster *caster,
		       const ph_pose *pose)
{
	struct ph__axes axes = ph__pose_axes(pose);
	uint32_t count = ph__lidar_scan(&ph__lidar_default, caster, pose, points), next = 0;

	assert_in_range(count, 1000, POINTS_MAX);
	for (uint32_t i = 0; i < POINTS_MAX; i++) {
		double elevation = (10 - 40.0 * (i / 180) / 31) * M_PI / 180, distance = INFINITY;
		double yaw = (-180 + 2 * (i % 180 + 0.5)) * M_PI / 180, ray[3];
		const double beam[3] = {cos(elevation) * cos(yaw), cos(elevation) * sin(yaw),
					sin(elevation)};
		const struct ph__lidar_point *point = &points[next];
		double length = next < count ? sqrt((double)point->x_m * point->x_m +
						    (double)point->y_m * point->y_m +
						    (double)point->z_m * point->z_m)
					     : 0;
		double along = beam[0] * point->x_m + beam[1] * point->y_m + beam[2] * point->z_m;
		for (int k = 0; k < 3; k++)
			ray[k] = beam[0] * axes.forward[k] + beam[1] * axes.right[k] +
				 beam[2] * axes.up[k];
		if (length > 0 && along > length * (1 - 1e-6)) { /* the point is this beam's */
			assert_true(point->intensity >= 0 && point->intensity <= 1);
			distance = length;
			next++;
		}
		if (!ends_there(oracle, pose->position_m, ray, distance, 1e-5))
			fail_msg("beam %u ends at %g m", i, distance);
	}
	assert_int_equal(next, count);
}

TEST(every_beam_ends_where_a_ray_ends)
{
	struct ph__scene *scene = open_scene();
	struct ph__snapshot snapshot = {0};
	struct ph__caster *caster;
	struct oracle oracle = make_oracle(scene);
	const ph_pose poses[] = {pose_deg(-2, 1.7, 0.3, 0, 0, 0), pose_deg(-1.5, 0.9, 1, 12, 77, 5),
				 pose_deg(1.2, 3, -2.3, -20, -130, 170)};

	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	assert_int_equal(ph__caster_create(&scene->assets, &caster), PH_OK);
	assert_int_equal(ph__caster_aim(caster, &snapshot), PH_OK);
	for (int i = 0; i < 3; i++)
		check_scan(&oracle, caster, &poses[i]);
	ph__caster_close(&caster);
	free_oracle(&oracle);
	ph__snapshot_finish(&snapshot);
	ph__scene_close(&scene);
}

/* --- a wall ----------------------------------------------------------------------------------- */

static struct ph__vertex corners[4];
static uint32_t indices[6] = {0, 1, 2, 0, 2, 3};

struct wall {
	struct ph__scene scene;
	struct ph__mesh mesh;
	struct ph__part part;
	struct ph__material material;
	struct ph__texture texture;
	struct ph__object object;
	struct ph__snapshot snapshot;
	struct ph__caster *caster;
};

/* A square of 200 m at x = 10 that faces the origin, of the colour (0.5, 0.5, 0.5). */
static void open_wall(struct wall *wall)
{
	memset(wall, 0, sizeof(*wall));
	for (int i = 0; i < 4; i++)
		corners[i] = (struct ph__vertex){
			.position_m = {0, i < 2 ? -100 : 100, i % 3 ? 100 : -100},
			.normal = {-1, 0, 0},
			.uv = {i % 3 ? 1 : 0, i < 2 ? 1 : 0},
		};
	wall->mesh = (struct ph__mesh){.vertices = corners,
				       .indices = indices,
				       .vertex_count = 4,
				       .index_count = 6,
				       .lower_m = {0, -100, -100},
				       .upper_m = {0, 100, 100}};
	wall->material =
		(struct ph__material){.base_color = {0.5f, 0.5f, 0.5f}, .texture = PH__NO_TEXTURE};
	wall->object = (struct ph__object){
		.part_count = 1, .pose = {.position_m = {10, 0, 0}}, .scale = {1, 1, 1}};
	wall->scene = (struct ph__scene){
		.assets = {.meshes = &wall->mesh,
			   .materials = &wall->material,
			   .textures = &wall->texture,
			   .parts = &wall->part,
			   .mesh_count = 1,
			   .material_count = 1,
			   .texture_count = 1,
			   .part_count = 1},
		.objects = &wall->object,
		.object_count = 1,
		.version = 1,
	};
	assert_int_equal(ph__caster_create(&wall->scene.assets, &wall->caster), PH_OK);
}

static uint32_t scan(struct wall *wall, const struct ph__lidar *lidar, ph_pose pose)
{
	ph__scene_touch(&wall->scene);
	assert_int_equal(ph__snapshot_take(&wall->snapshot, &wall->scene), PH_OK);
	assert_int_equal(ph__caster_aim(wall->caster, &wall->snapshot), PH_OK);
	return ph__lidar_scan(lidar, wall->caster, &pose, points);
}

static void close_wall(struct wall *wall)
{
	ph__caster_close(&wall->caster);
	ph__snapshot_finish(&wall->snapshot);
}

TEST(a_wall_is_flat_in_the_sensors_axes_and_as_bright_as_it_is_square)
{
	struct wall wall;
	open_wall(&wall);

	uint32_t count = scan(&wall, &ph__lidar_default, pose_deg(0, 0, 0, 0, 0, 0));
	assert_true(count > 32 * 60);
	for (uint32_t i = 0; i < count; i++) {
		double x = points[i].x_m, y = points[i].y_m, z = points[i].z_m;
		assert_near(x, 10, 1e-5);
		assert_near(points[i].intensity, 0.5 * 10 / sqrt(x * x + y * y + z * z), 1e-6);
		assert_true(i == 0 || atan2(z, hypot(x, y)) <
					      atan2(points[i - 1].z_m,
						    hypot(points[i - 1].x_m, points[i - 1].y_m)) +
						      1e-6); /* from the top */
	}
	assert_near(atan2(points[0].z_m, hypot(points[0].x_m, points[0].y_m)), M_PI / 18, 1e-6);
	close_wall(&wall);
}

TEST(what_is_nearer_or_farther_than_the_range_hidden_or_turned_away_is_not_hit)
{
	struct wall wall;
	struct ph__lidar beam = {.channel_count = 1,
				 .beam_count = 1,
				 .nearest_m = 2,
				 .farthest_m = 10.5,
				 .start_rad = -0.1,
				 .end_rad = 0.1};
	open_wall(&wall);

	assert_int_equal(scan(&wall, &beam, pose_deg(0, 0, 0, 0, 0, 0)), 1);
	assert_near(points[0].x_m, 10, 1e-6);
	assert_int_equal(scan(&wall, &beam, pose_deg(8.1, 0, 0, 0, 0, 0)), 0);
	assert_int_equal(scan(&wall, &beam, pose_deg(-1, 0, 0, 0, 0, 0)), 0);
	assert_int_equal(scan(&wall, &beam, pose_deg(15, 0, 0, 0, 180, 0)), 0);
	wall.object.scale[2] = -1; /* mirrored, and its front still its front */
	assert_int_equal(scan(&wall, &beam, pose_deg(0, 0, 0, 0, 0, 0)), 1);
	wall.object.scale[0] = -1;
	assert_int_equal(scan(&wall, &beam, pose_deg(0, 0, 0, 0, 0, 0)), 0);
	wall.object.scale[0] = 1;
	wall.object.hidden = true;
	assert_int_equal(scan(&wall, &beam, pose_deg(0, 0, 0, 0, 0, 0)), 0);
	wall.object.hidden = false;
	wall.object.scale[1] = 0; /* flat: nothing is left of it */
	assert_int_equal(scan(&wall, &beam, pose_deg(0, 0, 0, 0, 0, 0)), 0);
	close_wall(&wall);
}

TEST(intensity_takes_the_texture_where_the_beam_meets_it)
{
	struct wall wall;
	uint8_t texels[2 * 4] = {255, 255, 255, 255, 0, 0, 0, 255}; /* left white, right black */
	struct ph__lidar beam = {.channel_count = 1,
				 .beam_count = 2,
				 .nearest_m = 1,
				 .farthest_m = 99,
				 .start_rad = -0.1,
				 .end_rad = 0.1};
	open_wall(&wall);
	wall.texture = (struct ph__texture){texels, 2, 1};
	wall.material.texture = 0;

	assert_int_equal(scan(&wall, &beam, pose_deg(0, 0, 0, 0, 0, 0)), 2);
	assert_near(points[0].intensity, 0.5 * cos(0.05), 1e-6);
	assert_near(points[1].intensity, 0, 1e-6);
	close_wall(&wall);
}
