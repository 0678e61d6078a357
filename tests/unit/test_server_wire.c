/* SPDX-License-Identifier: MIT */
/* The server at the level of bytes: greeting, ids, order, limits, malformed input, clients that
 * misbehave. protocol/unrealcv.md, sections 1 and 2. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

TEST(a_client_is_greeted_with_the_name_of_the_scene)
{
	struct fixture fixture;
	unsigned char bytes[64];
	fixture_start(&fixture, (ph_server_options){0});

	int fd = wire_connect_tcp(ph_server_port(fixture.server));
	ssize_t length = recv(fd, bytes, 8 + 20, MSG_WAITALL);
	assert_int_equal(length, 28);
	assert_memory_equal(bytes,
			    "\xC1\x83\x2B\x9E\x14\x00\x00\x00"
			    "connected to Pinhole",
			    28);

	close(fd);
	fixture_stop(&fixture);
}

TEST(a_client_of_the_unix_socket_is_served_the_same_way)
{
	struct fixture fixture;
	struct packet greeting;
	struct stat st;
	fixture_start(&fixture, (ph_server_options){0});

	assert_string_equal(ph_server_unix_path(fixture.server), fixture.socket_path);
	assert_int_equal(lstat(fixture.socket_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	int fd = wire_connect_unix(fixture.socket_path);
	assert_true(wire_receive(fd, &greeting));
	assert_string_equal((char *)greeting.bytes, "connected to Pinhole");
	assert_string_equal(wire_ask(fd, "vget /scene/name"), "Pinhole");

	packet_free(&greeting);
	close(fd);
	fixture_stop(&fixture);
	assert_int_equal(access(fixture.socket_path, F_OK), -1);
}

TEST(every_reply_carries_the_id_of_its_request_in_their_order)
{
	static const char *const ids[] = {"0", "1", "7", "7", "123456", "2147483647", "3"};
	enum { COUNT = sizeof(ids) / sizeof(ids[0]) };
	struct fixture fixture;
	char text[64];
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%s:vget /unrealcv/echo n%d", ids[i], i);
		wire_send_packet(fd, text);
	}
	for (int i = 0; i < COUNT; i++) {
		struct packet reply;
		assert_true(wire_receive(fd, &reply));
		snprintf(text, sizeof(text), "%s:n%d", ids[i], i);
		assert_string_equal((char *)reply.bytes, text);
		packet_free(&reply);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(pictures_and_texts_keep_the_order_in_which_they_were_asked_for)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){.width_px = 64, .height_px = 48});
	int fd = wire_client(&fixture);

	for (int i = 0; i < 60; i++) {
		char text[64];
		snprintf(text, sizeof(text),
			 i % 3 == 1   ? "%d:vget /camera/0/lit bmp"
			 : i % 3 == 2 ? "%d:vget /camera/0/lit png"
				      : "%d:vget /unrealcv/echo word",
			 i);
		wire_send_packet(fd, text);
	}
	for (int i = 0; i < 60; i++) {
		struct packet reply;
		char prefix[16];
		assert_true(wire_receive(fd, &reply));
		snprintf(prefix, sizeof(prefix), "%d:%s", i,
			 i % 3 == 1   ? "BM"
			 : i % 3 == 2 ? "\x89PNG"
				      : "word");
		assert_memory_equal(reply.bytes, prefix, strlen(prefix));
		packet_free(&reply);
	}
	close(fd);
	fixture_stop(&fixture);
}

/* More requests, and more replies, than all buffers on the way hold: a server that stops reading
 * while it cannot send would wait for ever, and so would this client. */
SLOW_TEST(a_client_may_send_everything_before_it_reads_anything, 120)
{
	enum { COUNT = 20000 };
	struct fixture fixture;
	char padding[1024], text[1100];
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	memset(padding, 'x', sizeof(padding) - 1);
	padding[sizeof(padding) - 1] = '\0';
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%d:vget /unrealcv/echo %s", i, padding);
		wire_send_packet(fd, text);
	}
	for (int i = 0; i < COUNT; i++) {
		struct packet reply;
		assert_true(wire_receive(fd, &reply));
		snprintf(text, sizeof(text), "%d:%s", i, padding);
		assert_string_equal((char *)reply.bytes, text);
		packet_free(&reply);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(forty_clients_at_once_are_all_greeted_and_answered)
{
	enum { COUNT = 40 };
	struct fixture fixture;
	int fds[COUNT];
	fixture_start(&fixture, (ph_server_options){.width_px = 32, .height_px = 24});

	for (int i = 0; i < COUNT; i++)
		fds[i] = wire_client(&fixture);
	for (int i = 0; i < COUNT; i++)
		wire_send_packet(fds[i], "5:vget /camera/0/lit bmp");
	for (int i = COUNT - 1; i >= 0; i--) {
		struct packet reply;
		assert_true(wire_receive(fds[i], &reply));
		assert_int_equal(reply.length, 2 + 54 + 32 * 24 * 4);
		packet_free(&reply);
		close(fds[i]);
	}
	fixture_stop(&fixture);
}

TEST(a_request_that_comes_byte_by_byte_is_answered)
{
	static const char packet[] = "\xC1\x83\x2B\x9E\x15\x00\x00\x00"
				     "4:vget /unrealcv/echo";
	struct fixture fixture;
	struct packet reply;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	for (size_t i = 0; i < sizeof(packet) - 1; i++) {
		wire_send(fd, packet + i, 1);
		usleep(1000);
	}
	assert_true(wire_receive(fd, &reply));
	assert_memory_equal(reply.bytes, "4:", 2);
	packet_free(&reply);
	close(fd);
	fixture_stop(&fixture);
}

TEST(bytes_that_are_no_packet_end_their_connection_and_no_other)
{
	static const struct {
		const char *bytes;
		size_t length;
	} cases[] = {
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11}, /* the start of TLS */
		{"\xC1\x83\x2B\x9F\x01\x00\x00\x00x", 9},             /* wrong magic */
		{"\x9E\x2B\x83\xC1\x00\x00\x00\x01x", 9},             /* the other byte order */
		{"\xC1\x83\x2B\x9E\x00\x00\x00\x00", 8},              /* length 0 */
		{"\xC1\x83\x2B\x9E\x00\x00\x00\x40", 8},              /* 1 GiB */
		{"\xC1\x83\x2B\x9E\xFF\xFF\xFF\xFF", 8},              /* 4 GiB - 1 */
		{"\xC1\x83\x2B\x9E\x01\x00\x00\x10", 8},              /* 256 MiB + 1 */
		{"\0\0\0\0\0\0\0\0\0\0\0\0", 12},
	};
	struct fixture fixture;
	struct packet reply;
	fixture_start(&fixture, (ph_server_options){0});
	int other = wire_client(&fixture);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = wire_client(&fixture);
		wire_send(fd, cases[i].bytes, cases[i].length);
		assert_false(wire_receive(fd, &reply));
		close(fd);
		wire_assert_serves(&fixture);
	}
	assert_string_equal(wire_ask(other, "vget /unrealcv/echo still"), "still");
	close(other);
	fixture_stop(&fixture);
}

TEST(a_payload_without_an_id_gets_no_reply_and_the_next_one_does)
{
	struct fixture fixture;
	struct packet reply;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	wire_send_packet(fd, "vget /unrealcv/version");
	wire_send_packet(fd, ":");
	wire_send_packet(fd, "9:vget /unrealcv/echo next");
	assert_true(wire_receive(fd, &reply));
	assert_string_equal((char *)reply.bytes, "9:next");
	packet_free(&reply);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_client_that_never_reads_holds_nobody_up)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){.width_px = 1280, .height_px = 720});
	int silent = wire_client(&fixture);

	for (int i = 0; i < 200; i++)
		wire_send_packet(silent, "1:vget /camera/0/object_mask bmp");
	for (int i = 0; i < 3; i++)
		wire_assert_serves(&fixture);
	int fd = wire_client(&fixture);
	assert_int_equal(wire_ask(fd, "vget /camera/0/object_mask bmp")[0], 'B');
	close(fd);
	close(silent);
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

/* A picture that cannot be sent whole is followed by requests that wait for it. The client reads at
 * the very moments when the server tries again: whoever wins, the requests must be answered. */
TEST(requests_behind_a_large_picture_are_answered_whenever_the_client_reads)
{
	struct fixture fixture;
	unsigned char *sink = malloc(1 << 20);
	fixture_start(&fixture, (ph_server_options){.width_px = 1536, .height_px = 1024});
	int fd = wire_client(&fixture);
	size_t expected = 0;

	for (int round = 0; round < 12; round++) {
		wire_send_packet(fd, "1:vget /camera/0/object_mask bmp");
		wire_send_packet(fd, "2:vget /unrealcv/echo behind");
		expected = 8 + 2 + 54 + 1536 * 1024 * 4 + 8 + 8;
		for (size_t got = 0; got < expected;) {
			struct pollfd ready = {.fd = fd, .events = POLLIN};
			if (poll(&ready, 1, 20000) == 0)
				fail_msg("%zu bytes of %zu, then nothing", got, expected);
			ssize_t length = recv(fd, sink, 1 << 20, 0);
			assert_true(length > 0);
			got += (size_t)length;
		}
	}
	free(sink);
	close(fd);
	fixture_stop(&fixture);
}

TEST(more_than_64_mib_of_unanswered_requests_end_the_connection)
{
	enum { CHUNK = 1 << 20 };
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);
	unsigned char *chunk = calloc(1, CHUNK);
	int sent = 0;

	/* One request that claims 200 MiB. */
	wire_send(fd, "\xC1\x83\x2B\x9E\x00\x00\x80\x0C", 8);
	for (; sent < 200; sent++)
		if (send(fd, chunk, CHUNK, MSG_NOSIGNAL) < 0)
			break;
	assert_in_range(sent, 60, 100);
	free(chunk);
	close(fd);
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

SLOW_TEST(a_client_that_leaves_in_the_middle_of_an_8k_reply_harms_nobody, 120)
{
	struct fixture fixture;
	unsigned char some[4096];
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vset /camera/0/size 7680 4320"), "ok");
	wire_send_packet(fd, "1:vget /camera/0/object_mask bmp");
	assert_true(recv(fd, some, sizeof(some), 0) > 0);
	close(fd); /* with 132 MB on the way */
	wire_assert_serves(&fixture);

	fd = wire_client(&fixture);
	wire_send_packet(fd, "1:vget /camera/0/object_mask bmp");
	close(fd); /* before it is drawn */
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

TEST(a_killed_client_is_forgotten)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});

	for (int i = 0; i < 5; i++) {
		int ready[2];
		char byte;
		assert_int_equal(pipe(ready), 0);
		pid_t client = fork();
		if (client == 0) {
			int fd = wire_client(&fixture);
			wire_send_packet(fd, "1:vget /camera/0/lit bmp");
			byte = (char)write(ready[1], "r", 1);
			for (;;)
				wire_send_packet(fd, "1:vget /unrealcv/echo x");
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
		kill(client, SIGKILL);
		waitpid(client, NULL, 0);
		close(ready[0]);
		close(ready[1]);
		wire_assert_serves(&fixture);
	}
	fixture_stop(&fixture);
}

TEST(a_client_that_comes_when_descriptors_have_run_out_is_not_left_waiting)
{
	struct fixture fixture;
	struct packet reply;
	struct rlimit before;
	fixture_start(&fixture, (ph_server_options){0});

	int fd = wire_connect_tcp(ph_server_port(fixture.server));
	assert_true(wire_receive(fd, &reply));
	packet_free(&reply);
	int late = socket(AF_INET, SOCK_STREAM, 0);
	int highest = dup(0);
	close(highest);
	getrlimit(RLIMIT_NOFILE, &before);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)highest, before.rlim_max});
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(connect(late, (struct sockaddr *)&address, length), 0);
	assert_false(wire_receive(late, &reply)); /* closed, not silent */
	setrlimit(RLIMIT_NOFILE, &before);
	close(late);
	close(fd);
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

TEST(a_probe_that_connects_and_leaves_is_survived)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});

	for (int i = 0; i < 300; i++)
		close(wire_connect_tcp(ph_server_port(fixture.server)));
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

TEST(texts_are_answered_while_another_client_waits_for_a_large_picture)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int artist = wire_client(&fixture), reader = wire_client(&fixture);

	assert_string_equal(wire_ask(artist, "vset /camera/0/size 3840 2160"), "ok");
	wire_send_packet(artist, "1:vget /camera/0/lit_shared");
	int answered = 0;
	for (struct pollfd waiting = {.fd = artist, .events = POLLIN}; poll(&waiting, 1, 0) == 0;) {
		assert_string_equal(wire_ask(reader, "vget /unrealcv/echo quick"), "quick");
		answered++;
	}
	assert_true(answered > 1);
	close(artist);
	close(reader);
	fixture_stop(&fixture);
}

TEST(a_port_in_use_is_refused_with_its_number)
{
	struct fixture fixture;
	ph_server *second;
	char port[16];
	fixture_start(&fixture, (ph_server_options){0});

	snprintf(port, sizeof(port), "%d", ph_server_port(fixture.server));
	assert_int_equal(ph_server_create(PH_SERVER_OPTIONS(.port = ph_server_port(fixture.server),
							    .unix_path = "none"),
					  &second),
			 PH_EEXIST);
	assert_null(second);
	assert_non_null(strstr(ph_last_error(), port));
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

TEST(a_socket_file_in_use_is_refused_and_a_dead_one_replaced)
{
	struct fixture fixture;
	ph_server *second;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	fixture_start(&fixture, (ph_server_options){0});

	assert_int_equal(
		ph_server_create(PH_SERVER_OPTIONS(.unix_path = fixture.socket_path), &second),
		PH_EEXIST);
	fixture_stop(&fixture);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", fixture.socket_path);
	int dead = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(dead, (struct sockaddr *)&address, sizeof(address)), 0);
	close(dead); /* as a killed server leaves it */
	fixture_start(&fixture, (ph_server_options){0});
	close(wire_connect_unix(fixture.socket_path));
	fixture_stop(&fixture);
}

TEST(a_file_in_the_place_of_the_socket_is_not_touched)
{
	ph_server *server;
	char path[128];
	struct stat st;
	snprintf(path, sizeof(path), "%s/precious", test_folder());
	close(open(path, O_CREAT | O_WRONLY, 0600));

	assert_int_equal(ph_server_create(PH_SERVER_OPTIONS(.unix_path = path), &server),
			 PH_EEXIST);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

TEST(a_deleted_socket_file_comes_back_only_when_that_was_asked_for)
{
	for (int recreate = 0; recreate < 2; recreate++) {
		struct fixture fixture;
		fixture_start(&fixture, (ph_server_options){.unix_recreate = recreate});
		int fd = wire_client(&fixture);
		assert_int_equal(unlink(fixture.socket_path), 0);
		close(fd);
		wire_assert_serves(&fixture);
		wire_assert_serves(&fixture); /* the round after the one that saw the first leave */
		assert_int_equal(access(fixture.socket_path, F_OK) == 0, recreate);
		if (recreate)
			close(wire_connect_unix(fixture.socket_path));
		fixture_stop(&fixture);
	}
}

TEST(a_server_that_is_stopped_in_the_middle_of_a_capture_leaves_nothing)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){.width_px = 1920, .height_px = 1080});
	int fd = wire_client(&fixture);

	wire_send_packet(fd, "1:vget /camera/0/lit_shared");
	wire_send_packet(fd, "2:vget /camera/0/lit bmp");
	usleep(20000);
	fixture_stop(&fixture); /* the runner looks for what is left */
	close(fd);
}

TEST(options_that_make_no_sense_are_refused)
{
	static const ph_server_options cases[] = {
		{.port = -1},
		{.port = 65536},
		{.bind_address = "localhost.example"},
		{.bind_address = ""},
		{.width_px = 20000},
		{.height_px = 20000},
		{.fov_rad = -1},
		{.fov_rad = 3.15},
		{.renderer = (ph_renderer_kind)9},
		{.scene = "scene.gltf"},
		{.output_folder = "/nonexistent/folder"},
		{.unix_path = ""},
		{.unix_path = "/a/path/that/is/far/too/long/for/a/unix/socket/because/they/end/at/"
			      "one/hundred/"
			      "and/eight/bytes/or/so"},
	};
	ph_server *server;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ph_server_options options = cases[i];
		options.size = sizeof(options);
		if (!options.unix_path)
			options.unix_path = "none";
		assert_true(ph_server_create(&options, &server) < 0);
		assert_null(server);
		assert_true(strlen(ph_last_error()) > 10);
	}
	ph_server_options unsized = {.unix_path = "none"};
	assert_int_equal(ph_server_create(&unsized, &server), PH_EINVAL);
}
