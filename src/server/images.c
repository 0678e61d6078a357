/* SPDX-License-Identifier: MIT */
/* The commands that take pictures. A modality is a line of `kinds` and one of `routes`. */
#include "server/routes.h"
#include "server/views.h"

#include <stdio.h>
#include <strings.h>

enum { FORMAT_PNG = 1 << PH__DELIVER_PNG, FORMAT_BMP = 1 << PH__DELIVER_BMP,
       FORMAT_NPY = 1 << PH__DELIVER_NPY, COLOR = FORMAT_PNG | FORMAT_BMP };

/* What a route draws. `stem` and `saved` name the file of the old form without an argument. */
struct kind {
	const char *name; /* in capture_shared */
	enum ph__modality modality;
	unsigned formats;
	const char *stem;
	enum ph__delivery saved;
};

static const struct kind
	lit = {"lit", PH__MODALITY_LIT, COLOR, "lit.png", PH__DELIVER_PNG},
	depth = {"depth", PH__MODALITY_DEPTH, FORMAT_NPY, "depth.npy", PH__DELIVER_NPY},
	object_mask = {"object_mask", PH__MODALITY_OBJECT_MASK, COLOR, "object_mask.png",
		       PH__DELIVER_PNG},
	seg = {"seg", PH__MODALITY_OBJECT_MASK, COLOR, "object_mask.png", PH__DELIVER_PNG};

static const struct kind *const kinds[] = {&lit, &depth, &object_mask, &seg};

static const struct {
	const char *extension;
	enum ph__delivery delivery;
} formats[] = {
	{"png", PH__DELIVER_PNG},
	{"bmp", PH__DELIVER_BMP},
	{"npy", PH__DELIVER_NPY},
};

/* An argument is a format ("png"), or a file name whose extension is one ("depth/1.npy"). */
static bool read_format(struct ph__span arg, unsigned allowed, enum ph__delivery *delivery)
{
	const char *dot = memrchr(arg.at, '.', arg.length);
	struct ph__span extension = arg;

	if (dot)
		extension = (struct ph__span){dot + 1, (size_t)(arg.at + arg.length - dot - 1)};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (extension.length == 3 &&
		    strncasecmp(extension.at, formats[i].extension, 3) == 0 &&
		    allowed & 1u << formats[i].delivery) {
			*delivery = formats[i].delivery;
			return true;
		}
	return false;
}

/* One picture of a camera. NULL: it cannot be, and that was answered. */
static struct ph__shot *begin_one(struct ph__call *call, const struct ph__camera *camera,
				  struct ph__span camera_text, const struct kind *kind,
				  enum ph__delivery delivery)
{
	struct ph__capture *capture = &call->peer->capture;
	struct ph__shot *shot;

	ph_status status = ph__capture_begin(capture);
	if (status == PH_OK && call->only)
		ph__snapshot_show_only(&capture->snapshot,
				       (uint32_t)(call->only - call->server->scene->objects));
	if (status == PH_OK)
		status = ph__capture_add(capture, camera, camera_text, kind->modality, delivery,
					 &shot);
	if (status == PH_OK)
		return shot;
	ph__call_failed(call);
	return NULL;
}

static void start(struct ph__call *call)
{
	call->peer->capturing = true;
	ph__capture_start(&call->peer->capture);
}

/* In the reply, or into the file that the argument names. */
static void take(struct ph__call *call, const struct ph__camera *camera,
		 struct ph__span camera_text, struct ph__span arg)
{
	const struct kind *kind = call->route->about;
	enum ph__delivery delivery;

	if (arg.length == 0) {
		ph__call_error(call, "Filename can not be empty");
		return;
	}
	if (!read_format(arg, kind->formats, &delivery) || arg.length >= PH__FILE_NAME_BYTES) {
		ph__call_error_quoting(call, "Invalid filename type, filename ", arg, "");
		return;
	}
	struct ph__shot *shot = begin_one(call, camera, camera_text, kind, delivery);
	if (!shot)
		return;
	if (memchr(arg.at, '.', arg.length))
		snprintf(shot->file, sizeof(shot->file), "%.*s", (int)arg.length, arg.at);
	start(call);
}

static void take_picture(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	const struct ph__arg *args = call->command->args;
	if (camera)
		take(call, camera, args[0].text, args[1].text);
}

/* Only one object is drawn; a hidden one, too. */
static void take_one_object(struct ph__call *call)
{
	struct ph__scene *scene = call->server->scene;
	struct ph__span name = call->command->args[2].text;
	const struct ph__object *object = ph__scene_find_object(scene, name.at, name.length);

	if (!object) {
		ph__call_error(call, "Cannot find object");
		return;
	}
	call->only = object;
	take_picture(call);
}

static void take_screenshot(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	if (scene->camera_count == 0)
		ph__call_error(call, "No valid game viewport");
	else
		take(call, scene->cameras, ph__span_of("0"), call->command->args[0].text);
}

/* The old form: into a file that the server names, always the same one. */
static void save_picture(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	const struct kind *kind = call->route->about;
	struct ph__span id = call->command->args[0].text;

	if (!camera)
		return;
	struct ph__shot *shot = begin_one(call, camera, id, kind, kind->saved);
	if (!shot)
		return;
	snprintf(shot->file, sizeof(shot->file), "camera_%.*s_%s", (int)id.length, id.at,
		 kind->stem);
	start(call);
}

static void share_picture(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	struct ph__span id = call->command->args[0].text;

	if (camera && begin_one(call, camera, id, call->route->about, PH__DELIVER_SHARED))
		start(call);
}

/* --- many views in one request ---------------------------------------------------------------- */

bool ph__modality_of_name(const char *name, enum ph__modality *modality)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i]->name, name) == 0) {
			*modality = kinds[i]->modality;
			return true;
		}
	return false;
}

static void share_views(struct ph__call *call)
{
	struct ph__capture *capture = &call->peer->capture;

	ph_status status = ph__capture_begin(capture);
	if (status == PH_OK)
		status = ph__views_add(capture, call->command->args[0].text);
	if (status == PH_ENOENT)
		ph__call_error(call, "Invalid sensor id");
	else if (status < 0)
		ph__call_failed(call);
	if (status < 0)
		return;
	capture->is_list = true;
	start(call);
}

#define FILE_TEXT "As above, into a file that the server names (old form)"

#define PICTURE(name, kind, text)                                                             \
	{"vget /camera/[uint]/" name " [str]", take_picture, text, PH__ROUTE_YES, &(kind)},   \
	{"vget /camera/[uint]/" name, save_picture, FILE_TEXT, PH__ROUTE_OLD, &(kind)},       \
	{"vget /camera/[uint]/" name "_shared", share_picture,                                \
	 "As above, into shared memory; answers a descriptor as JSON", PH__ROUTE_SHARED, &(kind)}

static const struct ph__route routes[] = {
	PICTURE("lit", lit, "The lit picture as png or bmp, or into a file of that name"),
	PICTURE("depth", depth, "Planar depth in cm as npy, or into a file of that name"),
	PICTURE("object_mask", object_mask,
		"The colour of each pixel's object as png or bmp, or into a file of that name"),
	PICTURE("seg", seg, "Another name of object_mask"),
	{"vget /camera/[uint]/plane_depth [str]", take_picture, "Another name of depth",
	 PH__ROUTE_OLD, &depth},
	{"vget /camera/[uint]/oneobjlit [str] [str]", take_one_object,
	 "The lit picture of one object alone: format or file, object", PH__ROUTE_YES, &lit},
	{"vget /camera/[uint]/oneobjlit_legacy [str] [str]", take_one_object,
	 "Another name of oneobjlit", PH__ROUTE_OLD, &lit},
	{"vget /camera/[uint]/oneobjmask [str] [str]", take_one_object,
	 "The mask of one object alone: format or file, object", PH__ROUTE_YES, &object_mask},
	{"vget /screenshot [str]", take_screenshot,
	 "The lit picture of camera 0 as png or bmp, or into a file of that name",
	 PH__ROUTE_YES, &lit},
	{"vget /cameras/capture_shared [Anything]", share_views,
	 "Any pictures of one moment into shared memory: {\"views\":[{\"camera\":0,"
	 "\"modality\":\"lit\"}]}", PH__ROUTE_SHARED},
};

const struct ph__route_table ph__image_routes = PH__ROUTE_TABLE("Pictures", routes);
