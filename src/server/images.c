/* SPDX-License-Identifier: MIT */
/* The commands that take pictures. A modality is a line of `kinds` and one of `routes`. */
#include "server/routes.h"
#include "server/views.h"

#include <stdio.h>
#include <strings.h>

enum { FORMAT_PNG = 1 << PH__DELIVER_PNG, FORMAT_BMP = 1 << PH__DELIVER_BMP,
       FORMAT_NPY = 1 << PH__DELIVER_NPY, COLOR = FORMAT_PNG | FORMAT_BMP };

/* What a route draws. `saved` names the file of the old form without an argument. */
struct kind {
	const char *name; /* in capture_shared and in lists of recordings */
	enum ph__modality modality;
	unsigned formats;
	const char *saved;
	enum ph__modality for_eyes; /* what a PNG or BMP of floats shows; 0: nothing */
};

static const struct kind
	lit = {"lit", PH__MODALITY_LIT, COLOR, "lit.png"},
	depth = {"depth", PH__MODALITY_DEPTH, FORMAT_NPY, "depth.npy"},
	object_mask = {"object_mask", PH__MODALITY_OBJECT_MASK, COLOR, "object_mask.png"},
	seg = {"seg", PH__MODALITY_OBJECT_MASK, COLOR, "object_mask.png"},
	normal = {"normal", PH__MODALITY_NORMAL, COLOR, "normal.png"},
	optical_flow = {"optical_flow", PH__MODALITY_OPTICAL_FLOW, COLOR, "optical_flow.png"},
	flow = {"flow", PH__MODALITY_FLOW, FORMAT_NPY},
	radial_depth = {"radial_depth", PH__MODALITY_RADIAL_DEPTH, FORMAT_NPY},
	position = {"position", PH__MODALITY_POSITION, FORMAT_NPY},
	instance = {"instance", PH__MODALITY_INSTANCE, COLOR},
	semantic = {"semantic", PH__MODALITY_SEMANTIC, COLOR},
	panoramic = {"panoramic", PH__MODALITY_PANORAMIC, COLOR},
	panoramic_normal = {"panoramic/normal", PH__MODALITY_PANORAMIC_NORMAL, COLOR},
	panoramic_mask = {"panoramic/mask", PH__MODALITY_PANORAMIC_MASK, COLOR},
	panoramic_depth = {"panoramic/depth", PH__MODALITY_PANORAMIC_DEPTH, COLOR | FORMAT_NPY,
			   NULL, PH__MODALITY_PANORAMIC_PREVIEW},
	movie = {"mqrc/lit", PH__MODALITY_MOVIE, COLOR},
	movie_panoramic = {"mqrc/panoramic", PH__MODALITY_MOVIE_PANORAMIC, COLOR},
	lidar = {"lidar", PH__MODALITY_LIDAR, FORMAT_NPY};

static const struct kind *const kinds[] = {
	&lit, &depth, &object_mask, &seg, &normal, &optical_flow, &flow, &radial_depth, &position,
	&instance, &semantic, &panoramic, &panoramic_normal, &panoramic_mask, &panoramic_depth,
	&movie, &movie_panoramic, &lidar,
};

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

static enum ph__modality modality_of(const struct kind *kind, enum ph__delivery delivery)
{
	bool for_eyes = delivery == PH__DELIVER_PNG || delivery == PH__DELIVER_BMP;
	return for_eyes && kind->for_eyes ? kind->for_eyes : kind->modality;
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
		status = ph__capture_add(capture, camera, camera_text,
					 modality_of(kind, delivery), delivery, &shot);
	if (status == PH_OK)
		return shot;
	ph__call_failed(call);
	return NULL;
}

/* W, H and the side of the faces, as many of them as there are. False: answered with an error. */
static bool read_size(struct ph__call *call, struct ph__shot *shot, const struct ph__arg *args,
		      const struct ph__arg *end)
{
	double limit = call->server->side_limit_px;

	if (args == end)
		return true;
	for (const struct ph__arg *arg = args; arg < end; arg++)
		if (arg->number < 1 || arg->number > limit) {
			ph__call_error(call,
				       "Invalid %s dimensions or data size: %.0fx%.0f, samples=0 "
				       "(each side may be 1 to %.0f pixels)",
				       ph__modality_name(shot->modality), args[0].number,
				       args[1].number, limit);
			return false;
		}
	ph__shot_set_panorama(shot, end - args > 2 ? (uint32_t)args[2].number : 0,
			      (uint32_t)args[0].number, (uint32_t)args[1].number);
	return true;
}

static void start(struct ph__call *call)
{
	call->peer->capturing = true;
	ph__capture_start(&call->peer->capture);
}

/* In the reply, or into the file that the argument names. What follows up to `end` is a size. */
static void take(struct ph__call *call, const struct ph__camera *camera,
		 struct ph__span camera_text, const struct ph__arg *format,
		 const struct ph__arg *end)
{
	const struct kind *kind = call->route->about;
	struct ph__span arg = format->text;
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
	if (!shot || !read_size(call, shot, format + 1, end))
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
		take(call, camera, args[0].text, &args[1], args + call->command->arg_count);
}

/* Only one object is drawn; a hidden one, too. */
static void take_one_object(struct ph__call *call)
{
	struct ph__scene *scene = call->server->scene;
	const struct ph__arg *args = call->command->args;
	struct ph__span name = args[2].text;
	const struct ph__object *object = ph__scene_find_object(scene, name.at, name.length);

	if (!object) {
		ph__call_error(call, "Cannot find object");
		return;
	}
	call->only = object;
	const struct ph__camera *camera = ph__call_sensor(call);
	if (camera)
		take(call, camera, args[0].text, &args[1], &args[2]);
}

static void take_screenshot(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	if (scene->camera_count == 0)
		ph__call_error(call, "No valid game viewport");
	else
		take(call, scene->cameras, ph__span_of("0"), call->command->args,
		     call->command->args + 1);
}

/* The old form: into a file that the server names, always the same one. */
static void save_picture(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	const struct kind *kind = call->route->about;
	struct ph__span id = call->command->args[0].text;
	enum ph__delivery delivery;

	if (!camera || !read_format(ph__span_of(kind->saved), kind->formats, &delivery))
		return;
	struct ph__shot *shot = begin_one(call, camera, id, kind, delivery);
	if (!shot)
		return;
	snprintf(shot->file, sizeof(shot->file), "camera_%.*s_%s", (int)id.length, id.at,
		 kind->saved);
	start(call);
}

static void share_picture(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	const struct ph__arg *args = call->command->args, *end = args + call->command->arg_count;

	if (!camera)
		return;
	struct ph__shot *shot =
		begin_one(call, camera, args[0].text, call->route->about, PH__DELIVER_SHARED);
	if (shot && read_size(call, shot, args + 1, end))
		start(call);
}

static void get_face(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);

	if (camera)
		ph__buffer_print(call->out, "%u", camera->face_px ? camera->face_px : PH__FACE_PX);
}

static void set_face(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_sensor(call);
	double side_px = call->command->args[1].number, limit = call->server->side_limit_px;

	if (!camera)
		return;
	if (side_px > limit)
		ph__call_error(call, "Argument Invalid: a face may be %.0f pixels at most", limit);
	else
		camera->face_px = (uint32_t)side_px;
}

/* --- labels ----------------------------------------------------------------------------------- */

static void print_objects_of(const struct ph__scene *scene, uint32_t label, struct ph__buffer *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < scene->object_count; i++) {
		if (scene->objects[i].label != label)
			continue;
		if (count++ > 0)
			ph__buffer_add_text(out, ",");
		ph__print_json_string(out, scene->objects[i].name);
	}
}

static void get_labels(struct ph__call *call)
{
	ph__buffer_add_text(call->out, "{\"labels\":[");
	for (uint32_t label = PH__LABEL_NONE + 1; label < PH__LABEL_COUNT; label++) {
		uint8_t rgb[3];
		ph__mask_color(label, rgb);
		ph__buffer_print(call->out,
				 "%s{\"number\":%u,\"name\":\"%s\",\"color\":[%u,%u,%u],"
				 "\"objects\":[",
				 label > 1 ? "," : "", label, ph__label_name(label), rgb[0],
				 rgb[1], rgb[2]);
		print_objects_of(call->server->scene, label, call->out);
		ph__buffer_add_text(call->out, "]}");
	}
	ph__buffer_add_text(call->out, "]}");
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
#define SHARED_TEXT "As above, into shared memory; answers a descriptor as JSON"
#define SIZE_TEXT "As above, of that width and height"

#define PICTURE(name, kind, text)                                                           \
	{"vget /camera/[uint]/" name " [str]", take_picture, text, PH__ROUTE_YES, &(kind)}, \
	{"vget /camera/[uint]/" name "_shared", share_picture, SHARED_TEXT, PH__ROUTE_SHARED, &(kind)}

#define PICTURE_WITH_OLD(name, kind, text)                                                \
	PICTURE(name, kind, text),                                                        \
	{"vget /camera/[uint]/" name, save_picture, FILE_TEXT, PH__ROUTE_OLD, &(kind)}

#define PANORAMA(name, kind, text)                                                               \
	PICTURE(name, kind, text),                                                               \
	{"vget /camera/[uint]/" name " [str] [uint] [uint]", take_picture, SIZE_TEXT,            \
	 PH__ROUTE_YES, &(kind)},                                                                \
	{"vget /camera/[uint]/" name "_shared [uint] [uint]", share_picture, SIZE_TEXT,          \
	 PH__ROUTE_SHARED, &(kind)}

static const struct ph__route routes[] = {
	PICTURE_WITH_OLD("lit", lit, "The lit picture as png or bmp, or into a file of that name"),
	PICTURE_WITH_OLD("depth", depth,
			 "Planar depth in cm as npy, or into a file of that name"),
	PICTURE_WITH_OLD("object_mask", object_mask,
			 "The colour of each pixel's object as png or bmp, or into a file of that "
			 "name"),
	PICTURE_WITH_OLD("seg", seg, "Another name of object_mask"),
	PICTURE_WITH_OLD("normal", normal,
			 "The normal of each pixel's surface as png or bmp, or into a file of that "
			 "name"),
	PICTURE_WITH_OLD("optical_flow", optical_flow,
			 "Flow since the last such picture as colours: png or bmp, or into a file "
			 "of that name"),
	PICTURE("flow", flow,
		"Flow in pixels since the last such picture as npy, or into a file of that name"),
	PICTURE("radial_depth", radial_depth,
		"Distance from the camera in cm as npy, or into a file of that name"),
	PICTURE("position", position,
		"Where each pixel's surface is, in cm, as npy, or into a file of that name"),
	PICTURE("instance", instance,
		"Each pixel's object as its place in /objects: png or bmp, or into a file of that "
		"name"),
	PICTURE("semantic", semantic,
		"The colour of each pixel's label as png or bmp, or into a file of that name"),
	PANORAMA("panoramic", panoramic,
		 "The lit picture all around as png or bmp, or into a file of that name"),
	PANORAMA("panoramic/normal", panoramic_normal, "Normals all around, as panoramic"),
	PANORAMA("panoramic/mask", panoramic_mask, "object_mask all around, as panoramic"),
	PANORAMA("panoramic/depth", panoramic_depth,
		 "Distances all around: png and bmp are coloured previews, npy is in cm"),
	{"vget /camera/[uint]/panoramic/resolution", get_face,
	 "The side of the faces that panoramas are made from, in pixels"},
	{"vset /camera/[uint]/panoramic/resolution [uint]", set_face,
	 "Sets the side of the faces that panoramas are made from, in pixels; 0 is as at first"},
	PICTURE("mqrc/lit", movie,
		"The lit picture in movie quality as png or bmp, or into a file of that name"),
	PANORAMA("mqrc/panoramic", movie_panoramic, "The lit picture all around in movie quality"),
	{"vget /camera/[uint]/mqrc/panoramic_shared [uint] [uint] [uint]", share_picture,
	 "As above, from faces of that side", PH__ROUTE_SHARED, &movie_panoramic},
	PICTURE("lidar", lidar,
		"Points that a laser scanner sees, in metres, as npy, or into a file of that name"),
	{"vget /scene/semantic_annotations", get_labels,
	 "The labels of semantic pictures, with their colours and objects, as JSON"},
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
