/* SPDX-License-Identifier: MIT */
/* The two halves of a panorama, for passes that put something between them. */
#ifndef RENDER_PANORAMA_H
#define RENDER_PANORAMA_H

#include "render/passes.h"

uint32_t ph__panorama_side_px(const struct ph__view *view);

/* Draws a pass into the six faces about the input's camera. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__panorama_draw_faces(struct ph__renderer *renderer, const struct ph__pass *pass,
				  const struct ph__pass_input *input, struct ph__faces **faces);

/* Fills the bound framebuffer from the faces. */
void ph__panorama_look_up(struct ph__renderer *renderer, const struct ph__pass_input *input,
			  const struct ph__faces *faces, GLenum filter, GLuint program);

#endif
