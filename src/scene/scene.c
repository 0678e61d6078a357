/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

#include <string.h>
#include <strings.h>

#include "base/locale.h"
#include "base/sys.h"

static void finish_assets(struct ph__assets *assets)
{
	for (uint32_t i = 0; i < assets->mesh_count; i++) {
		ph__sys->free(assets->meshes[i].vertices);
		ph__sys->free(assets->meshes[i].indices);
	}
	for (uint32_t i = 0; i < assets->texture_count; i++)
		ph__sys->free(assets->textures[i].rgba);
	ph__sys->free(assets->meshes);
	ph__sys->free(assets->materials);
	ph__sys->free(assets->textures);
	ph__sys->free(assets->parts);
}

void ph__scene_close(struct ph__scene **at)
{
	struct ph__scene *scene = *at;

	*at = NULL;
	if (!scene)
		return;
	for (uint32_t i = 0; i < scene->object_count; i++)
		ph__sys->free(scene->objects[i].name);
	for (uint32_t i = 0; i < scene->camera_count; i++)
		ph__sys->free(scene->cameras[i].name);
	finish_assets(&scene->assets);
	ph__sys->free(scene->objects);
	ph__sys->free(scene->cameras);
	ph__sys->free(scene->name);
	ph__sys->free(scene->level);
	ph__sys->free(scene);
}

struct ph__object *ph__scene_find_object(struct ph__scene *scene, const char *name, size_t length)
{
	locale_t c = ph__c_locale();

	for (uint32_t i = 0; i < scene->object_count; i++) {
		struct ph__object *object = &scene->objects[i];
		if (strlen(object->name) == length &&
		    strncasecmp_l(object->name, name, length, c) == 0)
			return object;
	}
	return NULL;
}

void ph__scene_touch(struct ph__scene *scene)
{
	scene->version++;
}
