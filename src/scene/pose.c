/* SPDX-License-Identifier: MIT */
#include "scene/pose.h"

#include <math.h>

struct ph__axes ph__pose_axes(const ph_pose *pose)
{
	double cp = cos(pose->pitch_rad), sp = sin(pose->pitch_rad);
	double cy = cos(pose->yaw_rad), sy = sin(pose->yaw_rad);
	double cr = cos(pose->roll_rad), sr = sin(pose->roll_rad);

	return (struct ph__axes){
		.forward = {cp * cy, sp, cp * sy},
		.right = {sr * sp * cy - cr * sy, -sr * cp, sr * sp * sy + cr * cy},
		.up = {-cr * sp * cy - sr * sy, cr * cp, cy * sr - cr * sp * sy},
	};
}
