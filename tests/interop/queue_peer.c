/* SPDX-License-Identifier: MIT */
/* One end of a queue, for interop_queue.py: uses what any program can use.
 *
 *     queue-peer read NAME COUNT RING_BYTES
 *     queue-peer write NAME COUNT RING_BYTES free|lockstep
 *     queue-peer more NAME COUNT RING_BYTES        as write, up to half of the ring, no metadata
 *     queue-peer runs NAME COUNT RING_BYTES RUNS   COUNT frames of one writer after the other
 *     queue-peer watch-writer NAME 0 RING_BYTES    reads until there is an error, and prints it
 *     queue-peer watch-reader NAME 0 0             writes a small frame each ms until likewise
 *
 * Frame i has 1 + i * 2654435761 % 2^32 % LIMIT bytes, byte k of it is (7 * i + k) % 251. */
#include <pinhole/queue.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_NS INT64_C(20000000000)

static _Noreturn void give_up(const char *what)
{
	printf("%s: %s\n", what, ph_last_error());
	exit(1);
}

static uint64_t length_of(uint64_t i, uint64_t limit)
{
	return 1 + (i * 2654435761u & 0xffffffffu) % limit;
}

static void fill(unsigned char *bytes, uint64_t i, uint64_t length)
{
	for (uint64_t k = 0; k < length; k++)
		bytes[k] = (unsigned char)((7 * i + k) % 251);
}

static int is_filled(const unsigned char *bytes, uint64_t i, uint64_t length)
{
	for (uint64_t k = 0; k < length; k++)
		if (bytes[k] != (7 * i + k) % 251)
			return 0;
	return 1;
}

static void read_frames(const char *name, uint64_t count, uint64_t ring_bytes)
{
	ph_queue_reader *reader;
	ph_frame frame;
	char metadata[64];
	uint64_t length;

	if (ph_queue_reader_create(name, PH_QUEUE_READER_OPTIONS(.ring_bytes = ring_bytes),
				   &reader) < 0)
		give_up("create");
	printf("ready\n");
	fflush(stdout);
	for (uint64_t i = 1; i <= count; i++) {
		if (ph_queue_acquire(reader, TIMEOUT_NS, &frame) < 0)
			give_up("acquire");
		/* A stock writer's frames stay below half of the ring: see interop_queue.py. */
		if (frame.sequence != i ||
		    frame.length_bytes != length_of(i, ring_bytes / 2 - 64) ||
		    !is_filled(frame.bytes, i, frame.length_bytes))
			give_up("a wrong frame");
		if (ph_queue_release(reader, &frame) < 0)
			give_up("release");
	}
	if (ph_queue_read_metadata(reader, metadata, sizeof(metadata), &length) < 0 ||
	    length != 11 || memcmp(metadata, "about these", 11) != 0)
		give_up("metadata");
	if (ph_queue_acquire(reader, TIMEOUT_NS, &frame) != PH_ECLOSED)
		give_up("the end of the stream");
	ph_queue_reader_close(&reader);
}

static void wait_until_drained(ph_queue_writer *writer)
{
	ph_queue_stats stats = {.size = sizeof(stats)};

	do {
		nanosleep(&(struct timespec){0, 20000}, NULL);
		if (ph_queue_writer_stats(writer, &stats) < 0)
			give_up("stats");
	} while (stats.free_bytes != stats.ring_bytes);
}

static void write_frames(const char *name, uint64_t count, uint64_t ring_bytes, int lockstep)
{
	ph_queue_writer *writer;
	void *bytes;

	if (ph_queue_writer_open(name, PH_QUEUE_WRITER_OPTIONS(.timeout_ns = TIMEOUT_NS), &writer) <
	    0)
		give_up("open");
	if (ph_queue_write_metadata(writer, "about these", 11) < 0)
		give_up("metadata");
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t length = length_of(i, ring_bytes - 16);
		if (ph_queue_claim(writer, length, TIMEOUT_NS, &bytes) < 0)
			give_up("claim");
		fill(bytes, i, length);
		if (ph_queue_publish(writer, length, NULL) < 0)
			give_up("publish");
		if (lockstep)
			wait_until_drained(writer);
	}
	ph_queue_writer_close(&writer);
}

/* Half as large as they may be, and without metadata: for one run of many. */
static void write_more(const char *name, uint64_t count, uint64_t ring_bytes)
{
	ph_queue_writer *writer;
	void *bytes;

	if (ph_queue_writer_open(name, PH_QUEUE_WRITER_OPTIONS(.timeout_ns = TIMEOUT_NS), &writer) <
	    0)
		give_up("open");
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t length = length_of(i, ring_bytes / 2 - 64);
		if (ph_queue_claim(writer, length, TIMEOUT_NS, &bytes) < 0)
			give_up("claim");
		fill(bytes, i, length);
		if (ph_queue_publish(writer, length, NULL) < 0)
			give_up("publish");
	}
	ph_queue_writer_close(&writer);
}

static void read_runs(const char *name, uint64_t count, uint64_t ring_bytes, int runs)
{
	ph_queue_reader *reader;
	ph_frame frame;

	if (ph_queue_reader_create(name, PH_QUEUE_READER_OPTIONS(.ring_bytes = ring_bytes),
				   &reader) < 0)
		give_up("create");
	printf("ready\n");
	fflush(stdout);
	for (uint64_t n = 0; n < count * (uint64_t)runs; n++) {
		uint64_t i = n % count + 1;
		ph_status status;
		while ((status = ph_queue_acquire(reader, TIMEOUT_NS, &frame)) == PH_ECLOSED)
			if (ph_queue_await_writer(reader, TIMEOUT_NS) < 0)
				give_up("no next writer");
		if (status < 0)
			give_up("acquire");
		if (frame.length_bytes != length_of(i, ring_bytes / 2 - 64) ||
		    !is_filled(frame.bytes, i, frame.length_bytes))
			give_up("a wrong frame");
		if (ph_queue_release(reader, &frame) < 0)
			give_up("release");
	}
	ph_queue_reader_close(&reader);
}

static void watch_writer(const char *name, uint64_t ring_bytes)
{
	ph_queue_reader *reader;
	ph_frame frame;
	ph_status status;

	if (ph_queue_reader_create(name, PH_QUEUE_READER_OPTIONS(.ring_bytes = ring_bytes),
				   &reader) < 0)
		give_up("create");
	printf("ready\n");
	fflush(stdout);
	while ((status = ph_queue_acquire(reader, -1, &frame)) == PH_OK)
		ph_queue_release(reader, &frame);
	printf("%s\n", ph_status_name(status));
	ph_queue_reader_close(&reader);
}

static void watch_reader(const char *name)
{
	ph_queue_writer *writer;
	ph_status status;

	if (ph_queue_writer_open(name, PH_QUEUE_WRITER_OPTIONS(.timeout_ns = TIMEOUT_NS), &writer) <
	    0)
		give_up("open");
	printf("ready\n");
	fflush(stdout);
	while ((status = ph_queue_write(writer, "x", 1, -1, NULL)) == PH_OK)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	printf("%s\n", ph_status_name(status));
	ph_queue_writer_close(&writer);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	uint64_t count = strtoull(argv[3], NULL, 10), ring_bytes = strtoull(argv[4], NULL, 10);
	if (strcmp(argv[1], "read") == 0)
		read_frames(argv[2], count, ring_bytes);
	else if (strcmp(argv[1], "runs") == 0 && argc > 5)
		read_runs(argv[2], count, ring_bytes, atoi(argv[5]));
	else if (strcmp(argv[1], "watch-writer") == 0)
		watch_writer(argv[2], ring_bytes);
	else if (strcmp(argv[1], "watch-reader") == 0)
		watch_reader(argv[2]);
	else if (strcmp(argv[1], "more") == 0)
		write_more(argv[2], count, ring_bytes);
	else
		write_frames(argv[2], count, ring_bytes,
			     argc > 5 && strcmp(argv[5], "lockstep") == 0);
	printf("done\n");
	return 0;
}
