/* SPDX-License-Identifier: MIT */
/* What pictures are drawn into: for each size, colour and depth. Formats of as many bytes are views
 * of the same memory. A few sizes are kept, the one used longest ago goes first. */
#ifndef RENDER_TARGETS_H
#define RENDER_TARGETS_H

#include "render/device.h"

enum ph__target_format {
	PH__TARGET_BYTES,  /* RGBA8, linear: what a shader writes is what is read */
	PH__TARGET_FLOAT,  /* R32F */
	PH__TARGET_FLOAT2, /* RG32F */
	PH__TARGET_FLOAT4, /* RGBA32F */
	PH__TARGET_FORMAT_COUNT
};

struct ph__target {
	uint32_t width_px, height_px, pixel_bytes;
	GLuint color, depth;
	GLuint views[PH__TARGET_FORMAT_COUNT];
	GLuint framebuffers[PH__TARGET_FORMAT_COUNT];
	uint64_t last_use;
};

enum { PH__TARGETS_MAX = 8 };

struct ph__targets {
	struct ph__target kept[PH__TARGETS_MAX];
	uint64_t use_count;
};

GLenum ph__target_format_of(enum ph__target_format format);

/* The target for pictures of that size and format, with the framebuffer and the view of the format
 * made. It stays at least until the next but one is asked for. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__targets_get(struct ph__targets *targets, struct ph__device *device, uint32_t width_px,
			  uint32_t height_px, enum ph__target_format format,
			  const struct ph__target **target);
void ph__targets_finish(struct ph__targets *targets);

#endif
