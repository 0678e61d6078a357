/* SPDX-License-Identifier: MIT */
/* How many text commands a server answers, and how soon: a client and a server of one machine, each
 * a process, over the Unix socket and over TCP. Next to it, in the same run, what two bare
 * processes take that only pass the same bytes to and fro. Prints one JSON object a line.
 *
 *     bench-commands [SECONDS]     of each measurement; 1 at first
 *
 * pipelined: IN_FLIGHT commands in one send; each: a send of its own for each command, as many in
 * flight; single: one command, then its reply, before the next. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pinhole/server.h>

enum { IN_FLIGHT = 64, HEADER_BYTES = 8, READ_BYTES = 1 << 16, SAMPLES_MAX = 2000000 };

static const char *const commands[] = {
	"vget /camera/0/location",
	"vset /camera/0/location 100.5 -20.25 150",
	"vget /camera/0/rotation",
	"vset /camera/0/rotation -10.0 90.0 0.0",
	"vset /camera/0/pose 100.500 -20.250 150.000 -10.000 90.000 0.000",
	"vget /camera/0/pose",
	"vget /object/RedSphere/location",
	"vset /object/RedSphere/location -170.0 85.0 36.0",
	"vget /object/RedSphere/color",
	"vget /object/Domino3/bounds",
	"vget /camera/0/fov",
	"vget /camera/0/size",
	"vget /unrealcv/echo something",
	"vget /action/game/is_paused",
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench-commands: %s: %s\n", what, ph_last_error());
	exit(1);
}

/* --- the server ---------------------------------------------------------------------------------
 */

static ph_server *running;

static void stop(int signal_number)
{
	(void)signal_number;
	ph_server_stop(running);
}

/* Tells its port through the pipe when it can be spoken to. */
static _Noreturn void serve(int to_parent, const char *unix_path)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ph_server_create(PH_SERVER_OPTIONS(.unix_path = unix_path), &running) < 0)
		die("cannot start a server");
	signal(SIGTERM, stop);
	int port = ph_server_port(running);
	if (write(to_parent, &port, sizeof(port)) != sizeof(port))
		_exit(1);
	ph_status status = ph_server_run(running);
	ph_server_close(&running);
	_exit(status < 0);
}

static pid_t start_server(const char *unix_path, int *port)
{
	int ends[2];

	if (pipe(ends) != 0)
		die("no pipe");
	pid_t child = fork();
	if (child == 0)
		serve(ends[1], unix_path);
	close(ends[1]);
	if (read(ends[0], port, sizeof(*port)) != sizeof(*port))
		exit(1);
	close(ends[0]);
	return child;
}

/* --- sockets ------------------------------------------------------------------------------------
 */

static void read_all(int fd, void *to, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t count = recv(fd, (char *)to + done, length - done, 0);
		if (count <= 0)
			die("the connection ended");
		done += (size_t)count;
	}
}

static void send_all(int fd, const void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t count = send(fd, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
		if (count <= 0)
			die("the connection ended");
		done += (size_t)count;
	}
}

static int connect_tcp(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		die("cannot connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	return fd;
}

static int connect_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		die("cannot connect");
	return fd;
}

/* --- packets ------------------------------------------------------------------------------------
 */

struct packet {
	unsigned char bytes[256];
	size_t length;
};

static struct packet packets[COMMAND_COUNT];

static void make_packets(void)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		char *payload = (char *)packets[i].bytes + HEADER_BYTES;
		size_t length = (size_t)snprintf(payload, 200, "%d:%s", i, commands[i]);
		memcpy(packets[i].bytes, "\xC1\x83\x2B\x9E", 4);
		for (int k = 0; k < 4; k++)
			packets[i].bytes[4 + k] = (unsigned char)(length >> 8 * k);
		packets[i].length = HEADER_BYTES + length;
	}
}

struct reader {
	int fd;
	unsigned char bytes[READ_BYTES];
	size_t begin, end;
};

static size_t payload_length(const unsigned char *header)
{
	return header[4] | (size_t)header[5] << 8 | (size_t)header[6] << 16 |
	       (size_t)header[7] << 24;
}

/* Takes one reply and checks that it is no error. */
static void take_reply(struct reader *reader)
{
	for (;;) {
		size_t length = reader->end - reader->begin;
		unsigned char *at = reader->bytes + reader->begin;
		if (length >= HEADER_BYTES && length >= HEADER_BYTES + payload_length(at)) {
			const void *colon = memchr(at + HEADER_BYTES, ':', payload_length(at));
			if (!colon || memcmp((const char *)colon + 1, "error", 5) == 0)
				die("the server answered an error");
			reader->begin += HEADER_BYTES + payload_length(at);
			return;
		}
		memmove(reader->bytes, at, length);
		reader->begin = 0;
		reader->end = length;
		ssize_t count = recv(reader->fd, reader->bytes + length, READ_BYTES - length, 0);
		if (count <= 0)
			die("the connection ended");
		reader->end += (size_t)count;
	}
}

/* --- measurements -------------------------------------------------------------------------------
 */

static double measure_rate(int fd, bool each_by_itself, int64_t duration_ns)
{
	static struct reader reader;
	static unsigned char window[IN_FLIGHT * sizeof(packets[0].bytes)];
	int64_t begin_ns = ph_now_ns();
	uint64_t answered = 0, sent = 0;

	reader = (struct reader){.fd = fd};
	while (ph_now_ns() - begin_ns < duration_ns) {
		size_t length = 0;
		for (; sent < answered + IN_FLIGHT; sent++) {
			const struct packet *packet = &packets[sent % COMMAND_COUNT];
			if (each_by_itself)
				send_all(fd, packet->bytes, packet->length);
			else
				memcpy(window + length, packet->bytes, packet->length);
			length += packet->length;
		}
		if (!each_by_itself)
			send_all(fd, window, length);
		for (int i = 0; i < IN_FLIGHT / 2; i++, answered++)
			take_reply(&reader);
	}
	int64_t end_ns = ph_now_ns();
	double rate = (double)answered * 1e9 / (double)(end_ns - begin_ns);
	for (; answered < sent; answered++)
		take_reply(&reader);
	return rate;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

struct times {
	double p50_ns, p99_ns;
	size_t count;
};

static struct times judge(int64_t *samples, size_t count)
{
	qsort(samples, count, sizeof(samples[0]), by_value);
	return (struct times){(double)samples[count / 2], (double)samples[count * 99 / 100], count};
}

static struct times measure_single(int fd, int64_t duration_ns)
{
	static struct reader reader;
	static int64_t samples[SAMPLES_MAX];
	int64_t begin_ns = ph_now_ns(), now_ns = begin_ns;
	size_t count = 0;

	reader = (struct reader){.fd = fd};
	while (now_ns - begin_ns < duration_ns && count < SAMPLES_MAX) {
		const struct packet *packet = &packets[count % COMMAND_COUNT];
		int64_t before_ns = now_ns;
		send_all(fd, packet->bytes, packet->length);
		take_reply(&reader);
		now_ns = ph_now_ns();
		samples[count++] = now_ns - before_ns;
	}
	return judge(samples, count);
}

/* --- the floor: nothing but the bytes ------------------------------------------------------------
 */

/* Waits in recv(), or, as whoever serves several clients must, in epoll_wait(). */
static _Noreturn void bounce(int fd, bool by_epoll)
{
	struct epoll_event event = {.events = EPOLLIN};
	int poller = epoll_create1(EPOLL_CLOEXEC);
	char bytes[256];
	ssize_t length;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (by_epoll)
		epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
	while ((!by_epoll || epoll_wait(poller, &event, 1, -1) == 1) &&
	       (length = recv(fd, bytes, sizeof(bytes), 0)) > 0)
		send_all(fd, bytes, (size_t)length);
	_exit(0);
}

static void make_pair(bool tcp, int ends[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	if (!tcp) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
			die("no sockets");
		return;
	}
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &length) != 0)
		die("no sockets");
	ends[0] = connect_tcp(ntohs(address.sin_port));
	ends[1] = accept(listener, NULL, NULL);
	setsockopt(ends[1], IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	close(listener);
}

static struct times measure_floor(bool tcp, bool by_epoll, int64_t duration_ns)
{
	static int64_t samples[SAMPLES_MAX];
	char bytes[256];
	size_t count = 0;
	int ends[2];

	make_pair(tcp, ends);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		bounce(ends[1], by_epoll);
	}
	close(ends[1]);
	int64_t begin_ns = ph_now_ns(), now_ns = begin_ns;
	while (now_ns - begin_ns < duration_ns && count < SAMPLES_MAX) {
		const struct packet *packet = &packets[count % COMMAND_COUNT];
		int64_t before_ns = now_ns;
		send_all(ends[0], packet->bytes, packet->length);
		read_all(ends[0], bytes, packet->length);
		now_ns = ph_now_ns();
		samples[count++] = now_ns - before_ns;
	}
	close(ends[0]);
	waitpid(child, NULL, 0);
	return judge(samples, count);
}

static void measure(bool tcp, int fd, int64_t duration_ns)
{
	const char *transport = tcp ? "tcp" : "unix";
	unsigned char greeting[256];

	read_all(fd, greeting, HEADER_BYTES);
	read_all(fd, greeting + HEADER_BYTES, payload_length(greeting));
	measure_rate(fd, false, duration_ns / 5); /* warm */
	printf("{\"bench\":\"commands\",\"transport\":\"%s\",\"mode\":\"pipelined\",\"in_flight\":%"
	       "d,"
	       "\"per_s\":%.0f}\n",
	       transport, IN_FLIGHT, measure_rate(fd, false, duration_ns));
	printf("{\"bench\":\"commands\",\"transport\":\"%s\",\"mode\":\"each\",\"in_flight\":%d,"
	       "\"per_s\":%.0f}\n",
	       transport, IN_FLIGHT, measure_rate(fd, true, duration_ns));
	struct times floor = measure_floor(tcp, false, duration_ns);
	struct times epoll_floor = measure_floor(tcp, true, duration_ns);
	struct times single = measure_single(fd, duration_ns);
	printf("{\"bench\":\"commands\",\"transport\":\"%s\",\"mode\":\"single\",\"samples\":%zu,"
	       "\"p50_ns\":%.0f,\"p99_ns\":%.0f,\"floor_p50_ns\":%.0f,\"floor_p99_ns\":%.0f,"
	       "\"epoll_floor_p50_ns\":%.0f,\"epoll_floor_p99_ns\":%.0f,"
	       "\"p50_ratio\":%.3f,\"p99_ratio\":%.3f,\"epoll_p50_ratio\":%.3f}\n",
	       transport, single.count, single.p50_ns, single.p99_ns, floor.p50_ns, floor.p99_ns,
	       epoll_floor.p50_ns, epoll_floor.p99_ns, single.p50_ns / floor.p50_ns,
	       single.p99_ns / floor.p99_ns, single.p50_ns / epoll_floor.p50_ns);
	fflush(stdout);
	close(fd);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	char path[64];
	int port;

	if (!(seconds >= 0.01 && seconds <= 3600)) {
		fprintf(stderr, "usage: bench-commands [SECONDS]\n");
		return 2;
	}
	make_packets();
	snprintf(path, sizeof(path), "/tmp/bench-commands-%d.socket", (int)getpid());
	pid_t server = start_server(path, &port);
	measure(false, connect_unix(path), (int64_t)(seconds * 1e9));
	measure(true, connect_tcp(port), (int64_t)(seconds * 1e9));
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	return 0;
}
