// SPDX-License-Identifier: MIT
// The mean of samples in linear light, as a picture. Alpha has counted them.
layout(binding = 3) uniform sampler2D sum;

out vec4 color;

void main()
{
	vec4 light = texelFetch(sum, ivec2(gl_FragCoord.xy), 0);
	color = vec4(srgb(tone(light.rgb / light.a * exposure)).bgr, 1);
}
