/* SPDX-License-Identifier: MIT */
/* A writer: its memory, the thread of the caller that claims and publishes, and the two threads
 * that serve readers.
 *
 *     caller   claim, publish, resize: the pool; reads the roster
 *     service  accepts, admits, lets go: the connections; changes the roster
 *     waker    wakes readers when there are too many for the caller to wake */
#ifndef CHANNEL_LATEST_WRITER_H
#define CHANNEL_LATEST_WRITER_H

#include <pthread.h>

#include "channel/latest_core.h"
#include "channel/latest_handle.h"
#include "shm/memfd.h"
#include "shm/rendezvous.h"

enum {
	LATEST_PENDING_MAX = 16, /* connected, HELLO not yet seen */
	LATEST_CONNECTIONS_MAX = PH_LATEST_READERS_MAX + LATEST_PENDING_MAX,
	LATEST_DIRECT_WAKES = 2, /* up to as many sleepers the caller wakes itself */
};

struct latest_payload {
	struct latest_payload *next; /* among the retired */
	struct latest_geometry geometry;
	struct ph__memfd memory;
};

struct latest_connection {
	int fd; /* -1: free */
	bool is_admitted;
	bool wants_wake;
	uint32_t held;
	uint32_t epoch;  /* of the payload that was sent last */
	uint64_t number; /* in order of arrival */
	_Atomic uint64_t served;
	struct ph__memfd control; /* mapped read-only */
};

struct latest_writer {
	struct ph_latest handle;
	struct ph__rendezvous place;
	struct ph__memfd board_memory;
	struct latest_board *board;
	ph_latest_options options;

	/* The caller's. */
	struct latest_pool pool;
	_Atomic uint32_t sleepers; /* how many the last frame found, a guess for the next one */
	_Atomic uint32_t polled;   /* readers with wants_wake */

	/* The newest frame lies in `newest` if the board names its epoch, else in `shown`. */
	pthread_mutex_t
	    lock; /* of the next five; never held for longer than a few loads and dup() */
	struct latest_payload *newest; /* claims go here */
	struct latest_payload *shown;
	struct latest_payload *retired; /* to be dropped by the service thread */
	uint32_t held_total, held_used;

	/* The service thread's. */
	unsigned long service;
	int epoll, kick; /* kick: an eventfd that it waits for */
	int spare;       /* given up to be able to refuse when descriptors run out */
	_Atomic uint32_t service_state;
	uint64_t arrivals;
	struct latest_connection connections[LATEST_CONNECTIONS_MAX];
	struct latest_roster_cell roster;

	/* The waker's. */
	unsigned long waker;
	_Atomic uint32_t wakes; /* counts requests; it sleeps on this */
	_Atomic uint32_t woken; /* by the caller, for the same frame */
};

/* Starts both threads; when it returns, the death of this process will be noticed.
 * Errors: PH_ESYS, PH_ENOSPC. After an error none runs. */
ph_status ph__latest_service_start(struct latest_writer *writer);

/* Ends both, hangs up on every reader and takes the hint of life back. */
void ph__latest_service_stop(struct latest_writer *writer);

/* The service thread looks at retired payloads and armed readers. */
void ph__latest_service_kick(struct latest_writer *writer);

/* All readers that sleep wake up, soon. */
void ph__latest_waker_kick(struct latest_writer *writer);

/* The next four are for the service thread. Accept: somebody has connected. Serve: a connection has
 * something to say, or hung up. Wake: if it is armed. */
void ph__latest_connection_accept(struct latest_writer *writer);
void ph__latest_connection_serve(struct latest_writer *writer,
				 struct latest_connection *connection);
void ph__latest_connection_wake(struct latest_writer *writer, struct latest_connection *connection);
void ph__latest_connection_drop(struct latest_writer *writer, struct latest_connection *connection);

void ph__latest_payload_drop(struct latest_writer *writer, struct latest_payload *payload);

#endif
