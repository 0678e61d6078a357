/* SPDX-License-Identifier: MIT */
/* The scenarios of the ZeroBuffer project that concern one buffer, by their numbers in its feature
 * files: 1 to 6 here, the others in test_queue_system.c. Those between implementations are in
 * tests/interop, duplex (13) in test_duplex.c. */
#include <pthread.h>
#include <time.h>

#include "channel/queue.h"
#include "queue_pair.h"

static ph_queue_reader *reader;
static ph_queue_writer *writer;
static ph_frame frame;

static void open_both(uint64_t metadata_bytes, uint64_t ring_bytes)
{
	reader = make_reader(metadata_bytes, ring_bytes);
	writer = make_writer();
}

static void close_both(void)
{
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&reader);
	assert_int_equal(count_leftovers(), 0);
}

static void sleep_ms(int64_t ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * MS}, NULL);
}

/* Runs `body` in a process that stays until it is killed; returns when it has said "ready". */
static pid_t start_process(void (*body)(void))
{
	int ready[2];
	char byte;

	queue_name();
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		body();
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

TEST(scenario_1_1_a_frame_and_its_metadata_arrive)
{
	unsigned char metadata[100], back[100];
	uint64_t length;

	open_both(1024, 10240);
	fill(metadata, 7, 100);
	assert_ok(ph_queue_write_metadata(writer, metadata, 100));
	assert_ok(send_frame(writer, 1, 1024, 0));
	assert_ok(ph_queue_read_metadata(reader, back, 100, &length));
	assert_int_equal(length, 100);
	assert_memory_equal(back, metadata, 100);
	expect_frame(reader, 1, 1, 1024);
	close_both();
}

TEST(scenario_1_2_frames_come_in_order_with_sequence_1_2_3)
{
	open_both(1024, 102400);
	for (int i = 1; i <= 3; i++)
		assert_ok(send_frame(writer, i, 1000 * i, 0));
	for (int i = 1; i <= 3; i++)
		expect_frame(reader, i, i, 1000 * i);
	close_both();
}

TEST(scenario_1_3_a_full_buffer_blocks_until_one_frame_is_released)
{
	int sent = 0;
	open_both(1024, 10240);
	while (send_frame(writer, sent + 1, 1024, 0) == PH_OK)
		sent++;
	assert_int_equal(sent, 9);
	assert_status(send_frame(writer, 99, 1024, 20 * MS), PH_ETIMEDOUT);
	expect_frame(reader, 1, 1, 1024);
	expect_frame(reader, 2, 2, 1024);
	assert_ok(send_frame(writer, 10, 1024, 0));
	close_both();
}

TEST(scenario_1_4_a_frame_written_in_place_arrives_intact)
{
	void *bytes;
	open_both(1024, 10240);
	assert_ok(ph_queue_claim(writer, 4096, 0, &bytes));
	fill(bytes, 1, 4096);
	assert_ok(ph_queue_publish(writer, 4096, NULL));
	expect_frame(reader, 1, 1, 4096);
	close_both();
}

TEST(scenario_1_5_sizes_of_all_kinds_come_out_as_they_went_in)
{
	static const uint64_t sizes[] = {100, 1024, 10240, 1};
	open_both(1024, 102400);
	for (int i = 0; i < 4; i++)
		assert_ok(send_frame(writer, i, sizes[i], 0));
	for (int i = 0; i < 4; i++)
		expect_frame(reader, i + 1, i, sizes[i]);
	close_both();
}

static void *send_all(void *count)
{
	for (int i = 1; i <= *(int *)count; i++)
		assert_ok(send_frame(writer, i, 1024, -1));
	return NULL;
}

static void run_fast_writer(int count, int64_t pause_ms)
{
	pthread_t thread;
	pthread_create(&thread, NULL, send_all, &count);
	for (int i = 1; i <= count; i++) {
		if (pause_ms)
			sleep_ms(pause_ms);
		expect_frame(reader, i, i, 1024);
	}
	pthread_join(thread, NULL);
}

TEST(scenario_1_6_a_slow_reader_gets_all_twenty_frames)
{
	open_both(64, 10240);
	run_fast_writer(20, test_full() ? 100 : 10);
	close_both();
}

TEST(scenario_1_7_and_4_9_thousands_of_frames_wrap_without_loss)
{
	open_both(64, 10240);
	run_fast_writer(10000, 0);
	close_both();
}

static void attach_and_send(void)
{
	ph_queue_writer *mine = make_writer();
	assert_ok(send_frame(mine, 1, 100, 0));
}

TEST(scenario_2_1_and_10_4_a_killed_writer_is_reported)
{
	reader = make_reader(1024, 10240);
	pid_t child = start_process(attach_and_send);
	expect_frame(reader, 1, 1, 100);
	kill_child(child);
	int64_t before_ns = ph_now_ns();
	assert_status(ph_queue_acquire(reader, 5000 * MS, &frame), PH_EPEER);
	assert_true(ph_now_ns() - before_ns < 1000 * MS);
	ph_queue_reader_close(&reader);
}

static void create_reader(void)
{
	make_reader(1024, 10240);
}

TEST(scenario_2_2_a_killed_reader_is_reported_to_a_blocked_writer)
{
	pid_t child = start_process(create_reader);
	writer = make_writer();
	assert_ok(send_frame(writer, 1, 10224, 0));
	kill_child(child);
	assert_status(send_frame(writer, 2, 100, 5000 * MS), PH_EPEER);
	ph_queue_writer_close(&writer);
	reader = make_reader(1024, 10240);
	close_both();
}

TEST(scenario_2_3_a_new_reader_replaces_a_killed_one_and_the_writer_comes_back)
{
	pid_t child = start_process(create_reader);
	writer = make_writer();
	assert_ok(send_frame(writer, 1, 100, 0));
	kill_child(child);
	reader = make_reader(1024, 10240);
	sleep_ms(110);
	assert_status(send_frame(writer, 2, 100, 0), PH_EPEER);
	ph_queue_writer_close(&writer);
	writer = make_writer();
	assert_ok(send_frame(writer, 3, 100, 0));
	expect_frame(reader, 1, 3, 100);
	close_both();
}

TEST(scenario_2_4_and_4_10_a_second_writer_is_refused_while_the_first_fills_the_ring)
{
	ph_queue_writer *second;
	int sent = 0;
	reader = make_reader(1024, 10240);
	pid_t child = start_process(attach_and_send);
	assert_status(ph_queue_writer_open(queue_name(), NULL, &second), PH_EEXIST);
	kill_child(child);
	writer = make_writer();
	while (send_frame(writer, 1, 1008, 0) == PH_OK)
		sent++;
	assert_int_equal(sent, 9); /* and the 116 bytes of the dead one's frame */
	assert_status(ph_queue_writer_open(queue_name(), NULL, &second), PH_EEXIST);
	close_both();
}

TEST(scenario_3_1_metadata_is_written_once)
{
	char back[16];
	uint64_t length;
	open_both(1024, 10240);
	assert_status(ph_queue_read_metadata(reader, back, 16, &length), PH_EAGAIN);
	assert_ok(ph_queue_write_metadata(writer, "first", 5));
	assert_status(ph_queue_write_metadata(writer, "other", 5), PH_EEXIST);
	assert_ok(ph_queue_read_metadata(reader, back, 16, &length));
	assert_memory_equal(back, "first", 5);
	assert_status(ph_queue_read_metadata(reader, back, 4, &length), PH_ETOOBIG);
	assert_int_equal(length, 5);
	close_both();
}

TEST(scenario_3_2_metadata_that_does_not_fit_is_refused)
{
	static const char big[2048];
	open_both(1024, 10240);
	assert_status(ph_queue_write_metadata(writer, big, 2048), PH_ETOOBIG);
	assert_status(ph_queue_write_metadata(writer, big, 1017), PH_ETOOBIG);
	assert_status(ph_queue_write_metadata(writer, big, 0), PH_EINVAL);
	assert_ok(ph_queue_write_metadata(writer, big, 1016));
	close_both();
}

TEST(scenario_3_3_and_4_3_without_metadata_frames_flow)
{
	open_both(0, 10240);
	assert_status(ph_queue_write_metadata(writer, "x", 1), PH_ETOOBIG);
	assert_ok(send_frame(writer, 1, 1000, 0));
	expect_frame(reader, 1, 1, 1000);
	close_both();
}

TEST(scenario_4_1_nine_tenths_then_one_byte_then_nine_tenths)
{
	open_both(0, 10240);
	assert_ok(send_frame(writer, 1, 9216, 0));
	expect_frame(reader, 1, 1, 9216);
	assert_ok(send_frame(writer, 2, 1, 0));
	expect_frame(reader, 2, 2, 1);
	assert_ok(send_frame(writer, 3, 9216, 0));
	expect_frame(reader, 3, 3, 9216);
	close_both();
}

TEST(scenario_4_2_and_6_4_pending_frames_are_pending_tokens)
{
	int tokens;
	open_both(64, 102400);
	while (sem_trywait(reader->segment.data.sem) == 0)
		; /* the hint that a writer came */
	for (int i = 1; i <= 10; i++)
		assert_ok(send_frame(writer, i, 100, 0));
	sem_getvalue(reader->segment.data.sem, &tokens);
	assert_int_equal(tokens, 10);
	for (int i = 1; i <= 10; i++)
		expect_frame(reader, i, i, 100);
	close_both();
}

TEST(scenario_4_4_the_smallest_ring_takes_48_bytes_and_not_49)
{
	open_both(0, 64);
	assert_ok(send_frame(writer, 1, 1, 0));
	assert_status(send_frame(writer, 1, 49, 0), PH_ETOOBIG);
	expect_frame(reader, 1, 1, 1);
	assert_ok(send_frame(writer, 2, 48, 0));
	expect_frame(reader, 2, 2, 48);
	close_both();
}

TEST(scenario_4_5_and_6_3_a_writer_faster_than_its_reader_blocks_and_loses_nothing)
{
	open_both(0, 1088);
	run_fast_writer(30, 5);
	close_both();
}

TEST(scenario_4_6_a_frame_may_fill_the_ring_to_the_last_byte)
{
	open_both(0, 10240);
	for (int i = 1; i <= 5; i++) {
		assert_ok(send_frame(writer, i, 10224, 0));
		assert_status(send_frame(writer, 9, 1, 0), PH_EAGAIN);
		expect_frame(reader, i, i, 10224);
	}
	close_both();
}

TEST(scenario_4_7_an_empty_frame_is_refused_and_one_byte_is_enough)
{
	open_both(0, 10240);
	assert_status(send_frame(writer, 1, 0, 0), PH_EINVAL);
	assert_ok(send_frame(writer, 1, 1, 0));
	assert_int_equal(atomic_load(&reader->segment.header->free_bytes), 10240 - 17);
	expect_frame(reader, 1, 1, 1);
	close_both();
}

TEST(scenario_4_8_a_large_frame_after_a_release_starts_the_ring_anew)
{
	open_both(0, 10240);
	assert_ok(send_frame(writer, 1, 6144, 0));
	expect_frame(reader, 1, 1, 6144);
	assert_ok(send_frame(writer, 2, 7168, 0));
	assert_int_equal(atomic_load(&reader->segment.header->read_position), 0);
	expect_frame(reader, 2, 2, 7168);
	close_both();
}

enum { RIVALS = 4 };
static pthread_barrier_t all_have_tried;

static void *create_and_count(void *wins)
{
	ph_queue_reader *mine;
	ph_status status = ph_queue_reader_create(queue_name(), NULL, &mine);
	if (status == PH_OK)
		(*(_Atomic int *)wins)++;
	else
		assert_int_equal(status, PH_EEXIST);
	pthread_barrier_wait(&all_have_tried);
	ph_queue_reader_close(&mine);
	return NULL;
}

TEST(scenario_4_11_of_several_readers_at_once_exactly_one_wins)
{
	_Atomic int wins = 0;
	pthread_t threads[RIVALS];
	queue_name();
	pthread_barrier_init(&all_have_tried, NULL, RIVALS);
	for (int i = 0; i < RIVALS; i++)
		pthread_create(&threads[i], NULL, create_and_count, &wins);
	for (int i = 0; i < RIVALS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all_have_tried);
	assert_int_equal(wins, 1);
	assert_int_equal(count_leftovers(), 0);
}

TEST(scenario_4_12_a_writer_before_its_reader_is_told_that_there_is_none)
{
	assert_status(ph_queue_writer_open(queue_name(), NULL, &writer), PH_ENOENT);
	assert_non_null(strstr(ph_last_error(), "shared memory"));
}

TEST(scenario_5_1_a_wrong_header_size_is_a_format_error)
{
	ph_queue_writer *second;
	open_both(0, 10240);
	atomic_store(&reader->segment.header->header_bytes, 77);
	assert_status(ph_queue_writer_open(queue_name(), NULL, &second), PH_EFORMAT);
	close_both();
}

TEST(scenario_5_2_and_10_2_a_corrupt_frame_header_is_found)
{
	static const struct queue_frame wrong[] = {
		{0, 1},   {10240, 1}, {10225, 1},       {UINT64_MAX - 7, 1},
		{100, 5}, {100, 0},   {100, UINT64_MAX}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		open_both(0, 10240);
		assert_ok(send_frame(writer, 1, 100, 0));
		memcpy(reader->segment.ring, &wrong[i], sizeof(wrong[i]));
		assert_status(ph_queue_acquire(reader, 0, &frame), PH_EFORMAT);
		assert_status(ph_queue_acquire(reader, 0, &frame), PH_EFORMAT); /* and stays so */
		close_both();
	}
}

TEST(scenario_5_3_and_10_3_a_reader_that_dies_during_a_write_is_reported_at_the_next_one)
{
	void *bytes;
	pid_t child = start_process(create_reader);
	writer = make_writer();
	assert_ok(ph_queue_claim(writer, 8192, 0, &bytes));
	kill_child(child);
	fill(bytes, 1, 8192);
	assert_ok(ph_queue_publish(writer, 8192, NULL));
	assert_status(send_frame(writer, 1, 8192, 5000 * MS), PH_EPEER);
	ph_queue_writer_close(&writer);
	reader = make_reader(0, 4096);
	close_both();
}

TEST(scenario_5_5_a_tail_of_a_hundred_bytes_gets_a_marker)
{
	struct queue_frame marker;
	open_both(0, 1024);
	assert_ok(send_frame(writer, 1, 446, 0)); /* 462 */
	assert_ok(send_frame(writer, 2, 446, 0)); /* 924: 100 are left */
	expect_frame(reader, 1, 1, 446);
	uint64_t free_bytes = atomic_load(&reader->segment.header->free_bytes);
	uint64_t count = atomic_load(&reader->segment.header->written_count);
	assert_ok(send_frame(writer, 3, 200, 0));
	memcpy(&marker, reader->segment.ring + 924, sizeof(marker));
	assert_int_equal(marker.payload_bytes, 0);
	assert_int_equal(marker.sequence, 0);
	assert_int_equal(atomic_load(&reader->segment.header->free_bytes), free_bytes - 100 - 216);
	assert_int_equal(atomic_load(&reader->segment.header->written_count), count + 2);
	assert_int_equal(atomic_load(&reader->segment.header->write_position), 216);
	expect_frame(reader, 2, 2, 446);
	expect_frame(reader, 3, 3, 200);
	assert_int_equal(atomic_load(&reader->segment.header->read_count), 4);
	close_both();
}

TEST(scenario_5_6_the_room_is_right_for_every_position_of_writer_and_reader)
{
	/* Fill, take some, see what still fits: by trying, against a model of the ring. */
	for (int kept = 0; kept < 10; kept++)
		for (int taken = 0; taken <= kept; taken++) {
			int sent = 0;
			open_both(0, 1024);
			for (int i = 1; i <= kept; i++)
				sent += send_frame(writer, i, 84, 0) == PH_OK; /* 100 each */
			for (int i = 1; i <= taken && i <= sent; i++)
				expect_frame(reader, i, i, 84);
			int64_t tail = 1024 - 100 * sent;
			int64_t front = taken == sent ? 1024 : 100 * taken;
			int64_t most = taken == sent || tail > front ? (taken == sent ? 1024 : tail)
								     : front;
			assert_status(send_frame(writer, 9, most - 15 < 1 ? 1 : most - 15, 0),
				      taken == sent ? PH_ETOOBIG : PH_EAGAIN);
			if (most > 16)
				assert_ok(send_frame(writer, 9, most - 16, 0));
			close_both();
		}
}

TEST(scenario_5_7_a_frame_as_large_as_a_hundred_mebibytes_fits)
{
	void *bytes;
	open_both(0, 100 << 20);
	assert_status(ph_queue_claim(writer, (100 << 20) - 15, 0, &bytes), PH_ETOOBIG);
	assert_ok(ph_queue_claim(writer, (100 << 20) - 16, 0, &bytes));
	((unsigned char *)bytes)[(100 << 20) - 17] = 77;
	assert_ok(ph_queue_publish(writer, (100 << 20) - 16, NULL));
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	assert_int_equal(((const unsigned char *)frame.bytes)[(100 << 20) - 17], 77);
	close_both();
}

TEST(scenario_6_1_a_wrong_sequence_names_what_was_expected_and_what_came)
{
	const struct queue_frame wrong = {100, 5};
	open_both(0, 10240);
	for (int i = 1; i <= 3; i++)
		assert_ok(send_frame(writer, i, 100, 0));
	expect_frame(reader, 1, 1, 100);
	expect_frame(reader, 2, 2, 100);
	memcpy(reader->segment.ring + 232, &wrong, sizeof(wrong));
	assert_status(ph_queue_acquire(reader, 0, &frame), PH_EFORMAT);
	assert_non_null(strstr(ph_last_error(), "frame 3 expected, got 5"));
	close_both();
}

TEST(scenario_6_2_a_burst_waits_for_its_reader)
{
	open_both(0, 102400);
	for (int i = 1; i <= 50; i++)
		assert_ok(send_frame(writer, i, 1024, 0));
	sleep_ms(test_full() ? 1000 : 20);
	for (int i = 1; i <= 50; i++)
		expect_frame(reader, i, i, 1024);
	close_both();
}
