/* SPDX-License-Identifier: MIT */
/* The meshes of the built-in scene. All stand on y = 0 or have their centre at the origin, as their
 * comment says. */
#ifndef SCENE_BUILTIN_SHAPES_H
#define SCENE_BUILTIN_SHAPES_H

#include "scene/shape.h"

typedef void ph__shape_maker(struct ph__shape *shape);

/* Standing on y = 0. */
ph__shape_maker ph__make_ground, ph__make_wall, ph__make_arch, ph__make_steps, ph__make_pedestal,
	ph__make_table_top, ph__make_table_legs, ph__make_cylinder, ph__make_cone, ph__make_pawn,
	ph__make_vase, ph__make_bowl, ph__make_mug, ph__make_traffic_cone_foot,
	ph__make_traffic_cone_body, ph__make_traffic_cone_bands, ph__make_domino,
	ph__make_lamp_post, ph__make_lamp_globe, ph__make_pyramid, ph__make_spring;

/* About the origin. */
ph__shape_maker ph__make_unit_cube, ph__make_unit_cylinder, ph__make_unit_plane, ph__make_sphere,
	ph__make_cube, ph__make_crate, ph__make_torus, ph__make_capsule,
	ph__make_gem, ph__make_gear, ph__make_star, ph__make_knot;

#endif
