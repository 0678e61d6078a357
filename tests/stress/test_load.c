/* SPDX-License-Identifier: MIT */
/* Many clients at once, some of them killed in the middle: nothing is lost, doubled or out of
 * order, nobody waits for ever, and the server is afterwards what it was before.
 *
 * The short form takes seconds; PH_TEST_FULL makes it a minute with 8K pictures. */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

enum { CLIENTS = 32 };

static int batch_size(void)
{
	return test_full() ? 5000 : 1000;
}

static int duration_s(void)
{
	return test_full() ? 60 : 4;
}

/* A client's own sequence of numbers. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void check(bool good, const char *what, const char *reply)
{
	if (good)
		return;
	fprintf(stderr, "client %d: %s: '%.200s'\n", (int)getpid(), what, reply ? reply : "");
	_exit(1);
}

/* --- one client, in a process of its own ----------------------------------------------------- */

struct buffer {
	char *bytes;
	size_t length, capacity;
};

static void add_request(struct buffer *buffer, int id, const char *command)
{
	char payload[256];
	int length = snprintf(payload, sizeof(payload), "%d:%s", id, command);

	if (buffer->length + 8 + (size_t)length > buffer->capacity) {
		buffer->capacity = 2 * buffer->capacity + 4096;
		buffer->bytes = realloc(buffer->bytes, buffer->capacity);
	}
	unsigned char *at = (unsigned char *)buffer->bytes + buffer->length;
	memcpy(at, "\xC1\x83\x2B\x9E", 4);
	for (int i = 0; i < 4; i++)
		at[4 + i] = (unsigned char)(length >> 8 * i);
	memcpy(at + 8, payload, (size_t)length);
	buffer->length += 8 + (size_t)length;
}

static void expect(int fd, int id, const char *start)
{
	struct packet packet;
	char expected[128];
	int length = snprintf(expected, sizeof(expected), "%d:%s", id, start);

	check(wire_receive(fd, &packet), "the server closed the connection", start);
	bool good = packet.length >= (size_t)length &&
		    memcmp(packet.bytes, expected, (size_t)length) == 0;
	check(good, expected, (char *)packet.bytes);
	packet_free(&packet);
}

/* Each number is set and read back within one pipeline: an answer that belongs to another request,
 * or another client, is seen. Object `name` is this client's own. */
static void run_pipeline(int fd, const char *name, uint32_t *random)
{
	struct buffer buffer = {0};
	int count = batch_size();
	int first = (int)(next_random(random) % 100000);
	char command[256];

	for (int i = 0; i < count; i++) {
		if (i % 2)
			snprintf(command, sizeof(command), "vget /object/%s/location", name);
		else
			snprintf(command, sizeof(command), "vset /object/%s/location %d 2 3", name,
				 first + i);
		add_request(&buffer, first + i, command);
	}
	wire_send(fd, buffer.bytes, buffer.length);
	free(buffer.bytes);
	for (int i = 0; i < count; i++) {
		snprintf(command, sizeof(command), "%d.000 2.000 3.000", first + i - 1);
		expect(fd, first + i, i % 2 ? command : "ok");
	}
}

static void take_picture(int fd, int camera)
{
	char command[128];
	struct packet packet;

	snprintf(command, sizeof(command), "9:vget /camera/%d/lit bmp", camera);
	wire_send_packet(fd, command);
	check(wire_receive(fd, &packet), "the server closed the connection", command);
	check(packet.length > 56 && memcmp(packet.bytes, "9:BM", 4) == 0, "no picture",
	      (char *)packet.bytes);
	packet_free(&packet);
	snprintf(command, sizeof(command), "10:vget /camera/%d/depth_shared", camera);
	wire_send_packet(fd, command);
	expect(fd, 10, "{\"transport\":\"posix_shared_memory\"");
}

static _Noreturn void be_a_client(int port, int number, bool ends)
{
	uint32_t random = 77u + (uint32_t)number * 7919u + (uint32_t)getpid();
	int64_t end_ns = ph_now_ns() + (int64_t)duration_s() * 1000000000;
	char name[64], command[128];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!ends || ph_now_ns() < end_ns) {
		int fd = wire_connect_tcp(port);
		struct packet greeting;
		check(wire_receive(fd, &greeting), "no greeting", NULL);
		packet_free(&greeting);
		snprintf(name, sizeof(name), "c%d_%u", (int)getpid(), next_random(&random));
		snprintf(command, sizeof(command), "1:vset /objects/spawn Cube %s", name);
		wire_send_packet(fd, command);
		expect(fd, 1, name);
		for (int i = 0; i < 3; i++) {
			run_pipeline(fd, name, &random);
			if (number % 8 == 0)
				take_picture(fd, 1 + number / 8 % 2);
		}
		snprintf(command, sizeof(command), "2:vset /object/%s/destroy", name);
		wire_send_packet(fd, command);
		expect(fd, 2, "ok");
		close(fd);
	}
	_exit(0);
}

/* --- the server, seen from outside ----------------------------------------------------------- */

struct state {
	int descriptors, regions;
	long resident_kb;
};

static int count_entries(const char *folder, const char *prefix)
{
	DIR *open_folder = opendir(folder);
	int count = 0;

	for (struct dirent *entry; open_folder && (entry = readdir(open_folder));)
		count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	if (open_folder)
		closedir(open_folder);
	return count;
}

static struct state look(void)
{
	char prefix[64], line[256];
	struct state state = {.descriptors = count_entries("/proc/self/fd", "")};
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmRSS: %ld", &state.resident_kb);
	if (file)
		fclose(file);
	snprintf(prefix, sizeof(prefix), "UnrealCV_%d_", (int)getpid());
	state.regions = count_entries("/dev/shm", prefix);
	return state;
}

/* A quarter of a second of single requests: the median. */
static int64_t answer_time_ns(int fd)
{
	enum { COUNT = 200 };
	int64_t times[COUNT];

	for (int i = 0; i < COUNT; i++) {
		int64_t begin_ns = ph_now_ns();
		wire_ask(fd, "vget /unrealcv/status");
		int64_t time_ns = ph_now_ns() - begin_ns;
		int to = i;
		for (; to > 0 && times[to - 1] > time_ns; to--)
			times[to] = times[to - 1];
		times[to] = time_ns;
	}
	return times[COUNT / 2];
}

/* --- the crowd, which a process without threads starts and ends ------------------------------ */

static pid_t start_client(int port, int number, bool ends)
{
	pid_t child = fork();

	if (child == 0)
		be_a_client(port, number, ends);
	return child;
}

/* Kills one of the clients that go on for ever, now and then, and starts another in its place. */
static int kill_at_random(int port, pid_t *victims, int count)
{
	int64_t end_ns = ph_now_ns() + (int64_t)duration_s() * 1000000000;
	uint32_t random = 4711;
	int failed = 0;

	while (ph_now_ns() < end_ns) {
		int at = (int)(next_random(&random) % (uint32_t)count), status;
		usleep(next_random(&random) % 40000);
		kill(victims[at], SIGKILL);
		waitpid(victims[at], &status, 0);
		failed += !WIFSIGNALED(status); /* it had ended by itself */
		victims[at] = start_client(port, 100 + at, false);
	}
	for (int i = 0; i < count; i++) {
		kill(victims[i], SIGKILL);
		waitpid(victims[i], NULL, 0);
	}
	return failed;
}

static _Noreturn void be_the_crowd(int port)
{
	pid_t clients[CLIENTS];
	int failed;

	for (int i = 0; i < CLIENTS; i++)
		clients[i] = start_client(port, i, i < CLIENTS / 2);
	failed = kill_at_random(port, clients + CLIENTS / 2, CLIENTS / 2);
	for (int i = 0; i < CLIENTS / 2; i++) {
		int status;
		waitpid(clients[i], &status, 0);
		failed += status != 0;
	}
	_exit(failed);
}

/* Before there is a thread; it begins when it is told the port. */
static pid_t start_crowd(int *to_crowd)
{
	int ends[2], port;

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		if (read(ends[0], &port, sizeof(port)) == sizeof(port))
			be_the_crowd(port);
		_exit(1);
	}
	close(ends[0]);
	*to_crowd = ends[1];
	return child;
}

static void wait_until_alone(const struct state *before)
{
	struct state now = look();

	for (int i = 0; i < 1000; i++) {
		if (now.descriptors <= before->descriptors && now.regions <= before->regions)
			break;
		usleep(10000);
		now = look();
	}
	assert_int_equal(now.descriptors, before->descriptors);
	assert_int_equal(now.regions, before->regions);
}

SLOW_TEST(a_crowd_of_clients_is_served_and_leaves_nothing_behind, 600)
{
	int to_crowd, status;
	pid_t crowd = start_crowd(&to_crowd);
	WITH_CLIENT(fixture, fd, .width_px = 64, .height_px = 48);
	int port = ph_server_port(fixture.server);

	assert_string_equal(wire_ask(fd, "vset /objects/spawn FusionCameraActor CamA"), "CamA");
	assert_string_equal(wire_ask(fd, "vset /objects/spawn FusionCameraActor CamB"), "CamB");
	assert_string_equal(wire_ask(fd, test_full() ? "vset /camera/1/size 7680 4320"
						     : "vset /camera/1/size 1280 720"), "ok");
	/* The renderer keeps what it has drawn into; a connection's own memory goes with it. */
	assert_int_equal(wire_ask(fd, "vget /camera/1/depth_shared")[0], '{');
	free(wire_ask_bmp(fd, "vget /camera/2/lit bmp", 64, 48));
	char *objects = strdup(wire_ask(fd, "vget /objects"));
	struct state before = look();
	int64_t before_ns = answer_time_ns(fd);

	assert_int_equal(write(to_crowd, &port, sizeof(port)), sizeof(port));
	assert_int_equal(waitpid(crowd, &status, 0), crowd);
	assert_int_equal(status, 0);
	wait_until_alone(&before);

	/* What the killed have left in the scene is theirs; all else is as it was. */
	assert_int_equal(strncmp(wire_ask(fd, "vget /objects"), objects, strlen(objects)), 0);
	free(objects);
	int64_t after_ns = answer_time_ns(fd);
	close(to_crowd);
	printf("# answered in %lld us before and %lld us after; %ld MB resident before, %ld after\n",
	       (long long)before_ns / 1000, (long long)after_ns / 1000, before.resident_kb / 1024,
	       look().resident_kb / 1024);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed */
	assert_true(look().resident_kb < before.resident_kb + 100 * 1024);
#endif
	close(fd);
	fixture_stop(&fixture);
}

/* Replies of 8K pictures are on their way while a status is asked: it does not wait for them. */
SLOW_TEST(a_status_does_not_wait_for_another_clients_picture, 300)
{
	WITH_CLIENT(fixture, fd, .width_px = 7680, .height_px = 4320);
	int other = wire_client(&fixture);
	int64_t longest_ns = 0, total_ns = ph_now_ns();
	struct packet packet;

	wire_send_packet(fd, "1:vget /camera/0/lit bmp");
	for (int i = 0; i < 100; i++) {
		int64_t begin_ns = ph_now_ns();
		assert_non_null(strstr(wire_ask(other, "vget /unrealcv/status"), "Port: "));
		int64_t time_ns = ph_now_ns() - begin_ns;
		longest_ns = time_ns > longest_ns ? time_ns : longest_ns;
	}
	assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0), 0);
	assert_true(wire_receive(fd, &packet));
	assert_int_equal(packet.length, 2 + 54 + 7680 * 4320 * 4);
	packet_free(&packet);
	total_ns = ph_now_ns() - total_ns;
	printf("# at longest %lld us, while the picture took %lld ms\n",
	       (long long)longest_ns / 1000, (long long)total_ns / 1000000);
	close(other);
	close(fd);
	fixture_stop(&fixture);
}
