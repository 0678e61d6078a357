// SPDX-License-Identifier: MIT
// What arrives from the sky, and how light becomes a colour on the screen.

// The sky in one direction. `blur` in [0, 1] is how much of the sky around it counts as well.
vec3 sky(vec3 direction, float blur)
{
	float up = direction.y;
	float above = clamp(up, 0, 1);
	float rise = above * (2 - above);
	vec3 air = mix(horizon.rgb, zenith.rgb, mix(rise, 0.5, 0.6 * blur));
	float soft = 0.03 + 0.97 * blur;
	return mix(ground.rgb, air, clamp(up / soft * 0.5 + 1 - 0.5 * blur, 0, 1));
}

// Linear light to a linear colour of the screen. Below the shoulder nothing is changed: a surface
// has the colour it should have. Above it, brightness nears 1 without reaching it; the hue is kept
// and very bright light turns white. An exposure is a factor before this.
vec3 tone(vec3 light)
{
	const float shoulder = 0.75;
	const float room = 1 - shoulder;
	float peak = max(light.r, max(light.g, light.b));
	float over = max(peak - shoulder, 0);
	float lowered = shoulder + room * over / (over + room);
	vec3 color = light * (over > 0 ? lowered / peak : 1);
	float white = over / (over + 4);
	return mix(color, vec3(lowered), over > 0 ? white : 0);
}

// A linear colour of the screen to its sRGB code. Above the linear foot it is a polynomial of the
// square root, 0.0008 (a fifth of a byte's step) off at most: pow() costs a fifth of the picture's
// time in software, and so does an sRGB framebuffer.
vec3 srgb(vec3 linear)
{
	vec3 t = sqrt(linear);
	vec3 curve = (((-0.309569 * t + 0.842785) * t - 0.944857) * t + 1.447898) * t - 0.037005;
	return mix(curve, 12.92 * linear, lessThan(linear, vec3(0.0031308)));
}
