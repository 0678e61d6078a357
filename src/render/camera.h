/* SPDX-License-Identifier: MIT */
/* Where a view stands and what it sees. Everything that is drawn is first placed relative to the
 * view's own position, in double precision and along the world's axes: pictures stay exact far from
 * the origin, and directions need no turning. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include <stdbool.h>

#include "render/render.h"
#include "scene/pose.h"

/* What is nearer to the camera's plane is not drawn. */
#define PH__NEAR_M 0.01
/* How far an orthographic view sees; its depth is as fine as 1 / 2^24 of this. */
#define PH__ORTHO_FAR_M 2000.0

struct ph__frustum {
	float normals[5][3]; /* left, right, top, bottom, near; inwards, of unit length */
	float offsets_m[5];  /* inside: dot(normal, point) + offset >= 0 */
};

struct ph__camera_frame {
	double origin_m[3];
	struct ph__axes axes;
	bool is_orthographic;
	/* Of half the angle across and half the angle down; in an orthographic one half the width
	 * and half the height in metres. */
	double tan_x, tan_y;
	double shift[2]; /* of the picture's content, in clip space; the frustum stays */
	struct ph__frustum frustum;
};

struct ph__camera_frame ph__camera_frame_of(const struct ph__view *view);

/* The same from the same place, towards a face of a cube: 0 forward, 1 back, 2 up, 3 down, 4 left,
 * 5 right; "up" on the picture is the camera's own, and its right for 2 and 3. */
struct ph__camera_frame ph__camera_face_of(const struct ph__view *view, int face);

/* Column-major, from relative to clip space: x to the right, y up, w the distance along forward,
 * z / w = near / w (reversed depth without a far plane). Orthographic: w = 1, z falls from 1 at the
 * near plane to 0 at the far one. */
void ph__camera_clip_matrix(const struct ph__camera_frame *camera, float matrix[16]);

/* Whether the box of half the size `extent` about `center` may be seen. */
bool ph__frustum_touches(const struct ph__frustum *frustum, const float center_m[3],
			 const float extent_m[3]);

#endif
