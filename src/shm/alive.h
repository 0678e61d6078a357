/* SPDX-License-Identifier: MIT */
/* Who is alive.
 *
 * Between two Pinholes the kernel answers: each side keeps a *lease*, a lock on one byte of the
 * segment that belongs to its open file description and goes with it. That is right for zombies,
 * for reused PIDs, for other users and across PID namespaces.
 *
 * A stock peer leaves nothing but its PID. A *watch* makes the best of that: a zombie is dead,
 * somebody else's process is alive, and a PID whose process started later than the one first seen
 * has been reused. A PID never seen alive may be of another PID namespace; who gets proof of life
 * from it anyway says so, and it is never called dead again. */
#ifndef SHM_ALIVE_H
#define SHM_ALIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* A killed process keeps its locks until the kernel has freed its memory, which takes tens of
 * milliseconds for a large mapping. So each lease comes with a hint, a classic lock on the byte
 * behind: the kernel tells its holder's PID in the asker's own namespace, and /proc tells whether
 * that one is on its way out. It may be missing; it is never wrong. */

struct ph__lease {
	int fd; /* -1: none, and in a forked child */
	struct ph__lease *next, **link;
};

/* Locks `byte` of the file. From now on the lease closes `fd`, in a forked child too: a child can
 * neither keep a dead parent alive nor close the parent's lease by accident. On failure the caller
 * still owns `fd`.
 * Errors: PH_EEXIST (another lease holds the byte), PH_ESYS. Threads: any. */
ph_status ph__lease_take(struct ph__lease *lease, int fd, off_t byte);

/* Hands `fd` over without locking a byte: for descriptors that carry a lock of another kind. */
void ph__lease_adopt(struct ph__lease *lease, int fd);

/* Closes the descriptor and gives up the lock. Does nothing to a lease that was never taken. */
void ph__lease_drop(struct ph__lease *lease);

/* Whether somebody other than this very lease holds `byte` of its file. A failing system call
 * counts as "held": nobody is declared dead for want of an answer. */
bool ph__lease_is_held(const struct ph__lease *lease, off_t byte);

/* Whether the holder is known to run no more of its own code, although the kernel has not given up
 * its locks yet. */
bool ph__lease_is_ending(const struct ph__lease *lease, off_t byte);

/* Grows by one in every forked child; a handle made under another number belongs to the parent. */
unsigned ph__fork_generation(void);

struct ph__watch {
	uint64_t pid;        /* 0: nobody is watched */
	uint64_t start_time; /* in clock ticks after boot; 0: was never seen alive */
	bool is_foreign;     /* its PID means nothing here */
};

/* Starts to watch `pid`; does nothing if that is watched already. */
void ph__watch_start(struct ph__watch *watch, uint64_t pid);

/* True when the process is known to run no more of its own code. */
bool ph__watch_is_gone(const struct ph__watch *watch);

#endif
