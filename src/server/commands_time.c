/* SPDX-License-Identifier: MIT */
/* The clock of the scene. Nothing in the built-in scene moves by itself; pictures bear the time. */
#include "server/routes.h"

#define LONGEST_STEP_S 3600.0
#define GREATEST_RATE  1000.0

enum { FRAME_RATE_MAX = 1000000 };

static void pause_clock(struct ph__call *call)
{
	ph__sim_clock_pause(&call->server->clock, ph_now_ns(), true);
}

static void resume_clock(struct ph__call *call)
{
	ph__sim_clock_pause(&call->server->clock, ph_now_ns(), false);
}

static void get_is_paused(struct ph__call *call)
{
	ph__buffer_add_text(call->out, call->server->clock.is_paused ? "true" : "false");
}

static void tick(struct ph__call *call)
{
	ph__sim_clock_tick(&call->server->clock);
}

static void set_step(struct ph__call *call)
{
	double step_s = call->command->args[0].number;

	if (!(step_s > 0 && step_s <= LONGEST_STEP_S))
		ph__call_error(call, "Argument Invalid: a tick is above 0 and up to 3600 seconds");
	else
		call->server->clock.step_ns = (int64_t)(step_s * 1e9 + 0.5);
}

/* With a rate the clock moves by ticks only, each a frame long; 0 lets it run again. */
static void set_frame_rate(struct ph__call *call)
{
	double rate = call->command->args[0].number;

	if (!(rate >= 0 && rate <= FRAME_RATE_MAX)) {
		ph__call_error(call, "Argument Invalid: a frame rate is 0 to %d", FRAME_RATE_MAX);
		return;
	}
	ph__sim_clock_set_stepped(&call->server->clock, ph_now_ns(), rate > 0);
	if (rate > 0)
		call->server->clock.step_ns = (int64_t)(1e9 / rate + 0.5);
}

static void get_sim_time(struct ph__call *call)
{
	int64_t now_ns = ph__sim_clock_read(&call->server->clock, ph_now_ns());
	ph__buffer_print(call->out, "%lld", (long long)now_ns);
}

void ph__call_set_rate(struct ph__call *call, double rate)
{
	if (!(rate > 0 && rate <= GREATEST_RATE))
		ph__call_error(call, "Argument Invalid: time runs above 0 and up to 1000 times as "
				     "fast");
	else
		ph__sim_clock_set_rate(&call->server->clock, ph_now_ns(), rate);
}

static void set_dilation(struct ph__call *call)
{
	ph__call_set_rate(call, call->command->args[0].number);
}

static void set_recording_dilation(struct ph__call *call)
{
	size_t start = call->out->length;
	double rate = call->command->args[0].number;

	ph__call_set_rate(call, rate);
	if (call->out->length == start)
		ph__buffer_print(call->out, "Time dilation set to %.2f", rate);
}

static void set_level(struct ph__call *call)
{
	if (call->command->args[0].text.length == 0)
		ph__call_error(call, "Argument Invalid");
}

static void set_eyes_distance(struct ph__call *call)
{
	ph__call_error(call, "Not Implemented");
}

static const struct ph__route routes[] = {
	{"vset /action/game/pause", pause_clock, "Stops the clock of the scene"},
	{"vset /action/game/resume", resume_clock, "Lets the clock of the scene run on"},
	{"vget /action/game/is_paused", get_is_paused, "true or false"},
	{"vget /action/game/sim_time", get_sim_time,
	 "The time in the scene in nanoseconds, as descriptors have it"},
	{"vset /action/tick", tick, "Puts the clock of the scene forward by one tick"},
	{"vset /action/tick_intervel [float]", set_step,
	 "How long a tick is in seconds (the spelling is that of its callers)"},
	{"vset /action/tick_interval [float]", set_step, "How long a tick is in seconds"},
	{"vset /action/set_fixed_frame_rate [float]", set_frame_rate,
	 "Ticks a second; the clock then moves by ticks only. 0 lets it run"},
	{"vset /world/pause_all_except_pawn", pause_clock, "Another name of game/pause"},
	{"vset /world/resume_all", resume_clock, "Another name of game/resume"},
	{"vset /world/custom_time_dilation_except_pawn [float]", set_dilation,
	 "How fast the clock of the scene runs; 1 is as fast as real time"},
	{"vset /captureactor/time_dilation [float]", set_recording_dilation,
	 "How fast the clock of the scene runs; 1 is as fast as real time"},
	{"vset /action/clean_garbage", ph__call_accept, "There is no garbage",
	 PH__ROUTE_ACCEPTED},
	{"vset /action/game/level [str]", set_level, "Accepted: the scene stays as it is",
	 PH__ROUTE_ACCEPTED},
	{"vset /action/input/enable", ph__call_accept, "There is no keyboard",
	 PH__ROUTE_ACCEPTED},
	{"vset /action/input/disable", ph__call_accept, "There is no keyboard",
	 PH__ROUTE_ACCEPTED},
	{"vset /action/keyboard [str] [float]", ph__call_accept, "There is no keyboard",
	 PH__ROUTE_ACCEPTED},
	{"vset /action/eyes_distance [float]", set_eyes_distance,
	 "An error, as in UnrealCV: spawn a StereoCameraActor instead", PH__ROUTE_REFUSED},
};

const struct ph__route_table ph__time_routes = PH__ROUTE_TABLE("Time and actions", routes);
