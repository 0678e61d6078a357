/* SPDX-License-Identifier: MIT */
#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

static ph_status create(struct ph__renderer *renderer)
{
	static const struct ph__program_source surfaces[2] = {
		{.defines = "#define LIT\n",
		 .vertex = {ph__glsl_frame, ph__glsl_object_vert},
		 .fragment = {ph__glsl_frame, ph__glsl_light, ph__glsl_lit_frag}},
		{.defines = "#define LIT\n#define TEXTURED\n",
		 .vertex = {ph__glsl_frame, ph__glsl_object_vert},
		 .fragment = {ph__glsl_frame, ph__glsl_light, ph__glsl_lit_frag}},
	};
	static const struct ph__program_source sky = {
		.defines = "",
		.vertex = {ph__glsl_frame, ph__glsl_sky_vert},
		.fragment = {ph__glsl_frame, ph__glsl_light, ph__glsl_sky_frag},
	};
	ph_status status = ph__program_build(&surfaces[0], &renderer->lit[0]);

	if (status == PH_OK)
		status = ph__program_build(&surfaces[1], &renderer->lit[1]);
	return status == PH_OK ? ph__program_build(&sky, &renderer->sky) : status;
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->lit[0]);
	glDeleteProgram(renderer->lit[1]);
	glDeleteProgram(renderer->sky);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float nothing = 0;

	glClearBufferfv(GL_DEPTH, 0, &nothing); /* the sky fills what is left of the colours */
	glBindTextureUnit(PH__UNIT_SHADOW, renderer->shadow.map);
	ph__pass_submit(renderer, input, renderer->lit);
	ph__pass_draw_sky(renderer->sky);
}

const struct ph__pass ph__lit_pass = {
	.create = create,
	.finish = finish,
	.draw = draw,
	.has_shadows = true,
	.target = PH__TARGET_BYTES,
	.read_format = GL_RGBA,
	.read_type = GL_UNSIGNED_BYTE,
};
