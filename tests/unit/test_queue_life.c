/* SPDX-License-Identifier: MIT */
/* Queues and processes: death, fork, signals, and waiting for each other. */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "queue_pair.h"

static void open_pair(ph_queue_reader **reader, ph_queue_writer **writer, uint64_t ring_bytes)
{
	*reader = make_reader(1024, ring_bytes);
	*writer = make_writer();
}

static void close_pair(ph_queue_reader **reader, ph_queue_writer **writer)
{
	ph_queue_writer_close(writer);
	ph_queue_reader_close(reader);
	assert_null(*reader);
	assert_null(*writer);
	assert_int_equal(count_leftovers(), 0);
}

static void *interrupt_later(void *reader)
{
	nanosleep(&(struct timespec){0, 20 * MS}, NULL);
	ph_queue_reader_interrupt(reader);
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

TEST(a_forked_child_can_neither_use_nor_keep_a_handle)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame;
	void *bytes;

	open_pair(&reader, &writer, 4096);
	pid_t child = fork();
	if (child == 0) {
		ph_queue_reader_interrupt(reader);
		ph_queue_writer_interrupt(writer);
		bool good = ph_queue_acquire(reader, 0, &frame) == PH_EINVAL &&
			    ph_queue_claim(writer, 1, 0, &bytes) == PH_EINVAL;
		ph_queue_writer_close(&writer);
		ph_queue_reader_close(&reader);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(wait_for_child(child), 0);
	assert_ok(send_frame(writer, 1, 10, 0)); /* the parent's handles are as they were */
	expect_frame(reader, 1, 1, 10);
	close_pair(&reader, &writer);
}

TEST(a_forked_child_does_not_keep_its_dead_parent_alive)
{
	ph_queue_reader *reader = make_reader(0, 4096);
	int grandchild[2];
	ph_frame frame;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(pipe(grandchild), 0);
	pid_t child = fork();
	if (child == 0) {
		ph_queue_writer *writer = make_writer();
		send_frame(writer, 1, 10, 0);
		pid = fork();
		if (pid == 0)
			for (;;)
				pause();
		if (write(grandchild[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(read(grandchild[0], &pid, sizeof(pid)), sizeof(pid));
	wait_for_child(child);
	expect_frame(reader, 1, 1, 10);
	assert_status(ph_queue_acquire(reader, 2000 * MS, &frame), PH_EPEER);
	kill_child(pid);
	close(grandchild[0]);
	close(grandchild[1]);
	ph_queue_reader_close(&reader);
}

TEST(a_zombie_is_dead)
{
	ph_queue_reader *reader = make_reader(0, 4096);
	ph_frame frame;

	pid_t child = fork();
	if (child == 0) {
		ph_queue_writer *writer = make_writer();
		send_frame(writer, 1, 10, 0);
		raise(SIGKILL);
	}
	siginfo_t info; /* dead, but not reaped */
	assert_int_equal(waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0);
	int64_t before_ns = ph_now_ns();
	expect_frame(reader, 1, 1, 10);
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_EPEER);
	assert_true(ph_now_ns() - before_ns < 1000 * MS);
	wait_for_child(child);
	ph_queue_reader_close(&reader);
}

TEST(a_dead_reader_is_noticed_although_there_is_room)
{
	int ready[2];
	char byte;
	const char *name = queue_name();

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		make_reader(0, 64 << 20);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	ph_queue_writer *writer;
	assert_ok(ph_queue_writer_open(name, NULL, &writer));
	assert_ok(send_frame(writer, 1, 10, 0));
	kill_child(child);
	ph_status status = PH_OK;
	int64_t before_ns = ph_now_ns();
	while (status == PH_OK && ph_now_ns() - before_ns < 5000 * MS) {
		status = send_frame(writer, 2, 10, 0);
		nanosleep(&(struct timespec){0, 1 * MS}, NULL);
	}
	assert_int_equal(status, PH_EPEER);
	assert_true(ph_now_ns() - before_ns < 1000 * MS);
	ph_queue_writer_close(&writer);

	ph_queue_reader *successor; /* takes the name over, and then removes it all */
	assert_ok(ph_queue_reader_create(name, NULL, &successor));
	ph_queue_reader_close(&successor);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(count_entries("/dev/shm", name), 0);
}

TEST(a_writer_waits_for_a_late_reader)
{
	ph_queue_writer *writer;
	const char *name = queue_name();

	pid_t child = fork();
	if (child == 0) {
		ph_queue_reader *reader;
		nanosleep(&(struct timespec){0, 150 * MS}, NULL);
		assert_ok(ph_queue_reader_create(name, NULL, &reader));
		expect_frame(reader, 1, 1, 10);
		ph_queue_reader_close(&reader);
		_exit(0);
	}
	assert_status(ph_queue_writer_open(name, NULL, &writer), PH_ENOENT);
	assert_status(
		ph_queue_writer_open(name, PH_QUEUE_WRITER_OPTIONS(.timeout_ns = 1 * MS), &writer),
		PH_ENOENT);
	assert_ok(ph_queue_writer_open(name, PH_QUEUE_WRITER_OPTIONS(.timeout_ns = -1), &writer));
	assert_ok(send_frame(writer, 1, 10, 0));
	assert_int_equal(wait_for_child(child), 0);
	ph_queue_writer_close(&writer);
}

TEST(a_sleeper_uses_no_processor)
{
	ph_queue_reader *reader = make_reader(0, 4096);
	struct rusage before, after;
	ph_frame frame;

	getrusage(RUSAGE_SELF, &before);
	assert_status(ph_queue_acquire(reader, 1000 * MS, &frame), PH_ETIMEDOUT);
	getrusage(RUSAGE_SELF, &after);
	int64_t used_us = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
			  after.ru_utime.tv_usec - before.ru_utime.tv_usec;
	assert_true(used_us < 100000); /* of a second: ten looks, not a busy loop */
	ph_queue_reader_close(&reader);
}

TEST(signals_do_not_end_a_wait)
{
	ph_queue_reader *reader = make_reader(0, 4096);
	ph_frame frame;
	pid_t parent = getpid();

	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal}, NULL);
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 20; i++) {
			kill(parent, SIGUSR1);
			nanosleep(&(struct timespec){0, 2 * MS}, NULL);
		}
		_exit(0);
	}
	int64_t before_ns = ph_now_ns();
	assert_status(ph_queue_acquire(reader, 60 * MS, &frame), PH_ETIMEDOUT);
	assert_true(ph_now_ns() - before_ns >= 60 * MS);
	wait_for_child(child);
	ph_queue_reader_close(&reader);
}

TEST(an_interrupted_wait_ends_but_frames_can_still_be_had)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame;
	pthread_t thread;
	void *bytes;

	open_pair(&reader, &writer, 1024);
	pthread_create(&thread, NULL, interrupt_later, reader);
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_ECLOSED);
	pthread_join(thread, NULL);
	assert_ok(send_frame(writer, 1, 1000, 0));
	ph_queue_writer_interrupt(writer);
	assert_status(ph_queue_claim(writer, 1000, -1, &bytes), PH_ECLOSED);
	expect_frame(reader, 1, 1, 1000);
	close_pair(&reader, &writer);
}

/* A large mapping makes dying take its time: the survivor is told of it before the kernel has given
 * up the locks, and must not have to wait for that. */
TEST(a_reader_that_is_just_being_killed_is_replaced)
{
	const ph_queue_reader_options large = {
		.size = sizeof(large), .ring_bytes = 128 << 20, .prefault = 1};
	ph_queue_reader *reader;
	ph_queue_writer *writer;

	queue_name();
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();
		if (child == 0) {
			assert_ok(ph_queue_reader_create(queue_name(), &large, &reader));
			for (;;)
				pause();
		}
		assert_ok(ph_queue_writer_open(
			queue_name(), PH_QUEUE_WRITER_OPTIONS(.timeout_ns = 5000 * MS), &writer));
		kill(child, SIGKILL);
		ph_status status = send_frame(writer, 1, large.ring_bytes - 16, 0);
		if (status == PH_OK)
			status = send_frame(writer, 2, 1, 5000 * MS);
		assert_int_equal(status, PH_EPEER);
		ph_queue_writer_close(&writer);
		assert_ok(ph_queue_reader_create(queue_name(), NULL, &reader));
		ph_queue_reader_close(&reader);
		wait_for_child(child);
	}
	assert_int_equal(count_leftovers(), 0);
}

TEST(a_writer_that_is_just_being_killed_is_followed)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame;

	assert_ok(ph_queue_reader_create(
		queue_name(), PH_QUEUE_READER_OPTIONS(.ring_bytes = 128 << 20), &reader));
	for (int i = 1; i <= 10; i += 2) {
		pid_t child = fork();
		if (child == 0) {
			assert_ok(ph_queue_writer_open(
				queue_name(), PH_QUEUE_WRITER_OPTIONS(.prefault = 1), &writer));
			send_frame(writer, i, 100, 0);
			for (;;)
				pause();
		}
		assert_ok(ph_queue_await_writer(reader, 5000 * MS));
		expect_frame(reader, i, i, 100);
		kill(child, SIGKILL);
		assert_status(ph_queue_acquire(reader, 5000 * MS, &frame), PH_EPEER);
		assert_ok(ph_queue_writer_open(
			queue_name(), PH_QUEUE_WRITER_OPTIONS(.timeout_ns = 2000 * MS), &writer));
		assert_ok(send_frame(writer, i + 1, 200, 0));
		expect_frame(reader, i + 1, i + 1, 200);
		ph_queue_writer_close(&writer);
		wait_for_child(child);
	}
	ph_queue_reader_close(&reader);
}

static void *create_later(void *unused)
{
	(void)unused;
	nanosleep(&(struct timespec){.tv_nsec = 50 * MS}, NULL);
	return make_reader(0, 4096);
}

TEST(the_longest_times_are_no_overflow)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame;
	pthread_t thread;
	void *made;

	assert_int_equal(pthread_create(&thread, NULL, create_later, NULL), 0);
	assert_ok(ph_queue_writer_open(queue_name(),
				       PH_QUEUE_WRITER_OPTIONS(.timeout_ns = INT64_MAX), &writer));
	pthread_join(thread, &made);
	reader = made;
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&reader);

	assert_ok(ph_queue_reader_create(
		queue_name(), PH_QUEUE_READER_OPTIONS(.ring_bytes = 4096, .spin_ns = INT64_MAX),
		&reader));
	assert_status(ph_queue_acquire(reader, 20 * MS, &frame), PH_ETIMEDOUT);
	ph_queue_reader_close(&reader);
}
