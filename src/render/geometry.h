/* SPDX-License-Identifier: MIT */
/* The assets on the device: one buffer of vertices and one of indices for all meshes, and the
 * textures. */
#ifndef RENDER_GEOMETRY_H
#define RENDER_GEOMETRY_H

#include "render/device.h"

/* The attributes of object.vert; the first three are a vertex's, the others come once for each
 * draw, from a struct ph__draw_record. */
enum ph__attribute {
	PH__ATTRIBUTE_POSITION,
	PH__ATTRIBUTE_NORMAL,
	PH__ATTRIBUTE_UV,
	PH__ATTRIBUTE_MODEL,                                 /* three rows */
	PH__ATTRIBUTE_NORMAL_MATRIX = PH__ATTRIBUTE_MODEL + 3, /* three rows */
	PH__ATTRIBUTE_SURFACE = PH__ATTRIBUTE_NORMAL_MATRIX + 3,
	PH__ATTRIBUTE_GLOW,
	PH__ATTRIBUTE_MASK,
	PH__ATTRIBUTE_MOTION, /* three rows */
};

enum ph__binding { PH__BINDING_VERTEX, PH__BINDING_RECORD };

struct ph__draw_record {
	float model[3][4];  /* rows: object to the world's axes, relative to the view's position */
	float normal[3][3]; /* rows */
	float surface[4];   /* base colour, roughness */
	float glow[4];      /* emissive, metallic */
	uint8_t mask[4];
	float motion[3][4]; /* rows: see ph__motion_of() */
};

/* Where a mesh is in the two buffers. */
struct ph__mesh_range {
	uint32_t first_index, index_count, first_vertex;
};

struct ph__geometry {
	GLuint vertex_array, vertex_buffer, index_buffer;
	struct ph__mesh_range *ranges;
	GLuint *textures;
	uint32_t texture_count;
};

/* Errors: PH_ENOSPC, PH_ETOOBIG (a texture), PH_ESYS. What was made before a failure is freed by
 * ph__geometry_finish(), as always. */
ph_status ph__geometry_upload(struct ph__geometry *geometry, struct ph__device *device,
			      const struct ph__assets *assets);
void ph__geometry_finish(struct ph__geometry *geometry);

#endif
