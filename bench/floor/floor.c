/* SPDX-License-Identifier: MIT */
#include "floor/floor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLLUTION_BYTES = 64 << 20, SOCKET_BUFFER_BYTES = 4 << 20 };

struct request {
	uint64_t length;
	uint64_t by_tcp;
};

struct answer {
	int64_t preparation_ns;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *map(uint64_t length, int flags)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE,
			    flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static int read_all(int fd, void *to, uint64_t length)
{
	for (uint64_t done = 0; done < length;) {
		ssize_t count = recv(fd, (char *)to + done, length - done, 0);
		if (count <= 0)
			return -1;
		done += (uint64_t)count;
	}
	return 0;
}

static int write_all(int fd, struct iovec pieces[2])
{
	while (pieces[0].iov_len + pieces[1].iov_len > 0) {
		ssize_t count = writev(fd, pieces, 2);
		if (count < 0)
			return -1;
		for (int i = 0; i < 2; i++) {
			size_t part = (size_t)count < pieces[i].iov_len ? (size_t)count
									: pieces[i].iov_len;
			pieces[i].iov_base = (char *)pieces[i].iov_base + part;
			pieces[i].iov_len -= part;
			count -= (ssize_t)part;
		}
	}
	return 0;
}

static void serve(int fd, unsigned char *shared, uint64_t limit_bytes)
{
	unsigned char *pollution = map(POLLUTION_BYTES, MAP_PRIVATE);
	unsigned char *source = map(limit_bytes, MAP_PRIVATE);
	unsigned char *picture = map(limit_bytes, MAP_PRIVATE);
	struct request request;

	for (int round = 1;
	     pollution && source && picture && read_all(fd, &request, sizeof(request)) == 0;
	     round++) {
		int64_t begin_ns = now_ns();
		memset(pollution, round, POLLUTION_BYTES);
		memcpy(request.by_tcp ? picture : shared, source, request.length);
		struct answer answer = {now_ns() - begin_ns};
		struct iovec pieces[2] = {{&answer, sizeof(answer)},
					  {picture, request.by_tcp ? request.length : 0}};
		if (write_all(fd, pieces) != 0)
			break;
	}
	_exit(0);
}

static void tune(int fd)
{
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_BUFFER_BYTES}, sizeof(int));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){SOCKET_BUFFER_BYTES}, sizeof(int));
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) != 0)
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

/* Two ends of one TCP connection over the loopback device. */
static int tcp_pair(int ends[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ends[1] = -1;
	if (bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0 &&
	    getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
	    connect(ends[0], (struct sockaddr *)&address, length) == 0)
		ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
	if (ends[1] < 0) {
		close(ends[0]);
		return -1;
	}
	tune(ends[0]);
	tune(ends[1]);
	return 0;
}

int floor_open(struct floor *floor, uint64_t limit_bytes)
{
	int ends[2];

	*floor = (struct floor){.fd = -1, .limit_bytes = limit_bytes};
	floor->shared = map(limit_bytes, MAP_SHARED);
	if (!floor->shared || tcp_pair(ends) != 0)
		return -1;
	floor->process = fork();
	if (floor->process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		serve(ends[1], floor->shared, limit_bytes);
	}
	close(ends[1]);
	floor->fd = ends[0];
	return floor->process < 0 ? -1 : 0;
}

void floor_close(struct floor *floor)
{
	if (floor->fd >= 0)
		close(floor->fd);
	if (floor->process > 0)
		waitpid(floor->process, NULL, 0);
	if (floor->shared)
		munmap(floor->shared, floor->limit_bytes);
	*floor = (struct floor){.fd = -1};
}

static int ask(struct floor *floor, uint64_t length, uint64_t by_tcp, struct answer *answer)
{
	struct request request = {length, by_tcp};

	if (length > floor->limit_bytes || send(floor->fd, &request, sizeof(request), 0) < 0)
		return -1;
	return read_all(floor->fd, answer, sizeof(*answer));
}

int64_t floor_tcp_ns(struct floor *floor, void *to, uint64_t length)
{
	struct answer answer;
	int64_t begin_ns = now_ns();

	if (ask(floor, length, 1, &answer) != 0 || read_all(floor->fd, to, length) != 0)
		return -1;
	return now_ns() - begin_ns - answer.preparation_ns;
}

int64_t floor_copy_ns(struct floor *floor, void *to, uint64_t length)
{
	struct answer answer;

	if (ask(floor, length, 0, &answer) != 0)
		return -1;
	int64_t begin_ns = now_ns();
	memcpy(to, floor->shared, length);
	return now_ns() - begin_ns;
}
