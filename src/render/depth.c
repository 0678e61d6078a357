/* SPDX-License-Identifier: MIT */
#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

static ph_status create(struct ph__renderer *renderer)
{
	static const struct ph__program_source source = {
		.defines = "",
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
		.fragment = {ph__glsl_frame, ph__glsl_place, ph__glsl_depth_frag},
	};
	return ph__program_build(&source, &renderer->depth);
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->depth);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	const float far[4] = {input->view->depth_far, 0, 0, 0};
	ph__pass_fill(renderer, input, renderer->depth, far);
}

const struct ph__pass ph__depth_pass = {
	.create = create,
	.finish = finish,
	.draw = draw,
	.target = PH__TARGET_FLOAT,
	.read_format = GL_RED,
	.read_type = GL_FLOAT,
};
