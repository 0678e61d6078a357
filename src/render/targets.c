/* SPDX-License-Identifier: MIT */
#include "render/targets.h"

#include <string.h>

#include "base/status.h"

enum { PIXEL_BYTES = 8 }; /* colour and depth */

/* Of all sizes that are kept beside the newest: four 8K pictures. */
static const uint64_t kept_bytes_max = 4ull * 7680 * 4320 * PIXEL_BYTES;

static const GLenum formats[PH__TARGET_FORMAT_COUNT] = {
	[PH__TARGET_BYTES] = GL_RGBA8,
	[PH__TARGET_FLOAT] = GL_R32F,
};

static uint64_t bytes_of(const struct ph__target *target)
{
	return (uint64_t)target->width_px * target->height_px * PIXEL_BYTES;
}

static void finish_target(struct ph__target *target)
{
	glDeleteFramebuffers(PH__TARGET_FORMAT_COUNT, target->framebuffers);
	glDeleteTextures(PH__TARGET_FORMAT_COUNT, target->views);
	glDeleteTextures(1, &target->color);
	glDeleteTextures(1, &target->depth);
	memset(target, 0, sizeof(*target));
}

static GLuint create_texture(GLenum format, uint32_t width_px, uint32_t height_px)
{
	GLuint texture;

	glCreateTextures(GL_TEXTURE_2D, 1, &texture);
	glTextureStorage2D(texture, 1, format, (GLsizei)width_px, (GLsizei)height_px);
	return texture;
}

/* The formats are of one class, so that views of one texture serve for all. */
static ph_status attach(struct ph__target *target, struct ph__device *device)
{
	glCreateFramebuffers(PH__TARGET_FORMAT_COUNT, target->framebuffers);
	glGenTextures(PH__TARGET_FORMAT_COUNT, target->views);
	for (int i = 0; i < PH__TARGET_FORMAT_COUNT; i++) {
		GLuint framebuffer = target->framebuffers[i], view = target->views[i];
		glTextureView(view, GL_TEXTURE_2D, target->color, formats[i], 0, 1, 0, 1);
		glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, view, 0);
		glNamedFramebufferTexture(framebuffer, GL_DEPTH_ATTACHMENT, target->depth, 0);
		GLenum state = glCheckNamedFramebufferStatus(framebuffer, GL_FRAMEBUFFER);
		if (state != GL_FRAMEBUFFER_COMPLETE)
			return ph__fail(PH_ESYS, "a framebuffer of %u x %u is not complete: 0x%04x",
					target->width_px, target->height_px, state);
	}
	return ph__gl_check(device, "attaching a picture's memory");
}

static ph_status create_target(struct ph__target *target, struct ph__device *device,
			       uint32_t width_px, uint32_t height_px)
{
	target->width_px = width_px;
	target->height_px = height_px;
	target->color = create_texture(GL_RGBA8, width_px, height_px);
	target->depth = create_texture(GL_DEPTH_COMPONENT32F, width_px, height_px);
	ph_status status = ph__gl_check(device, "making room for a picture");
	if (status == PH_OK)
		status = attach(target, device);
	if (status < 0)
		finish_target(target);
	return status;
}

static struct ph__target *find(struct ph__targets *targets, uint32_t width_px, uint32_t height_px)
{
	for (int i = 0; i < PH__TARGETS_MAX; i++) {
		struct ph__target *target = &targets->kept[i];
		if (target->width_px == width_px && target->height_px == height_px)
			return target;
	}
	return NULL;
}

/* Free places are the ones used longest ago: their last use is 0. */
static struct ph__target *oldest(struct ph__targets *targets, bool in_use)
{
	struct ph__target *found = NULL;

	for (int i = 0; i < PH__TARGETS_MAX; i++) {
		struct ph__target *target = &targets->kept[i];
		if (in_use && target->last_use == 0)
			continue;
		if (!found || target->last_use < found->last_use)
			found = target;
	}
	return found;
}

static uint64_t kept_bytes(const struct ph__targets *targets)
{
	uint64_t bytes = 0;

	for (int i = 0; i < PH__TARGETS_MAX; i++)
		bytes += bytes_of(&targets->kept[i]);
	return bytes;
}

static struct ph__target *make_place(struct ph__targets *targets)
{
	while (kept_bytes(targets) > kept_bytes_max)
		finish_target(oldest(targets, true));
	struct ph__target *place = oldest(targets, false);
	finish_target(place);
	return place;
}

ph_status ph__targets_get(struct ph__targets *targets, struct ph__device *device, uint32_t width_px,
			  uint32_t height_px, enum ph__target_format format, GLuint *framebuffer)
{
	struct ph__target *target = find(targets, width_px, height_px);

	*framebuffer = 0;
	if (!target) {
		target = make_place(targets);
		ph_status status = create_target(target, device, width_px, height_px);
		if (status < 0)
			return status;
	}
	target->last_use = ++targets->use_count;
	*framebuffer = target->framebuffers[format];
	return PH_OK;
}

void ph__targets_finish(struct ph__targets *targets)
{
	for (int i = 0; i < PH__TARGETS_MAX; i++)
		finish_target(&targets->kept[i]);
}
