/* SPDX-License-Identifier: MIT */
#include "render/camera.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The plane through the camera on whose inner side `along` * forward + `across` * axis points. */
static void set_plane(struct ph__frustum *frustum, int at, const double forward[3], double along,
		      const double axis[3], double across)
{
	double length = hypot(along, across);

	for (int i = 0; i < 3; i++)
		frustum->normals[at][i] = (float)((along * forward[i] + across * axis[i]) / length);
	frustum->offsets_m[at] = 0;
}

/* The two planes at the distance `half` of the camera's axis, along `axis`. */
static void set_slab(struct ph__frustum *frustum, int at, const double axis[3], double half)
{
	for (int side = 0; side < 2; side++) {
		for (int i = 0; i < 3; i++)
			frustum->normals[at + side][i] = (float)(side ? -axis[i] : axis[i]);
		frustum->offsets_m[at + side] = (float)half;
	}
}

static struct ph__frustum frustum_of(const struct ph__camera_frame *camera)
{
	const struct ph__axes *axes = &camera->axes;
	struct ph__frustum frustum;

	if (camera->is_orthographic) {
		set_slab(&frustum, 0, axes->right, camera->tan_x);
		set_slab(&frustum, 2, axes->up, camera->tan_y);
	} else {
		set_plane(&frustum, 0, axes->forward, camera->tan_x, axes->right, 1);
		set_plane(&frustum, 1, axes->forward, camera->tan_x, axes->right, -1);
		set_plane(&frustum, 2, axes->forward, camera->tan_y, axes->up, -1);
		set_plane(&frustum, 3, axes->forward, camera->tan_y, axes->up, 1);
	}
	set_plane(&frustum, 4, axes->forward, 1, axes->up, 0);
	frustum.offsets_m[4] = (float)-PH__NEAR_M;
	return frustum;
}

struct ph__camera_frame ph__camera_frame_of(const struct ph__view *view)
{
	struct ph__camera_frame camera = {
		.axes = ph__pose_axes(&view->pose),
		.is_orthographic = view->is_orthographic,
		.tan_x = view->is_orthographic ? view->ortho_width_m / 2 : tan(view->fov_rad / 2),
	};

	memcpy(camera.origin_m, view->pose.position_m, sizeof(camera.origin_m));
	camera.tan_y = camera.tan_x * view->height_px / view->width_px;
	camera.frustum = frustum_of(&camera);
	return camera;
}

/* Axes of the faces in the camera's own: 1 forward, 2 right, 3 up, and their opposites. */
static const struct {
	int forward, right, up;
} faces[] = {{1, 2, 3}, {-1, -2, 3}, {3, 1, 2}, {-3, 1, -2}, {-2, 1, 3}, {2, -1, 3}};

static void set_axis(double axis[3], const struct ph__axes *axes, int which)
{
	const double *from = abs(which) == 1   ? axes->forward
			     : abs(which) == 2 ? axes->right
					       : axes->up;

	for (int i = 0; i < 3; i++)
		axis[i] = which < 0 ? -from[i] : from[i];
}

struct ph__camera_frame ph__camera_face_of(const struct ph__view *view, int face)
{
	struct ph__camera_frame camera = ph__camera_frame_of(view);
	struct ph__axes axes = camera.axes;

	set_axis(camera.axes.forward, &axes, faces[face].forward);
	set_axis(camera.axes.right, &axes, faces[face].right);
	set_axis(camera.axes.up, &axes, faces[face].up);
	camera.frustum = frustum_of(&camera);
	return camera;
}

static void make_orthographic(const struct ph__camera_frame *camera, float matrix[16])
{
	double range_m = PH__ORTHO_FAR_M - PH__NEAR_M;

	for (int i = 0; i < 3; i++) {
		matrix[4 * i + 2] = (float)(-camera->axes.forward[i] / range_m);
		matrix[4 * i + 3] = 0;
	}
	matrix[14] = (float)(PH__ORTHO_FAR_M / range_m);
	matrix[15] = 1;
}

void ph__camera_clip_matrix(const struct ph__camera_frame *camera, float matrix[16])
{
	for (int i = 0; i < 3; i++) {
		matrix[4 * i] = (float)(camera->axes.right[i] / camera->tan_x);
		matrix[4 * i + 1] = (float)(camera->axes.up[i] / camera->tan_y);
		matrix[4 * i + 2] = 0;
		matrix[4 * i + 3] = (float)camera->axes.forward[i];
	}
	matrix[12] = matrix[13] = matrix[15] = 0;
	matrix[14] = (float)PH__NEAR_M;
	if (camera->is_orthographic)
		make_orthographic(camera, matrix);
	for (int i = 0; i < 4; i++) {
		matrix[4 * i] += (float)camera->shift[0] * matrix[4 * i + 3];
		matrix[4 * i + 1] += (float)camera->shift[1] * matrix[4 * i + 3];
	}
}

bool ph__frustum_touches(const struct ph__frustum *frustum, const float center_m[3],
			 const float extent_m[3])
{
	for (int plane = 0; plane < 5; plane++) {
		float distance = frustum->offsets_m[plane];
		for (int i = 0; i < 3; i++)
			distance += frustum->normals[plane][i] * center_m[i] +
				    fabsf(frustum->normals[plane][i]) * extent_m[i];
		if (distance < 0)
			return false;
	}
	return true;
}
