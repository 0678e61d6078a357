/* SPDX-License-Identifier: MIT */
/* The shaders' sources, from render/shaders/, and what they share with C. */
#ifndef RENDER_SHADERS_H
#define RENDER_SHADERS_H

extern const char ph__glsl_frame[], ph__glsl_light[], ph__glsl_object_vert[], ph__glsl_sky_vert[],
	ph__glsl_lit_frag[], ph__glsl_sky_frag[], ph__glsl_depth_frag[], ph__glsl_mask_frag[];

/* Uniform block 0, as in frame.glsl (std140). */
struct ph__frame_block {
	float clip_from_relative[16];
	float shadow_from_relative[3][4];
	/* What a pixel looks along: forward + x across + y up, x and y in clip space. */
	float across[4], up[4], forward[4];
	float to_sun[4], sun[4];
	float zenith[4], horizon[4], ground[4];
	float depth_per_m, depth_far;
	float shadow_bias_m;
	float shadow_step; /* between the taps of the filter, in parts of the map */
	float eye[4];        /* towards the viewer: eye.xyz - eye.w * point */
	float depth_from[4]; /* depth in metres: x * clip w + y * z + z */
	float exposure;
	float padding[3];
};

enum { PH__UNIT_BASE_COLOR, PH__UNIT_SHADOW };

#endif
