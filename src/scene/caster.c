/* SPDX-License-Identifier: MIT */
#include "scene/caster.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "scene/tree.h"

/* A part of an instance, where it is. */
struct placed {
	const struct ph__instance *instance;
	uint32_t part;
	double inverse[3][3]; /* rows: from world to object, after the shift */
	double shift_m[3];
	float lower_m[3], upper_m[3]; /* in the world */
};

struct ph__caster {
	const struct ph__assets *assets;
	struct ph__tree *trees; /* of each mesh */
	struct placed *placed;
	uint32_t placed_count, placed_capacity;
};

ph_status ph__caster_create(const struct ph__assets *assets, struct ph__caster **made)
{
	struct ph__caster *caster = ph__sys->calloc(1, sizeof(*caster));
	ph_status status = PH_OK;

	*made = caster;
	if (!caster)
		return ph__fail(PH_ENOSPC, "no memory to cast rays");
	caster->assets = assets;
	caster->trees = ph__sys->calloc(assets->mesh_count + 1, sizeof(caster->trees[0]));
	if (!caster->trees)
		status = ph__fail(PH_ENOSPC, "no memory for the trees of %u meshes",
				  assets->mesh_count);
	for (uint32_t i = 0; i < assets->mesh_count && status == PH_OK; i++)
		status = ph__tree_build(&caster->trees[i], &assets->meshes[i]);
	if (status < 0)
		ph__caster_close(made);
	return status;
}

void ph__caster_close(struct ph__caster **at)
{
	struct ph__caster *caster = *at;

	*at = NULL;
	if (!caster)
		return;
	for (uint32_t i = 0; caster->trees && i < caster->assets->mesh_count; i++)
		ph__tree_finish(&caster->trees[i]);
	ph__sys->free(caster->trees);
	ph__sys->free(caster->placed);
	ph__sys->free(caster);
}

/* False: a flat object, which has no inverse. */
static bool set_inverse(struct placed *placed, const float *model)
{
	double cofactors[3][3];

	for (int row = 0; row < 3; row++)
		for (int column = 0; column < 3; column++) {
			int r1 = (column + 1) % 3, r2 = (column + 2) % 3;
			int c1 = 4 * ((row + 1) % 3), c2 = 4 * ((row + 2) % 3);
			cofactors[row][column] = (double)model[c1 + r1] * model[c2 + r2] -
						 (double)model[c2 + r1] * model[c1 + r2];
		}
	double determinant = model[0] * cofactors[0][0] + model[1] * cofactors[0][1] +
			     model[2] * cofactors[0][2];
	for (int row = 0; row < 3; row++) {
		placed->shift_m[row] = model[12 + row];
		for (int column = 0; column < 3; column++)
			placed->inverse[row][column] = cofactors[row][column] / determinant;
	}
	return determinant != 0;
}

/* A little wider than it is, against rounding. */
static void set_bounds(struct placed *placed, const float *model, const struct ph__mesh *mesh)
{
	for (int row = 0; row < 3; row++) {
		double center = model[12 + row], extent = 0;
		for (int i = 0; i < 3; i++) {
			double half = ((double)mesh->upper_m[i] - mesh->lower_m[i]) / 2;
			center += model[4 * i + row] * (mesh->lower_m[i] + half);
			extent += fabs(model[4 * i + row] * half);
		}
		double slack = 1e-6 * (fabs(center) + extent);
		placed->lower_m[row] = (float)(center - extent - slack);
		placed->upper_m[row] = (float)(center + extent + slack);
	}
}

static ph_status make_room(struct ph__caster *caster, const struct ph__snapshot *snapshot)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < snapshot->instance_count; i++)
		count += snapshot->instances[i].part_count;
	if (count <= caster->placed_capacity)
		return PH_OK;
	struct placed *placed =
		count <= UINT32_MAX ? ph__sys->realloc(caster->placed, count * sizeof(placed[0]))
				    : NULL;
	if (!placed)
		return ph__fail(PH_ENOSPC, "no memory to cast rays at %llu parts",
				(unsigned long long)count);
	caster->placed = placed;
	caster->placed_capacity = (uint32_t)count;
	return PH_OK;
}

ph_status ph__caster_aim(struct ph__caster *caster, const struct ph__snapshot *snapshot)
{
	const struct ph__assets *assets = caster->assets;
	ph_status status = make_room(caster, snapshot);

	caster->placed_count = 0;
	for (uint32_t i = 0; i < snapshot->instance_count && status == PH_OK; i++) {
		const struct ph__instance *instance = &snapshot->instances[i];
		struct placed placed = {.instance = instance};
		if (instance->hidden || !set_inverse(&placed, instance->model))
			continue;
		for (uint32_t k = 0; k < instance->part_count; k++) {
			placed.part = instance->first_part + k;
			set_bounds(&placed, instance->model,
				   &assets->meshes[assets->parts[placed.part].mesh]);
			caster->placed[caster->placed_count++] = placed;
		}
	}
	return status;
}

/* --- rays ------------------------------------------------------------------------------------- */

static void set_per_direction(struct ph__tree_ray *ray)
{
	for (int i = 0; i < 3; i++)
		ray->per_direction[i] = 1 / ray->direction[i];
}

/* Its direction keeps the world's length: distances stay metres. */
static struct ph__tree_ray into_object(const struct placed *placed, const struct ph__tree_ray *ray)
{
	struct ph__tree_ray inside = {.nearest = ray->nearest, .farthest = ray->farthest};

	for (int row = 0; row < 3; row++)
		for (int i = 0; i < 3; i++) {
			inside.from_m[row] +=
				placed->inverse[row][i] * (ray->from_m[i] - placed->shift_m[i]);
			inside.direction[row] += placed->inverse[row][i] * ray->direction[i];
		}
	set_per_direction(&inside);
	return inside;
}

static double facing_of(const struct placed *placed, const struct ph__mesh *mesh, uint32_t triangle,
			const double direction[3])
{
	const float *model = placed->instance->model;
	double edges[2][3] = {{0}}, normal[3], length = 0, along = 0;

	for (int edge = 0; edge < 2; edge++)
		for (int i = 0; i < 3; i++) {
			const struct ph__vertex *vertices = mesh->vertices;
			const uint32_t *corners = &mesh->indices[3 * triangle];
			double side = (double)vertices[corners[edge + 1]].position_m[i] -
				      vertices[corners[0]].position_m[i];
			for (int row = 0; row < 3; row++)
				edges[edge][row] += model[4 * i + row] * side;
		}
	for (int i = 0; i < 3; i++) {
		normal[i] = edges[0][(i + 1) % 3] * edges[1][(i + 2) % 3] -
			    edges[0][(i + 2) % 3] * edges[1][(i + 1) % 3];
		length += normal[i] * normal[i];
		along += normal[i] * direction[i];
	}
	return length > 0 ? fmin(1, fabs(along) / sqrt(length)) : 0;
}

static double linear_of(uint8_t srgb)
{
	double value = srgb / 255.0;
	return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static uint32_t texel_at(double coordinate, uint32_t count)
{
	double at = floor((coordinate - floor(coordinate)) * count);
	return at < count ? (uint32_t)at : count - 1;
}

static void set_color(const struct ph__assets *assets, uint32_t part,
		      const struct ph__tree_hit *found, double color[3])
{
	const struct ph__material *material = &assets->materials[assets->parts[part].material];
	const struct ph__mesh *mesh = &assets->meshes[assets->parts[part].mesh];
	const uint32_t *corners = &mesh->indices[3 * found->triangle];
	const double shares[3] = {1 - found->u - found->v, found->u, found->v};
	double uv[2] = {0, 0};

	for (int i = 0; i < 3; i++)
		color[i] = material->base_color[i];
	if (material->texture == PH__NO_TEXTURE)
		return;
	const struct ph__texture *texture = &assets->textures[material->texture];
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 2; i++)
			uv[i] += shares[k] * mesh->vertices[corners[k]].uv[i];
	size_t texel = (size_t)texel_at(uv[1], texture->height_px) * texture->width_px +
		       texel_at(uv[0], texture->width_px);
	for (int i = 0; i < 3; i++)
		color[i] *= linear_of(texture->rgba[4 * texel + i]);
}

bool ph__caster_meet(const struct ph__caster *caster, const struct ph__ray *ray,
		     struct ph__ray_hit *hit)
{
	const struct ph__assets *assets = caster->assets;
	struct ph__tree_ray in_world = {.nearest = ray->nearest_m, .farthest = ray->farthest_m};
	struct ph__tree_hit found, nearest = {.distance = ray->farthest_m};
	const struct placed *seen = NULL;

	memcpy(in_world.from_m, ray->from_m, sizeof(in_world.from_m));
	memcpy(in_world.direction, ray->direction, sizeof(in_world.direction));
	set_per_direction(&in_world);
	for (uint32_t i = 0; i < caster->placed_count; i++) {
		const struct placed *placed = &caster->placed[i];
		uint32_t mesh = assets->parts[placed->part].mesh;
		if (!ph__box_meet(placed->lower_m, placed->upper_m, &in_world, in_world.farthest))
			continue;
		struct ph__tree_ray inside = into_object(placed, &in_world);
		if (!ph__tree_meet(&caster->trees[mesh], &assets->meshes[mesh], &inside, &found))
			continue;
		in_world.farthest = found.distance;
		nearest = found;
		seen = placed;
	}
	if (!seen)
		return false;
	hit->distance_m = nearest.distance;
	hit->instance = seen->instance;
	hit->facing = facing_of(seen, &assets->meshes[assets->parts[seen->part].mesh],
				nearest.triangle, ray->direction);
	set_color(assets, seen->part, &nearest, hit->base_color);
	return true;
}
