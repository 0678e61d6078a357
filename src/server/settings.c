/* SPDX-License-Identifier: MIT */
/* Values that are kept and given back. What they would change in Unreal does not exist here. */
#include "server/routes.h"

#include <stdio.h>

static struct ph__stored *store_of(struct ph__call *call, const struct ph__setting *setting)
{
	if (setting->scope == PH__OF_SERVER)
		return &call->server->stored;
	if (setting->scope == PH__OF_OBJECT) {
		struct ph__object *object = ph__call_object(call);
		return object ? &object->stored : NULL;
	}
	struct ph__camera *camera = ph__call_sensor(call);
	return camera ? &camera->stored : NULL;
}

void ph__call_get_setting(struct ph__call *call)
{
	const struct ph__setting *setting = call->route->about;
	const struct ph__stored *stored = store_of(call, setting);

	if (!stored)
		return;
	const char *text = ph__stored_get(stored, setting);
	ph__buffer_add_text(call->out, text ? text : setting->at_first);
}

/* The text that is given back, as UnrealCV prints such a value. False: the argument is none. */
static bool write_value(struct ph__call *call, const struct ph__setting *setting,
			char text[PH__STORED_BYTES])
{
	const struct ph__arg *args = call->command->args + (setting->scope != PH__OF_SERVER);
	bool flag;
	int word;

	switch (setting->type) {
	case PH__SETTING_FLOAT:
		return snprintf(text, PH__STORED_BYTES, "%f", args[0].number) < PH__STORED_BYTES;
	case PH__SETTING_TWO_FLOATS:
		return snprintf(text, PH__STORED_BYTES, "%f %f", args[0].number, args[1].number) <
		       PH__STORED_BYTES;
	case PH__SETTING_UINT:
		snprintf(text, PH__STORED_BYTES, "%.0f", args[0].number);
		return true;
	case PH__SETTING_BOOL:
	case PH__SETTING_BIT:
		if (!ph__arg_bool(&args[0], &flag))
			return false;
		snprintf(text, PH__STORED_BYTES, "%s",
			 setting->type == PH__SETTING_BIT ? (flag ? "1" : "0")
							  : (flag ? "true" : "false"));
		return true;
	default:
		word = ph__arg_word(&args[0], setting->words);
		snprintf(text, PH__STORED_BYTES, "%s", word < 0 ? "" : setting->words[word]);
		return word >= 0;
	}
}

void ph__call_set_setting(struct ph__call *call)
{
	const struct ph__setting *setting = call->route->about;
	struct ph__stored *stored = store_of(call, setting);
	char text[PH__STORED_BYTES];

	if (!stored)
		return;
	if (!write_value(call, setting, text))
		ph__call_error(call, "Argument Invalid");
	else if (ph__stored_set(stored, setting, text) < 0)
		ph__call_failed(call);
}

void ph__call_choose(struct ph__call *call)
{
	const struct ph__choice *choice = call->route->about;
	struct ph__camera *camera =
		choice->is_sensor ? ph__call_sensor(call) : ph__call_camera(call);

	if (camera && ph__arg_word(&call->command->args[1], choice->words) < 0)
		ph__call_error_quoting(call, choice->refusal, call->command->args[1].text,
				       choice->options);
}

/* --- of cameras ------------------------------------------------------------------------------- */

static const struct ph__setting
	fast_capture = {PH__OF_CAMERA, PH__SETTING_BIT, "0", NULL},
	main_renderer = {PH__OF_CAMERA, PH__SETTING_BIT, "0", NULL},
	preview_nearest = {PH__OF_CAMERA, PH__SETTING_FLOAT, "0.000000", NULL},
	preview_farthest = {PH__OF_CAMERA, PH__SETTING_FLOAT, "2000.000000", NULL},
	preview_exponent = {PH__OF_CAMERA, PH__SETTING_FLOAT, "1.000000", NULL},
	preview_bends = {PH__OF_CAMERA, PH__SETTING_BIT, "0", NULL},
	viewport_capture = {PH__OF_SERVER, PH__SETTING_BIT, "0", NULL};

static float float_of(const struct ph__camera *camera, const struct ph__setting *setting)
{
	const char *text = ph__stored_get(&camera->stored, setting);
	double value = 0;

	ph__span_double(ph__span_of(text ? text : setting->at_first), &value);
	return (float)value;
}

struct ph__preview ph__camera_preview(const struct ph__camera *camera)
{
	bool bends = float_of(camera, &preview_bends) > 0;

	return (struct ph__preview){
		.nearest = float_of(camera, &preview_nearest),
		.farthest = float_of(camera, &preview_farthest),
		.exponent = bends ? float_of(camera, &preview_exponent) : 1,
	};
}

#define OPTIONS(...) (const char *const[]){__VA_ARGS__, NULL}

static const struct ph__choice
	lit_sources = {
		"Can not support lit source ",
		", available options are ftc_hdr, fc_hdr, sc_hdr, scna_hdr, ldr, base, "
		"color_depth, scene_depth, device_depth, normal",
		OPTIONS("ftc_hdr", "fc_hdr", "sc_hdr", "scna_hdr", "ldr", "base", "color_depth",
			"scene_depth", "device_depth", "normal"), false},
	reflections = {
		"Can not support reflection method ",
		", available options are none, lumen, screen_space.",
		OPTIONS("none", "lumen", "screen_space"), false},
	illuminations = {
		"Can not support global illumination method ",
		", available options are none, lumen, screen_space, plugin.",
		OPTIONS("none", "lumen", "screen_space", "plugin"), false},
	exposures = {
		"Can not support auto exposure mode ",
		", available options are histogram, basic and manual",
		OPTIONS("histogram", "basic", "manual"), false};

/* For a camera that is there. */
static void accept_for_camera(struct ph__call *call)
{
	ph__call_camera(call);
}

#define GET(path, setting, text) \
	{"vget " path, ph__call_get_setting, text, PH__ROUTE_STORED, &(setting)}
#define SET(path, setting, text) \
	{"vset " path, ph__call_set_setting, text, PH__ROUTE_STORED, &(setting)}
#define DO(path, setting, text) \
	{"vset " path, ph__call_set_setting, text, PH__ROUTE_YES, &(setting)}
#define CHOOSE(path, choice, text) \
	{"vset " path, ph__call_choose, text, PH__ROUTE_ACCEPTED, &(choice)}
#define ACCEPT(path, text) {"vset " path, accept_for_camera, text, PH__ROUTE_ACCEPTED, NULL}

static const struct ph__route camera_settings[] = {
	CHOOSE("/camera/[uint]/lit_source [str]", lit_sources,
	       "Unreal's source of the lit picture; checked, without effect"),
	CHOOSE("/camera/[uint]/reflection [str]", reflections,
	       "Unreal's method of reflections; checked, without effect"),
	CHOOSE("/camera/[uint]/illumination [str]", illuminations,
	       "Unreal's method of global illumination; checked, without effect"),
	CHOOSE("/camera/[uint]/exposure_method [str]", exposures,
	       "Unreal's method of exposure; checked, without effect: exposure is manual"),
	ACCEPT("/camera/[uint]/auto_speed [float] [float]",
	       "Speed of automatic exposure, down and up; without effect"),
	ACCEPT("/camera/[uint]/auto_brightness [float] [float]",
	       "Limits of automatic exposure; without effect"),
	ACCEPT("/camera/[uint]/physical_exposure [uint]",
	       "Whether exposure follows the physical camera; without effect"),
	ACCEPT("/camera/[uint]/motion_blur [float] [float] [float] [uint]",
	       "Motion blur: amount, most, size of an object, frames a second; without effect"),
	ACCEPT("/camera/[uint]/focal [float] [float]",
	       "Distance and range of focus; without effect: everything is sharp"),
	GET("/camera/[uint]/use_fast_capture", fast_capture, "0 or 1, as it was set"),
	SET("/camera/[uint]/use_fast_capture [uint]", fast_capture, "Kept, without effect"),
	GET("/camera/[uint]/render_in_main_renderer", main_renderer, "0 or 1, as it was set"),
	SET("/camera/[uint]/render_in_main_renderer [uint]", main_renderer,
	    "Kept, without effect"),
	GET("/camera/[uint]/depth/min_distance", preview_nearest,
	    "Nearest distance of the coloured depth preview, as it was set"),
	DO("/camera/[uint]/depth/min_distance [float]", preview_nearest,
	   "Nearest distance of the coloured depth preview in cm: red"),
	GET("/camera/[uint]/depth/max_distance", preview_farthest,
	    "Farthest distance of the coloured depth preview, as it was set"),
	DO("/camera/[uint]/depth/max_distance [float]", preview_farthest,
	   "Farthest distance of the coloured depth preview in cm: blue"),
	GET("/camera/[uint]/depth/exp", preview_exponent,
	    "Exponent of the coloured depth preview, as it was set"),
	DO("/camera/[uint]/depth/exp [float]", preview_exponent,
	   "Exponent of the way between the two"),
	GET("/camera/[uint]/depth/use_exp", preview_bends, "0 or 1, as it was set"),
	DO("/camera/[uint]/depth/use_exp [uint]", preview_bends, "Whether the exponent counts"),
	GET("/mvrc/use_sync_capture", viewport_capture, "0 or 1, as it was set"),
	SET("/mvrc/use_sync_capture [uint]", viewport_capture, "Kept, without effect"),
};

const struct ph__route_table ph__camera_setting_routes =
	PH__ROUTE_TABLE("Camera settings, most without effect", camera_settings);

/* --- of the movie renderer -------------------------------------------------------------------- */

static const char *const smoothings[] = {"fxaa", "temporal_aa", "tsr", "none", NULL};
static const char *const exposure_words[] = {"histogram", "basic", "manual", NULL};
static const char *const scalings[] = {"spatial", "temporal", "raw", NULL};

static const struct ph__setting
	antialiasing = {PH__OF_SERVER, PH__SETTING_WORD, "tsr", smoothings},
	brightest = {PH__OF_SERVER, PH__SETTING_FLOAT, "8.000000", NULL},
	darkest = {PH__OF_SERVER, PH__SETTING_FLOAT, "0.030000", NULL},
	field_depth = {PH__OF_SERVER, PH__SETTING_FLOAT, "1.000000", NULL},
	bias = {PH__OF_SERVER, PH__SETTING_FLOAT, "0.000000", NULL},
	exposure_method = {PH__OF_SERVER, PH__SETTING_WORD, "histogram", exposure_words},
	gather_speed = {PH__OF_SERVER, PH__SETTING_FLOAT, "1.000000", NULL},
	lumen_quality = {PH__OF_SERVER, PH__SETTING_TWO_FLOATS, "1.000000 1.000000", NULL},
	blur = {PH__OF_SERVER, PH__SETTING_FLOAT, "0.500000", NULL},
	immediate = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	percentage = {PH__OF_SERVER, PH__SETTING_FLOAT, "1.000000", NULL},
	percentage_method = {PH__OF_SERVER, PH__SETTING_WORD, "temporal", scalings},
	own_brightest = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_darkest = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_field_depth = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_bias = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_method = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_gather_speed = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_gather_quality = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_lumen_quality = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	own_blur = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL};

#define KEPT "As it was set"
#define PAIR(name, args, setting)  \
	GET("/mqrc/" name, setting, KEPT), \
	SET("/mqrc/" name " " args, setting, "Kept, without effect")

static const struct ph__route mqrc_settings[] = {
	PAIR("antialiasing", "[str]", antialiasing),
	PAIR("auto_exposure_max_brightness", "[float]", brightest),
	PAIR("auto_exposure_min_brightness", "[float]", darkest),
	PAIR("depth_of_field_scale", "[float]", field_depth),
	PAIR("exposure_bias", "[float]", bias),
	PAIR("exposure_method", "[str]", exposure_method),
	PAIR("lumen_final_gather_lighting_update_speed", "[float]", gather_speed),
	PAIR("lumen_quality", "[float] [float]", lumen_quality),
	PAIR("motion_blur", "[float]", blur),
	PAIR("render_immediately", "[str]", immediate),
	PAIR("screen_percentage", "[float]", percentage),
	PAIR("screen_percentage_method", "[str]", percentage_method),
	PAIR("override_auto_exposure_max_brightness", "[bool]", own_brightest),
	PAIR("override_auto_exposure_min_brightness", "[bool]", own_darkest),
	PAIR("override_depth_of_field_scale", "[bool]", own_field_depth),
	PAIR("override_exposure_bias", "[bool]", own_bias),
	PAIR("override_exposure_method", "[bool]", own_method),
	PAIR("override_lumen_final_gather_lighting_update_speed", "[bool]", own_gather_speed),
	PAIR("override_lumen_final_gather_quality", "[bool]", own_gather_quality),
	PAIR("override_lumen_scene_lighting_quality", "[bool]", own_lumen_quality),
	PAIR("override_motion_blur", "[bool]", own_blur),
};

const struct ph__route_table ph__mqrc_setting_routes =
	PH__ROUTE_TABLE("Settings of Unreal's movie renderer", mqrc_settings);
