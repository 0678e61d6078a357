/* SPDX-License-Identifier: MIT */
#include "toy.h"

#include <stdint.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static const unsigned char magic[4] = {0xC1, 0x83, 0x2B, 0x9E};

struct bytes toy_frame(const void *payload, size_t length)
{
	unsigned char *bytes = test_malloc(8 + length);

	memcpy(bytes, magic, 4);
	for (int i = 0; i < 4; i++)
		bytes[4 + i] = (unsigned char)(length >> 8 * i);
	memcpy(bytes + 8, payload, length);
	return (struct bytes){bytes, 8 + length};
}

struct bytes toy_text(const char *text)
{
	return toy_frame(text, strlen(text));
}

static bool send_bytes(int fd, const char *at, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(fd, at, length, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
		at += sent;
		length -= (size_t)sent;
	}
	return true;
}

static void pause_ms(int milliseconds)
{
	nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static bool send_reply(const struct toy *toy, int fd, struct bytes reply)
{
	const char *at = reply.at;
	size_t left = reply.length;
	size_t step = toy->trickle ? toy->trickle : toy->split;

	while (step > 0 && step < left) {
		if (!send_bytes(fd, at, step))
			return false;
		at += step;
		left -= step;
		pause_ms(toy->pause_ms);
		if (!toy->trickle)
			break;
	}
	return send_bytes(fd, at, left);
}

/* Takes one request and keeps it; false when the client has left. */
static bool take_request(struct toy *toy, int fd)
{
	char *at = toy->requests + toy->request_bytes;
	uint32_t length;

	if (recv(fd, at, 8, MSG_WAITALL) != 8)
		return false;
	memcpy(&length, at + 4, 4);
	if (toy->request_bytes + 8 + length > sizeof(toy->requests) ||
	    recv(fd, at + 8, length, MSG_WAITALL) != (ssize_t)length)
		return false;
	toy->request_bytes += 8 + length;
	return true;
}

static void *serve(void *data)
{
	struct toy *toy = data;
	char byte;

	int fd = accept(toy->listener, NULL, NULL);
	bool good = fd >= 0 && send_reply(toy, fd, toy->greeting);
	for (int i = 0; good && i < toy->reply_count; i++)
		good = take_request(toy, fd) && send_reply(toy, fd, toy->replies[i]);
	if (good && toy->stay)
		while (recv(fd, &byte, 1, 0) > 0)
			;
	close(fd);
	return NULL;
}

static void toy_listen(struct toy *toy, const struct sockaddr *at, socklen_t length)
{
	toy->listener = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(toy->listener, at, length), 0);
	assert_int_equal(listen(toy->listener, 4), 0);
}

void toy_start_at(struct toy *toy, const struct sockaddr *at, socklen_t length)
{
	if (!toy->greeting.at)
		toy->greeting = toy_text("connected to Toys");
	toy_listen(toy, at, length);
	assert_int_equal(pthread_create(&toy->thread, NULL, serve, toy), 0);
}

void toy_start(struct toy *toy)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/toy", test_folder());
	unlink(at.sun_path);
	snprintf(toy->address, sizeof(toy->address), "%s", at.sun_path);
	toy_start_at(toy, (const struct sockaddr *)&at, sizeof(at));
}

void toy_stop(struct toy *toy)
{
	shutdown(toy->listener, SHUT_RDWR); /* if nobody ever came */
	pthread_join(toy->thread, NULL);
	close(toy->listener);
	for (int i = 0; i < toy->reply_count; i++)
		test_free((void *)toy->replies[i].at);
	test_free((void *)toy->greeting.at);
}
