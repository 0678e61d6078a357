// SPDX-License-Identifier: MIT
// Every object in every pass. What a pass does not define is not computed.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 model[3];
layout(location = 6) in vec3 normal_matrix[3];
layout(location = 9) in vec4 surface;
layout(location = 10) in vec4 glow;
layout(location = 11) in vec4 mask;
layout(location = 12) in vec4 motion[3];

invariant gl_Position; // passes over the same objects agree to the last bit

#if defined(LIT) || defined(NORMAL)
out vec3 v_normal;
#endif
#ifdef LIT
out vec3 v_relative;
out vec3 v_shadow;
flat out vec4 v_surface;
flat out vec4 v_glow;
#ifdef TEXTURED
out vec2 v_uv;
#endif
#endif
#ifdef MASK
flat out vec4 v_mask;
#endif
#ifdef FLOW
flat out vec4 v_motion[3];
#endif

void main()
{
	vec4 point = vec4(position, 1);
	vec3 relative = vec3(dot(model[0], point), dot(model[1], point), dot(model[2], point));
	gl_Position = clip_from_relative * vec4(relative, 1);
#if defined(LIT) || defined(NORMAL)
	vec3 n = vec3(dot(normal_matrix[0], normal), dot(normal_matrix[1], normal),
		      dot(normal_matrix[2], normal));
	n *= inversesqrt(max(dot(n, n), 1e-30));
	v_normal = n;
#endif
#ifdef LIT
	// A step off the surface, more where the sun grazes it, keeps it out of its own shadow.
	float slope = 1 - max(dot(n, to_sun.xyz), 0);
	vec4 off = vec4(relative + n * (shadow_bias_m * (0.5 + 2.0 * slope)), 1);
	v_relative = relative;
	v_shadow = vec3(dot(shadow_from_relative[0], off), dot(shadow_from_relative[1], off),
			dot(shadow_from_relative[2], off));
	v_surface = surface;
	v_glow = glow;
#ifdef TEXTURED
	v_uv = uv;
#endif
#endif
#ifdef MASK
	v_mask = mask;
#endif
#ifdef FLOW
	v_motion = motion;
#endif
}
