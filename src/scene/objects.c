/* SPDX-License-Identifier: MIT */
/* The objects of a scene by place, id and name. */
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "base/utf8.h"
#include "scene/pose.h"

#define NOTHING UINT32_MAX

enum { LEAST_SLOTS = 64 };

/* --- names ------------------------------------------------------------------------------------ */

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* FNV-1a over the letters' small forms. */
static uint32_t hash_name(const char *name, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ fold(name[i])) * 16777619u;
	return hash;
}

static bool same_name(const char *name, const char *other, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (fold(name[i]) != fold(other[i]))
			return false;
	return name[length] == '\0';
}

static void index_object(struct ph__scene *scene, uint32_t place)
{
	struct ph__object *object = &scene->objects[place];
	uint32_t *slot = &scene->names[object->name_hash & (scene->name_slots - 1)];

	object->next = *slot;
	*slot = place;
}

/* Places change when an object goes, so the index is made anew; it is short work. */
static void index_all(struct ph__scene *scene)
{
	for (uint32_t i = 0; i < scene->name_slots; i++)
		scene->names[i] = NOTHING;
	for (uint32_t i = 0; i < scene->object_count; i++)
		index_object(scene, i);
}

static ph_status check_name(const struct ph__scene *scene, const char *name, size_t length)
{
	if (length == 0 || length > PH__NAME_BYTES_MAX)
		return ph__fail(PH_EINVAL, "a name has 1 to %d bytes, not %zu", PH__NAME_BYTES_MAX,
				length);
	for (size_t i = 0, step; i < length; i += step) {
		step = ph__utf8_length((const unsigned char *)name + i, length - i);
		if (step == 0)
			return ph__fail(PH_EINVAL, "a name is UTF-8");
		if ((unsigned char)name[i] <= 0x20 || name[i] == 0x7F)
			return ph__fail(PH_EINVAL, "a name has no blanks and control characters");
	}
	if (scene->object_count > 0 &&
	    ph__scene_find_object((struct ph__scene *)scene, name, length))
		return ph__fail(PH_EEXIST, "there is an object '%.*s'", (int)length, name);
	return PH_OK;
}

/* NULL: there is no memory. */
static char *copy_name(const char *name, size_t length)
{
	char *copy = ph__sys->realloc(NULL, length + 1);

	if (!copy) {
		ph__fail(PH_ENOSPC, "no memory for a name");
		return NULL;
	}
	memcpy(copy, name, length);
	copy[length] = '\0';
	return copy;
}

struct ph__object *ph__scene_find_object(struct ph__scene *scene, const char *name, size_t length)
{
	uint32_t hash = hash_name(name, length);

	if (scene->name_slots == 0)
		return NULL;
	for (uint32_t at = scene->names[hash & (scene->name_slots - 1)]; at != NOTHING;
	     at = scene->objects[at].next)
		if (scene->objects[at].name_hash == hash &&
		    same_name(scene->objects[at].name, name, length))
			return &scene->objects[at];
	return NULL;
}

struct ph__object *ph__scene_object_of_id(struct ph__scene *scene, uint64_t id)
{
	uint32_t begin = 0, end = scene->object_count;

	while (begin < end) { /* ids grow with the place */
		uint32_t middle = begin + (end - begin) / 2;
		if (scene->objects[middle].id == id)
			return &scene->objects[middle];
		if (scene->objects[middle].id < id)
			begin = middle + 1;
		else
			end = middle;
	}
	return NULL;
}

/* --- colours ---------------------------------------------------------------------------------- */

static struct ph__named_color *find_known_color(struct ph__scene *scene, const char *name,
						size_t length)
{
	for (uint32_t i = 0; i < scene->known_color_count; i++)
		if (same_name(scene->known_colors[i].name, name, length))
			return &scene->known_colors[i];
	return NULL;
}

static void give_color(struct ph__scene *scene, struct ph__object *object)
{
	const struct ph__named_color *known =
		find_known_color(scene, object->name, strlen(object->name));

	if (known)
		memcpy(object->color, known->color, sizeof(object->color));
	else
		ph__mask_color(++scene->color_count, object->color);
}

/* Keeps the colour of an object that goes, and takes its name over. Without memory it is forgotten:
 * the name then starts with a new colour. */
static void remember_color(struct ph__scene *scene, struct ph__object *object)
{
	struct ph__named_color *known =
		find_known_color(scene, object->name, strlen(object->name));

	if (!scene->known_colors)
		scene->known_colors =
			ph__sys->calloc(PH__KNOWN_COLORS_MAX, sizeof(scene->known_colors[0]));
	if (!scene->known_colors)
		return;
	if (!known) {
		known = &scene->known_colors[scene->known_color_next];
		scene->known_color_next = (scene->known_color_next + 1) % PH__KNOWN_COLORS_MAX;
		if (scene->known_color_count < PH__KNOWN_COLORS_MAX)
			scene->known_color_count++;
	}
	ph__sys->free(known->name);
	known->name = object->name;
	object->name = NULL;
	memcpy(known->color, object->color, sizeof(known->color));
}

/* --- coming and going ------------------------------------------------------------------------- */

static ph_status make_room(struct ph__scene *scene)
{
	if (scene->object_count < scene->object_capacity)
		return PH_OK;
	uint32_t capacity = scene->object_capacity ? 2 * scene->object_capacity : LEAST_SLOTS;
	void *objects = ph__sys->realloc(scene->objects, capacity * sizeof(scene->objects[0]));
	if (!objects)
		return ph__fail(PH_ENOSPC, "no memory for %u objects", capacity);
	scene->objects = objects;
	uint32_t *names = ph__sys->realloc(scene->names, 2 * capacity * sizeof(names[0]));
	if (!names)
		return ph__fail(PH_ENOSPC, "no memory for %u names", capacity);
	scene->names = names;
	scene->name_slots = 2 * capacity; /* a power of two, as LEAST_SLOTS is */
	scene->object_capacity = capacity;
	index_all(scene);
	return PH_OK;
}

ph_status ph__scene_add_object(struct ph__scene *scene, const struct ph__object *model,
			       const char *name, size_t length, struct ph__object **object)
{
	*object = NULL;
	ph_status status = check_name(scene, name, length);
	if (status == PH_OK)
		status = make_room(scene);
	if (status < 0)
		return status;
	char *copy = copy_name(name, length);
	if (!copy)
		return PH_ENOSPC;
	struct ph__object *made = &scene->objects[scene->object_count];
	*made = *model;
	made->stored = (struct ph__stored){0};
	made->id = ++scene->last_id;
	made->name = copy;
	made->name_hash = hash_name(name, length);
	give_color(scene, made);
	index_object(scene, scene->object_count++);
	ph__scene_touch(scene);
	*object = made;
	return PH_OK;
}

void ph__scene_remove_object(struct ph__scene *scene, struct ph__object *object)
{
	size_t place = (size_t)(object - scene->objects);

	ph__scene_remove_cameras_of(scene, object->id);
	remember_color(scene, object);
	ph__sys->free(object->name);
	ph__stored_finish(&object->stored);
	scene->object_count--;
	memmove(object, object + 1, (scene->object_count - place) * sizeof(*object));
	index_all(scene);
	ph__scene_touch(scene);
}

ph_status ph__scene_rename_object(struct ph__scene *scene, struct ph__object *object,
				  const char *name, size_t length)
{
	if (!same_name(object->name, name, length)) {
		ph_status status = check_name(scene, name, length);
		if (status < 0)
			return status;
	}
	char *copy = copy_name(name, length);
	if (!copy)
		return PH_ENOSPC;
	ph__sys->free(object->name);
	object->name = copy;
	object->name_hash = hash_name(name, length);
	index_all(scene);
	return PH_OK;
}

/* --- places ----------------------------------------------------------------------------------- */

void ph__scene_touch(struct ph__scene *scene)
{
	scene->version++;
}

void ph__scene_move_object(struct ph__scene *scene, struct ph__object *object, const ph_pose *pose)
{
	ph__scene_carry_cameras(scene, object->id, &object->pose, pose);
	object->pose = *pose;
	if (object->part_count > 0)
		ph__scene_touch(scene);
}

/* An object's own axes are those of a body: +X forward, +Y up, +Z right. */
void ph__object_model(const struct ph__object *object, double model[16])
{
	struct ph__axes axes = ph__pose_axes(&object->pose);

	memset(model, 0, 16 * sizeof(model[0]));
	for (int i = 0; i < 3; i++) {
		model[i] = axes.forward[i] * object->scale[0];
		model[4 + i] = axes.up[i] * object->scale[1];
		model[8 + i] = axes.right[i] * object->scale[2];
		model[12 + i] = object->pose.position_m[i];
	}
	model[15] = 1;
}

static void widen(const double model[16], const struct ph__mesh *mesh, double lower_m[3],
		  double upper_m[3])
{
	for (int row = 0; row < 3; row++) {
		double center = model[12 + row], extent = 0;
		for (int i = 0; i < 3; i++) {
			double lower = mesh->lower_m[i], upper = mesh->upper_m[i];
			center += model[4 * i + row] * (lower + upper) / 2;
			extent += fabs(model[4 * i + row]) * (upper - lower) / 2;
		}
		lower_m[row] = fmin(lower_m[row], center - extent);
		upper_m[row] = fmax(upper_m[row], center + extent);
	}
}

void ph__scene_object_bounds(const struct ph__scene *scene, const struct ph__object *object,
			     double lower_m[3], double upper_m[3])
{
	double model[16];

	ph__object_model(object, model);
	for (int i = 0; i < 3; i++) {
		lower_m[i] = object->part_count ? INFINITY : object->pose.position_m[i];
		upper_m[i] = object->part_count ? -INFINITY : object->pose.position_m[i];
	}
	for (uint32_t i = 0; i < object->part_count; i++) {
		uint32_t mesh = scene->assets.parts[object->first_part + i].mesh;
		widen(model, &scene->assets.meshes[mesh], lower_m, upper_m);
	}
}
