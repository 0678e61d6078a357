/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

static ph_status create(struct ph__renderer *renderer)
{
	static const struct ph__program_source source = {
		.defines = "",
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
		.fragment = {ph__glsl_frame, ph__glsl_place, ph__glsl_position_frag},
	};
	return ph__program_build(&source, &renderer->position);
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->position);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float nowhere[4] = {NAN, NAN, NAN, NAN};
	ph__pass_fill(renderer, input, renderer->position, nowhere);
}

const struct ph__pass ph__position_pass = {
	.create = create,
	.finish = finish,
	.draw = draw,
	.target = PH__TARGET_FLOAT4,
	.read_format = GL_RGB,
	.read_type = GL_FLOAT,
};
