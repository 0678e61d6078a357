/* SPDX-License-Identifier: MIT */
/* `latest` with the other side in another process: killed, stopped, hostile, many, forked. */
#include "latest_help.h"

#include <errno.h>
#include <sys/file.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/sys.h"
#include "channel/latest_message.h"
#include "shm/fdpass.h"

enum { WORDS = 512, READERS_MAX = 64 };
#define SMALL PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8)

/* What children tell the parent. */
static struct told {
	_Atomic int ready;
	_Atomic int64_t ns[READERS_MAX];
	_Atomic uint64_t frames[READERS_MAX];
	_Atomic int faults;
	_Atomic int stop;
} * told;

static void share_told(void)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(told != MAP_FAILED);
	channel_name();
}

static pid_t fork_child(void)
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

static void wait_until_ready(int count)
{
	while (atomic_load(&told->ready) < count)
		sleep_ms(1);
}

static int end(pid_t child)
{
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Holds two frames in place and sleeps until it is killed. */
static _Noreturn void hold_for_ever(void)
{
	ph_latest *reader;
	ph_latest_frame frame[2];

	if (ph_latest_open(channel_name(), NULL, &reader) < 0)
		_exit(1);
	for (int i = 0; i < 2; i++)
		if (ph_latest_acquire(reader, -1, &frame[i]) < 0)
			_exit(2);
	atomic_fetch_add(&told->ready, 1);
	for (;;)
		pause();
}

static pid_t start_holder(ph_latest *writer, uint64_t *sequence)
{
	int ready = atomic_load(&told->ready);
	pid_t child = fork_child();
	if (child == 0)
		hold_for_ever();
	while (atomic_load(&told->ready) == ready) {
		publish_words(writer, ++*sequence, WORDS);
		sleep_ms(1);
	}
	return child;
}

TEST(readers_killed_or_stopped_while_they_hold_frames_cost_nobody_anything)
{
	ph_latest *writer, *reader;
	ph_latest_frame frame;
	uint64_t sequence = 0;

	share_told();
	writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 3));
	assert_ok(ph_latest_open(channel_name(), NULL, &reader));
	pid_t stopped = start_holder(writer, &sequence);
	assert_int_equal(kill(stopped, SIGSTOP), 0);
	for (int round = 0; round < 30; round++) {
		pid_t killed =
		    start_holder(writer, &sequence); /* its share has come back each time */
		kill(killed, SIGKILL);
		assert_int_equal(end(killed), -SIGKILL);
		for (int i = 0; i < 100; i++) {
			publish_words(writer, ++sequence, WORDS);
			assert_ok(ph_latest_acquire(reader, 0, &frame));
			assert_int_equal(frame.frame.sequence, sequence);
			assert_true(is_whole(&frame));
			assert_ok(ph_latest_release(reader, &frame));
		}
		ph_latest *probe; /* the hang-up is seen soon */
		while (ph_latest_open(channel_name(), NULL, &probe) == PH_ENOSPC)
			sleep_ms(1);
		ph_latest_close(&probe);
	}
	kill(stopped, SIGKILL);
	end(stopped);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

static _Noreturn void write_for_ever(uint64_t word_count, int hz)
{
	ph_latest *writer =
	    create_with(PH_LATEST_OPTIONS(.frame_bytes = word_count * 8, .max_readers = 32));

	for (uint64_t sequence = 1;; sequence++) {
		publish_words(writer, sequence, word_count);
		atomic_store(&told->ready, 1);
		if (hz == 0)
			for (;;)
				pause();
		sleep_ms(1000 / hz);
	}
}

static _Noreturn void wait_for_the_death(int index)
{
	ph_latest *reader;
	ph_latest_frame frame;
	ph_status status;

	if (ph_latest_open(channel_name(), NULL, &reader) < 0 ||
	    ph_latest_acquire(reader, -1, &frame) < 0)
		_exit(1);
	atomic_fetch_add(&told->ready, 1);
	ph_latest_frame next;
	status = ph_latest_acquire(reader, -1, &next);
	atomic_store(&told->ns[index], ph_now_ns());
	_exit(status == PH_EPEER && is_whole(&frame) ? 0 : 2);
}

static void all_sleepers_learn_of_the_death(void)
{
	enum { SLEEPERS = 16 };
	pid_t readers[SLEEPERS];

	share_told();
	pid_t writer = fork_child();
	if (writer == 0)
		write_for_ever(WORDS, 0);
	wait_until_ready(1);
	for (int i = 0; i < SLEEPERS; i++)
		if ((readers[i] = fork_child()) == 0)
			wait_for_the_death(i);
	wait_until_ready(1 + SLEEPERS);
	sleep_ms(50);
	int64_t killed_ns = ph_now_ns();
	kill(writer, SIGKILL);
	for (int i = 0; i < SLEEPERS; i++) {
		assert_int_equal(end(readers[i]), 0);
		/* The promise is 100 ms; a machine busy with other tests is given a second. */
		assert_true(atomic_load(&told->ns[i]) - killed_ns < 1000000000);
	}
	end(writer);
	ph_latest *successor = create_with(SMALL); /* the socket file was left and is replaced */
	ph_latest_close(&successor);
}

TEST(all_sleepers_learn_that_the_writer_was_killed)
{
	all_sleepers_learn_of_the_death();
}

static int no_waitv(void *words, unsigned count, const void *deadline)
{
	(void)words;
	(void)count;
	(void)deadline;
	errno = ENOSYS;
	return -1;
}

TEST(a_kernel_without_futex_waitv_will_do)
{
	static struct ph__sys older;

	older = ph__sys_real;
	older.futex_waitv = no_waitv;
	ph__sys = &older;
	all_sleepers_learn_of_the_death();
}

TEST(a_stopped_writer_is_not_taken_for_dead_and_open_does_not_wait_for_ever)
{
	ph_latest *reader, *late;
	ph_latest_frame frame;

	share_told();
	pid_t writer = fork_child();
	if (writer == 0)
		write_for_ever(WORDS, 500);
	wait_until_ready(1);
	assert_ok(ph_latest_open(channel_name(), NULL, &reader));
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	kill(writer, SIGSTOP);
	sleep_ms(20);
	assert_true(is_whole(&frame));
	ph_latest_frame next;
	ph_status status = ph_latest_acquire(reader, 0, &next);
	assert_true(status == PH_OK || status == PH_EAGAIN);
	if (status == PH_OK)
		assert_ok(ph_latest_release(reader, &next));
	assert_status(ph_latest_acquire(reader, 50000000, &next), PH_ETIMEDOUT);
	assert_status(
	    ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.timeout_ns = 50000000), &late),
	    PH_ETIMEDOUT);
	kill(writer, SIGCONT);
	assert_ok(ph_latest_acquire(reader, -1, &next));
	assert_true(is_whole(&next));
	kill(writer, SIGKILL);
	end(writer);
	while ((status = ph_latest_acquire(reader, 0, &next)) == PH_EAGAIN)
		sleep_ms(1);
	assert_true(status == PH_EPEER ||
		    status == PH_ENOSPC); /* two are held: perhaps of no more */
	ph_latest_close(&reader);
}

static _Noreturn void read_until_stop(int index)
{
	ph_latest *reader;
	ph_latest_frame frame;
	ph_status status;

	if (ph_latest_open(channel_name(), NULL, &reader) < 0)
		_exit(1);
	atomic_fetch_add(&told->ready, 1);
	while ((status = ph_latest_acquire(reader, -1, &frame)) == PH_OK) {
		if (!is_whole(&frame))
			_exit(2);
		atomic_fetch_add(&told->frames[index], 1);
		ph_latest_release(reader, &frame);
	}
	_exit(status == PH_ECLOSED ? 0 : 3);
}

SLOW_TEST(sixty_four_readers_all_see_frames, 120)
{
	ph_latest *writer, *more;
	pid_t readers[READERS_MAX];
	uint64_t sequence = 0;

	share_told();
	writer =
	    create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = READERS_MAX));
	for (int i = 0; i < READERS_MAX; i++)
		if ((readers[i] = fork_child()) == 0)
			read_until_stop(i);
	wait_until_ready(READERS_MAX);
	assert_status(ph_latest_open(channel_name(), NULL, &more), PH_ENOSPC);
	for (int i = 0; i < READERS_MAX; i++)
		while (atomic_load(&told->frames[i]) < 10) {
			publish_words(writer, ++sequence, WORDS);
			sleep_ms(2);
		}
	ph_latest_close(&writer);
	for (int i = 0; i < READERS_MAX; i++)
		assert_int_equal(end(readers[i]), 0);
}

TEST(a_child_of_fork_has_no_part_in_the_channel)
{
	ph_latest *writer, *reader;
	ph_latest_frame frame;
	void *bytes;
	uint64_t room_bytes;

	share_told();
	writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 1));
	reader = open_reader();
	publish_words(writer, 1, WORDS);
	pid_t child = fork_child();
	if (child == 0) {
		bool refused = ph_latest_claim(writer, &bytes, &room_bytes) == PH_EINVAL &&
			       ph_latest_acquire(reader, 0, &frame) == PH_EINVAL &&
			       ph_latest_fd(reader) == -1;
		ph_latest_close(&reader);
		ph_latest_close(&writer);
		atomic_store(&told->ready, refused ? 1 : 2);
		for (;;)
			pause(); /* lives on, and keeps nothing alive */
	}
	wait_until_ready(1);
	assert_int_equal(atomic_load(&told->ready), 1);
	assert_ok(ph_latest_acquire(reader, 0, &frame));
	assert_true(is_whole(&frame));
	ph_latest_close(&reader);
	ph_latest *again;
	while (ph_latest_open(channel_name(), NULL, &again) != PH_OK)
		sleep_ms(1); /* the hang-up came although the child lives */
	ph_latest_close(&writer);
	assert_ok(ph_latest_acquire(again, 0, &frame));
	ph_latest_frame next;
	assert_status(ph_latest_acquire(again, -1, &next), PH_ECLOSED);
	ph_latest_close(&again);
	kill(child, SIGKILL);
	end(child);
}

/* A connection that says what it likes. */
static int connect_raw(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", channel_name());
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void wait_for_hang_up(int fd)
{
	struct pollfd ready = {.fd = fd, .events = 0};
	assert_int_equal(poll(&ready, 1, -1), 1);
	assert_true(ready.revents & POLLHUP);
	close(fd);
}

TEST(nonsense_on_the_socket_ends_that_connection_and_nothing_else)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;
	struct latest_message good = ph__latest_message(LATEST_HELLO);
	unsigned seed = 7;

	for (int i = 0; i < 400; i++) {
		struct latest_message message = good;
		size_t length = sizeof(message);
		int fd = connect_raw();
		if (i % 4 == 0)
			length = (size_t)(rand_r(&seed) % 64); /* 0 looks like a hang-up */
		else
			((unsigned char *)&message)[rand_r(&seed) % 16] ^=
			    (unsigned char)(1 + rand_r(&seed) % 255);
		if (i % 4 == 1)
			message = ph__latest_message(LATEST_FOLLOW); /* before HELLO */
		send(fd, &message, length, MSG_NOSIGNAL);
		if (i % 8 == 2)
			send(fd, &good, sizeof(good), MSG_NOSIGNAL);
		shutdown(fd, SHUT_WR);
		wait_for_hang_up(fd);
		publish_words(writer, (uint64_t)i + 1, 8);
		assert_ok(ph_latest_acquire(reader, 0, &frame));
		assert_int_equal(frame.frame.sequence, i + 1);
		assert_ok(ph_latest_release(reader, &frame));
	}
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(connections_that_say_nothing_are_displaced_by_newer_ones)
{
	ph_latest *writer = create_with(SMALL), *reader;
	int fds[100];

	for (int i = 0; i < 100; i++)
		fds[i] = connect_raw();
	reader = open_reader();
	for (int i = 0; i < 80; i++)
		wait_for_hang_up(fds[i]);
	for (int i = 80; i < 100; i++)
		close(fds[i]);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

/* HELLO by hand; gives the control page, writable as it is for any reader. */
static int join_raw(uint32_t held, struct latest_control **control,
		    struct latest_geometry *geometry)
{
	struct latest_message hello = ph__latest_message(LATEST_HELLO), bytes, answer;
	int fd = connect_raw(), fds[4];
	size_t length;
	unsigned fd_count;
	ph_status status;

	hello.held = held;
	hello.flags = LATEST_WANTS_WAKE;
	assert_int_equal(send(fd, &hello, sizeof(hello), 0), sizeof(hello));
	while ((status = ph__fdpass_receive(fd, &bytes, sizeof(bytes), &length, fds, 4,
					    &fd_count)) == PH_EAGAIN)
		sleep_ms(1);
	assert_ok(status);
	assert_ok(ph__latest_message_from_writer(&answer, geometry, &bytes, length, fd_count));
	assert_int_equal(answer.type, LATEST_WELCOME);
	/* The kernel refuses to make frames or the board writable, by any door. */
	for (int i = 0; i < 2; i++) {
		char path[64];
		assert_true(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], 0) ==
			    MAP_FAILED);
		void *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fds[i], 0);
		assert_true(shared != MAP_FAILED);
		assert_int_not_equal(mprotect(shared, 4096, PROT_READ | PROT_WRITE), 0);
		munmap(shared, 4096);
		assert_int_equal(write(fds[i], "x", 1), -1);
		assert_int_equal(ftruncate(fds[i], 0), -1);
		assert_int_equal(
		    fallocate(fds[i], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i]);
		int again = open(path, O_RDWR | O_CLOEXEC);
		if (again >= 0) {
			assert_true(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, again, 0) ==
				    MAP_FAILED);
			close(again);
		}
	}
	assert_int_equal(ftruncate(fds[2], 0), -1);
	*control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[2], 0);
	assert_true(*control != MAP_FAILED);
	for (unsigned i = 0; i < fd_count; i++)
		close(fds[i]);
	return fd;
}

TEST(a_hostile_reader_pins_what_it_was_granted_and_no_more)
{
	ph_latest *writer, *reader;
	ph_latest_frame frame;
	struct latest_control *control;
	struct latest_geometry geometry;
	unsigned seed = 3;

	share_told();
	writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 2));
	assert_ok(ph_latest_open(channel_name(), NULL, &reader));
	int fd = join_raw(2, &control, &geometry);
	for (uint64_t sequence = 1; sequence < 5000; sequence++) {
		for (int k = 0; k < LATEST_HAZARDS; k++) {
			uint64_t word = (uint64_t)rand_r(&seed) << 33 ^ (uint64_t)rand_r(&seed)
									    << 11;
			if (sequence % 2)
				word = latest_pack(1, (uint32_t)rand_r(&seed) % geometry.slot_count,
						   sequence);
			atomic_store(&control->hazard[k], word);
		}
		atomic_store(&control->armed, (uint64_t)rand_r(&seed));
		publish_words(writer, sequence, 4);
		assert_ok(ph_latest_acquire(reader, 0, &frame));
		assert_int_equal(frame.frame.sequence, sequence);
		assert_true(is_whole(&frame));
		assert_ok(ph_latest_release(reader, &frame));
	}
	/* It never read its WAKEs; the writer did not wait. Asking for what it has ends it. */
	struct latest_message follow = ph__latest_message(LATEST_FOLLOW);
	follow.epoch = 1;
	send(fd, &follow, sizeof(follow), MSG_NOSIGNAL);
	wait_for_hang_up(fd);
	munmap(control, 4096);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(descriptors_sent_to_a_writer_are_closed)
{
	ph_latest *writer = create_with(SMALL);
	struct latest_message hello = ph__latest_message(LATEST_HELLO);
	int ends[2];
	char byte;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	int fd = connect_raw();
	assert_ok(ph__fdpass_send(fd, &hello, sizeof(hello), &ends[1], 1));
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody has the other end */
	close(ends[0]);
	close(fd);
	ph_latest_close(&writer);
}

TEST(a_folder_that_somebody_keeps_locked_keeps_nobody_for_ever)
{
	ph_latest *writer, *second;
	int folder = open(test_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_ok(ph_latest_create(channel_name(), SMALL, &writer));
	assert_int_equal(flock(folder, LOCK_EX), 0);
	assert_status(ph_latest_create(channel_name(), SMALL, &second), PH_ETIMEDOUT);
	ph_latest_close(&writer); /* leaves the file: it could be a successor's */
	assert_int_equal(close(folder), 0);
	assert_ok(ph_latest_create(channel_name(), SMALL, &writer));
	ph_latest_close(&writer);
	assert_int_equal(access(channel_name(), F_OK), -1);
}
