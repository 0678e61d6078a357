/* SPDX-License-Identifier: MIT */
#include "shm/semaphore.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/sys.h"

/* The layout that peers of any language share is that of 64-bit glibc. */
static_assert(sizeof(sem_t) == 32, "named semaphores are 32 bytes on the wire");

static ph_status name_of_file(const char *name, char file[PH__NAME_BYTES])
{
	if (snprintf(file, PH__NAME_BYTES, "sem.%s", name) >= PH__NAME_BYTES)
		return ph__fail(PH_ETOOBIG, "the semaphore's name \"%.32s...\" is too long", name);
	return PH_OK;
}

ph_status ph__semaphore_create(struct ph__semaphore *semaphore, const char *name, mode_t mode)
{
	char file[PH__NAME_BYTES];
	ph_status status = name_of_file(name, file);

	*semaphore = (struct ph__semaphore){.object.fd = -1};
	if (status == PH_OK)
		status = ph__object_make(&semaphore->object, sizeof(sem_t), mode);
	if (status < 0)
		return status;
	semaphore->sem = semaphore->object.base;
	sem_init(semaphore->sem, 1, 0);
	status = ph__object_link(&semaphore->object, semaphore->object.fd, file);
	if (status < 0)
		ph__semaphore_close(semaphore);
	else
		ph__object_close_file(&semaphore->object);
	return status;
}

ph_status ph__semaphore_open(struct ph__semaphore *semaphore, const char *name)
{
	char file[PH__NAME_BYTES];
	ph_status status = name_of_file(name, file);

	*semaphore = (struct ph__semaphore){.object.fd = -1};
	if (status == PH_OK)
		status = ph__object_open(&semaphore->object, file, sizeof(sem_t));
	semaphore->sem = semaphore->object.base;
	ph__object_close_file(&semaphore->object);
	return status;
}

bool ph__semaphore_wait(struct ph__semaphore *semaphore, int64_t deadline_ns)
{
	struct timespec until = {deadline_ns / 1000000000, deadline_ns % 1000000000};

	while (sem_clockwait(semaphore->sem, CLOCK_MONOTONIC, &until) != 0)
		if (errno != EINTR)
			return false;
	return true;
}

void ph__semaphore_remove(const char *name)
{
	char file[PH__NAME_BYTES];

	if (name_of_file(name, file) == PH_OK)
		ph__sys->shm_unlink(file);
}
