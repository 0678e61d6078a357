/* SPDX-License-Identifier: MIT */
/* What the server tells about itself, and batches. */
#include "server/routes.h"

#include <stdlib.h>
#include <string.h>

/* Clients expect the newer routes from 2.0.0 on, and digits and points only. */
#define UNREALCV_VERSION "2.0.0"

static void get_version(struct ph__call *call)
{
	ph__buffer_add_text(call->out, UNREALCV_VERSION);
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
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++)
		if (route->kind != PH__ROUTE_REFUSED)
			ph__buffer_print(call->out, "%s%s\n%s", i ? "\n" : "",
					 route->template_text, route->description);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_advertised(const struct ph_server *server, const struct ph__route *route)
{
	if (route->kind == PH__ROUTE_SHARED)
		return server->options.advertise_shared;
	return route->kind != PH__ROUTE_OLD && route->kind != PH__ROUTE_REFUSED;
}

static void get_commands(struct ph__call *call)
{
	const char *templates[PH__TEMPLATES_MAX];
	const struct ph__route *route;
	size_t count = 0;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++)
		if (is_advertised(call->server, route))
			templates[count++] = route->template_text;
	qsort(templates, count, sizeof(templates[0]), by_text);
	for (size_t i = 0; i < count; i++)
		ph__buffer_print(call->out, "%s%s", i ? "\n" : "", templates[i]);
}

static void get_echo(struct ph__call *call)
{
	struct ph__span word = call->command->args[0].text;
	ph__buffer_add(call->out, word.at, word.length);
}

static void get_last_capture(struct ph__call *call)
{
	const struct ph__buffer *last = &call->peer->last_capture;

	if (last->length == 0)
		ph__call_error(call, "no capture on this connection yet");
	else
		ph__buffer_add(call->out, last->bytes, last->length);
}

static void get_scene_name(struct ph__call *call)
{
	ph__buffer_add_text(call->out, call->server->scene->name);
}

static void get_level_name(struct ph__call *call)
{
	ph__buffer_add_text(call->out, call->server->scene->level);
}

static void get_persistent_level(struct ph__call *call)
{
	ph__buffer_add_text(call->out, "PersistentLevel");
}

/* --- the token -------------------------------------------------------------------------------- */

/* Takes the same time wherever a wrong word differs. */
static bool same_word(struct ph__span word, const struct ph__buffer *token)
{
	unsigned char differs = word.length != token->length;

	for (size_t i = 0; i < token->length; i++)
		differs |= (unsigned char)(token->bytes[i] ^
					   (i < word.length ? (unsigned char)word.at[i] : 0));
	return !differs;
}

static void set_token(struct ph__call *call)
{
	const struct ph__buffer *token = &call->server->token;

	if (token->length > 0 && !same_word(call->command->args[0].text, token))
		ph__call_error(call, "token required");
	else
		call->peer->is_trusted = true;
}

bool ph__call_is_token(const struct ph__call *call, enum ph__parse_result result)
{
	return result == PH__PARSE_OK &&
	       ph__route_at(call->command->number, NULL)->run == set_token;
}

static const struct ph__route routes[] = {
	{"vget /unrealcv/version", get_version,
	 "The version of the protocol, digits and points"},
	{"vget /unrealcv/status", get_status,
	 "The state of the server and its configuration"},
	{"vget status", get_status, "Another name of /unrealcv/status", PH__ROUTE_OLD},
	{"vget /unrealcv/help", get_help, "Every command with one line about it"},
	{"vget /unrealcv/list_cmd", get_help, "Another name of /unrealcv/help"},
	{"vget /unrealcv/commands", get_commands,
	 "Every advertised command, one per line, sorted"},
	{"vget /unrealcv/echo [str]", get_echo, "The word, as it came"},
	{"vget /unrealcv/last_capture", get_last_capture,
	 "The description of this connection's last picture, as JSON"},
	{"vset /unrealcv/token [str]", set_token,
	 "The word that a server with --token wants before any other command"},
	{"vget /scene/name", get_scene_name, "The name of the scene"},
	{"vget /level/name", get_level_name, "The name of the level"},
	{"vget /persistent_level/id", get_persistent_level, "Always PersistentLevel",
	 PH__ROUTE_ACCEPTED},
	{"vbatch [Anything]", ph__call_batch,
	 "The next N commands are executed together, with nothing of others in between"},
};

const struct ph__route_table ph__server_routes = PH__ROUTE_TABLE("Server", routes);
