/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "render/panorama.h"
#include "render/passes.h"

static const struct ph__pass *const passes[PH__MODALITY_COUNT] = {
	[PH__MODALITY_LIT] = &ph__lit_pass,
	[PH__MODALITY_DEPTH] = &ph__depth_pass,
	[PH__MODALITY_OBJECT_MASK] = &ph__mask_pass,
	[PH__MODALITY_NORMAL] = &ph__normal_pass,
	[PH__MODALITY_FLOW] = &ph__flow_pass,
	[PH__MODALITY_OPTICAL_FLOW] = &ph__optical_flow_pass,
	[PH__MODALITY_RADIAL_DEPTH] = &ph__radial_pass,
	[PH__MODALITY_POSITION] = &ph__position_pass,
	[PH__MODALITY_INSTANCE] = &ph__instance_pass,
	[PH__MODALITY_SEMANTIC] = &ph__semantic_pass,

	[PH__MODALITY_PANORAMIC] = &ph__panoramic_pass,
	[PH__MODALITY_PANORAMIC_NORMAL] = &ph__panoramic_normal_pass,
	[PH__MODALITY_PANORAMIC_MASK] = &ph__panoramic_mask_pass,
	[PH__MODALITY_PANORAMIC_DEPTH] = &ph__panoramic_depth_pass,
	[PH__MODALITY_PANORAMIC_PREVIEW] = &ph__panoramic_preview_pass,
	[PH__MODALITY_MOVIE] = &ph__movie_pass,
	[PH__MODALITY_MOVIE_PANORAMIC] = &ph__movie_panoramic_pass,
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

static ph_status check_view(const struct ph__renderer *renderer, const struct ph__view *view,
			    enum ph__modality modality, uint64_t length_bytes)
{
	if ((unsigned)modality >= PH__MODALITY_COUNT)
		return ph__fail(PH_EINVAL, "%d is no modality", (int)modality);
	uint64_t wanted = (uint64_t)view->width_px * view->height_px *
			  ph_pixel_bytes(ph__modality_pixel(modality));
	if (view->width_px == 0 || view->height_px == 0)
		return ph__fail(PH_EINVAL, "a picture of %u x %u has no pixels", view->width_px,
				view->height_px);
	if (view->width_px > renderer->side_limit_px || view->height_px > renderer->side_limit_px)
		return ph__fail(PH_ETOOBIG,
				"a picture of %u x %u: each side may be %u pixels at most",
				view->width_px, view->height_px, renderer->side_limit_px);
	if (ph__modality_is_panorama(modality) &&
	    ph__panorama_side_px(view) > renderer->side_limit_px - 2 * PH__FACE_BORDER_PX)
		return ph__fail(PH_ETOOBIG,
				"a panorama from faces of %u x %u: each side may be %u pixels at "
				"most",
				ph__panorama_side_px(view), ph__panorama_side_px(view),
				renderer->side_limit_px - 2 * PH__FACE_BORDER_PX);
	if (!(view->fov_rad > 0 && view->fov_rad < M_PI))
		return ph__fail(PH_EINVAL,
				"a field of view of %g degrees: it must be above 0 and below 180",
				view->fov_rad * 180 / M_PI);
	if (view->is_orthographic && !(view->ortho_width_m > 0))
		return ph__fail(PH_EINVAL,
				"an orthographic view that is %g m wide: it must be above 0",
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

/* What flow is relative to: the camera and the objects as they were, in the present picture. */
static void find_before(const struct ph__view *view, const struct ph__camera_frame *camera,
			struct ph__view *view_before, struct ph__camera_frame *camera_before,
			struct ph__record_before *before)
{
	*view_before = *view->before.view;
	view_before->width_px = view->width_px;
	view_before->height_px = view->height_px;
	*camera_before = ph__camera_frame_of(view_before);
	*before = (struct ph__record_before){
		.snapshot = view->before.snapshot,
		.camera = camera_before,
		.camera_now = camera,
		.half_px = {view->width_px / 2.0, view->height_px / 2.0},
	};
}

static ph_status draw_view(struct ph__renderer *renderer, const struct ph__pass *pass,
			   const struct ph__snapshot *snapshot, const struct ph__view *view,
			   const struct ph__target *target)
{
	struct ph__camera_frame camera = ph__camera_frame_of(view), camera_before;
	struct ph__view view_before;
	struct ph__record_before before;
	struct ph__pass_input input = {
		.pass = pass, .snapshot = snapshot, .view = view, .camera = &camera};

	if (pass->compares && view->before.snapshot) {
		find_before(view, &camera, &view_before, &camera_before, &before);
		input.before = &before;
	}
	if (pass->compose)
		return pass->compose(renderer, &input, target);
	ph__pass_draw(renderer, pass, &input, target->framebuffers[pass->target]);
	return PH_OK;
}

/* In pieces of whole rows: OpenGL counts bytes in 31 bits. */
static void read_back(const struct ph__view *view, const struct ph__pass *pass, uint64_t row_bytes,
		      unsigned char *pixels)
{
	uint32_t rows_at_once = (uint32_t)(INT32_MAX / row_bytes);

	for (uint32_t y = 0; y < view->height_px; y += rows_at_once) {
		uint32_t rows =
			view->height_px - y < rows_at_once ? view->height_px - y : rows_at_once;
		glReadnPixels(0, (GLint)y, (GLsizei)view->width_px, (GLsizei)rows,
			      pass->read_format, pass->read_type, (GLsizei)(rows * row_bytes),
			      pixels + y * row_bytes);
	}
}

ph_status ph__renderer_draw(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const struct ph__view *view, enum ph__modality modality, void *pixels,
			    uint64_t length_bytes, struct ph__draw_times *times)
{
	int64_t begin_ns = ph_now_ns();
	const struct ph__target *target;

	memset(times, 0, sizeof(*times));
	ph_status status = check_view(renderer, view, modality, length_bytes);
	if (status < 0)
		return status;
	const struct ph__pass *pass = passes[modality];
	status = ph__pass_reserve(renderer, snapshot, pass->compose ? pass->pass_count : 1);
	if (status == PH_OK)
		status = ph__targets_get(&renderer->targets, renderer->device, view->width_px,
					 view->height_px, pass->target, &target);
	if (status == PH_OK)
		status = draw_view(renderer, pass, snapshot, view, target);
	if (status < 0)
		return status;

	glFinish(); /* so that the copy is timed alone */
	int64_t drawn_ns = ph_now_ns();
	read_back(view, pass, length_bytes / view->height_px, pixels);
	int64_t end_ns = ph_now_ns();
	*times = (struct ph__draw_times){begin_ns, end_ns - begin_ns, end_ns - drawn_ns};
	return ph__gl_check(renderer->device, "drawing a picture");
}

ph_status ph__renderer_scan(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const ph_pose *pose, const struct ph__lidar *lidar,
			    struct ph__lidar_point *points, uint32_t *count,
			    struct ph__draw_times *times)
{
	int64_t begin_ns = ph_now_ns();
	ph_status status = PH_OK;

	*count = 0;
	memset(times, 0, sizeof(*times));
	if (!renderer->caster)
		status = ph__caster_create(renderer->assets, &renderer->caster);
	if (status == PH_OK)
		status = ph__caster_aim(renderer->caster, snapshot);
	if (status < 0)
		return status;
	*count = ph__lidar_scan(lidar, renderer->caster, pose, points);
	*times = (struct ph__draw_times){begin_ns, ph_now_ns() - begin_ns, 0};
	return PH_OK;
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
	enum { SIDE_PX = 8, PIXEL_BYTES_MAX = 16 };
	unsigned char pixels[SIDE_PX * SIDE_PX * PIXEL_BYTES_MAX];
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
		.sample_count = 1,
	};
	struct ph__draw_times times;
	ph_status status = PH_OK;

	view.before.snapshot = &snapshot;
	view.before.view = &view;
	for (int i = 0; i < PH__MODALITY_COUNT && status == PH_OK; i++) {
		uint32_t pixel_bytes = ph_pixel_bytes(ph__modality_pixel(i));
		status = ph__renderer_draw(renderer, &snapshot, &view, i, pixels,
					   (uint64_t)SIDE_PX * SIDE_PX * pixel_bytes, &times);
	}
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
		status = passes[i]->create ? passes[i]->create(renderer) : PH_OK;
	if (status == PH_OK)
		status = ph__light_pass.create(renderer);
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
		if (passes[i]->finish)
			passes[i]->finish(renderer);
	ph__light_pass.finish(renderer);
	ph__shadow_finish(&renderer->shadow);
	ph__targets_finish(&renderer->targets);
	for (int i = 0; i < PH__TARGET_FORMAT_COUNT; i++)
		ph__faces_finish(&renderer->faces[i]);
	ph__stream_finish(&renderer->stream);
	ph__caster_close(&renderer->caster);
	ph__draw_list_finish(&renderer->list);
	ph__geometry_finish(&renderer->geometry);
	ph__sys->free(renderer);
}
