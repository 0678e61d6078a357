/* SPDX-License-Identifier: MIT */
/* A laser scanner: one ray for each beam, exact to the triangle. */
#ifndef SCENE_LIDAR_H
#define SCENE_LIDAR_H

#include "scene/caster.h"

/* Rings from the upper to the lower elevation, both included; beams of a ring at the middles of
 * equal steps from the start to the end. Angles are relative to the sensor: up and to the right. */
struct ph__lidar {
	uint32_t channel_count, beam_count;
	double nearest_m, farthest_m;
	double upper_rad, lower_rad, start_rad, end_rad;
};

/* 32 x 180 beams, 10 degrees up to 30 down, all around, 0.1 to 100 m. */
extern const struct ph__lidar ph__lidar_default;

/* x forward, y right, z up in metres from the sensor, and the intensity: how squarely the beam
 * meets the surface (its cosine) times the luminance of the surface's base colour, in [0, 1]. */
struct ph__lidar_point {
	float x_m, y_m, z_m, intensity;
};

/* Scans what the caster is aimed at: hits only, ring by ring from the uppermost. `points` has room
 * for channel_count * beam_count; returns how many there are. */
uint32_t ph__lidar_scan(const struct ph__lidar *lidar, const struct ph__caster *caster,
			const ph_pose *pose, struct ph__lidar_point *points);

#endif
