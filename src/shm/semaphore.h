/* SPDX-License-Identifier: MIT */
/* Named semaphores, the very files that sem_open() makes ("sem.NAME" in /dev/shm), but linked when
 * they are whole, refused when they are too short to be one, and waited for on CLOCK_MONOTONIC. */
#ifndef SHM_SEMAPHORE_H
#define SHM_SEMAPHORE_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "shm/object.h"

struct ph__semaphore {
	struct ph__object object;
	sem_t *sem; /* inside the object */
};

/* `name` without the "sem." that the file carries; the value starts at 0.
 * Errors: PH_EEXIST, PH_EPERM, PH_ENOSPC, PH_ESYS. */
ph_status ph__semaphore_create(struct ph__semaphore *semaphore, const char *name, mode_t mode);

/* Errors: PH_ENOENT, PH_EPERM, PH_EFORMAT, PH_ENOSPC, PH_ESYS. */
ph_status ph__semaphore_open(struct ph__semaphore *semaphore, const char *name);

/* Adds a token and wakes a waiter. A full semaphore (2^31 - 1 tokens) stays full: its waiters are
 * awake anyway. Safe in a signal handler. */
static inline void ph__semaphore_post(struct ph__semaphore *semaphore)
{
	sem_post(semaphore->sem);
}

/* Takes a token if there is one. */
static inline bool ph__semaphore_try(struct ph__semaphore *semaphore)
{
	return sem_trywait(semaphore->sem) == 0;
}

/* Takes a token, waiting for it until deadline_ns on CLOCK_MONOTONIC. Signals do not end it. */
bool ph__semaphore_wait(struct ph__semaphore *semaphore, int64_t deadline_ns);

/* Removes the file of that name, whatever it is a semaphore for. The caller knows that nobody
 * alive uses it. */
void ph__semaphore_remove(const char *name);

static inline void ph__semaphore_unlink(const struct ph__semaphore *semaphore)
{
	ph__object_unlink(&semaphore->object);
}

static inline void ph__semaphore_close(struct ph__semaphore *semaphore)
{
	ph__object_close(&semaphore->object);
	semaphore->sem = NULL;
}

#endif
