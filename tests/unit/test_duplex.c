/* SPDX-License-Identifier: MIT */
/* The contract of <pinhole/duplex.h> and the ZeroBuffer scenarios of duplex channels (13). */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/sys.h"
#include "channel/duplex.h"
#include "queue_pair.h"

static ph_duplex_server *make_server(void)
{
	ph_duplex_server *server;
	assert_ok(ph_duplex_server_create(
		queue_name(), PH_DUPLEX_SERVER_OPTIONS(.requests.ring_bytes = 1 << 20), &server));
	return server;
}

static ph_duplex_client *make_client(uint64_t ring_bytes)
{
	ph_duplex_client *client;
	assert_ok(ph_duplex_client_connect(
		queue_name(),
		PH_DUPLEX_CLIENT_OPTIONS(.answers.ring_bytes = ring_bytes, .timeout_ns = 5000 * MS),
		&client));
	return client;
}

static void sleep_ms(int64_t ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * MS}, NULL);
}

/* Handlers. */

static ph_status echo(void *context, ph_duplex_server *server, const ph_frame *request)
{
	if (context)
		sleep_ms(*(_Atomic int *)context);
	return ph_duplex_server_answer(server, request->bytes, request->length_bytes, -1);
}

static ph_status invert(void *context, ph_duplex_server *server, const ph_frame *request)
{
	void *bytes;
	(void)context;
	ph_status status = ph_duplex_server_claim(server, request->length_bytes, -1, &bytes);
	if (status < 0)
		return status;
	for (uint64_t i = 0; i < request->length_bytes; i++)
		((unsigned char *)bytes)[i] = ((const unsigned char *)request->bytes)[i] ^ 0xff;
	return ph_duplex_server_publish(server, request->length_bytes);
}

/* "fail" fails, "silent" says nothing, "claim" claims and says nothing; all else is echoed. */
static ph_status be_moody(void *context, ph_duplex_server *server, const ph_frame *request)
{
	void *bytes;
	(void)context;
	if (memcmp(request->bytes, "fail", 4) == 0)
		return ph_queue_writer_open("", NULL, &(ph_queue_writer *){NULL});
	if (memcmp(request->bytes, "silent", 6) == 0)
		return PH_OK;
	if (memcmp(request->bytes, "claim", 5) == 0) {
		assert_ok(ph_duplex_server_claim(server, 100, -1, &bytes));
		return PH_OK;
	}
	return ph_duplex_server_answer(server, request->bytes, request->length_bytes, -1);
}

struct service {
	ph_duplex_server *server;
	ph_duplex_handler handler;
	void *context;
	pthread_t thread;
};

static void *serve(void *arg)
{
	struct service *service = arg;
	assert_ok(ph_duplex_server_serve(service->server, service->handler, service->context));
	return NULL;
}

static void start(struct service *service, ph_duplex_handler handler, void *context)
{
	*service =
		(struct service){.server = make_server(), .handler = handler, .context = context};
	pthread_create(&service->thread, NULL, serve, service);
}

static void stop(struct service *service)
{
	ph_duplex_server_interrupt(service->server);
	pthread_join(service->thread, NULL);
	ph_duplex_server_close(&service->server);
}

static void expect_echo(ph_duplex_client *client, uint64_t seed, uint64_t length)
{
	ph_duplex_answer answer;
	unsigned char *bytes = malloc(length);
	fill(bytes, seed, length);
	assert_ok(ph_duplex_client_call(client, bytes, length, 5000 * MS, &answer));
	assert_int_equal(answer.frame.length_bytes, length);
	assert_true(is_filled(answer.frame.bytes, seed, length));
	assert_ok(ph_duplex_client_release(client, &answer));
	free(bytes);
}

TEST(scenario_13_1_what_is_sent_comes_back)
{
	struct service service;
	start(&service, echo, NULL);
	ph_duplex_client *client = make_client(1 << 20);
	expect_echo(client, 1, 1);
	expect_echo(client, 2, 1024);
	expect_echo(client, 3, 102400);
	ph_duplex_client_close(&client);
	stop(&service);
	assert_int_equal(count_leftovers(), 0);
}

TEST(scenario_13_2_and_13_3_many_requests_are_answered_in_order)
{
	struct service service;
	uint64_t numbers[20];
	ph_duplex_answer answer;
	start(&service, echo, NULL);
	ph_duplex_client *client = make_client(1 << 20);
	for (int i = 0; i < 20; i++)
		assert_ok(ph_duplex_client_send(client, &i, sizeof(i), 0, &numbers[i]));
	for (int i = 0; i < 20; i++) {
		assert_ok(ph_duplex_client_receive(client, 5000 * MS, &answer));
		assert_int_equal(answer.request, numbers[i]);
		assert_memory_equal(answer.frame.bytes, &i, sizeof(i));
		assert_ok(ph_duplex_client_release(client, &answer));
	}
	assert_status(ph_duplex_client_receive(client, 0, &answer), PH_EAGAIN);
	ph_duplex_client_close(&client);
	stop(&service);
}

TEST(scenario_13_4_a_slow_handler_takes_its_time_in_order)
{
	struct service service;
	_Atomic int pause_ms = 100;
	start(&service, echo, &pause_ms);
	ph_duplex_client *client = make_client(1 << 20);
	int64_t before_ns = ph_now_ns();
	for (int i = 0; i < 3; i++)
		expect_echo(client, i, 10 + i);
	assert_true(ph_now_ns() - before_ns >= 300 * MS);
	ph_duplex_client_close(&client);
	stop(&service);
}

/* A server in a process of its own, that takes `requests` requests and then stays silent. */
static pid_t start_silent_server(void)
{
	queue_name();
	pid_t child = fork();
	if (child == 0) {
		ph_frame request;
		ph_duplex_server *server = make_server();
		ph_duplex_server_receive(server, -1, &request);
		for (;;)
			pause();
	}
	return child;
}

TEST(scenario_13_5_a_server_that_dies_while_it_handles_is_reported)
{
	ph_duplex_answer answer;
	pid_t child = start_silent_server();
	ph_duplex_client *client = make_client(1 << 20);
	assert_ok(ph_duplex_client_send(client, "x", 1, 0, NULL));
	assert_status(ph_duplex_client_receive(client, 150 * MS, &answer), PH_ETIMEDOUT);
	kill_child(child);
	int64_t before_ns = ph_now_ns();
	assert_status(ph_duplex_client_receive(client, 5000 * MS, &answer), PH_EPEER);
	assert_true(ph_now_ns() - before_ns < 1000 * MS);
	ph_duplex_client_close(&client);
	ph_duplex_server *server = make_server(); /* and a new one can take the name */
	client = make_client(4096);
	ph_duplex_client_close(&client);
	ph_duplex_server_close(&server);
	assert_int_equal(count_leftovers(), 0);
}

static ph_status double_it(void *context, ph_duplex_server *server, const ph_frame *request)
{
	static unsigned char twice[8192];
	(void)context;
	memcpy(twice, request->bytes, 4096);
	memcpy(twice + 4096, request->bytes, 4096);
	return ph_duplex_server_answer(server, twice, 8192, -1);
}

TEST(scenario_13_6_a_server_waits_while_its_answers_are_not_read)
{
	struct service service;
	unsigned char bytes[4096];
	ph_duplex_answer answer, none;
	start(&service, double_it, NULL);
	ph_duplex_client *client = make_client(10240);
	fill(bytes, 1, sizeof(bytes));
	for (int i = 0; i < 3; i++)
		assert_ok(ph_duplex_client_send(client, bytes, sizeof(bytes), 1000 * MS, NULL));
	for (int i = 0; i < 3; i++) {
		assert_ok(ph_duplex_client_receive(client, 5000 * MS, &answer));
		assert_status(ph_duplex_client_receive(client, 20 * MS, &none), PH_ETIMEDOUT);
		assert_true(is_filled((const char *)answer.frame.bytes + 4096, 1, 4096));
		assert_ok(ph_duplex_client_release(client, &answer));
	}
	ph_duplex_client_close(&client);
	stop(&service);
}

static _Atomic int allocations;
static void *count_calloc(size_t n, size_t s)
{
	allocations++;
	return calloc(n, s);
}

TEST(scenario_13_7_and_13_8_requests_and_answers_are_made_in_place_without_allocating)
{
	struct service service;
	struct ph__sys counting = ph__sys_real;
	ph_duplex_answer answer;
	int before = 0;
	void *bytes;
	counting.calloc = count_calloc;
	ph__sys = &counting;
	start(&service, invert, NULL);
	ph_duplex_client *client = make_client(1 << 20);
	for (int i = 0; i < 4; i++) {
		assert_ok(ph_duplex_client_claim(client, 10240, 0, &bytes));
		fill(bytes, i, 10240);
		assert_ok(ph_duplex_client_publish(client, 10240, NULL));
		assert_ok(ph_duplex_client_receive(client, 5000 * MS, &answer));
		for (uint64_t k = 0; k < 10240; k++)
			assert_int_equal(((const unsigned char *)answer.frame.bytes)[k],
					 pattern(i, k) ^ 0xff);
		assert_ok(ph_duplex_client_release(client, &answer));
		if (i == 0)
			before = allocations; /* the server is attached from now on */
	}
	assert_int_equal(allocations, before);
	ph_duplex_client_close(&client);
	stop(&service);
	ph__sys = &ph__sys_real;
}

TEST(scenario_13_9_a_client_that_dies_is_noticed_and_the_next_one_is_served)
{
	struct service service;
	_Atomic int pause_ms = 200;
	start(&service, echo, &pause_ms);
	pid_t child = fork();
	if (child == 0) {
		ph_duplex_client *client = make_client(1 << 20);
		for (int i = 0; i < 3; i++)
			ph_duplex_client_send(client, "of the dead", 11, 0, NULL);
		sleep_ms(100);
		raise(SIGKILL);
	}
	wait_for_child(child);
	ph_duplex_client *client = make_client(1 << 20);
	pause_ms = 0;
	for (int i = 0; i < 3; i++)
		expect_echo(client, i, 100 + i);
	ph_duplex_client_close(&client);
	stop(&service);
	assert_int_equal(count_leftovers(), 0);
}

TEST(scenario_13_10_a_server_that_closes_leaves_an_error_for_what_is_not_answered)
{
	ph_duplex_server *server = make_server();
	ph_duplex_client *client = make_client(1 << 20);
	ph_duplex_answer answer;
	ph_frame request;
	for (int i = 0; i < 5; i++)
		assert_ok(ph_duplex_client_send(client, &i, sizeof(i), 0, NULL));
	for (int i = 0; i < 3; i++) {
		assert_ok(ph_duplex_server_receive(server, 0, &request));
		assert_ok(ph_duplex_server_answer(server, request.bytes, request.length_bytes, 0));
	}
	ph_duplex_server_close(&server);
	for (int i = 0; i < 3; i++) {
		assert_ok(ph_duplex_client_receive(client, 0, &answer));
		assert_memory_equal(answer.frame.bytes, &i, sizeof(i));
		assert_ok(ph_duplex_client_release(client, &answer));
	}
	assert_status(ph_duplex_client_receive(client, -1, &answer), PH_ECLOSED);
	assert_status(ph_duplex_client_call(client, "x", 1, -1, &answer), PH_ECLOSED);
	ph_duplex_client_close(&client);
	assert_int_equal(count_leftovers(), 0);
	server = make_server();
	ph_duplex_server_close(&server);
}

TEST(a_failing_handler_never_shifts_the_answers)
{
	struct service service;
	ph_duplex_answer answer;
	start(&service, be_moody, NULL);
	ph_duplex_client *client = make_client(1 << 20);
	expect_echo(client, 1, 100);
	assert_status(ph_duplex_client_call(client, "fail", 4, 5000 * MS, &answer), PH_EINVAL);
	assert_non_null(strstr(ph_last_error(), "is empty")); /* the handler's own sentence */
	assert_true(answer.request != 0);
	assert_null(answer.frame.bytes);
	expect_echo(client, 2, 100);
	assert_status(ph_duplex_client_call(client, "silent", 6, 5000 * MS, &answer), PH_EINVAL);
	assert_status(ph_duplex_client_call(client, "claim", 5, 5000 * MS, &answer), PH_EINVAL);
	expect_echo(client, 3, 100);
	assert_status(ph_duplex_client_receive(client, 0, &answer), PH_EAGAIN);
	ph_duplex_client_close(&client);
	stop(&service);
}

TEST(an_answer_that_comes_too_late_is_not_taken_for_the_next)
{
	struct service service;
	_Atomic int pause_ms = 60;
	ph_duplex_answer answer;
	start(&service, echo, &pause_ms);
	ph_duplex_client *client = make_client(1 << 20);
	assert_status(ph_duplex_client_call(client, "first", 5, 5 * MS, &answer), PH_ETIMEDOUT);
	assert_int_equal(answer.request, 0);
	assert_status(ph_duplex_client_call(client, "second", 6, 5 * MS, &answer), PH_ETIMEDOUT);
	expect_echo(client, 3, 50);
	ph_duplex_client_close(&client);
	stop(&service);
}

TEST(a_request_left_without_answer_is_refused_when_the_next_is_received)
{
	ph_duplex_server *server = make_server();
	ph_duplex_client *client = make_client(1 << 20);
	ph_duplex_answer answer;
	ph_frame request;
	void *bytes;
	assert_status(ph_duplex_server_receive(server, 0, &request), PH_EAGAIN);
	assert_status(ph_duplex_server_claim(server, 1, 0, &bytes), PH_EINVAL);
	assert_ok(ph_duplex_client_send(client, "one", 3, 0, NULL));
	assert_ok(ph_duplex_client_send(client, "two", 3, 0, NULL));
	assert_ok(ph_duplex_server_receive(server, 0, &request));
	assert_ok(ph_duplex_server_receive(server, 0, &request));
	assert_memory_equal(request.bytes, "two", 3);
	assert_status(ph_duplex_server_refuse(server, PH_OK, "no", 0), PH_EINVAL);
	assert_ok(ph_duplex_server_refuse(server, PH_ETOOBIG, "too much", 0));
	assert_ok(ph_duplex_client_receive(client, 0, &answer));
	assert_int_equal(answer.status, PH_EINVAL);
	assert_ok(ph_duplex_client_release(client, &answer));
	assert_ok(ph_duplex_client_receive(client, 0, &answer));
	assert_int_equal(answer.status, PH_ETOOBIG);
	assert_memory_equal(answer.frame.bytes, "too much", 8);
	ph_duplex_client_close(&client);
	ph_duplex_server_close(&server);
	assert_int_equal(count_leftovers(), 0);
}

TEST(clients_come_and_go_and_each_is_served)
{
	struct service service;
	start(&service, echo, NULL);
	for (int i = 0; i < 30; i++) {
		ph_duplex_client *client = make_client(1 << 16);
		for (int k = 0; k < 3; k++)
			expect_echo(client, i * 3 + k, 1000 + i);
		ph_duplex_client_close(&client);
	}
	stop(&service);
	assert_int_equal(count_leftovers(), 0);
}

TEST(a_second_client_is_refused_while_the_first_lives)
{
	struct service service;
	ph_duplex_client *second;
	start(&service, echo, NULL);
	ph_duplex_client *client = make_client(1 << 16);
	assert_status(ph_duplex_client_connect(queue_name(), NULL, &second), PH_EEXIST);
	assert_null(second);
	expect_echo(client, 1, 100);
	ph_duplex_client_close(&client);
	stop(&service);
}

TEST(a_client_waits_for_a_late_server_and_no_longer_than_told)
{
	ph_duplex_client *client;
	ph_duplex_client_options options = {.size = sizeof(options), .timeout_ns = 20 * MS};
	assert_status(ph_duplex_client_connect(queue_name(), &options, &client), PH_ENOENT);
	assert_null(client);
	assert_int_equal(count_leftovers(), 0);
	pid_t child = fork();
	if (child == 0) {
		sleep_ms(150);
		ph_duplex_server *server = make_server();
		ph_frame request;
		assert_ok(ph_duplex_server_receive(server, 5000 * MS, &request));
		assert_ok(ph_duplex_server_answer(server, "yes", 3, -1));
		ph_duplex_server_close(&server);
		_exit(0);
	}
	ph_duplex_answer answer;
	client = make_client(4096);
	assert_ok(ph_duplex_client_call(client, "?", 1, 5000 * MS, &answer));
	ph_duplex_client_close(&client);
	assert_int_equal(wait_for_child(child), 0);
}

TEST(a_client_that_only_writes_requests_gets_its_answers_later)
{
	/* As a stock client does it: the request is on its way before the queue of answers exists.
	 */
	struct service service;
	ph_queue_writer *requests;
	ph_queue_reader *answers;
	char request_name[128], answer_name[128];
	ph_frame frame;
	start(&service, echo, NULL);
	snprintf(request_name, sizeof(request_name), "%s_request", queue_name());
	snprintf(answer_name, sizeof(answer_name), "%s_response", queue_name());
	assert_ok(ph_queue_writer_open(request_name, NULL, &requests));
	assert_ok(ph_queue_write(requests, "early", 5, 0, NULL));
	sleep_ms(150);
	assert_ok(ph_queue_reader_create(answer_name, NULL, &answers));
	assert_ok(ph_queue_acquire(answers, 5000 * MS, &frame));
	assert_memory_equal((const char *)frame.bytes + QUEUE_ANSWER_BYTES, "early", 5);
	ph_queue_writer_close(&requests);
	ph_queue_reader_close(&answers);
	stop(&service);
}

TEST(metadata_reaches_the_server)
{
	ph_duplex_server *server = make_server();
	ph_duplex_client *client = make_client(4096);
	char back[16];
	uint64_t length;
	assert_ok(ph_duplex_client_write_metadata(client, "camera 1", 8));
	assert_ok(ph_duplex_server_read_metadata(server, back, sizeof(back), &length));
	assert_int_equal(length, 8);
	assert_memory_equal(back, "camera 1", 8);
	ph_duplex_client_close(&client);
	ph_duplex_server_close(&server);
}

TEST(duplex_names_leave_room_for_their_endings)
{
	char name[300];
	ph_duplex_server *server;
	ph_duplex_client *client;
	memset(name, 'n', sizeof(name));
	memcpy(name, queue_name(), strlen(queue_name()));
	name[236] = '\0';
	assert_ok(ph_duplex_server_create(name, NULL, &server));
	assert_ok(ph_duplex_client_connect(name, NULL, &client));
	ph_duplex_client_close(&client);
	ph_duplex_server_close(&server);
	ph_duplex_client_close(&client);
	ph_duplex_server_close(&server);
	name[236] = 'n';
	name[237] = '\0';
	assert_status(ph_duplex_server_create(name, NULL, &server), PH_ETOOBIG);
	assert_status(ph_duplex_client_connect("a/b", NULL, &client), PH_EINVAL);
	assert_int_equal(count_leftovers(), 0);
}

/* Starts `run` as the first process of a PID namespace: its PID is 1, whatever ran before. */
static pid_t start_as_process_1(void (*run)(void))
{
	pid_t outside = fork();

	if (outside != 0)
		return outside;
	if (unshare(CLONE_NEWPID) != 0)
		_exit(1);
	pid_t inside = fork();
	if (inside == 0) {
		run();
		_exit(0); /* as a kill does: nothing is closed */
	}
	_exit(wait_for_child(inside));
}

static void ask_twice_and_die(void)
{
	ph_duplex_client *client = make_client(4096);
	ph_duplex_answer answer;

	for (int i = 0; i < 2; i++) {
		if (ph_duplex_client_call(client, "hi", 2, 2000 * MS, &answer) < 0)
			_exit(1);
		ph_duplex_client_release(client, &answer);
	}
}

/* The server sees nothing of the time between the two clients, in which its word of requests holds
 * the PID of a dead one. */
TEST(a_client_with_the_pid_of_a_killed_one_gets_its_answers)
{
	if (geteuid() != 0)
		skip_test("a PID namespace takes CAP_SYS_ADMIN");
	ph_duplex_server *server = make_server();
	ph_frame request;

	for (int i = 0; i < 4; i++) {
		static pid_t client;
		if (i % 2 == 0)
			client = start_as_process_1(ask_twice_and_die);
		if (i == 2) /* until it has connected and asked */
			sleep_ms(300);
		assert_ok(ph_duplex_server_receive(server, 5000 * MS, &request));
		assert_ok(ph_duplex_server_answer(server, "ok", 2, 1000 * MS));
		if (i % 2 == 1)
			assert_int_equal(wait_for_child(client), 0);
	}
	ph_duplex_client *last = make_client(4096); /* removes what the killed one left */
	ph_duplex_client_close(&last);
	ph_duplex_server_close(&server);
}

static void *stay_a_while(void *unused)
{
	(void)unused;
	ph_duplex_client *client = make_client(4096);
	sleep_ms(150);
	ph_duplex_client_close(&client);
	return NULL;
}

TEST(a_client_that_comes_and_goes_does_not_lengthen_the_servers_wait)
{
	ph_duplex_server *server = make_server();
	ph_frame request;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, stay_a_while, NULL), 0);
	sleep_ms(50);
	int64_t begun_ns = ph_now_ns();
	assert_status(ph_duplex_server_receive(server, 200 * MS, &request), PH_ETIMEDOUT);
	int64_t waited_ns = ph_now_ns() - begun_ns;
	pthread_join(thread, NULL);
	assert_true(waited_ns >= 200 * MS);
	assert_true(waited_ns < 280 * MS);
	ph_duplex_server_close(&server);
}
