/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

#include <string.h>

#include "base/status.h"
#include "base/sys.h"

static struct ph__instance instance_of(const struct ph__object *object)
{
	struct ph__instance instance = {
		.id = object->id,
		.first_part = object->first_part,
		.part_count = object->part_count,
		.color = {object->color[0], object->color[1], object->color[2], 255},
		.label_color = {0, 0, 0, 255},
		.hidden = object->hidden,
		.casts_no_shadow = object->casts_no_shadow,
	};
	double model[16];

	if (object->label != PH__LABEL_NONE)
		ph__mask_color(object->label, instance.label_color);
	ph__object_model(object, model);
	for (int i = 0; i < 16; i++)
		instance.model[i] = (float)model[i];
	return instance;
}

static ph_status make_room(struct ph__snapshot *snapshot, uint32_t count)
{
	if (count <= snapshot->instance_capacity)
		return PH_OK;
	size_t size_bytes = count * sizeof(snapshot->instances[0]);
	struct ph__instance *instances = ph__sys->realloc(snapshot->instances, size_bytes);
	if (!instances)
		return ph__fail(PH_ENOSPC, "no memory for a snapshot of %u objects", count);
	snapshot->instances = instances;
	snapshot->instance_capacity = count;
	return PH_OK;
}

ph_status ph__snapshot_take(struct ph__snapshot *snapshot, const struct ph__scene *scene)
{
	if (snapshot->assets == &scene->assets && snapshot->version == scene->version)
		return PH_OK;
	ph_status status = make_room(snapshot, scene->object_count);
	if (status < 0)
		return status;

	for (uint32_t i = 0; i < scene->object_count; i++) {
		snapshot->instances[i] = instance_of(&scene->objects[i]);
		snapshot->instances[i].number = i + 1;
	}
	snapshot->instance_count = scene->object_count;
	snapshot->sun = scene->sun;
	snapshot->sky = scene->sky;
	snapshot->assets = &scene->assets;
	snapshot->version = scene->version;
	return PH_OK;
}

/* The version is one that no scene comes to, another each time: who has drawn something for a
 * version, shadows say, does not take this for it. */
void ph__snapshot_show_only(struct ph__snapshot *snapshot, uint32_t place)
{
	static _Atomic uint64_t count;

	for (uint32_t i = 0; i < snapshot->instance_count; i++)
		snapshot->instances[i].hidden = i != place;
	snapshot->version = UINT64_MAX - count++;
}

ph_status ph__snapshot_copy(struct ph__snapshot *snapshot, const struct ph__snapshot *from)
{
	if (snapshot->assets == from->assets && snapshot->version == from->version)
		return PH_OK;
	ph_status status = make_room(snapshot, from->instance_count);
	if (status < 0)
		return status;

	struct ph__snapshot copy = *from;
	copy.instances = snapshot->instances;
	copy.instance_capacity = snapshot->instance_capacity;
	memcpy(copy.instances, from->instances, from->instance_count * sizeof(copy.instances[0]));
	*snapshot = copy;
	return PH_OK;
}

void ph__snapshot_finish(struct ph__snapshot *snapshot)
{
	ph__sys->free(snapshot->instances);
	memset(snapshot, 0, sizeof(*snapshot));
}
