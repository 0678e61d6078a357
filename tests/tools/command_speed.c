/* SPDX-License-Identifier: MIT */
/* How long ph__route_parse() takes, command by command: the best of many runs, warm caches. */
#include <stdio.h>
#include <time.h>

#include "server/routes.h"

enum { RUNS = 50, COMMANDS_PER_RUN = 20000 };

static const char *const commands[] = {
	"vget /unrealcv/version",
	"vget /camera/0/lit_shared",
	"vget /camera/0/lit bmp",
	"vget /camera/0/lit",
	"vget /camera/0/location",
	"vset /camera/0/size 640 480",
	"vset /camera/0/location 100.5 -20.25 150",
	"vset /camera/0/pose 100.500 -20.250 150.000 -10.000 90.000 0.000",
	"vset /camera/0/rotation 1e-05 -12.345678901234567 3.4028234663852886e+38",
	"vget /object/Cube_17/color",
	"vset /object/Cube_17/color 127 255 0",
	"vget /camera/0/no_such_modality png",
	"DisableAllScreenMessages",
};

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double best_of_runs(struct ph__span text)
{
	struct ph__command command;
	double best = 1e9;

	for (int run = 0; run < RUNS; run++) {
		double begin = now_ns();
		for (int i = 0; i < COMMANDS_PER_RUN; i++) {
			__asm__ volatile("" : "+r"(text.at) : : "memory");
			ph__route_parse(text, &command);
			__asm__ volatile("" : : "r"(&command) : "memory");
		}
		double each = (now_ns() - begin) / COMMANDS_PER_RUN;
		best = each < best ? each : best;
	}
	return best;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		printf("%6.1f ns  %s\n", best_of_runs(ph__span_of(commands[i])), commands[i]);
	return 0;
}
