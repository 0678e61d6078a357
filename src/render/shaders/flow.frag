// SPDX-License-Identifier: MIT
// Where a point is now less where it was, in pixels. Both places come from the same arithmetic, so
// that what did not move has a flow of exactly 0.
#ifndef SKY
flat in vec4 v_motion[3];
#endif
#ifdef COLORED
out vec4 color;
#else
out vec2 color;
#endif

vec2 pixel_of(mat4 clip_from, vec4 point, out bool is_before)
{
	vec4 clip = clip_from * point;
	is_before = clip.w > 0;
	return vec2(1, -1) * pixels.zw * clip.xy / clip.w;
}

void main()
{
	bool known, known_now;
#ifdef SKY
	vec4 point = vec4(ray(), 0); // infinitely far away: only turning moves it
	vec4 was = point;
#else
	vec4 point = vec4(place(), 1);
	vec4 was = vec4(dot(v_motion[0], point), dot(v_motion[1], point), dot(v_motion[2], point),
			1);
#endif
	vec2 flow = pixel_of(clip_from_relative, point, known_now) - pixel_of(clip_before, was, known);
	known = known && known_now;
	flow = known ? flow : vec2(0);
#ifdef COLORED
	color = vec4(known ? 1 : 0, clamp((128 + 30 * flow.yx) / 255, 0, 1), 1);
#else
	color = flow;
#endif
}
