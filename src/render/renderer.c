/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "render/passes.h"
#include "render/shaders.h"

enum { BLOCK_ALIGNMENT_MAX = 4096 }; /* OpenGL guarantees 256 */

static const struct ph__pass *const passes[PH__MODALITY_COUNT] = {
	[PH__MODALITY_LIT]         = &ph__lit_pass,
	[PH__MODALITY_DEPTH]       = &ph__depth_pass,
	[PH__MODALITY_OBJECT_MASK] = &ph__mask_pass,
};

/* What stays the same from one picture to the next. */
static void set_state(void)
{
	glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE); /* row 0 on top, depth reversed */
	glPixelStorei(GL_PACK_ALIGNMENT, 4);
	glDisable(GL_DITHER);
	glCullFace(GL_BACK);
	glEnable(GL_DEPTH_TEST);
}

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

static struct ph__frame_block block_of(const struct ph__renderer *renderer,
				       const struct ph__snapshot *snapshot,
				       const struct ph__view *view,
				       const struct ph__camera_frame *camera)
{
	struct ph__frame_block block = {
		.depth_per_m = 1 / view->depth_unit_m,
		.depth_far = view->depth_far,
		.shadow_bias_m = renderer->shadow.texel_m,
		.shadow_step = 0.75f / PH__SHADOW_SIDE_PX,
		.exposure = view->exposure > 0 ? (float)view->exposure : 1,
	};
	ph__camera_clip_matrix(camera, block.clip_from_relative);
	ph__shadow_matrix_for(&renderer->shadow, camera->origin_m, block.shadow_from_relative);
	double spread = camera->is_orthographic ? 0 : 1;
	scale3(camera->axes.right, spread * camera->tan_x, block.across);
	scale3(camera->axes.up, spread * camera->tan_y, block.up);
	scale3(camera->axes.forward, 1, block.forward);
	set_projection(&block, camera);
	for (int i = 0; i < 3; i++)
		block.to_sun[i] = -snapshot->sun.direction[i];
	copy3(snapshot->sun.radiance, block.sun);
	copy3(snapshot->sky.zenith, block.zenith);
	copy3(snapshot->sky.horizon, block.horizon);
	copy3(snapshot->sky.ground, block.ground);
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

/* Room for the records and the block of the shadow pass and of the picture, and for the gaps before
 * each. */
static ph_status reserve(struct ph__renderer *renderer, const struct ph__snapshot *snapshot)
{
	ph_status status = ph__draw_list_reserve(&renderer->list, snapshot);
	if (status < 0)
		return status;
	size_t records = (renderer->list.capacity + 1) * sizeof(struct ph__draw_record);
	size_t block = sizeof(struct ph__frame_block) + BLOCK_ALIGNMENT_MAX;
	return ph__stream_begin(&renderer->stream, renderer->device, 2 * (records + block));
}

static void draw_pass(struct ph__renderer *renderer, const struct ph__pass *pass,
		      const struct ph__snapshot *snapshot, const struct ph__view *view,
		      GLuint framebuffer)
{
	struct ph__camera_frame camera = ph__camera_frame_of(view);
	struct ph__pass_input input = {snapshot, view};

	glDepthFunc(GL_GREATER);
	if (pass->has_shadows)
		ph__shadow_update(&renderer->shadow, snapshot, &renderer->geometry, &renderer->list,
				  &renderer->stream);
	ph__draw_list_collect(&renderer->list, snapshot, &camera);
	ph__draw_list_write(&renderer->list, snapshot, camera.origin_m, &renderer->stream);
	struct ph__frame_block block = block_of(renderer, snapshot, view, &camera);
	bind_block(renderer, &block);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glViewport(0, 0, (GLsizei)view->width_px, (GLsizei)view->height_px);
	glEnable(GL_CULL_FACE);
	pass->draw(renderer, &input);
}

static ph_status check_view(const struct ph__renderer *renderer, const struct ph__view *view,
			    enum ph__modality modality, uint64_t length_bytes)
{
	uint64_t wanted = (uint64_t)view->width_px * view->height_px * 4;

	if ((unsigned)modality >= PH__MODALITY_COUNT)
		return ph__fail(PH_EINVAL, "%d is no modality", (int)modality);
	if (view->width_px == 0 || view->height_px == 0)
		return ph__fail(PH_EINVAL, "a picture of %u x %u has no pixels", view->width_px,
				view->height_px);
	if (view->width_px > renderer->side_limit_px || view->height_px > renderer->side_limit_px)
		return ph__fail(PH_ETOOBIG,
				"a picture of %u x %u: each side may be %u pixels at most",
				view->width_px, view->height_px, renderer->side_limit_px);
	if (!(view->fov_rad > 0 && view->fov_rad < M_PI))
		return ph__fail(PH_EINVAL,
				"a field of view of %g degrees: it must be above 0 and below 180",
				view->fov_rad * 180 / M_PI);
	if (view->is_orthographic && !(view->ortho_width_m > 0))
		return ph__fail(PH_EINVAL, "an orthographic view that is %g m wide: it must be above 0",
				view->ortho_width_m);
	if (!(view->depth_unit_m > 0))
		return ph__fail(PH_EINVAL, "a unit of depth of %g m: it must be above 0",
				(double)view->depth_unit_m);
	if (length_bytes != wanted)
		return ph__fail(PH_EINVAL, "%llu bytes for a %u x %u picture that has %llu",
				(unsigned long long)length_bytes, view->width_px, view->height_px,
				(unsigned long long)wanted);
	return PH_OK;
}

ph_status ph__renderer_draw(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const struct ph__view *view, enum ph__modality modality, void *pixels,
			    uint64_t length_bytes, struct ph__draw_times *times)
{
	int64_t begin_ns = ph_now_ns();
	GLuint framebuffer;

	memset(times, 0, sizeof(*times));
	ph_status status = check_view(renderer, view, modality, length_bytes);
	if (status == PH_OK)
		status = reserve(renderer, snapshot);
	if (status == PH_OK)
		status = ph__targets_get(&renderer->targets, renderer->device, view->width_px,
					 view->height_px, passes[modality]->target, &framebuffer);
	if (status < 0)
		return status;

	draw_pass(renderer, passes[modality], snapshot, view, framebuffer);
	glFinish(); /* so that the copy is timed alone */
	int64_t drawn_ns = ph_now_ns();
	glReadnPixels(0, 0, (GLsizei)view->width_px, (GLsizei)view->height_px,
		      passes[modality]->read_format, passes[modality]->read_type,
		      (GLsizei)(length_bytes > INT32_MAX ? INT32_MAX : length_bytes), pixels);
	int64_t end_ns = ph_now_ns();
	*times = (struct ph__draw_times){begin_ns, end_ns - begin_ns, end_ns - drawn_ns};
	return ph__gl_check(renderer->device, "drawing a picture");
}

uint32_t ph__renderer_side_limit_px(const struct ph__renderer *renderer)
{
	return renderer->side_limit_px;
}

static uint32_t find_side_limit(void)
{
	GLint texture, viewport[2];

	glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
	glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
	GLint limit = texture < viewport[0] ? texture : viewport[0];
	return (uint32_t)(limit < viewport[1] ? limit : viewport[1]);
}

/* How far the farthest point of a mesh is from its origin. */
static double radius_of(const struct ph__assets *assets)
{
	double radius = 1;

	for (uint32_t i = 0; i < assets->mesh_count; i++)
		for (int k = 0; k < 3; k++)
			radius = fmax(radius, fmax(fabs(assets->meshes[i].lower_m[k]),
						   fabs(assets->meshes[i].upper_m[k])));
	return radius * sqrt(3);
}

/* Drivers finish a program when it first draws with a new kind of state. One object made of all
 * parts, whole in a tiny picture of each modality, brings them all about. */
static ph_status warm_up(struct ph__renderer *renderer)
{
	enum { SIDE_PX = 8 };
	unsigned char pixels[SIDE_PX * SIDE_PX * 4];
	struct ph__instance all = {
		.model = {[0] = 1, [5] = 1, [10] = 1, [15] = 1},
		.part_count = renderer->assets->part_count,
	};
	struct ph__snapshot snapshot = {
		.assets = renderer->assets,
		.instances = &all,
		.instance_count = 1,
		.sun = {.direction = {0, -1, 0}},
	};
	struct ph__view view = {
		.pose = {.position_m = {-2 * radius_of(renderer->assets), 0, 0}},
		.fov_rad = M_PI / 2,
		.width_px = SIDE_PX,
		.height_px = SIDE_PX,
		.depth_unit_m = 1,
		.depth_far = 1,
	};
	struct ph__draw_times times;
	ph_status status = PH_OK;

	for (int i = 0; i < PH__MODALITY_COUNT && status == PH_OK; i++)
		status = ph__renderer_draw(renderer, &snapshot, &view, i, pixels, sizeof(pixels),
					   &times);
	renderer->shadow.drawn = false;
	return status;
}

static ph_status start(struct ph__renderer *renderer)
{
	set_state();
	renderer->side_limit_px = find_side_limit();
	ph_status status =
		ph__geometry_upload(&renderer->geometry, renderer->device, renderer->assets);
	if (status == PH_OK)
		status = ph__shadow_create(&renderer->shadow, renderer->device);
	for (int i = 0; i < PH__MODALITY_COUNT && status == PH_OK; i++)
		status = passes[i]->create(renderer);
	return status == PH_OK ? warm_up(renderer) : status;
}

ph_status ph__renderer_create(struct ph__device *device, const struct ph__assets *assets,
			      struct ph__renderer **renderer)
{
	*renderer = ph__sys->calloc(1, sizeof(**renderer));
	if (!*renderer)
		return ph__fail(PH_ENOSPC, "no memory for a renderer");
	(*renderer)->device = device;
	(*renderer)->assets = assets;
	ph_status status = start(*renderer);
	if (status < 0)
		ph__renderer_close(renderer);
	return status;
}

void ph__renderer_close(struct ph__renderer **at)
{
	struct ph__renderer *renderer = *at;

	*at = NULL;
	if (!renderer)
		return;
	for (int i = 0; i < PH__MODALITY_COUNT; i++)
		passes[i]->finish(renderer);
	ph__shadow_finish(&renderer->shadow);
	ph__targets_finish(&renderer->targets);
	ph__stream_finish(&renderer->stream);
	ph__draw_list_finish(&renderer->list);
	ph__geometry_finish(&renderer->geometry);
	ph__sys->free(renderer);
}
