// SPDX-License-Identifier: MIT
in vec3 v_direction;
out vec4 color;

void main()
{
	vec3 light = sky(normalize(v_direction), 0);
#ifdef LINEAR
	color = vec4(light, 1);
#else
	color = vec4(srgb(tone(light * exposure)).bgr, 1);
#endif
}
