// SPDX-License-Identifier: MIT
// In perspective w was the distance along forward; in an orthographic view z falls with it.
float depth_m()
{
	return depth_from.x / gl_FragCoord.w + (depth_from.y * gl_FragCoord.z + depth_from.z);
}

// From the middle of the picture to the pixel, one metre away.
vec3 aside()
{
	vec2 at = vec2(pixels.x * gl_FragCoord.x - 1, 1 - pixels.y * gl_FragCoord.y);
	return at.x * across.xyz + at.y * up.xyz;
}

// What a pixel looks along, its part along the camera's forward axis 1.
vec3 ray()
{
	return forward.xyz + spread * aside();
}

// Where the surface in this pixel is, relative to the camera. Made from the depth: more exact on
// large triangles than a position that is interpolated over them.
vec3 place()
{
	float depth = depth_m();
	return forward.xyz * depth + aside() * mix(1, depth, spread);
}
