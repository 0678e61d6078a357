/* SPDX-License-Identifier: MIT */
/* The contract of <pinhole/queue.h>, beyond what the ZeroBuffer scenarios ask for. */
#include <semaphore.h>
#include <sys/stat.h>

#include "channel/queue.h"
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

TEST(closing_null_does_nothing)
{
	ph_queue_reader *reader = NULL;
	ph_queue_writer *writer = NULL;
	close_pair(&reader, &writer);
}

TEST(options_of_an_older_caller_are_accepted_and_of_a_newer_one_only_if_unused)
{
	ph_queue_reader *reader;
	struct {
		ph_queue_reader_options known;
		uint64_t invented;
	} newer = {.known = {.size = sizeof(newer), .ring_bytes = 4096}};
	ph_queue_reader_options older = {.size = offsetof(ph_queue_reader_options, mode)};

	assert_ok(ph_queue_reader_create(queue_name(), &older, &reader));
	ph_queue_reader_close(&reader);
	assert_ok(ph_queue_reader_create(queue_name(), &newer.known, &reader));
	ph_queue_reader_close(&reader);
	newer.invented = 1;
	assert_status(ph_queue_reader_create(queue_name(), &newer.known, &reader), PH_EINVAL);
	assert_null(reader);
}

TEST(a_name_that_is_no_plain_file_name_is_refused)
{
	static const char *const wrong[] = {"",    "/",           ".",    "..",
					    "a/b", "../../etc/x", "a\nb", "/a/b"};
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	char name[300];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_status(ph_queue_reader_create(wrong[i], NULL, &reader), PH_EINVAL);
		assert_status(ph_queue_writer_open(wrong[i], NULL, &writer), PH_EINVAL);
	}
	assert_status(ph_queue_reader_create(NULL, NULL, &reader), PH_EINVAL);
	memset(name, 'n', sizeof(name));
	name[246] = '\0';
	assert_status(ph_queue_reader_create(name, NULL, &reader), PH_ETOOBIG);
}

TEST(the_segment_is_private_unless_asked_otherwise)
{
	char path[128];
	struct stat st;
	ph_queue_reader *reader = make_reader(0, 4096);
	snprintf(path, sizeof(path), "/dev/shm/%s", queue_name());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	ph_queue_reader_close(&reader);

	umask(077);
	assert_ok(ph_queue_reader_create(queue_name(), PH_QUEUE_READER_OPTIONS(.mode = 0666),
					 &reader));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
	snprintf(path, sizeof(path), "/dev/shm/sem.sem-w-%s", queue_name());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
	ph_queue_reader_close(&reader);
}

TEST(polling_an_empty_queue_says_again_and_waiting_says_timed_out)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame;
	void *bytes;

	open_pair(&reader, &writer, 4096);
	assert_status(ph_queue_acquire(reader, 0, &frame), PH_EAGAIN);
	assert_null(frame.bytes);
	int64_t before_ns = ph_now_ns();
	assert_status(ph_queue_acquire(reader, 30 * MS, &frame), PH_ETIMEDOUT);
	assert_true(ph_now_ns() - before_ns >= 30 * MS);
	assert_ok(send_frame(writer, 1, 4080, 0));
	assert_status(ph_queue_claim(writer, 1, 0, &bytes), PH_EAGAIN);
	assert_status(ph_queue_claim(writer, 1, 30 * MS, &bytes), PH_ETIMEDOUT);
	assert_null(bytes);
	close_pair(&reader, &writer);
}

TEST(frames_are_held_in_any_number_and_released_in_any_order)
{
	enum { HELD = 5 };
	static const int order[HELD] = {3, 0, 4, 1, 2};
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frames[HELD];

	open_pair(&reader, &writer, 1024);
	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < HELD; i++)
			assert_ok(send_frame(writer, round * HELD + i, 150, 0));
		for (int i = 0; i < HELD; i++)
			assert_ok(ph_queue_acquire(reader, 0, &frames[i]));
		for (int i = 0; i < HELD; i++) {
			/* Whatever was released: what is still held must survive another frame. */
			send_frame(writer, 999, 150, 0);
			for (int j = i; j < HELD; j++)
				assert_true(is_filled(frames[order[j]].bytes,
						      round * HELD + order[j], 150));
			assert_ok(ph_queue_release(reader, &frames[order[i]]));
		}
		for (ph_frame rest; ph_queue_acquire(reader, 0, &rest) == PH_OK;)
			assert_ok(ph_queue_release(reader, &rest));
	}
	close_pair(&reader, &writer);
}

TEST(a_held_frame_survives_everything_that_is_released_after_it)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame first, frame;
	int sent = 0;

	open_pair(&reader, &writer, 1024);
	assert_ok(send_frame(writer, 1, 200, 0));
	assert_ok(ph_queue_acquire(reader, 0, &first));
	while (send_frame(writer, 2, 200, 0) == PH_OK && ++sent < 100) {
		assert_ok(ph_queue_acquire(reader, 0, &frame));
		assert_ok(ph_queue_release(reader, &frame));
	}
	assert_int_equal(sent, 3); /* 4 frames of 216 bytes fill 1024, and then the writer waits */
	assert_true(is_filled(first.bytes, 1, 200));
	assert_ok(ph_queue_release(reader, &first));
	assert_ok(send_frame(writer, 3, 900, 0)); /* all of it is free at once */
	close_pair(&reader, &writer);
}

TEST(releasing_twice_or_what_was_never_held_is_an_error)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame, copy;

	open_pair(&reader, &writer, 4096);
	assert_ok(send_frame(writer, 1, 10, 0));
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	copy = frame;
	assert_ok(ph_queue_release(reader, &frame));
	assert_null(frame.bytes);
	assert_status(ph_queue_release(reader, &frame), PH_EINVAL);
	assert_status(ph_queue_release(reader, &copy), PH_EINVAL);
	close_pair(&reader, &writer);
}

TEST(holding_more_frames_than_asked_for_is_refused)
{
	ph_queue_reader *reader;
	ph_frame frames[3];
	assert_ok(ph_queue_reader_create(
		queue_name(), PH_QUEUE_READER_OPTIONS(.ring_bytes = 4096, .held_frames = 2),
		&reader));
	ph_queue_writer *writer = make_writer();
	for (int i = 0; i < 3; i++)
		assert_ok(send_frame(writer, i, 10, 0));
	assert_ok(ph_queue_acquire(reader, 0, &frames[0]));
	assert_ok(ph_queue_acquire(reader, 0, &frames[1]));
	assert_status(ph_queue_acquire(reader, 0, &frames[2]), PH_ENOSPC);
	assert_ok(ph_queue_release(reader, &frames[0]));
	assert_ok(ph_queue_acquire(reader, 0, &frames[2]));
	close_pair(&reader, &writer);
}

TEST(an_abandoned_claim_leaves_no_trace)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	void *bytes, *again;

	open_pair(&reader, &writer, 1024);
	assert_ok(send_frame(writer, 1, 600, 0));
	expect_frame(reader, 1, 1, 600);
	assert_ok(ph_queue_claim(writer, 500, 0, &bytes));
	assert_status(ph_queue_claim(writer, 1, 0, &again), PH_EINVAL);
	assert_ok(ph_queue_abandon(writer));
	assert_status(ph_queue_abandon(writer), PH_EINVAL);
	assert_status(ph_queue_publish(writer, 1, NULL), PH_EINVAL);
	assert_ok(send_frame(writer, 2, 500, 0));
	expect_frame(reader, 2, 2, 500);
	close_pair(&reader, &writer);
}

TEST(a_frame_may_be_published_shorter_than_it_was_claimed)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	void *bytes;

	open_pair(&reader, &writer, 1024);
	assert_ok(ph_queue_claim(writer, 1000, 0, &bytes));
	fill(bytes, 1, 30);
	assert_status(ph_queue_publish(writer, 0, NULL), PH_EINVAL);
	assert_status(ph_queue_publish(writer, 1001, NULL), PH_EINVAL);
	assert_ok(ph_queue_publish(writer, 30, NULL));
	assert_ok(send_frame(writer, 2, 900, 0));
	expect_frame(reader, 1, 1, 30);
	expect_frame(reader, 2, 2, 900);
	close_pair(&reader, &writer);
}

TEST(every_mix_of_sizes_arrives_through_a_small_ring)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	unsigned random = 1;

	open_pair(&reader, &writer, 3072);
	for (int i = 1; i <= 20000; i++) {
		random = random * 1103515245 + 12345;
		uint64_t length = 1 + (random >> 8) % 3056; /* often more than half of the ring */
		assert_ok(send_frame(writer, i, length, 0));
		expect_frame(reader, i, i, length);
	}
	close_pair(&reader, &writer);
}

TEST(no_mix_of_sizes_stops_a_writer_that_runs_ahead)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	unsigned random = 7;
	uint64_t lengths[20001];
	int sent = 0, received = 0;

	open_pair(&reader, &writer, 2048);
	while (received < 20000) {
		random = random * 1103515245 + 12345;
		uint64_t length = 1 + (random >> 8) % ((random >> 3) % 5 ? 200 : 2032);
		if (sent < 20000 && send_frame(writer, sent + 1, length, 0) == PH_OK) {
			lengths[++sent] = length;
			continue;
		}
		received++;
		expect_frame(reader, received, received, lengths[received]);
	}
	ph_queue_stats stats = {.size = sizeof(stats)};
	assert_ok(ph_queue_writer_stats(writer, &stats));
	assert_int_equal(stats.frame_count, 20000);
	assert_true(stats.wrap_count > 100);
	assert_true(stats.restart_count > 100);
	assert_int_equal(stats.free_bytes, 2048);
	close_pair(&reader, &writer);
}

TEST(tokens_do_not_pile_up)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	int data, space;

	open_pair(&reader, &writer, 1 << 20);
	for (int i = 1; i <= 3000; i++) {
		assert_ok(send_frame(writer, i, 8, 0));
		expect_frame(reader, i, i, 8);
	}
	sem_getvalue(reader->segment.data.sem, &data);
	sem_getvalue(reader->segment.space.sem, &space);
	assert_true(data <= 1);
	assert_true(space <= 2);
	close_pair(&reader, &writer);
}

TEST(the_end_of_the_stream_comes_right_after_the_last_frame)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame frame;

	open_pair(&reader, &writer, 4096);
	for (int i = 1; i <= 3; i++)
		assert_ok(send_frame(writer, i, 100, 0));
	ph_queue_writer_close(&writer);
	for (int i = 1; i <= 3; i++)
		expect_frame(reader, i, i, 100);
	int64_t before_ns = ph_now_ns();
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_ECLOSED);
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_ECLOSED);
	assert_true(ph_now_ns() - before_ns < 2000 * MS);
	close_pair(&reader, &writer);
}

TEST(a_queue_is_not_at_its_end_before_a_writer_came)
{
	ph_queue_reader *reader = make_reader(0, 4096);
	ph_frame frame;
	assert_status(ph_queue_acquire(reader, 0, &frame), PH_EAGAIN);
	assert_status(ph_queue_await_writer(reader, 20 * MS), PH_ETIMEDOUT);
	ph_queue_writer *writer = make_writer();
	assert_ok(ph_queue_await_writer(reader, 0));
	ph_queue_writer_close(&writer); /* without a single frame */
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_ECLOSED);
	ph_queue_reader_close(&reader);
}

TEST(the_next_writer_goes_on_where_the_last_one_closed)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;

	open_pair(&reader, &writer, 1024);
	for (int i = 1; i <= 50; i += 2) {
		assert_ok(send_frame(writer, i, 300, 0));
		ph_queue_writer_close(&writer);
		writer = make_writer(); /* while the frame is still unread */
		assert_ok(ph_queue_await_writer(reader, 0));
		expect_frame(reader, i, i, 300);
		assert_ok(send_frame(writer, i + 1, 700, 100 * MS));
		expect_frame(reader, i + 1, i + 1, 700);
	}
	close_pair(&reader, &writer);
}

TEST(a_second_writer_is_refused_and_harms_nothing)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer, *second;

	open_pair(&reader, &writer, 1024);
	assert_ok(send_frame(writer, 1, 300, 0));
	assert_status(ph_queue_writer_open(queue_name(), NULL, &second), PH_EEXIST);
	assert_null(second);
	assert_ok(send_frame(writer, 2, 300, 0));
	expect_frame(reader, 1, 1, 300);
	expect_frame(reader, 2, 2, 300);
	close_pair(&reader, &writer);
}

TEST(a_writer_learns_that_its_reader_closed)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	void *bytes;

	open_pair(&reader, &writer, 1024);
	ph_queue_reader_close(&reader);
	assert_status(ph_queue_claim(writer, 1, -1, &bytes), PH_ECLOSED);
	close_pair(&reader, &writer);
}

TEST(reading_into_a_small_buffer_keeps_the_frame)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	unsigned char buffer[100];
	ph_frame frame;

	open_pair(&reader, &writer, 4096);
	assert_ok(ph_queue_write(writer, "0123456789", 10, 0, NULL));
	assert_status(ph_queue_read(reader, buffer, 9, 0, &frame), PH_ETOOBIG);
	assert_int_equal(frame.length_bytes, 10);
	assert_null(frame.bytes);
	assert_ok(ph_queue_read(reader, buffer, 10, 0, &frame));
	assert_ptr_equal(frame.bytes, buffer);
	assert_memory_equal(buffer, "0123456789", 10);
	assert_status(ph_queue_read(reader, buffer, 10, 0, &frame), PH_EAGAIN);
	close_pair(&reader, &writer);
}

TEST(a_described_queue_carries_format_times_and_pose)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer, *second;
	ph_frame shape = {.intrinsics = {.fx_px = 320, .fov_rad = 1.5}}, frame;
	const ph_frame now = {.capture_time_ns = 5,
			      .publish_time_ns = 6,
			      .sim_time_ns = 7,
			      .render_ns = 8,
			      .copy_ns = 9,
			      .pose = {{1, 2, 3}, 4, 5, 6}};
	unsigned char pixels[16 * 8 * 4];

	open_pair(&reader, &writer, 8192);
	assert_ok(ph_frame_describe(&shape, PH_PIXEL_BGRA8, 16, 8));
	assert_ok(ph_queue_describe(writer, &shape));
	assert_status(ph_queue_describe(writer, &shape), PH_EEXIST);
	fill(pixels, 1, sizeof(pixels));
	assert_ok(ph_queue_write(writer, pixels, sizeof(pixels), 0, &now));
	ph_frame small = now;
	assert_ok(ph_frame_describe(&small, PH_PIXEL_GRAY8, 4, 2));
	assert_ok(ph_queue_write(writer, pixels, 8, 0, &small));
	assert_ok(ph_queue_write(writer, pixels, 8, 0, NULL)); /* contradicts what was announced */
	ph_queue_writer_close(&writer);
	second = make_writer(); /* knows from the metadata how frames are written here */
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	assert_int_equal(frame.pixel, PH_PIXEL_BGRA8);
	assert_int_equal(frame.width_px, 16);
	assert_int_equal(frame.planes[0].stride_bytes, 64);
	assert_int_equal(frame.length_bytes, sizeof(pixels));
	assert_int_equal(frame.sequence, 1);
	assert_true(frame.intrinsics.fx_px == 320 && frame.pose.position_m[2] == 3);
	assert_true(frame.pose.roll_rad == 6 && frame.sim_time_ns == 7 && frame.copy_ns == 9);
	assert_true(is_filled(frame.bytes, 1, sizeof(pixels)));
	assert_ok(ph_queue_release(reader, &frame));
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	assert_int_equal(frame.pixel, PH_PIXEL_GRAY8);
	assert_int_equal(frame.height_px, 2);
	assert_ok(ph_queue_release(reader, &frame));
	assert_status(ph_queue_acquire(reader, 0, &frame), PH_EFORMAT);
	assert_ok(ph_queue_write(second, pixels, sizeof(pixels), 100 * MS, &now));
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	assert_true(is_filled(frame.bytes, 1, sizeof(pixels)));
	assert_ok(ph_queue_release(reader, &frame));
	close_pair(&reader, &second);
}

/* Puts a fresh pair where it would be after that many frames. */
static void fast_forward(ph_queue_reader *reader, ph_queue_writer *writer, uint64_t sequence)
{
	struct queue_header *header = reader->segment.header;
	reader->sequence = writer->sequence = sequence;
	atomic_store(&header->last_sequence, sequence);
	atomic_store(&header->reader_mark, mark_make(sequence, 0));
	atomic_store(&header->writer_mark, mark_make(sequence, 0));
}

TEST(sequence_numbers_go_on_where_the_marks_begin_anew)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	uint64_t sequence = (UINT64_C(1) << MARK_SEQUENCE_BITS) - 5;

	open_pair(&reader, &writer, 1024);
	fast_forward(reader, writer, sequence);
	for (int i = 0; i < 20; i++) {
		uint64_t ahead = 0;
		while (ahead < 3 && send_frame(writer, sequence + ahead + 1, 200, 0) == PH_OK)
			ahead++;
		assert_int_equal(ahead, 3);
		while (ahead-- > 0) {
			sequence++;
			expect_frame(reader, sequence, sequence, 200);
		}
		ph_queue_writer_close(&writer);
		writer = make_writer();
	}
	close_pair(&reader, &writer);
}

TEST(a_description_whose_rows_lie_otherwise_than_its_reader_takes_them_is_refused)
{
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	ph_frame shape = {0}, tight = {0}, padded = {0}, frame;
	unsigned char pixels[64 * 4];

	open_pair(&reader, &writer, 8192);
	fill(pixels, 1, sizeof(pixels));
	assert_ok(ph_frame_describe(&shape, PH_PIXEL_RGB8, 10, 4));
	shape.planes[0].stride_bytes = 32;
	shape.length_bytes = 32 * 4;
	assert_ok(ph_queue_describe(writer, &shape));
	assert_ok(ph_frame_describe(&tight, PH_PIXEL_RGB8, 10, 4));
	assert_status(ph_queue_write(writer, pixels, 32 * 4, 0, &tight), PH_EINVAL);
	assert_ok(ph_queue_write(writer, pixels, 32 * 4, 0, &shape));
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	assert_int_equal(frame.sequence, 1);
	assert_int_equal(frame.planes[0].stride_bytes, 32);
	assert_ok(ph_queue_release(reader, &frame));
	/* Of another size rows are taken without padding. */
	assert_ok(ph_frame_describe(&padded, PH_PIXEL_RGB8, 5, 4));
	padded.planes[0].stride_bytes = 16;
	assert_status(ph_queue_write(writer, pixels, 16 * 4, 0, &padded), PH_EINVAL);
	padded.planes[0].stride_bytes = 15;
	assert_ok(ph_queue_write(writer, pixels, 15 * 4, 0, &padded));
	close_pair(&reader, &writer);
}
