/* SPDX-License-Identifier: MIT */
/* Recordings: see recording.h. */
#include "server/recording.h"
#include "server/routes.h"
#include "server/views.h"

#include <math.h>
#include <stdio.h>

enum { RATE_MAX = 1000, FRAMES_MAX = 1000000 };

/* A list of names with commas in between, with or without parentheses; empty: lit. */
static bool read_modalities(struct ph__span list, struct ph__recording_plan *plan)
{
	char name[32];

	while (list.length > 0) {
		const char *comma = memchr(list.at, ',', list.length);
		size_t length = comma ? (size_t)(comma - list.at) : list.length;
		size_t taken = comma ? length + 1 : length;
		enum ph__modality modality;
		snprintf(name, sizeof(name), "%.*s", (int)length, list.at);
		list = (struct ph__span){list.at + taken, list.length - taken};
		if (strcmp(name, "rgb") == 0)
			snprintf(name, sizeof(name), "lit");
		if (length >= sizeof(name) || !ph__modality_of_name(name, &modality) ||
		    plan->modality_count == PH__RECORDING_MODALITIES_MAX)
			return false;
		for (uint32_t i = 0; i < plan->modality_count; i++)
			if (plan->modalities[i] == modality)
				return false;
		plan->modalities[plan->modality_count++] = modality;
	}
	if (plan->modality_count == 0)
		plan->modalities[plan->modality_count++] = PH__MODALITY_LIT;
	return true;
}

static bool read_plan(struct ph__call *call, struct ph__recording_plan *plan)
{
	const struct ph__command *command = call->command;
	double rate = command->args[2].number, seconds = command->args[3].number;
	double frames = ceil(rate * seconds - 1e-9);

	plan->camera_text = command->args[0].text;
	plan->folder = command->args[1].text;
	plan->frames_per_s = rate;
	plan->frame_count = frames >= 1 && frames <= FRAMES_MAX ? (uint32_t)frames : 0;
	if (rate < 1 || rate > RATE_MAX || plan->frame_count == 0)
		return false;
	return read_modalities(command->arg_count > 4 ? command->args[4].text
						      : (struct ph__span){NULL, 0},
			       plan);
}

static void confirm(struct ph__call *call, const struct ph__recording_plan *plan)
{
	struct ph__buffer *out = call->out;

	ph__buffer_add_text(out, "Recording started: Camera ");
	ph__buffer_add(out, plan->camera_text.at, plan->camera_text.length);
	ph__buffer_add_text(out, ", File: ");
	ph__buffer_add(out, plan->folder.at, plan->folder.length);
	ph__buffer_print(out, ", FPS: %g, Frames: %u, Types: (", plan->frames_per_s,
			 plan->frame_count);
	for (uint32_t i = 0; i < plan->modality_count; i++)
		ph__buffer_print(out, "%s%s", i > 0 ? "," : "",
				 ph__modality_name(plan->modalities[i]));
	ph__buffer_add_text(out, ")");
}

static void record(struct ph__call *call)
{
	struct ph__recording_plan plan = {.camera = ph__call_sensor(call)};

	if (!plan.camera)
		return;
	if (!read_plan(call, &plan)) {
		ph__call_error(call,
			       "Argument Invalid: 1 to %d frames a second, up to %d frames, of lit, "
			       "depth, object_mask, each once",
			       RATE_MAX, FRAMES_MAX);
		return;
	}
	if (ph__recording_start(call->server, &plan) < 0)
		ph__call_failed(call);
	else
		confirm(call, &plan);
}

static void get_is_recording(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (!camera)
		return;
	bool goes_on = ph__recording_goes_on(ph__recording_of(call->server, camera));
	ph__buffer_add_text(call->out, goes_on ? "true" : "false");
}

static void stop(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	struct ph__span id = call->command->args[0].text;

	if (!camera)
		return;
	struct ph__recording *recording = ph__recording_of(call->server, camera);
	if (ph__recording_goes_on(recording)) {
		ph__recording_stop(recording);
		ph__buffer_add_text(call->out, "Recording stopped for camera ");
		ph__buffer_add(call->out, id.at, id.length);
		return;
	}
	const char *error = ph__recording_error(recording);
	ph__buffer_add_text(call->out, "error Camera ");
	ph__buffer_add(call->out, id.at, id.length);
	ph__buffer_print(call->out, " is not recording%s", error[0] ? ": " : "");
	ph__text_quote(ph__span_of(error), 512, call->out);
}

/* The recording of the camera, which must go on. */
static struct ph__recording *find_recording(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (!camera)
		return NULL;
	struct ph__recording *recording = ph__recording_of(call->server, camera);
	if (ph__recording_goes_on(recording))
		return recording;
	struct ph__span id = call->command->args[0].text;
	ph__call_error(call, "Camera %.*s is not recording", (int)id.length, id.at);
	return NULL;
}

static void get_paused(struct ph__call *call)
{
	const struct ph__recording *recording = find_recording(call);
	if (recording)
		ph__buffer_add_text(call->out,
				    ph__recording_is_paused(recording) ? "true" : "false");
}

static void set_paused(struct ph__call *call)
{
	struct ph__recording *recording = find_recording(call);
	if (recording)
		ph__recording_pause(recording, call->command->args[1].number != 0);
}

static const struct ph__setting
	timestamps = {PH__OF_CAMERA, PH__SETTING_BOOL, "false", NULL},
	movie_quality = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	by_viewport = {PH__OF_SERVER, PH__SETTING_BOOL, "false", NULL},
	warmup = {PH__OF_SERVER, PH__SETTING_UINT, "0", NULL},
	paused_interval = {PH__OF_SERVER, PH__SETTING_FLOAT, "0.000000", NULL};

#define KEPT(path, arg, setting)                                                              \
	{"vget " path, ph__call_get_setting, "As it was set", PH__ROUTE_STORED, &(setting)},  \
	{"vset " path " " arg, ph__call_set_setting, "Kept, without effect", PH__ROUTE_STORED, \
	 &(setting)}

static const struct ph__route routes[] = {
	{"vset /captureactor/[uint]/record [str] [uint] [float]", record,
	 "Lit pictures into a folder: frames a second, seconds"},
	{"vset /captureactor/[uint]/record [str] [uint] [float] [str]", record,
	 "As above, of a list like lit,depth,object_mask"},
	{"vget /captureactor/[uint]/is_recording", get_is_recording, "true or false"},
	{"vset /captureactor/[uint]/stop_record", stop, "Ends the recording of a camera"},
	{"vget /captureactor/[uint]/paused", get_paused,
	 "Whether the camera's recording is halted"},
	{"vset /captureactor/[uint]/paused [uint]", set_paused,
	 "Halts the camera's recording, or lets it go on"},
	KEPT("/captureactor/[uint]/add_timestamp", "[uint]", timestamps),
	KEPT("/captureactor/use_movie_quality_rendering", "[uint]", movie_quality),
	KEPT("/captureactor/record_via_viewport", "[uint]", by_viewport),
	KEPT("/captureactor/warmup_frames", "[uint]", warmup),
	KEPT("/captureactor/paused_tick_interval", "[float]", paused_interval),
};

const struct ph__route_table ph__recording_routes = PH__ROUTE_TABLE("Recording", routes);
