// SPDX-License-Identifier: MIT
in vec3 v_direction;
out vec4 color;

void main()
{
	color = vec4(srgb(tone(sky(normalize(v_direction), 0) * exposure)).bgr, 1);
}
