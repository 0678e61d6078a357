/* SPDX-License-Identifier: MIT */
/* Segments that lie, outside calls that fail, and things in the way that are none of ours. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <pinhole/duplex.h>

#include "base/sys.h"
#include "channel/queue.h"
#include "queue_pair.h"

static void path_of(char path[256], const char *folder, const char *before, const char *after)
{
	snprintf(path, 256, "%s/%s%s%s", folder, before, queue_name(), after);
}

/* ---- Segments that lie ---- */

struct lie {
	size_t offset, bytes;
	uint64_t value;
	ph_status expected;
};

static void tell(void *base, const struct lie *lie)
{
	memcpy((unsigned char *)base + lie->offset, &lie->value, lie->bytes);
}

TEST(a_writer_refuses_a_segment_whose_header_lies)
{
	static const struct lie lies[] = {
		{0x00, 4, 127, PH_EFORMAT},
		{0x00, 4, 0, PH_ENOENT},
		{0x00, 4, UINT32_MAX, PH_EFORMAT},
		{0x04, 1, 2, PH_EVERSION},
		{0x04, 1, 0, PH_EVERSION},
		{0x08, 8, 63, PH_EFORMAT},
		{0x08, 8, 1 << 20, PH_EFORMAT},
		{0x08, 8, UINT64_MAX - 63, PH_EFORMAT},
		{0x20, 8, 0, PH_EFORMAT},
		{0x20, 8, UINT64_C(1) << 40, PH_EFORMAT},
		{0x20, 8, 8193, PH_EFORMAT},
		{0x20, 8, UINT64_MAX - 63, PH_EFORMAT},
		{0x58, 8, 0, PH_EPEER},
	};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		ph_queue_reader *reader = make_reader(1024, 8192);
		ph_queue_writer *writer;
		tell(reader->segment.header, &lies[i]);
		assert_status(ph_queue_writer_open(queue_name(), NULL, &writer), lies[i].expected);
		assert_null(writer);
		ph_queue_reader_close(&reader);
	}
}

TEST(a_writer_refuses_a_segment_or_semaphore_that_was_cut_short)
{
	static const char *const objects[] = {"", "sem.sem-w-", "sem.sem-r-"};
	static const off_t lengths[3][4] = {{0, 127, 128, 9343}, {0, 1, 16, 31}, {0, 1, 16, 31}};
	char path[256];
	for (int object = 0; object < 3; object++)
		for (int i = 0; i < 4; i++) {
			ph_queue_reader *reader = make_reader(1024, 8192);
			ph_queue_writer *writer;
			ph_queue_reader_close(&reader);
			reader = make_reader(1024, 8192);
			path_of(path, "/dev/shm", objects[object], "");
			assert_int_equal(truncate(path, lengths[object][i]), 0);
			assert_status(ph_queue_writer_open(queue_name(), NULL, &writer),
				      PH_EFORMAT);
			assert_int_equal(truncate(path, object ? 32 : 128 + 1024 + 8192), 0);
			ph_queue_reader_close(&reader);
		}
}

TEST(a_writer_checks_what_the_reader_says_about_room)
{
	static const struct lie lies[] = {{0x78, 8, MARK_VALID | 8192, PH_EPEER},
					  {0x78, 8, MARK_VALID | MARK_POSITION_MASK, PH_EPEER},
					  {0x78, 8, 0, PH_EPEER}};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		ph_queue_reader *reader = make_reader(1024, 8192);
		ph_queue_writer *writer = make_writer();
		void *bytes;
		tell(reader->segment.header, &lies[i]);
		assert_status(ph_queue_claim(writer, 10, 0, &bytes), lies[i].expected);
		ph_queue_writer_close(&writer);
		ph_queue_reader_close(&reader);
	}
}

TEST(a_reader_checks_what_the_writer_says_about_positions)
{
	static const struct lie lies[] = {{0x38, 8, 8192, PH_EFORMAT},
					  {0x38, 8, UINT64_MAX, PH_EFORMAT},
					  {0x38, 8, 64, PH_EFORMAT}};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		ph_queue_reader *reader = make_reader(1024, 8192);
		ph_queue_writer *writer = make_writer();
		ph_frame frame;
		assert_ok(send_frame(writer, 1, 100, 0));
		tell(reader->segment.header, &lies[i]);
		assert_status(ph_queue_acquire(reader, 0, &frame), lies[i].expected);
		ph_queue_writer_close(&writer);
		ph_queue_reader_close(&reader);
	}
}

TEST(a_reader_checks_what_the_metadata_says_of_itself)
{
	static const struct lie lies[] = {
		{0x18, 8, 1, PH_EFORMAT},         {0x18, 8, 8, PH_EFORMAT},
		{0x18, 8, 1025, PH_EFORMAT},      {0x18, 8, UINT64_MAX, PH_EFORMAT},
		{0x80, 8, 0, PH_EFORMAT},         {0x80, 8, 6, PH_EFORMAT},
		{0x80, 8, UINT64_MAX, PH_EFORMAT}};
	char back[2048];
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		ph_queue_reader *reader = make_reader(1024, 8192);
		ph_queue_writer *writer = make_writer();
		uint64_t length;
		assert_ok(ph_queue_write_metadata(writer, "12345", 5));
		tell(reader->segment.header, &lies[i]);
		assert_status(ph_queue_read_metadata(reader, back, sizeof(back), &length),
			      lies[i].expected);
		ph_queue_writer_close(&writer);
		ph_queue_reader_close(&reader);
	}
}

/* ---- Things in the way ---- */

TEST(what_is_no_buffer_is_never_removed)
{
	char path[256];
	ph_queue_reader *reader;
	path_of(path, "/dev/shm", "", "");
	for (off_t length = 5; length < 100000; length += 50000) {
		int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
		assert_true(fd >= 0 && write(fd, "mine!", 5) == 5 && ftruncate(fd, length) == 0);
		close(fd);
		assert_status(ph_queue_reader_create(queue_name(), NULL, &reader), PH_EEXIST);
		assert_int_equal(access(path, F_OK), 0);
	}
	unlink(path);
	assert_int_equal(count_leftovers(), 0);
}

TEST(creating_one_queue_touches_no_other_name)
{
	char lock[256], object[256];
	mkdir("/tmp/zerobuffer", 0777);
	path_of(lock, "/tmp/zerobuffer", "other-",
		".lock"); /* a stock sweep would take both away */
	path_of(object, "/dev/shm", "other-", "");
	close(open(lock, O_CREAT | O_RDWR, 0600));
	close(open(object, O_CREAT | O_RDWR, 0600));
	ph_queue_reader *reader = make_reader(64, 4096);
	ph_queue_reader_close(&reader);
	assert_int_equal(access(lock, F_OK), 0);
	assert_int_equal(access(object, F_OK), 0);
	unlink(lock);
	unlink(object);
}

TEST(no_symbolic_link_is_followed)
{
	char link_path[256], target[256];
	ph_queue_reader *reader;
	ph_queue_writer *writer;
	snprintf(target, sizeof(target), "%s/target", test_folder());
	path_of(link_path, "/tmp/zerobuffer", "", ".lock");
	mkdir("/tmp/zerobuffer", 0777);
	assert_int_equal(symlink(target, link_path), 0);
	assert_true(ph_queue_reader_create(queue_name(), NULL, &reader) < 0);
	assert_int_equal(access(target, F_OK), -1);
	unlink(link_path);

	path_of(link_path, "/dev/shm", "", "");
	close(open(target, O_CREAT | O_RDWR, 0600));
	assert_int_equal(truncate(target, 16384), 0);
	assert_int_equal(symlink(target, link_path), 0);
	assert_true(ph_queue_writer_open(queue_name(), NULL, &writer) < 0);
	assert_true(ph_queue_reader_create(queue_name(), NULL, &reader) < 0);
	unlink(link_path);
	assert_int_equal(count_leftovers(), 0);
}

TEST(a_reader_that_was_replaced_removes_nothing_of_its_successor)
{
	char path[256];
	ph_queue_reader *first = make_reader(64, 4096), *second;
	path_of(path, "/dev/shm", "", "");
	unlink(path); /* as a stock C++ reader with another idea of the lock does */
	path_of(path, "/dev/shm", "sem.sem-w-", "");
	unlink(path);
	path_of(path, "/dev/shm", "sem.sem-r-", "");
	unlink(path);
	path_of(path, "/tmp/zerobuffer", "", ".lock");
	unlink(path);
	second = make_reader(64, 4096);
	ph_queue_reader_close(&first);
	ph_queue_writer *writer = make_writer();
	assert_ok(send_frame(writer, 1, 10, 0));
	expect_frame(second, 1, 1, 10);
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&second);
	assert_int_equal(count_leftovers(), 0);
}

/* ---- Torture: the first outside call fails, then the second, ... until all succeed ---- */

static int calls_left;

static bool fails(int error)
{
	if (calls_left-- != 0)
		return false;
	errno = error;
	return true;
}

static void *t_calloc(size_t n, size_t s)
{
	return fails(ENOMEM) ? NULL : calloc(n, s);
}
static int t_shm_open(const char *n, int f, mode_t m)
{
	return fails(EMFILE) ? -1 : shm_open(n, f, m);
}
static int t_fallocate(int fd, int m, off_t o, off_t l)
{
	return fails(ENOSPC) ? -1 : fallocate(fd, m, o, l);
}
static int t_flock(int fd, int op)
{
	return fails(ENOLCK) ? -1 : flock(fd, op);
}
static void *t_mmap(void *h, size_t n, int p, int f, int fd, off_t o)
{
	return fails(ENOMEM) ? MAP_FAILED : mmap(h, n, p, f, fd, o);
}
static int t_madvise(void *m, size_t n, int a)
{
	return fails(EINVAL) ? -1 : madvise(m, n, a);
}
static int t_open(const char *p, int f, mode_t m)
{
	return fails(EMFILE) ? -1 : open(p, f, m);
}
static int t_linkat(int a, const char *b, int c, const char *d, int f)
{
	return fails(ENOSPC) ? -1 : linkat(a, b, c, d, f);
}
static int t_lock(int fd, int c, struct flock *l)
{
	return fails(ENOLCK) ? -1 : fcntl(fd, c, l);
}

static struct ph__sys torture_table(void)
{
	struct ph__sys table = ph__sys_real;
	table.calloc = t_calloc;
	table.shm_open = t_shm_open;
	table.fallocate = t_fallocate;
	table.flock = t_flock;
	table.mmap = t_mmap;
	table.madvise = t_madvise;
	table.open = t_open;
	table.linkat = t_linkat;
	table.lock = t_lock;
	return table;
}

static int count_descriptors(void)
{
	return count_entries("/proc/self/fd", "");
}

TEST(every_call_that_fails_while_creating_leaves_nothing_behind)
{
	struct ph__sys table = torture_table();
	ph_queue_reader *reader;
	int nth = 0, descriptors = count_descriptors();

	for (;; nth++) {
		calls_left = nth;
		ph__sys = &table;
		ph_status status = ph_queue_reader_create(queue_name(), NULL, &reader);
		ph__sys = &ph__sys_real;
		if (status == PH_OK && calls_left >= 0)
			break;
		if (status == PH_OK) { /* the lease's hint may fail: it is one less to know */
			ph_queue_reader_close(&reader);
			continue;
		}
		assert_null(reader);
		assert_true(strlen(ph_last_error()) > 0);
		assert_int_equal(count_leftovers(), 0);
		assert_int_equal(count_descriptors(), descriptors);
	}
	/* 2 calloc; lock file: open, flock; shm_open to look for a leftover; three objects of open,
	 * fallocate, mmap, madvise, linkat; the lease and its hint. Whoever adds a call comes
	 * here. */
	assert_int_equal(nth, 2 + 2 + 1 + 3 * 5 + 2);
	ph_queue_reader_close(&reader);
}

TEST(every_call_that_fails_while_attaching_leaves_the_queue_as_it_was)
{
	struct ph__sys table = torture_table();
	ph_queue_reader *reader = make_reader(64, 4096);
	ph_queue_writer *writer;
	int nth = 0, descriptors = count_descriptors();

	for (;; nth++) {
		calls_left = nth;
		ph__sys = &table;
		ph_status status = ph_queue_writer_open(queue_name(), NULL, &writer);
		ph__sys = &ph__sys_real;
		if (status == PH_OK &&
		    calls_left < 0) { /* a lease that cannot be asked for is held */
			ph_queue_writer_close(&writer);
			continue;
		}
		if (status == PH_OK)
			break;
		assert_null(writer);
		assert_int_equal(count_descriptors(), descriptors);
		assert_int_equal(atomic_load(&reader->segment.header->writer_pid), 0);
	}
	assert_int_equal(nth, 1 + 3 * 3 + 2 + 2); /* calloc; shm_open, mmap, madvise; take; ask */
	assert_ok(send_frame(writer, 1, 10, 0));
	expect_frame(reader, 1, 1, 10);
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&reader);
}

TEST(every_call_that_fails_while_a_client_connects_leaves_nothing_behind)
{
	struct ph__sys table = torture_table();
	ph_duplex_server *server;
	ph_duplex_client *client;
	int nth = 0;

	assert_ok(ph_duplex_server_create(queue_name(), NULL, &server));
	int leftovers = count_leftovers(), descriptors = count_descriptors();
	for (;; nth++) {
		calls_left = nth;
		ph__sys = &table;
		ph_status status = ph_duplex_client_connect(queue_name(), NULL, &client);
		ph__sys = &ph__sys_real;
		if (status == PH_OK && calls_left >= 0)
			break;
		if (status == PH_OK)
			ph_duplex_client_close(&client);
		assert_null(client);
		assert_int_equal(count_leftovers(), leftovers);
		assert_int_equal(count_descriptors(), descriptors);
	}
	assert_int_equal(nth, 1 + 22 + 14); /* the client, its reader, its writer: as above */
	ph_duplex_client_close(&client);
	ph_duplex_server_close(&server);
	assert_int_equal(count_leftovers(), 0);
}

/* ---- Other users ---- */

TEST(scenario_10_6_another_user_without_permission_is_told_so)
{
	if (geteuid() != 0)
		skip_test("only root can become another user");
	ph_queue_reader *reader = make_reader(64, 4096);
	pid_t child = fork();
	if (child == 0) {
		ph_queue_writer *writer;
		ph_queue_reader *other;
		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(9);
		_exit(ph_queue_writer_open(queue_name(), NULL, &writer) != PH_EPERM ||
		      ph_queue_reader_create(queue_name(), NULL, &other) != PH_EPERM);
	}
	assert_int_equal(wait_for_child(child), 0);
	ph_queue_writer *writer = make_writer();
	assert_ok(send_frame(writer, 1, 10, 0));
	expect_frame(reader, 1, 1, 10);
	ph_queue_writer_close(&writer);
	ph_queue_reader_close(&reader);
}

TEST(another_user_with_permission_can_write_and_is_alive)
{
	if (geteuid() != 0)
		skip_test("only root can become another user");
	ph_queue_reader *reader;
	ph_frame frame;
	assert_ok(ph_queue_reader_create(
		queue_name(), PH_QUEUE_READER_OPTIONS(.ring_bytes = 4096, .mode = 0666), &reader));
	pid_t child = fork();
	if (child == 0) {
		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(9);
		ph_queue_writer *writer =
			make_writer(); /* the reader is root's: kill() says EPERM */
		send_frame(writer, 1, 10, 0);
		send_frame(writer, 2, 4080, -1);
		ph_queue_writer_close(&writer);
		_exit(0);
	}
	expect_frame(reader, 1, 1, 10);
	expect_frame(reader, 2, 2, 4080);
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_ECLOSED);
	assert_int_equal(wait_for_child(child), 0);
	ph_queue_reader_close(&reader);
}

TEST(a_semaphore_that_never_runs_dry_keeps_no_reader)
{
	ph_queue_reader *reader = make_reader(0, 4096);
	ph_frame frame;

	/* The value of a 64-bit glibc semaphore is its first word: as high as it goes. */
	*(volatile uint32_t *)(void *)reader->segment.data.sem = INT32_MAX;
	int64_t begun_ns = ph_now_ns();
	assert_status(ph_queue_acquire(reader, 0, &frame), PH_EAGAIN);
	assert_status(ph_queue_acquire(reader, 50 * MS, &frame), PH_ETIMEDOUT);
	assert_true(ph_now_ns() - begun_ns < 1000 * MS);
	ph_queue_reader_interrupt(reader);
	assert_status(ph_queue_acquire(reader, -1, &frame), PH_ECLOSED);
	ph_queue_reader_close(&reader);
}
