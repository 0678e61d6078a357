// SPDX-License-Identifier: MIT
// An equirectangular picture of a cube: the camera's forward axis in the middle, its right axis a
// quarter of the width to the right of it, its up axis on top.
layout(binding = 2) uniform samplerCube faces;

out vec4 color;

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
	vec3 direction = vec3(cos(elevation) * cos(azimuth), sin(elevation),
			      -cos(elevation) * sin(azimuth));
	vec4 found = textureLod(faces, direction, 0);
#ifdef PREVIEW
	color = vec4(preview(found.r).bgr, 1);
#else
	color = found;
#endif
}
