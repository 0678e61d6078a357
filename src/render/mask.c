/* SPDX-License-Identifier: MIT */
/* One colour for each object: its own, its label's, or its number as bytes. */
#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

static ph_status create(struct ph__renderer *renderer)
{
	static const struct ph__program_source source = {
		.defines = "#define MASK\n",
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
		.fragment = {ph__glsl_frame, ph__glsl_mask_frag},
	};
	return ph__program_build(&source, &renderer->mask);
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->mask);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float black[4] = {0, 0, 0, 1};
	ph__pass_fill(renderer, input, renderer->mask, black);
}

const struct ph__pass ph__mask_pass = {
	.create = create,
	.finish = finish,
	.draw = draw,
	.target = PH__TARGET_BYTES,
	.read_format = GL_RGBA,
	.read_type = GL_UNSIGNED_BYTE,
};

const struct ph__pass ph__instance_pass = {
	.draw = draw, /* with the program of the mask */
	.color = PH__COLOR_NUMBER,
	.target = PH__TARGET_BYTES,
	.read_format = GL_RGBA,
	.read_type = GL_UNSIGNED_BYTE,
};

const struct ph__pass ph__semantic_pass = {
	.draw = draw,
	.color = PH__COLOR_LABEL,
	.target = PH__TARGET_BYTES,
	.read_format = GL_RGBA,
	.read_type = GL_UNSIGNED_BYTE,
};
