// SPDX-License-Identifier: MIT
in vec3 v_normal;
out vec4 color;

void main()
{
	vec3 n = normalize(v_normal);
	color = vec4(n.y, n.z, n.x, 1) * 0.5 + 0.5; // B, G, R are Unreal's Z, Y, X
}
