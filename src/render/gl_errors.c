/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "render/device.h"

static void GLAPIENTRY hear(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
			    const GLchar *message, const void *user)
{
	struct ph__device *device = (struct ph__device *)(uintptr_t)user;
	(void)source;
	(void)id;
	(void)length;

	if (type != GL_DEBUG_TYPE_ERROR && severity != GL_DEBUG_SEVERITY_HIGH) {
		ph__log(PH_LOG_DEBUG, "OpenGL: %s", message);
		return;
	}
	device->error_count++;
	strncpy(device->error, message, sizeof(device->error) - 1);
	ph__log(PH_LOG_ERROR, "OpenGL: %s", message);
}

void ph__gl_watch(struct ph__device *device)
{
	glEnable(GL_DEBUG_OUTPUT);
	glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS); /* in the thread and in the call that is to blame */
	glDebugMessageCallback(hear, device);
}

ph_status ph__gl_check(struct ph__device *device, const char *doing)
{
	GLenum error = glGetError();

	if (error == GL_NO_ERROR)
		return PH_OK;
	while (glGetError() != GL_NO_ERROR)
		;
	ph_status status = error == GL_OUT_OF_MEMORY ? PH_ENOSPC : PH_ESYS;
	return ph__fail(status, "OpenGL error 0x%04x while %s: %s", error, doing,
			device->error[0] ? device->error : "it says no more");
}

uint32_t ph__device_error_count(const struct ph__device *device)
{
	return device->error_count;
}
