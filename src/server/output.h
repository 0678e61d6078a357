/* SPDX-License-Identifier: MIT */
/* The one folder that a server writes image files into. */
#ifndef SERVER_OUTPUT_H
#define SERVER_OUTPUT_H

#include <sys/uio.h>

#include <pinhole/base.h>

struct ph__output {
	int fd;
	char *folder; /* absolute */
};

/* NULL: the working folder. Errors: PH_ENOENT, PH_EPERM, PH_ENOSPC, PH_ESYS. */
ph_status ph__output_open(struct ph__output *output, const char *folder);
void ph__output_close(struct ph__output *output);

/* Writes a file whole or not at all: under another name first, then renamed over `path`. `path` is
 * relative to the folder, or absolute and below it; folders on the way are made; neither ".." nor a
 * symbolic link is followed. Blocks. Threads: any.
 * Errors: PH_EPERM (outside the folder), PH_ENOSPC (the disk is full: nothing is left), PH_ESYS. */
ph_status ph__output_write(const struct ph__output *output, const char *path,
			   const struct iovec *pieces, int piece_count);

#endif
