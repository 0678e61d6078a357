/* SPDX-License-Identifier: MIT */
/* The algorithm alone, as threads on one mapping: ThreadSanitizer tells memory apart by its
 * address, so this is where it can see a race. And the checks on what comes from a peer. */
#include "latest_help.h"

#include <pthread.h>
#include <sys/mman.h>

#include "channel/latest_core.h"
#include "channel/latest_message.h"
#include "shm/futex.h"

enum { READERS = 3, WORDS = 64, HELD = 2 };

static struct latest_board board;
static struct latest_roster_cell roster;
static struct latest_pool pool;
static struct latest_geometry geometry;
static unsigned char *payload;
static _Atomic int readers_left, faults;
static _Atomic uint64_t frames_read[READERS];

static void make_channel(void)
{
	assert_ok(ph__latest_geometry_make(&geometry, WORDS * 8, READERS * HELD, false));
	geometry.epoch = 1;
	payload = aligned_alloc(4096, ph__latest_payload_bytes(&geometry));
	assert_non_null(payload);
	memset(payload, 0, ph__latest_payload_bytes(&geometry));
	ph__latest_roster_init(&roster);
	pool.board = &board;
	pool.roster = &roster;
	ph__latest_pool_use(&pool, &geometry, payload);
}

static bool read_one(const struct latest_view *view, uint32_t hold, uint64_t *last)
{
	ph_latest_frame frame;
	uint64_t word;

	if (ph__latest_pin(view, hold, &word) != LATEST_PINNED ||
	    ph__latest_describe(view, word, &frame) != PH_OK || frame.frame.sequence < *last)
		return false;
	*last = frame.frame.sequence;
	return is_whole(&frame);
}

/* Joins, reads for a while with one frame always in hand, leaves; then comes again with a fresh
 * page. The roster has one changing thread in life: here a lock stands for it. */
static pthread_mutex_t service = PTHREAD_MUTEX_INITIALIZER;

static void join(struct latest_control *control)
{
	pthread_mutex_lock(&service);
	struct latest_roster *draft = ph__latest_roster_draft(&roster);
	draft->readers[draft->count++] =
	    (struct latest_roster_entry){.control = control, .held = HELD};
	ph__latest_roster_install(&roster, draft);
	pthread_mutex_unlock(&service);
}

static void leave(struct latest_control *control)
{
	pthread_mutex_lock(&service);
	struct latest_roster *draft = ph__latest_roster_draft(&roster);
	for (uint32_t i = 0; i < draft->count; i++)
		if (draft->readers[i].control == control) {
			draft->readers[i] = draft->readers[--draft->count];
			break;
		}
	ph__latest_roster_install(&roster, draft);
	pthread_mutex_unlock(&service);
}

static void *run_reader(void *context)
{
	int rounds = test_full() ? 400 : 20;
	_Atomic uint64_t *frames = context;

	for (int round = 0; round < rounds; round++) {
		struct latest_control *control = aligned_alloc(4096, 4096);
		memset(control, 0, 4096);
		struct latest_view view = {&board, control, payload, geometry};
		uint64_t last = 0;
		join(control);
		while (atomic_load(&board.latest) == 0)
			sched_yield();
		for (uint32_t turn = 0; turn < 200; turn++) {
			if (!read_one(&view, turn % HELD, &last))
				atomic_fetch_add(&faults, 1);
			if (turn > 0)
				ph__latest_unpin(control, (turn + 1) % HELD);
		}
		atomic_fetch_add(frames, last);
		leave(control); /* with a frame in hand, as a killed reader would */
		free(control);
	}
	atomic_fetch_sub(&readers_left, 1);
	return NULL;
}

SLOW_TEST(threads_on_one_mapping_see_whole_frames_only, 300)
{
	pthread_t threads[READERS];
	uint64_t sequence = 0;

	make_channel();
	atomic_store(&readers_left, READERS);
	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_reader, &frames_read[i]), 0);
	while (atomic_load(&readers_left) > 0) {
		uint64_t *words = ph__latest_pool_claim(&pool);
		sequence++;
		for (uint64_t i = 0; i < WORDS; i++)
			words[i] = word_of(sequence, i);
		const ph_frame frame = {.length_bytes = WORDS * 8};
		ph__latest_pool_publish(&pool, &frame, NULL, 0);
	}
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&faults), 0);
	free(payload);
}

TEST(the_word_keeps_its_three_parts_apart)
{
	const struct {
		uint32_t epoch, slot;
		uint64_t sequence;
	} cases[] = {{1, 0, 1}, {4095, 2047, LATEST_SEQUENCE_MAX}, {4095, 0, 0}, {0, 2047, 0}};

	for (size_t i = 0; i < 4; i++) {
		uint64_t word = latest_pack(cases[i].epoch, cases[i].slot, cases[i].sequence);
		assert_int_equal(latest_epoch_of(word), cases[i].epoch);
		assert_int_equal(latest_slot_of(word), cases[i].slot);
		assert_int_equal(latest_sequence_of(word), cases[i].sequence);
	}
	/* As protocol/latest-v1.md draws it. */
	assert_true(latest_pack(1, 2, 3) == (UINT64_C(1) << 52 | UINT64_C(2) << 41 | 3));
}

TEST(a_header_that_lies_is_not_believed)
{
	struct latest_control control = {0};
	ph_latest_frame frame;
	uint64_t word;

	make_channel();
	struct latest_view view = {&board, &control, payload, geometry};
	ph__latest_pool_claim(&pool);
	ph__latest_pool_publish(&pool, &(ph_frame){.length_bytes = 8}, NULL, 0);
	assert_int_equal(ph__latest_pin(&view, 0, &word), LATEST_PINNED);
	struct latest_header *header =
	    (struct latest_header *)(void *)payload + latest_slot_of(word);
	const struct latest_header good = *header;
	assert_ok(ph__latest_describe(&view, word, &frame));
	header->sequence++;
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	*header = good;
	header->length_bytes = geometry.frame_bytes + 1;
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	*header = good;
	header->user_bytes = LATEST_USER_BYTES + 1;
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	*header = good;
	header->plane_count = 5;
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	*header = good;
	header->pixel = PH_PIXEL_GRAY8; /* of no size */
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	header->width_px = header->height_px = 65536;
	header->plane_count = 1;
	header->planes[0].stride_bytes = UINT64_MAX;
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	header->pixel = UINT32_MAX;
	assert_status(ph__latest_describe(&view, word, &frame), PH_EFORMAT);
	free(payload);
}

TEST(a_board_that_lies_leads_nowhere)
{
	struct latest_control control = {0};
	uint64_t word;

	make_channel();
	struct latest_view view = {&board, &control, payload, geometry};
	atomic_store(&board.latest, latest_pack(1, geometry.slot_count, 1));
	assert_int_equal(ph__latest_pin(&view, 0, &word), LATEST_NONSENSE);
	atomic_store(&board.latest, latest_pack(2, 0, 1));
	assert_int_equal(ph__latest_pin(&view, 0, &word), LATEST_ELSEWHERE);
	assert_true(atomic_load(&control.hazard[0]) == 0);
	atomic_store(&board.latest, 0);
	free(payload);
}

TEST(geometry_of_a_peer_is_checked_without_overflow)
{
	const struct latest_geometry good = {1, 18, 12288, 4096, 4096};
	struct latest_geometry bad;

	assert_true(ph__latest_geometry_is_sound(&good));
#define refuse(field, value)                                                                       \
	do {                                                                                       \
		bad = good;                                                                        \
		bad.field = value;                                                                 \
		assert_false(ph__latest_geometry_is_sound(&bad));                                  \
	} while (0)
	refuse(epoch, 4096);
	refuse(slot_count, 2);
	refuse(slot_count, LATEST_SLOTS_MAX + 1);
	refuse(slot_count, 25); /* headers beyond the first slot */
	refuse(slots_offset, 12289);
	refuse(slots_offset, UINT64_MAX - 4095);
	refuse(slot_stride, 4097);
	refuse(slot_stride, UINT64_MAX - 4095);
	refuse(slot_stride, UINT64_C(1) << 45);
	refuse(frame_bytes, 4097);
	refuse(frame_bytes, 0);
}

TEST(messages_are_taken_only_as_the_protocol_has_them)
{
	struct latest_message hello = ph__latest_message(LATEST_HELLO), read,
			      welcome = ph__latest_message(LATEST_WELCOME);
	struct latest_geometry got;

	assert_memory_equal(&hello, "PHL1\1\0\1\0", 8); /* the bytes that the protocol draws */
	assert_ok(ph__latest_message_from_reader(&read, &hello, 64));
	assert_status(ph__latest_message_from_reader(&read, &hello, 63), PH_EFORMAT);
	hello.held = 17;
	assert_status(ph__latest_message_from_reader(&read, &hello, 64), PH_EFORMAT);
	hello.held = 0;
	hello.version = 2;
	assert_status(ph__latest_message_from_reader(&read, &hello, 64), PH_EVERSION);
	welcome.held = 2;
	ph__latest_message_put_geometry(&welcome,
					&(struct latest_geometry){1, 18, 12288, 4096, 4096});
	assert_ok(ph__latest_message_from_writer(&read, &got, &welcome, 64, 3));
	assert_int_equal(got.slot_count, 18);
	assert_status(ph__latest_message_from_writer(&read, &got, &welcome, 64, 2), PH_EFORMAT);
	assert_status(ph__latest_message_from_reader(&read, &welcome, 64), PH_EFORMAT);
	welcome.slot_count = (UINT64_C(1) << 32) + 18; /* must not be cut to 18 */
	assert_status(ph__latest_message_from_writer(&read, &got, &welcome, 64, 3), PH_EFORMAT);
	welcome.slot_count = 18;
	welcome.epoch = 0;
	assert_status(ph__latest_message_from_writer(&read, &got, &welcome, 64, 3), PH_EFORMAT);
}

TEST(a_futex_wait_ends_by_word_by_wake_and_by_time)
{
	_Atomic uint32_t first = 1, second = 2;
	const struct ph__futex_word words[] = {{&first, 1, true}, {&second, 3, true}};

	assert_int_equal(ph__futex_wait_any(words, 2, PH__FOREVER_NS), PH_OK); /* not as expected */
	assert_int_equal(ph__futex_wait_any(words, 1, ph_now_ns() + 1000000), PH_ETIMEDOUT);
	assert_int_equal(ph__futex_wait_any(words, 1, 0), PH_ETIMEDOUT);
	assert_int_equal(ph__futex_wake(&first, 1, true), 0);
	assert_true(ph__deadline_ns(-1) == PH__FOREVER_NS);
	assert_true(ph__deadline_ns(INT64_MAX) == PH__FOREVER_NS);
}
