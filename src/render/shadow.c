/* SPDX-License-Identifier: MIT */
/* A shadow lies inside the outline of its caster as the sun sees it, so the map covers the casters
 * and nothing else; what receives shadows may be anywhere.
 *
 * The map's depth is 1 at the sun's side and 0 where nothing is: a receiver is lit if it is not
 * farther (>=), with what is beyond the last caster clamped to 0. */
#include "render/shadow.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "render/shaders.h"
#include "render/program.h"

enum { MAP_BORDER_PX = 3 };

static GLuint create_map(void)
{
	static const float nothing[4] = {0, 0, 0, 0};
	GLuint map;

	glCreateTextures(GL_TEXTURE_2D, 1, &map);
	glTextureStorage2D(map, 1, GL_DEPTH_COMPONENT32F, PH__SHADOW_SIDE_PX, PH__SHADOW_SIDE_PX);
	glTextureParameteri(map, GL_TEXTURE_MIN_FILTER, GL_LINEAR); /* of four comparisons */
	glTextureParameteri(map, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	glTextureParameteri(map, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
	glTextureParameteri(map, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
	glTextureParameterfv(map, GL_TEXTURE_BORDER_COLOR, nothing);
	glTextureParameteri(map, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	glTextureParameteri(map, GL_TEXTURE_COMPARE_FUNC, GL_GEQUAL);
	return map;
}

ph_status ph__shadow_create(struct ph__shadow *shadow, struct ph__device *device)
{
	static const struct ph__program_source source = {
		.defines = "",
		.vertex = {ph__glsl_frame, ph__glsl_object_vert},
	};
	ph_status status = ph__program_build(&source, &shadow->program);
	if (status < 0)
		return status;

	shadow->map = create_map();
	glCreateFramebuffers(1, &shadow->framebuffer);
	glNamedFramebufferTexture(shadow->framebuffer, GL_DEPTH_ATTACHMENT, shadow->map, 0);
	glNamedFramebufferDrawBuffer(shadow->framebuffer, GL_NONE);
	return ph__gl_check(device, "making the shadow map");
}

void ph__shadow_finish(struct ph__shadow *shadow)
{
	glDeleteFramebuffers(1, &shadow->framebuffer);
	glDeleteTextures(1, &shadow->map);
	glDeleteProgram(shadow->program);
	memset(shadow, 0, sizeof(*shadow));
}

/* Across the map, along it, and towards the sun. */
struct basis {
	double axes[3][3];
};

static struct basis basis_of(const float sun_direction[3])
{
	struct basis basis;
	double *u = basis.axes[0], *v = basis.axes[1], *to_sun = basis.axes[2];
	double length = 0;

	for (int i = 0; i < 3; i++)
		length += (double)sun_direction[i] * sun_direction[i];
	for (int i = 0; i < 3; i++)
		to_sun[i] = length > 0 ? -sun_direction[i] / sqrt(length) : i == 1;
	int least = fabs(to_sun[0]) < fabs(to_sun[2]) ? 0 : 2;
	double helper[3] = {least == 0, 0, least == 2};
	for (int i = 0; i < 3; i++) /* v = helper x to_sun */
		v[i] = helper[(i + 1) % 3] * to_sun[(i + 2) % 3] -
		       helper[(i + 2) % 3] * to_sun[(i + 1) % 3];
	double v_length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int i = 0; i < 3; i++)
		v[i] /= v_length;
	for (int i = 0; i < 3; i++)
		u[i] = v[(i + 1) % 3] * to_sun[(i + 2) % 3] - v[(i + 2) % 3] * to_sun[(i + 1) % 3];
	return basis;
}

struct bounds {
	double lower[3], upper[3]; /* along the three axes */
};

static void widen(struct bounds *bounds, const struct basis *basis, const float center[3],
		  const float extent[3])
{
	for (int axis = 0; axis < 3; axis++) {
		double middle = 0, half = 0;
		for (int i = 0; i < 3; i++) {
			middle += basis->axes[axis][i] * center[i];
			half += fabs(basis->axes[axis][i]) * extent[i];
		}
		bounds->lower[axis] = fmin(bounds->lower[axis], middle - half);
		bounds->upper[axis] = fmax(bounds->upper[axis], middle + half);
	}
}

static struct bounds bounds_of(const struct ph__draw_list *list, const struct ph__snapshot *snapshot,
			       const struct basis *basis, const double origin_m[3])
{
	struct bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

	for (uint32_t i = 0; i < list->count; i++) {
		const struct ph__draw *draw = &list->draws[i];
		const struct ph__assets *assets = snapshot->assets;
		float center[3], extent[3];
		ph__part_bounds(draw->instance, &assets->meshes[assets->parts[draw->part].mesh],
				origin_m, center, extent);
		widen(&bounds, basis, center, extent);
	}
	return bounds;
}

/* The side of the map in metres, in steps of an eighth of a power of two: a moving object seldom
 * changes it, so the shadows of the others stay the same. */
static double side_of(const struct bounds *bounds)
{
	double side = fmax(bounds->upper[0] - bounds->lower[0], bounds->upper[1] - bounds->lower[1]);
	int exponent;

	side = fmax(side, 1e-3) * PH__SHADOW_SIDE_PX / (PH__SHADOW_SIDE_PX - 2 * MAP_BORDER_PX);
	double fraction = frexp(side, &exponent);
	return ldexp(ceil(fraction * 16) / 16, exponent);
}

/* Places the map over the casters, on whole texels. */
static void fit(struct ph__shadow *shadow, const struct ph__snapshot *snapshot,
		const struct ph__draw_list *list)
{
	struct basis basis = basis_of(snapshot->sun.direction);

	memset(shadow->origin_m, 0, sizeof(shadow->origin_m));
	struct bounds bounds = bounds_of(list, snapshot, &basis, shadow->origin_m);
	double side = side_of(&bounds), texel = side / PH__SHADOW_SIDE_PX;
	double depth = fmax(bounds.upper[2] - bounds.lower[2], 1e-3) * 1.02;
	for (int i = 0; i < 2; i++) {
		double first = (floor(bounds.lower[i] / texel) - MAP_BORDER_PX) * texel;
		for (int k = 0; k < 3; k++)
			shadow->matrix[i][k] = (float)(basis.axes[i][k] / side);
		shadow->matrix[i][3] = (float)(-first / side);
	}
	for (int k = 0; k < 3; k++)
		shadow->matrix[2][k] = (float)(basis.axes[2][k] / depth);
	shadow->matrix[2][3] = (float)(-bounds.lower[2] / depth) + 0.01f;
	shadow->texel_m = (float)texel;
}

void ph__shadow_matrix_for(const struct ph__shadow *shadow, const double camera_m[3],
			   float matrix[3][4])
{
	for (int row = 0; row < 3; row++) {
		double offset = shadow->matrix[row][3];
		for (int i = 0; i < 3; i++) {
			matrix[row][i] = shadow->matrix[row][i];
			offset += shadow->matrix[row][i] * (camera_m[i] - shadow->origin_m[i]);
		}
		matrix[row][3] = (float)offset;
	}
}

/* Clip space from the map's: with rows from the top, v = 0 is y = 1. */
static void clip_matrix_of(const struct ph__shadow *shadow, float matrix[16])
{
	memset(matrix, 0, 16 * sizeof(matrix[0]));
	for (int i = 0; i < 4; i++) {
		matrix[4 * i] = 2 * shadow->matrix[0][i];
		matrix[4 * i + 1] = -2 * shadow->matrix[1][i];
		matrix[4 * i + 2] = shadow->matrix[2][i];
	}
	matrix[12] -= 1;
	matrix[13] += 1;
	matrix[15] = 1;
}

static void draw_casters(const struct ph__shadow *shadow, const struct ph__snapshot *snapshot,
			 const struct ph__geometry *geometry, struct ph__draw_list *list,
			 struct ph__stream *stream)
{
	const GLuint programs[2] = {shadow->program, shadow->program};
	size_t offset;
	struct ph__frame_block *block = ph__stream_take(stream, sizeof(*block), &offset);

	clip_matrix_of(shadow, block->clip_from_relative);
	ph__draw_list_write(list, snapshot, shadow->origin_m, stream);
	glBindBufferRange(GL_UNIFORM_BUFFER, 0, stream->buffer, (GLintptr)offset,
			  sizeof(struct ph__frame_block));
	glDisable(GL_CULL_FACE); /* what is open casts a shadow from both sides */
	glEnable(GL_POLYGON_OFFSET_FILL);
	glPolygonOffset(-1.5f, 0);
	ph__draw_list_submit(list, geometry, snapshot, stream, programs);
	glDisable(GL_POLYGON_OFFSET_FILL);
}

void ph__shadow_update(struct ph__shadow *shadow, const struct ph__snapshot *snapshot,
		       const struct ph__geometry *geometry, struct ph__draw_list *list,
		       struct ph__stream *stream)
{
	static const float nothing = 0;

	if (shadow->drawn && shadow->version == snapshot->version)
		return;
	ph__draw_list_collect_casters(list, snapshot);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, shadow->framebuffer);
	glViewport(0, 0, PH__SHADOW_SIDE_PX, PH__SHADOW_SIDE_PX);
	glClearBufferfv(GL_DEPTH, 0, &nothing);
	if (list->count > 0) {
		fit(shadow, snapshot, list);
		draw_casters(shadow, snapshot, geometry, list, stream);
	}
	shadow->drawn = true;
	shadow->version = snapshot->version;
}
