/* SPDX-License-Identifier: MIT */
/* A reader whose writer is an impostor: whatever comes over the socket or lies in the memory that
 * was handed over, the reader gets a status, leaks nothing and does not crash. And threads that
 * share a handle. */
#include "latest_help.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/point.h"
#include "channel/latest_message.h"
#include "shm/fdpass.h"
#include "shm/futex.h"
#include "shm/memfd.h"

enum { SLOTS = 3, STRIDE = 4096, PAYLOAD_BYTES = 4096 + SLOTS * STRIDE };

/* What the impostor gets wrong. */
enum fault {
	NONE,
	HANGS_UP,
	IS_SILENT,
	SENDS_RUBBISH,
	SENDS_HALF,
	REFUSES_ODDLY,
	OTHER_VERSION,
	FOUR_DESCRIPTORS,
	TWO_DESCRIPTORS,
	NO_SEALS,
	WRITABLE_PAYLOAD,
	SHORT_PAYLOAD,
	SHORT_BOARD,
	NOT_A_MEMFD,
	BOARD_MAGIC,
	BOARD_VERSION,
	OWNER_OUTSIDE,
	FAULTS
};

static struct impostor {
	int listener, connection;
	enum fault fault;
	struct ph__memfd board, payload, control;
} impostor;

static void make(struct ph__memfd *memory, size_t length, bool seal, bool read_only)
{
	assert_ok(ph__memfd_create(memory, "impostor", length, false));
	if (seal)
		assert_ok(ph__memfd_seal(memory, read_only));
}

static void make_memory(enum fault fault)
{
	make(&impostor.board, LATEST_PAGE_BYTES, fault != NO_SEALS, true);
	make(&impostor.payload, PAYLOAD_BYTES - (fault == SHORT_PAYLOAD), fault != NO_SEALS,
	     fault != WRITABLE_PAYLOAD);
	make(&impostor.control, LATEST_PAGE_BYTES, fault != NO_SEALS, false);
	struct latest_board *board = impostor.board.base;
	board->magic = LATEST_MAGIC + (fault == BOARD_MAGIC);
	board->version = LATEST_VERSION + (fault == BOARD_VERSION);
	board->owner_offset = fault == OWNER_OUTSIDE ? LATEST_PAGE_BYTES - 2 : LATEST_NO_OWNER;
	if (fault == SHORT_BOARD) {
		ph__memfd_drop(&impostor.board);
		make(&impostor.board, 512, true, true);
	}
	if (fault == NOT_A_MEMFD) {
		close(impostor.board.fd);
		impostor.board.fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	}
}

static void answer(enum fault fault)
{
	struct latest_message message = ph__latest_message(LATEST_WELCOME);
	int fds[] = {impostor.board.fd, impostor.payload.fd, impostor.control.fd,
		     impostor.control.fd};
	unsigned count = fault == FOUR_DESCRIPTORS ? 4 : fault == TWO_DESCRIPTORS ? 2 : 3;
	size_t length = fault == SENDS_HALF ? 32 : sizeof(message);

	message.held = 1;
	message.version = (uint16_t)(LATEST_VERSION + (fault == OTHER_VERSION));
	ph__latest_message_put_geometry(&message,
					&(struct latest_geometry){1, SLOTS, 4096, STRIDE, STRIDE});
	if (fault == SENDS_RUBBISH)
		memset(&message, 0xa5, sizeof(message));
	if (fault == REFUSES_ODDLY) {
		message = ph__latest_message(LATEST_REFUSED);
		message.flags = 99;
		count = 0;
	}
	if (fault != HANGS_UP && fault != IS_SILENT)
		ph__fdpass_send(impostor.connection, &message, length, fds, count);
}

static void *serve_one(void *unused)
{
	struct latest_message hello;

	(void)unused;
	impostor.connection = accept4(impostor.listener, NULL, NULL, SOCK_CLOEXEC);
	recv(impostor.connection, &hello, sizeof(hello), 0);
	answer(impostor.fault);
	if (impostor.fault == HANGS_UP) {
		close(impostor.connection);
		impostor.connection = -1;
	}
	return NULL;
}

static ph_status open_impostor(enum fault fault, ph_latest **reader)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	pthread_t thread;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", channel_name());
	unlink(channel_name());
	impostor.fault = fault;
	impostor.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(impostor.listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(impostor.listener, 1), 0);
	make_memory(fault);
	assert_int_equal(pthread_create(&thread, NULL, serve_one, NULL), 0);
	ph_status status =
	    ph_latest_open(channel_name(), PH_LATEST_OPTIONS(.timeout_ns = 300000000), reader);
	pthread_join(thread, NULL);
	return status;
}

static void end_impostor(void)
{
	if (impostor.connection >= 0)
		close(impostor.connection);
	close(impostor.listener);
	ph__memfd_drop(&impostor.board);
	ph__memfd_drop(&impostor.payload);
	ph__memfd_drop(&impostor.control);
}

TEST(an_impostor_is_refused_whatever_it_gets_wrong)
{
	static const ph_status wanted[FAULTS] = {
	    [NONE] = PH_OK,
	    [HANGS_UP] = PH_EPEER,
	    [IS_SILENT] = PH_ETIMEDOUT,
	    [OTHER_VERSION] = PH_EVERSION,
	    [BOARD_VERSION] = PH_EVERSION,
	};
	ph_latest *reader;

	for (int fault = NONE; fault < FAULTS; fault++) {
		ph_status status = open_impostor((enum fault)fault, &reader);
		ph_status want = fault == NONE || wanted[fault] ? wanted[fault] : PH_EFORMAT;
		if (status != want)
			fail_msg("fault %d: %s (%s)", fault, ph_status_name(status),
				 ph_last_error());
		assert_true((reader != NULL) == (status == PH_OK));
		ph_latest_close(&reader);
		end_impostor();
	}
}

TEST(a_writer_that_publishes_nonsense_is_not_followed)
{
	ph_latest *reader;
	ph_latest_frame frame;

	assert_ok(open_impostor(NONE, &reader));
	struct latest_board *board = impostor.board.base;
	struct latest_header *headers = impostor.payload.base;
	headers[1].sequence = 5;
	headers[1].length_bytes = STRIDE + 1;
	atomic_store(&board->latest, latest_pack(1, 1, 5));
	assert_status(ph_latest_acquire(reader, -1, &frame), PH_EFORMAT);
	assert_null(frame.frame.bytes);
	headers[1].sequence = 6;
	headers[1].length_bytes = 8;
	atomic_store(&board->latest, latest_pack(1, 1, 6));
	assert_ok(ph_latest_acquire(reader, -1, &frame)); /* it may think better of it */
	assert_ok(ph_latest_release(reader, &frame));
	atomic_store(&board->latest, latest_pack(1, 0, 2)); /* older */
	assert_status(ph_latest_acquire(reader, 0, &frame), PH_EAGAIN);
	atomic_store(&board->latest, latest_pack(1, SLOTS, 7));
	assert_status(ph_latest_acquire(reader, -1, &frame), PH_EFORMAT);
	ph_latest_close(&reader);
	end_impostor();
}

TEST(a_payload_that_was_not_asked_for_ends_the_acquaintance)
{
	struct latest_message message = ph__latest_message(LATEST_PAYLOAD);
	ph_latest *reader;
	ph_latest_frame frame;

	assert_ok(open_impostor(NONE, &reader));
	struct latest_board *board = impostor.board.base;
	atomic_store(&board->latest, latest_pack(2, 0, 1));
	assert_status(ph_latest_acquire(reader, 20000000, &frame), PH_ETIMEDOUT); /* no answer */
	ph__latest_message_put_geometry(&message,
					&(struct latest_geometry){2, SLOTS, 4096, STRIDE, STRIDE});
	ph__fdpass_send(impostor.connection, &message, sizeof(message), &impostor.payload.fd, 1);
	ph__fdpass_send(impostor.connection, &message, sizeof(message), &impostor.payload.fd, 1);
	struct latest_header *headers = impostor.payload.base;
	headers[0].sequence = 1;
	assert_ok(ph_latest_acquire(reader, -1, &frame)); /* the first was asked for */
	assert_ok(ph_latest_release(reader, &frame));
	atomic_store(&board->latest, latest_pack(3, 0, 2));
	/* The second comes in answer to the next question, and is still not what was asked for. */
	ph_status status = ph_latest_acquire(reader, 20000000, &frame);
	assert_true(status == PH_ETIMEDOUT || status == PH_EPEER);
	ph_latest_close(&reader);
	end_impostor();
}

static _Atomic bool flood_ends;

static void *flood(void *unused)
{
	struct latest_message wake = ph__latest_message(LATEST_WAKE);
	struct latest_board *board = impostor.board.base;

	(void)unused;
	for (uint32_t i = 0; !atomic_load(&flood_ends); i++) {
		/* Words that differ at every look, none newer than what was seen but in epoch 2. */
		atomic_store(&board->latest, latest_pack(1 + i % 2, i % SLOTS, 1 + i % 7));
		ph__futex_wake(latest_futex(board), 1, false);
		if (i % 64 == 0)
			send(impostor.connection, &wake, sizeof(wake), MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	return NULL;
}

TEST(a_writer_that_never_stands_still_cannot_keep_a_reader)
{
	ph_latest *reader;
	ph_latest_frame frame;
	pthread_t thread;

	assert_ok(open_impostor(NONE, &reader));
	assert_int_equal(pthread_create(&thread, NULL, flood, NULL), 0);
	for (int i = 0; i < 20; i++) {
		int64_t start_ns = ph_now_ns();
		assert_int_not_equal(ph_latest_acquire(reader, 5000000, &frame), PH_OK);
		assert_true(ph_now_ns() - start_ns < 2000000000);
	}
	atomic_store(&flood_ends, true);
	pthread_join(thread, NULL);
	ph_latest_close(&reader);
	end_impostor();
}

static void *release_all(void *context)
{
	struct {
		ph_latest *reader;
		ph_latest_frame frame;
	} *job = context;

	sleep_ms(10);
	return ph_latest_release(job->reader, &job->frame) == PH_OK ? NULL : context;
}

TEST(a_frame_may_be_released_by_another_thread_while_one_waits)
{
	ph_latest *writer = create_with(PH_LATEST_OPTIONS(.frame_bytes = 4096));
	struct {
		ph_latest *reader;
		ph_latest_frame frame;
	} job = {.reader = open_reader()};
	ph_latest_frame frame;
	pthread_t thread;
	void *result;

	for (uint64_t sequence = 1; sequence <= 20; sequence++) {
		publish_words(writer, sequence, 512);
		assert_ok(ph_latest_acquire(job.reader, 0, &job.frame));
		assert_int_equal(pthread_create(&thread, NULL, release_all, &job), 0);
		assert_status(ph_latest_acquire(job.reader, 15000000, &frame), PH_ETIMEDOUT);
		pthread_join(thread, &result);
		assert_null(result);
	}
	ph_latest_close(&job.reader);
	ph_latest_close(&writer);
}

#if PH_POINTS
static uint64_t turned_to;

/* Between the reader's claim and its second look. */
static void turn_back(const char *point)
{
	struct latest_board *board = impostor.board.base;

	if (strcmp(point, "acquire:before-recheck") == 0)
		atomic_store(&board->latest, turned_to);
}

TEST(a_writer_that_goes_back_to_an_older_frame_costs_the_reader_no_hold)
{
	ph_latest *reader;
	ph_latest_frame frame;
	uint64_t older[] = {4, 0};

	for (int i = 0; i < 2; i++) {
		assert_ok(open_impostor(NONE, &reader));
		struct latest_board *board = impostor.board.base;
		struct latest_header *headers = impostor.payload.base;
		headers[1].sequence = 5;
		headers[2].sequence = older[i];
		atomic_store(&board->latest, latest_pack(1, 1, 5));
		assert_ok(ph_latest_acquire(reader, 0, &frame));
		assert_ok(ph_latest_release(reader, &frame));
		turned_to = latest_pack(1, 2, older[i]);
		atomic_store(&board->latest, latest_pack(1, 1, 6));
		ph__point_hook = turn_back;
		assert_status(ph_latest_acquire(reader, 0, &frame), PH_EFORMAT);
		ph__point_hook = NULL;
		ph_latest_close(&reader);
		end_impostor();
	}
}
#endif
