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

#include "scene/stored.h"

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

/* What every scene has, for objects that come later. */
enum ph__primitive {
	PH__CUBE,     /* a side of 1 m, about its centre, as all of these */
	PH__SPHERE,   /* 1 m across */
	PH__CYLINDER, /* 1 m across and high */
	PH__PLANE,    /* 1 m x 1 m, level */
	PH__PRIMITIVE_COUNT
};

/* Immutable after loading. */
struct ph__assets {
	struct ph__mesh *meshes;
	struct ph__material *materials;
	struct ph__texture *textures;
	struct ph__part *parts; /* an object is a run of these */
	uint32_t mesh_count, material_count, texture_count, part_count;
	uint32_t primitives[PH__PRIMITIVE_COUNT]; /* parts */
};

/* Kinds of things, for semantic pictures. Their numbers stay. */
enum ph__label {
	PH__LABEL_NONE, /* as the background */
	PH__LABEL_GROUND,
	PH__LABEL_WALL,
	PH__LABEL_STRUCTURE,
	PH__LABEL_FURNITURE,
	PH__LABEL_TABLEWARE,
	PH__LABEL_BALL,
	PH__LABEL_BLOCK,
	PH__LABEL_SCULPTURE,
	PH__LABEL_TOY,
	PH__LABEL_CONE,
	PH__LABEL_LAMP,
	PH__LABEL_COUNT
};

const char *ph__label_name(enum ph__label label);

enum ph__mobility { PH__STATIC, PH__STATIONARY, PH__MOVABLE };

/* Change name, place, parts and count through the functions below only. */
struct ph__object {
	uint64_t id; /* never given twice */
	char *name;  /* unique in the scene, whatever the case of its ASCII letters; no blanks */
	const char *class_name; /* a constant */
	uint32_t first_part, part_count; /* no part: nothing to see, a camera's holder say */
	ph_pose pose;
	double scale[3];  /* of forward, up, right */
	uint8_t color[3]; /* R, G, B of the object mask */
	bool hidden;
	bool casts_no_shadow; /* ground: nothing lies below it */
	enum ph__label label; /* what kind of thing it is */
	enum ph__mobility mobility;
	struct ph__stored stored;
	uint32_t name_hash, next; /* of the index of names */
};

enum { PH__CID_BYTES = 64 };

#define PH__ORTHO_WIDTH_M 5.12 /* Unreal's default for an orthographic camera */

struct ph__camera {
	const char *name;        /* of its kind: a constant, and not unique */
	char cid[PH__CID_BYTES]; /* "CID-<owner>-<number>": unique, and its own for life */
	uint64_t owner;          /* the id of its object: moves with it and ends with it */
	ph_pose pose;            /* in the world */
	double fov_rad;          /* horizontal */
	uint32_t width_px, height_px;
	bool is_orthographic;
	double ortho_width_m;
	double exposure_ev;
	uint32_t face_px; /* of its panoramas; 0: nobody chose one */
	struct ph__stored stored;
};

struct ph__sun {
	float direction[3];  /* of the light's travel, unit length */
	float radiance[3];   /* linear, on a surface that faces it */
	float radius_rad;    /* of its disc: how soft shadows are in movie quality */
};

/* Light from everywhere: `sky` from above, `ground` from below; also the background. */
struct ph__sky {
	float zenith[3], horizon[3], ground[3]; /* linear radiance */
};

struct ph__named_color {
	char *name;
	uint8_t color[3];
};

enum { PH__KNOWN_COLORS_MAX = 4096 };

struct ph__scene {
	char *name, *level;
	struct ph__assets assets;
	struct ph__object *objects; /* in the order of their making */
	struct ph__camera *cameras; /* those of the first object that has any, then as made */
	uint32_t object_count, object_capacity;
	uint32_t camera_count, camera_capacity;
	struct ph__camera new_camera; /* what a new one starts with: size and field of view */
	struct ph__sun sun;
	struct ph__sky sky;
	uint64_t version; /* grows with each change that a picture may show */

	uint64_t last_id;
	uint64_t pawn;        /* the id of who looks through camera 0, if it is still there */
	uint32_t color_count; /* given so far */
	uint32_t *names;      /* hash to object, see objects.c */
	uint32_t name_slots;
	struct ph__named_color *known_colors; /* of objects that are gone; the oldest goes first */
	uint32_t known_color_count, known_color_next;
};

/* The built-in scene, see scene/builtin.c. Its one camera has the given size and field of view. */
ph_status ph__scene_create_builtin(uint32_t width_px, uint32_t height_px, double fov_rad,
				   struct ph__scene **scene);
void ph__scene_close(struct ph__scene **scene);

/* --- objects.c ------------------------------------------------------------------------------ */

/* Adds an object like `model`, which gives all but id, name and colour. A name that was known keeps
 * its colour. Pointers to objects end here. Errors: PH_EEXIST, PH_EINVAL (a name that is empty, or
 * has a blank, a control character or more than PH__NAME_BYTES_MAX bytes), PH_ENOSPC. */
enum { PH__NAME_BYTES_MAX = 512 };
ph_status ph__scene_add_object(struct ph__scene *scene, const struct ph__object *model,
			       const char *name, size_t length, struct ph__object **object);

/* Removes it with its cameras; the later ones move up. Pointers to objects and cameras end here. */
void ph__scene_remove_object(struct ph__scene *scene, struct ph__object *object);

/* Errors: as ph__scene_add_object(); its own name, in another case of letters, is fine. */
ph_status ph__scene_rename_object(struct ph__scene *scene, struct ph__object *object,
				  const char *name, size_t length);

/* Moves it, and the cameras that it holds. */
void ph__scene_move_object(struct ph__scene *scene, struct ph__object *object, const ph_pose *pose);

/* The object of that name in any case of its ASCII letters, or NULL. */
struct ph__object *ph__scene_find_object(struct ph__scene *scene, const char *name, size_t length);
struct ph__object *ph__scene_object_of_id(struct ph__scene *scene, uint64_t id);

/* Its box along the world's axes: that of its meshes' boxes, or a point if it has none. */
void ph__scene_object_bounds(const struct ph__scene *scene, const struct ph__object *object,
			     double lower_m[3], double upper_m[3]);

/* Column-major, object to world. */
void ph__object_model(const struct ph__object *object, double model[16]);

/* Says that an object has changed: what is drawn next is drawn anew. */
void ph__scene_touch(struct ph__scene *scene);

/* --- cameras.c ------------------------------------------------------------------------------ */

/* Adds a camera to an object, `offset_m` to the right of it. Pointers to cameras end here.
 * Errors: PH_ENOSPC. */
ph_status ph__scene_add_camera(struct ph__scene *scene, const struct ph__object *owner,
			       const char *name, double offset_m, uint32_t *index);
void ph__scene_remove_cameras_of(struct ph__scene *scene, uint64_t owner);

/* Moves the cameras of an object that has moved from one pose to the other. */
void ph__scene_carry_cameras(struct ph__scene *scene, uint64_t owner, const ph_pose *from,
			     const ph_pose *to);

/* The camera of that CID, or NULL. */
struct ph__camera *ph__scene_find_camera(struct ph__scene *scene, const char *cid, size_t length);

/* --- sweep.c -------------------------------------------------------------------------------- */

/* How far a ball can move from one point to the other before it touches an object that can be seen
 * and is not `except` (an id): the share of the way, 0 to 1. What it touches at the start holds it
 * only where its middle would go through. */
double ph__scene_sweep(const struct ph__scene *scene, const double from_m[3], const double to_m[3],
		       double radius_m, uint64_t except);

/* One object as a picture needs it. */
struct ph__instance {
	uint64_t id;     /* of the object: instances are in this order */
	uint32_t number; /* the object's place in the scene, from 1 */
	float model[16]; /* column-major, object to world */
	uint32_t first_part, part_count;
	uint8_t color[4], label_color[4]; /* R, G, B, 255 */
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

/* Hides all but one object, by its place in the scene; the next ph__snapshot_take() undoes it. */
void ph__snapshot_show_only(struct ph__snapshot *snapshot, uint32_t place);

/* Makes a snapshot (at first all zero) the same as another. Allocates as ph__snapshot_take(). */
ph_status ph__snapshot_copy(struct ph__snapshot *snapshot, const struct ph__snapshot *from);
void ph__snapshot_finish(struct ph__snapshot *snapshot);

/* Entry `index` of the list of mask colours, UnrealCV's: index 0 is black, the background's. All
 * 32,768 entries differ; larger indices start over at 1. Source: the annotation colours of the
 * UnrealCV server, channel values 0, 255, 127, 63, 191, ... */
void ph__mask_color(uint32_t index, uint8_t rgb[3]);

#endif
