/* SPDX-License-Identifier: MIT */
/* One end of a duplex channel, for interop_queue.py.
 *
 *     duplex-peer serve NAME COUNT   answers COUNT requests
 *     duplex-peer call NAME COUNT    sends COUNT requests and checks their answers
 *
 * Request i has 1 + i * 2654435761 % 2^32 % 3000 bytes, byte k of it is (7 * i + k) % 251; its
 * answer is each byte inverted. Our server refuses every 10th request. */
#include <pinhole/duplex.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS INT64_C(20000000000)

static _Noreturn void give_up(const char *what)
{
	printf("%s: %s\n", what, ph_last_error());
	exit(1);
}

static uint64_t length_of(uint64_t i)
{
	return 1 + (i * 2654435761u & 0xffffffffu) % 3000;
}

static void serve(const char *name, uint64_t count)
{
	ph_duplex_server *server;
	ph_frame request;
	void *bytes;

	if (ph_duplex_server_create(name, NULL, &server) < 0)
		give_up("create");
	printf("ready\n");
	fflush(stdout);
	for (uint64_t i = 1; i <= count; i++) {
		if (ph_duplex_server_receive(server, TIMEOUT_NS, &request) < 0)
			give_up("receive");
		if (i % 10 == 0) {
			if (ph_duplex_server_refuse(server, PH_ETOOBIG, "every tenth", TIMEOUT_NS) <
			    0)
				give_up("refuse");
			continue;
		}
		if (ph_duplex_server_claim(server, request.length_bytes, TIMEOUT_NS, &bytes) < 0)
			give_up("claim");
		for (uint64_t k = 0; k < request.length_bytes; k++)
			((unsigned char *)bytes)[k] =
				((const unsigned char *)request.bytes)[k] ^ 0xff;
		if (ph_duplex_server_publish(server, request.length_bytes) < 0)
			give_up("publish");
	}
	/* The client is the first to close: receive() then waits for another one. */
	if (ph_duplex_server_receive(server, INT64_C(500000000), &request) != PH_ETIMEDOUT)
		give_up("a request too many");
	ph_duplex_server_close(&server);
}

static void call(const char *name, uint64_t count)
{
	ph_duplex_client *client;
	ph_duplex_answer answer;
	static unsigned char bytes[4096];

	if (ph_duplex_client_connect(name, PH_DUPLEX_CLIENT_OPTIONS(.timeout_ns = TIMEOUT_NS),
				     &client) < 0)
		give_up("connect");
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t length = length_of(i);
		for (uint64_t k = 0; k < length; k++)
			bytes[k] = (unsigned char)((7 * i + k) % 251);
		if (ph_duplex_client_call(client, bytes, length, TIMEOUT_NS, &answer) < 0)
			give_up("call");
		for (uint64_t k = 0; k < length; k++)
			if (answer.frame.length_bytes != length ||
			    (((const unsigned char *)answer.frame.bytes)[k] ^ 0xff) != bytes[k])
				give_up("a wrong answer");
		if (ph_duplex_client_release(client, &answer) < 0)
			give_up("release");
	}
	ph_duplex_client_close(&client);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t count = strtoull(argv[3], NULL, 10);
	if (strcmp(argv[1], "serve") == 0)
		serve(argv[2], count);
	else
		call(argv[2], count);
	printf("done\n");
	return 0;
}
