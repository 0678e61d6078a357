/* SPDX-License-Identifier: MIT */
#include "shm/forkguard.h"

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ph__forkguard *guards;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
	for (struct ph__forkguard *guard = guards; guard; guard = guard->next) {
		guard->is_child = true;
		for (int i = 0; i < PH__FORKGUARD_FDS; i++)
			if (guard->fds[i] >= 0) {
				close(guard->fds[i]);
				guard->fds[i] = -1;
			}
	}
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void ph__forkguard_enter(struct ph__forkguard *guard)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	for (int i = 0; i < PH__FORKGUARD_FDS; i++)
		guard->fds[i] = -1;
	guard->is_child = false;
	pthread_mutex_lock(&lock);
	guard->next = guards;
	guard->link = &guards;
	if (guards)
		guards->link = &guard->next;
	guards = guard;
	pthread_mutex_unlock(&lock);
}

void ph__forkguard_leave(struct ph__forkguard *guard)
{
	pthread_mutex_lock(&lock);
	*guard->link = guard->next;
	if (guard->next)
		guard->next->link = guard->link;
	pthread_mutex_unlock(&lock);
}

static int *find(struct ph__forkguard *guard, int fd)
{
	for (int i = 0; i < PH__FORKGUARD_FDS; i++)
		if (guard->fds[i] == fd)
			return &guard->fds[i];
	return NULL;
}

void ph__forkguard_pause(void)
{
	pthread_mutex_lock(&lock);
}

void ph__forkguard_resume(void)
{
	pthread_mutex_unlock(&lock);
}

bool ph__forkguard_add(struct ph__forkguard *guard, int fd)
{
	int *place = find(guard, -1);
	if (place)
		*place = fd;
	return place != NULL;
}

void ph__forkguard_adopt(struct ph__forkguard *guard, int fd)
{
	ph__forkguard_pause();
	ph__forkguard_add(guard, fd);
	ph__forkguard_resume();
}

void ph__forkguard_close(struct ph__forkguard *guard, int fd)
{
	pthread_mutex_lock(&lock);
	int *place = find(guard, fd);
	if (place)
		*place = -1;
	if (place || !guard->is_child)
		close(fd);
	pthread_mutex_unlock(&lock);
}
