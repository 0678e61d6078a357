/* SPDX-License-Identifier: MIT */
/* One pass for each modality. */
#ifndef RENDER_PASSES_H
#define RENDER_PASSES_H

#include "render/camera.h"
#include "render/draw_list.h"
#include "render/geometry.h"
#include "render/shadow.h"
#include "render/stream.h"
#include "render/targets.h"

struct ph__renderer {
	struct ph__device *device;
	const struct ph__assets *assets;
	struct ph__geometry geometry;
	struct ph__stream stream;
	struct ph__targets targets;
	struct ph__shadow shadow;
	struct ph__draw_list list;
	GLuint lit[2]; /* without and with a texture of the base colour */
	GLuint sky, depth, mask;
	uint32_t side_limit_px;
};

/* What a pass is given: the target is bound, the viewport set, the block filled and bound, the list
 * collected and written. */
struct ph__pass_input {
	const struct ph__snapshot *snapshot;
	const struct ph__view *view;
};

struct ph__pass {
	ph_status (*create)(struct ph__renderer *renderer); /* compiles its programs */
	void (*finish)(struct ph__renderer *renderer);
	void (*draw)(struct ph__renderer *renderer, const struct ph__pass_input *input);
	bool has_shadows;
	enum ph__target_format target;
	GLenum read_format, read_type;
};

extern const struct ph__pass ph__lit_pass, ph__depth_pass, ph__mask_pass;

#endif
