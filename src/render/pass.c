/* SPDX-License-Identifier: MIT */
/* What all passes have in common: the camera's block, the list, the target. */
#include "render/passes.h"

#include <string.h>

#include "render/shaders.h"

static void copy3(const float from[3], float to[4])
{
	memcpy(to, from, 3 * sizeof(to[0]));
	to[3] = 0;
}

static void scale3(const double from[3], double factor, float to[4])
{
	for (int i = 0; i < 3; i++)
		to[i] = (float)(from[i] * factor);
	to[3] = 0;
}

/* What a pixel looks along. A shifted picture has its middle elsewhere. */
static void set_rays(struct ph__frame_block *block, const struct ph__camera_frame *camera)
{
	double middle[3], spread = camera->is_orthographic ? 0 : 1;

	for (int i = 0; i < 3; i++)
		middle[i] = camera->axes.forward[i] -
			    spread * (camera->shift[0] * camera->tan_x * camera->axes.right[i] +
				      camera->shift[1] * camera->tan_y * camera->axes.up[i]);
	block->spread = (float)spread;
	scale3(camera->axes.right, camera->tan_x, block->across);
	scale3(camera->axes.up, camera->tan_y, block->up);
	scale3(middle, 1, block->forward);
}

static void set_projection(struct ph__frame_block *block, const struct ph__camera_frame *camera)
{
	double range_m = PH__ORTHO_FAR_M - PH__NEAR_M;

	if (!camera->is_orthographic) {
		block->eye[3] = 1;
		block->depth_from[0] = 1;
		return;
	}
	scale3(camera->axes.forward, -1, block->eye);
	block->depth_from[1] = (float)-range_m;
	block->depth_from[2] = (float)PH__ORTHO_FAR_M;
}

static void set_light(struct ph__frame_block *block, const struct ph__snapshot *snapshot)
{
	for (int i = 0; i < 3; i++)
		block->to_sun[i] = -snapshot->sun.direction[i];
	copy3(snapshot->sun.radiance, block->sun);
	copy3(snapshot->sky.zenith, block->zenith);
	copy3(snapshot->sky.horizon, block->horizon);
	copy3(snapshot->sky.ground, block->ground);
}

static void set_preview(struct ph__frame_block *block, const struct ph__view *view)
{
	bool given = view->preview.farthest > view->preview.nearest;

	block->preview_range[0] = given ? view->preview.nearest : 0;
	block->preview_range[1] = given ? view->preview.farthest : 20 / view->depth_unit_m;
	block->preview_range[2] = view->preview.exponent > 0 ? view->preview.exponent : 1;
}

static struct ph__frame_block block_of(const struct ph__renderer *renderer,
				       const struct ph__pass_input *input)
{
	const struct ph__view *view = input->view;
	const struct ph__camera_frame *camera = input->camera;
	float width = (float)view->width_px, height = (float)view->height_px;
	struct ph__frame_block block = {
		.depth_per_m = 1 / view->depth_unit_m,
		.depth_far = view->depth_far,
		.shadow_bias_m = renderer->shadow.texel_m,
		.shadow_step = 0.75f / PH__SHADOW_SIDE_PX,
		.exposure = view->exposure > 0 ? (float)view->exposure : 1,
		.pixels = {2 / width, 2 / height, width / 2, height / 2},
	};

	ph__camera_clip_matrix(camera, block.clip_from_relative);
	ph__shadow_matrix_for(&renderer->shadow, camera->origin_m, block.shadow_from_relative);
	if (input->before)
		ph__motion_of(NULL, input->before, block.sky_motion);
	scale3(camera->origin_m, 1 / (double)view->depth_unit_m, block.origin);
	set_preview(&block, view);
	set_rays(&block, camera);
	set_projection(&block, camera);
	set_light(&block, input->snapshot);
	return block;
}

static void bind_block(struct ph__renderer *renderer, const struct ph__frame_block *block)
{
	struct ph__stream *stream = &renderer->stream;
	size_t offset;

	memcpy(ph__stream_take(stream, sizeof(*block), stream->block_alignment, &offset), block,
	       sizeof(*block));
	glBindBufferRange(GL_UNIFORM_BUFFER, 0, stream->buffer, (GLintptr)offset, sizeof(*block));
}

ph_status ph__pass_reserve(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			   uint32_t pass_count)
{
	enum { BLOCK_ALIGNMENT_MAX = 4096 }; /* OpenGL guarantees 256 */
	ph_status status = ph__draw_list_reserve(&renderer->list, snapshot);

	if (status < 0)
		return status;
	size_t records = (renderer->list.capacity + 1) * sizeof(struct ph__draw_record);
	size_t block = sizeof(struct ph__frame_block) + BLOCK_ALIGNMENT_MAX;
	return ph__stream_begin(&renderer->stream, renderer->device,
				(pass_count + 1) * (records + block));
}

void ph__pass_bind(const struct ph__pass_input *input, GLuint framebuffer)
{
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glViewport(0, 0, (GLsizei)input->view->width_px, (GLsizei)input->view->height_px);
}

void ph__pass_cover(struct ph__renderer *renderer, const struct ph__pass_input *input,
		    GLuint program)
{
	struct ph__frame_block block = block_of(renderer, input);

	bind_block(renderer, &block);
	glDisable(GL_DEPTH_TEST);
	glDisable(GL_CULL_FACE);
	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glEnable(GL_DEPTH_TEST);
}

void ph__pass_draw(struct ph__renderer *renderer, const struct ph__pass *pass,
		   const struct ph__pass_input *input, GLuint framebuffer)
{
	const struct ph__record_source source = {
		.snapshot = input->snapshot,
		.origin_m = input->camera->origin_m,
		.before = input->before,
		.color = pass->color,
	};

	glDepthFunc(GL_GREATER);
	if (pass->has_shadows)
		ph__shadow_update(&renderer->shadow, input->snapshot, &renderer->geometry,
				  &renderer->list, &renderer->stream);
	ph__draw_list_collect(&renderer->list, input->snapshot, input->camera);
	ph__draw_list_write(&renderer->list, &source, &renderer->stream);
	struct ph__frame_block block = block_of(renderer, input);
	bind_block(renderer, &block);
	ph__pass_bind(input, framebuffer);
	glEnable(GL_CULL_FACE);
	pass->draw(renderer, input);
}

void ph__pass_submit(struct ph__renderer *renderer, const struct ph__pass_input *input,
		     const GLuint programs[2])
{
	ph__draw_list_submit(&renderer->list, &renderer->geometry, input->snapshot,
			     &renderer->stream, programs);
}

void ph__pass_fill(struct ph__renderer *renderer, const struct ph__pass_input *input,
		   GLuint program, const float background[4])
{
	static const float nothing = 0;

	glClearBufferfv(GL_COLOR, 0, background);
	glClearBufferfv(GL_DEPTH, 0, &nothing);
	ph__pass_submit(renderer, input, (const GLuint[2]){program, program});
}

void ph__pass_draw_sky(GLuint program)
{
	glDepthFunc(GL_EQUAL);
	glDisable(GL_CULL_FACE);
	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 3);
}
