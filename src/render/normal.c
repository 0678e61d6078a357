/* SPDX-License-Identifier: MIT */
#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

static ph_status create(struct ph__renderer *renderer)
{
	static const struct ph__program_source source = {
		.defines = "#define NORMAL\n",
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
		.fragment = {ph__glsl_frame, ph__glsl_normal_frag},
	};
	return ph__program_build(&source, &renderer->normal);
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->normal);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float none[4] = {128 / 255.0f, 128 / 255.0f, 128 / 255.0f, 1};
	ph__pass_fill(renderer, input, renderer->normal, none);
}

const struct ph__pass ph__normal_pass = {
	.create = create,
	.finish = finish,
	.draw = draw,
	.target = PH__TARGET_BYTES,
	.read_format = GL_RGBA,
	.read_type = GL_UNSIGNED_BYTE,
};
