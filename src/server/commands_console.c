/* SPDX-License-Identifier: MIT */
/* Unreal's console and blueprints, as far as a scene without them can answer. */
#include "server/routes.h"

#include <strings.h>

static struct ph__span take_word(struct ph__span *text)
{
	struct ph__span word = {text->at, 0};

	while (word.length < text->length && word.at[word.length] != ' ')
		word.length++;
	size_t taken = word.length;
	while (taken < text->length && text->at[taken] == ' ')
		taken++;
	*text = (struct ph__span){text->at + taken, text->length - taken};
	return word;
}

static bool is_word(struct ph__span word, const char *text)
{
	return word.length == strlen(text) && strncasecmp(word.at, text, word.length) == 0;
}

/* Every console command is accepted; `slomo` is the one that means something here. */
static void run(struct ph__call *call)
{
	struct ph__span rest = call->command->args[0].text, word = take_word(&rest);
	double rate;

	if (is_word(word, "slomo") && ph__span_double(rest, &rate))
		ph__call_set_rate(call, rate);
}

/* --- blueprints ------------------------------------------------------------------------------- */

/* What a function of a blueprint answers here. Objects stand until they are put elsewhere, so what
 * asks about motion has an answer, what starts one is accepted, and what reports success fails. */
static const struct function {
	const char *name, *result, *value; /* no result: {} */
} functions[] = {
	{"get_speed", "Speed", "0.0"},    {"get_hit", "Hit", "0"},
	{"is_picked", "Picked", "false"}, {"is_carrying", "Carrying", "false"},
	{"set_move", NULL, NULL},         {"set_stop", NULL, NULL},
	{"set_speed", NULL, NULL},        {"set_acc", NULL, NULL},
	{"set_app", NULL, NULL},          {"set_phy", NULL, NULL},
	{"set_cam", NULL, NULL},          {"set_viewport", NULL, NULL},
	{"set_interval", NULL, NULL},     {"set_nav_speed", NULL, NULL},
	{"set_jump", NULL, NULL},         {"set_crouch", NULL, NULL},
	{"set_liedown", NULL, NULL},      {"set_standup", NULL, NULL},
	{"set_open_door", NULL, NULL},    {"carry_body", NULL, NULL},
	{"drop_body", NULL, NULL},        {"enter_exit_car", NULL, NULL},
	{"nav_random", NULL, NULL},       {"nav_to_goal", NULL, NULL},
	{"nav_to_target", NULL, NULL},    {"reset", NULL, NULL},
	{"SitDown", "Success", "false"},  {"StandUp", "Success", "false"},
	{"PickUp", "Success", "false"},   {"DropOff", "Success", "false"},
	{"EnterVehicle", "Success", "false"}, {"ExitVehicle", "Success", "false"},
};
enum { FUNCTION_COUNT = sizeof(functions) / sizeof(functions[0]) };

static void get_angle(struct ph__call *call, const struct ph__object *object)
{
	ph__buffer_add_text(call->out, "{\"Angle\":\"");
	ph__buffer_add_fixed(call->out, ph__degrees_from_radians(object->pose.yaw_rad), 6);
	ph__buffer_add_text(call->out, "\"}");
}

static void call_function(struct ph__call *call, const struct ph__object *object,
			  struct ph__span name)
{
	if (is_word(name, "get_angle")) {
		get_angle(call, object);
		return;
	}
	for (int i = 0; i < FUNCTION_COUNT; i++)
		if (is_word(name, functions[i].name)) {
			if (functions[i].result)
				ph__buffer_print(call->out, "{\"%s\":\"%s\"}",
						 functions[i].result, functions[i].value);
			else
				ph__buffer_add_text(call->out, "{}");
			return;
		}
	ph__call_error(call, "Argument Invalid");
}

/* vbp OBJECT FUNCTION ARGUMENTS... */
static void call_blueprint(struct ph__call *call)
{
	struct ph__span rest = call->command->args[0].text;
	struct ph__span name = take_word(&rest), function = take_word(&rest);
	const struct ph__object *object =
		ph__scene_find_object(call->server->scene, name.at, name.length);

	if (!object)
		ph__call_error_quoting(call, "Can not find actor with id '", name, "'");
	else
		call_function(call, object, function);
}

static void execute(struct ph__call *call)
{
	struct ph__span rest = call->command->args[0].text, name = take_word(&rest);

	if (!ph__scene_find_object(call->server->scene, name.at, name.length))
		ph__call_error_quoting(call, "Can not find actor with id '", name, "'");
	else
		ph__call_error(call, "Argument Invalid");
}

static const struct ph__route routes[] = {
	{"vrun [Anything]", run,
	 "A console command: accepted. slomo sets how fast the scene's clock runs",
	 PH__ROUTE_ACCEPTED},
	{"vcmd [Anything]", run, "Another name of vrun", PH__ROUTE_ACCEPTED},
	{"vbp [Anything]", call_blueprint,
	 "A function of an object: those of agents are answered as for one that stands still",
	 PH__ROUTE_ACCEPTED},
	{"vexec [Anything]", execute, "An error: objects here have no functions",
	 PH__ROUTE_REFUSED},
};

const struct ph__route_table ph__console_routes = PH__ROUTE_TABLE("Console", routes);
