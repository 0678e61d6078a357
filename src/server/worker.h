/* SPDX-License-Identifier: MIT */
/* A thread that runs jobs one after the other, and the box where finished jobs come back. Jobs are
 * embedded in what they are about: handing one over allocates nothing. */
#ifndef SERVER_WORKER_H
#define SERVER_WORKER_H

#include <pthread.h>
#include <stdbool.h>

#include <pinhole/base.h>

struct ph__job {
	struct ph__job *next;
	void (*run)(struct ph__job *job);
};

struct ph__job_list {
	struct ph__job *first, *last;
};

/* What a worker does when its thread starts and ends, on that thread. Either may be NULL. */
struct ph__worker_life {
	const char *name; /* of the thread, up to 15 bytes */
	ph_status (*begin)(void *context);
	void (*end)(void *context);
};

struct ph__worker {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct ph__job_list jobs;
	const struct ph__worker_life *life;
	void *context;
	bool running, begun, ending;
	ph_status status; /* of begin() */
	char error[512];
};

/* Starts the thread and waits until begin() is done; gives its status and its sentence. */
ph_status ph__worker_start(struct ph__worker *worker, const struct ph__worker_life *life,
			   void *context);
void ph__worker_push(struct ph__worker *worker, struct ph__job *job);

/* Runs what is still queued, then end(), then joins. A worker that never started is fine. */
void ph__worker_stop(struct ph__worker *worker);

/* Finished jobs on their way to the thread that polls `fd`. */
struct ph__mailbox {
	pthread_mutex_t mutex;
	struct ph__job_list jobs;
	int fd; /* an eventfd: readable when there is mail */
};

ph_status ph__mailbox_init(struct ph__mailbox *mailbox);
void ph__mailbox_finish(struct ph__mailbox *mailbox);
void ph__mailbox_post(struct ph__mailbox *mailbox, struct ph__job *job);

/* The oldest finished job, or NULL after the last. */
struct ph__job *ph__mailbox_take(struct ph__mailbox *mailbox);

#endif
