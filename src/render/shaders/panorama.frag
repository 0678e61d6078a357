// SPDX-License-Identifier: MIT
// An equirectangular picture of a cube: the camera's forward axis in the middle, its right axis a
// quarter of the width to the right of it, its up axis on top.
layout(binding = 2) uniform sampler2DArray faces; // with a border of one pixel each

out vec4 color;

// The face that a direction (forward, right, up) meets, and where: across, up, layer.
vec3 meet(vec3 direction)
{
	vec3 a = abs(direction);
	float f = direction.x, r = direction.y, u = direction.z;
	bool front = a.x >= a.y && a.x >= a.z, level = a.y >= a.z;
	vec3 ahead = vec3(f > 0 ? r : -r, u, f > 0 ? 0 : 1);
	vec3 aside = vec3(r > 0 ? -f : f, u, r > 0 ? 5 : 4);
	vec3 above = vec3(f, u > 0 ? r : -r, u > 0 ? 2 : 3);
	vec3 met = front ? ahead : level ? aside : above;
	return vec3(met.xy / (front ? a.x : level ? a.y : a.z), met.z);
}

// Red is near, then yellow, green, cyan, blue; black is nothing.
vec3 preview(float depth)
{
	float t = clamp((depth - preview_range.x) / (preview_range.y - preview_range.x), 0, 1);
	t = 4 * pow(t, preview_range.z);
	vec3 rainbow = clamp(vec3(2 - t, min(t, 4 - t), t - 2), 0, 1);
	return depth < depth_far ? rainbow : vec3(0);
}

void main()
{
	const float half_turn = 3.14159265358979;
	float azimuth = (pixels.x * gl_FragCoord.x - 1) * half_turn;
	float elevation = (1 - pixels.y * gl_FragCoord.y) * (half_turn / 2);
	vec3 met = meet(vec3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth),
			     sin(elevation)));
	float whole = textureSize(faces, 0).x;
	vec2 at = 0.5 + met.xy * vec2(0.5, -0.5) * ((whole - 2) / whole);
	vec4 found = textureLod(faces, vec3(at, met.z), 0);
#ifdef PREVIEW
	color = vec4(preview(found.r).bgr, 1);
#else
	color = found;
#endif
}
