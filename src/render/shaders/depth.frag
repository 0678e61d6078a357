// SPDX-License-Identifier: MIT
out float depth;

void main()
{
	// In perspective w was the distance along forward, in an orthographic view z falls with it.
	float m = depth_from.x / gl_FragCoord.w + (depth_from.y * gl_FragCoord.z + depth_from.z);
	depth = min(depth_per_m * m, depth_far);
}
