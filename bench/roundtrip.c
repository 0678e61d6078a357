/* SPDX-License-Identifier: MIT */
/* The round trip of a frame over two queues: this process sends, another one sends back, the time
 * is that from before the first copy until the answer is there. Uses what any program can use.
 *
 *     roundtrip [bytes=3110416] [ring_mib=256] [fps=0,30,240,1000] [mode=empty,copy,in-place]
 * [n=300]
 *
 * Modes: "copy" copies into a queue twice (by the sender and by the relay), the answer is looked at
 * in place; "in-place" writes 16 bytes of each frame only, "empty" sends frames of 16 bytes. fps 0:
 * back to back. One JSON line for each case; times in microseconds.
 *
 * Not represented: a reader that touches every byte of the answer, more than one pair at a time. */
#include <pinhole/queue.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP = 50, FRAMES_MAX = 100000 };

struct options {
	uint64_t bytes, ring_bytes;
	int frame_count;
	char fps[64], modes[64];
};

static char to_relay[64], from_relay[64];

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "roundtrip: %s: %s\n", what, ph_last_error());
	exit(1);
}

static void check(ph_status status, const char *what)
{
	if (status < 0)
		give_up(what);
}

static ph_queue_reader *make_reader(const char *name, const struct options *options)
{
	ph_queue_reader *reader;
	check(ph_queue_reader_create(
		      name, PH_QUEUE_READER_OPTIONS(.ring_bytes = options->ring_bytes), &reader),
	      name);
	return reader;
}

static ph_queue_writer *make_writer(const char *name)
{
	ph_queue_writer *writer;
	check(ph_queue_writer_open(name, PH_QUEUE_WRITER_OPTIONS(.timeout_ns = -1), &writer), name);
	return writer;
}

/* Sends each frame back: by a copy if its byte 8 says so. */
static _Noreturn void relay(const struct options *options)
{
	ph_queue_reader *reader = make_reader(to_relay, options);
	ph_queue_writer *writer = make_writer(from_relay);
	ph_frame frame;
	void *bytes;

	while (ph_queue_acquire(reader, -1, &frame) == PH_OK) {
		if (((const unsigned char *)frame.bytes)[8]) {
			check(ph_queue_write(writer, frame.bytes, frame.length_bytes, -1, NULL),
			      "relay");
		} else {
			check(ph_queue_claim(writer, frame.length_bytes, -1, &bytes), "relay");
			memcpy(bytes, frame.bytes, 16);
			check(ph_queue_publish(writer, frame.length_bytes, NULL), "relay");
		}
		check(ph_queue_release(reader, &frame), "relay");
	}
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&reader);
	exit(0);
}

static void sleep_until(int64_t at_ns)
{
	struct timespec at = {at_ns / 1000000000, at_ns % 1000000000};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static double send_one(ph_queue_writer *writer, ph_queue_reader *reader, unsigned char *source,
		       uint64_t length, int is_copy)
{
	ph_frame frame;
	void *bytes;
	int64_t begun_ns = ph_now_ns();

	source[8] = (unsigned char)is_copy;
	memcpy(source, &begun_ns, sizeof(begun_ns));
	if (is_copy) {
		check(ph_queue_write(writer, source, length, -1, NULL), "send");
	} else {
		check(ph_queue_claim(writer, length, -1, &bytes), "send");
		memcpy(bytes, source, 16);
		check(ph_queue_publish(writer, length, NULL), "send");
	}
	check(ph_queue_acquire(reader, -1, &frame), "answer");
	int64_t took_ns = ph_now_ns() - begun_ns;
	if (memcmp(frame.bytes, &begun_ns, sizeof(begun_ns)) != 0 || frame.length_bytes != length)
		give_up("a wrong answer");
	check(ph_queue_release(reader, &frame), "answer");
	return (double)took_ns / 1000;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void run_case(ph_queue_writer *writer, ph_queue_reader *reader,
		     const struct options *options, const char *mode, int fps)
{
	static double took_us[FRAMES_MAX];
	uint64_t length = strcmp(mode, "empty") == 0 ? 16 : options->bytes;
	unsigned char *source = malloc(options->bytes);
	int64_t period_ns = fps > 0 ? 1000000000 / fps : 0, next_ns = ph_now_ns();

	if (!source)
		give_up("no memory");
	memset(source, 1, options->bytes);
	for (int i = -WARM_UP; i < options->frame_count; i++) {
		if (period_ns)
			sleep_until(next_ns += period_ns);
		if (next_ns < ph_now_ns() - period_ns)
			next_ns = ph_now_ns();
		double us = send_one(writer, reader, source, length, strcmp(mode, "copy") == 0);
		if (i >= 0)
			took_us[i] = us;
	}
	free(source);
	int n = options->frame_count;
	qsort(took_us, (size_t)n, sizeof(took_us[0]), compare);
	printf("{\"bench\": \"roundtrip\", \"mode\": \"%s\", \"bytes\": %llu, \"fps\": %d, \"n\": "
	       "%d, "
	       "\"min_us\": %.1f, \"p50_us\": %.1f, \"p90_us\": %.1f, \"p99_us\": %.1f, "
	       "\"max_us\": "
	       "%.1f}\n",
	       mode, (unsigned long long)length, fps, n, took_us[0], took_us[n / 2],
	       took_us[n * 9 / 10], took_us[n * 99 / 100], took_us[n - 1]);
	fflush(stdout);
}

static void read_arguments(struct options *options, int argc, char **argv)
{
	*options =
		(struct options){3110416, 256 << 20, 300, "0,30,240,1000", "empty,copy,in-place"};
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (!value)
			exit(2);
		*value++ = '\0';
		if (strcmp(argv[i], "bytes") == 0)
			options->bytes = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "ring_mib") == 0)
			options->ring_bytes = strtoull(value, NULL, 10) << 20;
		else if (strcmp(argv[i], "n") == 0)
			options->frame_count = atoi(value);
		else if (strcmp(argv[i], "fps") == 0)
			snprintf(options->fps, sizeof(options->fps), "%s", value);
		else if (strcmp(argv[i], "mode") == 0)
			snprintf(options->modes, sizeof(options->modes), "%s", value);
		else
			exit(2);
	}
	if (options->bytes < 16 || options->frame_count < 1 || options->frame_count > FRAMES_MAX)
		exit(2);
}

static void run_all(ph_queue_writer *writer, ph_queue_reader *reader, struct options *options)
{
	char *mode_rest, *fps_rest, fps_list[64];

	for (char *mode = strtok_r(options->modes, ",", &mode_rest); mode;
	     mode = strtok_r(NULL, ",", &mode_rest)) {
		snprintf(fps_list, sizeof(fps_list), "%s", options->fps);
		for (char *fps = strtok_r(fps_list, ",", &fps_rest); fps;
		     fps = strtok_r(NULL, ",", &fps_rest))
			run_case(writer, reader, options, mode, atoi(fps));
	}
}

int main(int argc, char **argv)
{
	struct options options;

	read_arguments(&options, argc, argv);
	snprintf(to_relay, sizeof(to_relay), "ph-bench-%d-to", (int)getpid());
	snprintf(from_relay, sizeof(from_relay), "ph-bench-%d-from", (int)getpid());
	pid_t child = fork();
	if (child == 0)
		relay(&options);
	ph_queue_reader *reader = make_reader(from_relay, &options);
	ph_queue_writer *writer = make_writer(to_relay);
	run_all(writer, reader, &options);
	ph_queue_writer_close(&writer);
	waitpid(child, NULL, 0);
	ph_queue_reader_close(&reader);
	return 0;
}
