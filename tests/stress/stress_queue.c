/* SPDX-License-Identifier: MIT */
/* The queue under load, with a seed: PH_TEST_SEED repeats a run, PH_TEST_FULL makes it a long one.
 * Every byte of every frame is a function of its sequence number. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "channel/queue.h"
#include "queue_pair.h"

static uint64_t seed;

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = *state ^ *state >> 33;
	return x * 0xff51afd7ed558ccdu >> 16;
}

static void choose_seed(void)
{
	const char *given = getenv("PH_TEST_SEED");
	seed = given ? strtoull(given, NULL, 0) : (uint64_t)ph_now_ns();
	printf("PH_TEST_SEED=%llu\n", (unsigned long long)seed);
}

static int64_t duration_ns(void)
{
	return (test_full() ? 300 : 5) * 1000 * MS;
}

/* Mostly small, some that are larger than half of the ring. */
static uint64_t length_of(uint64_t sequence, uint64_t ring_bytes)
{
	uint64_t state = seed ^ sequence * 0x9e3779b97f4a7c15u;
	uint64_t kind = next_random(&state) % 16;
	uint64_t limit = kind == 0 ? ring_bytes - 16 : kind < 4 ? ring_bytes / 3 : 600;
	return 1 + next_random(&state) % limit;
}

/* Cheap enough to be applied to every byte of large frames. */
static void stamp(void *bytes, uint64_t sequence, uint64_t length_bytes)
{
	memset(bytes, (int)(sequence * 167 % 251), length_bytes);
	if (length_bytes >= 8)
		memcpy(bytes, &sequence, 8);
}

static bool is_stamped(const unsigned char *bytes, uint64_t sequence, uint64_t length_bytes)
{
	uint64_t from = length_bytes >= 8 ? 8 : 0;
	for (uint64_t i = from; i < length_bytes; i++)
		if (bytes[i] != sequence * 167 % 251)
			return false;
	return from == 0 || memcmp(bytes, &sequence, 8) == 0;
}

static ph_status send_stamped(ph_queue_writer *writer, uint64_t sequence, int64_t timeout_ns)
{
	uint64_t length = length_of(sequence, writer->segment.ring_bytes);
	void *bytes;
	ph_status status = ph_queue_claim(writer, length, timeout_ns, &bytes);
	if (status < 0)
		return status;
	stamp(bytes, sequence, length);
	return ph_queue_publish(writer, length, NULL);
}

/* Holds up to a handful of frames and lets go of them in random order; each is checked when it
 * comes and when it goes. */
struct consumer {
	ph_queue_reader *reader;
	ph_frame held[5];
	int held_count;
	uint64_t last, random;
};

static void let_go_of_one(struct consumer *consumer)
{
	int which = (int)(next_random(&consumer->random) % consumer->held_count);
	ph_frame *frame = &consumer->held[which];
	assert_true(is_stamped(frame->bytes, frame->sequence, frame->length_bytes));
	assert_ok(ph_queue_release(consumer->reader, frame));
	*frame = consumer->held[--consumer->held_count];
}

static ph_status consume_one(struct consumer *consumer, int64_t timeout_ns)
{
	ph_frame frame;
	ph_status status = ph_queue_acquire(consumer->reader, timeout_ns, &frame);
	if (status < 0 && consumer->held_count > 0) {
		let_go_of_one(consumer); /* the writer may need all of the room */
		return PH_OK;
	}
	if (status < 0)
		return status;
	assert_int_equal(frame.sequence, consumer->last + 1);
	consumer->last = frame.sequence;
	assert_int_equal(frame.length_bytes,
			 length_of(frame.sequence, consumer->reader->segment.ring_bytes));
	assert_true(is_stamped(frame.bytes, frame.sequence, frame.length_bytes));
	consumer->held[consumer->held_count++] = frame;
	while (consumer->held_count > 0 &&
	       (consumer->held_count == 5 || next_random(&consumer->random) % 3 != 0))
		let_go_of_one(consumer);
	return PH_OK;
}

static ph_status consume_to_end(struct consumer *consumer)
{
	ph_status status;
	while ((status = consume_one(consumer, consumer->held_count ? 0 : 5000 * MS)) == PH_OK)
		;
	return status;
}

SLOW_TEST(two_processes_exchange_frames_of_all_sizes, 400)
{
	choose_seed();
	struct consumer consumer = {.reader = make_reader(0, 64 << 10), .random = seed};
	pid_t child = fork();
	if (child == 0) {
		ph_queue_writer *writer = make_writer();
		int64_t end_ns = ph_now_ns() + duration_ns();
		for (uint64_t i = 1; ph_now_ns() < end_ns; i++)
			assert_ok(send_stamped(writer, i, 10000 * MS));
		ph_queue_writer_close(&writer);
		_exit(0);
	}
	assert_status(consume_to_end(&consumer), PH_ECLOSED);
	assert_int_equal(wait_for_child(child), 0);
	printf("%llu frames\n", (unsigned long long)consumer.last);
	assert_true(consumer.last > 1000);
	ph_queue_reader_close(&consumer.reader);
	assert_int_equal(count_leftovers(), 0);
}

/* A writer that goes on from wherever the last one was killed. */
static _Noreturn void write_until_killed(void)
{
	ph_queue_writer *writer;
	assert_ok(ph_queue_writer_open(queue_name(), PH_QUEUE_WRITER_OPTIONS(.timeout_ns = -1),
				       &writer));
	for (;;) {
		ph_status status = send_stamped(writer, writer->sequence + 1, 10000 * MS);
		if (status == PH_EPEER || status == PH_ECLOSED) {
			ph_queue_writer_close(&writer);
			assert_ok(ph_queue_writer_open(
				queue_name(), PH_QUEUE_WRITER_OPTIONS(.timeout_ns = -1), &writer));
		} else {
			assert_int_equal(status, PH_OK);
		}
	}
}

SLOW_TEST(writers_killed_at_random_lose_and_tear_nothing, 400)
{
	choose_seed();
	struct consumer consumer = {.reader = make_reader(0, 32 << 10), .random = seed};
	int64_t end_ns = ph_now_ns() + duration_ns();
	int kills = 0;
	while (ph_now_ns() < end_ns) {
		pid_t child = fork();
		if (child == 0)
			write_until_killed();
		uint64_t until = consumer.last + 1 + next_random(&consumer.random) % 500;
		while (consumer.last < until) {
			/* EPEER is the predecessor's: its successor is on the way. */
			ph_status status =
				consume_one(&consumer, consumer.held_count ? 0 : 10 * MS);
			if (status != PH_OK && status != PH_ETIMEDOUT && status != PH_EPEER)
				fail_msg("%s after %d kills and %llu frames: %s",
					 ph_status_name(status), kills,
					 (unsigned long long)consumer.last, ph_last_error());
		}
		kill_child(child);
		kills++;
	}
	assert_status(consume_to_end(&consumer), PH_EPEER);
	printf("%d kills, %llu frames\n", kills, (unsigned long long)consumer.last);
	ph_queue_reader_close(&consumer.reader);
	assert_int_equal(count_leftovers(), 0);
}

static _Noreturn void read_until_killed(void)
{
	struct consumer consumer = {.random = seed};
	assert_ok(ph_queue_reader_create(
		queue_name(), PH_QUEUE_READER_OPTIONS(.ring_bytes = 32 << 10), &consumer.reader));
	for (;;) {
		ph_status status = consume_one(&consumer, consumer.held_count ? 0 : 10 * MS);
		assert_true(status == PH_OK || status == PH_ETIMEDOUT);
	}
}

SLOW_TEST(readers_killed_at_random_are_replaced_at_once, 400)
{
	choose_seed();
	uint64_t random = seed;
	int64_t end_ns = ph_now_ns() + duration_ns();
	int kills = 0;
	queue_name();
	while (ph_now_ns() < end_ns) {
		ph_queue_writer *writer = NULL;
		pid_t child = fork();
		if (child == 0)
			read_until_killed();
		while (ph_queue_writer_open(queue_name(), NULL, &writer) != PH_OK)
			nanosleep(&(struct timespec){0, MS / 10}, NULL);
		uint64_t count = next_random(&random) % 300;
		for (uint64_t i = 1; i <= count; i++)
			assert_ok(send_stamped(writer, i, 10000 * MS));
		kill_child(child);
		ph_queue_writer_close(&writer);
		kills++;
	}
	ph_queue_reader *reader = make_reader(0, 4096);
	ph_queue_reader_close(&reader);
	printf("%d kills\n", kills);
	assert_int_equal(count_leftovers(), 0);
}

/* ThreadSanitizer tells memory apart by its address and is blind to a race between two mappings of
 * one page: here both sides use the reader's. */
static void *write_in_thread(void *arg)
{
	ph_queue_writer *writer = arg;
	for (uint64_t i = 1; i <= (test_full() ? 200000 : 20000); i++)
		assert_ok(send_stamped(writer, i, 10000 * MS));
	return NULL;
}

SLOW_TEST(two_threads_on_one_mapping_race_nowhere, 300)
{
	choose_seed();
	struct consumer consumer = {.reader = make_reader(0, 16 << 10), .random = seed};
	ph_queue_writer *writer = make_writer();
	struct queue_segment own = writer->segment;
	pthread_t thread;

	writer->segment.header = consumer.reader->segment.header;
	writer->segment.ring = consumer.reader->segment.ring;
	writer->segment.data.sem = consumer.reader->segment.data.sem;
	writer->segment.space.sem = consumer.reader->segment.space.sem;
	pthread_create(&thread, NULL, write_in_thread, writer);
	while (consumer.last < (test_full() ? 200000 : 20000))
		assert_ok(consume_one(&consumer, consumer.held_count ? 0 : 10000 * MS));
	pthread_join(thread, NULL);
	writer->segment.header = own.header;
	writer->segment.ring = own.ring;
	writer->segment.data.sem = own.data.sem;
	writer->segment.space.sem = own.space.sem;
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&consumer.reader);
}
