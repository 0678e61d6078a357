/* SPDX-License-Identifier: MIT */
/* What the commands do that need no picture. The table at the end has a handler for each id; texts,
 * units and error sentences are the protocol's: protocol/unrealcv.md. */
#include "server/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Clients expect the newer routes from 2.0.0 on, and digits and points only. */
#define UNREALCV_VERSION "2.0.0"

void ph__call_error(struct ph__call *call, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	ph__buffer_print(call->out, "error %s", sentence);
}

/* What would be printed as "-0.000" is 0. */
static double without_negative_zero(double value)
{
	return fabs(value) < 0.0005 ? 0 : value;
}

static void print_three(struct ph__buffer *out, double a, double b, double c)
{
	ph__buffer_print(out, "%.3f %.3f %.3f", without_negative_zero(a), without_negative_zero(b),
			 without_negative_zero(c));
}

/* --- the server ------------------------------------------------------------------------------ */

static void get_version(struct ph__call *call)
{
	ph__buffer_print(call->out, "%s", UNREALCV_VERSION);
}

static void get_status(struct ph__call *call)
{
	const struct ph_server *server = call->server;

	ph__buffer_print(call->out, "Is Listening\nClient Connected\n%d\nConfiguration\n",
			 server->tcp.listener.port);
	ph__buffer_print(call->out,
			 "Config file: %s/unrealcv.ini\nPort: %d\nWidth: %u\nHeight: %u\n",
			 server->output.folder, server->tcp.listener.port, server->options.width_px,
			 server->options.height_px);
	ph__buffer_print(call->out, "FOV: %.1f\nEnableInput: true\nEnableRightEye: false",
			 ph__degrees_from_radians(server->options.fov_rad));
}

static void get_help(struct ph__call *call)
{
	for (int id = 0; id < PH__COMMAND_COUNT; id++) {
		const struct ph__command_spec *spec = ph__command_spec((enum ph__command_id)id);
		ph__buffer_print(call->out, "%s%s\n%s", id ? "\n" : "", spec->template_text,
				 spec->description);
	}
}

static int by_template(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void get_commands(struct ph__call *call)
{
	const char *templates[PH__COMMAND_COUNT];
	size_t count = 0;

	for (int id = 0; id < PH__COMMAND_COUNT; id++) {
		const struct ph__command_spec *spec = ph__command_spec((enum ph__command_id)id);
		if (spec->advertised)
			templates[count++] = spec->template_text;
	}
	qsort(templates, count, sizeof(templates[0]), by_template);
	for (size_t i = 0; i < count; i++)
		ph__buffer_print(call->out, "%s%s", i ? "\n" : "", templates[i]);
}

static void get_echo(struct ph__call *call)
{
	struct ph__span word = call->command->args[0].text;
	ph__buffer_add(call->out, word.at, word.length);
}

static void get_scene_name(struct ph__call *call)
{
	ph__buffer_print(call->out, "%s", call->server->scene->name);
}

static void get_level_name(struct ph__call *call)
{
	ph__buffer_print(call->out, "%s", call->server->scene->level);
}

/* --- cameras --------------------------------------------------------------------------------- */

struct ph__camera *ph__call_camera(const struct ph__call *call, const struct ph__arg *arg)
{
	struct ph__scene *scene = call->server->scene;
	return arg->number < scene->camera_count ? &scene->cameras[(uint32_t)arg->number] : NULL;
}

static void get_cameras(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	for (uint32_t i = 0; i < scene->camera_count; i++)
		ph__buffer_print(call->out, "%s ", scene->cameras[i].name);
}

/* The camera of the first argument; answers `error` when there is none of that index. */
static struct ph__camera *find_camera(struct ph__call *call, const char *error)
{
	struct ph__camera *camera = ph__call_camera(call, &call->command->args[0]);

	if (!camera)
		ph__call_error(call, "%s", error);
	return camera;
}

static void get_camera_location(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Invalid sensor id");
	if (!camera)
		return;
	struct ph__unreal_pose pose = ph__pose_to_unreal(&camera->pose);
	print_three(call->out, pose.x_cm, pose.y_cm, pose.z_cm);
}

static void get_camera_rotation(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Invalid sensor id");
	if (!camera)
		return;
	struct ph__unreal_pose pose = ph__pose_to_unreal(&camera->pose);
	print_three(call->out, pose.pitch_deg, pose.yaw_deg, pose.roll_deg);
}

static void get_camera_pose(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Invalid sensor id");
	if (!camera)
		return;
	struct ph__unreal_pose pose = ph__pose_to_unreal(&camera->pose);
	print_three(call->out, pose.x_cm, pose.y_cm, pose.z_cm);
	ph__buffer_add(call->out, " ", 1);
	print_three(call->out, pose.pitch_deg, pose.yaw_deg, pose.roll_deg);
}

static void set_location(struct ph__unreal_pose *pose, const struct ph__arg args[3])
{
	pose->x_cm = args[0].number;
	pose->y_cm = args[1].number;
	pose->z_cm = args[2].number;
}

static void set_rotation(struct ph__unreal_pose *pose, const struct ph__arg args[3])
{
	pose->pitch_deg = args[0].number;
	pose->yaw_deg = args[1].number;
	pose->roll_deg = args[2].number;
}

static void set_camera_location(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Invalid sensor id");
	if (!camera)
		return;
	struct ph__unreal_pose pose = ph__pose_to_unreal(&camera->pose);
	set_location(&pose, &call->command->args[1]);
	camera->pose = ph__pose_from_unreal(&pose);
}

static void set_camera_rotation(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Invalid sensor id");
	if (!camera)
		return;
	struct ph__unreal_pose pose = ph__pose_to_unreal(&camera->pose);
	set_rotation(&pose, &call->command->args[1]);
	camera->pose = ph__pose_from_unreal(&pose);
}

static void set_camera_pose(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Invalid sensor id");
	if (!camera)
		return;
	struct ph__unreal_pose pose;
	set_location(&pose, &call->command->args[1]);
	set_rotation(&pose, &call->command->args[4]);
	camera->pose = ph__pose_from_unreal(&pose);
}

static void get_camera_fov(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Argument Invalid");
	if (camera)
		ph__buffer_print(call->out, "%f", ph__degrees_from_radians(camera->fov_rad));
}

static void set_camera_fov(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Argument Invalid");
	double fov_deg = call->command->args[1].number;

	if (!camera)
		return;
	if (!(fov_deg >= 0.01 && fov_deg <= 179.9)) {
		ph__call_error(call, "Argument Invalid: a field of view is 0.01 to 179.9 degrees");
		return;
	}
	camera->fov_rad = ph__radians_from_degrees(fov_deg);
}

static void get_camera_size(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Argument Invalid");
	if (camera)
		ph__buffer_print(call->out, "%u %u", camera->width_px, camera->height_px);
}

static void set_camera_size(struct ph__call *call)
{
	struct ph__camera *camera = find_camera(call, "Argument Invalid");
	double width_px = call->command->args[1].number, height_px = call->command->args[2].number;

	if (!camera)
		return;
	if (width_px == 0 || height_px == 0) {
		ph__log(PH_LOG_WARNING, "a camera's size of %.0f x %.0f is ignored", width_px,
			height_px);
		return;
	}
	if (width_px > call->server->side_limit_px || height_px > call->server->side_limit_px) {
		ph__call_error(call, "Argument Invalid: a side has %u pixels at most",
			       call->server->side_limit_px);
		return;
	}
	camera->width_px = (uint32_t)width_px;
	camera->height_px = (uint32_t)height_px;
}

/* --- objects --------------------------------------------------------------------------------- */

/* No blank at the end, unlike /cameras: some clients take the list apart at every blank and would
 * ask for an object without a name. */
static void get_objects(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	for (uint32_t i = 0; i < scene->object_count; i++)
		ph__buffer_print(call->out, "%s%s", i ? " " : "", scene->objects[i].name);
}

static struct ph__object *find_object(struct ph__call *call)
{
	struct ph__span name = call->command->args[0].text;
	struct ph__object *object =
		ph__scene_find_object(call->server->scene, name.at, name.length);

	if (!object)
		ph__call_error(call, "Cannot find object");
	return object;
}

static void get_object_color(struct ph__call *call)
{
	struct ph__object *object = find_object(call);
	if (object)
		ph__buffer_print(call->out, "(R=%u,G=%u,B=%u,A=255)", object->color[0],
				 object->color[1], object->color[2]);
}

static void set_object_color(struct ph__call *call)
{
	struct ph__object *object = find_object(call);
	if (!object)
		return;
	for (int i = 0; i < 3; i++)
		object->color[i] = (uint8_t)((uint64_t)call->command->args[1 + i].number % 256);
	ph__scene_touch(call->server->scene);
}

/* --- the table ------------------------------------------------------------------------------- */

static void (*const handlers[PH__COMMAND_COUNT])(struct ph__call *call) = {
	[PH__GET_VERSION] = get_version,
	[PH__GET_STATUS] = get_status,
	[PH__GET_HELP] = get_help,
	[PH__GET_COMMANDS] = get_commands,
	[PH__GET_ECHO] = get_echo,
	[PH__GET_LAST_CAPTURE] = ph__call_last_capture,
	[PH__GET_SCENE_NAME] = get_scene_name,
	[PH__GET_LEVEL_NAME] = get_level_name,
	[PH__GET_CAMERAS] = get_cameras,
	[PH__GET_CAMERA_LOCATION] = get_camera_location,
	[PH__SET_CAMERA_LOCATION] = set_camera_location,
	[PH__GET_CAMERA_ROTATION] = get_camera_rotation,
	[PH__SET_CAMERA_ROTATION] = set_camera_rotation,
	[PH__GET_CAMERA_POSE] = get_camera_pose,
	[PH__SET_CAMERA_POSE] = set_camera_pose,
	[PH__GET_CAMERA_FOV] = get_camera_fov,
	[PH__SET_CAMERA_FOV] = set_camera_fov,
	[PH__GET_CAMERA_SIZE] = get_camera_size,
	[PH__SET_CAMERA_SIZE] = set_camera_size,
	[PH__GET_LIT] = ph__call_image,
	[PH__GET_DEPTH] = ph__call_image,
	[PH__GET_OBJECT_MASK] = ph__call_image,
	[PH__GET_SEG] = ph__call_image,
	[PH__GET_LIT_TO_FILE] = ph__call_image_to_file,
	[PH__GET_DEPTH_TO_FILE] = ph__call_image_to_file,
	[PH__GET_OBJECT_MASK_TO_FILE] = ph__call_image_to_file,
	[PH__GET_SEG_TO_FILE] = ph__call_image_to_file,
	[PH__GET_LIT_SHARED] = ph__call_image_shared,
	[PH__GET_OBJECTS] = get_objects,
	[PH__GET_OBJECT_COLOR] = get_object_color,
	[PH__SET_OBJECT_COLOR] = set_object_color,
};

void ph__command_execute(struct ph__call *call)
{
	handlers[call->command->id](call);
}
