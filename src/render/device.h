/* SPDX-License-Identifier: MIT */
/* What the renderer's own files know of a device. */
#ifndef RENDER_DEVICE_H
#define RENDER_DEVICE_H

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include "render/render.h"

struct ph__device {
	EGLDisplay display;
	EGLContext context;
	bool is_software;
	char renderer[160], gl_version[96];
	uint32_t error_count;
	char error[256]; /* the last one's text */
};

/* Collects what GL says of errors in device->error and logs it. */
void ph__gl_watch(struct ph__device *device);

/* The end of a run of GL calls: PH_OK, or a failure that says what was being done and what GL said
 * (PH_ENOSPC when it ran out of memory). */
ph_status ph__gl_check(struct ph__device *device, const char *doing);

#endif
