/* SPDX-License-Identifier: MIT */
/* What is to be drawn of a snapshot, nearest first. */
#ifndef RENDER_DRAW_LIST_H
#define RENDER_DRAW_LIST_H

#include "render/camera.h"
#include "render/geometry.h"
#include "render/stream.h"

struct ph__draw {
	float depth_m; /* what the list is sorted by: how far the middle of its bounds is */
	uint32_t part;
	const struct ph__instance *instance;
};

struct ph__draw_list {
	struct ph__draw *draws;
	uint32_t count, capacity;
	uint32_t first_record; /* in the stream, as if that held nothing but records */
};

/* Room for every part of every object, so that collecting cannot fail. Errors: PH_ENOSPC. */
ph_status ph__draw_list_reserve(struct ph__draw_list *list, const struct ph__snapshot *snapshot);

/* Collects what the camera may see, and sorts it. */
void ph__draw_list_collect(struct ph__draw_list *list, const struct ph__snapshot *snapshot,
			   const struct ph__camera_frame *camera);

void ph__draw_list_sort(struct ph__draw_list *list);

/* Collects what casts shadows, unsorted. */
void ph__draw_list_collect_casters(struct ph__draw_list *list, const struct ph__snapshot *snapshot);

/* What a pass shows of an object as one colour. */
enum ph__object_color { PH__COLOR_MASK, PH__COLOR_NUMBER, PH__COLOR_LABEL };

/* What flow compares: both cameras make pictures of the same size. */
struct ph__record_before {
	const struct ph__snapshot *snapshot;
	const struct ph__camera_frame *camera, *camera_now;
	double half_px[2]; /* of the pictures' width and height */
};

struct ph__record_source {
	const struct ph__snapshot *snapshot;
	const double *origin_m; /* what the records are relative to */
	const struct ph__record_before *before; /* NULL: they say nothing of motion */
	enum ph__object_color color;
};

/* Writes the list's records into the stream. */
void ph__draw_list_write(struct ph__draw_list *list, const struct ph__record_source *source,
			 struct ph__stream *stream);

/* Where points of an instance were in the picture before: with (x, y) from the picture's middle in
 * pixels, x to the right and y down, and d the depth, a row times
 *     (x d, y d, d, 1) in perspective, (x, y, d, 1) in an orthographic view
 * is x, y and 1, each times a distance; the distance is 0 for all where nothing has moved. NULL is
 * the sky: what is infinitely far away; the last of the four does not count. */
void ph__motion_of(const struct ph__instance *instance, const struct ph__record_before *before,
		   float motion[3][4]);

/* The bounds of a part of an instance, relative to `origin_m`, along the world's axes. */
void ph__part_bounds(const struct ph__instance *instance, const struct ph__mesh *mesh,
		     const double origin_m[3], float center_m[3], float extent_m[3]);

/* Draws the list as it was written; programs[1] is for parts with a texture of the base colour. The
 * two may be one. */
void ph__draw_list_submit(const struct ph__draw_list *list, const struct ph__geometry *geometry,
			  const struct ph__snapshot *snapshot, const struct ph__stream *stream,
			  const GLuint programs[2]);

void ph__draw_list_finish(struct ph__draw_list *list);

#endif
