/* SPDX-License-Identifier: MIT */
/* Kills one side at every crash point it passes, one point a round, and looks at the other side:
 * a writer must go on and get its slots back, a reader must see whole frames and then the death. */
#include "latest_help.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/point.h"

enum { WORDS = 256, OCCURRENCES = 8 };

/* Where the victim of this round dies: the nth time that it passes a point of this name. */
static const char *target;
static _Atomic int passes_left;

/* How far the child has come; outlives it. */
static _Atomic int *step_;

static void die_at(const char *name)
{
	if (strcmp(name, target) == 0 && atomic_fetch_sub(&passes_left, 1) == 1)
		kill(getpid(), SIGKILL);
}

static void start(void)
{
	step_ =
	    mmap(NULL, sizeof(*step_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(step_ != MAP_FAILED);
	channel_name();
}

static pid_t fork_victim(int occurrence)
{
	atomic_store(step_, 0);
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		atomic_store(&passes_left, occurrence);
		ph__point_hook = die_at;
	}
	return child;
}

static bool was_killed(pid_t child)
{
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	else
		assert_int_equal(WTERMSIG(status), SIGKILL);
	return WIFSIGNALED(status);
}

/* Each point in turn, at its first, second, ... passage, until the victim comes through. It must
 * have died at the first: a point that is never passed tests nothing. */
static void at_every_point(const char *const points[], size_t point_count, bool (*round)(int))
{
	for (size_t i = 0; i < point_count; i++) {
		int occurrence = 1;
		target = points[i];
		while (occurrence <= OCCURRENCES && round(occurrence))
			occurrence++;
		fprintf(stderr, "  %-28s killed %d times\n", target, occurrence - 1);
		if (occurrence == 1)
			fail_msg("%s was never passed", target);
	}
}
#define AT_EVERY_POINT(points, round)                                                              \
	at_every_point(points, sizeof(points) / sizeof(points[0]), round)

/* The victim: opens, holds two, lets go, follows a resize, waits, closes. */
static _Noreturn void read_frames(void)
{
	ph_latest *reader;
	ph_latest_frame frame[2];
	bool good = true;

	if (ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.flags = PH_LATEST_POLLABLE),
			   &reader) < 0)
		_exit(1);
	for (int step = 1; step <= 6; step++) {
		for (int k = 0; k < 2; k++) {
			good &= ph_latest_acquire(reader, -1, &frame[k]) == PH_OK &&
				is_whole(&frame[k]);
			atomic_fetch_add(step_, 1);
		}
		for (int k = 0; k < 2; k++)
			good &= ph_latest_release(reader, &frame[k]) == PH_OK;
		ph_latest_frame more;
		if (ph_latest_acquire(reader, 0, &more) == PH_OK)
			ph_latest_release(reader, &more);
	}
	ph_latest_close(&reader);
	_exit(good ? 0 : 2);
}

/* Publishes until the victim has ended, resizing once on the way; a witness holds and reads. */
static bool write_beside(ph_latest *writer, ph_latest *witness, pid_t child, uint64_t *sequence)
{
	ph_latest_frame frame;
	siginfo_t info = {0};
	int resized = 0;

	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0) {
		if (atomic_load(step_) >= 4 && !resized++)
			assert_ok(
			    ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8)));
		publish_words(writer, ++*sequence, WORDS);
		assert_ok(ph_latest_acquire(witness, -1, &frame));
		assert_true(is_whole(&frame));
		assert_int_equal(frame.frame.sequence, *sequence);
		assert_ok(ph_latest_release(witness, &frame));
		sleep_ms(1);
	}
	return was_killed(child);
}

static ph_latest *writer_, *witness;
static uint64_t sequence_;

static bool kill_a_reader(int occurrence)
{
	ph_latest *probe;
	pid_t child = fork_victim(occurrence);
	if (child == 0)
		read_frames();
	bool killed = write_beside(writer_, witness, child, &sequence_);
	/* The victim's share comes back: it was all that the witness leaves. */
	while (ph_latest_open(channel_name(), NULL, &probe) != PH_OK)
		sleep_ms(1);
	ph_latest_close(&probe);
	while (ph_latest_open(channel_name(), NULL, &probe) != PH_OK)
		sleep_ms(1);
	ph_latest_close(&probe);
	return killed;
}

SLOW_TEST(a_writer_survives_a_reader_killed_anywhere, 240)
{
	static const char *const points[] = {
	    "open:connected",        "open:said-hello",       "open:welcomed",
	    "open:half-mapped",      "acquire:before-hazard", "acquire:before-recheck",
	    "acquire:pinned",        "acquire:armed",         "follow:asked",
	    "release:before-hazard", "release:after-hazard",  "close:before-hang-up",
	};

	start();
	writer_ = create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 2));
	witness = open_reader();
	AT_EVERY_POINT(points, kill_a_reader);
	ph_latest_close(&witness);
	ph_latest_close(&writer_);
}

/* The victim: creates, publishes until the reader outside has had its share, resizes, closes. */
static _Noreturn void write_frames(void)
{
	ph_latest *writer;

	if (ph_latest_create(channel_name(),
			     PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 4),
			     &writer) < 0)
		_exit(1);
	for (uint64_t sequence = 1; sequence <= 12; sequence++) {
		if (sequence == 6 &&
		    ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = WORDS * 16)) < 0)
			_exit(2);
		publish_words(writer, sequence, WORDS);
		/* Wait for the reader, so that admitting and following happen while we may die. */
		for (int ms = 0; ms < 200 && atomic_load(step_) < (int)sequence; ms++)
			sleep_ms(1);
	}
	ph_latest_close(&writer);
	_exit(0);
}

/* PH_OK, or the victim died before it could answer. */
static ph_status open_or_see_death(ph_latest **reader)
{
	siginfo_t info;
	ph_status status;

	for (;;) {
		status = ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.timeout_ns = 1000000000),
					reader);
		if (status == PH_OK)
			return PH_OK;
		assert_true(status == PH_ENOENT || status == PH_EPEER || status == PH_ENOSPC);
		info.si_pid = 0;
		waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid != 0)
			return PH_EPEER;
		sleep_ms(1);
	}
}

/* Reads until the end; holds one frame throughout. */
static void read_beside(void)
{
	ph_latest *reader, *visitor;
	ph_latest_frame held = {0}, frame;
	uint64_t last = 0;
	ph_status status;

	if (open_or_see_death(&visitor) != PH_OK)
		return;
	ph_latest_close(&visitor);
	if (open_or_see_death(&reader) != PH_OK)
		return;
	while ((status = ph_latest_acquire(reader, -1, &frame)) == PH_OK) {
		assert_true(is_whole(&frame));
		assert_true(frame.frame.sequence > last);
		last = frame.frame.sequence;
		atomic_store(step_, (int)last);
		if (!held.frame.bytes)
			held = frame;
		else
			assert_ok(ph_latest_release(reader, &frame));
	}
	assert_true(status == PH_EPEER || status == PH_ECLOSED);
	if (held.frame.bytes)
		assert_true(is_whole(&held));
	ph_latest_close(&reader);
}

/* What a dead writer leaves: the victim finds it, the next victim finds what this one left. */
static void leave_socket_file(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", channel_name());
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		assert_int_equal(errno, EADDRINUSE);
	close(fd);
}

static bool kill_a_writer(int occurrence)
{
	leave_socket_file();
	pid_t child = fork_victim(occurrence);
	if (child == 0)
		write_frames();
	read_beside();
	return was_killed(child);
}

SLOW_TEST(a_reader_survives_a_writer_killed_anywhere, 240)
{
	static const char *const points[] = {
	    "create:bound",           "create:before-unlink-stale", "create:memory-made",
	    "service:before-roster",  "service:before-welcome",     "service:after-welcome",
	    "service:before-payload", "service:before-drop",        "roster:taken",
	    "claim:before-hazard",    "publish:half-header",        "publish:before-latest",
	    "publish:after-latest",   "resize:memory-made",         "close:before-state",
	};

	start();
	AT_EVERY_POINT(points, kill_a_writer);
	ph_latest *successor = create_with(PH_LATEST_OPTIONS(.frame_bytes = 8));
	ph_latest_close(&successor);
}

static _Noreturn void read_to_the_end(void)
{
	ph_latest *reader;
	ph_latest_frame frame;
	ph_status status;

	ph__point_hook = NULL;
	while (ph_latest_open(channel_name(), NULL, &reader) != PH_OK)
		sleep_ms(1);
	atomic_fetch_add(step_, 1);
	while ((status = ph_latest_acquire(reader, -1, &frame)) == PH_OK) {
		if (!is_whole(&frame))
			_exit(1);
		ph_latest_release(reader, &frame);
	}
	_exit(status == PH_EPEER || status == PH_ECLOSED ? 0 : 2);
}

/* Enough sleepers that the helper thread wakes them, and it dies before it does. */
static bool kill_a_waker(int occurrence)
{
	enum { SLEEPERS = 5 };
	pid_t sleepers[SLEEPERS], child = fork_victim(occurrence);
	if (child == 0) {
		ph_latest *writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8));
		while (atomic_load(step_) < SLEEPERS)
			sleep_ms(1);
		for (uint64_t sequence = 1; sequence <= 6; sequence++) {
			publish_words(writer, sequence, WORDS);
			sleep_ms(5);
		}
		ph_latest_close(&writer);
		_exit(0);
	}
	for (int i = 0; i < SLEEPERS; i++)
		if ((sleepers[i] = fork()) == 0)
			read_to_the_end();
	for (int i = 0; i < SLEEPERS; i++)
		assert_false(was_killed(sleepers[i]));
	return was_killed(child);
}

SLOW_TEST(sleepers_survive_a_writer_killed_before_it_woke_them, 120)
{
	static const char *const points[] = {"waker:before-wake", "publish:after-latest"};

	start();
	AT_EVERY_POINT(points, kill_a_waker);
}
