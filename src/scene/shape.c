/* SPDX-License-Identifier: MIT */
#include "scene/shape.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"

enum { FIRST_CAPACITY = 64 };

void ph__outline_add(struct ph__outline *outline, float x, float y)
{
	if (outline->count == PH__OUTLINE_POINTS_MAX)
		return;
	outline->points[outline->count][0] = x;
	outline->points[outline->count][1] = y;
	outline->count++;
}

void ph__outline_arc(struct ph__outline *outline, float x, float y, float radius, float from_deg,
		     float to_deg, uint32_t steps)
{
	for (uint32_t i = 0; i <= steps; i++) {
		float part = (float)i / (float)steps;
		double angle_rad = (from_deg + (to_deg - from_deg) * part) * M_PI / 180;
		ph__outline_add(outline, x + radius * (float)cos(angle_rad),
				y + radius * (float)sin(angle_rad));
	}
}

/* Room for `more` elements behind `count`; false leaves everything as it was. */
static bool make_room(void **elements, uint32_t *capacity, uint32_t count, uint32_t more,
		      size_t element_bytes)
{
	uint32_t wanted = *capacity ? *capacity : FIRST_CAPACITY;

	if (count + more <= *capacity)
		return true;
	while (wanted < count + more)
		wanted *= 2;
	void *larger = ph__sys->realloc(*elements, wanted * element_bytes);
	if (!larger)
		return false;
	*elements = larger;
	*capacity = wanted;
	return true;
}

uint32_t ph__shape_vertex(struct ph__shape *shape, const float position[3], const float normal[3],
			  float u, float v)
{
	if (shape->failed || !make_room((void **)&shape->vertices, &shape->vertex_capacity,
					shape->vertex_count, 1, sizeof(shape->vertices[0]))) {
		shape->failed = true;
		return 0;
	}
	shape->vertices[shape->vertex_count] = (struct ph__vertex){
		.position_m = {position[0], position[1], position[2]},
		.normal = {normal[0], normal[1], normal[2]},
		.uv = {u, v},
	};
	return shape->vertex_count++;
}

void ph__shape_triangle(struct ph__shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
	if (shape->failed || !make_room((void **)&shape->indices, &shape->index_capacity,
					shape->index_count, 3, sizeof(shape->indices[0]))) {
		shape->failed = true;
		return;
	}
	uint32_t *at = &shape->indices[shape->index_count];
	at[0] = a;
	at[1] = b;
	at[2] = c;
	shape->index_count += 3;
}

static void find_bounds(struct ph__mesh *mesh)
{
	for (int i = 0; i < 3; i++) {
		mesh->lower_m[i] = INFINITY;
		mesh->upper_m[i] = -INFINITY;
	}
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		for (int i = 0; i < 3; i++) {
			float x = mesh->vertices[v].position_m[i];
			mesh->lower_m[i] = fminf(mesh->lower_m[i], x);
			mesh->upper_m[i] = fmaxf(mesh->upper_m[i], x);
		}
}

ph_status ph__shape_take(struct ph__shape *shape, struct ph__mesh *mesh)
{
	if (shape->failed) {
		ph__shape_finish(shape);
		return ph__fail(PH_ENOSPC, "no memory for a mesh");
	}
	mesh->vertices = shape->vertices;
	mesh->indices = shape->indices;
	mesh->vertex_count = shape->vertex_count;
	mesh->index_count = shape->index_count;
	find_bounds(mesh);
	memset(shape, 0, sizeof(*shape));
	return PH_OK;
}

void ph__shape_finish(struct ph__shape *shape)
{
	ph__sys->free(shape->vertices);
	ph__sys->free(shape->indices);
	memset(shape, 0, sizeof(*shape));
}
