/* SPDX-License-Identifier: MIT */
#include "render/draw_list.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "render/shaders.h"

ph_status ph__draw_list_reserve(struct ph__draw_list *list, const struct ph__snapshot *snapshot)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < snapshot->instance_count; i++)
		count += snapshot->instances[i].part_count;
	if (count <= list->capacity)
		return PH_OK;
	struct ph__draw *draws = count <= UINT32_MAX
					 ? ph__sys->realloc(list->draws, count * sizeof(draws[0]))
					 : NULL;
	if (!draws)
		return ph__fail(PH_ENOSPC, "no memory to draw %llu parts",
				(unsigned long long)count);
	list->draws = draws;
	list->capacity = (uint32_t)count;
	return PH_OK;
}

void ph__part_bounds(const struct ph__instance *instance, const struct ph__mesh *mesh,
		     const double origin_m[3], float center_m[3], float extent_m[3])
{
	const float *m = instance->model;

	for (int row = 0; row < 3; row++) {
		double center = m[12 + row] - origin_m[row], extent = 0;
		for (int i = 0; i < 3; i++) {
			double half = (mesh->upper_m[i] - mesh->lower_m[i]) / 2;
			center += m[4 * i + row] * (mesh->lower_m[i] + half);
			extent += fabs(m[4 * i + row] * half);
		}
		center_m[row] = (float)center;
		extent_m[row] = (float)extent;
	}
}

static void add_draw(struct ph__draw_list *list, const struct ph__instance *instance, uint32_t part,
		     float depth_m)
{
	list->draws[list->count++] = (struct ph__draw){depth_m, part, instance};
}

/* Shell sort with Ciura's gaps: qsort() may allocate. */
void ph__draw_list_sort(struct ph__draw_list *list)
{
	static const uint32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
	struct ph__draw *draws = list->draws;

	for (uint32_t g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++)
		for (uint32_t i = gaps[g]; i < list->count; i++) {
			struct ph__draw draw = draws[i];
			uint32_t to = i;
			for (; to >= gaps[g] && draws[to - gaps[g]].depth_m > draw.depth_m;
			     to -= gaps[g])
				draws[to] = draws[to - gaps[g]];
			draws[to] = draw;
		}
}

static void collect_instance(struct ph__draw_list *list, const struct ph__snapshot *snapshot,
			     const struct ph__instance *instance,
			     const struct ph__camera_frame *camera)
{
	const double *forward = camera->axes.forward;

	for (uint32_t i = 0; i < instance->part_count; i++) {
		uint32_t part = instance->first_part + i;
		const struct ph__mesh *mesh =
			&snapshot->assets->meshes[snapshot->assets->parts[part].mesh];
		float center[3], extent[3];
		ph__part_bounds(instance, mesh, camera->origin_m, center, extent);
		if (ph__frustum_touches(&camera->frustum, center, extent))
			add_draw(list, instance, part, (float)(forward[0] * center[0] +
							       forward[1] * center[1] +
							       forward[2] * center[2]));
	}
}

void ph__draw_list_collect(struct ph__draw_list *list, const struct ph__snapshot *snapshot,
			   const struct ph__camera_frame *camera)
{
	list->count = 0;
	for (uint32_t i = 0; i < snapshot->instance_count; i++)
		if (!snapshot->instances[i].hidden)
			collect_instance(list, snapshot, &snapshot->instances[i], camera);
	ph__draw_list_sort(list);
}

void ph__draw_list_collect_casters(struct ph__draw_list *list, const struct ph__snapshot *snapshot)
{
	list->count = 0;
	for (uint32_t i = 0; i < snapshot->instance_count; i++) {
		const struct ph__instance *instance = &snapshot->instances[i];
		for (uint32_t part = 0; part < instance->part_count; part++)
			if (!instance->hidden && !instance->casts_no_shadow)
				add_draw(list, instance, instance->first_part + part, 0);
	}
}

/* The cofactors of the model's upper 3 x 3: what turns normals, right for any scale and, with the
 * determinant's sign, for mirrored objects. Returns the determinant. */
static float cofactors_of(const float *m, float cofactors[3][3])
{
	for (int row = 0; row < 3; row++)
		for (int column = 0; column < 3; column++) {
			int r1 = (row + 1) % 3, r2 = (row + 2) % 3;
			int c1 = 4 * ((column + 1) % 3), c2 = 4 * ((column + 2) % 3);
			cofactors[row][column] = m[c1 + r1] * m[c2 + r2] - m[c2 + r1] * m[c1 + r2];
		}
	return m[0] * cofactors[0][0] + m[4] * cofactors[0][1] + m[8] * cofactors[0][2];
}

static void set_color(const struct ph__instance *instance, enum ph__object_color color,
		      uint8_t rgba[4])
{
	const uint8_t number[4] = {(uint8_t)(instance->number >> 16),
				   (uint8_t)(instance->number >> 8), (uint8_t)instance->number,
				   255};

	memcpy(rgba, color == PH__COLOR_NUMBER  ? number
		     : color == PH__COLOR_LABEL ? instance->label_color
						: instance->color, 4);
}

static struct ph__draw_record record_of(const struct ph__draw *draw,
					const struct ph__record_source *source)
{
	const struct ph__assets *assets = source->snapshot->assets;
	const struct ph__material *material =
		&assets->materials[assets->parts[draw->part].material];
	const float *m = draw->instance->model;
	struct ph__draw_record record;

	float sign = cofactors_of(m, record.normal) < 0 ? -1 : 1;
	for (int row = 0; row < 3; row++) {
		for (int i = 0; i < 3; i++) {
			record.model[row][i] = m[4 * i + row];
			record.normal[row][i] *= sign;
		}
		record.model[row][3] = (float)(m[12 + row] - source->origin_m[row]);
		record.surface[row] = material->base_color[row];
		record.glow[row] = material->emissive[row];
	}
	record.surface[3] = material->roughness;
	record.glow[3] = material->metallic;
	set_color(draw->instance, source->color, record.mask);
	if (source->before)
		ph__motion_of(draw->instance, source->before, record.motion);
	return record;
}

void ph__draw_list_write(struct ph__draw_list *list, const struct ph__record_source *source,
			 struct ph__stream *stream)
{
	size_t offset_bytes, record_bytes = sizeof(struct ph__draw_record);
	struct ph__draw_record *records =
		ph__stream_take(stream, list->count * record_bytes, record_bytes, &offset_bytes);

	list->first_record = (uint32_t)(offset_bytes / record_bytes);
	for (uint32_t i = 0; i < list->count; i++)
		records[i] = record_of(&list->draws[i], source);
}

/* An odd number of mirrored axes turns triangles inside out. */
static bool is_mirrored(const struct ph__instance *instance)
{
	float cofactors[3][3];
	return cofactors_of(instance->model, cofactors) < 0;
}

void ph__draw_list_submit(const struct ph__draw_list *list, const struct ph__geometry *geometry,
			  const struct ph__snapshot *snapshot, const struct ph__stream *stream,
			  const GLuint programs[2])
{
	const struct ph__assets *assets = snapshot->assets;
	GLuint used = 0;

	glBindVertexArray(geometry->vertex_array);
	/* Always at offset 0: Mesa folds small offsets into the shader and compiles it again. */
	glBindVertexBuffer(PH__BINDING_RECORD, stream->buffer, 0, sizeof(struct ph__draw_record));
	for (uint32_t i = 0; i < list->count; i++) {
		const struct ph__part *part = &assets->parts[list->draws[i].part];
		const struct ph__mesh_range *range = &geometry->ranges[part->mesh];
		int32_t texture = assets->materials[part->material].texture;
		GLuint program = programs[texture != PH__NO_TEXTURE];
		if (program != used)
			glUseProgram(program);
		used = program;
		if (texture != PH__NO_TEXTURE && programs[0] != programs[1])
			glBindTextureUnit(PH__UNIT_BASE_COLOR, geometry->textures[texture]);
		glFrontFace(is_mirrored(list->draws[i].instance) ? GL_CW : GL_CCW);
		glDrawElementsInstancedBaseVertexBaseInstance(
			GL_TRIANGLES, (GLsizei)range->index_count, GL_UNSIGNED_INT,
			(const void *)((uintptr_t)range->first_index * 4), 1,
			(GLint)range->first_vertex, list->first_record + i);
	}
}

void ph__draw_list_finish(struct ph__draw_list *list)
{
	ph__sys->free(list->draws);
	memset(list, 0, sizeof(*list));
}
