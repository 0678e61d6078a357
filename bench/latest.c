/* SPDX-License-Identifier: MIT */
/* What `latest` costs: claim, publish with readers asleep, and how long they take to wake.
 *
 *     bench-latest [quick]
 *
 * Readers are processes that sleep in ph_latest_acquire() until the next frame (spin is off, so
 * that they do sleep), read the clock and release. Frames are 64 bytes: the figures are those of
 * the protocol and of the kernel's wake-ups, not of memory. Publish is one call of
 * ph_latest_publish(); wake is from just before it to a reader's clock. It does not say what a
 * frame costs to write or to read, nor what happens on a machine with more cores than these. One
 * JSON line for each case. */
#include <pinhole/latest.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READERS_MAX = 64, FRAMES_MAX = 4000, WARM_UP = 20, FRAME_BYTES = 64 };

struct shared {
	_Atomic int ready;
	int64_t woken_ns[READERS_MAX][FRAMES_MAX + 1]; /* by sequence; 0: missed */
};

static struct shared *shared;
static char name[64];

static void die(const char *what)
{
	fprintf(stderr, "bench-latest: %s: %s\n", what, ph_last_error());
	exit(1);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void print_distribution(const char *what, int64_t *ns, int count)
{
	qsort(ns, (size_t)count, sizeof(*ns), compare);
	printf(
	    ", \"%s_us\": {\"n\": %d, \"min\": %.3f, \"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}",
	    what, count, (double)ns[0] / 1e3, (double)ns[count / 2] / 1e3,
	    (double)ns[(int64_t)count * 99 / 100] / 1e3, (double)ns[count - 1] / 1e3);
}

static _Noreturn void run_reader(int index, int frames)
{
	ph_latest *reader;
	ph_latest_frame frame;
	uint64_t sequence = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ph_latest_open(name, PH_LATEST_OPTIONS(.spin_ns = -1), &reader) < 0)
		die("open");
	atomic_fetch_add(&shared->ready, 1);
	while (sequence < (uint64_t)frames && ph_latest_acquire(reader, -1, &frame) == PH_OK) {
		sequence = frame.frame.sequence;
		shared->woken_ns[index][sequence] = ph_now_ns();
		ph_latest_release(reader, &frame);
	}
	ph_latest_close(&reader);
	_exit(0);
}

static void sleep_until(int64_t at_ns)
{
	struct timespec at = {at_ns / 1000000000, at_ns % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		continue;
}

static void claim_and_publish(ph_latest *writer, int64_t *claim_ns, int64_t *before_ns,
			      int64_t *publish_ns)
{
	const ph_frame frame = {.length_bytes = FRAME_BYTES};
	void *bytes;
	uint64_t room_bytes;
	int64_t start_ns = ph_now_ns();

	if (ph_latest_claim(writer, &bytes, &room_bytes) < 0)
		die("claim");
	*claim_ns = ph_now_ns() - start_ns;
	memset(bytes, 1, FRAME_BYTES);
	*before_ns = ph_now_ns();
	if (ph_latest_publish(writer, &frame, NULL, 0) < 0)
		die("publish");
	*publish_ns = ph_now_ns() - *before_ns;
}

/* First, median and last reader of each frame that all of them saw. */
static void print_wakes(int readers, int frames, const int64_t *before_ns)
{
	static int64_t first[FRAMES_MAX], median[FRAMES_MAX], last[FRAMES_MAX];
	int64_t wakes[READERS_MAX];
	int count = 0;

	for (int frame = WARM_UP; frame < frames; frame++) {
		int seen = 0;
		for (int i = 0; i < readers; i++)
			if (shared->woken_ns[i][frame + 1])
				wakes[seen++] = shared->woken_ns[i][frame + 1] - before_ns[frame];
		if (seen < readers)
			continue;
		qsort(wakes, (size_t)readers, sizeof(*wakes), compare);
		first[count] = wakes[0];
		median[count] = wakes[readers / 2];
		last[count++] = wakes[readers - 1];
	}
	printf(", \"seen_by_all\": %d", count);
	if (count == 0)
		return;
	print_distribution("wake_first", first, count);
	print_distribution("wake_median", median, count);
	print_distribution("wake_last", last, count);
}

static void work_for(int64_t busy_ns)
{
	int64_t end_ns = ph_now_ns() + busy_ns;
	while (ph_now_ns() < end_ns)
		continue;
}

/* `busy_ns`: what the writer goes on computing after it has published, as a renderer would. */
static void run_case(int readers, int hz, int frames, int64_t busy_ns)
{
	static int64_t claim_ns[FRAMES_MAX], publish_ns[FRAMES_MAX], before_ns[FRAMES_MAX];
	ph_latest *writer;

	memset(shared, 0, sizeof(*shared));
	if (ph_latest_create(
		name, PH_LATEST_OPTIONS(.frame_bytes = FRAME_BYTES, .max_readers = READERS_MAX),
		&writer) < 0)
		die("create");
	fflush(stdout);
	for (int i = 0; i < readers; i++)
		if (fork() == 0)
			run_reader(i, frames);
	while (atomic_load(&shared->ready) < readers)
		sleep_until(ph_now_ns() + 1000000);
	int64_t next_ns = ph_now_ns() + 50000000;
	for (int frame = 0; frame < frames; frame++, next_ns += 1000000000 / hz) {
		sleep_until(next_ns);
		claim_and_publish(writer, &claim_ns[frame], &before_ns[frame], &publish_ns[frame]);
		work_for(busy_ns);
	}
	ph_latest_close(&writer);
	while (wait(NULL) > 0)
		continue;
	printf("{\"bench\": \"latest\", \"readers_asleep\": %d, \"hz\": %d, \"busy_ms\": %d",
	       readers, hz, (int)(busy_ns / 1000000));
	print_distribution("claim", claim_ns + WARM_UP, frames - WARM_UP);
	print_distribution("publish", publish_ns + WARM_UP, frames - WARM_UP);
	if (readers > 0)
		print_wakes(readers, frames, before_ns);
	puts("}");
}

/* Without a pause between them: the cost of the calls themselves. */
static void run_loop(void)
{
	enum { BATCH = 1000, BATCHES = 500 };
	static int64_t claim_ns[BATCHES], publish_ns[BATCHES];
	int64_t claim_sum, publish_sum, claim, publish, before;
	ph_latest *writer;

	if (ph_latest_create(name, PH_LATEST_OPTIONS(.frame_bytes = FRAME_BYTES), &writer) < 0)
		die("create");
	for (int batch = 0; batch < BATCHES; batch++) {
		claim_sum = publish_sum = 0;
		for (int i = 0; i < BATCH; i++) {
			claim_and_publish(writer, &claim, &before, &publish);
			claim_sum += claim;
			publish_sum += publish;
		}
		claim_ns[batch] = claim_sum / BATCH;
		publish_ns[batch] = publish_sum / BATCH;
	}
	ph_latest_close(&writer);
	printf("{\"bench\": \"latest\", \"case\": \"loop, nobody connected, means of %d, clock "
	       "included\"",
	       BATCH);
	print_distribution("claim", claim_ns, BATCHES);
	print_distribution("publish", publish_ns, BATCHES);
	puts("}");
}

int main(int argc, char **argv)
{
	static const int readers[] = {0, 1, 4, 16, 64};
	bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;

	snprintf(name, sizeof(name), "/tmp/bench-latest-%d.socket", (int)getpid());
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	run_loop();
	for (int i = 0; i < 5; i++)
		run_case(readers[i], 1000, quick ? 300 : FRAMES_MAX, 0);
	for (int i = 0; i < 5; i++)
		run_case(readers[i], 30, quick ? 60 : 300, 0);
	run_case(1, 30, quick ? 60 : 300, 10000000);
	run_case(16, 30, quick ? 60 : 300, 10000000);
	return 0;
}
