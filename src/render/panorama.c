/* SPDX-License-Identifier: MIT */
/* Equirectangular pictures: six faces of 90 degrees, then each pixel looks up its direction. */
#include "render/panorama.h"

#include <math.h>

#include "render/program.h"
#include "render/shaders.h"

enum { SIDE_STEP_PX = 16 };

/* As fine as the panorama is at the middle of a face, where a face is coarsest. */
uint32_t ph__panorama_side_px(const struct ph__view *view)
{
	double across = fmax(view->width_px, 2.0 * view->height_px);

	if (view->face_px > 0)
		return view->face_px;
	return ((uint32_t)(across / M_PI) / SIDE_STEP_PX + 1) * SIDE_STEP_PX;
}

ph_status ph__panorama_draw_faces(struct ph__renderer *renderer, const struct ph__pass *pass,
				  const struct ph__pass_input *input, struct ph__faces **drawn)
{
	struct ph__view view = *input->view;
	struct ph__pass_input of_face = {.snapshot = input->snapshot, .view = &view};
	struct ph__faces *faces = &renderer->faces[pass->target];
	uint32_t side_px = ph__panorama_side_px(&view);

	ph_status status = ph__faces_get(faces, renderer->device, side_px, pass->target);
	if (status < 0)
		return status;
	uint32_t whole_px = side_px + 2 * PH__FACE_BORDER_PX;
	view.fov_rad = 2 * atan((double)whole_px / side_px);
	view.is_orthographic = false;
	view.width_px = view.height_px = whole_px;
	for (int face = 0; face < PH__FACE_COUNT; face++) {
		struct ph__camera_frame camera = ph__camera_face_of(&view, face);
		for (int i = 0; i < 2; i++)
			camera.shift[i] = input->camera->shift[i];
		of_face.camera = &camera;
		ph__pass_draw(renderer, pass, &of_face, faces->framebuffers[face]);
	}
	*drawn = faces;
	return PH_OK;
}

void ph__panorama_look_up(struct ph__renderer *renderer, const struct ph__pass_input *input,
			  const struct ph__faces *faces, GLenum filter, GLuint program)
{
	glTextureParameteri(faces->layers, GL_TEXTURE_MIN_FILTER, (GLint)filter);
	glTextureParameteri(faces->layers, GL_TEXTURE_MAG_FILTER, (GLint)filter);
	glBindTextureUnit(PH__UNIT_FACES, faces->layers);
	ph__pass_cover(renderer, input, program);
}

static ph_status build(const char *defines, GLuint *program)
{
	struct ph__program_source source = {
		.defines = defines,
		.vertex = {ph__glsl_frame, ph__glsl_sky_vert},
		.fragment = {ph__glsl_frame, ph__glsl_panorama_frag},
	};
	return ph__program_build(&source, program);
}

static ph_status create(struct ph__renderer *renderer)
{
	return build("", &renderer->panorama);
}

static ph_status create_preview(struct ph__renderer *renderer)
{
	return build("#define PREVIEW\n", &renderer->panorama_preview);
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->panorama);
	glDeleteProgram(renderer->panorama_preview);
}

static ph_status compose_with(struct ph__renderer *renderer, const struct ph__pass *pass,
			      const struct ph__pass_input *input, const struct ph__target *target,
			      GLenum filter, GLuint program)
{
	struct ph__faces *faces;
	ph_status status = ph__panorama_draw_faces(renderer, pass, input, &faces);

	if (status < 0)
		return status;
	ph__pass_bind(input, target->framebuffers[input->pass->target]);
	ph__panorama_look_up(renderer, input, faces, filter, program);
	return PH_OK;
}

static ph_status compose_lit(struct ph__renderer *renderer, const struct ph__pass_input *input,
			     const struct ph__target *target)
{
	return compose_with(renderer, &ph__lit_pass, input, target, GL_LINEAR, renderer->panorama);
}

/* Of distances, normals and colours of objects the one nearest: a mean of two would be neither. */
static ph_status compose_normal(struct ph__renderer *renderer, const struct ph__pass_input *input,
				const struct ph__target *target)
{
	return compose_with(renderer, &ph__normal_pass, input, target, GL_NEAREST,
			    renderer->panorama);
}

static ph_status compose_mask(struct ph__renderer *renderer, const struct ph__pass_input *input,
			      const struct ph__target *target)
{
	return compose_with(renderer, &ph__mask_pass, input, target, GL_NEAREST,
			    renderer->panorama);
}

static ph_status compose_depth(struct ph__renderer *renderer, const struct ph__pass_input *input,
			       const struct ph__target *target)
{
	return compose_with(renderer, &ph__radial_pass, input, target, GL_NEAREST,
			    renderer->panorama);
}

static ph_status compose_preview(struct ph__renderer *renderer, const struct ph__pass_input *input,
				 const struct ph__target *target)
{
	return compose_with(renderer, &ph__radial_pass, input, target, GL_NEAREST,
			    renderer->panorama_preview);
}

#define BYTES    .target = PH__TARGET_BYTES, .read_format = GL_RGBA, .read_type = GL_UNSIGNED_BYTE
#define PANORAMA .pass_count = (PH__FACE_COUNT + 1)

const struct ph__pass ph__panoramic_pass = {
	.create = create, .finish = finish, .compose = compose_lit, PANORAMA, BYTES};

const struct ph__pass ph__panoramic_normal_pass = {.compose = compose_normal, PANORAMA, BYTES};

const struct ph__pass ph__panoramic_mask_pass = {.compose = compose_mask, PANORAMA, BYTES};

const struct ph__pass ph__panoramic_depth_pass = {
	.compose = compose_depth,
	PANORAMA,
	.target = PH__TARGET_FLOAT,
	.read_format = GL_RED,
	.read_type = GL_FLOAT,
};

const struct ph__pass ph__panoramic_preview_pass = {
	.create = create_preview, .compose = compose_preview, PANORAMA, BYTES};
