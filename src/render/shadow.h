/* SPDX-License-Identifier: MIT */
/* The sun's shadow map. It is the same for all cameras and is drawn again only when the scene has
 * changed. */
#ifndef RENDER_SHADOW_H
#define RENDER_SHADOW_H

#include "render/draw_list.h"

enum { PH__SHADOW_SIDE_PX = 2048 };

struct ph__shadow {
	GLuint map, framebuffer, program;
	double matrix[3][4]; /* rows: world to the map's u, v and depth, each in [0, 1] */
	double center_m[3];  /* of the map: what is drawn into it is placed relative to this */
	float texel_m;
	bool drawn;
	uint64_t version; /* of the snapshot that it was drawn from */
};

ph_status ph__shadow_create(struct ph__shadow *shadow, struct ph__device *device);
void ph__shadow_finish(struct ph__shadow *shadow);

/* Draws the map anew if the snapshot is another than last time; uses the list, and the stream for
 * the list's records. */
void ph__shadow_update(struct ph__shadow *shadow, const struct ph__snapshot *snapshot,
		       const struct ph__geometry *geometry, struct ph__draw_list *list,
		       struct ph__stream *stream);

/* Rows as in shadow->matrix, for points relative to `origin_m`. */
void ph__shadow_matrix_for(const struct ph__shadow *shadow, const double origin_m[3],
			   float matrix[3][4]);

#endif
