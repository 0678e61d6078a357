/* SPDX-License-Identifier: MIT */
#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

static ph_status build(const char *plain, const char *textured, const char *of_sky,
		       struct ph__lit_programs *programs)
{
	struct ph__program_source surface = {
		.defines = plain,
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
		.fragment = {ph__glsl_frame, ph__glsl_light, ph__glsl_lit_frag},
	};
	const struct ph__program_source sky = {
		.defines = of_sky,
		.vertex = {ph__glsl_frame, ph__glsl_sky_vert},
		.fragment = {ph__glsl_frame, ph__glsl_light, ph__glsl_sky_frag},
	};
	ph_status status = ph__program_build(&surface, &programs->surface[0]);

	surface.defines = textured;
	if (status == PH_OK)
		status = ph__program_build(&surface, &programs->surface[1]);
	return status == PH_OK ? ph__program_build(&sky, &programs->sky) : status;
}

static void finish_programs(struct ph__lit_programs *programs)
{
	glDeleteProgram(programs->surface[0]);
	glDeleteProgram(programs->surface[1]);
	glDeleteProgram(programs->sky);
}

static ph_status create(struct ph__renderer *renderer)
{
	return build("#define LIT\n", "#define LIT\n#define TEXTURED\n", "", &renderer->lit);
}

static void finish(struct ph__renderer *renderer)
{
	finish_programs(&renderer->lit);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float nothing = 0;

	glClearBufferfv(GL_DEPTH, 0, &nothing); /* the sky fills what is left of the colours */
	glBindTextureUnit(PH__UNIT_SHADOW, renderer->shadow.map);
	ph__pass_submit(renderer, input, renderer->lit.surface);
	ph__pass_draw_sky(renderer->lit.sky);
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

/* --- the same as linear light ----------------------------------------------------------------- */

static ph_status create_light(struct ph__renderer *renderer)
{
	return build("#define LINEAR\n#define LIT\n",
		     "#define LINEAR\n#define LIT\n#define TEXTURED\n", "#define LINEAR\n",
		     &renderer->light);
}

static void finish_light(struct ph__renderer *renderer)
{
	finish_programs(&renderer->light);
}

/* Every pixel is written exactly once, as it may be added to another: depth comes first. */
static void draw_light(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	const GLuint depth_alone = renderer->shadow.program;
	static const float nothing = 0;

	glClearBufferfv(GL_DEPTH, 0, &nothing);
	glBindTextureUnit(PH__UNIT_SHADOW, renderer->shadow.map);
	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	ph__pass_submit(renderer, input, (const GLuint[2]){depth_alone, depth_alone});
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	glDepthMask(GL_FALSE);
	glDepthFunc(GL_EQUAL);
	ph__pass_submit(renderer, input, renderer->light.surface);
	ph__pass_draw_sky(renderer->light.sky);
	glDepthMask(GL_TRUE);
}

const struct ph__pass ph__light_pass = {
	.create = create_light,
	.finish = finish_light,
	.draw = draw_light,
	.has_shadows = true,
	.target = PH__TARGET_FLOAT4,
};
