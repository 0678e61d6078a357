/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "test.h"

enum { HEADER_BYTES = 8, BMP_HEADER_BYTES = 54, PATIENCE_MS = 20000 };

static void *run(void *server)
{
	assert_int_equal(ph_server_run(server), PH_OK);
	return NULL;
}

void fixture_start(struct fixture *fixture, ph_server_options options)
{
	options.size = sizeof(options);
	if (!options.unix_path) {
		snprintf(fixture->socket_path, sizeof(fixture->socket_path), "%s/socket",
			 test_folder());
		options.unix_path = fixture->socket_path;
	}
	if (!options.output_folder)
		options.output_folder = test_folder();
	options.renderer = PH_RENDERER_SOFTWARE;
	ph_status status = ph_server_create(&options, &fixture->server);
	if (status == PH_ENOTBUILT || (status == PH_ESYS && strstr(ph_last_error(), "EGL")))
		skip_test("%s", ph_last_error());
	if (status < 0)
		fail_msg("%s: %s", ph_status_name(status), ph_last_error());
	assert_int_equal(pthread_create(&fixture->thread, NULL, run, fixture->server), 0);
}

void fixture_stop(struct fixture *fixture)
{
	ph_server_stop(fixture->server);
	pthread_join(fixture->thread, NULL);
	ph_server_close(&fixture->server);
	assert_null(fixture->server);
}

int wire_connect_tcp(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		fail_msg("cannot connect to port %d: %s", port, strerror(errno));
	return fd;
}

int wire_connect_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		fail_msg("cannot connect to '%s': %s", path, strerror(errno));
	return fd;
}

static void expect_greeting(int fd)
{
	struct packet greeting;

	assert_true(wire_receive(fd, &greeting));
	assert_int_equal(strncmp((char *)greeting.bytes, "connected to ", 13), 0);
	packet_free(&greeting);
}

int wire_client(const struct fixture *fixture)
{
	int fd = wire_connect_tcp(ph_server_port(fixture->server));

	expect_greeting(fd);
	return fd;
}

void wire_send(int fd, const void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t count = send(fd, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
		if (count < 0)
			return; /* the server has closed: the test sees it when it reads */
		done += (size_t)count;
	}
}

void wire_send_packet(int fd, const char *payload)
{
	size_t length = strlen(payload);
	unsigned char *packet = malloc(HEADER_BYTES + length);

	memcpy(packet, "\xC1\x83\x2B\x9E", 4);
	for (int i = 0; i < 4; i++)
		packet[4 + i] = (unsigned char)(length >> 8 * i);
	memcpy(packet + HEADER_BYTES, payload, length);
	wire_send(fd, packet, HEADER_BYTES + length);
	free(packet);
}

static bool receive_all(int fd, unsigned char *to, size_t length)
{
	for (size_t done = 0; done < length;) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		if (poll(&poll_fd, 1, PATIENCE_MS) == 0)
			fail_msg("nothing came for %d ms", PATIENCE_MS);
		ssize_t count = recv(fd, to + done, length - done, 0);
		if (count <= 0)
			return false;
		done += (size_t)count;
	}
	return true;
}

bool wire_receive(int fd, struct packet *packet)
{
	unsigned char header[HEADER_BYTES];

	*packet = (struct packet){0};
	if (!receive_all(fd, header, sizeof(header)))
		return false;
	assert_memory_equal(header, "\xC1\x83\x2B\x9E", 4);
	for (int i = 0; i < 4; i++)
		packet->length |= (size_t)header[4 + i] << 8 * i;
	packet->bytes = malloc(packet->length + 1);
	packet->bytes[packet->length] = '\0';
	if (receive_all(fd, packet->bytes, packet->length))
		return true;
	packet_free(packet);
	return false;
}

void packet_free(struct packet *packet)
{
	free(packet->bytes);
	*packet = (struct packet){0};
}

const unsigned char *wire_ask_bytes(int fd, const char *command, size_t *length)
{
	static struct packet last;
	char payload[4096];

	packet_free(&last);
	snprintf(payload, sizeof(payload), "7:%s", command);
	wire_send_packet(fd, payload);
	if (!wire_receive(fd, &last))
		fail_msg("the server closed the connection at '%s'", command);
	assert_memory_equal(last.bytes, "7:", 2);
	*length = last.length - 2;
	return last.bytes + 2;
}

const char *wire_ask(int fd, const char *command)
{
	size_t length;

	return (const char *)wire_ask_bytes(fd, command, &length);
}

void wire_expect(int fd, const char *const (*pairs)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *expected = pairs[i][1] ? pairs[i][1] : "ok";
		const char *reply = wire_ask(fd, pairs[i][0]);
		if (strcmp(reply, expected) != 0)
			fail_msg("'%s' gave '%.300s', not '%.300s'", pairs[i][0], reply, expected);
	}
}

unsigned char *wire_ask_bmp(int fd, const char *command, uint32_t width_px, uint32_t height_px)
{
	size_t length, pixel_bytes = (size_t)width_px * height_px * 4;
	const unsigned char *bmp = wire_ask_bytes(fd, command, &length);

	assert_int_equal(length, BMP_HEADER_BYTES + pixel_bytes);
	unsigned char *pixels = malloc(pixel_bytes);
	memcpy(pixels, bmp + BMP_HEADER_BYTES, pixel_bytes);
	return pixels;
}

void wire_assert_serves(const struct fixture *fixture)
{
	int64_t begin_ns = ph_now_ns();
	int fd = wire_client(fixture);

	assert_string_equal(wire_ask(fd, "vget /unrealcv/echo alive"), "alive");
	assert_true(ph_now_ns() - begin_ns < INT64_C(10000000000)); /* a second, tenfold slack */
	close(fd);
}
