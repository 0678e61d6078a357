/* SPDX-License-Identifier: MIT */
/* What makes new objects and cameras. */
#include "server/routes.h"

#include <stdio.h>
#include <strings.h>

/* Apart by this, along the pair's right axis, as Unreal's StereoCameraActor. */
#define STEREO_BASE_M 0.8

enum { NO_MESH = PH__PRIMITIVE_COUNT };

static const struct class {
	const char *name;       /* in any case of its letters */
	const char *class_name; /* what uclass_name answers */
	const char *stem;       /* of names that nobody chose */
	int primitive;
	int camera_count;
} classes[] = {
	{"Cube", "StaticMeshActor", "Cube", PH__CUBE, 0},
	{"Sphere", "StaticMeshActor", "Sphere", PH__SPHERE, 0},
	{"Cylinder", "StaticMeshActor", "Cylinder", PH__CYLINDER, 0},
	{"Plane", "StaticMeshActor", "Plane", PH__PLANE, 0},
	{"StaticMeshActor", "StaticMeshActor", "StaticMeshActor", PH__CUBE, 0},
	{"CubeActor", "CubeActor", "CubeActor", PH__CUBE, 0},
	{"Actor", "Actor", "Actor", NO_MESH, 0},
	{"CameraActor", "CameraActor", "CameraActor", NO_MESH, 1},
	{"FusionCameraActor", "FusionCameraActor", "FusionCameraActor", NO_MESH, 1},
	{"StereoCameraActor", "StereoCameraActor", "StereoCameraActor", NO_MESH, 2},
};
enum { CLASS_COUNT = sizeof(classes) / sizeof(classes[0]) };

static const struct class *find_class(struct ph__span name)
{
	for (int i = 0; i < CLASS_COUNT; i++)
		if (strlen(classes[i].name) == name.length &&
		    strncasecmp(classes[i].name, name.at, name.length) == 0)
			return &classes[i];
	return NULL;
}

/* The first number, from 0, that is free behind the stem. */
static void find_free_name(struct ph__scene *scene, const char *stem, char name[96])
{
	for (uint32_t number = 0;; number++) {
		snprintf(name, 96, "%s_%u", stem, number);
		if (!ph__scene_find_object(scene, name, strlen(name)))
			return;
	}
}

static ph_status add_cameras(struct ph__scene *scene, struct ph__object *object, int count)
{
	ph_status status = PH_OK;
	uint32_t index;

	for (int i = 0; i < count && status == PH_OK; i++) {
		double offset_m = count == 2 ? (i - 0.5) * STEREO_BASE_M : 0;
		status = ph__scene_add_camera(scene, object, "FusionCameraSensor", offset_m,
					      &index);
	}
	if (status < 0)
		ph__scene_remove_object(scene, object);
	return status;
}

/* `name` and `place`, three arguments, may be none. Answers the name that it has. */
static void spawn(struct ph__call *call, const struct class *class, const struct ph__arg *name,
		  const struct ph__arg *place)
{
	struct ph__scene *scene = call->server->scene;
	struct ph__object *made, model = {
		.class_name = class->class_name,
		.part_count = class->primitive != NO_MESH,
		.scale = {1, 1, 1},
		.mobility = PH__MOVABLE,
		.label = class->primitive == NO_MESH    ? PH__LABEL_NONE
			 : class->primitive == PH__SPHERE ? PH__LABEL_BALL
							  : PH__LABEL_BLOCK,
	};
	char free_name[96];
	struct ph__span text = name ? name->text : (struct ph__span){NULL, 0};

	if (class->primitive != NO_MESH)
		model.first_part = scene->assets.primitives[class->primitive];
	if (text.length == 0) {
		find_free_name(scene, class->stem, free_name);
		text = ph__span_of(free_name);
	}
	if (place)
		model.pose = ph__with_location(&model.pose, place);
	ph_status status = ph__scene_add_object(scene, &model, text.at, text.length, &made);
	if (status == PH_OK)
		status = add_cameras(scene, made, class->camera_count);
	if (status == PH_EEXIST)
		ph__call_error_quoting(call, "Failed to spawn ", text, ", object exists.");
	else if (status < 0)
		ph__call_failed(call);
	else
		ph__buffer_add_text(call->out, made->name);
}

/* [class], [class] [name], [class] x y z, [class] [name] x y z */
static void spawn_class(struct ph__call *call)
{
	const struct ph__command *command = call->command;
	const struct class *class = find_class(command->args[0].text);
	bool has_name = command->arg_count == 2 || command->arg_count == 5;

	if (!class)
		ph__call_error_quoting(call, "Can not find a class with name '",
				       command->args[0].text, "'");
	else
		spawn(call, class, has_name ? &command->args[1] : NULL,
		      command->arg_count >= 4 ? &command->args[command->arg_count - 3] : NULL);
}

/* nothing, [name], x y z, [name] x y z */
static void spawn_cube(struct ph__call *call)
{
	const struct ph__command *command = call->command;
	bool has_name = command->arg_count == 1 || command->arg_count == 4;

	spawn(call, find_class(ph__span_of("CubeActor")), has_name ? &command->args[0] : NULL,
	      command->arg_count >= 3 ? &command->args[command->arg_count - 3] : NULL);
}

static void spawn_camera(struct ph__call *call)
{
	spawn(call, find_class(ph__span_of("FusionCameraActor")), NULL, NULL);
}

static void spawn_free_camera(struct ph__call *call)
{
	struct ph__buffer *out = call->out;
	size_t start = out->length;
	uint32_t before = call->server->scene->camera_count;

	spawn_camera(call);
	if (call->server->scene->camera_count == before)
		return; /* the error is there */
	out->length = start;
	ph__buffer_add_u64(out, before);
}

/* No model can be read while the server runs: its assets are loaded at the start. */
static void spawn_from_path(struct ph__call *call)
{
	ph__call_error_quoting(call, "Can not find a class with name '",
			       call->command->args[0].text, "'");
}

static void scan_assets(struct ph__call *call)
{
	for (int i = 0; i < CLASS_COUNT; i++)
		ph__buffer_print(call->out, "%s%s", i > 0 ? "\n" : "", classes[i].name);
}

#define CLASS_TEXT "An object of a class: Cube, Sphere, Cylinder, Plane, a camera; answers its name"
#define SPAWN_CLASS(path)                                                                     \
	{"vset " path " [str]", spawn_class, CLASS_TEXT},                                     \
	{"vset " path " [str] [str]", spawn_class, "As above, of this name"},                 \
	{"vset " path " [str] [float] [float] [float]", spawn_class, "As above, at x y z in cm"}, \
	{"vset " path " [str] [str] [float] [float] [float]", spawn_class,                    \
	 "As above, of this name and at x y z in cm"}
#define SPAWN_CUBE(path)                                                                      \
	{"vset " path, spawn_cube, "A cube with sides of 100 cm; answers its name"},          \
	{"vset " path " [str]", spawn_cube, "As above, of this name"},                        \
	{"vset " path " [float] [float] [float]", spawn_cube, "As above, at x y z in cm"},    \
	{"vset " path " [str] [float] [float] [float]", spawn_cube,                           \
	 "As above, of this name and at x y z in cm"}
#define PATH_TEXT "An object from a model file: this server has none, so always an error"
#define SPAWN_FROM_PATH(path)                                                                 \
	{"vset " path " [str]", spawn_from_path, PATH_TEXT, PH__ROUTE_REFUSED},               \
	{"vset " path " [str] [str]", spawn_from_path, PATH_TEXT, PH__ROUTE_REFUSED},         \
	{"vset " path " [str] [float] [float] [float]", spawn_from_path, PATH_TEXT,           \
	 PH__ROUTE_REFUSED},                                                                  \
	{"vset " path " [str] [str] [float] [float] [float]", spawn_from_path, PATH_TEXT,     \
	 PH__ROUTE_REFUSED}

static const struct ph__route routes[] = {
	{"vset /cameras/spawn", spawn_camera,
	 "A new camera at the origin, with the highest number; answers its object's name"},
	{"vset /captureactor/spawn_free_cam", spawn_free_camera,
	 "A new camera at the origin; answers its number"},
	SPAWN_CLASS("/objects/spawn"),
	SPAWN_CLASS("/objects/spawn_wo_annotation"),
	SPAWN_CUBE("/objects/spawn_cube"),
	SPAWN_CUBE("/objects/spawn_cube_wo_annotation"),
	SPAWN_FROM_PATH("/objects/spawn_from_path"),
	SPAWN_FROM_PATH("/objects/spawn_from_path_wo_annotation"),
	{"vset /objects/spawn_bp_asset [str] [str]", spawn_from_path, PATH_TEXT,
	 PH__ROUTE_REFUSED},
	{"vget /objects/scan_assets", scan_assets, "What can be spawned, one on a line"},
	{"vget /objects/scan_assets [str]", scan_assets, "The same, whatever the path"},
};

const struct ph__route_table ph__spawn_routes = PH__ROUTE_TABLE("Spawning", routes);
