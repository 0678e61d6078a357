/* SPDX-License-Identifier: MIT */
/* Objects: which there are, where they are, what they look like. */
#include "server/routes.h"

#include <math.h>
#include <strings.h>

/* --- lists ------------------------------------------------------------------------------------ */

static bool contains(const char *name, struct ph__span part)
{
	for (; strlen(name) >= part.length; name++)
		if (strncasecmp(name, part.at, part.length) == 0)
			return true;
	return false;
}

/* Without a blank at the end, unlike /cameras: some clients take the list apart at every blank and
 * would ask for an object without a name. */
static void print_objects(struct ph__call *call, struct ph__span part)
{
	const struct ph__scene *scene = call->server->scene;
	size_t start = call->out->length;

	for (uint32_t i = 0; i < scene->object_count; i++) {
		if (!contains(scene->objects[i].name, part))
			continue;
		if (call->out->length > start)
			ph__buffer_add(call->out, " ", 1);
		ph__buffer_add_text(call->out, scene->objects[i].name);
	}
}

static void get_objects(struct ph__call *call)
{
	print_objects(call, ph__span_of(""));
}

static void find_objects(struct ph__call *call)
{
	size_t start = call->out->length;

	print_objects(call, call->command->args[0].text);
	if (call->out->length == start)
		ph__buffer_add_text(call->out, "(no matches)");
}

/* --- place ------------------------------------------------------------------------------------ */

static void get_location(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		ph__print_location(call->out, &object->pose);
}

static void set_location(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	if (!object)
		return;
	ph_pose pose = ph__with_location(&object->pose, &call->command->args[1]);
	ph__scene_move_object(call->server->scene, object, &pose);
}

static void get_rotation(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		ph__print_rotation(call->out, &object->pose);
}

static void set_rotation(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	if (!object)
		return;
	ph_pose pose = ph__with_rotation(&object->pose, &call->command->args[1]);
	ph__scene_move_object(call->server->scene, object, &pose);
}

/* Inside, the axes are forward, up, right; Unreal's are forward, right, up. */
static void get_scale(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		ph__print_three(call->out, object->scale[0], object->scale[2], object->scale[1]);
}

static void set_scale(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	const struct ph__arg *args = call->command->args;
	if (!object)
		return;
	object->scale[0] = args[1].number;
	object->scale[2] = args[2].number;
	object->scale[1] = args[3].number;
	ph__scene_touch(call->server->scene);
}

static void print_bounds(struct ph__call *call, const struct ph__object *object,
			 const char *between)
{
	static const int axes[3] = {0, 2, 1};
	double bounds_m[2][3];

	ph__scene_object_bounds(call->server->scene, object, bounds_m[0], bounds_m[1]);
	for (int i = 0; i < 6; i++) {
		ph__buffer_add_text(call->out, i > 0 ? between : "");
		ph__buffer_add_fixed(call->out, bounds_m[i / 3][axes[i % 3]] * 100, 2);
	}
}

static void get_bounds(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		print_bounds(call, object, " ");
}

/* Each vertex of each part, in world centimetres, through `print`. */
static void each_vertex(struct ph__call *call, const struct ph__object *object,
			void (*print)(struct ph__buffer *out, const double cm[3], bool first))
{
	const struct ph__assets *assets = &call->server->scene->assets;
	double model[16];
	bool first = true;

	ph__object_model(object, model);
	for (uint32_t i = 0; i < object->part_count; i++) {
		const struct ph__mesh *mesh =
			&assets->meshes[assets->parts[object->first_part + i].mesh];
		for (uint32_t v = 0; v < mesh->vertex_count; v++, first = false) {
			const float *p = mesh->vertices[v].position_m;
			double m[3], cm[3];
			for (int row = 0; row < 3; row++)
				m[row] = model[row] * p[0] + model[4 + row] * p[1] +
					 model[8 + row] * p[2] + model[12 + row];
			cm[0] = m[0] * 100;
			cm[1] = m[2] * 100;
			cm[2] = m[1] * 100;
			print(call->out, cm, first);
		}
	}
}

static void print_vertex_line(struct ph__buffer *out, const double cm[3], bool first)
{
	(void)first;
	for (int i = 0; i < 3; i++) {
		ph__buffer_add_text(out, i > 0 ? "     " : "");
		ph__buffer_add_fixed(out, cm[i], 5);
	}
	ph__buffer_add(out, "\n", 1);
}

static void get_vertices(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		each_vertex(call, object, print_vertex_line);
}

static void print_vertex_json(struct ph__buffer *out, const double cm[3], bool first)
{
	ph__buffer_add_text(out, first ? "[" : ",[");
	for (int i = 0; i < 3; i++) {
		ph__buffer_add_text(out, i > 0 ? "," : "");
		ph__buffer_add_fixed(out, cm[i], 5);
	}
	ph__buffer_add(out, "]", 1);
}

static void get_mesh_vertices(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (!object)
		return;
	ph__buffer_add_text(call->out, "{\"name\":");
	ph__print_json_string(call->out, object->name);
	ph__buffer_add_text(call->out, ",\"unit\":\"cm\",\"vertices\":[");
	each_vertex(call, object, print_vertex_json);
	ph__buffer_add_text(call->out, "]}");
}

/* What there is to know of an object, for programs that label pictures. */
static void print_metadata(struct ph__call *call, const struct ph__object *object)
{
	struct ph__unreal_pose pose = ph__pose_to_unreal(&object->pose);
	struct ph__buffer *out = call->out;

	ph__buffer_add_text(out, "{\"name\":");
	ph__print_json_string(out, object->name);
	ph__buffer_print(out, ",\"class\":\"%s\",\"mask_color\":[%u,%u,%u],\"visible\":%s,",
			 object->class_name, object->color[0], object->color[1], object->color[2],
			 object->hidden || object->part_count == 0 ? "false" : "true");
	ph__buffer_print(out,
			 "\"location_cm\":[%.3f,%.3f,%.3f],\"rotation_deg\":[%.3f,%.3f,%.3f],"
			 "\"bounds_cm\":[",
			 pose.x_cm, pose.y_cm, pose.z_cm, pose.pitch_deg, pose.yaw_deg,
			 pose.roll_deg);
	print_bounds(call, object, ",");
	ph__buffer_add_text(out, "]}");
}

static void get_metadata(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		print_metadata(call, object);
}

/* --- looks ------------------------------------------------------------------------------------ */

static void get_color(struct ph__call *call)
{
	static const char *const between[3] = {"(R=", ",G=", ",B="};
	const struct ph__object *object = ph__call_object(call);

	if (!object)
		return;
	for (int i = 0; i < 3; i++) {
		ph__buffer_add(call->out, between[i], 3);
		ph__buffer_add_u64(call->out, object->color[i]);
	}
	ph__buffer_add_text(call->out, ",A=255)");
}

static void set_color(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	if (!object)
		return;
	for (int i = 0; i < 3; i++)
		object->color[i] = (uint8_t)((uint64_t)call->command->args[1 + i].number % 256);
	ph__scene_touch(call->server->scene);
}

static void set_hidden(struct ph__call *call, bool hidden)
{
	struct ph__object *object = ph__call_object(call);
	if (!object)
		return;
	object->hidden = hidden;
	ph__scene_touch(call->server->scene);
}

static void show(struct ph__call *call)
{
	set_hidden(call, false);
}

static void hide(struct ph__call *call)
{
	set_hidden(call, true);
}

static void get_cast_shadow(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		ph__buffer_add_text(call->out, object->casts_no_shadow ? "false" : "true");
}

static void set_cast_shadow(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	bool casts;

	if (!object)
		return;
	if (!ph__arg_bool(&call->command->args[1], &casts)) {
		ph__call_error(call, "Argument Invalid");
		return;
	}
	object->casts_no_shadow = !casts;
	ph__scene_touch(call->server->scene);
}

/* --- what it is ------------------------------------------------------------------------------- */

static const char *const mobilities[] = {
	[PH__STATIC] = "Static",
	[PH__STATIONARY] = "Stationary",
	[PH__MOVABLE] = "Movable",
};

static void get_mobility(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		ph__buffer_add_text(call->out, mobilities[object->mobility]);
}

static void set_mobility(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	bool movable;

	if (!object)
		return;
	if (ph__arg_bool(&call->command->args[1], &movable))
		object->mobility = movable ? PH__MOVABLE : PH__STATIC;
	else
		ph__call_error(call, "Argument Invalid");
}

static void get_class(struct ph__call *call)
{
	const struct ph__object *object = ph__call_object(call);
	if (object)
		ph__buffer_add_text(call->out, object->class_name);
}

static void set_name(struct ph__call *call)
{
	struct ph__scene *scene = call->server->scene;
	struct ph__object *object = ph__call_object(call);
	struct ph__span name = call->command->args[1].text;

	if (!object)
		return;
	if (ph__span_is(name, object->name)) {
		ph__buffer_add_text(call->out, "The name has already been set");
		return;
	}
	ph_status status = ph__scene_rename_object(scene, object, name.at, name.length);
	if (status == PH_EEXIST)
		ph__call_error_quoting(call,
				       "Renaming an object to overwrite an existing object is not "
				       "allowed: ",
				       name, "");
	else if (status < 0)
		ph__call_failed(call);
}

static void destroy(struct ph__call *call)
{
	struct ph__object *object = ph__call_object(call);
	if (object)
		ph__scene_remove_object(call->server->scene, object);
}

/* Puts it straight down onto what lies below it, or up onto it, by its box. Distances in cm. */
static void settle(struct ph__call *call)
{
	static const char *const modes[] = {"simple", "bounds", "sweep", NULL};
	struct ph__object *object = ph__call_object(call);
	const struct ph__arg *args = call->command->args;
	uint32_t count = call->command->arg_count;
	double lower_m[3], upper_m[3], from_m[3], to_m[3];

	if (!object)
		return;
	int mode = count > 1 ? ph__arg_word(&args[1], modes) : 1;
	double start_m = count > 2 ? args[2].number / 100 : 100;
	double length_m = count > 3 ? args[3].number / 100 : 1000;
	double height_m = count > 4 ? args[4].number / 100 : 0;
	if (mode < 0 || !(length_m > 0)) {
		ph__call_error(call, "Argument Invalid");
		return;
	}
	ph__scene_object_bounds(call->server->scene, object, lower_m, upper_m);
	memcpy(from_m, object->pose.position_m, sizeof(from_m));
	double foot_m = mode == 0 ? 0 : from_m[1] - lower_m[1];
	from_m[1] += start_m;
	memcpy(to_m, from_m, sizeof(to_m));
	to_m[1] -= length_m;
	double share = ph__scene_sweep(call->server->scene, from_m, to_m, 0, object->id);
	if (share >= 1) {
		ph__call_error(call, "there is no ground within %.0f cm", length_m * 100);
		return;
	}
	ph_pose pose = object->pose;
	pose.position_m[1] = from_m[1] - share * length_m + foot_m + height_m;
	ph__scene_move_object(call->server->scene, object, &pose);
}

static const struct ph__setting
	ticks_when_paused = {PH__OF_OBJECT, PH__SETTING_BOOL, "false", NULL},
	affects_fields = {PH__OF_OBJECT, PH__SETTING_BOOL, "true", NULL};

/* For an object that is there. */
static void accept_bool(struct ph__call *call)
{
	bool value;
	if (ph__call_object(call) && !ph__arg_bool(&call->command->args[1], &value))
		ph__call_error(call, "Argument Invalid");
}

static const struct ph__route routes[] = {
	{"vget /objects", get_objects, "The names of the objects"},
	{"vget /objects [str]", find_objects,
	 "The names that have this in them, in any case of its letters"},
	{"vget /object/[str]/location", get_location, "Where the object is: x y z in cm"},
	{"vset /object/[str]/location [float] [float] [float]", set_location,
	 "Puts the object at x y z in cm"},
	{"vget /object/[str]/rotation", get_rotation,
	 "How the object is turned: pitch yaw roll in degrees"},
	{"vset /object/[str]/rotation [float] [float] [float]", set_rotation,
	 "Turns the object to pitch yaw roll in degrees"},
	{"vget /object/[str]/scale", get_scale, "The object's scale along its x y z"},
	{"vset /object/[str]/scale [float] [float] [float]", set_scale,
	 "Sets the object's scale along its x y z"},
	{"vget /object/[str]/bounds", get_bounds,
	 "The object's box in the world: least x y z, greatest x y z in cm"},
	{"vget /object/[str]/color", get_color, "The object's colour in object_mask"},
	{"vset /object/[str]/color [uint] [uint] [uint]", set_color,
	 "Sets the object's colour in object_mask: red green blue"},
	{"vget /object/[str]/vertex_location", get_vertices,
	 "The object's vertices in the world, x y z in cm, one on a line"},
	{"vget /object/[str]/vertices", get_vertices, "Another name of vertex_location",
	 PH__ROUTE_OLD},
	{"vget /object/[str]/mesh_vertices", get_mesh_vertices,
	 "The object's vertices in the world, in cm, as JSON"},
	{"vget /object/[str]/metadata", get_metadata,
	 "Name, class, mask colour, place and box of the object, as JSON"},
	{"vget /object/[str]/mobility", get_mobility, "Static, Stationary or Movable"},
	{"vset /object/[str]/object_mobility [bool]", set_mobility,
	 "Says whether the object is Movable or Static; either can be moved"},
	{"vset /object/[str]/show", show, "Shows the object"},
	{"vset /object/[str]/hide", hide, "Hides the object from all pictures"},
	{"vset /object/[str]/destroy", destroy,
	 "Removes the object, and the cameras that it holds"},
	{"vget /object/[str]/uclass_name", get_class, "The name of the object's class"},
	{"vset /object/[str]/name [str]", set_name, "Gives the object another name"},
	{"vget /object/[str]/cast_shadow", get_cast_shadow, "Whether the object casts a shadow"},
	{"vset /object/[str]/cast_shadow [str]", set_cast_shadow,
	 "Says whether the object casts a shadow"},
	{"vset /object/[str]/settle_to_ground", settle, "Puts the object onto what lies below it"},
	{"vset /object/[str]/settle_to_ground [str]", settle,
	 "As above: simple for its origin, bounds or sweep for its box"},
	{"vset /object/[str]/settle_to_ground [str] [float] [float]", settle,
	 "As above; looks from this far above over this length, in cm"},
	{"vset /object/[str]/settle_to_ground [str] [float] [float] [float]", settle,
	 "As above; ends this far over the ground, in cm"},
	{"vget /object/[str]/tickable_when_paused", ph__call_get_setting, "As it was set",
	 PH__ROUTE_STORED, &ticks_when_paused},
	{"vset /object/[str]/tickable_when_paused [str]", ph__call_set_setting,
	 "Kept, without effect", PH__ROUTE_STORED, &ticks_when_paused},
	{"vget /object/[str]/affect_distance_field_lighting", ph__call_get_setting,
	 "As it was set", PH__ROUTE_STORED, &affects_fields},
	{"vset /object/[str]/affect_distance_field_lighting [str]", ph__call_set_setting,
	 "Kept, without effect", PH__ROUTE_STORED, &affects_fields},
	{"vset /object/[str]/physics [bool]", accept_bool,
	 "Without effect: nothing moves by itself", PH__ROUTE_ACCEPTED},
	{"vset /object/[str]/collision [bool]", accept_bool, "Without effect",
	 PH__ROUTE_ACCEPTED},
};

const struct ph__route_table ph__object_routes = PH__ROUTE_TABLE("Objects", routes);
