/* SPDX-License-Identifier: MIT */
#include "server/sim_clock.h"

#define DEFAULT_STEP_NS 33333333 /* a 30th of a second */

static bool stands(const struct ph__sim_clock *clock)
{
	return clock->is_paused || clock->is_stepped;
}

int64_t ph__sim_clock_read(const struct ph__sim_clock *clock, int64_t now_ns)
{
	if (stands(clock))
		return clock->shown_ns;
	return clock->shown_ns + (int64_t)((double)(now_ns - clock->begin_ns) * clock->rate);
}

/* What it shows now is where it goes on from, whatever is changed next. */
static void settle(struct ph__sim_clock *clock, int64_t now_ns)
{
	clock->shown_ns = ph__sim_clock_read(clock, now_ns);
	clock->begin_ns = now_ns;
}

void ph__sim_clock_start(struct ph__sim_clock *clock, int64_t now_ns)
{
	*clock = (struct ph__sim_clock){
		.begin_ns = now_ns,
		.rate = 1,
		.step_ns = DEFAULT_STEP_NS,
	};
}

void ph__sim_clock_pause(struct ph__sim_clock *clock, int64_t now_ns, bool paused)
{
	settle(clock, now_ns);
	clock->is_paused = paused;
}

void ph__sim_clock_set_rate(struct ph__sim_clock *clock, int64_t now_ns, double rate)
{
	settle(clock, now_ns);
	clock->rate = rate;
}

void ph__sim_clock_set_stepped(struct ph__sim_clock *clock, int64_t now_ns, bool stepped)
{
	settle(clock, now_ns);
	clock->is_stepped = stepped;
}

void ph__sim_clock_tick(struct ph__sim_clock *clock)
{
	clock->shown_ns += clock->step_ns;
}
