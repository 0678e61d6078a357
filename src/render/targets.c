/* SPDX-License-Identifier: MIT */
#include "render/targets.h"

#include <string.h>

#include "base/status.h"

enum { DEPTH_BYTES = 4 };

/* Of all sizes that are kept beside the newest two: four 8K pictures. */
static const uint64_t kept_bytes_max = 4ull * 7680 * 4320 * 8;

static const struct {
	GLenum format;
	uint32_t pixel_bytes;
} formats[PH__TARGET_FORMAT_COUNT] = {
	[PH__TARGET_BYTES] = {GL_RGBA8, 4},
	[PH__TARGET_FLOAT] = {GL_R32F, 4},
	[PH__TARGET_FLOAT2] = {GL_RG32F, 8},
	[PH__TARGET_FLOAT4] = {GL_RGBA32F, 16},
};

GLenum ph__target_format_of(enum ph__target_format format)
{
	return formats[format].format;
}

static uint64_t bytes_of(const struct ph__target *target)
{
	return (uint64_t)target->width_px * target->height_px * (target->pixel_bytes + DEPTH_BYTES);
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

/* Formats of as many bytes are of one class, so that views of one texture serve for all. */
static ph_status attach(struct ph__target *target, struct ph__device *device,
			enum ph__target_format format)
{
	GLuint *framebuffer = &target->framebuffers[format], *view = &target->views[format];

	glCreateFramebuffers(1, framebuffer);
	glGenTextures(1, view);
	glTextureView(*view, GL_TEXTURE_2D, target->color, formats[format].format, 0, 1, 0, 1);
	glTextureParameteri(*view, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTextureParameteri(*view, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	glNamedFramebufferTexture(*framebuffer, GL_COLOR_ATTACHMENT0, *view, 0);
	glNamedFramebufferTexture(*framebuffer, GL_DEPTH_ATTACHMENT, target->depth, 0);
	GLenum state = glCheckNamedFramebufferStatus(*framebuffer, GL_FRAMEBUFFER);
	if (state != GL_FRAMEBUFFER_COMPLETE)
		return ph__fail(PH_ESYS, "a framebuffer of %u x %u is not complete: 0x%04x",
				target->width_px, target->height_px, state);
	return ph__gl_check(device, "attaching a picture's memory");
}

static ph_status create_target(struct ph__target *target, struct ph__device *device,
			       uint32_t width_px, uint32_t height_px, enum ph__target_format format)
{
	target->width_px = width_px;
	target->height_px = height_px;
	target->pixel_bytes = formats[format].pixel_bytes;
	target->color = create_texture(formats[format].format, width_px, height_px);
	target->depth = create_texture(GL_DEPTH_COMPONENT32F, width_px, height_px);
	return ph__gl_check(device, "making room for a picture");
}

static struct ph__target *find(struct ph__targets *targets, uint32_t width_px, uint32_t height_px,
			       uint32_t pixel_bytes)
{
	for (int i = 0; i < PH__TARGETS_MAX; i++) {
		struct ph__target *target = &targets->kept[i];
		if (target->width_px == width_px && target->height_px == height_px &&
		    target->pixel_bytes == pixel_bytes)
			return target;
	}
	return NULL;
}

/* Free places are the ones used longest ago: their last use is 0. NULL: what is in use is the one
 * that was asked for last. */
static struct ph__target *oldest(struct ph__targets *targets, bool in_use)
{
	struct ph__target *found = NULL;

	for (int i = 0; i < PH__TARGETS_MAX; i++) {
		struct ph__target *target = &targets->kept[i];
		if (in_use && (target->last_use == 0 || target->last_use == targets->use_count))
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
	struct ph__target *place;

	while (kept_bytes(targets) > kept_bytes_max && (place = oldest(targets, true)))
		finish_target(place);
	place = oldest(targets, false);
	finish_target(place);
	return place;
}

ph_status ph__targets_get(struct ph__targets *targets, struct ph__device *device, uint32_t width_px,
			  uint32_t height_px, enum ph__target_format format,
			  const struct ph__target **found)
{
	uint32_t pixel_bytes = formats[format].pixel_bytes;
	struct ph__target *target = find(targets, width_px, height_px, pixel_bytes);
	ph_status status = PH_OK;

	if (!target) {
		target = make_place(targets);
		status = create_target(target, device, width_px, height_px, format);
	}
	if (status == PH_OK && target->framebuffers[format] == 0)
		status = attach(target, device, format);
	if (status < 0) {
		finish_target(target);
		return status;
	}
	target->last_use = ++targets->use_count;
	*found = target;
	return PH_OK;
}

void ph__targets_finish(struct ph__targets *targets)
{
	for (int i = 0; i < PH__TARGETS_MAX; i++)
		finish_target(&targets->kept[i]);
}
