/* SPDX-License-Identifier: MIT */
#include "render/faces.h"

#include <string.h>

#include "base/status.h"

static ph_status attach(struct ph__faces *faces, struct ph__device *device)
{
	glCreateFramebuffers(PH__FACE_COUNT, faces->framebuffers);
	for (int face = 0; face < PH__FACE_COUNT; face++) {
		GLuint framebuffer = faces->framebuffers[face];
		glNamedFramebufferTextureLayer(framebuffer, GL_COLOR_ATTACHMENT0, faces->layers, 0,
					       face);
		glNamedFramebufferTexture(framebuffer, GL_DEPTH_ATTACHMENT, faces->depth, 0);
		GLenum state = glCheckNamedFramebufferStatus(framebuffer, GL_FRAMEBUFFER);
		if (state != GL_FRAMEBUFFER_COMPLETE)
			return ph__fail(PH_ESYS, "a cube of %u x %u is not complete: 0x%04x",
					faces->side_px, faces->side_px, state);
	}
	return ph__gl_check(device, "attaching a panorama's cube");
}

ph_status ph__faces_get(struct ph__faces *faces, struct ph__device *device, uint32_t side_px,
			enum ph__target_format format)
{
	GLsizei side = (GLsizei)side_px + 2 * PH__FACE_BORDER_PX;

	if (faces->side_px == side_px)
		return PH_OK;
	ph__faces_finish(faces);
	faces->side_px = side_px;
	glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &faces->layers);
	glTextureStorage3D(faces->layers, 1, ph__target_format_of(format), side, side,
			   PH__FACE_COUNT);
	glTextureParameteri(faces->layers, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	glTextureParameteri(faces->layers, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
	glCreateTextures(GL_TEXTURE_2D, 1, &faces->depth);
	glTextureStorage2D(faces->depth, 1, GL_DEPTH_COMPONENT32F, side, side);
	ph_status status = ph__gl_check(device, "making room for a panorama's cube");
	if (status == PH_OK)
		status = attach(faces, device);
	if (status < 0)
		ph__faces_finish(faces);
	return status;
}

void ph__faces_finish(struct ph__faces *faces)
{
	glDeleteFramebuffers(PH__FACE_COUNT, faces->framebuffers);
	glDeleteTextures(1, &faces->layers);
	glDeleteTextures(1, &faces->depth);
	memset(faces, 0, sizeof(*faces));
}
