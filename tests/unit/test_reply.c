/* SPDX-License-Identifier: MIT */
/* What replies mean: text, pictures inside them, pictures in shared memory; and what all that costs
 * in memory, also when there is none. */
#include "test.h"
#include "toy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pinhole/client.h>

#include "base/sys.h"
#include "client/reply.h"
#include "image/image.h"

enum { WIDTH = 7, HEIGHT = 5, PIXELS = WIDTH * HEIGHT };

/* A prefix and a file of `header` and `pixels` behind it, in a buffer of the exact size + NUL. */
struct file {
	char *bytes;
	size_t length;
};

static struct file join(const char *prefix, const void *header, size_t header_bytes,
			const void *pixels, size_t pixel_bytes)
{
	size_t start = strlen(prefix);
	struct file file = {malloc(start + header_bytes + pixel_bytes + 1),
			    start + header_bytes + pixel_bytes};

	assert_non_null(file.bytes);
	memcpy(file.bytes, prefix, start);
	memcpy(file.bytes + start, header, header_bytes);
	memcpy(file.bytes + start + header_bytes, pixels, pixel_bytes);
	file.bytes[file.length] = '\0';
	return file;
}

static struct file make_bmp(const char *prefix)
{
	unsigned char header[PH__BMP_HEADER_BYTES], pixels[PIXELS * 4];

	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = (unsigned char)i;
	ph__bmp_write_header(header, WIDTH, HEIGHT);
	return join(prefix, header, sizeof(header), pixels, sizeof(pixels));
}

static struct file make_npy(const char *prefix)
{
	unsigned char header[PH__NPY_HEADER_BYTES_MAX];
	float pixels[PIXELS];

	for (int i = 0; i < PIXELS; i++)
		pixels[i] = (float)i * 1.5f;
	uint32_t length = ph__npy_write_header(header, (const uint32_t[]){HEIGHT, WIDTH}, 2);
	return join(prefix, header, length, pixels, sizeof(pixels));
}

static ph_reply_kind kind_of(const void *bytes, size_t length, ph_reply *reply)
{
	ph__reply_read((struct ph__span){bytes, length}, reply);
	return reply->kind;
}

static ph_reply_kind kind_of_text(const char *text)
{
	ph_reply reply;
	return kind_of(text, strlen(text), &reply);
}

TEST(utf8_is_text_and_everything_else_is_bytes)
{
	static const char *const texts[] = {"", "ok", "\x7f\n\t", "\xC3\xA9", "\xE2\x82\xAC",
					    "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF", "BM"};
	static const char *const bytes[] = {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xC1\xBF",
					    "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
					    "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF",
					    "\x89PNG\r\n\x1a\n", "ok\xE2\x82"};
	ph_reply reply;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(kind_of_text(texts[i]), PH_REPLY_TEXT);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		assert_int_equal(kind_of_text(bytes[i]), PH_REPLY_BYTES);
	assert_int_equal(kind_of("a\0b", 3, &reply), PH_REPLY_BYTES);
	assert_null(reply.text);
	assert_int_equal(reply.bytes_length, 3);
}

TEST(a_bmp_of_32_bits_with_its_top_row_first_is_a_frame)
{
	struct file bmp = make_bmp("");
	ph_reply reply;

	assert_int_equal(kind_of(bmp.bytes, bmp.length, &reply), PH_REPLY_FRAME);
	assert_int_equal(reply.frame.pixel, PH_PIXEL_BGRA8);
	assert_int_equal(reply.frame.width_px, WIDTH);
	assert_int_equal(reply.frame.height_px, HEIGHT);
	assert_ptr_equal(reply.frame.bytes, bmp.bytes + 54);
	assert_int_equal(ph_frame_check(&reply.frame), PH_OK);
	assert_false(reply.frame_is_shared);
	free(bmp.bytes);
}

TEST(a_bmp_that_contradicts_itself_is_no_frame)
{
	/* Any other byte at these places: size, start, header size, planes, bits, compression. */
	static const int places[] = {0, 1, 2, 3, 10, 11, 14, 18, 21, 22, 25, 26, 28, 30, 33};
	struct file bmp = make_bmp("");
	ph_reply reply;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		bmp.bytes[places[i]] ^= 0x11;
		assert_int_equal(kind_of(bmp.bytes, bmp.length, &reply), PH_REPLY_BYTES);
		assert_null(reply.frame.bytes);
		bmp.bytes[places[i]] ^= 0x11;
	}
	for (size_t length = 0; length < bmp.length; length++)
		assert_int_not_equal(kind_of(bmp.bytes, length, &reply), PH_REPLY_FRAME);
	free(bmp.bytes);
}

TEST(an_npy_file_of_float_rows_is_a_frame)
{
	struct file npy = make_npy("");
	ph_reply reply;

	assert_int_equal(kind_of(npy.bytes, npy.length, &reply), PH_REPLY_FRAME);
	assert_int_equal(reply.frame.pixel, PH_PIXEL_F32);
	assert_int_equal(reply.frame.width_px, WIDTH);
	assert_int_equal(reply.frame.height_px, HEIGHT);
	assert_true(((const float *)reply.frame.bytes)[PIXELS - 1] == (PIXELS - 1) * 1.5f);
	free(npy.bytes);
}

/* An NPY file with this dictionary and 24 bytes of pixels. */
static ph_reply_kind kind_of_npy(const char *dictionary, ph_pixel *pixel)
{
	char header[10 + 118];
	static const float pixels[6];
	ph_reply reply;

	memset(header, ' ', sizeof(header));
	memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
	memcpy(header + 10, dictionary, strlen(dictionary));
	header[sizeof(header) - 1] = '\n';
	struct file npy = join("", header, sizeof(header), pixels, sizeof(pixels));
	ph_reply_kind kind = kind_of(npy.bytes, npy.length, &reply);
	*pixel = reply.frame.pixel;
	free(npy.bytes);
	return kind;
}

TEST(an_npy_file_of_another_shape_or_type_is_bytes)
{
	static const char *const others[] = {
		"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 6), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 6), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (6, 1, 0), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967298, 3), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1, 1), }",
	};
	ph_pixel pixel;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (kind_of_npy(others[i], &pixel) != PH_REPLY_BYTES)
			fail_msg("%s was taken", others[i]);
}

TEST(an_npy_file_of_several_floats_each_pixel_is_a_frame)
{
	ph_pixel pixel;

	assert_int_equal(kind_of_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }",
				     &pixel),
			 PH_REPLY_FRAME);
	assert_int_equal(pixel, PH_PIXEL_F32X3);
	assert_int_equal(kind_of_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 2), }",
				     &pixel),
			 PH_REPLY_FRAME);
	assert_int_equal(pixel, PH_PIXEL_F32X2);
}

static struct bytes frame_file(struct file file)
{
	struct bytes reply = toy_frame(file.bytes, file.length);
	free(file.bytes);
	return reply;
}

static ph_client *connect_to(const struct toy *toy)
{
	ph_client *client;
	assert_int_equal(ph_client_connect(toy->address, NULL, &client), PH_OK);
	return client;
}

TEST(pictures_stay_where_they_were_received_and_are_aligned)
{
	struct toy toy = {.reply_count = 24, .split = 40, .stay = true};
	char id[16];
	ph_reply reply;

	for (int i = 0; i < toy.reply_count; i++) {
		snprintf(id, sizeof(id), "%d:", i);
		toy.replies[i] = frame_file(i % 2 ? make_npy(id) : make_bmp(id));
	}
	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	for (int i = 0; i < toy.reply_count; i++) {
		assert_int_equal(ph_client_request(client, "vget /camera/0/x", &reply), PH_OK);
		assert_int_equal(reply.kind, PH_REPLY_FRAME);
		assert_int_equal((uintptr_t)reply.bytes % 16, 0);
		assert_in_range((uintptr_t)reply.frame.bytes - (uintptr_t)reply.bytes, 54, 128);
		assert_int_equal(((const unsigned char *)reply.bytes)[0], i % 2 ? 0x93 : 'B');
	}
	ph_client_close(&client);
	toy_stop(&toy);
}

TEST(a_picture_of_many_megabytes_arrives_whole)
{
	enum { SIDE = 2000 };
	size_t length = 2 + 54 + (size_t)SIDE * SIDE * 4;
	struct file bmp = {malloc(length), length};
	struct toy toy = {.reply_count = 1, .stay = true};
	ph_reply reply;

	memcpy(bmp.bytes, "0:", 2);
	ph__bmp_write_header((unsigned char *)bmp.bytes + 2, SIDE, SIDE);
	for (size_t i = 0; i < (size_t)SIDE * SIDE * 4; i++)
		bmp.bytes[56 + i] = (char)(i * 2654435761u >> 24);
	toy.replies[0] = frame_file(bmp);
	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit bmp", &reply), PH_OK);
	assert_int_equal(reply.frame.width_px, SIDE);
	assert_memory_equal(reply.bytes, (const char *)toy.replies[0].at + 10, length - 2);
	ph_client_close(&client);
	toy_stop(&toy);
}

/* A region of 2 x 3 BGRA pixels, each byte `fill`. */
static void make_region(const char *suffix, char fill)
{
	char name[64], bytes[24];

	snprintf(name, sizeof(name), "%s%s", test_name(), suffix);
	int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
	memset(bytes, fill, sizeof(bytes));
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
}

static void remove_region(const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", test_name(), suffix);
	assert_int_equal(shm_unlink(name), 0);
}

static struct bytes descriptor(int id, const char *suffix, int frame)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "%d:{\"transport\":\"posix_shared_memory\",\"name\":\"%s%s\",\"num_bytes\":24,"
		 "\"shape\":[2,3,4],\"dtype\":\"uint8\",\"frame\":%d}",
		 id, test_name(), suffix, frame);
	return toy_text(text);
}

TEST(a_shared_frame_is_the_servers_own_memory_until_its_name_changes)
{
	struct toy toy = {.replies = {descriptor(0, "_v1", 1), descriptor(1, "_v1", 2),
				      descriptor(2, "_v2", 3), descriptor(3, "_v1", 4)},
			  .reply_count = 4,
			  .stay = true};
	ph_reply first, second;

	make_region("_v1", 'a');
	make_region("_v2", 'b');
	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared", &first), PH_OK);
	assert_int_equal(first.kind, PH_REPLY_FRAME);
	assert_true(first.frame_is_shared);
	assert_int_equal(first.frame.sequence, 1);
	assert_int_equal(first.text[0], '{');
	remove_region("_v1");
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared", &second), PH_OK);
	assert_ptr_equal(second.frame.bytes, first.frame.bytes);
	assert_int_equal(((const char *)second.frame.bytes)[23], 'a');
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared 9", &second), PH_OK);
	assert_int_equal(((const char *)second.frame.bytes)[23], 'b');
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared", &second), PH_ENOENT);
	assert_null(second.text);
	ph_client_close(&client);
	toy_stop(&toy);
	remove_region("_v2");
}

TEST(a_refused_descriptor_leaves_the_connection_usable)
{
	struct toy toy = {.replies = {toy_text("0:{\"transport\":\"windows_shared_memory\",\"name\":"
					       "\"n\",\"num_bytes\":1,\"shape\":[1,1],\"dtype\":"
					       "\"uint8\"}"),
				      toy_text("1:{\"views\":[]}"), toy_text("2:{}"), toy_text("3:ok")},
			  .reply_count = 4,
			  .stay = true};
	ph_reply reply;

	toy_start(&toy);
	ph_client *client = connect_to(&toy);
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared", &reply), PH_EFORMAT);
	assert_non_null(strstr(ph_last_error(), "windows_shared_memory"));
	assert_int_equal(ph_client_request(client, "vget /cameras/capture_shared {}", &reply), PH_OK);
	assert_int_equal(reply.kind, PH_REPLY_TEXT);
	assert_int_equal(ph_client_request(client, "vget /x {_shared}", &reply), PH_OK);
	assert_string_equal(reply.text, "{}");
	assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared", &reply), PH_OK);
	assert_string_equal(reply.text, "ok");
	ph_client_close(&client);
	toy_stop(&toy);
}

/* Counts what the client holds, and lets the call number `fail_at` fail. */
static struct {
	int calls, fail_at;
	int blocks, mappings;
} counter;

static bool fails(void)
{
	if (++counter.calls != counter.fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

static void *count_realloc(void *memory, size_t size)
{
	if (fails())
		return NULL;
	counter.blocks += memory == NULL;
	return realloc(memory, size);
}

static void *count_calloc(size_t count, size_t size)
{
	if (fails())
		return NULL;
	counter.blocks++;
	return calloc(count, size);
}

static void count_free(void *memory)
{
	counter.blocks -= memory != NULL;
	free(memory);
}

static int count_shm_open(const char *name, int flags, mode_t mode)
{
	return fails() ? -1 : shm_open(name, flags, mode);
}

static void *count_mmap(void *hint, size_t length, int prot, int flags, int fd, off_t offset)
{
	if (fails())
		return MAP_FAILED;
	counter.mappings++;
	return mmap(hint, length, prot, flags, fd, offset);
}

static int count_munmap(void *memory, size_t length)
{
	counter.mappings--;
	return munmap(memory, length);
}

static void count_calls(int fail_at)
{
	static struct ph__sys counting;

	counting = ph__sys_real;
	counting.realloc = count_realloc;
	counting.calloc = count_calloc;
	counting.free = count_free;
	counting.shm_open = count_shm_open;
	counting.mmap = count_mmap;
	counting.munmap = count_munmap;
	memset(&counter, 0, sizeof(counter));
	counter.fail_at = fail_at;
	ph__sys = &counting;
}

/* A whole life of a client, which ends at the first failure. */
static ph_status live(const char *address)
{
	ph_client *client;
	ph_reply reply;

	ph_status status = ph_client_connect(address, NULL, &client);
	if (status == PH_OK)
		status = ph_client_request(client, "vget /camera/0/lit_shared", &reply);
	if (status == PH_OK)
		status = ph_client_request(client, "vget /camera/0/lit bmp", &reply);
	ph_client_close(&client);
	return status;
}

static struct bytes big_text(void)
{
	static char text[200000] = "1:";
	memset(text + 2, 'x', sizeof(text) - 2);
	return toy_frame(text, sizeof(text));
}

TEST(every_failed_call_is_reported_and_nothing_is_left)
{
	int failures = 0;

	make_region("_v1", 'a');
	for (ph_status status = PH_ENOSPC; status != PH_OK; failures++) {
		struct toy toy = {.replies = {descriptor(0, "_v1", 1), big_text()}, .reply_count = 2};
		toy_start(&toy);
		count_calls(failures + 1);
		status = live(toy.address);
		ph__sys = &ph__sys_real;
		assert_true(status == PH_ENOSPC || status == PH_OK);
		assert_int_equal(counter.blocks, 0);
		assert_int_equal(counter.mappings, 0);
		toy_stop(&toy);
	}
	remove_region("_v1");
	/* The client, its two buffers, the scene, the table, the region's two, a larger buffer. */
	assert_in_range(failures, 7, 12);
}

TEST(a_warm_request_allocates_and_maps_nothing)
{
	struct toy toy = {.reply_count = 60, .stay = true};
	char id[16];
	ph_reply reply;

	make_region("_v1", 'a');
	for (int i = 0; i < toy.reply_count; i++) {
		snprintf(id, sizeof(id), "%d:", i);
		toy.replies[i] = i % 2 ? frame_file(make_bmp(id)) : descriptor(i, "_v1", i);
	}
	toy_start(&toy);
	count_calls(0);
	ph_client *client = connect_to(&toy);
	int warm = 0;
	for (int i = 0; i < toy.reply_count; i++) {
		if (i == 12)
			warm = counter.calls;
		assert_int_equal(ph_client_request(client, "vget /camera/0/lit_shared", &reply), PH_OK);
	}
	assert_int_equal(counter.calls, warm);
	ph_client_close(&client);
	ph__sys = &ph__sys_real;
	toy_stop(&toy);
	remove_region("_v1");
}
