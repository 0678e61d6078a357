/* SPDX-License-Identifier: MIT */
/* The connection: framing, time, losses, addresses. What replies mean is in test_reply.c. */
#include "test.h"
#include "toy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <pinhole/client.h>

enum { MILLISECOND = 1000000 };

static ph_client *connect_within(const struct toy *toy, int64_t timeout_ns)
{
	ph_client *client;

	ph_status status = ph_client_connect(toy->address,
					     PH_CLIENT_OPTIONS(.timeout_ns = timeout_ns), &client);
	if (status != PH_OK)
		fail_msg("%s: %s", ph_status_name(status), ph_last_error());
	return client;
}

static ph_client *connect_to(const struct toy *toy)
{
	return connect_within(toy, 0);
}

/* One request, answered by `reply` as it is: what the client says of it, and of the next one. */
static ph_status ask_once(struct bytes reply, bool stay, ph_status *next)
{
	struct toy toy = {.replies = {reply}, .reply_count = 1, .stay = stay};
	ph_reply answer;

	toy_start(&toy);
	ph_client *client = connect_within(&toy, 300 * MILLISECOND);
	ph_status status = ph_client_request(client, "vget /x", &answer);
	if (status != PH_OK)
		*next = ph_client_request(client, "vget /y", &answer);
	ph_client_close(&client);
	toy_stop(&toy);
	return status;
}

static void assert_lost(struct bytes reply, bool stay, ph_status expected)
{
	ph_status next;

	assert_int_equal(ask_once(reply, stay, &next), expected);
	assert_int_equal(next, PH_EPEER);
}

TEST(a_request_leaves_as_the_protocol_says_and_its_text_comes_back)
{
	static const char expected[] = "\xC1\x83\x2B\x9E\x18\0\0\0"
				       "0:vget /unrealcv/version";
	struct toy toy = {.replies = {toy_text("0:2.0.0")}, .reply_count = 1, .stay = true};
	ph_reply reply;

	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	assert_string_equal(ph_client_scene(client), "Toys");
	assert_int_equal(ph_client_request(client, "vget /unrealcv/version", &reply), PH_OK);
	assert_int_equal(reply.kind, PH_REPLY_TEXT);
	assert_string_equal(reply.text, "2.0.0");
	assert_int_equal(reply.bytes_length, 5);
	ph_client_close(&client);
	toy_stop(&toy);
	assert_int_equal(toy.request_bytes, sizeof(expected) - 1);
	assert_memory_equal(toy.requests, expected, sizeof(expected) - 1);
}

TEST(ids_count_up_from_zero)
{
	struct toy toy = {.reply_count = 12, .stay = true};
	char text[32];
	ph_reply reply;

	for (int i = 0; i < toy.reply_count; i++) {
		snprintf(text, sizeof(text), "%d:answer %d", i, i);
		toy.replies[i] = toy_text(text);
	}
	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	for (int i = 0; i < toy.reply_count; i++) {
		snprintf(text, sizeof(text), "answer %d", i);
		assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_OK);
		assert_string_equal(reply.text, text);
	}
	ph_client_close(&client);
	toy_stop(&toy);
}

TEST(a_reply_split_at_any_byte_is_the_same_reply)
{
	for (size_t split = 1; split < 8 + 17; split++) {
		struct toy toy = {.replies = {toy_text("0:a b"), toy_text("1:"),
					      toy_text("2:c")},
				  .reply_count = 3,
				  .split = split,
				  .pause_ms = 2,
				  .stay = true};
		ph_reply reply;
		toy_start(&toy);
		ph_client *client = connect_to(&toy);
		assert_string_equal(ph_client_scene(client), "Toys");
		assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_OK);
		assert_string_equal(reply.text, "a b");
		assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_OK);
		assert_string_equal(reply.text, "");
		assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_OK);
		assert_string_equal(reply.text, "c");
		ph_client_close(&client);
		toy_stop(&toy);
	}
}

TEST(a_reply_that_breaks_the_framing_ends_the_connection)
{
	assert_lost(toy_text("1:wrong id"), true, PH_EFORMAT);
	assert_lost(toy_text("00:wrong id"), true, PH_EFORMAT);
	assert_lost(toy_text("no id"), true, PH_EFORMAT);
	assert_lost(toy_text("0"), true, PH_EFORMAT);
	assert_lost(toy_frame("", 0), true, PH_EFORMAT);
	struct bytes wrong = toy_text("0:x");
	((unsigned char *)wrong.at)[0] = 0xC0;
	assert_lost(wrong, true, PH_EFORMAT);
	struct bytes more = toy_text("0:x????");
	((unsigned char *)more.at)[4] = 3;
	assert_lost(more, true, PH_EFORMAT);
}

TEST(a_server_that_leaves_is_told_from_one_that_leaves_inside_a_reply)
{
	struct bytes whole = toy_text("0:hello");

	assert_lost((struct bytes){NULL, 0}, false, PH_ECLOSED);
	for (size_t length = 1; length < whole.length; length++) {
		char *part = test_malloc(length);
		memcpy(part, whole.at, length);
		assert_lost((struct bytes){part, length}, false, PH_EPEER);
	}
	test_free((void *)whole.at);
}

TEST(a_reply_above_the_limit_is_refused_before_memory_is_taken)
{
	static const unsigned char huge[] = {0xC1, 0x83, 0x2B, 0x9E, 0xFF, 0xFF, 0xFF, 0xFF};
	unsigned char *copy = test_malloc(sizeof(huge));

	memcpy(copy, huge, sizeof(huge));
	assert_lost((struct bytes){copy, sizeof(huge)}, true, PH_ETOOBIG);
	assert_non_null(strstr(ph_last_error(), "connect anew"));
}

TEST(an_error_of_the_server_leaves_the_connection_usable)
{
	struct toy toy = {.replies = {toy_text("0:error Argument Invalid"), toy_text("1:ok")},
			  .reply_count = 2,
			  .stay = true};
	ph_reply reply;

	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_EINVAL);
	assert_string_equal(ph_last_error(), "error Argument Invalid");
	assert_string_equal(reply.text, "error Argument Invalid");
	assert_int_equal(ph_client_request(client, "vget /a\nvget /b", &reply), PH_EINVAL);
	assert_null(reply.text);
	assert_int_equal(ph_client_request(client, "vset /x", &reply), PH_OK);
	assert_string_equal(reply.text, "ok");
	ph_client_close(&client);
	toy_stop(&toy);
}

/* Milliseconds that a request takes which must end in PH_ETIMEDOUT. */
static int64_t time_out(struct toy *toy)
{
	ph_reply reply;

	toy_start(toy);
	ph_client *client = connect_within(toy, 500 * MILLISECOND);
	int64_t start_ns = ph_now_ns();
	assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_ETIMEDOUT);
	int64_t took_ms = (ph_now_ns() - start_ns) / MILLISECOND;
	assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_EPEER);
	ph_client_close(&client);
	toy_stop(toy);
	return took_ms;
}

TEST(a_silent_server_is_given_up_when_the_timeout_has_passed)
{
	struct toy toy = {.stay = true};
	assert_in_range(time_out(&toy), 500, 5000);
}

TEST(a_trickling_server_cannot_stretch_the_timeout)
{
	char payload[3000] = "0:";
	struct toy toy = {.replies = {toy_frame(payload, sizeof(payload))},
			  .reply_count = 1,
			  .trickle = 20,
			  .pause_ms = 20};
	/* The greeting is trickled too: 25 bytes, two steps. */
	assert_in_range(time_out(&toy), 500, 5000);
}

static void ignore_signal(int number)
{
	(void)number;
}

TEST(signals_disturb_neither_a_request_nor_its_timeout)
{
	struct toy toy = {.replies = {toy_text("0:late")},
			  .reply_count = 1,
			  .split = 4,
			  .pause_ms = 150,
			  .stay = true};
	struct sigaction action = {.sa_handler = ignore_signal};
	struct itimerval each = {{0, 3000}, {0, 3000}};
	ph_reply reply;

	toy_start(&toy);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
	ph_client *client = connect_within(&toy, 10000ll * MILLISECOND);
	assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_OK);
	assert_string_equal(reply.text, "late");
	ph_client_close(&client);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	toy_stop(&toy);
}

/* What ph_client_connect() says of a server with this greeting. */
static ph_status greet(struct bytes greeting, bool stay)
{
	struct toy toy = {.greeting = greeting, .stay = stay};
	ph_client *client;

	toy_start(&toy);
	ph_status status = ph_client_connect(
		toy.address, PH_CLIENT_OPTIONS(.timeout_ns = 200 * MILLISECOND), &client);
	assert_null(client);
	toy_stop(&toy);
	return status;
}

TEST(a_server_without_a_proper_greeting_is_refused)
{
	char *none = test_malloc(1), *few = test_malloc(10);

	memcpy(few, "\xC1\x83\x2B\x9E", 4);
	assert_int_equal(greet(toy_text("hello"), true), PH_EFORMAT);
	assert_int_equal(greet(toy_text("connected"), true), PH_EFORMAT);
	assert_int_equal(greet(toy_frame("connected to \0", 14), true), PH_EFORMAT);
	assert_int_equal(greet((struct bytes){none, 0}, true), PH_ETIMEDOUT);
	assert_int_equal(greet((struct bytes){few, 4}, true), PH_ETIMEDOUT);
	few = test_malloc(10);
	memcpy(few, "\xC1\x83\x2B\x9E", 4);
	assert_int_equal(greet((struct bytes){few, 4}, false), PH_EPEER);
	assert_int_equal(greet((struct bytes){test_malloc(1), 0}, false), PH_ECLOSED);
}

TEST(where_nobody_listens_the_reason_is_said)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(at);
	char address[64];
	ph_client *client;

	/* A port that is bound but not listened on. */
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	getsockname(fd, (struct sockaddr *)&at, &length);
	snprintf(address, sizeof(address), ":%d", ntohs(at.sin_port));
	assert_int_equal(ph_client_connect(address, NULL, &client), PH_ENOENT);
	assert_non_null(strstr(ph_last_error(), "is a server running there?"));
	close(fd);
	assert_int_equal(ph_client_connect("/nowhere/at/all", NULL, &client), PH_ENOENT);
	assert_int_equal(ph_client_connect("localhost", NULL, &client), PH_EINVAL);
	assert_null(client);
}

TEST(a_full_queue_of_a_unix_socket_is_waited_for_until_the_timeout)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	ph_client *client;
	int waiting[8];

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/full", test_folder());
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	for (int i = 0; i < 8; i++) {
		waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(waiting[i], (struct sockaddr *)&at, sizeof(at));
	}
	int64_t start_ns = ph_now_ns();
	ph_status status = ph_client_connect(
		at.sun_path, PH_CLIENT_OPTIONS(.timeout_ns = 100 * MILLISECOND), &client);
	assert_int_equal(status, PH_ETIMEDOUT);
	assert_in_range((ph_now_ns() - start_ns) / MILLISECOND, 100, 2000);
	for (int i = 0; i < 8; i++)
		close(waiting[i]);
	close(fd);
}

TEST(a_process_without_free_descriptors_is_told_so)
{
	struct rlimit few = {3, 64};
	ph_client *client;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(ph_client_connect("/tmp/x", NULL, &client), PH_ESYS);
	assert_non_null(strstr(ph_last_error(), strerror(EMFILE)));
	assert_null(client);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64}), 0);
}

TEST(options_of_another_size_are_read_or_refused)
{
	struct {
		ph_client_options known;
		uint64_t more;
	} newer = {.known = {.size = sizeof(newer)}, .more = 1};
	ph_client *client;

	assert_int_equal(ph_client_connect(":1", &newer.known, &client), PH_EINVAL);
	assert_non_null(strstr(ph_last_error(), "size"));
	newer.more = 0;
	assert_int_equal(ph_client_connect(":1", &newer.known, &client), PH_ENOENT);
	newer.known.size = 0;
	assert_int_equal(ph_client_connect(":1", &newer.known, &client), PH_EINVAL);
}

static void speak_over(const struct sockaddr *at, socklen_t length, const char *host)
{
	struct toy toy = {.replies = {toy_text("0:hi")}, .reply_count = 1, .stay = true};
	struct sockaddr_in6 bound;
	socklen_t bound_length = sizeof(bound);
	ph_reply reply;

	toy_start_at(&toy, at, length);
	getsockname(toy.listener, (struct sockaddr *)&bound, &bound_length);
	snprintf(toy.address, sizeof(toy.address), "%s:%d", host, ntohs(bound.sin6_port));
	ph_client *client = connect_to(&toy);
	assert_int_equal(ph_client_request(client, "vget /x", &reply), PH_OK);
	assert_string_equal(reply.text, "hi");
	ph_client_close(&client);
	toy_stop(&toy);
}

TEST(tcp_works_over_ipv4_and_over_a_host_name)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	speak_over((struct sockaddr *)&at, sizeof(at), "");
	speak_over((struct sockaddr *)&at, sizeof(at), "localhost");
}

TEST(tcp_works_over_ipv6)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};

	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		skip_test("no IPv6 loopback here: %s", strerror(errno));
	close(fd);
	speak_over((struct sockaddr *)&at, sizeof(at), "[::1]");
}
