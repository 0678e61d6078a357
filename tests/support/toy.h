/* SPDX-License-Identifier: MIT */
/* A toy camera server: a thread that speaks prepared bytes to one client over a real socket. */
#ifndef SUPPORT_TOY_H
#define SUPPORT_TOY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { TOY_REPLIES_MAX = 64, TOY_REQUESTS_BYTES = 4096 };

struct bytes {
	const void *at;
	size_t length;
};

struct toy {
	int listener;
	char address[128];
	pthread_t thread;
	struct bytes greeting;
	struct bytes replies[TOY_REPLIES_MAX]; /* one for each request, sent as they are */
	int reply_count;
	size_t split;   /* so many bytes of each reply go first; 0: all at once */
	size_t trickle; /* so many bytes at a time; 0: all at once */
	int pause_ms;   /* behind each part but the last */
	bool stay;      /* silent with an open connection until the client leaves */
	char requests[TOY_REQUESTS_BYTES];
	size_t request_bytes;
};

/* A payload in its frame. A toy frees its replies when it stops. */
struct bytes toy_frame(const void *payload, size_t length);
struct bytes toy_text(const char *text);

/* Listens on a Unix socket in the test's folder, or where it is told; then serves one client. */
void toy_start(struct toy *toy);
void toy_start_at(struct toy *toy, const struct sockaddr *at, socklen_t length);

/* The client must have left. */
void toy_stop(struct toy *toy);

#endif
