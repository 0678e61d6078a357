/* SPDX-License-Identifier: MIT */
/* The scenarios of the ZeroBuffer project from 7 on: errors of the system, names and files, lives
 * without end. See test_queue_scenarios.c. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/sys.h"
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

static int failing_linkat(int a, const char *b, int c, const char *to, int flags)
{
	if (strstr(to, "sem.sem-r"))
		return errno = ENOSPC, -1;
	return linkat(a, b, c, to, flags);
}

TEST(scenario_7_1_and_10_1_and_10_5_a_semaphore_that_cannot_be_made_leaves_nothing)
{
	struct ph__sys broken = ph__sys_real;
	broken.linkat = failing_linkat;
	ph__sys = &broken;
	assert_status(ph_queue_reader_create(queue_name(), NULL, &reader), PH_ENOSPC);
	ph__sys = &ph__sys_real;
	assert_null(reader);
	assert_int_equal(count_leftovers(), 0);
}

TEST(scenario_7_2_a_full_dev_shm_is_an_error_that_names_the_bytes)
{
	const ph_queue_reader_options huge = {.size = sizeof(huge),
					      .ring_bytes = UINT64_C(1) << 38};
	assert_status(ph_queue_reader_create(queue_name(), &huge, &reader), PH_ENOSPC);
	assert_non_null(strstr(ph_last_error(), "274877911168 bytes are needed"));
	assert_int_equal(count_leftovers(), 0);
}

TEST(scenario_7_4_every_byte_of_frames_up_to_ten_mebibytes_is_right)
{
	static const uint64_t sizes[] = {1, 1024, 1 << 20, 10 << 20};
	unsigned char *bytes = malloc(10 << 20), *back = malloc(10 << 20);
	open_both(0, 24 << 20);
	for (int i = 0; i < 4; i++) {
		fill(bytes, i, sizes[i]);
		assert_ok(ph_queue_write(writer, bytes, sizes[i], 0, NULL));
	}
	for (int i = 0; i < 4; i++) {
		assert_ok(ph_queue_read(reader, back, 10 << 20, 0, &frame));
		assert_int_equal(frame.length_bytes, sizes[i]);
		assert_true(is_filled(back, i, sizes[i]));
	}
	free(bytes);
	free(back);
	close_both();
}

TEST(scenario_8_1_objects_appear_under_their_names_and_are_gone_after_closing)
{
	reader = make_reader(64, 4096);
	assert_int_equal(count_entries("/dev/shm", queue_name()), 3);
	assert_int_equal(count_entries("/tmp/zerobuffer", queue_name()), 1);
	writer = make_writer();
	close_both();
}

TEST(scenario_8_3_and_12_4_names_of_every_allowed_kind_work)
{
	char longest[246];
	static const char *const forms[] = {"%s-with-dash", "%s_under.dot", "%s with space: colon",
					    "%s-\xc3\xbc\xe2\x82\xac"};
	for (size_t i = 0; i <= 4; i++) {
		memset(longest, 'n', 245);
		longest[245] = '\0';
		int length = (int)strlen(queue_name());
		memcpy(longest, queue_name(), length);
		if (i < 4) {
			const char *rest = forms[i] + 2;
			memcpy(longest + length, rest, strlen(rest) + 1);
		}
		assert_ok(ph_queue_reader_create(longest, NULL, &reader));
		assert_ok(ph_queue_writer_open(longest, NULL, &writer));
		assert_ok(send_frame(writer, 1, 10, 0));
		expect_frame(reader, 1, 1, 10);
		close_both();
	}
}

static void make_file(const char *folder, const char *before, const char *after, int64_t bytes)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s%s%s", folder, before, queue_name(), after);
	int fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_true(fd >= 0 && ftruncate(fd, bytes) == 0);
	close(fd);
}

TEST(scenario_8_4_planted_leftovers_of_a_stock_reader_are_removed)
{
	mkdir("/tmp/zerobuffer", 0777);
	for (int64_t bytes = 0; bytes <= 8192; bytes += 8192) {
		make_file("/tmp/zerobuffer", "", ".lock", 0);
		make_file("/dev/shm", "", "", bytes);
		make_file("/dev/shm", "sem.sem-w-", "", 32);
		make_file("/dev/shm", "sem.sem-r-", "", 32);
		open_both(64, 4096);
		assert_ok(send_frame(writer, 1, 10, 0));
		expect_frame(reader, 1, 1, 10);
		close_both();
	}
}

TEST(scenario_11_1_creating_and_closing_a_thousand_times_leaks_nothing)
{
	for (int i = 0; i < (test_full() ? 1000 : 200); i++) {
		open_both(64, 4096);
		assert_ok(send_frame(writer, i, 10, 0));
		expect_frame(reader, 1, i, 10);
		close_both();
	}
}

TEST(scenario_11_4_many_buffers_at_once_fail_gracefully_at_the_limit)
{
	enum { LIMIT = 200 };
	ph_queue_reader *readers[LIMIT];
	char name[128];
	int count = 0;
	ph_status status = PH_OK;
	for (; count < LIMIT && status == PH_OK; count++) {
		snprintf(name, sizeof(name), "%s-%d", queue_name(), count);
		status = ph_queue_reader_create(name, PH_QUEUE_READER_OPTIONS(.ring_bytes = 4096),
						&readers[count]);
	}
	assert_true(count == LIMIT || status == PH_ESYS || status == PH_ENOSPC);
	while (count-- > 0)
		ph_queue_reader_close(&readers[count]);
	assert_int_equal(count_leftovers(), 0);
}

static void *attach_again_and_again(void *stop)
{
	while (!*(_Atomic int *)stop) {
		ph_queue_writer *mine;
		ph_status status = ph_queue_writer_open(queue_name(), NULL, &mine);
		assert_true(status == PH_OK || status == PH_ENOENT || status == PH_EPEER ||
			    status == PH_EEXIST);
		if (status == PH_OK)
			send_frame(mine, 1, 10, 0);
		ph_queue_writer_close(&mine);
	}
	return NULL;
}

TEST(scenario_11_5_creating_while_a_writer_keeps_attaching_stays_clean)
{
	_Atomic int stop = 0;
	pthread_t thread;
	queue_name();
	pthread_create(&thread, NULL, attach_again_and_again, &stop);
	for (int i = 0; i < (test_full() ? 1000 : 200); i++) {
		reader = make_reader(64, 4096);
		ph_queue_reader_close(&reader);
	}
	stop = 1;
	pthread_join(thread, NULL);
	assert_int_equal(count_leftovers(), 0);
}

TEST(scenario_12_1_and_12_2_the_words_move_as_the_protocol_says)
{
	open_both(100, 1000); /* rounded up to 128 and 1024 */
	struct queue_header *header = reader->segment.header;
	assert_int_equal(atomic_load(&header->metadata_bytes), 128);
	assert_int_equal(atomic_load(&header->ring_bytes), 1024);
	assert_int_equal(reader->segment.object.length_bytes, 128 + 128 + 1024);
	assert_ok(send_frame(writer, 1, 100, 0));
	assert_int_equal(atomic_load(&header->written_count), 1);
	assert_int_equal(atomic_load(&header->free_bytes), 1024 - 116);
	assert_int_equal(atomic_load(&header->write_position), 116);
	assert_ok(ph_queue_acquire(reader, 0, &frame));
	assert_int_equal(atomic_load(&header->read_count), 1);
	assert_int_equal(atomic_load(&header->read_position), 116);
	assert_int_equal(atomic_load(&header->free_bytes), 1024 - 116);
	assert_ok(ph_queue_release(reader, &frame));
	assert_int_equal(atomic_load(&header->free_bytes), 1024);
	close_both();
}

static void create_reader(void)
{
	make_reader(1024, 10240);
}

TEST(scenario_12_3_the_lock_file_is_locked_and_goes_with_a_killed_reader)
{
	char path[128];
	pid_t child = start_process(create_reader);
	snprintf(path, sizeof(path), "/tmp/zerobuffer/%s.lock", queue_name());
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	assert_status(ph_queue_reader_create(queue_name(), NULL, &reader), PH_EEXIST);
	kill_child(child);
	close(fd);
	reader = make_reader(64, 4096);
	ph_queue_reader_close(&reader);
	assert_int_equal(access(path, F_OK), -1);
}
