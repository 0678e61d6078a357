/* SPDX-License-Identifier: MIT */
/* Surfaces of rotation and round tubes: grids of vertices, one ring after the other. */
#include <math.h>

#include "scene/shape.h"

#define SHARP_COSINE 0.766f /* of 40 degrees */

static float cosine_between(const float a[2], const float b[2])
{
	return a[0] * b[0] + a[1] * b[1];
}

/* Of the silhouette's segment from point i to the next: to the right of its direction. */
static bool segment_normal(const struct ph__outline *outline, uint32_t i, float normal[2])
{
	float dx = outline->points[i + 1][0] - outline->points[i][0];
	float dy = outline->points[i + 1][1] - outline->points[i][1];
	float length = hypotf(dx, dy);

	if (length < 1e-6f)
		return false;
	normal[0] = dy / length;
	normal[1] = -dx / length;
	return true;
}

/* The normal at one end of segment i, shared with its neighbour when the corner is blunt. */
static void corner_normal(const struct ph__outline *outline, uint32_t i, uint32_t end,
			  const float own[2], float normal[2])
{
	float other[2];
	bool has_other = end ? i + 2 < outline->count && segment_normal(outline, i + 1, other)
			     : i > 0 && segment_normal(outline, i - 1, other);

	normal[0] = own[0];
	normal[1] = own[1];
	if (!has_other || cosine_between(own, other) < SHARP_COSINE)
		return;
	float x = own[0] + other[0], y = own[1] + other[1], length = hypotf(x, y);
	normal[0] = x / length;
	normal[1] = y / length;
}

static uint32_t add_ring(struct ph__shape *shape, const float point[2], const float normal[2],
			 uint32_t sides, float v)
{
	uint32_t first = shape->vertex_count;

	for (uint32_t side = 0; side <= sides; side++) {
		float part = (float)side / (float)sides;
		float c = cosf(part * 2 * (float)M_PI), s = sinf(part * 2 * (float)M_PI);
		const float position[3] = {point[0] * c, point[1], point[0] * s};
		const float outward[3] = {normal[0] * c, normal[1], normal[0] * s};
		ph__shape_vertex(shape, position, outward, part, v);
	}
	return first;
}

/* Joins two rings; a ring that is a single point gets one triangle for each side. */
static void join_rings(struct ph__shape *shape, uint32_t lower, uint32_t upper, uint32_t sides,
		       bool lower_is_point, bool upper_is_point)
{
	for (uint32_t side = 0; side < sides; side++) {
		uint32_t a = lower + side, b = upper + side;
		if (!lower_is_point)
			ph__shape_triangle(shape, a, b, a + 1);
		if (!upper_is_point)
			ph__shape_triangle(shape, a + 1, b, b + 1);
	}
}

void ph__shape_lathe(struct ph__shape *shape, const struct ph__outline *outline, uint32_t sides)
{
	for (uint32_t i = 0; i + 1 < outline->count; i++) {
		const float *lower = outline->points[i], *upper = outline->points[i + 1];
		float own[2], normal[2];
		float v = 1 - (float)i / (float)(outline->count - 1);
		float v_next = 1 - (float)(i + 1) / (float)(outline->count - 1);
		if (!segment_normal(outline, i, own))
			continue;
		corner_normal(outline, i, 0, own, normal);
		uint32_t first = add_ring(shape, lower, normal, sides, v);
		corner_normal(outline, i, 1, own, normal);
		uint32_t second = add_ring(shape, upper, normal, sides, v_next);
		join_rings(shape, first, second, sides, lower[0] < 1e-5f, upper[0] < 1e-5f);
	}
}

static void subtract(const float a[3], const float b[3], float difference[3])
{
	for (int i = 0; i < 3; i++)
		difference[i] = a[i] - b[i];
}

static void cross(const float a[3], const float b[3], float product[3])
{
	product[0] = a[1] * b[2] - a[2] * b[1];
	product[1] = a[2] * b[0] - a[0] * b[2];
	product[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(float v[3])
{
	float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int i = 0; i < 3; i++)
		v[i] /= length;
}

static void direction_at(const struct ph__tube *tube, float t, float direction[3])
{
	float before[3], behind[3];
	tube->path(t - 1e-3f, before);
	tube->path(t + 1e-3f, behind);
	subtract(behind, before, direction);
	normalize(direction);
}

/* Takes the frame of the ring before along with as little turning as the bend asks for. */
static void carry_frame(const float direction[3], float side[3], float other[3])
{
	cross(direction, side, other);
	normalize(other);
	cross(other, direction, side);
}

static void add_tube_ring(struct ph__shape *shape, const struct ph__tube *tube, float t,
			  const float side[3], const float other[3])
{
	float center[3];

	tube->path(t, center);
	for (uint32_t i = 0; i <= tube->sides; i++) {
		float part = (float)i / (float)tube->sides;
		float c = cosf(part * 2 * (float)M_PI), s = sinf(part * 2 * (float)M_PI);
		float position[3], normal[3];
		for (int k = 0; k < 3; k++) {
			normal[k] = c * side[k] + s * other[k];
			position[k] = center[k] + tube->radius * normal[k];
		}
		ph__shape_vertex(shape, position, normal, t, part);
	}
}

static void add_tube_cap(struct ph__shape *shape, const struct ph__tube *tube, uint32_t ring,
			 float t, float facing)
{
	float center[3], normal[3];

	tube->path(t, center);
	direction_at(tube, t, normal);
	for (int k = 0; k < 3; k++)
		normal[k] *= facing;
	uint32_t middle = ph__shape_vertex(shape, center, normal, t, 0);
	for (uint32_t i = 0; i < tube->sides && !shape->failed; i++) {
		/* Copies: adding a vertex may move the others. */
		struct ph__vertex a = shape->vertices[ring + i], b = shape->vertices[ring + i + 1];
		uint32_t first = ph__shape_vertex(shape, a.position_m, normal, t, 0);
		uint32_t second = ph__shape_vertex(shape, b.position_m, normal, t, 0);
		ph__shape_triangle(shape, middle, facing > 0 ? first : second,
				   facing > 0 ? second : first);
	}
}

/* The angle by which the frame has turned after one lap of a closed path; spread over the rings it
 * makes the last ring meet the first. */
static float lap_turn(const struct ph__tube *tube, const float first_side[3])
{
	float side[3] = {first_side[0], first_side[1], first_side[2]}, other[3], direction[3];

	for (uint32_t ring = 0; ring <= tube->rings; ring++) {
		direction_at(tube, (float)ring / (float)tube->rings, direction);
		carry_frame(direction, side, other);
	}
	float c = 0, s = 0;
	for (int k = 0; k < 3; k++) {
		c += first_side[k] * side[k];
		s += first_side[k] * other[k];
	}
	return atan2f(s, c);
}

void ph__shape_tube(struct ph__shape *shape, const struct ph__tube *tube)
{
	float direction[3], other[3];
	uint32_t first = shape->vertex_count;

	direction_at(tube, 0, direction);
	float side[3] = {direction[1], direction[2], direction[0]}; /* any that is not parallel */
	carry_frame(direction, side, other);
	float turn = tube->closed ? lap_turn(tube, side) : 0;

	for (uint32_t ring = 0; ring <= tube->rings; ring++) {
		float t = (float)ring / (float)tube->rings;
		float c = cosf(turn * t), s = sinf(turn * t), turned[3], turned_other[3];
		direction_at(tube, t, direction);
		carry_frame(direction, side, other);
		for (int k = 0; k < 3; k++) {
			turned[k] = c * side[k] + s * other[k];
			turned_other[k] = c * other[k] - s * side[k];
		}
		add_tube_ring(shape, tube, t, turned, turned_other);
		if (ring > 0)
			join_rings(shape, first + ring * (tube->sides + 1),
				   first + (ring - 1) * (tube->sides + 1), tube->sides, false,
				   false);
	}
	if (!tube->closed) {
		add_tube_cap(shape, tube, first, 0, -1);
		add_tube_cap(shape, tube, first + tube->rings * (tube->sides + 1), 1, 1);
	}
}
