/* SPDX-License-Identifier: MIT */
/* The clock of the simulated scene. It runs with the real one, faster or slower by a factor, stands
 * while it is paused, and moves in steps when it is told to. */
#ifndef SERVER_SIM_CLOCK_H
#define SERVER_SIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct ph__sim_clock {
	int64_t begin_ns;  /* real time at which it showed `shown_ns` */
	int64_t shown_ns;
	double rate;       /* simulated seconds in a real one */
	int64_t step_ns;   /* of one tick */
	bool is_paused;
	bool is_stepped;   /* by ticks only: a fixed frame rate */
};

void ph__sim_clock_start(struct ph__sim_clock *clock, int64_t now_ns);
int64_t ph__sim_clock_read(const struct ph__sim_clock *clock, int64_t now_ns);
void ph__sim_clock_pause(struct ph__sim_clock *clock, int64_t now_ns, bool paused);
void ph__sim_clock_set_rate(struct ph__sim_clock *clock, int64_t now_ns, double rate);
void ph__sim_clock_set_stepped(struct ph__sim_clock *clock, int64_t now_ns, bool stepped);

/* One step on: while it stands it moves by this, while it runs it is put forward by this. */
void ph__sim_clock_tick(struct ph__sim_clock *clock);

#endif
