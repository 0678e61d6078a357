/* SPDX-License-Identifier: MIT */
/* Real processes for a while (5 s; PH_TEST_FULL: 10 minutes): a writer that publishes as fast as it
 * can and resizes now and then, readers that hold, sleep, poll, leave, are stopped and killed at
 * random. Every word of every frame says which frame it is of. PH_TEST_SEED repeats a run's
 * choices. */
#include "latest_help.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { READERS = 6, WORDS = 1024 };

static struct tally {
	_Atomic uint64_t frames, opens, faults, missed;
	char fault[200];
} * tally;

static unsigned seed_of_run(void)
{
	const char *given = getenv("PH_TEST_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)ph_now_ns();
	fprintf(stderr, "  PH_TEST_SEED=%u\n", seed);
	return seed;
}

static void note_fault(const char *what, ph_status status)
{
	if (atomic_fetch_add(&tally->faults, 1) == 0)
		snprintf(tally->fault, sizeof(tally->fault), "%s: %s: %s", what,
			 ph_status_name(status), ph_last_error());
}

/* One life of a reader: `turns` frames, held in any order. */
static void live(unsigned *seed, ph_latest *reader, struct pollfd *ready)
{
	ph_latest_frame held[2] = {0};
	uint64_t last = 0;
	int turns = rand_r(seed) % 3000;

	for (int turn = 0; turn < turns; turn++) {
		int k = rand_r(seed) % 2;
		if (held[k].frame.bytes) {
			if (!is_whole(&held[k]))
				note_fault("a held frame changed", PH_OK);
			ph_latest_release(reader, &held[k]);
		}
		ph_status status = ph_latest_acquire(reader, turn % 3 ? -1 : 0, &held[k]);
		if (status == PH_EAGAIN && ready->fd >= 0 && rand_r(seed) % 2)
			poll(ready, 1, -1);
		if (status == PH_EAGAIN)
			continue;
		if (status != PH_OK) {
			if (status != PH_ECLOSED)
				note_fault("acquire", status);
			break;
		}
		if (!is_whole(&held[k]) || held[k].frame.sequence <= last ||
		    (last > 0 && held[k].missed != held[k].frame.sequence - last - 1))
			note_fault("a torn, old or miscounted frame", PH_OK);
		last = held[k].frame.sequence;
		atomic_fetch_add(&tally->missed, held[k].missed);
		atomic_fetch_add(&tally->frames, 1);
	}
}

static _Noreturn void run_reader(unsigned seed)
{
	ph_latest *reader;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		const ph_latest_options options = {
		    .size = sizeof(options),
		    .flags = rand_r(&seed) % 2 ? PH_LATEST_POLLABLE : 0,
		    .spin_ns = rand_r(&seed) % 2 ? -1 : 0,
		};
		ph_status status = ph_latest_open(channel_name(), &options, &reader);
		if (status == PH_ENOSPC || status == PH_ETIMEDOUT) {
			sleep_ms(1); /* the share of a dead one has not come back yet */
			continue;
		}
		if (status != PH_OK)
			_exit(0); /* the writer has ended */
		atomic_fetch_add(&tally->opens, 1);
		struct pollfd ready = {.fd = ph_latest_fd(reader), .events = POLLIN};
		live(&seed, reader, &ready);
		ph_latest_close(&reader);
	}
}

static pid_t start_reader(unsigned seed)
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		run_reader(seed);
	return child;
}

static _Noreturn void run_writer(unsigned seed, int64_t end_ns)
{
	ph_latest *writer =
	    create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = READERS + 2));
	uint64_t room_words = WORDS;

	for (uint64_t sequence = 1; ph_now_ns() < end_ns; sequence++) {
		if (rand_r(&seed) % 20000 == 0) {
			room_words = WORDS / 4 + (uint64_t)rand_r(&seed) % WORDS;
			assert_ok(ph_latest_resize(
			    writer, PH_LATEST_OPTIONS(.frame_bytes = room_words * 8)));
		}
		publish_words(writer, sequence, 1 + (uint64_t)rand_r(&seed) % room_words);
		if (rand_r(&seed) % 100 == 0)
			nanosleep(&(struct timespec){0, rand_r(&seed) % 300000}, NULL);
	}
	ph_latest_close(&writer);
	_exit(0);
}

static void disturb(pid_t *child, unsigned *seed)
{
	int what = rand_r(seed) % 4;

	if (what == 0) {
		kill(*child, SIGKILL);
		waitpid(*child, NULL, 0);
		*child = start_reader((unsigned)rand_r(seed));
	} else if (what == 1) {
		kill(*child, SIGSTOP);
	} else {
		kill(*child, SIGCONT);
	}
}

SLOW_TEST(readers_that_come_go_hold_stop_and_die_see_whole_frames_only, 900)
{
	unsigned seed = seed_of_run();
	int64_t end_ns = ph_now_ns() + (test_full() ? 600 : 5) * INT64_C(1000000000);
	pid_t readers[READERS], writer;
	int status;

	tally =
	    mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(tally != MAP_FAILED);
	channel_name();
	writer = fork();
	if (writer == 0)
		run_writer(seed, end_ns);
	while (access(channel_name(), F_OK) != 0)
		sleep_ms(1);
	sleep_ms(20);
	for (int i = 0; i < READERS; i++)
		readers[i] = start_reader((unsigned)rand_r(&seed));
	while (waitpid(writer, &status, WNOHANG) == 0) {
		disturb(&readers[rand_r(&seed) % READERS], &seed);
		sleep_ms(rand_r(&seed) % 20);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	for (int i = 0; i < READERS; i++) {
		kill(readers[i], SIGCONT);
		assert_int_equal(waitpid(readers[i], &status, 0), readers[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	fprintf(stderr, "  %llu frames read, %llu missed, %llu readers came\n",
		(unsigned long long)tally->frames, (unsigned long long)tally->missed,
		(unsigned long long)tally->opens);
	if (tally->faults)
		fail_msg("%llu faults, the first: %s", (unsigned long long)tally->faults,
			 tally->fault);
	assert_true(tally->frames > 0);
}
