// SPDX-License-Identifier: MIT
// Uniform block 0: struct ph__frame_block. Points are relative to the camera, along world axes.
layout(std140, binding = 0) uniform Frame {
	mat4 clip_from_relative;
	vec4 shadow_from_relative[3];
	vec4 across, up, forward;
	vec4 to_sun, sun;
	vec4 zenith, horizon, ground;
	float depth_per_m, depth_far;
	float shadow_bias_m;
	float shadow_step;
	vec4 eye;        // towards the viewer: eye.xyz - eye.w * point
	vec4 depth_from; // depth in metres: x * clip w + y * z + z
	float exposure;
	float spread;
	vec4 pixels; // 2 / width, 2 / height, width / 2, height / 2
	vec4 origin;
	vec4 sky_motion[3];
	vec4 preview_range; // nearest, farthest, exponent
};
