/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

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
	for (uint32_t i = 0; i < scene->object_count; i++) {
		ph__sys->free(scene->objects[i].name);
		ph__stored_finish(&scene->objects[i].stored);
	}
	for (uint32_t i = 0; i < scene->camera_count; i++)
		ph__stored_finish(&scene->cameras[i].stored);
	for (uint32_t i = 0; i < scene->known_color_count; i++)
		ph__sys->free(scene->known_colors[i].name);
	finish_assets(&scene->assets);
	ph__sys->free(scene->objects);
	ph__sys->free(scene->cameras);
	ph__sys->free(scene->names);
	ph__sys->free(scene->known_colors);
	ph__sys->free(scene->name);
	ph__sys->free(scene->level);
	ph__sys->free(scene);
}
