/* SPDX-License-Identifier: MIT */
/* One side of a queue is killed at every crash point, one after the other. The other side must see
 * no torn frame and no wrong order, be told in time, and find everything in order with the next
 * peer, at once; in the end nothing is left behind. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "channel/queue.h"
#include "die_at.h"
#include "queue_pair.h"

enum { RING_BYTES = 1024, TOLD_WITHIN_MS = 1000 };

/* Sizes that go round the ring with a marker, fill it to the last byte, and need it drained. */
static const uint64_t sizes[] = {300, 300, 300, 84, 500, 1008, 700, 1};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static uint64_t size_of(uint64_t sequence)
{
	return sizes[(sequence - 1) % SIZES];
}

static void send_through(ph_queue_writer *writer, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++)
		assert_ok(send_frame(writer, i, size_of(i), 5000 * MS));
}

/* Takes what comes, in order, until there is no more; returns the last sequence number. */
static uint64_t read_to_end(ph_queue_reader *reader, uint64_t last, int64_t *told_ns)
{
	ph_frame frame;
	for (;;) {
		ph_status status = ph_queue_acquire(reader, 5000 * MS, &frame);
		*told_ns = ph_now_ns();
		if (status == PH_EPEER || status == PH_ECLOSED)
			return last;
		assert_int_equal(status, PH_OK);
		assert_int_equal(frame.sequence, last + 1);
		last = frame.sequence;
		assert_int_equal(frame.length_bytes, size_of(last));
		assert_true(is_filled(frame.bytes, last, frame.length_bytes));
		assert_ok(ph_queue_release(reader, &frame));
	}
}

static void print_point(const char *report)
{
	char name[128] = "the end";
	int fd = open(report, O_RDONLY);
	if (fd >= 0 && read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '?';
	if (fd >= 0)
		close(fd);
	printf("killed at %s\n", name);
	unlink(report);
}

/* What the one who comes after must find: frames of any size flow, and all room is there. */
static void check_successor(ph_queue_reader *reader, uint64_t last)
{
	int64_t told_ns;
	ph_queue_writer *writer = make_writer();
	ph_queue_stats stats = {.size = sizeof(stats)};
	for (uint64_t i = last + 1; i <= last + SIZES; i++) {
		assert_ok(send_frame(writer, i, size_of(i), 1000 * MS));
		expect_frame(reader, i, i, size_of(i));
	}
	assert_ok(send_frame(writer, last + SIZES + 1, RING_BYTES - 16, 0));
	expect_frame(reader, last + SIZES + 1, last + SIZES + 1, RING_BYTES - 16);
	assert_ok(send_frame(writer, last + SIZES + 2, 1, 0));
	expect_frame(reader, last + SIZES + 2, last + SIZES + 2, 1);
	assert_ok(ph_queue_reader_stats(reader, &stats));
	assert_int_equal(stats.free_bytes, RING_BYTES);
	ph_queue_writer_close(&writer);
	read_to_end(reader, last + SIZES + 2, &told_ns);
}

static _Noreturn void be_writer(int nth, const char *report)
{
	ph_queue_writer *writer;
	die_at(nth, report);
	assert_ok(ph_queue_writer_open(queue_name(), NULL, &writer));
	ph_queue_write_metadata(writer, "about", 5);
	send_through(writer, 1, 2 * SIZES);
	ph_queue_writer_close(&writer);
	_exit(0);
}

/* The reader reads all the while. */
SLOW_TEST(a_writer_killed_anywhere_is_survived, 120)
{
	char report[128];
	int points = 0, status;

	snprintf(report, sizeof(report), "%s/point", test_folder());
	queue_name();
	do {
		int64_t died_ns, told_ns;
		ph_queue_reader *reader = make_reader(64, RING_BYTES);
		pid_t child = fork();
		if (child == 0)
			be_writer(points, report);
		uint64_t last = 0;
		ph_frame frame;
		/* Read while it lives, so that its waits are among the moments. */
		while (waitpid(child, &status, WNOHANG) == 0)
			if (ph_queue_acquire(reader, 1 * MS, &frame) == PH_OK) {
				assert_int_equal(frame.sequence, last + 1);
				last = frame.sequence;
				assert_true(is_filled(frame.bytes, last, size_of(last)));
				assert_ok(ph_queue_release(reader, &frame));
			}
		died_ns = ph_now_ns();
		print_point(report);
		if (atomic_load(&reader->segment.header->writer_flags) != 0)
			last = read_to_end(reader, last, &told_ns);
		else
			told_ns = died_ns; /* it never got as far as being a writer */
		assert_true(told_ns - died_ns < TOLD_WITHIN_MS * MS);
		check_successor(reader, last);
		ph_queue_reader_close(&reader);
		assert_int_equal(count_leftovers(), 0);
		points++;
	} while (WIFSIGNALED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	printf("%d points\n", points);
	assert_true(points > 150);
}

/* Reads as many frames as make 40 and sends more all the while; gives the last one read. */
static uint64_t read_and_refill(ph_queue_reader *reader, ph_queue_writer *writer, uint64_t last,
				uint64_t *sent)
{
	ph_frame frame;

	while (last < 40) {
		while (send_frame(writer, *sent + 1, size_of(*sent + 1), 0) == PH_OK)
			(*sent)++;
		assert_true(atomic_load(&reader->segment.header->free_bytes) <= RING_BYTES);
		assert_ok(ph_queue_acquire(reader, 0, &frame));
		assert_int_equal(frame.sequence, last + 1);
		last = frame.sequence;
		assert_true(is_filled(frame.bytes, last, size_of(last)));
		assert_ok(ph_queue_release(reader, &frame));
	}
	return last;
}

/* The next writer attaches before anybody has read what the dead one left; the reader may also
 * hold a frame of it. */
static void kill_writer_before_reading(bool reader_holds)
{
	char report[128];
	int points = 0, status;

	snprintf(report, sizeof(report), "%s/point", test_folder());
	queue_name();
	do {
		ph_queue_reader *reader = make_reader(64, RING_BYTES);
		ph_queue_writer *writer = make_writer();
		ph_frame held = {0};
		uint64_t last = 0;
		assert_ok(send_frame(writer, 1, size_of(1), 0));
		ph_queue_writer_close(&writer);
		assert_ok(ph_queue_acquire(reader, 0, &held));
		if (!reader_holds)
			assert_ok(ph_queue_release(reader, &held));
		last = 1;

		pid_t child = fork();
		if (child == 0) {
			die_at(points, report);
			assert_ok(ph_queue_writer_open(queue_name(), NULL, &writer));
			for (uint64_t i = 2; send_frame(writer, i, size_of(i), 0) == PH_OK; i++)
				;
			ph_queue_writer_close(&writer);
			_exit(0);
		}
		status = wait_for_child(child);
		print_point(report);
		/* Its successor fills up what room there is before the reader looks again. */
		writer = make_writer();
		uint64_t sent = writer->sequence;
		while (send_frame(writer, sent + 1, size_of(sent + 1), 0) == PH_OK)
			sent++;
		if (reader_holds) {
			assert_true(is_filled(held.bytes, 1, size_of(1)));
			assert_ok(ph_queue_release(reader, &held));
		}
		last = read_and_refill(reader, writer, last, &sent);
		ph_queue_writer_close(&writer);
		int64_t told_ns;
		last = read_to_end(reader, last, &told_ns);
		assert_int_equal(last, sent);
		check_successor(reader, last);
		ph_queue_reader_close(&reader);
		assert_int_equal(count_leftovers(), 0);
		points++;
	} while (WIFSIGNALED(status));
	printf("%d points\n", points);
	assert_true(points > 10);
}

SLOW_TEST(a_writer_killed_before_its_frames_are_read_is_survived, 120)
{
	kill_writer_before_reading(false);
}

SLOW_TEST(a_writer_killed_while_a_frame_is_held_is_survived, 120)
{
	kill_writer_before_reading(true);
}

/* A writer dies, and so does the one that repairs after it. */
SLOW_TEST(a_successor_killed_while_it_attaches_is_survived, 240)
{
	char report[128];
	static const int first_deaths[] = {12, 17, 19, 20, 21, 22, 23, 24, 40, 55};

	snprintf(report, sizeof(report), "%s/point", test_folder());
	queue_name();
	for (size_t i = 0; i < sizeof(first_deaths) / sizeof(first_deaths[0]); i++) {
		int points = 0;
		do {
			ph_queue_reader *reader = make_reader(64, RING_BYTES);
			for (int n = 0; n < 2; n++) {
				pid_t child = fork();
				if (child == 0) {
					ph_queue_writer *writer;
					die_at(n ? points : first_deaths[i], report);
					assert_ok(
						ph_queue_writer_open(queue_name(), NULL, &writer));
					ph__point_hook = n ? NULL : ph__point_hook;
					uint64_t next = writer->sequence + 1;
					while (send_frame(writer, next, size_of(next), 0) == PH_OK)
						next++;
					raise(SIGKILL);
				}
				wait_for_child(child);
			}
			bool got_through = access(report, F_OK) != 0;
			print_point(report);
			int64_t told_ns;
			uint64_t last = 0;
			if (atomic_load(&reader->segment.header->writer_flags) != 0)
				last = read_to_end(reader, 0, &told_ns);
			check_successor(reader, last);
			ph_queue_reader_close(&reader);
			assert_int_equal(count_leftovers(), 0);
			points++;
			if (got_through)
				break;
		} while (points < 100);
		assert_true(points > 3);
	}
}

static _Noreturn void be_reader(int nth, const char *report)
{
	ph_frame frames[3];
	ph_queue_reader *reader;
	int64_t told_ns;

	die_at(nth, report);
	assert_ok(ph_queue_reader_create(
		queue_name(), PH_QUEUE_READER_OPTIONS(.ring_bytes = RING_BYTES), &reader));
	/* Out of order at first, so that releases of several frames at once are among the moments.
	 */
	for (int i = 0; i < 3; i++)
		assert_ok(ph_queue_acquire(reader, 5000 * MS, &frames[i]));
	assert_ok(ph_queue_release(reader, &frames[1]));
	assert_ok(ph_queue_release(reader, &frames[0]));
	assert_ok(ph_queue_release(reader, &frames[2]));
	read_to_end(reader, 3, &told_ns);
	ph_queue_reader_close(&reader);
	_exit(0);
}

SLOW_TEST(a_reader_killed_anywhere_is_survived, 120)
{
	char report[128];
	int points = 0, status;

	snprintf(report, sizeof(report), "%s/point", test_folder());
	queue_name();
	do {
		ph_queue_writer *writer = NULL;
		pid_t child = fork();
		if (child == 0)
			be_reader(points, report);
		bool has_ended = false;
		while (!writer && !has_ended) {
			ph_queue_writer_open(queue_name(), NULL, &writer);
			has_ended = !writer && waitpid(child, &status, WNOHANG) == child;
			nanosleep(&(struct timespec){0, MS / 5}, NULL);
		}
		if (writer) {
			ph_status sent = PH_OK;
			for (uint64_t i = 1; i <= 2 * SIZES && sent == PH_OK; i++)
				sent = send_frame(writer, i, size_of(i), 5000 * MS);
			assert_true(sent == PH_OK || sent == PH_EPEER || sent == PH_ECLOSED);
			ph_queue_writer_close(&writer);
			status = wait_for_child(child);
		}
		print_point(report);
		/* At once, over whatever it left. */
		ph_queue_reader *reader = make_reader(64, RING_BYTES);
		check_successor(reader, 0);
		ph_queue_reader_close(&reader);
		assert_int_equal(count_leftovers(), 0);
		points++;
	} while (WIFSIGNALED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	printf("%d points\n", points);
	assert_true(points > 100);
}

/* Killed while it takes over what an earlier one left. */
SLOW_TEST(a_reader_killed_while_it_takes_over_is_survived, 60)
{
	char report[128];
	int points = 0, status;

	snprintf(report, sizeof(report), "%s/point", test_folder());
	queue_name();
	do {
		pid_t child = fork();
		if (child == 0) {
			make_reader(64, RING_BYTES);
			raise(SIGKILL);
		}
		wait_for_child(child);
		assert_true(count_leftovers() >= 4);
		child = fork();
		if (child == 0) {
			die_at(points, report);
			make_reader(64, RING_BYTES);
			_exit(0);
		}
		status = wait_for_child(child);
		print_point(report);
		ph_queue_reader *reader = make_reader(64, RING_BYTES);
		check_successor(reader, 0);
		ph_queue_reader_close(&reader);
		assert_int_equal(count_leftovers(), 0);
		points++;
	} while (WIFSIGNALED(status));
	printf("%d points\n", points);
	assert_true(points > 10);
}
