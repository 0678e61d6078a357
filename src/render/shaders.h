/* SPDX-License-Identifier: MIT */
/* The shaders' sources, from render/shaders/, and what they share with C. */
#ifndef RENDER_SHADERS_H
#define RENDER_SHADERS_H

extern const char ph__glsl_frame[], ph__glsl_light[], ph__glsl_object_vert[], ph__glsl_sky_vert[],
	ph__glsl_lit_frag[], ph__glsl_sky_frag[], ph__glsl_depth_frag[], ph__glsl_mask_frag[],
	ph__glsl_place[], ph__glsl_normal_frag[], ph__glsl_radial_frag[], ph__glsl_position_frag[],
	ph__glsl_flow_frag[], ph__glsl_panorama_frag[], ph__glsl_tone_frag[];

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
	float spread; /* 1: pixels look along different ways; 0: orthographic */
	float padding[2];
	float pixels[4]; /* 2 / width, 2 / height, width / 2, height / 2 */
	float origin[4]; /* the camera's position in units of depth */
	float sky_motion[3][4]; /* ph__motion_of() the sky */
	float preview_range[4];
};

enum { PH__UNIT_BASE_COLOR, PH__UNIT_SHADOW, PH__UNIT_FACES, PH__UNIT_SUM };

#endif
