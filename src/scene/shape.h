/* SPDX-License-Identifier: MIT */
/* Makes meshes from a few kinds of geometry. Units are metres, up is +Y, triangles are
 * counter-clockwise seen from outside.
 *
 * A failed allocation leaves `failed` set and makes every later call do nothing; callers check
 * once, at the end. */
#ifndef SCENE_SHAPE_H
#define SCENE_SHAPE_H

#include "scene/scene.h"

struct ph__shape {
	struct ph__vertex *vertices;
	uint32_t *indices;
	uint32_t vertex_count, vertex_capacity;
	uint32_t index_count, index_capacity;
	bool failed;
};

/* A line of points in a plane: half of a lathe's silhouette, or the edge of a flat shape. */
enum { PH__OUTLINE_POINTS_MAX = 160 };

struct ph__outline {
	float points[PH__OUTLINE_POINTS_MAX][2];
	uint32_t count;
};

/* Points beyond PH__OUTLINE_POINTS_MAX are dropped. */
void ph__outline_add(struct ph__outline *outline, float x, float y);

/* `steps` + 1 points of a circle about (x, y) from one angle to the other, in degrees, from +x
 * towards +y. */
void ph__outline_arc(struct ph__outline *outline, float x, float y, float radius, float from_deg,
		     float to_deg, uint32_t steps);

uint32_t ph__shape_vertex(struct ph__shape *shape, const float position[3], const float normal[3],
			  float u, float v);
void ph__shape_triangle(struct ph__shape *shape, uint32_t a, uint32_t b, uint32_t c);

/* Turns an outline of (radius, height), from the bottom along the outside to the top, about the Y
 * axis. Corners sharper than 40 degrees are kept sharp. */
void ph__shape_lathe(struct ph__shape *shape, const struct ph__outline *outline, uint32_t sides);

/* A round tube along `path(t)`, t from 0 to 1; it joins its ends if it is closed, or has caps. */
struct ph__tube {
	void (*path)(float t, float position[3]);
	float radius;
	uint32_t rings, sides;
	bool closed;
};
void ph__shape_tube(struct ph__shape *shape, const struct ph__tube *tube);

/* The band between two outlines of the same number of points in the plane of X and Y, `depth` thick
 * about z = 0. `outer` has the band on its left. A closed band joins its ends; an open one ends
 * there. Points that coincide make no triangles, so an inner outline may shrink to a point. */
void ph__shape_band(struct ph__shape *shape, const struct ph__outline *outer,
		    const struct ph__outline *inner, float depth, bool closed);

/* A box about the origin; edges are rounded in `steps` steps, 0 leaves them sharp. */
void ph__shape_box(struct ph__shape *shape, float width, float height, float depth, float rounding,
		   uint32_t steps);

/* As ph__shape_box() with sharp edges, its centre elsewhere: for things made of several boxes. */
void ph__shape_box_at(struct ph__shape *shape, const float center[3], const float size[3]);

/* A horizontal rectangle of `cells` x `cells` cells; its texture repeats every `repeat` metres. */
void ph__shape_floor(struct ph__shape *shape, float width, float depth, uint32_t cells,
		     float repeat);

/* A ball of flat facets: an icosahedron, each face split in four `splits` times. */
void ph__shape_gem(struct ph__shape *shape, float radius, uint32_t splits);

/* Hands the shape over as a mesh, with its bounds; the shape is empty afterwards.
 * Errors: PH_ENOSPC if it has failed on the way. */
ph_status ph__shape_take(struct ph__shape *shape, struct ph__mesh *mesh);
void ph__shape_finish(struct ph__shape *shape);

#endif
