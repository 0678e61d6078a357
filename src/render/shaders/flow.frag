// SPDX-License-Identifier: MIT
// Where a point is now less where it was, in pixels. The rows of motion hold all that is between a
// pixel with its depth and its place before; rows of zeros are at rest.
#ifndef SKY
flat in vec4 v_motion[3];
#endif
#ifdef COLORED
out vec4 color;
#else
out vec2 color;
#endif

void main()
{
	vec2 now = gl_FragCoord.xy - pixels.zw;
#ifdef SKY
	vec4 rows[3] = sky_motion;
	vec4 point = vec4(now * spread, 1, 0); // infinitely far away: only turning moves it
#else
	vec4 rows[3] = v_motion;
	float depth = depth_m();
	vec4 point = vec4(now * mix(1, depth, spread), depth, 1);
#endif
	float distance = dot(rows[2], point);
	vec2 was = vec2(dot(rows[0], point), dot(rows[1], point)) / distance;
	bool rests = rows[2] == vec4(0), known = rests || distance > 0;
	vec2 flow = known && !rests ? now - was : vec2(0);
#ifdef COLORED
	color = vec4(known ? 1 : 0, clamp((128 + 30 * flow.yx) / 255, 0, 1), 1);
#else
	color = flow;
#endif
}
