/* SPDX-License-Identifier: MIT */
#include "scene/lidar.h"

#include <math.h>
#include <string.h>

#include "scene/pose.h"

const struct ph__lidar ph__lidar_default = {
	.channel_count = 32,
	.beam_count = 180,
	.nearest_m = 0.1,
	.farthest_m = 100,
	.upper_rad = 10 * M_PI / 180,
	.lower_rad = -30 * M_PI / 180,
	.start_rad = -M_PI,
	.end_rad = M_PI,
};

static double elevation_of(const struct ph__lidar *lidar, uint32_t channel)
{
	double step = lidar->channel_count > 1
			      ? (lidar->lower_rad - lidar->upper_rad) / (lidar->channel_count - 1)
			      : 0;
	return lidar->upper_rad + channel * step;
}

static double luminance(const double color[3])
{
	return fmin(1, 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]);
}

static bool shoot(const struct ph__lidar *lidar, const struct ph__caster *caster,
		  const double from_m[3], const struct ph__axes *axes, const double beam[3],
		  struct ph__lidar_point *point)
{
	struct ph__ray ray = {.nearest_m = lidar->nearest_m, .farthest_m = lidar->farthest_m};
	struct ph__ray_hit hit;

	memcpy(ray.from_m, from_m, sizeof(ray.from_m));
	for (int i = 0; i < 3; i++)
		ray.direction[i] = beam[0] * axes->forward[i] + beam[1] * axes->right[i] +
				   beam[2] * axes->up[i];
	if (!ph__caster_meet(caster, &ray, &hit))
		return false;
	*point = (struct ph__lidar_point){
		.x_m = (float)(beam[0] * hit.distance_m),
		.y_m = (float)(beam[1] * hit.distance_m),
		.z_m = (float)(beam[2] * hit.distance_m),
		.intensity = (float)(hit.facing * luminance(hit.base_color)),
	};
	return true;
}

uint32_t ph__lidar_scan(const struct ph__lidar *lidar, const struct ph__caster *caster,
			const ph_pose *pose, struct ph__lidar_point *points)
{
	struct ph__axes axes = ph__pose_axes(pose);
	double step = (lidar->end_rad - lidar->start_rad) / lidar->beam_count;
	uint32_t count = 0;

	for (uint32_t channel = 0; channel < lidar->channel_count; channel++) {
		double elevation = elevation_of(lidar, channel);
		for (uint32_t i = 0; i < lidar->beam_count; i++) {
			double yaw = lidar->start_rad + (i + 0.5) * step;
			const double beam[3] = {cos(elevation) * cos(yaw),
						cos(elevation) * sin(yaw), sin(elevation)};
			count +=
				shoot(lidar, caster, pose->position_m, &axes, beam, &points[count]);
		}
	}
	return count;
}
