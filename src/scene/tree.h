/* SPDX-License-Identifier: MIT */
/* Boxes within boxes about the triangles of a mesh, so that a ray need not try them all. */
#ifndef SCENE_TREE_H
#define SCENE_TREE_H

#include "scene/scene.h"

struct ph__tree_node {
	float lower_m[3], upper_m[3];
	uint32_t first; /* of a leaf's triangles, or of its two children */
	uint32_t count; /* of a leaf's triangles, or 0 */
};

struct ph__tree {
	struct ph__tree_node *nodes; /* the first holds all; none: no triangles */
	uint32_t *triangles;         /* their numbers in the mesh, leaf by leaf */
	uint32_t node_count;
};

/* A ray in the mesh's axes, where outside is where triangles are counter-clockwise, whether the
 * mesh is mirrored in the world or not; distances are in lengths of `direction`. */
struct ph__tree_ray {
	double from_m[3], direction[3], per_direction[3];
	double nearest, farthest;
};

struct ph__tree_hit {
	double distance;
	double u, v; /* of the triangle's second and third corner; the first has the rest */
	uint32_t triangle;
};

/* Errors: PH_ENOSPC. */
ph_status ph__tree_build(struct ph__tree *tree, const struct ph__mesh *mesh);
void ph__tree_finish(struct ph__tree *tree);

/* The first triangle whose outside the ray meets between `nearest` and `farthest`. */
bool ph__tree_meet(const struct ph__tree *tree, const struct ph__mesh *mesh,
		   const struct ph__tree_ray *ray, struct ph__tree_hit *hit);

/* Whether a ray passes through a box before `farthest`. */
bool ph__box_meet(const float lower_m[3], const float upper_m[3], const struct ph__tree_ray *ray,
		  double farthest);

#endif
