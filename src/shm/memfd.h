/* SPDX-License-Identifier: MIT */
/* Memory without a name: made, reserved and sealed by one process, handed to others as a
 * descriptor. */
#ifndef SHM_MEMFD_H
#define SHM_MEMFD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct ph__memfd {
	int fd;
	void *base;
	size_t length;
};
#define PH__MEMFD_NONE ((struct ph__memfd){.fd = -1})

/* Makes `length` bytes of zeros, reserves and maps them for reading and writing; every page is
 * present. Not inherited by fork or exec. With `huge` the mapping starts at a multiple of 2 MiB and
 * is made of 2 MiB pages as far as the kernel can. `label` shows in /proc/PID/maps. Errors:
 * PH_ENOSPC (with the bytes needed and available), PH_ESYS. */
ph_status ph__memfd_create(struct ph__memfd *memory, const char *label, size_t length, bool huge);

/* Fixes the size for all times. With `read_only` nobody gets another writable mapping; ours stays.
 * Errors: PH_ESYS. */
ph_status ph__memfd_seal(const struct ph__memfd *memory, bool read_only);

/* Maps what another process handed over, of at least `length` bytes, after checking its seals:
 * size fixed and, if `read_only`, writing refused. Neither takes nor closes `fd`; memory->fd is -1.
 * Every page is present if the kernel can (5.14).
 * Errors: PH_EFORMAT (seals or size), PH_ENOSPC, PH_ESYS. */
ph_status ph__memfd_map(struct ph__memfd *memory, int fd, size_t length, bool read_only);

/* Replaces the mapping by a read-only one of the same pages. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__memfd_protect(struct ph__memfd *memory);

/* Accepts PH__MEMFD_NONE, and leaves that. */
void ph__memfd_drop(struct ph__memfd *memory);

/* What the machine and this process's memory group have left for shared memory, roughly. */
uint64_t ph__memory_available_bytes(void);

#endif
