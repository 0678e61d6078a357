/* SPDX-License-Identifier: MIT */
#include "scene/builtin_shapes.h"

#include <math.h>

static void lathe_points(struct ph__shape *shape, const float (*points)[2], uint32_t count,
			 uint32_t sides)
{
	struct ph__outline outline = {.count = 0};

	for (uint32_t i = 0; i < count; i++)
		ph__outline_add(&outline, points[i][0], points[i][1]);
	ph__shape_lathe(shape, &outline, sides);
}

#define LATHE(shape, points, sides) \
	lathe_points(shape, points, sizeof(points) / sizeof((points)[0]), sides)

void ph__make_ground(struct ph__shape *shape)
{
	ph__shape_floor(shape, 160, 160, 8, 2);
}

static void add_wall_block(struct ph__shape *shape, float z, float width, float height)
{
	ph__shape_box_at(shape, (float[3]){0, height / 2, z}, (float[3]){0.3f, height, width});
	/* Bricks keep their size whatever the block's: 1.2 m for each repeat of the texture. */
	for (uint32_t i = shape->failed ? 0 : 24; i > 0; i--) {
		struct ph__vertex *vertex = &shape->vertices[shape->vertex_count - i];
		bool is_end = fabsf(vertex->normal[2]) > 0.5f;
		vertex->uv[0] = vertex->position_m[is_end ? 0 : 2] / 1.2f;
		vertex->uv[1] = vertex->position_m[fabsf(vertex->normal[1]) > 0.5f ? 0 : 1] / -1.2f;
	}
}

/* A wall with a step in its height, 9 m wide. */
void ph__make_wall(struct ph__shape *shape)
{
	add_wall_block(shape, -2.7f, 3.6f, 2.4f);
	add_wall_block(shape, 1.8f, 5.4f, 3.15f);
}

/* 2.2 m wide, its opening 1.3 m; seen from along z. */
void ph__make_arch(struct ph__shape *shape)
{
	struct ph__outline outer = {.count = 0}, inner = {.count = 0};

	ph__outline_add(&outer, 1.1f, 0);
	ph__outline_add(&inner, 0.65f, 0);
	ph__outline_arc(&outer, 0, 1.35f, 1.1f, 0, 180, 20);
	ph__outline_arc(&inner, 0, 1.35f, 0.65f, 0, 180, 20);
	ph__outline_add(&outer, -1.1f, 0);
	ph__outline_add(&inner, -0.65f, 0);
	ph__shape_band(shape, &outer, &inner, 0.55f, false);
}

void ph__make_steps(struct ph__shape *shape)
{
	for (int step = 0; step < 4; step++) {
		float height = 0.22f * (float)(step + 1), near = -0.6f + 0.3f * (float)step;
		ph__shape_box_at(shape, (float[3]){near + 0.15f, height / 2, 0},
				 (float[3]){0.3f, height, 1.5f});
	}
}

void ph__make_pedestal(struct ph__shape *shape)
{
	static const float points[][2] = {
		{0.36f, 0}, {0.36f, 0.10f}, {0.31f, 0.14f}, {0.27f, 0.17f}, {0.25f, 0.24f},
		{0.24f, 0.62f}, {0.26f, 0.68f}, {0.31f, 0.71f}, {0.34f, 0.76f}, {0.34f, 0.84f},
		{0, 0.84f},
	};
	LATHE(shape, points, 20);
}

void ph__make_table_top(struct ph__shape *shape)
{
	ph__shape_box(shape, 1.0f, 0.07f, 1.9f, 0.02f, 1);
	for (uint32_t i = 0; i < shape->vertex_count; i++) {
		struct ph__vertex *vertex = &shape->vertices[i];
		vertex->uv[0] = vertex->position_m[2] / 1.9f + 0.5f; /* planks run along it */
		vertex->uv[1] = vertex->position_m[0] + 0.5f + vertex->position_m[1];
		vertex->position_m[1] += 0.765f;
	}
}

void ph__make_table_legs(struct ph__shape *shape)
{
	for (int corner = 0; corner < 4; corner++) {
		float x = corner & 1 ? 0.42f : -0.42f, z = corner & 2 ? 0.86f : -0.86f;
		ph__shape_box_at(shape, (float[3]){x, 0.365f, z}, (float[3]){0.07f, 0.73f, 0.07f});
	}
}

void ph__make_cylinder(struct ph__shape *shape)
{
	static const float points[][2] = {
		{0, 0}, {0.31f, 0}, {0.33f, 0.02f}, {0.33f, 0.88f}, {0.31f, 0.9f}, {0, 0.9f},
	};
	LATHE(shape, points, 28);
}

void ph__make_cone(struct ph__shape *shape)
{
	static const float points[][2] = {{0, 0}, {0.42f, 0}, {0.012f, 1.05f}, {0, 1.06f}};
	LATHE(shape, points, 28);
}

void ph__make_pawn(struct ph__shape *shape)
{
	struct ph__outline outline = {.count = 0};
	static const float foot[][2] = {
		{0, 0}, {0.30f, 0}, {0.31f, 0.05f}, {0.29f, 0.10f}, {0.24f, 0.14f}, {0.23f, 0.18f},
		{0.16f, 0.27f}, {0.12f, 0.38f}, {0.10f, 0.50f}, {0.10f, 0.55f}, {0.20f, 0.58f},
		{0.20f, 0.61f}, {0.11f, 0.64f},
	};
	for (uint32_t i = 0; i < sizeof(foot) / sizeof(foot[0]); i++)
		ph__outline_add(&outline, foot[i][0], foot[i][1]);
	ph__outline_arc(&outline, 0, 0.78f, 0.175f, -50, 90, 7);
	ph__shape_lathe(shape, &outline, 20);
}

void ph__make_vase(struct ph__shape *shape)
{
	static const float points[][2] = {
		{0, 0}, {0.075f, 0}, {0.085f, 0.01f}, {0.125f, 0.07f}, {0.145f, 0.14f},
		{0.135f, 0.21f}, {0.095f, 0.28f}, {0.06f, 0.34f}, {0.055f, 0.38f}, {0.075f, 0.43f},
		{0.07f, 0.435f}, {0.045f, 0.38f}, {0, 0.36f},
	};
	LATHE(shape, points, 16);
}

void ph__make_bowl(struct ph__shape *shape)
{
	static const float points[][2] = {
		{0, 0}, {0.09f, 0}, {0.09f, 0.015f}, {0.16f, 0.05f}, {0.21f, 0.10f}, {0.23f, 0.15f},
		{0.215f, 0.15f}, {0.195f, 0.105f}, {0.145f, 0.06f}, {0, 0.04f},
	};
	LATHE(shape, points, 18);
}

static void mug_handle(float t, float position[3])
{
	float angle = (t - 0.5f) * 3.4f;
	position[0] = 0;
	position[1] = 0.075f + 0.048f * sinf(angle);
	position[2] = 0.052f + 0.052f * cosf(angle);
}

void ph__make_mug(struct ph__shape *shape)
{
	static const float points[][2] = {
		{0, 0}, {0.055f, 0}, {0.062f, 0.008f}, {0.062f, 0.145f}, {0.056f, 0.145f},
		{0.054f, 0.02f}, {0, 0.015f},
	};
	static const struct ph__tube handle = {mug_handle, 0.011f, 10, 6, false};
	LATHE(shape, points, 16);
	ph__shape_tube(shape, &handle);
}

void ph__make_traffic_cone_foot(struct ph__shape *shape)
{
	ph__shape_box_at(shape, (float[3]){0, 0.02f, 0}, (float[3]){0.46f, 0.04f, 0.46f});
}

/* The cone's radius at a height; the bands lie 3 mm above it. */
static float traffic_cone_radius(float y)
{
	return 0.19f - 0.2f * y;
}

void ph__make_traffic_cone_body(struct ph__shape *shape)
{
	const float points[][2] = {
		{traffic_cone_radius(0.04f), 0.04f}, {traffic_cone_radius(0.7f), 0.7f},
		{traffic_cone_radius(0.7f) - 0.015f, 0.715f}, {0, 0.715f},
	};
	LATHE(shape, points, 20);
}

void ph__make_traffic_cone_bands(struct ph__shape *shape)
{
	for (int band = 0; band < 2; band++) {
		float low = 0.22f + 0.24f * (float)band, high = low + 0.12f;
		float below = traffic_cone_radius(low), above = traffic_cone_radius(high);
		const float points[][2] = {
			{below, low}, {below + 0.003f, low}, {above + 0.003f, high}, {above, high},
		};
		LATHE(shape, points, 20);
	}
}

void ph__make_domino(struct ph__shape *shape)
{
	ph__shape_box_at(shape, (float[3]){0, 0.2f, 0}, (float[3]){0.06f, 0.4f, 0.2f});
}

void ph__make_lamp_post(struct ph__shape *shape)
{
	static const float points[][2] = {
		{0.16f, 0}, {0.16f, 0.06f}, {0.07f, 0.12f}, {0.04f, 0.2f}, {0.035f, 2.25f},
		{0.08f, 2.3f}, {0.1f, 2.36f}, {0.05f, 2.38f},
	};
	LATHE(shape, points, 10);
}

void ph__make_lamp_globe(struct ph__shape *shape)
{
	struct ph__outline outline = {.count = 0};

	ph__outline_arc(&outline, 0, 2.53f, 0.18f, -90, 90, 8);
	ph__shape_lathe(shape, &outline, 16);
}

/* Four flat sides: corners are not shared, so it is no lathe. */
void ph__make_pyramid(struct ph__shape *shape)
{
	static const float corners[5][2] = {
		{0.4f, 0.4f}, {-0.4f, 0.4f}, {-0.4f, -0.4f}, {0.4f, -0.4f}, {0.4f, 0.4f}};
	static const float height = 0.66f, slope = 0.8552f; /* height and half a side, normalized */
	for (int side = 0; side < 4; side++) {
		const float *a = corners[side], *b = corners[side + 1];
		float x = (a[0] + b[0]) / 0.8f, z = (a[1] + b[1]) / 0.8f;
		const float normal[3] = {x * slope, 0.5183f, z * slope};
		uint32_t first = ph__shape_vertex(shape, (float[3]){a[0], 0, a[1]}, normal, 0, 1);
		ph__shape_vertex(shape, (float[3]){0, height, 0}, normal, 0.5f, 0);
		ph__shape_vertex(shape, (float[3]){b[0], 0, b[1]}, normal, 1, 1);
		ph__shape_triangle(shape, first, first + 1, first + 2);
	}
}

static void spring_path(float t, float position[3])
{
	float angle = t * 2 * (float)M_PI * 6;
	position[0] = 0.24f * cosf(angle);
	position[1] = 0.035f + 0.75f * t;
	position[2] = 0.24f * sinf(angle);
}

void ph__make_spring(struct ph__shape *shape)
{
	static const struct ph__tube spring = {spring_path, 0.035f, 72, 5, false};
	ph__shape_tube(shape, &spring);
}

void ph__make_sphere(struct ph__shape *shape)
{
	struct ph__outline outline = {.count = 0};

	ph__outline_arc(&outline, 0, 0, 0.5f, -90, 90, 12);
	ph__shape_lathe(shape, &outline, 24);
}

void ph__make_unit_cube(struct ph__shape *shape)
{
	ph__shape_box(shape, 1, 1, 1, 0, 0);
}

void ph__make_unit_cylinder(struct ph__shape *shape)
{
	static const float points[][2] = {{0, -0.5f}, {0.5f, -0.5f}, {0.5f, 0.5f}, {0, 0.5f}};
	LATHE(shape, points, 32);
}

void ph__make_unit_plane(struct ph__shape *shape)
{
	ph__shape_floor(shape, 1, 1, 1, 1);
}

void ph__make_cube(struct ph__shape *shape)
{
	ph__shape_box(shape, 0.8f, 0.8f, 0.8f, 0.08f, 2);
}

void ph__make_crate(struct ph__shape *shape)
{
	static const float bars[6][2][3] = {
		{{0.37f, 0, 0.37f}, {0.1f, 0.84f, 0.1f}},
		{{-0.37f, 0, 0.37f}, {0.1f, 0.84f, 0.1f}},
		{{0.37f, 0, -0.37f}, {0.1f, 0.84f, 0.1f}},
		{{-0.37f, 0, -0.37f}, {0.1f, 0.84f, 0.1f}},
		{{0, 0.37f, 0}, {0.82f, 0.1f, 0.82f}},
		{{0, -0.37f, 0}, {0.82f, 0.1f, 0.82f}},
	};
	ph__shape_box(shape, 0.74f, 0.74f, 0.74f, 0, 0);
	for (int i = 0; i < 6; i++)
		ph__shape_box_at(shape, bars[i][0], bars[i][1]);
}

void ph__make_torus(struct ph__shape *shape)
{
	struct ph__outline outline = {.count = 0};

	ph__outline_arc(&outline, 0.4f, 0, 0.14f, -180, 180, 12);
	ph__shape_lathe(shape, &outline, 30);
}

void ph__make_capsule(struct ph__shape *shape)
{
	struct ph__outline outline = {.count = 0};

	ph__outline_arc(&outline, 0, -0.3f, 0.22f, -90, 0, 5);
	ph__outline_arc(&outline, 0, 0.3f, 0.22f, 0, 90, 5);
	ph__shape_lathe(shape, &outline, 20);
}

void ph__make_gem(struct ph__shape *shape)
{
	ph__shape_gem(shape, 0.34f, 1);
}

void ph__make_gear(struct ph__shape *shape)
{
	/* Where a tooth's four corners are in its share of the circle, and at which radius. */
	static const float tooth[4][2] = {
		{0.05f, 0.40f}, {0.25f, 0.5f}, {0.5f, 0.5f}, {0.7f, 0.40f}};
	enum { TEETH = 14 };
	struct ph__outline outer = {.count = 0}, inner = {.count = 0};

	for (int i = 0; i < TEETH; i++)
		for (int k = 0; k < 4; k++) {
			float angle = ((float)i + tooth[k][0]) / TEETH * 2 * (float)M_PI;
			ph__outline_add(&outer, tooth[k][1] * cosf(angle),
					tooth[k][1] * sinf(angle));
			ph__outline_add(&inner, 0.17f * cosf(angle), 0.17f * sinf(angle));
		}
	ph__shape_band(shape, &outer, &inner, 0.16f, true);
}

void ph__make_star(struct ph__shape *shape)
{
	struct ph__outline outer = {.count = 0}, inner = {.count = 0};

	for (int i = 0; i < 10; i++) {
		float radius = i % 2 ? 0.2f : 0.46f;
		float angle = ((float)i / 10 + 0.25f) * 2 * (float)M_PI;
		ph__outline_add(&outer, radius * cosf(angle), radius * sinf(angle));
		ph__outline_add(&inner, 0, 0);
	}
	ph__shape_band(shape, &outer, &inner, 0.16f, true);
}

/* A (2, 3) torus knot. */
static void knot_path(float t, float position[3])
{
	float angle = t * 2 * (float)M_PI;
	float radius = 0.26f + 0.11f * cosf(3 * angle);
	position[0] = 0.13f * sinf(3 * angle);
	position[1] = radius * cosf(2 * angle);
	position[2] = radius * sinf(2 * angle);
}

void ph__make_knot(struct ph__shape *shape)
{
	static const struct ph__tube knot = {knot_path, 0.062f, 72, 7, true};
	ph__shape_tube(shape, &knot);
}
