/* SPDX-License-Identifier: MIT */
/* Procedural textures that repeat without a seam. */
#ifndef SCENE_PAINT_H
#define SCENE_PAINT_H

#include "scene/scene.h"

/* Where on the texture, each in [0, 1), to a colour in sRGB, each channel in [0, 1]. */
typedef void ph__painter(float u, float v, float srgb[3]);

ph__painter ph__paint_tiles, ph__paint_wood, ph__paint_bricks, ph__paint_marble,
	ph__paint_beach_ball, ph__paint_checkers;

/* Errors: PH_ENOSPC. */
ph_status ph__texture_paint(struct ph__texture *texture, uint32_t width_px, uint32_t height_px,
			    ph__painter *painter);

#endif
