/* SPDX-License-Identifier: MIT */
/* Moves a ball against triangles. Every part of an inflated triangle is tried for itself: its two
 * faces, three edges as open cylinders, three corners as balls (after K. Fauerby, "Improved
 * Collision detection and Response", 2003). Times are shares of the way. */
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define NEVER 1.0

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] - b[i];
}

static void cross(const double a[3], const double b[3], double out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

struct way {
	double from[3], along[3], radius;
	double lower[3], upper[3]; /* of all that the ball passes over */
};

/* When a x^2 + 2 b x + c falls to 0, from above; NEVER if not on the way. */
static double falls_to_zero(double a, double b, double c)
{
	double under = b * b - a * c;

	if (c < 0 || b >= 0 || a <= 0 || under < 0)
		return NEVER;
	return fmin(NEVER, (-b - sqrt(under)) / a);
}

static double hit_corner(const struct way *way, const double corner[3])
{
	double apart[3];

	subtract(way->from, corner, apart);
	return falls_to_zero(dot(way->along, way->along), dot(way->along, apart),
			     dot(apart, apart) - way->radius * way->radius);
}

static double hit_edge(const struct way *way, const double a[3], const double b[3])
{
	double edge[3], apart[3];

	subtract(b, a, edge);
	subtract(way->from, a, apart);
	double length2 = dot(edge, edge);
	if (length2 == 0)
		return NEVER;
	double fall = dot(edge, way->along) / length2, start = dot(edge, apart) / length2;
	double time = falls_to_zero(
		dot(way->along, way->along) - fall * fall * length2,
		dot(way->along, apart) - fall * start * length2,
		dot(apart, apart) - start * start * length2 - way->radius * way->radius);
	double place = start + time * fall;
	return place >= 0 && place <= 1 ? time : NEVER;
}

static bool is_inside(const double point[3], double corners[3][3], const double normal[3])
{
	for (int i = 0; i < 3; i++) {
		double edge[3], apart[3], side[3];
		subtract(corners[(i + 1) % 3], corners[i], edge);
		subtract(point, corners[i], apart);
		cross(edge, apart, side);
		if (dot(side, normal) < 0)
			return false;
	}
	return true;
}

/* Either face, at `radius` from the plane; `normal` is of unit length. */
static double hit_face(const struct way *way, double radius, double corners[3][3],
		       const double normal[3])
{
	double apart[3], point[3];

	subtract(way->from, corners[0], apart);
	double height = dot(apart, normal), fall = dot(way->along, normal);
	double side = height >= 0 ? 1 : -1;
	double gap = side * height - radius, speed = -side * fall;
	if (gap < 0 || speed <= 0 || gap >= speed)
		return NEVER;
	double time = gap / speed;
	for (int i = 0; i < 3; i++)
		point[i] = way->from[i] + time * way->along[i];
	return is_inside(point, corners, normal) ? time : NEVER;
}

static double hit_triangle(const struct way *way, double corners[3][3])
{
	double a[3], b[3], normal[3], first = NEVER;

	subtract(corners[1], corners[0], a);
	subtract(corners[2], corners[0], b);
	cross(a, b, normal);
	double length = sqrt(dot(normal, normal));
	for (int i = 0; length > 0 && i < 3; i++)
		normal[i] /= length;
	if (length > 0) {
		first = fmin(first, hit_face(way, way->radius, corners, normal));
		first = fmin(first, hit_face(way, 0, corners, normal));
	}
	for (int i = 0; i < 3; i++) {
		first = fmin(first, hit_corner(way, corners[i]));
		first = fmin(first, hit_edge(way, corners[i], corners[(i + 1) % 3]));
	}
	return first;
}

static bool apart(const struct way *way, const double lower[3], const double upper[3])
{
	for (int i = 0; i < 3; i++)
		if (lower[i] > way->upper[i] || upper[i] < way->lower[i])
			return true;
	return false;
}

static bool is_far(const struct way *way, double corners[3][3])
{
	double lower[3], upper[3];

	for (int i = 0; i < 3; i++) {
		lower[i] = fmin(corners[0][i], fmin(corners[1][i], corners[2][i]));
		upper[i] = fmax(corners[0][i], fmax(corners[1][i], corners[2][i]));
	}
	return apart(way, lower, upper);
}

static void place_corner(const double model[16], const struct ph__vertex *vertex, double out[3])
{
	for (int row = 0; row < 3; row++) {
		out[row] = model[12 + row];
		for (int i = 0; i < 3; i++)
			out[row] += model[4 * i + row] * vertex->position_m[i];
	}
}

static double hit_mesh(const struct way *way, const struct ph__mesh *mesh, const double model[16])
{
	double corners[3][3], first = NEVER;

	for (uint32_t i = 0; i + 2 < mesh->index_count; i += 3) {
		for (int k = 0; k < 3; k++)
			place_corner(model, &mesh->vertices[mesh->indices[i + (uint32_t)k]],
				     corners[k]);
		if (!is_far(way, corners))
			first = fmin(first, hit_triangle(way, corners));
	}
	return first;
}

static double hit_object(const struct way *way, const struct ph__scene *scene,
			 const struct ph__object *object)
{
	double lower[3], upper[3], model[16], first = NEVER;

	ph__scene_object_bounds(scene, object, lower, upper);
	if (apart(way, lower, upper))
		return NEVER;
	ph__object_model(object, model);
	for (uint32_t i = 0; i < object->part_count; i++) {
		uint32_t mesh = scene->assets.parts[object->first_part + i].mesh;
		first = fmin(first, hit_mesh(way, &scene->assets.meshes[mesh], model));
	}
	return first;
}

double ph__scene_sweep(const struct ph__scene *scene, const double from_m[3], const double to_m[3],
		       double radius_m, uint64_t except)
{
	struct way way = {.radius = radius_m};
	double first = NEVER;

	memcpy(way.from, from_m, sizeof(way.from));
	subtract(to_m, from_m, way.along);
	for (int i = 0; i < 3; i++) {
		way.lower[i] = fmin(from_m[i], to_m[i]) - radius_m;
		way.upper[i] = fmax(from_m[i], to_m[i]) + radius_m;
	}
	for (uint32_t i = 0; i < scene->object_count; i++) {
		const struct ph__object *object = &scene->objects[i];
		if (!object->hidden && object->id != except)
			first = fmin(first, hit_object(&way, scene, object));
	}
	return first;
}
