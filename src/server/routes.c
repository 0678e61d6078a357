/* SPDX-License-Identifier: MIT */
#include "server/routes.h"

#include <pthread.h>

static const struct ph__route_table *const tables[] = {
	&ph__server_routes,
	&ph__camera_routes,
	&ph__lens_routes,
	&ph__image_routes,
	&ph__object_routes,
	&ph__spawn_routes,
	&ph__time_routes,
	&ph__world_routes,
	&ph__console_routes,
	&ph__recording_routes,
	&ph__camera_setting_routes,
	&ph__mqrc_setting_routes,
	&ph__refused_routes,
};
enum { TABLE_COUNT = sizeof(tables) / sizeof(tables[0]) };

/* Written once, by build(), and only read from then on. */
static struct ph__command_index command_index;
static const struct ph__route *routes[PH__TEMPLATES_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

const struct ph__route *ph__route_at(uint32_t number, const struct ph__route_table **table)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		if (number < tables[i]->count) {
			if (table)
				*table = tables[i];
			return &tables[i]->routes[number];
		}
		number -= tables[i]->count;
	}
	return NULL;
}

static void build(void)
{
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++) {
		ph__command_index_add(&command_index, route->template_text);
		routes[i] = route;
	}
}

enum ph__parse_result ph__route_parse(struct ph__span text, struct ph__command *command)
{
	pthread_once(&once, build);
	return ph__command_parse(&command_index, text, command);
}

const char *ph__route_kind_name(enum ph__route_kind kind)
{
	static const char *const names[PH__ROUTE_KIND_COUNT] = {
		[PH__ROUTE_YES] = "yes",         [PH__ROUTE_OLD] = "yes (old form)",
		[PH__ROUTE_SHARED] = "yes",      [PH__ROUTE_STORED] = "stored",
		[PH__ROUTE_ACCEPTED] = "accepted", [PH__ROUTE_REFUSED] = "refused",
	};
	return names[kind];
}

void ph__route_execute(struct ph__call *call)
{
	call->route = routes[call->command->number];
	call->route->run(call);
}
