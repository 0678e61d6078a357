/* SPDX-License-Identifier: MIT */
/* Sockets that wait for clients: TCP on a numeric address, and a Unix socket in the file system. */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pinhole/base.h>

struct ph__listener {
	int fd;       /* -1: not listening */
	int spare_fd; /* given up to accept and close a client when descriptors run out */
	int port;     /* of a TCP listener */
	char *path;   /* of a Unix socket */
	dev_t device; /* the socket file that is ours to remove */
	ino_t inode;
};

/* Port 0 takes any free one. Errors: PH_EINVAL (the address), PH_EEXIST (the port is in use),
 * PH_EPERM, PH_ESYS. */
ph_status ph__listener_open_tcp(struct ph__listener *listener, const char *address, uint16_t port);

/* A socket file of mode 0600. A file of that name that nobody listens on is replaced if it is a
 * socket. Errors: PH_EINVAL (too long), PH_EEXIST (somebody listens there, or it is no socket). */
ph_status ph__listener_open_unix(struct ph__listener *listener, const char *path);

/* Closes it and removes its socket file if that is still its own. */
void ph__listener_close(struct ph__listener *listener);

/* Is the socket file of a Unix listener still there, and its own? */
bool ph__listener_has_file(const struct ph__listener *listener);

/* The next client, non-blocking and close-on-exec, set up for large replies; -1: none waits. When
 * descriptors have run out the client is accepted and closed: none is left without an answer. */
int ph__listener_accept(struct ph__listener *listener);

#endif
