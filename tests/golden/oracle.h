/* SPDX-License-Identifier: MIT */
/* A second pair of eyes: a ray caster of a few lines that tries every triangle, with the pose
 * formula and nothing else of the renderer's. What is seen from behind, or nearer than a
 * centimetre, is not seen. */
#ifndef GOLDEN_ORACLE_H
#define GOLDEN_ORACLE_H

#include "stage.h"

struct triangle;

struct oracle {
	struct triangle *triangles;
	uint32_t count, object_count;
	double (*centers)[3], *radii; /* of each object, to pass it by */
	uint32_t *first;              /* each object's first triangle; one more at the end */
};

struct hit {
	int object;      /* -1: none */
	double distance; /* in lengths of the ray */
	double shaded[3], geometric[3]; /* unit normals in the world */
};

struct oracle make_oracle(const struct ph__scene *scene);
void free_oracle(struct oracle *oracle);

struct hit cast_ray(const struct oracle *oracle, const double from[3], const double ray[3]);

/* Distances are depths along the camera's axis. */
struct hit cast_pixel(const struct oracle *oracle, const struct ph__view *view, double x_px,
		      double y_px);

#endif
