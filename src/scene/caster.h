/* SPDX-License-Identifier: MIT */
/* Rays against a snapshot: what pictures show, without drawing them. */
#ifndef SCENE_CASTER_H
#define SCENE_CASTER_H

#include "scene/scene.h"

struct ph__caster;

struct ph__ray {
	double from_m[3], direction[3]; /* of unit length */
	double nearest_m, farthest_m;
};

struct ph__ray_hit {
	double distance_m;
	const struct ph__instance *instance;
	double facing;     /* how squarely the ray meets the triangle: 0 along it to 1 */
	double base_color[3]; /* linear, of the texture's nearest texel */
};

/* Makes a tree for every mesh, once. The assets must outlive it. Errors: PH_ENOSPC. */
ph_status ph__caster_create(const struct ph__assets *assets, struct ph__caster **caster);
void ph__caster_close(struct ph__caster **caster);

/* The snapshot that the next rays are for; it must last as long. Allocates only when it has more
 * parts than any before. Errors: PH_ENOSPC. */
ph_status ph__caster_aim(struct ph__caster *caster, const struct ph__snapshot *snapshot);

/* The first surface that a ray meets; not one of a hidden object, nor one seen from behind. */
bool ph__caster_meet(const struct ph__caster *caster, const struct ph__ray *ray,
		     struct ph__ray_hit *hit);

#endif
