/* SPDX-License-Identifier: MIT */
#include "render/passes.h"
#include "render/program.h"
#include "render/shaders.h"

enum { AS_FLOATS, AS_PICTURE };

static ph_status build(const char *of_objects, const char *of_sky, GLuint *objects, GLuint *sky)
{
	struct ph__program_source source = {
		.defines = of_objects,
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
		.fragment = {ph__glsl_frame, ph__glsl_place, ph__glsl_flow_frag},
	};
	ph_status status = ph__program_build(&source, objects);

	source.defines = of_sky;
	source.vertex[1] = ph__glsl_sky_vert;
	return status == PH_OK ? ph__program_build(&source, sky) : status;
}

static ph_status create(struct ph__renderer *renderer)
{
	return build("#define FLOW\n", "#define SKY\n", &renderer->flow[AS_FLOATS],
		     &renderer->flow_sky[AS_FLOATS]);
}

static ph_status create_picture(struct ph__renderer *renderer)
{
	return build("#define FLOW\n#define COLORED\n", "#define SKY\n#define COLORED\n",
		     &renderer->flow[AS_PICTURE], &renderer->flow_sky[AS_PICTURE]);
}

static void finish(struct ph__renderer *renderer)
{
	for (int i = 0; i < 2; i++) {
		glDeleteProgram(renderer->flow[i]);
		glDeleteProgram(renderer->flow_sky[i]);
	}
}

static void fill(struct ph__renderer *renderer, const struct ph__pass_input *input, int form,
		 const float still[4])
{
	if (!input->before) {
		glClearBufferfv(GL_COLOR, 0, still);
		return;
	}
	ph__pass_fill(renderer, input, renderer->flow[form], still);
	ph__pass_draw_sky(renderer->flow_sky[form]);
}

static void draw(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float still[4] = {0, 0, 0, 0};
	fill(renderer, input, AS_FLOATS, still);
}

static void draw_picture(struct ph__renderer *renderer, const struct ph__pass_input *input)
{
	static const float still[4] = {0, 128 / 255.0f, 128 / 255.0f, 1};
	fill(renderer, input, AS_PICTURE, still);
}

const struct ph__pass ph__flow_pass = {
	.create = create,
	.finish = finish,
	.draw = draw,
	.compares = true,
	.target = PH__TARGET_FLOAT2,
	.read_format = GL_RG,
	.read_type = GL_FLOAT,
};

const struct ph__pass ph__optical_flow_pass = {
	.create = create_picture,
	.draw = draw_picture,
	.compares = true,
	.target = PH__TARGET_BYTES,
	.read_format = GL_RGBA,
	.read_type = GL_UNSIGNED_BYTE,
};
