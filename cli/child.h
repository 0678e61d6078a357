/* SPDX-License-Identifier: MIT */
/* A `pinhole serve` of our own, in a process of its own. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <sys/types.h>

struct child {
	pid_t process;
	char folder[64];  /* temporary: the ready file, the Unix socket, image files */
	char address[32]; /* "127.0.0.1:PORT" */
};

/* Starts it on a free port and waits until clients can connect. `arguments` go behind "serve", NULL
 * at the end. 0, or -1 after a sentence on stderr. It dies with this process. */
int child_start(struct child *child, const char *const *arguments);

/* Ends it as a user would, with SIGTERM. 0 if it exited with 0 and left nothing in shared memory.
 */
int child_stop(struct child *child);

#endif
