/* SPDX-License-Identifier: MIT */
/* What the tests of the queue share: a pair of ends, frames whose every byte can be checked, and a
 * look at what is left in the file system. */
#ifndef SUPPORT_QUEUE_PAIR_H
#define SUPPORT_QUEUE_PAIR_H

#include <pinhole/queue.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define MS INT64_C(1000000)
#define assert_ok(call)                                                                            \
	do {                                                                                       \
		ph_status status_ = (call);                                                        \
		if (status_ != PH_OK)                                                              \
			fail_msg("%s is %s: %s", #call, ph_status_name(status_), ph_last_error()); \
	} while (0)
#define assert_status(call, expected)                                                              \
	do {                                                                                       \
		ph_status status_ = (call);                                                        \
		if (status_ != (expected))                                                         \
			fail_msg("%s is %s, not %s: %s", #call, ph_status_name(status_),           \
				 #expected, ph_last_error());                                      \
	} while (0)

/* The queue of this test, by the same name in every process that it forks. It ends in no digit: no
 * other test's name is a part of it. */
static inline const char *queue_name(void)
{
	static char name[64];
	if (!name[0])
		snprintf(name, sizeof(name), "%s-q", test_name() + 1);
	return name;
}

static inline ph_queue_reader *make_reader(uint64_t metadata_bytes, uint64_t ring_bytes)
{
	ph_queue_reader *reader;
	assert_ok(ph_queue_reader_create(queue_name(),
					 PH_QUEUE_READER_OPTIONS(.metadata_bytes = metadata_bytes,
								 .no_metadata = metadata_bytes == 0,
								 .ring_bytes = ring_bytes),
					 &reader));
	return reader;
}

static inline ph_queue_writer *make_writer(void)
{
	ph_queue_writer *writer;
	assert_ok(ph_queue_writer_open(queue_name(), NULL, &writer));
	return writer;
}

/* Byte i of frame `seed`. */
static inline unsigned char pattern(uint64_t seed, uint64_t i)
{
	return (unsigned char)((seed * 131 + i) * 2654435761u >> 13);
}

static inline void fill(void *bytes, uint64_t seed, uint64_t length_bytes)
{
	for (uint64_t i = 0; i < length_bytes; i++)
		((unsigned char *)bytes)[i] = pattern(seed, i);
}

static inline bool is_filled(const void *bytes, uint64_t seed, uint64_t length_bytes)
{
	for (uint64_t i = 0; i < length_bytes; i++)
		if (((const unsigned char *)bytes)[i] != pattern(seed, i))
			return false;
	return true;
}

static inline ph_status send_frame(ph_queue_writer *writer, uint64_t seed, uint64_t length_bytes,
				   int64_t timeout_ns)
{
	void *bytes;
	ph_status status = ph_queue_claim(writer, length_bytes, timeout_ns, &bytes);
	if (status < 0)
		return status;
	fill(bytes, seed, length_bytes);
	return ph_queue_publish(writer, length_bytes, NULL);
}

static inline void expect_frame(ph_queue_reader *reader, uint64_t sequence, uint64_t seed,
				uint64_t length_bytes)
{
	ph_frame frame;
	assert_ok(ph_queue_acquire(reader, 1000 * MS, &frame));
	assert_int_equal(frame.sequence, sequence);
	assert_int_equal(frame.length_bytes, length_bytes);
	assert_true(is_filled(frame.bytes, seed, length_bytes));
	assert_ok(ph_queue_release(reader, &frame));
}

static inline int count_entries(const char *folder, const char *part)
{
	int count = 0;
	DIR *stream = opendir(folder);
	for (struct dirent *entry; stream && (entry = readdir(stream));)
		count += strstr(entry->d_name, part) != NULL;
	if (stream)
		closedir(stream);
	return count;
}

/* Files that carry the name of this test's queue: segment, semaphores, lock. */
static inline int count_leftovers(void)
{
	return count_entries("/dev/shm", queue_name()) +
	       count_entries("/tmp/zerobuffer", queue_name());
}

static inline void remove_leftovers(const char *name)
{
	static const char *const ways[][2] = {{"/dev/shm/", ""},
					      {"/dev/shm/sem.sem-w-", ""},
					      {"/dev/shm/sem.sem-r-", ""},
					      {"/tmp/zerobuffer/", ".lock"}};
	char path[512];
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", ways[i][0], name, ways[i][1]);
		unlink(path);
	}
}

static inline int wait_for_child(pid_t pid)
{
	int status;
	pid_t got;
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	assert_int_equal(got, pid);
	return status;
}

static inline void kill_child(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_for_child(pid);
}

#endif
