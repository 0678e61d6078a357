/* SPDX-License-Identifier: MIT */
#include "scene/paint.h"

#include <math.h>

#include "base/status.h"
#include "base/sys.h"

static float hash(uint32_t x, uint32_t y)
{
	uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u;

	h = (h ^ h >> 15) * 0x2C1B3C6Du;
	h = (h ^ h >> 12) * 0x297A2D39u;
	return (float)((h ^ h >> 15) >> 8) / 16777216.0f;
}

static float mix(float a, float b, float t)
{
	return a + (b - a) * t;
}

static float smooth(float t)
{
	return t * t * (3 - 2 * t);
}

static float between(float low, float high, float x)
{
	float t = (x - low) / (high - low);
	return smooth(t < 0 ? 0 : t > 1 ? 1 : t);
}

/* Value noise in [0, 1] on a lattice of columns x rows cells that repeats over the texture. */
static float noise(float u, float v, uint32_t columns, uint32_t rows)
{
	float x = u * (float)columns, y = v * (float)rows;
	float fx = floorf(x), fy = floorf(y);
	uint32_t x0 = (uint32_t)((int)fx + (int)columns) % columns, x1 = (x0 + 1) % columns;
	uint32_t y0 = (uint32_t)((int)fy + (int)rows) % rows, y1 = (y0 + 1) % rows;
	float s = smooth(x - fx), t = smooth(y - fy);

	return mix(mix(hash(x0, y0), hash(x1, y0), s), mix(hash(x0, y1), hash(x1, y1), s), t);
}

static float cloud(float u, float v, uint32_t columns, uint32_t rows)
{
	return (8 * noise(u, v, columns, rows) + 4 * noise(u, v, 2 * columns, 2 * rows) +
		2 * noise(u, v, 4 * columns, 4 * rows) + noise(u, v, 8 * columns, 8 * rows)) / 15;
}

static void blend(const float a[3], const float b[3], float t, float color[3])
{
	for (int i = 0; i < 3; i++)
		color[i] = mix(a[i], b[i], t);
}

static void shade(float color[3], float factor)
{
	for (int i = 0; i < 3; i++)
		color[i] *= factor;
}

/* 2 x 2 tiles of two stones, with joints. */
void ph__paint_tiles(float u, float v, float srgb[3])
{
	static const float light[3] = {0.86f, 0.83f, 0.78f}, dark[3] = {0.70f, 0.68f, 0.66f};
	static const float joint[3] = {0.52f, 0.50f, 0.48f};
	float x = u * 2, y = v * 2, fx = x - floorf(x), fy = y - floorf(y);
	uint32_t column = (uint32_t)x, row = (uint32_t)y;
	float edge = fminf(fminf(fx, 1 - fx), fminf(fy, 1 - fy));

	blend(light, dark, (float)((column + row) % 2), srgb);
	shade(srgb, 0.96f + 0.05f * hash(column + 17, row + 5));
	shade(srgb, 0.94f + 0.10f * cloud(u, v, 12, 12));
	blend(joint, srgb, between(0.004f, 0.012f, edge), srgb);
}

/* Five planks along u, each with its own grain. */
void ph__paint_wood(float u, float v, float srgb[3])
{
	static const float dark[3] = {0.46f, 0.29f, 0.17f}, light[3] = {0.76f, 0.56f, 0.36f};
	float y = v * 5, fy = y - floorf(y);
	uint32_t plank = (uint32_t)y;
	float shift = u + hash(plank, 3);
	float bend = noise(shift - floorf(shift), v, 3, 10);
	float rings = fy * 5 + 5 * bend + 7 * hash(plank, 9);
	float grain = fabsf(rings - floorf(rings) - 0.5f) * 2;

	blend(light, dark, 0.55f * smooth(grain) + 0.35f * noise(u, v, 6, 160), srgb);
	shade(srgb, 0.88f + 0.16f * hash(plank, 21));
	shade(srgb, mix(0.55f, 1, between(0, 0.04f, fminf(fy, 1 - fy))));
}

/* Eight rows of four bricks. */
void ph__paint_bricks(float u, float v, float srgb[3])
{
	static const float brick[3] = {0.72f, 0.42f, 0.33f}, brick_dark[3] = {0.58f, 0.31f, 0.25f};
	static const float mortar[3] = {0.80f, 0.76f, 0.70f};
	float y = v * 8, fy = y - floorf(y);
	uint32_t row = (uint32_t)y;
	float x = u * 4 + 0.5f * (float)(row % 2), fx = x - floorf(x);
	uint32_t column = (uint32_t)x % 4;
	float edge = fminf(fminf(fx, 1 - fx) * 2, fminf(fy, 1 - fy));

	blend(brick, brick_dark, hash(column + 3, row + 11), srgb);
	shade(srgb, 0.86f + 0.24f * cloud(u, v, 16, 16));
	blend(mortar, srgb, between(0.04f, 0.09f, edge + 0.03f * noise(u, v, 64, 64)), srgb);
}

void ph__paint_marble(float u, float v, float srgb[3])
{
	static const float white[3] = {0.93f, 0.92f, 0.90f}, vein[3] = {0.36f, 0.40f, 0.47f};
	float wave = sinf(2 * (float)M_PI * (2 * u + 3 * v + 1.8f * cloud(u, v, 4, 4)));

	blend(vein, white, between(0, 0.45f, fabsf(wave)), srgb);
	shade(srgb, 0.93f + 0.08f * cloud(u, v, 8, 8));
}

void ph__paint_beach_ball(float u, float v, float srgb[3])
{
	static const float colors[6][3] = {
		{0.93f, 0.27f, 0.24f}, {0.97f, 0.96f, 0.94f}, {0.98f, 0.76f, 0.18f},
		{0.97f, 0.96f, 0.94f}, {0.16f, 0.50f, 0.82f}, {0.97f, 0.96f, 0.94f},
	};
	const float *color = colors[(uint32_t)(u * 6) % 6];

	blend(colors[1], color, between(0.06f, 0.07f, fminf(v, 1 - v)), srgb);
}

void ph__paint_checkers(float u, float v, float srgb[3])
{
	static const float black[3] = {0.13f, 0.14f, 0.16f}, white[3] = {0.94f, 0.93f, 0.91f};
	blend(black, white, (float)(((uint32_t)(u * 8) + (uint32_t)(v * 8)) % 2), srgb);
}

ph_status ph__texture_paint(struct ph__texture *texture, uint32_t width_px, uint32_t height_px,
			    ph__painter *painter)
{
	uint8_t *rgba = ph__sys->calloc((size_t)width_px * height_px, 4);
	if (!rgba)
		return ph__fail(PH_ENOSPC, "no memory for a texture of %u x %u", width_px,
				height_px);

	uint8_t *pixel = rgba;
	for (uint32_t y = 0; y < height_px; y++)
		for (uint32_t x = 0; x < width_px; x++, pixel += 4) {
			float srgb[3];
			painter(((float)x + 0.5f) / (float)width_px,
				((float)y + 0.5f) / (float)height_px, srgb);
			for (int i = 0; i < 3; i++)
				pixel[i] = (uint8_t)lrintf(255 * fminf(fmaxf(srgb[i], 0), 1));
			pixel[3] = 255;
		}
	*texture = (struct ph__texture){rgba, width_px, height_px};
	return PH_OK;
}
