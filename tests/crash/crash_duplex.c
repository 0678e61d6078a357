/* SPDX-License-Identifier: MIT */
/* Client or server of a duplex channel is killed at every crash point. The survivor is told in
 * time, no client ever gets the answer to somebody else's request or to another one of its own, and
 * the next peer is served at once. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "die_at.h"
#include "channel/duplex.h"
#include "queue_pair.h"

enum { RING_BYTES = 1024, CALLS = 4 };

/* A request is {who, number} and padding; its answer the same bytes inverted. */
struct ask {
	uint32_t who, number;
};

static ph_status invert(void *context, ph_duplex_server *server, const ph_frame *request)
{
	struct ask ask;
	(void)context;
	memcpy(&ask, request->bytes, sizeof(ask));
	ask = (struct ask){~ask.who, ~ask.number};
	return ph_duplex_server_answer(server, &ask, sizeof(ask), -1);
}

static ph_duplex_server *make_server(void)
{
	ph_duplex_server *server;
	assert_ok(ph_duplex_server_create(
		queue_name(), PH_DUPLEX_SERVER_OPTIONS(.requests.ring_bytes = RING_BYTES),
		&server));
	return server;
}

static ph_status call(ph_duplex_client *client, uint32_t who, uint32_t number)
{
	unsigned char bytes[300] = {0};
	const struct ask ask = {who, number};
	struct ask back;
	ph_duplex_answer answer;
	memcpy(bytes, &ask, sizeof(ask));
	ph_status status =
		ph_duplex_client_call(client, bytes, 20 + number * 60 % 280, 5000 * MS, &answer);
	if (status < 0)
		return status;
	assert_int_equal(answer.frame.length_bytes, sizeof(back));
	memcpy(&back, answer.frame.bytes, sizeof(back));
	assert_int_equal(back.who, ~who);
	assert_int_equal(back.number, ~number);
	return ph_duplex_client_release(client, &answer);
}

static void report_point(const char *report)
{
	char name[128] = "the end";
	int fd = open(report, O_RDONLY);
	if (fd >= 0 && read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '?';
	if (fd >= 0)
		close(fd);
	printf("killed at %s\n", name);
	unlink(report);
}

static const ph_duplex_client_options client_options = {.size = sizeof(client_options),
							.answers.ring_bytes = RING_BYTES};

static ph_status connect_within(ph_duplex_client **client, int64_t timeout_ns)
{
	int64_t end_ns = ph_now_ns() + timeout_ns;
	ph_status status;
	while ((status = ph_duplex_client_connect(queue_name(), &client_options, client)) < 0 &&
	       ph_now_ns() < end_ns)
		nanosleep(&(struct timespec){0, MS / 2}, NULL);
	return status;
}

static void *serve(void *server)
{
	assert_ok(ph_duplex_server_serve(server, invert, NULL));
	return NULL;
}

static _Noreturn void be_server(int nth, const char *report)
{
	die_at(nth, report);
	ph_duplex_server *server = make_server();
	ph_frame request;
	while (ph_duplex_server_receive(server, 5000 * MS, &request) == PH_OK) {
		struct ask ask;
		memcpy(&ask, request.bytes, sizeof(ask));
		invert(NULL, server, &request);
		if (ask.number == CALLS)
			break;
	}
	ph_duplex_server_close(&server);
	_exit(0);
}

SLOW_TEST(a_server_killed_anywhere_is_survived, 240)
{
	char report[128];
	int points = 0, status;
	snprintf(report, sizeof(report), "%s/point", test_folder());
	queue_name();
	do {
		pid_t child = fork();
		if (child == 0)
			be_server(points, report);
		ph_duplex_client *client = NULL;
		bool has_ended = false;
		while (!client && !has_ended) {
			ph_duplex_client_connect(queue_name(), &client_options, &client);
			has_ended = !client && waitpid(child, &status, WNOHANG) == child;
			nanosleep(&(struct timespec){0, MS / 5}, NULL);
		}
		ph_status result = PH_OK;
		int64_t begun_ns = ph_now_ns();
		for (uint32_t i = 1; client && i <= CALLS && result == PH_OK; i++) {
			begun_ns = ph_now_ns();
			result = call(client, 1, i);
		}
		if (client) {
			assert_true(result == PH_OK || result == PH_EPEER || result == PH_ECLOSED);
			assert_true(ph_now_ns() - begun_ns < 1000 * MS);
			status = wait_for_child(child);
			ph_duplex_client_close(&client);
		}
		report_point(report);
		ph_duplex_server *server = make_server();
		pthread_t thread;
		pthread_create(&thread, NULL, serve, server);
		assert_ok(connect_within(&client, 1000 * MS));
		for (uint32_t i = 1; i <= 3; i++)
			assert_ok(call(client, 2, i));
		ph_duplex_client_close(&client);
		ph_duplex_server_interrupt(server);
		pthread_join(thread, NULL);
		ph_duplex_server_close(&server);
		assert_int_equal(count_leftovers(), 0);
		points++;
	} while (WIFSIGNALED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	printf("%d points\n", points);
	assert_true(points > 100);
}

static _Noreturn void be_client(int nth, const char *report)
{
	ph_duplex_client *client;
	die_at(nth, report);
	if (connect_within(&client, 1000 * MS) < 0)
		_exit(1);
	/* One unread answer and one request more than are answered in turn. */
	for (uint32_t i = 1; i <= CALLS; i++)
		if (call(client, 3, i) < 0)
			_exit(2);
	const struct ask ask = {3, 99};
	ph_duplex_client_send(client, &ask, sizeof(ask), 1000 * MS, NULL);
	ph_duplex_client_send(client, &ask, sizeof(ask), 1000 * MS, NULL);
	ph_duplex_client_close(&client);
	_exit(0);
}

SLOW_TEST(a_client_killed_anywhere_is_survived, 240)
{
	char report[128];
	int points = 0, status;
	snprintf(report, sizeof(report), "%s/point", test_folder());
	ph_duplex_server *server = make_server();
	do {
		/* A process has no thread at its fork: the server's starts afterwards. */
		int go[2];
		char byte;
		assert_int_equal(pipe(go), 0);
		pid_t child = fork();
		if (child == 0) {
			if (read(go[0], &byte, 1) != 1)
				_exit(3);
			be_client(points, report);
		}
		pthread_t thread;
		ph_duplex_client *client;
		pthread_create(&thread, NULL, serve, server);
		assert_int_equal(write(go[1], "x", 1), 1);
		status = wait_for_child(child);
		report_point(report);
		assert_ok(connect_within(&client, 1000 * MS));
		/* Rarely the server is just taking leave of the dead one and of this one with it:
		 * that is told (PH_ECLOSED), and the next connection holds. */
		ph_status first = call(client, 4, 1);
		if (first == PH_ECLOSED) {
			ph_duplex_client_close(&client);
			assert_ok(connect_within(&client, 1000 * MS));
			first = call(client, 4, 1);
		}
		assert_ok(first);
		for (uint32_t i = 2; i <= 3; i++)
			assert_ok(call(client, 4, i));
		ph_duplex_client_close(&client);
		ph_duplex_server_interrupt(server);
		pthread_join(thread, NULL);
		ph_duplex_server_close(&server);
		assert_int_equal(count_leftovers(), 0);
		server = make_server();
		close(go[0]);
		close(go[1]);
		points++;
	} while (WIFSIGNALED(status));
	ph_duplex_server_close(&server);
	assert_int_equal(WEXITSTATUS(status), 0);
	printf("%d points\n", points);
	assert_true(points > 100);
}
