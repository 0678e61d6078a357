/* SPDX-License-Identifier: MIT */
/* A reader: what it maps, what it holds, how it follows and waits. */
#ifndef CHANNEL_LATEST_READER_H
#define CHANNEL_LATEST_READER_H

#include "channel/latest_core.h"
#include "channel/latest_handle.h"
#include "channel/latest_message.h"
#include "shm/memfd.h"

/* A payload stays mapped while it is the current one or frames in it are held. */
struct latest_mapping {
	struct ph__memfd memory;
	_Atomic uint32_t uses;
};

struct latest_hold {
	_Atomic uint64_t sequence; /* 0: free, or being given back */
	struct latest_mapping *mapping;
};

struct latest_reader {
	struct ph_latest handle;
	int socket;
	bool is_pollable;
	bool is_following; /* FOLLOW was sent, PAYLOAD has not come */
	bool is_lost;      /* the socket has hung up, or spoke nonsense */
	uint32_t held;     /* how many frames it may hold */

	struct ph__memfd board_memory, control_memory;
	uint32_t owner_offset; /* checked; 0: there is no hint */
	uint64_t writer_pid;
	struct latest_mapping *mapping;
	struct latest_view view;

	uint64_t last_sequence; /* acquired; 0: none yet */
	uint64_t missed;
	uint64_t armed;
	_Atomic uint32_t holds_used; /* bit k: holds[k] */
	struct latest_hold holds[LATEST_HAZARDS];

	int64_t spin_ns, spin_limit_ns;
	uint32_t spin_misses;
};

/* Makes what a WELCOME or PAYLOAD brought the reader's view. Takes no descriptor. */
ph_status ph__latest_reader_map(struct latest_reader *reader,
				const struct latest_geometry *geometry, int fd);
void ph__latest_mapping_drop(struct latest_mapping *mapping);

/* Connects, says HELLO, takes what WELCOME brings. */
ph_status ph__latest_reader_join(struct latest_reader *reader, const char *name, uint32_t held,
				 int64_t deadline_ns);

/* Sends FOLLOW once and takes the answer. PH_OK: the view is another one. PH_EAGAIN: not yet
 * (timeout 0). Errors: PH_ETIMEDOUT, PH_ECLOSED (close has begun), PH_EPEER, PH_EFORMAT, PH_ENOSPC,
 * PH_ESYS. */
ph_status ph__latest_reader_follow(struct latest_reader *reader, int64_t deadline_ns);

/* Reads what lies in the socket, so that it is not readable any more. Sets is_lost on a hang-up. */
void ph__latest_reader_drain(struct latest_reader *reader);

/* Waits until the board may say something new: a word that is not `seen` any more, another owner,
 * the end. Errors: PH_ETIMEDOUT, PH_ECLOSED (close has begun). */
ph_status ph__latest_reader_wait(struct latest_reader *reader, uint64_t seen, uint32_t owner,
				 int64_t deadline_ns);

/* The owner word; 0 when there is none. */
uint32_t ph__latest_reader_owner(const struct latest_reader *reader);

#endif
