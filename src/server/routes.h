/* SPDX-License-Identifier: MIT */
/* The commands. One table for each noun, all of them together in routes.c: these tables dispatch,
 * answer `vget /unrealcv/help` and `/unrealcv/commands`, and are what the documentation lists. */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include "server/internal.h"

struct ph__route;

/* One command in execution. Handlers print the reply's body to `out`; nothing printed means "ok".
 */
struct ph__call {
	struct ph_server *server;
	struct ph__peer *peer;
	const struct ph__route *route;
	const struct ph__command *command;
	struct ph__span text; /* all of it */
	const struct ph__object *only; /* the one object to be drawn; NULL: all */
	struct ph__buffer *out;
};

typedef void ph__handler(struct ph__call *call);

enum ph__route_kind {
	PH__ROUTE_YES,      /* does what it says */
	PH__ROUTE_OLD,      /* does it, but is not advertised: a newer form is */
	PH__ROUTE_SHARED,   /* does it, and is advertised on request only: see --advertise-shared */
	PH__ROUTE_STORED,   /* what is set is kept and given back, and has no effect */
	PH__ROUTE_ACCEPTED, /* answers as if it had been done */
	PH__ROUTE_REFUSED,  /* answers an error: there is nothing here that it could act on */
	PH__ROUTE_KIND_COUNT
};

struct ph__route {
	const char *template_text; /* "vget /camera/[uint]/lit [str]" */
	ph__handler *run;
	const char *description;   /* one line */
	enum ph__route_kind kind;
	const void *about;         /* what its handler needs to know beside the arguments */
};

struct ph__route_table {
	const char *title;
	const struct ph__route *routes;
	uint32_t count;
};

#define PH__ROUTE_TABLE(title_, routes_) {title_, routes_, sizeof(routes_) / sizeof((routes_)[0])}

extern const struct ph__route_table ph__server_routes, ph__time_routes, ph__camera_routes,
	ph__lens_routes, ph__image_routes, ph__object_routes, ph__spawn_routes, ph__world_routes,
	ph__console_routes, ph__recording_routes, ph__camera_setting_routes,
	ph__mqrc_setting_routes, ph__refused_routes;

/* The n-th of all, or NULL after the last; its table may be asked for as well. */
const struct ph__route *ph__route_at(uint32_t number, const struct ph__route_table **table);

/* The command's number is that of its route. Threads: any. */
enum ph__parse_result ph__route_parse(struct ph__span text, struct ph__command *command);

/* "yes", "stored", ... */
const char *ph__route_kind_name(enum ph__route_kind kind);

/* Executes one command: after it there is a reply in call->out, or the connection is capturing. */
void ph__route_execute(struct ph__call *call);

/* --- call.c: what handlers share ------------------------------------------------------------- */

/* Prints "error <message>". */
void ph__call_error(struct ph__call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints "error <message>" and a text from outside behind it, made harmless. */
void ph__call_error_quoting(struct ph__call *call, const char *before, struct ph__span text,
			    const char *after);

/* Prints the error of the last failure. */
void ph__call_failed(struct ph__call *call);

/* The camera of the first argument; answers the error when there is none. The first is for most
 * commands, the second for those that UnrealCV answers another way. */
struct ph__camera *ph__call_sensor(struct ph__call *call);
struct ph__camera *ph__call_camera(struct ph__call *call);

/* Without an answer. */
struct ph__camera *ph__camera_of_arg(const struct ph__call *call, const struct ph__arg *arg);

/* The object of the first argument; answers an error when there is none. */
struct ph__object *ph__call_object(struct ph__call *call);

/* Prints "%.3f %.3f %.3f". */
void ph__print_three(struct ph__buffer *out, double a, double b, double c);

void ph__print_location(struct ph__buffer *out, const ph_pose *pose);
void ph__print_rotation(struct ph__buffer *out, const ph_pose *pose);
ph_pose ph__with_location(const ph_pose *pose, const struct ph__arg args[3]);
ph_pose ph__with_rotation(const ph_pose *pose, const struct ph__arg args[3]);

/* An argument in any case of its letters is one of `words`, which ends with NULL: its place; -1:
 * none. */
int ph__arg_word(const struct ph__arg *arg, const char *const *words);

/* true, false, 1 or 0. */
bool ph__arg_bool(const struct ph__arg *arg, bool *value);

/* A JSON string with its quotes. */
void ph__print_json_string(struct ph__buffer *out, const char *text);

/* Whether this is `vset /unrealcv/token`, which may be executed before a connection is trusted. */
bool ph__call_is_token(const struct ph__call *call, enum ph__parse_result result);

ph__handler ph__call_batch;

/* Puts a camera there. The pawn, which has no body, follows its own. */
void ph__place_camera(struct ph_server *server, struct ph__camera *camera, const ph_pose *pose);

/* Sets how fast the clock of the scene runs; answers an error for a rate that is none. */
void ph__call_set_rate(struct ph__call *call, double rate);

/* Handlers that do nothing: "ok", and UnrealCV's text for what it has not either. */
ph__handler ph__call_accept, ph__call_refuse;

/* --- settings.c: values that are kept and given back ------------------------------------------ */

enum ph__setting_type {
	PH__SETTING_FLOAT,
	PH__SETTING_TWO_FLOATS,
	PH__SETTING_UINT,
	PH__SETTING_BOOL, /* given back as true or false */
	PH__SETTING_BIT,  /* given back as 1 or 0 */
	PH__SETTING_WORD
};
enum ph__setting_scope { PH__OF_SERVER, PH__OF_CAMERA, PH__OF_OBJECT };

struct ph__setting {
	enum ph__setting_scope scope;
	enum ph__setting_type type;
	const char *at_first;     /* the text that is given before anything was set */
	const char *const *words; /* of PH__SETTING_WORD, NULL at the end */
};

/* Routes with a struct ph__setting in `about`. */
ph__handler ph__call_get_setting, ph__call_set_setting;

/* A word that is checked and then forgotten. */
struct ph__choice {
	const char *refusal, *options; /* before and behind another word */
	const char *const *words;
	bool is_sensor; /* how a camera that is none is answered */
};

ph__handler ph__call_choose;

#endif
