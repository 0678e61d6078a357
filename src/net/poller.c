/* SPDX-License-Identifier: MIT */
#include "net/poller.h"

#include <errno.h>
#include <unistd.h>

#include "base/status.h"

enum { EVENTS_PER_ROUND = 64 };

ph_status ph__poller_init(struct ph__poller *poller)
{
	poller->fd = epoll_create1(EPOLL_CLOEXEC);
	return poller->fd < 0 ? ph__fail_errno("cannot make a poller") : PH_OK;
}

void ph__poller_finish(struct ph__poller *poller)
{
	if (poller->fd >= 0)
		close(poller->fd);
	poller->fd = -1;
}

static ph_status control(struct ph__poller *poller, int operation, int fd, uint32_t events,
			 struct ph__watch *watch)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	if (epoll_ctl(poller->fd, operation, fd, &event) != 0)
		return ph__fail_errno("cannot watch descriptor %d", fd);
	return PH_OK;
}

ph_status ph__poller_add(struct ph__poller *poller, int fd, uint32_t events,
			 struct ph__watch *watch)
{
	return control(poller, EPOLL_CTL_ADD, fd, events, watch);
}

ph_status ph__poller_change(struct ph__poller *poller, int fd, uint32_t events,
			    struct ph__watch *watch)
{
	return control(poller, EPOLL_CTL_MOD, fd, events, watch);
}

void ph__poller_remove(struct ph__poller *poller, int fd)
{
	epoll_ctl(poller->fd, EPOLL_CTL_DEL, fd, NULL);
}

ph_status ph__poller_wait(struct ph__poller *poller, int timeout_ms)
{
	struct epoll_event events[EVENTS_PER_ROUND];
	int count = epoll_wait(poller->fd, events, EVENTS_PER_ROUND, timeout_ms);

	if (count < 0)
		return errno == EINTR ? PH_OK : ph__fail_errno("cannot wait for clients");
	poller->ready_count = count;
	for (int i = 0; i < count; i++) {
		struct ph__watch *watch = events[i].data.ptr;
		watch->ready(watch, events[i].events);
	}
	return PH_OK;
}
