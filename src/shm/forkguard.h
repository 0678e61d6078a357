/* SPDX-License-Identifier: MIT */
/* What a child of fork() must not keep: descriptors that are somebody's proof that we live. Each
 * handle registers them; in a child they are closed and the handle is marked. */
#ifndef SHM_FORKGUARD_H
#define SHM_FORKGUARD_H

#include <stdbool.h>

#include "base/status.h"

enum { PH__FORKGUARD_FDS = 96 };

struct ph__forkguard {
	struct ph__forkguard *next, **link;
	bool is_child;              /* set before fork() returns in the child, never again */
	int fds[PH__FORKGUARD_FDS]; /* -1: free */
};

void ph__forkguard_enter(struct ph__forkguard *guard);
void ph__forkguard_leave(struct ph__forkguard *guard);

/* Between these two no thread's fork() gets through: make a descriptor and add it there. */
void ph__forkguard_pause(void);
void ph__forkguard_resume(void);

/* Only while paused. false: no room. */
bool ph__forkguard_add(struct ph__forkguard *guard, int fd);

/* A descriptor that is no proof of life, only waste in a child: made without pausing. */
void ph__forkguard_adopt(struct ph__forkguard *guard, int fd);

/* Closes it, and forgets it in the same step. */
void ph__forkguard_close(struct ph__forkguard *guard, int fd);

#endif
