/* SPDX-License-Identifier: MIT */
/* What the handles of writers and readers have in common: who may call, and how calls end. */
#ifndef CHANNEL_LATEST_HANDLE_H
#define CHANNEL_LATEST_HANDLE_H

#include <pinhole/latest.h>

#include "base/status.h"
#include "channel/latest_layout.h"
#include "shm/forkguard.h"

enum latest_role { LATEST_WRITER, LATEST_READER };

enum { LATEST_NAME_SHOWN = 80 };

struct ph_latest {
	enum latest_role role;
	_Atomic uint32_t calls; /* how many run, and whether close has begun */
	_Atomic uint32_t stop;  /* 1 when close has begun: sleepers watch it */
	struct ph__forkguard guard;
	char name[LATEST_NAME_SHOWN];
};

/* Every call but close runs between these two: close waits for those that run, so that it may come
 * from another thread. Errors: PH_EINVAL (wrong role, or the child of a fork), PH_ECLOSED. */
ph_status ph__latest_enter(ph_latest *channel, enum latest_role role);
void ph__latest_leave(ph_latest *channel);

void ph__latest_handle_init(ph_latest *channel, enum latest_role role, const char *name);

/* The two halves of ph_latest_close(), when no call runs any more. */
void ph__latest_writer_close(ph_latest *channel);
void ph__latest_reader_close(ph_latest *channel);

void ph__latest_writer_info(const ph_latest *channel, ph_latest_info *info);
void ph__latest_reader_info(const ph_latest *channel, ph_latest_info *info);

#endif
