/* SPDX-License-Identifier: MIT */
#include "server/routes.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

enum { QUOTED_BYTES_MAX = 256 };

void ph__call_error(struct ph__call *call, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	ph__buffer_add_text(call->out, "error ");
	ph__buffer_add_text(call->out, sentence);
}

void ph__call_error_quoting(struct ph__call *call, const char *before, struct ph__span text,
			    const char *after)
{
	ph__buffer_add_text(call->out, "error ");
	ph__buffer_add_text(call->out, before);
	ph__text_quote(text, QUOTED_BYTES_MAX, call->out);
	ph__buffer_add_text(call->out, after);
}

void ph__call_failed(struct ph__call *call)
{
	ph__call_error_quoting(call, "", ph__span_of(ph_last_error()), "");
}

/* --- cameras and objects ---------------------------------------------------------------------- */

struct ph__camera *ph__camera_of_arg(const struct ph__call *call, const struct ph__arg *arg)
{
	struct ph__scene *scene = call->server->scene;

	if (arg->number < 0)
		return ph__scene_find_camera(scene, arg->text.at, arg->text.length);
	return arg->number < scene->camera_count ? &scene->cameras[(uint32_t)arg->number] : NULL;
}

static struct ph__camera *find_camera(struct ph__call *call, const char *error)
{
	struct ph__camera *camera = ph__camera_of_arg(call, &call->command->args[0]);

	if (!camera)
		ph__call_error(call, "%s", error);
	return camera;
}

struct ph__camera *ph__call_sensor(struct ph__call *call)
{
	return find_camera(call, "Invalid sensor id");
}

struct ph__camera *ph__call_camera(struct ph__call *call)
{
	return find_camera(call, "Argument Invalid");
}

struct ph__object *ph__call_object(struct ph__call *call)
{
	struct ph__span name = call->command->args[0].text;
	struct ph__object *object =
		ph__scene_find_object(call->server->scene, name.at, name.length);

	if (!object)
		ph__call_error(call, "Cannot find object");
	return object;
}

/* --- numbers and words ------------------------------------------------------------------------ */

void ph__print_three(struct ph__buffer *out, double a, double b, double c)
{
	ph__buffer_add_fixed(out, a, 3);
	ph__buffer_add(out, " ", 1);
	ph__buffer_add_fixed(out, b, 3);
	ph__buffer_add(out, " ", 1);
	ph__buffer_add_fixed(out, c, 3);
}

void ph__print_location(struct ph__buffer *out, const ph_pose *pose)
{
	struct ph__unreal_pose unreal = ph__pose_to_unreal(pose);
	ph__print_three(out, unreal.x_cm, unreal.y_cm, unreal.z_cm);
}

void ph__print_rotation(struct ph__buffer *out, const ph_pose *pose)
{
	struct ph__unreal_pose unreal = ph__pose_to_unreal(pose);
	ph__print_three(out, unreal.pitch_deg, unreal.yaw_deg, unreal.roll_deg);
}

ph_pose ph__with_location(const ph_pose *pose, const struct ph__arg args[3])
{
	struct ph__unreal_pose unreal = {args[0].number, args[1].number, args[2].number, 0, 0, 0};
	ph_pose made = *pose, place = ph__pose_from_unreal(&unreal);

	memcpy(made.position_m, place.position_m, sizeof(made.position_m));
	return made;
}

ph_pose ph__with_rotation(const ph_pose *pose, const struct ph__arg args[3])
{
	ph_pose made = *pose;

	made.pitch_rad = ph__radians_from_degrees(args[0].number);
	made.yaw_rad = ph__radians_from_degrees(args[1].number);
	made.roll_rad = ph__radians_from_degrees(args[2].number);
	return made;
}

int ph__arg_word(const struct ph__arg *arg, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (arg->text.length == strlen(words[i]) &&
		    strncasecmp(arg->text.at, words[i], arg->text.length) == 0)
			return i;
	return -1;
}

bool ph__arg_bool(const struct ph__arg *arg, bool *value)
{
	static const char *const words[] = {"false", "0", "true", "1", NULL};
	int word = ph__arg_word(arg, words);

	*value = word >= 2;
	return word >= 0;
}

void ph__print_json_string(struct ph__buffer *out, const char *text)
{
	ph__buffer_add(out, "\"", 1);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c < 0x20)
			ph__buffer_print(out, "\\u%04x", *c);
		else if (*c == '"' || *c == '\\')
			ph__buffer_print(out, "\\%c", *c);
		else
			ph__buffer_add(out, c, 1);
	}
	ph__buffer_add(out, "\"", 1);
}

void ph__call_accept(struct ph__call *call)
{
	(void)call;
}

void ph__call_refuse(struct ph__call *call)
{
	ph__command_unknown_text(call->text, call->out);
}
