/* SPDX-License-Identifier: MIT */
/* The floors: what bare C does with the same bytes in the same state of the cache. A second process
 * behaves as a camera server does to the caches: for each request it writes 64 MB (as a renderer
 * would), then the picture (as a read-back would). That time is not counted; what follows is.
 *
 * No robustness, no protocol, no statistics: a real transport does more and will be a little
 * slower. */
#ifndef FLOOR_FLOOR_H
#define FLOOR_FLOOR_H

#include <stdint.h>
#include <sys/types.h>

struct floor {
	int fd;                /* a loopback TCP connection to the second process */
	unsigned char *shared; /* memory of both */
	uint64_t limit_bytes;  /* the largest picture */
	pid_t process;
};

/* 0, or -1 with errno. */
int floor_open(struct floor *floor, uint64_t limit_bytes);
void floor_close(struct floor *floor);

/* Nanoseconds from the request until `length` bytes are in `to`, over TCP; -1 on failure. */
int64_t floor_tcp_ns(struct floor *floor, void *to, uint64_t length);

/* Nanoseconds of memcpy() from memory that the other process has just written to `to`. */
int64_t floor_copy_ns(struct floor *floor, void *to, uint64_t length);

#endif
