/* SPDX-License-Identifier: MIT */
/* Dying at the n-th crash point that this process comes to. */
#ifndef SUPPORT_DIE_AT_H
#define SUPPORT_DIE_AT_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/point.h"

static int points_left;
static const char *report_path; /* the name of the point is written here before dying */

static void die_at_point(const char *name)
{
	if (points_left-- != 0)
		return;
	if (report_path) {
		int fd = open(report_path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		if (fd < 0 || write(fd, name, strlen(name)) < 0)
			abort();
	}
	kill(getpid(), SIGKILL);
}

static inline void die_at(int nth, const char *report)
{
	points_left = nth;
	report_path = report;
	ph__point_hook = die_at_point;
}

#endif
