/* SPDX-License-Identifier: MIT */
/* Boxes, bands, floors and gems: surfaces made of flat pieces. */
#include <math.h>

#include "scene/shape.h"

static void face_normal(const float a[3], const float b[3], const float c[3], float normal[3])
{
	float u[3], v[3];

	for (int i = 0; i < 3; i++) {
		u[i] = b[i] - a[i];
		v[i] = c[i] - a[i];
	}
	normal[0] = u[1] * v[2] - u[2] * v[1];
	normal[1] = u[2] * v[0] - u[0] * v[2];
	normal[2] = u[0] * v[1] - u[1] * v[0];
	float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	for (int i = 0; i < 3 && length > 0; i++)
		normal[i] /= length;
}

static bool same_point(const float a[3], const float b[3])
{
	return fabsf(a[0] - b[0]) + fabsf(a[1] - b[1]) + fabsf(a[2] - b[2]) < 1e-6f;
}

static void add_flat_triangle(struct ph__shape *shape, const float a[3], const float b[3],
			      const float c[3], const float normal[3])
{
	if (same_point(a, b) || same_point(b, c) || same_point(c, a))
		return;
	uint32_t first = ph__shape_vertex(shape, a, normal, a[0], a[1]);
	ph__shape_vertex(shape, b, normal, b[0], b[1]);
	ph__shape_vertex(shape, c, normal, c[0], c[1]);
	ph__shape_triangle(shape, first, first + 1, first + 2);
}

/* The flat quadrilateral a, b, c, d, counter-clockwise; pairs of its corners may coincide. */
static void add_flat_quad(struct ph__shape *shape, const float a[3], const float b[3],
			  const float c[3], const float d[3])
{
	float normal[3];

	if (same_point(a, b) || same_point(c, d) || same_point(b, c) || same_point(a, d)) {
		face_normal(a, b, same_point(b, c) || same_point(a, b) ? d : c, normal);
		if (same_point(a, b))
			face_normal(a, c, d, normal);
		add_flat_triangle(shape, a, b, c, normal);
		add_flat_triangle(shape, a, c, d, normal);
		return;
	}
	face_normal(a, b, c, normal);
	uint32_t first = ph__shape_vertex(shape, a, normal, 0, 1);
	ph__shape_vertex(shape, b, normal, 1, 1);
	ph__shape_vertex(shape, c, normal, 1, 0);
	ph__shape_vertex(shape, d, normal, 0, 0);
	ph__shape_triangle(shape, first, first + 1, first + 2);
	ph__shape_triangle(shape, first, first + 2, first + 3);
}

static void lift(const float point[2], float z, float lifted[3])
{
	lifted[0] = point[0];
	lifted[1] = point[1];
	lifted[2] = z;
}

/* One cell of a band: its two caps and its two sides. */
static void add_band_cell(struct ph__shape *shape, const float outer[2][2], const float inner[2][2],
			  float half)
{
	float o[2][2][3], i[2][2][3]; /* [front][end] */

	for (int front = 0; front < 2; front++)
		for (int end = 0; end < 2; end++) {
			lift(outer[end], front ? half : -half, o[front][end]);
			lift(inner[end], front ? half : -half, i[front][end]);
		}
	add_flat_quad(shape, o[1][0], o[1][1], i[1][1], i[1][0]);
	add_flat_quad(shape, o[0][1], o[0][0], i[0][0], i[0][1]);
	if (!same_point(o[0][0], o[0][1]))
		add_flat_quad(shape, o[0][0], o[0][1], o[1][1], o[1][0]);
	if (!same_point(i[0][0], i[0][1]))
		add_flat_quad(shape, i[0][1], i[0][0], i[1][0], i[1][1]);
}

static void add_band_end(struct ph__shape *shape, const float from[2], const float to[2],
			 float half)
{
	float a[3], b[3], c[3], d[3];

	lift(from, -half, a);
	lift(to, -half, b);
	lift(to, half, c);
	lift(from, half, d);
	if (!same_point(a, b))
		add_flat_quad(shape, a, b, c, d);
}

void ph__shape_band(struct ph__shape *shape, const struct ph__outline *outer,
		    const struct ph__outline *inner, float depth, bool closed)
{
	uint32_t count = outer->count < inner->count ? outer->count : inner->count;

	for (uint32_t i = 0; i + !closed < count; i++) {
		uint32_t next = (i + 1) % count;
		const float out[2][2] = {{outer->points[i][0], outer->points[i][1]},
					 {outer->points[next][0], outer->points[next][1]}};
		const float in[2][2] = {{inner->points[i][0], inner->points[i][1]},
					{inner->points[next][0], inner->points[next][1]}};
		add_band_cell(shape, out, in, depth / 2);
	}
	if (closed)
		return;
	add_band_end(shape, inner->points[0], outer->points[0], depth / 2);
	add_band_end(shape, outer->points[count - 1], inner->points[count - 1], depth / 2);
}

/* The three axes of each face of a box: u, v and the normal, u x v = normal. */
static const struct face {
	int u, v, n;
	float u_sign, n_sign;
} faces[6] = {
	{2, 1, 0, -1, 1}, {2, 1, 0, 1, -1}, {0, 2, 1, 1, 1},
	{0, 2, 1, 1, -1}, {0, 1, 2, 1, 1}, {0, 1, 2, -1, -1},
};

static float v_sign(const struct face *face)
{
	return face->n == 1 ? -face->n_sign : 1;
}

/* Where grid line `index` of 2 * steps + 2 lies, from -half to half: all lines are in the rounded
 * parts at both ends. */
static float grid_line(uint32_t index, uint32_t steps, float half, float rounding)
{
	if (index <= steps)
		return -half + (steps ? rounding * (float)index / (float)steps : 0);
	return half - (steps ? rounding * (float)(2 * steps + 1 - index) / (float)steps : 0);
}

/* Pushes a point of the sharp box onto the rounded one. */
static void round_corner(const float half[3], float rounding, float position[3], float normal[3])
{
	float length = 0, inner[3];

	for (int i = 0; i < 3; i++) {
		float limit = half[i] - rounding;
		inner[i] = fminf(fmaxf(position[i], -limit), limit);
		normal[i] = position[i] - inner[i];
		length += normal[i] * normal[i];
	}
	length = sqrtf(length);
	for (int i = 0; i < 3; i++) {
		normal[i] /= length;
		position[i] = inner[i] + rounding * normal[i];
	}
}

static void add_box_vertex(struct ph__shape *shape, const struct face *face, const float half[3],
			   float rounding, float u, float v)
{
	float position[3], normal[3] = {0};

	position[face->u] = u * face->u_sign;
	position[face->v] = v * v_sign(face);
	position[face->n] = face->n_sign * half[face->n];
	normal[face->n] = face->n_sign;
	float s = u / half[face->u] * 0.5f + 0.5f, t = 0.5f - v / half[face->v] * 0.5f;
	if (rounding > 0)
		round_corner(half, rounding, position, normal);
	ph__shape_vertex(shape, position, normal, s, t);
}

static void add_box_face(struct ph__shape *shape, const struct face *face, const float half[3],
			 float rounding, uint32_t steps)
{
	uint32_t first = shape->vertex_count, lines = 2 * steps + 2;

	for (uint32_t row = 0; row < lines; row++)
		for (uint32_t column = 0; column < lines; column++)
			add_box_vertex(shape, face, half, rounding,
				       grid_line(column, steps, half[face->u], rounding),
				       grid_line(row, steps, half[face->v], rounding));
	for (uint32_t row = 0; row + 1 < lines; row++)
		for (uint32_t column = 0; column + 1 < lines; column++) {
			uint32_t a = first + row * lines + column;
			ph__shape_triangle(shape, a, a + 1, a + lines + 1);
			ph__shape_triangle(shape, a, a + lines + 1, a + lines);
		}
}

void ph__shape_box(struct ph__shape *shape, float width, float height, float depth, float rounding,
		   uint32_t steps)
{
	const float half[3] = {width / 2, height / 2, depth / 2};

	for (int i = 0; i < 6; i++)
		add_box_face(shape, &faces[i], half, steps ? rounding : 0, steps);
}

void ph__shape_box_at(struct ph__shape *shape, const float center[3], const float size[3])
{
	uint32_t first = shape->vertex_count;

	ph__shape_box(shape, size[0], size[1], size[2], 0, 0);
	for (uint32_t i = first; i < shape->vertex_count; i++)
		for (int k = 0; k < 3; k++)
			shape->vertices[i].position_m[k] += center[k];
}

void ph__shape_floor(struct ph__shape *shape, float width, float depth, uint32_t cells,
		     float repeat)
{
	static const float up[3] = {0, 1, 0};
	uint32_t first = shape->vertex_count;

	for (uint32_t row = 0; row <= cells; row++)
		for (uint32_t column = 0; column <= cells; column++) {
			float x = width * ((float)column / (float)cells - 0.5f);
			float z = depth * ((float)row / (float)cells - 0.5f);
			const float position[3] = {x, 0, z};
			ph__shape_vertex(shape, position, up, x / repeat, z / repeat);
		}
	for (uint32_t row = 0; row < cells; row++)
		for (uint32_t column = 0; column < cells; column++) {
			uint32_t a = first + row * (cells + 1) + column, b = a + cells + 1;
			ph__shape_triangle(shape, a, b, a + 1);
			ph__shape_triangle(shape, a + 1, b, b + 1);
		}
}

static void middle_on_ball(const float a[3], const float b[3], float middle[3])
{
	float length = 0;

	for (int i = 0; i < 3; i++) {
		middle[i] = a[i] + b[i];
		length += middle[i] * middle[i];
	}
	for (int i = 0; i < 3; i++)
		middle[i] /= sqrtf(length);
}

static void add_facet(struct ph__shape *shape, const float a[3], const float b[3], const float c[3],
		      float radius, uint32_t splits)
{
	float ab[3], bc[3], ca[3], normal[3];

	if (splits == 0) {
		const float p[3] = {a[0] * radius, a[1] * radius, a[2] * radius};
		const float q[3] = {b[0] * radius, b[1] * radius, b[2] * radius};
		const float r[3] = {c[0] * radius, c[1] * radius, c[2] * radius};
		face_normal(p, q, r, normal);
		add_flat_triangle(shape, p, q, r, normal);
		return;
	}
	middle_on_ball(a, b, ab);
	middle_on_ball(b, c, bc);
	middle_on_ball(c, a, ca);
	add_facet(shape, a, ab, ca, radius, splits - 1);
	add_facet(shape, ab, b, bc, radius, splits - 1);
	add_facet(shape, ca, bc, c, radius, splits - 1);
	add_facet(shape, ab, bc, ca, radius, splits - 1);
}

void ph__shape_gem(struct ph__shape *shape, float radius, uint32_t splits)
{
	/* (0, +-1, +-g), (+-1, +-g, 0), (+-g, 0, +-1) of unit length, g the golden ratio. */
	static const float s = 0.5257311f, l = 0.8506508f;
	const float corners[12][3] = {
		{-s, l, 0}, {s, l, 0}, {-s, -l, 0}, {s, -l, 0}, {0, -s, l}, {0, s, l},
		{0, -s, -l}, {0, s, -l}, {l, 0, -s}, {l, 0, s}, {-l, 0, -s}, {-l, 0, s},
	};
	static const uint8_t triangles[20][3] = {
		{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
		{11, 10, 2}, {10, 7, 6}, {7, 1, 8}, {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8},
		{3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1},
	};
	for (int i = 0; i < 20; i++)
		add_facet(shape, corners[triangles[i][0]], corners[triangles[i][1]],
			  corners[triangles[i][2]], radius, splits);
}
