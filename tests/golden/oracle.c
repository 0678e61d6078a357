/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>

struct triangle {
	double corner[3], edge1[3], edge2[3], normals[3][3];
	uint32_t object;
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

/* Normals shrink where positions stretch. */
static void turn_normal(const struct ph__object *object, const float local[3], double world[3])
{
	struct ph__object turned = *object;
	float shrunk[3];

	for (int i = 0; i < 3; i++) {
		turned.pose.position_m[i] = 0;
		turned.scale[i] = 1;
		shrunk[i] = (float)(local[i] / object->scale[i]);
	}
	to_world(&turned, shrunk, world);
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
		for (uint32_t k = 0; k < 3; k++)
			turn_normal(&scene->objects[object],
				    mesh->vertices[mesh->indices[i + k]].normal,
				    triangle->normals[mirrored ? 2 - k : k]);
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

struct oracle make_oracle(const struct ph__scene *scene)
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
	oracle.object_count = scene->object_count;
	return oracle;
}

void free_oracle(struct oracle *oracle)
{
	free(oracle->triangles);
	free(oracle->centers);
	free(oracle->radii);
	free(oracle->first);
}

/* Möller and Trumbore's test; what is seen from behind is not seen. Returns the distance in units
 * of the ray, or INFINITY. */
static double meet(const struct triangle *triangle, const double from[3], const double ray[3],
		   double share[2])
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
	share[0] = u;
	share[1] = v;
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

static void set_normals(const struct triangle *triangle, const double share[2], struct hit *hit)
{
	for (int i = 0; i < 3; i++)
		hit->shaded[i] = (1 - share[0] - share[1]) * triangle->normals[0][i] +
				 share[0] * triangle->normals[1][i] +
				 share[1] * triangle->normals[2][i];
	cross(triangle->edge1, triangle->edge2, hit->geometric);
	double shaded = sqrt(dot(hit->shaded, hit->shaded));
	double geometric = sqrt(dot(hit->geometric, hit->geometric));
	for (int i = 0; i < 3; i++) {
		hit->shaded[i] /= shaded;
		hit->geometric[i] /= geometric;
	}
}

struct hit cast_ray(const struct oracle *oracle, const double from[3], const double ray[3])
{
	struct hit hit = {.object = -1, .distance = INFINITY};
	double share[2] = {0, 0};

	for (uint32_t object = 0; object < oracle->object_count; object++) {
		if (passes_by(oracle, object, from, ray))
			continue;
		for (uint32_t i = oracle->first[object]; i < oracle->first[object + 1]; i++) {
			double t = meet(&oracle->triangles[i], from, ray, share);
			if (t >= hit.distance)
				continue;
			hit.object = (int)object;
			hit.distance = t;
			set_normals(&oracle->triangles[i], share, &hit);
		}
	}
	return hit;
}

struct hit cast_pixel(const struct oracle *oracle, const struct ph__view *view, double x_px,
		      double y_px)
{
	struct ph__object camera = {.pose = view->pose, .scale = {1, 1, 1}};
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2));
	const double *from = view->pose.position_m;
	const float local[3] = {1, (float)((view->height_px / 2.0 - y_px) / focal_px),
				(float)((x_px - view->width_px / 2.0) / focal_px)};
	double ray[3];

	to_world(&camera, local, ray); /* its part along forward is 1: distances are depths */
	for (int i = 0; i < 3; i++)
		ray[i] -= from[i];
	return cast_ray(oracle, from, ray);
}
