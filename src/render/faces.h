/* SPDX-License-Identifier: MIT */
/* A cube of pictures about a camera: what panoramas are made from.
 *
 * In the cube's own axes x is the camera's forward axis, y its up axis and z points to its left:
 * seen from inside, OpenGL's rules for faces then give pictures that are not mirrored. */
#ifndef RENDER_FACES_H
#define RENDER_FACES_H

#include "render/targets.h"

enum { PH__FACE_COUNT = 6 };

struct ph__faces {
	uint32_t side_px;
	GLuint cube, depth; /* one depth serves all faces: they are drawn in turn */
	GLuint framebuffers[PH__FACE_COUNT];
};

/* A cube of that size; the one before ends. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__faces_get(struct ph__faces *faces, struct ph__device *device, uint32_t side_px,
			enum ph__target_format format);
void ph__faces_finish(struct ph__faces *faces);

#endif
