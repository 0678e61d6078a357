// SPDX-License-Identifier: MIT
// One triangle over the whole picture, infinitely far away.
out vec3 v_direction;

void main()
{
	vec2 at = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1);
	v_direction = forward.xyz + spread * (at.x * across.xyz + at.y * up.xyz);
	gl_Position = vec4(at, 0, 1);
}
