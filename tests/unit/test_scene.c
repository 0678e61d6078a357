/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "base/sys.h"
#include "scene/shape.h"
#include "test.h"

static struct ph__scene *open_scene(void)
{
	struct ph__scene *scene;
	assert_int_equal(ph__scene_create_builtin(640, 480, M_PI / 2, &scene), PH_OK);
	return scene;
}

TEST(the_mask_colours_are_the_list_of_the_unrealcv_server)
{
	static const struct {
		uint32_t index;
		uint8_t rgb[3];
	} known[] = {
		{0, {0, 0, 0}},           {1, {0, 0, 255}},     {2, {0, 255, 0}},
		{3, {0, 255, 255}},       {4, {255, 0, 0}},     {5, {255, 0, 255}},
		{6, {255, 255, 0}},       {7, {255, 255, 255}}, {8, {0, 0, 127}},
		{9, {0, 255, 127}},       {10, {255, 0, 127}},  {11, {255, 255, 127}},
		{12, {0, 127, 0}},        {16, {0, 127, 127}},  {26, {127, 127, 127}},
		{63, {63, 63, 63}},       {64, {0, 0, 191}},    {99, {63, 191, 191}},
		{100, {191, 0, 0}},       {999, {15, 15, 15}},  {1000, {0, 0, 47}},
		{32767, {231, 231, 231}},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint8_t rgb[3];
		ph__mask_color(known[i].index, rgb);
		assert_memory_equal(rgb, known[i].rgb, 3);
	}
}

TEST(no_two_mask_colours_are_the_same_and_none_but_the_first_is_black)
{
	static bool seen[1 << 24];
	uint8_t rgb[3];

	for (uint32_t i = 0; i < 32768; i++) {
		ph__mask_color(i, rgb);
		uint32_t key = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
		assert_false(seen[key]);
		seen[key] = true;
	}
	ph__mask_color(32768, rgb);
	assert_memory_equal(rgb, ((uint8_t[]){0, 0, 255}), 3);
	ph__mask_color(UINT32_MAX, rgb);
	assert_true(rgb[0] | rgb[1] | rgb[2]);
}

TEST(the_builtin_scene_has_many_objects_with_names_of_their_own)
{
	struct ph__scene *scene = open_scene();

	assert_true(scene->object_count >= 20);
	for (uint32_t i = 0; i < scene->object_count; i++) {
		const char *name = scene->objects[i].name;
		uint8_t rgb[3];
		assert_true(isalpha((unsigned char)name[0]));
		for (const char *at = name; *at; at++)
			assert_true(isalnum((unsigned char)*at));
		for (uint32_t k = 0; k < i; k++)
			assert_true(strcasecmp(name, scene->objects[k].name) != 0);
		ph__mask_color(i + 1, rgb);
		assert_memory_equal(scene->objects[i].color, rgb, 3);
		assert_false(scene->objects[i].hidden);
	}
	ph__scene_close(&scene);
	assert_null(scene);
	ph__scene_close(&scene);
}

TEST(the_builtin_scene_has_the_camera_that_was_asked_for)
{
	struct ph__scene *scene;

	assert_int_equal(ph__scene_create_builtin(1280, 720, 1.2, &scene), PH_OK);
	assert_int_equal(scene->camera_count, 1);
	assert_string_equal(scene->cameras[0].name, "PawnSensor");
	assert_int_equal(scene->cameras[0].width_px, 1280);
	assert_int_equal(scene->cameras[0].height_px, 720);
	assert_true(scene->cameras[0].fov_rad == 1.2);
	assert_string_equal(scene->name, "Pinhole");
	assert_string_equal(scene->level, "BuiltIn");
	ph__scene_close(&scene);
}

TEST(the_builtin_scene_has_5_to_10_thousand_triangles)
{
	struct ph__scene *scene = open_scene();
	const struct ph__assets *assets = &scene->assets;
	uint32_t triangles = 0;

	for (uint32_t i = 0; i < assets->part_count; i++) {
		assert_true(assets->parts[i].mesh < assets->mesh_count);
		assert_true(assets->parts[i].material < assets->material_count);
		if (i < assets->primitives[0]) /* what follows is for objects that come later */
			triangles += assets->meshes[assets->parts[i].mesh].index_count / 3;
	}
	assert_in_range(triangles, 5000, 10000);
	ph__scene_close(&scene);
}

TEST(the_parts_of_the_objects_are_all_parts_once)
{
	struct ph__scene *scene = open_scene();
	uint32_t next = 0;

	for (uint32_t i = 0; i < scene->object_count; i++) {
		if (scene->objects[i].id == scene->pawn)
			continue; /* has no body */
		assert_int_equal(scene->objects[i].first_part, next);
		assert_true(scene->objects[i].part_count > 0);
		next += scene->objects[i].part_count;
	}
	for (int i = 0; i < PH__PRIMITIVE_COUNT; i++)
		assert_int_equal(scene->assets.primitives[i], next++);
	assert_int_equal(next, scene->assets.part_count);
	ph__scene_close(&scene);
}

static void check_vertex(const struct ph__mesh *mesh, const struct ph__vertex *vertex)
{
	float length = 0;

	for (int i = 0; i < 3; i++) {
		assert_true(isfinite(vertex->position_m[i]));
		assert_true(vertex->position_m[i] >= mesh->lower_m[i]);
		assert_true(vertex->position_m[i] <= mesh->upper_m[i]);
		length += vertex->normal[i] * vertex->normal[i];
	}
	assert_true(fabsf(length - 1) < 1e-4f);
	assert_true(isfinite(vertex->uv[0]) && isfinite(vertex->uv[1]));
}

/* The triangle has an area, and its normals are on the side from which it is counter-clockwise. */
static void check_triangle(const struct ph__mesh *mesh, const uint32_t *indices)
{
	const struct ph__vertex *v[3];
	float n[3], a[3], b[3], length = 0;

	for (int k = 0; k < 3; k++) {
		assert_true(indices[k] < mesh->vertex_count);
		v[k] = &mesh->vertices[indices[k]];
	}
	for (int k = 0; k < 3; k++) {
		a[k] = v[1]->position_m[k] - v[0]->position_m[k];
		b[k] = v[2]->position_m[k] - v[0]->position_m[k];
	}
	for (int k = 0; k < 3; k++) {
		n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
		length += n[k] * n[k];
	}
	assert_true(length > 0);
	for (int i = 0; i < 3; i++) {
		const float *normal = v[i]->normal;
		assert_true(n[0] * normal[0] + n[1] * normal[1] + n[2] * normal[2] > 0);
	}
}

TEST(every_mesh_is_sound)
{
	struct ph__scene *scene = open_scene();

	for (uint32_t i = 0; i < scene->assets.mesh_count; i++) {
		const struct ph__mesh *mesh = &scene->assets.meshes[i];
		assert_true(mesh->index_count > 0 && mesh->index_count % 3 == 0);
		for (uint32_t k = 0; k < mesh->vertex_count; k++)
			check_vertex(mesh, &mesh->vertices[k]);
		for (uint32_t k = 0; k < mesh->index_count; k += 3)
			check_triangle(mesh, &mesh->indices[k]);
	}
	ph__scene_close(&scene);
}

/* By the divergence theorem: the volume inside, if the surface is closed and faces outwards. */
static double volume_of(const struct ph__mesh *mesh)
{
	double volume = 0;

	for (uint32_t i = 0; i < mesh->index_count; i += 3) {
		const float *a = mesh->vertices[mesh->indices[i]].position_m;
		const float *b = mesh->vertices[mesh->indices[i + 1]].position_m;
		const float *c = mesh->vertices[mesh->indices[i + 2]].position_m;
		volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
			   a[2] * (b[0] * c[1] - b[1] * c[0])) / 6.0;
	}
	return volume;
}

TEST(shapes_have_the_volume_that_they_should)
{
	struct ph__shape shape = {.vertex_count = 0};
	struct ph__outline outline = {.count = 0};
	struct ph__mesh mesh;

	ph__shape_box(&shape, 2, 3, 4, 0, 0);
	assert_int_equal(ph__shape_take(&shape, &mesh), PH_OK);
	assert_true(fabs(volume_of(&mesh) - 24) < 1e-4);
	free(mesh.vertices);
	free(mesh.indices);
	ph__shape_box(&shape, 2, 3, 4, 0.2f, 4);
	assert_int_equal(ph__shape_take(&shape, &mesh), PH_OK);
	assert_true(volume_of(&mesh) > 23 && volume_of(&mesh) < 24);
	free(mesh.vertices);
	free(mesh.indices);
	ph__outline_arc(&outline, 0, 0, 1, -90, 90, 60);
	ph__shape_lathe(&shape, &outline, 120);
	assert_int_equal(ph__shape_take(&shape, &mesh), PH_OK);
	assert_true(fabs(volume_of(&mesh) - 4 * M_PI / 3) < 0.01);
	free(mesh.vertices);
	free(mesh.indices);
}

TEST(an_object_is_found_in_any_case)
{
	struct ph__scene *scene = open_scene();
	struct ph__object *object = ph__scene_find_object(scene, "redsPHERE and more", 9);

	assert_non_null(object);
	assert_string_equal(object->name, "RedSphere");
	assert_null(ph__scene_find_object(scene, "RedSphere", 8));
	assert_null(ph__scene_find_object(scene, "", 0));
	assert_null(ph__scene_find_object(scene, "Nothing", 7));
	ph__scene_close(&scene);
}

TEST(a_snapshot_stays_as_it_was_until_it_is_taken_again)
{
	struct ph__scene *scene = open_scene();
	struct ph__snapshot snapshot = {0};

	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	assert_int_equal(snapshot.instance_count, scene->object_count);
	float x = snapshot.instances[3].model[12];
	scene->objects[3].pose.position_m[0] += 2;
	scene->objects[3].hidden = true;
	ph__scene_touch(scene);
	assert_true(snapshot.instances[3].model[12] == x && !snapshot.instances[3].hidden);
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	assert_true(snapshot.instances[3].model[12] == x + 2 && snapshot.instances[3].hidden);
	assert_int_equal(snapshot.version, scene->version);
	ph__snapshot_finish(&snapshot);
	ph__scene_close(&scene);
}

TEST(an_objects_axes_follow_the_pose_formula)
{
	struct ph__scene *scene = open_scene();
	struct ph__snapshot snapshot = {0};
	struct ph__object *object = &scene->objects[5];
	double p = 0.3, y = -1.1, r = 0.7;
	double sp = sin(p), cp = cos(p), sy = sin(y), cy = cos(y), sr = sin(r), cr = cos(r);
	const double wanted[12] = { /* columns: forward, up, right, position */
		2 * cp * cy, 2 * sp, 2 * cp * sy,
		3 * (-cr * sp * cy - sr * sy), 3 * cr * cp, 3 * (cy * sr - cr * sp * sy),
		-4 * (sr * sp * cy - cr * sy), -4 * -sr * cp, -4 * (sr * sp * sy + cr * cy),
		7, 8, 9,
	};

	object->pose = (ph_pose){{7, 8, 9}, p, y, r};
	memcpy(object->scale, ((double[]){2, 3, -4}), sizeof(object->scale));
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	for (int column = 0; column < 4; column++)
		for (int row = 0; row < 3; row++)
			assert_true(fabs(snapshot.instances[5].model[4 * column + row] -
					 wanted[3 * column + row]) < 1e-6);
	ph__snapshot_finish(&snapshot);
	ph__scene_close(&scene);
}

/* Fails the allocation whose turn it is. */
static int allocations_left;

static void *failing_realloc(void *memory, size_t size)
{
	return allocations_left-- > 0 ? realloc(memory, size) : NULL;
}

static void *failing_calloc(size_t count, size_t size)
{
	return allocations_left-- > 0 ? calloc(count, size) : NULL;
}

SLOW_TEST(a_scene_without_memory_is_an_error_and_leaves_nothing, 120)
{
	struct ph__sys failing = ph__sys_real;
	struct ph__scene *scene = NULL;
	int step = test_full() ? 1 : 13, first_success = -1;

	failing.realloc = failing_realloc;
	failing.calloc = failing_calloc;
	ph__sys = &failing;
	for (int allowed = 0; first_success < 0; allowed += step) {
		allocations_left = allowed;
		ph_status status = ph__scene_create_builtin(64, 64, 1, &scene);
		if (status == PH_OK) {
			first_success = allowed;
			ph__scene_close(&scene);
			continue;
		}
		assert_int_equal(status, PH_ENOSPC);
		assert_null(scene);
	}
	ph__sys = &ph__sys_real;
	assert_true(first_success > 50);
}
