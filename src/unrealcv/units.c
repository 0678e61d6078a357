/* SPDX-License-Identifier: MIT */
#include "unrealcv/unrealcv.h"

#include <float.h>
#include <math.h>

#define CM_PER_M 100.0
#define DEG_PER_RAD (180.0 / M_PI)

/* A conversion there and back is off by an ulp or two, which shows when a client sets 1.0005 and
 * reads it back with three decimals. What was meant had few decimals: a value within rounding
 * errors of a multiple of 1e-7 (half of the last digit that is ever printed is 5e-7) is that
 * multiple. Above the limit the rounding errors are no longer small against 1e-7. */
static double forget_rounding(double value)
{
	double scaled = value * 1e7;

	if (!(fabs(scaled) < 0x1p49))
		return value;
	double neat = nearbyint(scaled) / 1e7;
	return fabs(neat - value) <= 4 * DBL_EPSILON * fabs(value) ? neat : value;
}

double ph__degrees_from_radians(double radians)
{
	return forget_rounding(radians * DEG_PER_RAD);
}

double ph__radians_from_degrees(double degrees)
{
	return degrees / DEG_PER_RAD;
}

/* Both frames have X forward; the other two axes change places, and with them the handedness. No
 * sign changes, neither of a coordinate nor, by the definition of ph_pose, of an angle. */
struct ph__unreal_pose ph__pose_to_unreal(const ph_pose *pose)
{
	return (struct ph__unreal_pose){
		.x_cm = forget_rounding(pose->position_m[0] * CM_PER_M),
		.y_cm = forget_rounding(pose->position_m[2] * CM_PER_M),
		.z_cm = forget_rounding(pose->position_m[1] * CM_PER_M),
		.pitch_deg = ph__degrees_from_radians(pose->pitch_rad),
		.yaw_deg = ph__degrees_from_radians(pose->yaw_rad),
		.roll_deg = ph__degrees_from_radians(pose->roll_rad),
	};
}

ph_pose ph__pose_from_unreal(const struct ph__unreal_pose *pose)
{
	return (ph_pose){
		.position_m = {pose->x_cm / CM_PER_M, pose->z_cm / CM_PER_M, pose->y_cm / CM_PER_M},
		.pitch_rad = ph__radians_from_degrees(pose->pitch_deg),
		.yaw_rad = ph__radians_from_degrees(pose->yaw_deg),
		.roll_rad = ph__radians_from_degrees(pose->roll_deg),
	};
}
