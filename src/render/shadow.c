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

enum { BORDER_PX = 3, SIDE_MAX_M = 512 };

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

static const double world_origin_m[3];

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

static struct bounds bounds_of(const struct ph__draw_list *list,
			       const struct ph__snapshot *snapshot, const struct basis *basis)
{
	struct bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	const struct ph__assets *assets = snapshot->assets;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct ph__draw *draw = &list->draws[i];
		float center[3], extent[3];
		ph__part_bounds(draw->instance, &assets->meshes[assets->parts[draw->part].mesh],
				world_origin_m, center, extent);
		widen(&bounds, basis, center, extent);
	}
	return bounds;
}

/* An object that was put out of the way, a kilometre off, must not cost the others their shadows: a
 * map that would be longer than SIDE_MAX_M along an axis stays with the casters' middle one. */
static void keep_near_middle(struct bounds *bounds, struct ph__draw_list *list,
			     const struct basis *basis, int axis)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const float *position_m = &list->draws[i].instance->model[12];
		list->draws[i].depth_m = 0;
		for (int k = 0; k < 3; k++)
			list->draws[i].depth_m += (float)basis->axes[axis][k] * position_m[k];
	}
	ph__draw_list_sort(list);
	double middle = list->draws[list->count / 2].depth_m;
	bounds->lower[axis] = fmax(bounds->lower[axis], middle - SIDE_MAX_M / 2.0);
	bounds->upper[axis] = fmin(bounds->upper[axis], middle + SIDE_MAX_M / 2.0);
}

static double length_along(const struct bounds *bounds, int axis)
{
	return bounds->upper[axis] - bounds->lower[axis];
}

/* The side of the map in metres, in steps of an eighth of a power of two: a moving object seldom
 * changes it, so the shadows of the others stay the same. */
static double side_of(const struct bounds *bounds)
{
	double side = fmax(fmax(length_along(bounds, 0), length_along(bounds, 1)), 1e-3);
	int exponent;

	side = side * PH__SHADOW_SIDE_PX / (PH__SHADOW_SIDE_PX - 2 * BORDER_PX);
	double fraction = frexp(side, &exponent);
	return ldexp(ceil(fraction * 16) / 16, exponent);
}

static void set_row(double row[4], const double axis[3], double first, double length)
{
	for (int i = 0; i < 3; i++)
		row[i] = axis[i] / length;
	row[3] = -first / length;
}

/* Places the map over the casters, on whole texels. */
static void fit(struct ph__shadow *shadow, const struct ph__snapshot *snapshot,
		struct ph__draw_list *list)
{
	struct basis basis = basis_of(snapshot->sun.direction);
	struct bounds bounds = bounds_of(list, snapshot, &basis);

	for (int axis = 0; axis < 3; axis++)
		if (length_along(&bounds, axis) > SIDE_MAX_M)
			keep_near_middle(&bounds, list, &basis, axis);
	double side = side_of(&bounds), texel = side / PH__SHADOW_SIDE_PX;
	double depth = fmax(length_along(&bounds, 2), 1e-3), margin = 0.01 * depth;
	double first[3];
	for (int i = 0; i < 2; i++) {
		first[i] = (floor(bounds.lower[i] / texel) - BORDER_PX) * texel;
		set_row(shadow->matrix[i], basis.axes[i], first[i], side);
	}
	first[2] = bounds.lower[2] - margin;
	set_row(shadow->matrix[2], basis.axes[2], first[2], depth + 2 * margin);
	for (int i = 0; i < 3; i++)
		shadow->center_m[i] = basis.axes[0][i] * (first[0] + side / 2) +
				      basis.axes[1][i] * (first[1] + side / 2) +
				      basis.axes[2][i] * (first[2] + depth / 2);
	shadow->texel_m = (float)texel;
}

void ph__shadow_matrix_for(const struct ph__shadow *shadow, const double origin_m[3],
			   float matrix[3][4])
{
	for (int row = 0; row < 3; row++) {
		double offset = shadow->matrix[row][3];
		for (int i = 0; i < 3; i++) {
			matrix[row][i] = (float)shadow->matrix[row][i];
			offset += shadow->matrix[row][i] * origin_m[i];
		}
		matrix[row][3] = (float)offset;
	}
}

/* Clip space from the map's: with rows from the top, v = 0 is y = 1. */
static void clip_matrix_of(const struct ph__shadow *shadow, float matrix[16])
{
	float rows[3][4];

	ph__shadow_matrix_for(shadow, shadow->center_m, rows);
	memset(matrix, 0, 16 * sizeof(matrix[0]));
	for (int i = 0; i < 4; i++) {
		matrix[4 * i] = 2 * rows[0][i];
		matrix[4 * i + 1] = -2 * rows[1][i];
		matrix[4 * i + 2] = rows[2][i];
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
	struct ph__frame_block *block =
		ph__stream_take(stream, sizeof(*block), stream->block_alignment, &offset);

	clip_matrix_of(shadow, block->clip_from_relative);
	const struct ph__record_source source = {.snapshot = snapshot,
						 .origin_m = shadow->center_m};
	ph__draw_list_write(list, &source, stream);
	glBindBufferRange(GL_UNIFORM_BUFFER, 0, stream->buffer, (GLintptr)offset,
			  sizeof(struct ph__frame_block));
	glDisable(GL_CULL_FACE); /* what is open casts a shadow from both sides */
	glEnable(GL_DEPTH_CLAMP); /* a caster nearer to the sun than the map is still one */
	glEnable(GL_POLYGON_OFFSET_FILL);
	glPolygonOffset(-1.5f, 0);
	ph__draw_list_submit(list, geometry, snapshot, stream, programs);
	glDisable(GL_POLYGON_OFFSET_FILL);
	glDisable(GL_DEPTH_CLAMP);
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
