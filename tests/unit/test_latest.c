/* SPDX-License-Identifier: MIT */
/* The contract of <pinhole/latest.h>, within one process. */
#include "latest_help.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

enum { WORDS = 512 };
#define SMALL PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8)

TEST(a_reader_gets_the_newest_frame_and_how_many_it_missed)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;

	assert_status(ph_latest_acquire(reader, 0, &frame), PH_EAGAIN);
	assert_null(frame.frame.bytes);
	for (uint64_t sequence = 1; sequence <= 3; sequence++)
		publish_words(writer, sequence, WORDS);
	assert_ok(ph_latest_acquire(reader, 0, &frame));
	assert_int_equal(frame.frame.sequence, 3);
	assert_int_equal(frame.missed, 0); /* what was before it came is no loss */
	assert_true(is_whole(&frame));
	assert_ok(ph_latest_release(reader, &frame));
	assert_null(frame.frame.bytes);
	assert_status(ph_latest_acquire(reader, 0, &frame), PH_EAGAIN);
	for (uint64_t sequence = 4; sequence <= 9; sequence++)
		publish_words(writer, sequence, WORDS);
	assert_ok(ph_latest_acquire(reader, 0, &frame));
	assert_int_equal(frame.frame.sequence, 9);
	assert_int_equal(frame.missed, 5);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
	ph_latest_close(&writer); /* NULL */
}

TEST(a_late_joiner_gets_the_current_frame_at_once)
{
	ph_latest *writer = create_with(SMALL), *reader;
	ph_latest_frame frame;

	publish_words(writer, 1, WORDS);
	publish_words(writer, 2, WORDS);
	reader = open_reader();
	assert_ok(ph_latest_acquire(reader, 0, &frame));
	assert_int_equal(frame.frame.sequence, 2);
	assert_true(is_whole(&frame));
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(a_held_frame_is_never_overwritten)
{
	ph_latest *writer =
		      create_with(PH_LATEST_OPTIONS(.frame_bytes = WORDS * 8, .max_readers = 2)),
		  *reader[2];
	ph_latest_frame held[2][2];

	for (int i = 0; i < 2; i++)
		reader[i] = open_reader();
	for (uint64_t sequence = 1; sequence <= 200; sequence++) {
		publish_words(writer, sequence, WORDS);
		if (sequence <= 4) { /* all that may be held is held, each another frame */
			uint64_t i = (sequence - 1) / 2, k = (sequence - 1) % 2;
			assert_ok(ph_latest_acquire(reader[i], 0, &held[i][k]));
		}
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(held[i / 2][i % 2].frame.sequence, i + 1);
		assert_true(is_whole(&held[i / 2][i % 2]));
	}
	for (int i = 0; i < 2; i++)
		ph_latest_close(&reader[i]);
	ph_latest_close(&writer);
}

TEST(a_reader_that_holds_all_it_may_is_told_so_and_can_go_on_after_a_release)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame[2], more;

	for (uint64_t sequence = 1; sequence <= 2; sequence++) {
		publish_words(writer, sequence, WORDS);
		assert_ok(ph_latest_acquire(reader, 0, &frame[sequence - 1]));
	}
	publish_words(writer, 3, WORDS);
	assert_status(ph_latest_acquire(reader, 0, &more), PH_ENOSPC);
	assert_non_null(strstr(ph_last_error(), "2 frames"));
	ph_latest_frame again = frame[0];
	assert_ok(ph_latest_release(reader, &frame[0]));
	assert_status(ph_latest_release(reader, &again), PH_EINVAL);
	assert_status(ph_latest_release(reader, &frame[0]), PH_EINVAL);
	assert_ok(ph_latest_acquire(reader, 0, &more));
	assert_int_equal(more.frame.sequence, 3);
	assert_true(is_whole(&frame[1]));
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(the_description_travels_with_the_frame)
{
	ph_latest *writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = 64 * 48 * 3)),
		  *reader = open_reader();
	ph_frame frame = {0};
	ph_latest_frame got;
	void *bytes;
	uint64_t room_bytes;

	assert_ok(ph_frame_describe(&frame, PH_PIXEL_I420, 63, 47));
	frame.capture_time_ns = 11;
	frame.sim_time_ns = 12;
	frame.render_ns = 13;
	frame.copy_ns = 14;
	frame.pose = (ph_pose){{1, 2, 3}, 0.1, 0.2, 0.3};
	frame.intrinsics = (ph_intrinsics){500, 501, 31, 23, 1.5};
	assert_ok(ph_latest_claim(writer, &bytes, &room_bytes));
	assert_int_equal(room_bytes, 64 * 48 * 3);
	int64_t before_ns = ph_now_ns();
	assert_ok(ph_latest_publish(writer, &frame, "lens 7", 7));
	assert_ok(ph_latest_acquire(reader, 0, &got));
	assert_true(got.frame.publish_time_ns >= before_ns &&
		    got.frame.publish_time_ns <= ph_now_ns());
	assert_int_equal(got.user_bytes, 7);
	assert_string_equal((const char *)got.user, "lens 7");
	frame.bytes = got.frame.bytes;
	frame.sequence = 1;
	frame.publish_time_ns = got.frame.publish_time_ns;
	assert_memory_equal(&got.frame, &frame, sizeof(frame));
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(what_a_frame_cannot_be_is_refused_and_the_claim_stands)
{
	ph_latest *writer = create_with(SMALL);
	ph_frame frame = {.length_bytes = WORDS * 8 + 1};
	void *bytes, *again;
	uint64_t room_bytes;
	char user[PH_LATEST_USER_BYTES_MAX + 1] = {0};

	assert_status(ph_latest_publish(writer, &frame, NULL, 0), PH_EINVAL); /* no claim */
	assert_ok(ph_latest_claim(writer, &bytes, &room_bytes));
	assert_status(ph_latest_publish(writer, &frame, NULL, 0), PH_ETOOBIG);
	assert_ok(ph_frame_describe(&frame, PH_PIXEL_GRAY8, 8, 8));
	frame.planes[0].stride_bytes = 7;
	assert_status(ph_latest_publish(writer, &frame, NULL, 0), PH_EINVAL);
	frame.planes[0].stride_bytes = 8;
	assert_status(ph_latest_publish(writer, &frame, user, sizeof(user)), PH_EINVAL);
	assert_status(ph_latest_publish(writer, &frame, NULL, 1), PH_EINVAL);
	assert_status(ph_latest_publish(writer, NULL, NULL, 0), PH_EINVAL);
	assert_ok(ph_latest_claim(writer, &again, &room_bytes));
	assert_ptr_equal(again, bytes);
	assert_ok(ph_latest_publish(writer, &frame, NULL, 0));
	ph_latest_close(&writer);
}

TEST(handles_are_for_their_own_side)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;
	ph_latest_info info = {.size = sizeof(info)};
	void *bytes;
	uint64_t room_bytes;

	assert_status(ph_latest_claim(reader, &bytes, &room_bytes), PH_EINVAL);
	assert_null(bytes);
	assert_status(ph_latest_acquire(writer, 0, &frame), PH_EINVAL);
	assert_status(ph_latest_acquire(NULL, 0, &frame), PH_EINVAL);
	assert_status(ph_latest_resize(reader, SMALL), PH_EINVAL);
	assert_int_equal(ph_latest_fd(writer), -1);
	assert_int_equal(ph_latest_fd(NULL), -1);
	assert_status(ph_latest_get_info(NULL, &info), PH_EINVAL);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(a_channel_can_be_looked_at_from_both_sides)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_info info = {.size = sizeof(info)};
	ph_latest_frame frame;

	for (uint64_t sequence = 1; sequence <= 5; sequence++) {
		publish_words(writer, sequence, 1);
		if (sequence == 1 || sequence == 5) {
			assert_ok(ph_latest_acquire(reader, 0, &frame));
			assert_ok(ph_latest_release(reader, &frame));
		}
	}
	assert_ok(ph_latest_get_info(reader, &info));
	assert_int_equal(info.sequence, 5);
	assert_int_equal(info.missed, 3);
	assert_int_equal(info.held_frames, 2);
	assert_int_equal(info.reader_count, 1);
	assert_int_equal(info.writer_pid, getpid());
	assert_ok(ph_latest_get_info(writer, &info));
	assert_int_equal(info.slot_count, 8 * 2 + 2);
	assert_int_equal(info.held_frames, 16);
	/* 18 headers of 512 bytes and 18 slots, the board and eight readers' pages */
	assert_int_equal(info.reserved_bytes, 12288 + 18 * 4096 + 4096 * 9);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(a_reader_too_many_is_refused_with_the_bytes_it_would_need)
{
	ph_latest *writer = create_with(
		      PH_LATEST_OPTIONS(.frame_bytes = 5000, .max_readers = 2, .held_frames = 3)),
		  *reader[2], *more;
	ph_latest_frame frame;

	reader[0] = open_reader();
	reader[1] = open_reader();
	assert_status(ph_latest_open(channel_name(), NULL, &more), PH_ENOSPC);
	assert_null(more);
	assert_non_null(strstr(ph_last_error(), "24576 bytes")); /* 3 slots of 8192 */
	ph_latest_close(&reader[1]);
	/* The share of one that has left comes back as soon as the writer has seen the hang-up. */
	while (ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.held_frames = 1), &more) != PH_OK)
		sleep_ms(1);
	assert_ok(ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.held_frames = 2), &reader[1]));
	publish_words(writer, 1, 1);
	assert_ok(ph_latest_acquire(more, 0, &frame));
	publish_words(writer, 2, 1);
	assert_status(ph_latest_acquire(more, 0, &frame), PH_ENOSPC);
	ph_latest_close(&more);
	ph_latest_close(&reader[0]);
	ph_latest_close(&reader[1]);
	ph_latest_close(&writer);
}

TEST(options_are_checked_and_say_what_is_wrong)
{
	ph_latest *channel;
	const struct {
		ph_latest_options options;
		ph_status status;
	} cases[] = {
	    {{.size = sizeof(ph_latest_options)}, PH_EINVAL},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = 1, .max_readers = 65}, PH_EINVAL},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = 1, .held_frames = 17}, PH_EINVAL},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = 1, .flags = 1u << 30}, PH_EINVAL},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = 1, .mode = 010000}, PH_EINVAL},
	    {{.size = 4, .frame_bytes = 1}, PH_EINVAL},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = UINT64_MAX}, PH_ETOOBIG},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = 1 << 20, .max_bytes = 18 << 20},
	     PH_ETOOBIG},
	    {{.size = sizeof(ph_latest_options), .frame_bytes = UINT64_C(1) << 40}, PH_ENOSPC},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_status(ph_latest_create(channel_name(), &cases[i].options, &channel),
			      cases[i].status);
		assert_null(channel);
		assert_int_not_equal(ph_last_error()[0], '\0');
	}
	assert_non_null(strstr(ph_last_error(), "are available"));
	assert_status(ph_latest_create(channel_name(), NULL, &channel), PH_EINVAL);
	assert_status(ph_latest_create(NULL, SMALL, &channel), PH_EINVAL);
	assert_status(ph_latest_create(channel_name(), SMALL, NULL), PH_EINVAL);
	assert_status(
	    ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.held_frames = 17), &channel),
	    PH_EINVAL);
	assert_int_not_equal(access(channel_name(), F_OK), 0);
}

TEST(options_of_an_older_and_of_a_newer_program_are_read)
{
	ph_latest *channel;
	struct {
		ph_latest_options known;
		uint64_t invented;
	} newer = {.known = {.size = sizeof(newer), .frame_bytes = 64}};
	ph_latest_options older = {
	    .size = offsetof(ph_latest_options, max_bytes), .frame_bytes = 64, .max_readers = 1000};

	assert_ok(ph_latest_create(channel_name(), &newer.known, &channel));
	ph_latest_close(&channel);
	newer.invented = 1;
	assert_status(ph_latest_create(channel_name(), &newer.known, &channel), PH_EINVAL);
	assert_ok(ph_latest_create(channel_name(), &older, &channel));
	ph_latest_close(&channel);
}

TEST(names_are_checked)
{
	static const char *const wrong[] = {
	    "",      ".hidden",
	    "a/b",   "a b",
	    "ü",     "/",
	    "/tmp/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	ph_latest *channel;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_status(ph_latest_create(wrong[i], SMALL, &channel), PH_EINVAL);
		assert_status(ph_latest_open(wrong[i], NULL, &channel), PH_EINVAL);
	}
	assert_status(ph_latest_open("nobody-has-this-name", NULL, &channel), PH_ENOENT);
}

TEST(a_name_lives_in_a_folder_that_is_the_users_alone)
{
	char path[128], folder[100];
	struct stat st;
	ph_latest *writer, *other;

	snprintf(folder, sizeof(folder), "%s/run", test_folder());
	assert_int_equal(mkdir(folder, 0700), 0);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	assert_ok(ph_latest_create("cam-0", SMALL, &writer));
	snprintf(path, sizeof(path), "%s/pinhole/cam-0.latest", folder);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_status(ph_latest_create("cam-0", SMALL, &other), PH_EEXIST);
	assert_ok(ph_latest_open("cam-0", NULL, &other));
	ph_latest_close(&other);
	ph_latest_close(&writer);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_status(ph_latest_open("cam-0", NULL, &other), PH_ENOENT);

	snprintf(path, sizeof(path), "%s/pinhole", folder);
	assert_int_equal(chmod(path, 0755), 0);
	assert_status(ph_latest_create("cam-0", SMALL, &writer), PH_EPERM);
	assert_status(ph_latest_open("cam-0", NULL, &writer), PH_EPERM);
}

TEST(the_socket_file_of_a_dead_writer_is_replaced_and_other_files_are_not)
{
	ph_latest *writer;
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", channel_name());
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_ok(ph_latest_create(channel_name(), SMALL, &writer));
	/* A successor has taken the path: closing does not remove what is not ours. */
	assert_int_equal(unlink(channel_name()), 0);
	assert_int_equal(close(open(channel_name(), O_CREAT | O_RDWR, 0600)), 0);
	ph_latest_close(&writer);
	assert_int_equal(access(channel_name(), F_OK), 0);
	assert_status(ph_latest_create(channel_name(), SMALL, &writer), PH_EEXIST);
}

TEST(timeouts_are_kept)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;
	int64_t start_ns = ph_now_ns();

	assert_status(ph_latest_acquire(reader, 30000000, &frame), PH_ETIMEDOUT);
	assert_true(ph_now_ns() - start_ns >= 30000000);
	assert_status(ph_latest_acquire(reader, 1, &frame), PH_ETIMEDOUT);
	publish_words(writer, 1, 1);
	assert_ok(ph_latest_acquire(reader, INT64_MAX, &frame)); /* no overflow */
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

static void *publish_after_a_while(void *writer)
{
	sleep_ms(30);
	publish_words(writer, 1, WORDS);
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

TEST(a_sleeper_is_woken_and_signals_do_not_end_its_wait)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;
	pthread_t thread;
	struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART */
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(pthread_create(&thread, NULL, publish_after_a_while, writer), 0);
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	assert_true(is_whole(&frame));
	pthread_join(thread, NULL);
	assert_ok(ph_latest_release(reader, &frame));
	assert_status(ph_latest_acquire(reader, 20000000, &frame), PH_ETIMEDOUT);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
	/* Making and opening goes on after signals, too. */
	writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = 8 << 20));
	reader = open_reader();
	setitimer(ITIMER_REAL, &never, NULL);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

static void *close_after_a_while(void *channel)
{
	sleep_ms(30);
	ph_latest_close(channel);
	return NULL;
}

TEST(closing_from_another_thread_ends_a_wait)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader(), *closed = reader;
	ph_latest_frame frame;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, close_after_a_while, &closed), 0);
	assert_status(ph_latest_acquire(reader, -1, &frame), PH_ECLOSED);
	pthread_join(thread, NULL);
	assert_null(closed);
	ph_latest_close(&writer);
}

TEST(a_reader_gets_the_last_frame_of_a_writer_that_closed_then_is_told)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame, none;

	publish_words(writer, 1, WORDS);
	publish_words(writer, 2, WORDS);
	ph_latest_close(&writer);
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	assert_int_equal(frame.frame.sequence, 2);
	assert_status(ph_latest_acquire(reader, -1, &none), PH_ECLOSED);
	assert_status(ph_latest_acquire(reader, 0, &none), PH_ECLOSED);
	assert_true(is_whole(&frame));
	assert_ok(ph_latest_release(reader, &frame));
	ph_latest_close(&reader);
}

TEST(a_sleeper_learns_that_the_writer_closes)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader();
	ph_latest_frame frame;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, close_after_a_while, &writer), 0);
	assert_status(ph_latest_acquire(reader, -1, &frame), PH_ECLOSED);
	pthread_join(thread, NULL);
	ph_latest_close(&reader);
}

TEST(a_descriptor_is_readable_when_there_is_a_newer_frame_or_the_writer_is_gone)
{
	ph_latest *writer = create_with(SMALL), *reader;
	ph_latest_frame frame;

	assert_ok(ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.flags = PH_LATEST_POLLABLE),
				 &reader));
	struct pollfd ready = {.fd = ph_latest_fd(reader), .events = POLLIN};
	assert_true(ready.fd >= 0);
	for (uint64_t sequence = 1; sequence <= 100; sequence++) {
		assert_status(ph_latest_acquire(reader, 0, &frame), PH_EAGAIN);
		assert_int_equal(poll(&ready, 1, 0), 0);
		publish_words(writer, sequence, 1);
		assert_int_equal(poll(&ready, 1, -1), 1);
		assert_ok(ph_latest_acquire(reader, 0, &frame));
		assert_int_equal(frame.frame.sequence, sequence);
		assert_ok(ph_latest_release(reader, &frame));
	}
	assert_status(ph_latest_acquire(reader, 0, &frame), PH_EAGAIN);
	ph_latest_close(&writer);
	assert_int_equal(poll(&ready, 1, -1), 1);
	assert_status(ph_latest_acquire(reader, 0, &frame), PH_ECLOSED);
	ph_latest_close(&reader);
}

TEST(a_resize_gives_larger_frames_and_leaves_held_ones_alone)
{
	ph_latest *writer = create_with(SMALL), *reader = open_reader(), *late;
	ph_latest_frame old, frame;

	publish_words(writer, 1, WORDS);
	assert_ok(ph_latest_acquire(reader, 0, &old));
	publish_words(writer, 2, WORDS);
	assert_ok(ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = WORDS * 80)));
	late = open_reader(); /* before a frame lies in the new memory */
	assert_ok(ph_latest_acquire(late, 0, &frame));
	assert_int_equal(frame.frame.sequence, 2);
	assert_true(is_whole(&frame));
	assert_ok(ph_latest_release(late, &frame));
	for (uint64_t sequence = 3; sequence <= 60; sequence++)
		publish_words(writer, sequence, WORDS * 10);
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	assert_int_equal(frame.frame.sequence, 60);
	assert_int_equal(frame.missed, 58);
	assert_true(is_whole(&frame));
	assert_int_equal(old.frame.sequence, 1);
	assert_true(is_whole(&old));
	assert_ok(ph_latest_release(reader, &old));
	assert_ok(ph_latest_release(reader, &frame));
	while (ph_latest_acquire(late, 0, &frame) ==
	       PH_EAGAIN) /* following takes the writer's answer */
		sleep_ms(1);
	assert_int_equal(frame.frame.sequence, 60);
	assert_ok(
	    ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = 8))); /* and smaller ones */
	publish_words(writer, 61, 1);
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	assert_int_equal(frame.frame.sequence, 61);
	ph_latest_close(&late);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(many_resizes_leave_nothing_behind_and_end_with_a_message)
{
	ph_latest *writer = create_with(
		      PH_LATEST_OPTIONS(.frame_bytes = 8, .max_readers = 1, .held_frames = 1)),
		  *reader = open_reader();
	ph_latest_frame frame;
	uint64_t sequence = 0;

	for (int i = 1; i < 4095; i++) {
		assert_ok(
		    ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = 8 + i % 7 * 4096)));
		if (i % 3 == 0)
			publish_words(writer, ++sequence, 1);
		if (i % 300 == 0) {
			assert_ok(ph_latest_acquire(reader, -1, &frame));
			assert_int_equal(frame.frame.sequence, sequence);
			assert_ok(ph_latest_release(reader, &frame));
		}
	}
	assert_status(ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = 8)), PH_ETOOBIG);
	publish_words(writer, ++sequence, 1);
	assert_ok(ph_latest_acquire(reader, -1, &frame));
	assert_int_equal(frame.frame.sequence, sequence);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(a_resize_makes_room_for_more_readers_and_not_for_fewer_than_there_are)
{
	ph_latest *writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = 8, .max_readers = 1)),
		  *reader = open_reader(), *more;
	void *bytes, *again;
	uint64_t room_bytes;

	assert_status(ph_latest_open(channel_name(), NULL, &more), PH_ENOSPC);
	assert_ok(ph_latest_resize(writer, PH_LATEST_OPTIONS(.max_readers = 2)));
	assert_ok(ph_latest_open(channel_name(), NULL, &more));
	assert_ok(ph_latest_claim(writer, &bytes, &room_bytes));
	assert_status(ph_latest_resize(writer, PH_LATEST_OPTIONS(.max_readers = 1)), PH_EINVAL);
	assert_status(
	    ph_latest_resize(writer, PH_LATEST_OPTIONS(.frame_bytes = 1 << 20, .max_bytes = 4096)),
	    PH_ETOOBIG);
	assert_ok(ph_latest_claim(writer, &again, &room_bytes)); /* nothing has changed */
	assert_ptr_equal(again, bytes);
	ph_latest_close(&more);
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}

TEST(huge_pages_are_taken_on_request)
{
	ph_latest *writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = 3 << 20, .max_readers = 1,
							  .flags = PH_LATEST_HUGE_PAGES)),
		  *reader = open_reader();
	ph_latest_info info = {.size = sizeof(info)};
	ph_latest_frame frame;

	assert_ok(ph_latest_get_info(writer, &info));
	assert_int_equal(info.reserved_bytes, (2 + 4 * 4) * (1 << 20) + 2 * 4096);
	for (uint64_t sequence = 1; sequence < 9; sequence++) {
		publish_words(writer, sequence, 3 << 17);
		assert_ok(ph_latest_acquire(reader, 0, &frame));
		assert_true(is_whole(&frame));
		assert_ok(ph_latest_release(reader, &frame));
	}
	ph_latest_close(&reader);
	ph_latest_close(&writer);
}
