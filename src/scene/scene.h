/* SPDX-License-Identifier: MIT */
/* The scene: what can be drawn, and where it is.
 *
 * Assets (meshes, materials, textures) never change once loaded; the renderer uploads them once.
 * Objects and cameras change; each change gives the scene a new version. A snapshot is a frozen
 * copy of what a picture depends on: a capture draws from one snapshot whatever happens meanwhile.
 *
 * Axes, units and the meaning of a pose: <pinhole/frame.h>. Threads: one; a snapshot and the
 * assets may be read by another while it is held.
 */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pinhole/frame.h>

struct ph__vertex {
	float position_m[3];
	float normal[3];
	float uv[2];
};

struct ph__mesh {
	struct ph__vertex *vertices;
	uint32_t *indices; /* triangles, counter-clockwise seen from outside */
	uint32_t vertex_count, index_count;
	float lower_m[3], upper_m[3]; /* bounds */
};

enum { PH__NO_TEXTURE = -1 };

/* glTF's metallic-roughness model; colours are linear. */
struct ph__material {
	float base_color[3];
	float metallic, roughness;
	float emissive[3];
	int32_t texture; /* of the base colour, multiplied with it, or PH__NO_TEXTURE */
};

struct ph__texture {
	uint8_t *rgba; /* sRGB, rows from the top, width * height * 4 bytes */
	uint32_t width_px, height_px;
};

struct ph__part {
	uint32_t mesh, material;
};

/* Immutable after loading. */
struct ph__assets {
	struct ph__mesh *meshes;
	struct ph__material *materials;
	struct ph__texture *textures;
	struct ph__part *parts; /* an object is a run of these */
	uint32_t mesh_count, material_count, texture_count, part_count;
};

struct ph__object {
	char *name; /* unique in the scene, whatever the case of its letters; no blanks */
	uint32_t first_part, part_count;
	ph_pose pose;
	double scale[3];
	uint8_t color[3]; /* R, G, B of the object mask */
	bool hidden;
	bool casts_no_shadow; /* for ground: the shadow map need not cover it */
};

struct ph__camera {
	char *name;
	ph_pose pose;
	double fov_rad; /* horizontal */
	uint32_t width_px, height_px;
};

struct ph__sun {
	float direction[3];  /* of the light's travel, unit length */
	float radiance[3];   /* linear, on a surface that faces it */
};

/* Light from everywhere: `sky` from above, `ground` from below; also the background. */
struct ph__sky {
	float zenith[3], horizon[3], ground[3]; /* linear radiance */
};

struct ph__scene {
	char *name, *level;
	struct ph__assets assets;
	struct ph__object *objects;
	struct ph__camera *cameras;
	uint32_t object_count, camera_count;
	struct ph__sun sun;
	struct ph__sky sky;
	uint64_t version; /* grows with each change of an object */
};

/* The built-in scene, see scene/builtin.c. Its one camera has the given size and field of view. */
ph_status ph__scene_create_builtin(uint32_t width_px, uint32_t height_px, double fov_rad,
				   struct ph__scene **scene);
void ph__scene_close(struct ph__scene **scene);

/* The object of that name in any case of its ASCII letters, or NULL. */
struct ph__object *ph__scene_find_object(struct ph__scene *scene, const char *name, size_t length);

/* Says that an object has changed: what is drawn next is drawn anew. */
void ph__scene_touch(struct ph__scene *scene);

/* One object as a picture needs it. */
struct ph__instance {
	float model[16]; /* column-major, object to world */
	uint32_t first_part, part_count;
	uint8_t color[4]; /* R, G, B, 255 */
	bool hidden, casts_no_shadow;
};

struct ph__snapshot {
	uint64_t version; /* of the scene, when it was taken */
	const struct ph__assets *assets;
	struct ph__instance *instances;
	uint32_t instance_count, instance_capacity;
	struct ph__sun sun;
	struct ph__sky sky;
};

/* Brings a snapshot (at first all zero) up to the scene's present state; cheap when it is.
 * Allocates only when the scene has more objects than ever before. */
ph_status ph__snapshot_take(struct ph__snapshot *snapshot, const struct ph__scene *scene);
void ph__snapshot_finish(struct ph__snapshot *snapshot);

/* Entry `index` of the list of mask colours, UnrealCV's: index 0 is black, the background's. All
 * 32,768 entries differ; larger indices start over at 1. Source: the annotation colours of the
 * UnrealCV server, channel values 0, 255, 127, 63, 191, ... */
void ph__mask_color(uint32_t index, uint8_t rgb[3]);

#endif
