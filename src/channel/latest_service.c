/* SPDX-License-Identifier: MIT */
/* The two threads of a writer: one serves sockets, one wakes sleepers. */
#include "channel/latest_writer.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/point.h"
#include "base/sys.h"
#include "shm/futex.h"

enum { SERVICE_STARTING = 0, SERVICE_RUNS = 1, SERVICE_STOPS = 2 };
enum { EVENT_LISTENER = LATEST_CONNECTIONS_MAX, EVENT_KICK };

void ph__latest_service_kick(struct latest_writer *writer)
{
	uint64_t one = 1;
	/* Its counter cannot fill up and nobody else has this descriptor: it cannot fail. */
	ssize_t written = write(writer->kick, &one, sizeof(one));
	(void)written;
}

void ph__latest_waker_kick(struct latest_writer *writer)
{
	atomic_fetch_add(&writer->wakes, 1);
	ph__futex_wake(&writer->wakes, 1, true);
}

static bool is_stopping(struct latest_writer *writer)
{
	return atomic_load(&writer->service_state) == SERVICE_STOPS;
}

static void *run_waker(void *context)
{
	struct latest_writer *writer = context;
	uint32_t seen = 0;

	while (!is_stopping(writer)) {
		const struct ph__futex_word word = {&writer->wakes, seen, true};
		uint32_t wakes = atomic_load(&writer->wakes);
		if (wakes == seen) {
			ph__futex_wait_any(&word, 1, PH__FOREVER_NS);
			continue;
		}
		seen = wakes;
		PH_POINT("waker:before-wake");
		uint32_t woken =
		    (uint32_t)ph__futex_wake(latest_futex(writer->board), INT_MAX, false);
		atomic_store(&writer->sleepers, woken + atomic_exchange(&writer->woken, 0));
	}
	return NULL;
}

/* Where the C library keeps the futex word of a mutex that this thread holds: the first word that
 * is the thread's id. */
static _Atomic uint32_t *find_owner_word(struct latest_board *board)
{
	uint32_t self = (uint32_t)syscall(SYS_gettid), word;

	for (size_t at = 0; at < LATEST_OWNER_BYTES; at += sizeof(word)) {
		memcpy(&word, board->owner + at, sizeof(word));
		if (word == self)
			return (_Atomic uint32_t *)(void *)(board->owner + at);
	}
	return NULL;
}

/* The hint of life: a robust mutex in memory that only this process can write, because its owner
 * follows pointers in it. The bit FUTEX_WAITERS makes the kernel wake a sleeper when this thread
 * ends, by whatever cause. It is never unlocked: between an unlock and a wake-up of our own we
 * could be killed. */
static void show_life(struct latest_writer *writer)
{
	pthread_mutex_t *owner = (pthread_mutex_t *)(void *)writer->board->owner;
	pthread_mutexattr_t kind;

	static_assert(sizeof(pthread_mutex_t) <= LATEST_OWNER_BYTES,
		      "latest v1 has 64 bytes for it");
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(owner, &kind);
	pthread_mutexattr_destroy(&kind);
	pthread_mutex_lock(owner);
	_Atomic uint32_t *word = find_owner_word(writer->board);
	if (!word)
		return;
	atomic_fetch_or(word, FUTEX_WAITERS);
	writer->board->owner_offset =
	    (uint32_t)((unsigned char *)word - (unsigned char *)writer->board);
}

/* Kicked: by publish, for payloads that are nobody's or readers that poll; or to stop. */
static void take_kick(struct latest_writer *writer)
{
	uint64_t count;
	ssize_t got = read(writer->kick, &count, sizeof(count));
	(void)got;

	pthread_mutex_lock(&writer->lock);
	struct latest_payload *retired = writer->retired;
	writer->retired = NULL;
	pthread_mutex_unlock(&writer->lock);
	while (retired) {
		struct latest_payload *next = retired->next;
		ph__latest_payload_drop(writer, retired);
		retired = next;
	}
	for (int i = 0; i < LATEST_CONNECTIONS_MAX; i++)
		if (writer->connections[i].fd >= 0 && writer->connections[i].wants_wake)
			ph__latest_connection_wake(writer, &writer->connections[i]);
}

static void serve(struct latest_writer *writer, uint32_t event)
{
	if (event == EVENT_LISTENER)
		ph__latest_connection_accept(writer);
	else if (event == EVENT_KICK)
		take_kick(writer);
	else if (writer->connections[event].fd >= 0)
		ph__latest_connection_serve(writer, &writer->connections[event]);
}

static void *run_service(void *context)
{
	struct latest_writer *writer = context;
	struct epoll_event events[16];

	show_life(writer);
	atomic_store(&writer->service_state, SERVICE_RUNS);
	ph__futex_wake(&writer->service_state, 1, true);
	while (!is_stopping(writer)) {
		int count = epoll_wait(writer->epoll, events, 16, -1);
		for (int i = 0; i < count; i++)
			serve(writer, events[i].data.u32);
	}
	for (int i = 0; i < LATEST_CONNECTIONS_MAX; i++)
		if (writer->connections[i].fd >= 0)
			ph__latest_connection_drop(writer, &writer->connections[i]);
	return NULL;
}

static int watch(struct latest_writer *writer, int fd, uint32_t event)
{
	return epoll_ctl(writer->epoll, EPOLL_CTL_ADD, fd,
			 &(struct epoll_event){.events = EPOLLIN, .data.u32 = event});
}

static void close_descriptors(struct latest_writer *writer)
{
	int *fds[] = {&writer->epoll, &writer->kick, &writer->spare};

	for (int i = 0; i < 3; i++)
		if (*fds[i] >= 0) {
			ph__forkguard_close(&writer->handle.guard, *fds[i]);
			*fds[i] = -1;
		}
}

static ph_status open_descriptors(struct latest_writer *writer)
{
	struct ph__forkguard *guard = &writer->handle.guard;

	writer->epoll = ph__sys->epoll_create1(EPOLL_CLOEXEC);
	if (writer->epoll < 0)
		return ph__fail_errno("%s: epoll_create1", writer->handle.name);
	ph__forkguard_adopt(guard, writer->epoll);
	writer->kick = ph__sys->eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (writer->kick < 0)
		return ph__fail_errno("%s: eventfd", writer->handle.name);
	ph__forkguard_adopt(guard, writer->kick);
	writer->spare = ph__sys->eventfd(0, EFD_CLOEXEC);
	if (writer->spare < 0)
		return ph__fail_errno("%s: eventfd", writer->handle.name);
	ph__forkguard_adopt(guard, writer->spare);
	if (watch(writer, writer->place.fd, EVENT_LISTENER) != 0 ||
	    watch(writer, writer->kick, EVENT_KICK) != 0)
		return ph__fail_errno("%s: epoll_ctl", writer->handle.name);
	return PH_OK;
}

static void stop_service(struct latest_writer *writer)
{
	atomic_store(&writer->service_state, SERVICE_STOPS);
	ph__latest_service_kick(writer);
	pthread_join(writer->service, NULL);
}

ph_status ph__latest_service_start(struct latest_writer *writer)
{
	const struct ph__futex_word starts = {&writer->service_state, SERVICE_STARTING, true};
	ph_status status = open_descriptors(writer);
	if (status < 0)
		goto close_descriptors;
	errno = ph__sys->thread_create(&writer->service, run_service, writer);
	if (errno != 0) {
		status = ph__fail_errno("%s: thread", writer->handle.name);
		goto close_descriptors;
	}
	while (atomic_load(&writer->service_state) == SERVICE_STARTING)
		ph__futex_wait_any(&starts, 1, PH__FOREVER_NS);
	errno = ph__sys->thread_create(&writer->waker, run_waker, writer);
	if (errno != 0) {
		status = ph__fail_errno("%s: thread", writer->handle.name);
		goto stop_service;
	}
	return PH_OK;

stop_service:
	stop_service(writer);
close_descriptors:
	close_descriptors(writer);
	return status;
}

void ph__latest_service_stop(struct latest_writer *writer)
{
	stop_service(writer);
	/* The kernel has woken one sleeper. The rest is a courtesy, but for kernels that let a
	 * reader sleep on one word only. */
	ph__futex_wake(latest_futex(writer->board), INT_MAX, false);
	ph__latest_waker_kick(writer);
	pthread_join(writer->waker, NULL);
	close_descriptors(writer);
}
