/* SPDX-License-Identifier: MIT */
/* The axes of a pose, by the formula in <pinhole/frame.h>. */
#ifndef SCENE_POSE_H
#define SCENE_POSE_H

#include <pinhole/frame.h>

struct ph__axes {
	double forward[3], right[3], up[3]; /* of unit length, in the world */
};

struct ph__axes ph__pose_axes(const ph_pose *pose);

#endif
