// SPDX-License-Identifier: MIT
// glTF's metallic-roughness surface under one sun with a shadow map and the sky.
layout(binding = 0) uniform sampler2D base_color;
layout(binding = 1) uniform sampler2DShadow shadow_map;

in vec3 v_relative;
in vec3 v_normal;
in vec3 v_shadow;
flat in vec4 v_surface; // base colour, roughness
flat in vec4 v_glow;    // emissive, metallic
#ifdef TEXTURED
in vec2 v_uv;
#endif
out vec4 color;

// Lazarov's fit of the sky's share of a GGX highlight: a factor for f0 and one to add
// ("Getting More Physical in Call of Duty: Black Ops II", 2013; constants by Karis, 2014).
vec2 sky_share(float roughness, float n_v)
{
	vec4 r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
	float a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
	return vec2(-1.04, 1.04) * a + r.zw;
}

// Four comparisons of four texels each, half a texel apart: a soft edge three texels wide. Where
// samples are added up, edges are soft by themselves.
float sunlight()
{
	vec3 at = vec3(v_shadow.xy, clamp(v_shadow.z, 0, 1));
#ifdef LINEAR
	return textureLod(shadow_map, at, 0);
#else
	vec2 step = vec2(1, -1) * shadow_step;
	return 0.25 * (textureLod(shadow_map, vec3(at.xy + step.xx, at.z), 0) +
		       textureLod(shadow_map, vec3(at.xy + step.xy, at.z), 0) +
		       textureLod(shadow_map, vec3(at.xy + step.yx, at.z), 0) +
		       textureLod(shadow_map, vec3(at.xy + step.yy, at.z), 0));
#endif
}

void main()
{
	vec3 base = v_surface.rgb;
	float roughness = max(v_surface.a, 0.045);
	float metallic = v_glow.a;
#ifdef TEXTURED
	base *= texture(base_color, v_uv).rgb;
#endif
	vec3 diffuse = base * (1 - metallic);
	vec3 f0 = mix(vec3(0.04), base, metallic);

	vec3 n = normalize(v_normal);
	vec3 v = normalize(eye.xyz - eye.w * v_relative);
	vec3 l = to_sun.xyz;
	float n_v = max(dot(n, v), 1e-3);
	float n_l = dot(n, l);
	float v_l = dot(v, l);
	float per_h = inversesqrt(max(2 + 2 * v_l, 1e-6)); // 1 / length of v + l
	float n_h = clamp((n_l + n_v) * per_h, 0, 1);
	float v_h = (1 + v_l) * per_h;
	n_l = clamp(n_l, 0, 1);

	// GGX with Hammon's fit of Smith's visibility. The sun's radiance holds pi: it cancels.
	float a = roughness * roughness, a2 = a * a;
	float d = (n_h * a2 - n_h) * n_h + 1;
	float lobe = 0.5 * a2 / (d * d * mix(2 * n_l * n_v, n_l + n_v, a));
	float grazing = 1 - v_h, grazing2 = grazing * grazing;
	vec3 fresnel = f0 + (1 - f0) * (grazing2 * grazing2 * grazing);
	vec3 light = (diffuse + fresnel * min(lobe, 64)) * sun.rgb * (n_l * sunlight());

	vec2 share = sky_share(roughness, n_v);
	vec3 around = sky(n, 1);
	vec3 mirrored = sky(reflect(-v, n), roughness);
	light += diffuse * around + (f0 * share.x + share.y) * mirrored;
	light += v_glow.rgb;

#ifdef LINEAR
	color = vec4(light, 1);
#else
	color = vec4(srgb(tone(light * exposure)).bgr, 1); // the picture's bytes are B, G, R, A
#endif
}
