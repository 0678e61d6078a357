/* SPDX-License-Identifier: MIT */
#include "render/geometry.h"

#include <string.h>

#include "base/status.h"
#include "base/sys.h"

static void set_attribute(GLuint array, GLuint attribute, GLuint binding, GLint size, size_t offset)
{
	glEnableVertexArrayAttrib(array, attribute);
	glVertexArrayAttribFormat(array, attribute, size, GL_FLOAT, GL_FALSE, (GLuint)offset);
	glVertexArrayAttribBinding(array, attribute, binding);
}

static void describe_vertices(GLuint array)
{
	set_attribute(array, PH__ATTRIBUTE_POSITION, PH__BINDING_VERTEX, 3,
		      offsetof(struct ph__vertex, position_m));
	set_attribute(array, PH__ATTRIBUTE_NORMAL, PH__BINDING_VERTEX, 3,
		      offsetof(struct ph__vertex, normal));
	set_attribute(array, PH__ATTRIBUTE_UV, PH__BINDING_VERTEX, 2,
		      offsetof(struct ph__vertex, uv));
}

static void describe_records(GLuint array)
{
	for (GLuint row = 0; row < 3; row++) {
		set_attribute(array, PH__ATTRIBUTE_MODEL + row, PH__BINDING_RECORD, 4,
			      offsetof(struct ph__draw_record, model[row]));
		set_attribute(array, PH__ATTRIBUTE_NORMAL_MATRIX + row, PH__BINDING_RECORD, 3,
			      offsetof(struct ph__draw_record, normal[row]));
		set_attribute(array, PH__ATTRIBUTE_MOTION + row, PH__BINDING_RECORD, 4,
			      offsetof(struct ph__draw_record, motion[row]));
	}
	set_attribute(array, PH__ATTRIBUTE_SURFACE, PH__BINDING_RECORD, 4,
		      offsetof(struct ph__draw_record, surface));
	set_attribute(array, PH__ATTRIBUTE_GLOW, PH__BINDING_RECORD, 4,
		      offsetof(struct ph__draw_record, glow));
	glEnableVertexArrayAttrib(array, PH__ATTRIBUTE_MASK);
	glVertexArrayAttribFormat(array, PH__ATTRIBUTE_MASK, 4, GL_UNSIGNED_BYTE, GL_TRUE,
				  offsetof(struct ph__draw_record, mask));
	glVertexArrayAttribBinding(array, PH__ATTRIBUTE_MASK, PH__BINDING_RECORD);
	glVertexArrayBindingDivisor(array, PH__BINDING_RECORD, 1);
}

/* Sums fit: the indices of a mesh are 32-bit, and so is the first vertex of each. */
static ph_status place_meshes(struct ph__geometry *geometry, const struct ph__assets *assets,
			      uint32_t *vertex_count, uint32_t *index_count)
{
	uint64_t vertices = 0, indices = 0;

	geometry->ranges = ph__sys->calloc(assets->mesh_count + 1, sizeof(geometry->ranges[0]));
	if (!geometry->ranges)
		return ph__fail(PH_ENOSPC, "no memory for %u meshes", assets->mesh_count);
	for (uint32_t i = 0; i < assets->mesh_count; i++) {
		const struct ph__mesh *mesh = &assets->meshes[i];
		geometry->ranges[i] = (struct ph__mesh_range){(uint32_t)indices, mesh->index_count,
							      (uint32_t)vertices};
		vertices += mesh->vertex_count;
		indices += mesh->index_count;
		if (vertices > INT32_MAX || indices > INT32_MAX)
			return ph__fail(PH_ETOOBIG,
					"the scene has more than 2^31 vertices or indices");
	}
	*vertex_count = (uint32_t)vertices;
	*index_count = (uint32_t)indices;
	return PH_OK;
}

static ph_status upload_meshes(struct ph__geometry *geometry, struct ph__device *device,
			       const struct ph__assets *assets)
{
	uint32_t vertex_count = 0, index_count = 0;
	ph_status status = place_meshes(geometry, assets, &vertex_count, &index_count);
	if (status < 0)
		return status;

	glCreateBuffers(1, &geometry->vertex_buffer);
	glCreateBuffers(1, &geometry->index_buffer);
	glNamedBufferStorage(geometry->vertex_buffer, /* never empty: 0 bytes are an error */
			     (GLsizeiptr)(vertex_count + 1) * (GLsizeiptr)sizeof(struct ph__vertex),
			     NULL, GL_DYNAMIC_STORAGE_BIT);
	glNamedBufferStorage(geometry->index_buffer, ((GLsizeiptr)index_count + 1) * 4, NULL,
			     GL_DYNAMIC_STORAGE_BIT);
	status = ph__gl_check(device, "making room for the scene's meshes");
	for (uint32_t i = 0; i < assets->mesh_count && status == PH_OK; i++) {
		const struct ph__mesh *mesh = &assets->meshes[i];
		const struct ph__mesh_range *range = &geometry->ranges[i];
		glNamedBufferSubData(
			geometry->vertex_buffer,
			(GLintptr)range->first_vertex * (GLintptr)sizeof(struct ph__vertex),
			(GLsizeiptr)mesh->vertex_count * (GLsizeiptr)sizeof(struct ph__vertex),
			mesh->vertices);
		glNamedBufferSubData(geometry->index_buffer, (GLintptr)range->first_index * 4,
				     (GLsizeiptr)mesh->index_count * 4, mesh->indices);
	}
	return status;
}

static void create_vertex_array(struct ph__geometry *geometry)
{
	GLuint array;

	glCreateVertexArrays(1, &array);
	describe_vertices(array);
	describe_records(array);
	glVertexArrayVertexBuffer(array, PH__BINDING_VERTEX, geometry->vertex_buffer, 0,
				  sizeof(struct ph__vertex));
	glVertexArrayElementBuffer(array, geometry->index_buffer);
	geometry->vertex_array = array;
}

static GLsizei level_count(uint32_t width_px, uint32_t height_px)
{
	uint32_t side = width_px > height_px ? width_px : height_px;
	return 32 - __builtin_clz(side);
}

/* In software a second mip level costs a quarter of the picture's time, and anisotropy more. */
static void set_filter(GLuint texture, const struct ph__device *device)
{
	GLint smaller = device->is_software ? GL_LINEAR_MIPMAP_NEAREST : GL_LINEAR_MIPMAP_LINEAR;

	glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, smaller);
	if (!device->is_software && epoxy_has_gl_extension("GL_EXT_texture_filter_anisotropic"))
		glTextureParameterf(texture, GL_TEXTURE_MAX_ANISOTROPY_EXT, 8);
}

static ph_status upload_texture(GLuint *made, struct ph__device *device,
				const struct ph__texture *texture)
{
	GLsizei width = (GLsizei)texture->width_px, height = (GLsizei)texture->height_px;
	GLint limit;

	glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
	if (width <= 0 || height <= 0 || width > limit || height > limit)
		return ph__fail(PH_ETOOBIG, "a texture of %d x %d: each side may be 1 to %d pixels",
				width, height, limit);
	glCreateTextures(GL_TEXTURE_2D, 1, made);
	glTextureStorage2D(*made, level_count(texture->width_px, texture->height_px),
			   GL_SRGB8_ALPHA8, width, height);
	glTextureSubImage2D(*made, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE,
			    texture->rgba);
	glGenerateTextureMipmap(*made);
	set_filter(*made, device);
	return ph__gl_check(device, "uploading a texture");
}

static ph_status upload_textures(struct ph__geometry *geometry, struct ph__device *device,
				 const struct ph__assets *assets)
{
	geometry->textures =
		ph__sys->calloc(assets->texture_count + 1, sizeof(geometry->textures[0]));
	if (!geometry->textures)
		return ph__fail(PH_ENOSPC, "no memory for %u textures", assets->texture_count);
	geometry->texture_count = assets->texture_count;
	for (uint32_t i = 0; i < assets->texture_count; i++) {
		ph_status status =
			upload_texture(&geometry->textures[i], device, &assets->textures[i]);
		if (status < 0)
			return status;
	}
	return PH_OK;
}

ph_status ph__geometry_upload(struct ph__geometry *geometry, struct ph__device *device,
			      const struct ph__assets *assets)
{
	ph_status status = upload_meshes(geometry, device, assets);

	if (status == PH_OK)
		status = upload_textures(geometry, device, assets);
	if (status < 0)
		return status;
	create_vertex_array(geometry);
	return ph__gl_check(device, "describing the scene's meshes");
}

void ph__geometry_finish(struct ph__geometry *geometry)
{
	glDeleteVertexArrays(1, &geometry->vertex_array);
	glDeleteBuffers(1, &geometry->vertex_buffer);
	glDeleteBuffers(1, &geometry->index_buffer);
	if (geometry->textures)
		glDeleteTextures((GLsizei)geometry->texture_count, geometry->textures);
	ph__sys->free(geometry->textures);
	ph__sys->free(geometry->ranges);
	memset(geometry, 0, sizeof(*geometry));
}
