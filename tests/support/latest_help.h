/* SPDX-License-Identifier: MIT */
/* What the tests of `latest` share: names, and frames whose every word says whose it is. */
#ifndef SUPPORT_LATEST_HELP_H
#define SUPPORT_LATEST_HELP_H

#include <pinhole/latest.h>

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#define assert_status(call, status)                                                                \
	assert_string_equal(ph_status_name(call), ph_status_name(status))
#define assert_ok(call)                                                                            \
	do {                                                                                       \
		ph_status got_ = (call);                                                           \
		if (got_ != PH_OK)                                                                 \
			fail_msg("%s: %s (%s)", #call, ph_status_name(got_), ph_last_error());     \
	} while (0)

/* In the folder of the test: nothing is left when it has ended. Computed once, before any fork. */
static inline const char *channel_name(void)
{
	static char name[100];
	if (!name[0])
		snprintf(name, sizeof(name), "%s/cam.latest", test_folder());
	return name;
}

static inline ph_latest *create_with(const ph_latest_options *options)
{
	ph_latest *writer;
	assert_ok(ph_latest_create(channel_name(), options, &writer));
	return writer;
}

static inline ph_latest *open_reader(void)
{
	ph_latest *reader;
	assert_ok(ph_latest_open(channel_name(), NULL, &reader));
	return reader;
}

static inline uint64_t word_of(uint64_t sequence, uint64_t index)
{
	return (sequence << 20) + index;
}

/* Publishes a frame of `word_count` words. `sequence` is the one it will get. */
static inline void publish_words(ph_latest *writer, uint64_t sequence, uint64_t word_count)
{
	void *bytes;
	uint64_t room_bytes;

	assert_ok(ph_latest_claim(writer, &bytes, &room_bytes));
	assert_true(room_bytes >= word_count * 8);
	for (uint64_t i = 0; i < word_count; i++)
		((uint64_t *)bytes)[i] = word_of(sequence, i);
	const ph_frame frame = {.length_bytes = word_count * 8};
	assert_ok(ph_latest_publish(writer, &frame, NULL, 0));
}

static inline bool is_whole(const ph_latest_frame *held)
{
	const uint64_t *words = held->frame.bytes;

	for (uint64_t i = 0; i < held->frame.length_bytes / 8; i++)
		if (words[i] != word_of(held->frame.sequence, i))
			return false;
	return true;
}

static inline void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

#endif
