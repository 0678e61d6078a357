/* SPDX-License-Identifier: MIT */
/* Kills one side after each single machine instruction of its calls, by ptrace: what the crash
 * points cannot name. Each commit takes every seventh instruction, from a different one each time;
 * PH_TEST_FULL all. */
#include "latest_help.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

enum { WORDS = 32, STEPS_MAX = 40000 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SLOWED = 1 };
#else
enum { IS_SLOWED = 0 };
#endif

static _Atomic int *ready;

static void start(void)
{
	if (IS_SLOWED)
		skip_test("a sanitizer's own instructions are too many to step through");
	ready =
	    mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(ready != MAP_FAILED);
	channel_name();
}

static int stride(void)
{
	return test_full() ? 1 : 7;
}

static int first_step(void)
{
	return test_full() ? 0 : (int)(ph_now_ns() / 1000 % stride());
}

static pid_t fork_traced(void)
{
	atomic_store(ready, 0);
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(77);
	}
	return child;
}

/* The child stops itself before and after the calls in question. */
static void wait_for_stop(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_test("ptrace is not allowed here");
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
}

/* Steps so many instructions, then kills. false: the calls had ended before. */
static bool kill_after(pid_t child, int steps)
{
	bool ended = false;
	int status;

	for (int i = 0; i < steps && !ended; i++) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSTOPPED(status));
		ended = WSTOPSIG(status) == SIGSTOP;
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	return !ended;
}

static _Noreturn void acquire_and_release(void)
{
	ph_latest *reader;
	ph_latest_frame frame[2];

	if (ph_latest_open(channel_name(), NULL, &reader) < 0 ||
	    ph_latest_acquire(reader, -1, &frame[0]) < 0)
		_exit(1);
	atomic_store(ready, 1);
	while (atomic_load(ready) == 1) /* a newer frame comes */
		sleep_ms(1);
	raise(SIGSTOP);
	ph_latest_acquire(reader, -1, &frame[1]);
	ph_latest_release(reader, &frame[0]);
	ph_latest_release(reader, &frame[1]);
	raise(SIGSTOP);
	_exit(0);
}

static void open_when_there_is_room(ph_latest **reader)
{
	while (ph_latest_open(channel_name(), NULL, reader) != PH_OK)
		sched_yield();
}

SLOW_TEST(a_writer_survives_a_reader_killed_after_any_instruction, 600)
{
	start();
	ph_latest *writer =
		      create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 2)),
		  *witness = open_reader(), *probe;
	ph_latest_frame frame;
	uint64_t sequence = 0;
	int steps = first_step();

	for (bool killed = true; killed && steps < STEPS_MAX; steps += stride()) {
		publish_words(writer, ++sequence, WORDS);
		pid_t child = fork_traced();
		if (child == 0)
			acquire_and_release();
		while (atomic_load(ready) == 0)
			sched_yield();
		publish_words(writer, ++sequence, WORDS);
		atomic_store(ready, 2);
		wait_for_stop(child);
		killed = kill_after(child, steps);
		for (int i = 0; i < 12; i++) { /* every slot is claimed again */
			publish_words(writer, ++sequence, WORDS);
			assert_ok(ph_latest_acquire(witness, 0, &frame));
			assert_true(is_whole(&frame));
			assert_int_equal(frame.frame.sequence, sequence);
			assert_ok(ph_latest_release(witness, &frame));
		}
		open_when_there_is_room(&probe);
		ph_latest_close(&probe);
	}
	fprintf(stderr, "  acquire, release, release: about %d instructions\n", steps);
	assert_true(steps > 100 && steps < STEPS_MAX);
	ph_latest_close(&witness);
	ph_latest_close(&writer);
}

static _Noreturn void claim_and_publish(void)
{
	ph_latest *writer =
	    create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 2));

	publish_words(writer, 1, WORDS);
	atomic_store(ready, 1);
	while (atomic_load(ready) == 1)
		sleep_ms(1);
	raise(SIGSTOP);
	publish_words(writer, 2, WORDS);
	raise(SIGSTOP);
	_exit(0);
}

SLOW_TEST(a_reader_survives_a_writer_killed_after_any_instruction, 600)
{
	ph_latest *reader;
	ph_latest_frame held, frame;
	int steps, seen[2] = {0};

	start();
	steps = first_step();
	for (bool killed = true; killed && steps < STEPS_MAX; steps += stride()) {
		pid_t child = fork_traced();
		if (child == 0)
			claim_and_publish();
		while (atomic_load(ready) == 0)
			sched_yield();
		assert_ok(ph_latest_open(channel_name(), NULL, &reader));
		assert_ok(ph_latest_acquire(reader, 0, &held));
		atomic_store(ready, 2);
		wait_for_stop(child);
		killed = kill_after(child, steps);
		ph_status status = ph_latest_acquire(reader, -1, &frame);
		assert_true(status == PH_OK || status == PH_EPEER);
		seen[status == PH_OK]++;
		if (status == PH_OK) {
			assert_int_equal(frame.frame.sequence, 2);
			assert_true(is_whole(&frame));
			assert_ok(ph_latest_release(reader, &frame));
			assert_status(ph_latest_acquire(reader, -1, &frame), PH_EPEER);
		}
		assert_int_equal(held.frame.sequence, 1);
		assert_true(is_whole(&held));
		ph_latest_close(&reader);
	}
	fprintf(stderr,
		"  claim, fill, publish: about %d instructions; killed before %d, after %d\n",
		steps, seen[0], seen[1]);
	assert_true(seen[0] > 0 && seen[1] > 0 && steps < STEPS_MAX);
	unlink(channel_name());
}
