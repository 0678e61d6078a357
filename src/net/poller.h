/* SPDX-License-Identifier: MIT */
/* Waits for many descriptors at once (epoll, level-triggered) and calls who waits for each. */
#ifndef NET_POLLER_H
#define NET_POLLER_H

#include <stdint.h>
#include <sys/epoll.h>

#include <pinhole/base.h>

/* Lives inside whoever waits; ready() finds its owner from its address. */
struct ph__watch {
	void (*ready)(struct ph__watch *watch, uint32_t events); /* EPOLLIN, EPOLLOUT, ... */
};

struct ph__poller {
	int ready_count; /* how many watches the last wait has called */
	int fd;
};

ph_status ph__poller_init(struct ph__poller *poller);
void ph__poller_finish(struct ph__poller *poller);

/* Starts, changes and ends the watch over a descriptor. A watch that is removed while its event is
 * being dealt out may still be called once in that round: its owner must outlive the round. */
ph_status ph__poller_add(struct ph__poller *poller, int fd, uint32_t events,
			 struct ph__watch *watch);
ph_status ph__poller_change(struct ph__poller *poller, int fd, uint32_t events,
			    struct ph__watch *watch);
void ph__poller_remove(struct ph__poller *poller, int fd);

/* Deals out what has happened; waits up to `timeout_ms` (negative: for ever) for the first. */
ph_status ph__poller_wait(struct ph__poller *poller, int timeout_ms);

#endif
