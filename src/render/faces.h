/* SPDX-License-Identifier: MIT */
/* A cube of pictures about a camera: what panoramas are made from. Each face is a layer and one
 * pixel wider on all sides than its 90 degrees: what lies between two pixels is found within one
 * face, and seams need no care. */
#ifndef RENDER_FACES_H
#define RENDER_FACES_H

#include "render/targets.h"

enum { PH__FACE_COUNT = 6, PH__FACE_BORDER_PX = 1 };

struct ph__faces {
	uint32_t side_px; /* of 90 degrees: the layers have PH__FACE_BORDER_PX more on each side */
	GLuint layers, depth; /* one depth serves all faces: they are drawn in turn */
	GLuint framebuffers[PH__FACE_COUNT];
};

/* Faces of that size; those before end. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__faces_get(struct ph__faces *faces, struct ph__device *device, uint32_t side_px,
			enum ph__target_format format);
void ph__faces_finish(struct ph__faces *faces);

#endif
