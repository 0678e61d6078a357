/* SPDX-License-Identifier: MIT */
/* A server in a thread of the test, and clients that speak bytes: what goes over the socket is
 * written out here, not borrowed from the code under test. */
#ifndef SUPPORT_WIRE_H
#define SUPPORT_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pinhole/server.h>

struct fixture {
	ph_server *server;
	pthread_t thread;
	char socket_path[96];
};

/* Skips the test when nothing can render here. Every option may be given but the size; an unset
 * unix_path becomes one in the test's folder, an unset output folder that folder. */
void fixture_start(struct fixture *fixture, ph_server_options options);
void fixture_stop(struct fixture *fixture);

struct packet {
	unsigned char *bytes; /* the payload, ends with a NUL that does not count */
	size_t length;
};

int wire_connect_tcp(int port);
int wire_connect_unix(const char *path);

/* Connected by TCP and greeted. */
int wire_client(const struct fixture *fixture);

void wire_send(int fd, const void *bytes, size_t length);
void wire_send_packet(int fd, const char *payload);

/* The next packet; waits 20 s at most. false: the connection has ended. Free it with packet_free().
 */
bool wire_receive(int fd, struct packet *packet);
void packet_free(struct packet *packet);

/* One command under id 7; gives the reply's body, which stays until the next call. */
const char *wire_ask(int fd, const char *command);
/* The same for binary bodies. */
const unsigned char *wire_ask_bytes(int fd, const char *command, size_t *length);

/* Sends the first text of each pair and expects the second; "ok" may be left out (NULL). */
void wire_expect(int fd, const char *const (*pairs)[2], size_t count);
#define EXPECT(fd, pairs) wire_expect(fd, pairs, sizeof(pairs) / sizeof((pairs)[0]))

/* A server of the given options and a client of it, for tests that need one of each. */
#define WITH_CLIENT(fixture, fd, ...)                              \
	struct fixture fixture;                                    \
	fixture_start(&fixture, (ph_server_options){__VA_ARGS__}); \
	int fd = wire_client(&fixture)

/* The pixels of a `lit bmp`-like reply, which must be of that size; the caller frees them. */
unsigned char *wire_ask_bmp(int fd, const char *command, uint32_t width_px, uint32_t height_px);

/* Asserts that the server greets a new client and answers it within a second. */
void wire_assert_serves(const struct fixture *fixture);

#endif
