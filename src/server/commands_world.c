/* SPDX-License-Identifier: MIT */
/* Pawn, lights, view mode, annotation. */
#include "server/routes.h"

#define INTENSITY_LIMIT 1e6

/* --- the pawn --------------------------------------------------------------------------------- */

static struct ph__object *find_pawn(struct ph__call *call)
{
	struct ph__scene *scene = call->server->scene;
	struct ph__object *pawn = ph__scene_object_of_id(scene, scene->pawn);

	if (!pawn)
		ph__call_error(call, "The pawn is invalid");
	return pawn;
}

static void get_pawn_location(struct ph__call *call)
{
	const struct ph__object *pawn = find_pawn(call);
	if (pawn)
		ph__print_location(call->out, &pawn->pose);
}

static void get_pawn_rotation(struct ph__call *call)
{
	const struct ph__object *pawn = find_pawn(call);
	if (pawn)
		ph__print_rotation(call->out, &pawn->pose);
}

static void confirm_pawn(struct ph__call *call, const char *what)
{
	const struct ph__arg *args = call->command->args;
	ph__buffer_print(call->out, "Set pawn %s to (%.2f, %.2f, %.2f)", what, args[0].number,
			 args[1].number, args[2].number);
}

static void set_pawn_location(struct ph__call *call)
{
	struct ph__object *pawn = find_pawn(call);
	if (!pawn)
		return;
	ph_pose pose = ph__with_location(&pawn->pose, call->command->args);
	ph__scene_move_object(call->server->scene, pawn, &pose);
	confirm_pawn(call, "location");
}

static void set_pawn_rotation(struct ph__call *call)
{
	struct ph__object *pawn = find_pawn(call);
	if (!pawn)
		return;
	ph_pose pose = ph__with_rotation(&pawn->pose, call->command->args);
	ph__scene_move_object(call->server->scene, pawn, &pose);
	confirm_pawn(call, "rotation");
}

/* --- lights ----------------------------------------------------------------------------------- */

/* Intensities are shares of what the scene has at first, which is 1. */
static const char sun[] = "DirectionalLight", sky[] = "SkyLight";

static double *intensity_of(const struct ph__call *call)
{
	return call->route->about == sun ? &call->server->sun_intensity
					 : &call->server->sky_intensity;
}

static void get_intensity(struct ph__call *call)
{
	ph__buffer_add_fixed(call->out, *intensity_of(call), 2);
}

static void scale3(float light[3], double factor)
{
	for (int i = 0; i < 3; i++)
		light[i] = (float)(light[i] * factor);
}

static void apply_lights(struct ph_server *server)
{
	struct ph__scene *scene = server->scene;

	scene->sun = server->first_sun;
	scene->sky = server->first_sky;
	scale3(scene->sun.radiance, server->sun_intensity);
	scale3(scene->sky.zenith, server->sky_intensity);
	scale3(scene->sky.horizon, server->sky_intensity);
	scale3(scene->sky.ground, server->sky_intensity);
	ph__scene_touch(scene);
}

static void set_intensity(struct ph__call *call)
{
	double intensity = call->command->args[0].number;

	if (!(intensity >= 0 && intensity <= INTENSITY_LIMIT)) {
		ph__call_error(call, "Argument Invalid: an intensity is 0 to 1e6");
		return;
	}
	*intensity_of(call) = intensity;
	apply_lights(call->server);
	ph__buffer_print(call->out, "Set %s intensity to %.2f", (const char *)call->route->about,
			 intensity);
}

static const struct ph__setting deep_shadow = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL};

/* --- view mode and annotation ----------------------------------------------------------------- */

static void get_viewmode(struct ph__call *call)
{
	ph__buffer_add_text(call->out, call->server->viewmode);
}

static void set_viewmode(struct ph__call *call)
{
	static const char *const modes[] = {"lit", "depth", "object_mask", "normal",
					    "optical_flow", "unlit", "base_color", "debug",
					    "wireframe", "vertex_color", "no_transparency", NULL};
	int mode = ph__arg_word(&call->command->args[0], modes);

	if (mode < 0)
		ph__call_error_quoting(call, "Can not set ViewMode to ",
				       call->command->args[0].text, "");
	else
		call->server->viewmode = modes[mode];
}

static void annotate_object(struct ph__call *call)
{
	ph__call_object(call);
}

static void set_annotation_cache(struct ph__call *call)
{
	ph__buffer_add_text(call->out, call->command->args[0].number != 0 ? "true" : "false");
}

static const struct ph__route routes[] = {
	{"vget /pawn/location", get_pawn_location, "Where the pawn is: x y z in cm"},
	{"vget /pawn/rotation", get_pawn_rotation,
	 "Where the pawn looks: pitch yaw roll in degrees"},
	{"vset /pawn/location [float] [float] [float]", set_pawn_location,
	 "Puts the pawn, and camera 0 with it, at x y z in cm"},
	{"vset /pawn/rotation [float] [float] [float]", set_pawn_rotation,
	 "Turns the pawn, and camera 0 with it, to pitch yaw roll in degrees"},
	{"vget /light/directional/intensity", get_intensity,
	 "The sun's brightness; 1 at first", PH__ROUTE_YES, sun},
	{"vset /light/directional/intensity [float]", set_intensity,
	 "Sets the sun's brightness; 1 is what it was at first", PH__ROUTE_YES, sun},
	{"vget /light/skylight/intensity", get_intensity,
	 "The sky's brightness; 1 at first", PH__ROUTE_YES, sky},
	{"vset /light/skylight/intensity [float]", set_intensity,
	 "Sets the sky's brightness; 1 is what it was at first", PH__ROUTE_YES, sky},
	{"vget /light/directional/castdeepshadow", ph__call_get_setting, "As it was set",
	 PH__ROUTE_STORED, &deep_shadow},
	{"vset /light/directional/castdeepshadow [bool]", ph__call_set_setting,
	 "Kept, without effect", PH__ROUTE_STORED, &deep_shadow},
	{"vget /viewmode", get_viewmode, "The view mode, as it was set", PH__ROUTE_STORED},
	{"vset /viewmode [str]", set_viewmode,
	 "Kept, without effect: there is no window; each picture has its own command",
	 PH__ROUTE_STORED},
	{"vset /annotation/world", ph__call_accept, "Objects always have their mask colours",
	 PH__ROUTE_ACCEPTED},
	{"vset /annotation/world/clear", ph__call_accept,
	 "Accepted: objects keep their mask colours", PH__ROUTE_ACCEPTED},
	{"vset /annotation/object/[str]", annotate_object,
	 "For an object that is there: it has its mask colour", PH__ROUTE_ACCEPTED},
	{"vset /annotation/cache/clear", ph__call_accept, "There is no cache",
	 PH__ROUTE_ACCEPTED},
	{"vset /annotation/cache/enable [uint]", set_annotation_cache,
	 "Answers true or false as asked; there is no cache", PH__ROUTE_ACCEPTED},
};

const struct ph__route_table ph__world_routes = PH__ROUTE_TABLE("Pawn, lights, views", routes);
