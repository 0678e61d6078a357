/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/descriptor.h"
#include "client/json.h"
#include "client/regions.h"

/* As a server sends it, with every key of the contract and Pinhole's own behind them. */
static const char lit[] =
	"{\"transport\": \"posix_shared_memory\", \"modality\": \"lit\", "
	"\"name\": \"UnrealCV_42_c1_camera_0_lit_bgra8_v1\", \"num_bytes\": 1228800, "
	"\"version\": 1, \"offset_bytes\": 0, \"shape\": [480, 640, 4], \"dtype\": \"uint8\", "
	"\"layout\": \"HWC\", \"channel_order\": \"BGRA\", \"width\": 640, \"height\": 480, "
	"\"frame\": 7, \"lifetime\": \"valid until the next capture\", "
	"\"timestamp_ns\": 123456789012345, \"sim_time_ns\": 2, \"render_ns\": 3, \"copy_ns\": 4, "
	"\"pose\": {\"x\": 100.5, \"y\": -250, \"z\": 1e2, \"pitch\": -90, \"yaw\": 180, "
	"\"roll\": 45}, \"intrinsics\": {\"fx\": 320, \"fy\": 320, \"cx\": 320, \"cy\": 240, "
	"\"width\": 640, \"height\": 480, \"fov\": 90}}";

static ph_status read_text(const char *text, struct ph__descriptor *descriptor)
{
	/* A copy of the exact length: AddressSanitizer sees a read behind it. */
	size_t length = strlen(text);
	char *exact = malloc(length ? length : 1);
	assert_non_null(exact);
	memcpy(exact, text, length);
	ph_status status = ph__descriptor_read((struct ph__span){exact, length}, descriptor);
	free(exact);
	return status;
}

/* `lit` with `from` replaced. */
static ph_status read_with(const char *from, const char *to)
{
	struct ph__descriptor descriptor;
	static char text[4096];
	const char *at = strstr(lit, from);

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - lit), lit, to, at + strlen(from));
	return read_text(text, &descriptor);
}

static void assert_refused(const char *from, const char *to, const char *why)
{
	assert_int_equal(read_with(from, to), PH_EFORMAT);
	if (!strstr(ph_last_error(), why))
		fail_msg("%s -> %s: \"%s\" does not say \"%s\"", from, to, ph_last_error(), why);
}

static void assert_near(double actual, double expected)
{
	if (fabs(actual - expected) > 1e-12)
		fail_msg("%.17g is not %.17g", actual, expected);
}

TEST(a_descriptor_becomes_a_frame)
{
	struct ph__descriptor descriptor;

	assert_int_equal(ph__descriptor_read(ph__span_of(lit), &descriptor), PH_OK);
	assert_true(ph__span_is(descriptor.name, "UnrealCV_42_c1_camera_0_lit_bgra8_v1"));
	const ph_frame *frame = &descriptor.frame;
	assert_int_equal(frame->pixel, PH_PIXEL_BGRA8);
	assert_int_equal(frame->width_px, 640);
	assert_int_equal(frame->height_px, 480);
	assert_int_equal(frame->length_bytes, 1228800);
	assert_int_equal(frame->planes[0].stride_bytes, 2560);
	assert_int_equal(frame->sequence, 7);
	assert_int_equal(frame->capture_time_ns, 123456789012345);
	assert_int_equal(frame->sim_time_ns, 2);
	assert_int_equal(frame->render_ns, 3);
	assert_int_equal(frame->copy_ns, 4);
	assert_int_equal(ph_frame_check(frame), PH_OK);
}

TEST(a_pose_arrives_in_metres_and_radians_with_y_up)
{
	struct ph__descriptor descriptor;

	assert_int_equal(ph__descriptor_read(ph__span_of(lit), &descriptor), PH_OK);
	const ph_pose *pose = &descriptor.frame.pose;
	assert_near(pose->position_m[0], 1.005);
	assert_near(pose->position_m[1], 1);
	assert_near(pose->position_m[2], -2.5);
	assert_near(pose->pitch_rad, -M_PI / 2);
	assert_near(pose->yaw_rad, M_PI);
	assert_near(pose->roll_rad, M_PI / 4);
	assert_near(descriptor.frame.intrinsics.fov_rad, M_PI / 2);
	assert_near(descriptor.frame.intrinsics.fx_px, 320);
	assert_near(descriptor.frame.intrinsics.cy_px, 240);
}

TEST(the_five_keys_that_stock_clients_need_are_enough)
{
	struct ph__descriptor descriptor;

	assert_int_equal(read_text("{\"transport\":\"posix_shared_memory\",\"name\":\"/depth_v3\","
				   "\"num_bytes\":24,\"shape\":[2,3],\"dtype\":\"float32\"}",
				   &descriptor),
			 PH_OK);
	assert_int_equal(descriptor.frame.pixel, PH_PIXEL_F32);
	assert_int_equal(descriptor.frame.width_px, 3);
	assert_int_equal(descriptor.offset_bytes, 0);
	assert_int_equal(descriptor.frame.sequence, 0);
}

TEST(a_descriptor_with_tabs_and_carriage_returns_is_read)
{
	struct ph__descriptor descriptor;

	assert_int_equal(
		read_text("\r\n{\r\n\t\"transport\":\t\"posix_shared_memory\",\r\n\t\"name\": \"n\","
			  "\r\n\t\"num_bytes\": 6,\r\n\t\"shape\": [ 1, 2 , 3 ],\r\n\t\"dtype\": "
			  "\"uint8\",\r\n\t\"channel_order\": \"RGB\"\r\n}\r\n",
			  &descriptor),
		PH_OK);
	assert_int_equal(descriptor.frame.pixel, PH_PIXEL_RGB8);
}

TEST(unknown_keys_of_every_kind_are_skipped)
{
	assert_int_equal(read_with("\"version\": 1",
				   "\"a\": {\"b\": [1, -2.5e-3, true, false, null, \"\\u00e9\\n\", {}, "
				   "[]]}, \"version\": 1"),
			 PH_OK);
}

TEST(a_list_of_views_is_not_a_descriptor)
{
	struct ph__descriptor descriptor;

	assert_int_equal(read_text("{\"frame\":1,\"timestamp_ns\":5,\"views\":[{\"transport\":\"x\"}]}",
				   &descriptor),
			 PH_OK);
	assert_true(descriptor.is_list);
}

TEST(a_list_of_points_is_one_row_of_them)
{
	static const char list[] = "{\"transport\": \"posix_shared_memory\", \"name\": \"a\", "
				   "\"num_bytes\": 48, \"shape\": [3, 4], \"dtype\": \"float32\", "
				   "\"layout\": \"NC\", \"channel_order\": \"XYZI\"}";
	static const char none[] = "{\"transport\": \"posix_shared_memory\", \"name\": \"a\", "
				   "\"num_bytes\": 0, \"shape\": [0, 4], \"dtype\": \"float32\", "
				   "\"layout\": \"NC\"}";
	struct ph__descriptor descriptor;

	assert_int_equal(read_text(list, &descriptor), PH_OK);
	assert_int_equal(descriptor.frame.pixel, PH_PIXEL_F32X4);
	assert_int_equal(descriptor.frame.width_px, 3);
	assert_int_equal(descriptor.frame.height_px, 1);
	assert_int_equal(read_text(none, &descriptor), PH_EFORMAT);
}

TEST(a_missing_key_is_named)
{
	assert_refused("\"transport\"", "\"x\"", "'transport'");
	assert_refused("\"name\"", "\"x\"", "'name'");
	assert_refused("\"num_bytes\"", "\"x\"", "'num_bytes'");
	assert_refused("\"shape\"", "\"x\"", "'shape'");
	assert_refused("\"dtype\"", "\"x\"", "'dtype'");
}

TEST(a_key_that_contradicts_another_is_refused)
{
	assert_refused("1228800", "1228799", "shape needs 1228800");
	assert_refused("1228800", "1228804", "shape needs 1228800");
	assert_refused("\"width\": 640, \"height\": 480, \"frame\"",
		       "\"width\": 480, \"height\": 640, \"frame\"", "contradict");
	assert_refused("\"width\": 640, \"height\": 480, \"fov\"",
		       "\"width\": 640, \"height\": 481, \"fov\"", "contradict");
	assert_refused("HWC", "HW", "layout");
	assert_refused("HWC", "NC", "layout");
	assert_refused("BGRA", "ARGB", "not known");
	assert_refused("uint8", "float32", "shape needs");
	assert_refused("uint8", "float64", "not known");
	assert_refused("uint8", "uint16", "not known");
}

TEST(a_shape_that_is_no_picture_is_refused)
{
	assert_refused("[480, 640, 4]", "[]", "dimensions");
	assert_refused("[480, 640, 4]", "[1228800]", "dimensions");
	assert_refused("[480, 640, 4]", "[1, 480, 640, 4]", "dimensions");
	assert_refused("[480, 640, 4]", "[1, 1, 480, 640, 4]", "more than 4");
	assert_refused("[480, 640, 4]", "[480, 640, 5]", "not known");
	assert_refused("[480, 640, 4]", "[480, 640, 0]", "not known");
	assert_refused("[480, 640, 4]", "[0, 640, 4]", "no size");
	assert_refused("[480, 640, 4]", "[480, 4294967936, 4]", "no size");
	assert_refused("[480, 640, 4]", "[4611686018427387904, 4611686018427387904, 4]", "no size");
	assert_refused("[480, 640, 4]", "[-480, 640, 4]", "not a count");
	assert_refused("[480, 640, 4]", "[480.5, 640, 4]", "not a count");
	assert_refused("[480, 640, 4]", "[\"480\", 640, 4]", "number");
}

TEST(numbers_that_do_not_fit_are_refused)
{
	assert_refused("\"offset_bytes\": 0", "\"offset_bytes\": 9223372036854775807", "offset");
	assert_refused("\"offset_bytes\": 0", "\"offset_bytes\": 9223372036854775808", "not a count");
	assert_refused("\"offset_bytes\": 0",
		       "\"offset_bytes\": 99999999999999999999999999999999999999", "not a count");
	assert_refused("\"offset_bytes\": 0", "\"offset_bytes\": 2", "multiple of 4");
	assert_refused("\"frame\": 7", "\"frame\": -1", "not a count");
	assert_refused("100.5", "1e999", "not a finite number");
}

TEST(a_name_that_leaves_the_folder_of_shared_memory_is_refused)
{
	static const char *const names[] = {"",  "/",    ".",          "..",       "/..",
					    "//a", "a/b", "../etc/passwd", "a b", "a\x7f"};
	char name[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "\"name\": \"%s\"", names[i]);
		assert_refused("\"name\": \"UnrealCV_42_c1_camera_0_lit_bgra8_v1\"", name,
			       "no name of shared memory");
	}
	assert_refused("camera_0", "camera\\u00300", "escape");
}

TEST(a_name_of_251_bytes_is_refused)
{
	char name[300], text[320];

	memset(name, 'n', sizeof(name));
	for (int length = 249; length <= 252; length++) {
		snprintf(text, sizeof(text), "\"%.*s\"", length, name);
		assert_int_equal(read_with("\"UnrealCV_42_c1_camera_0_lit_bgra8_v1\"", text),
				 length <= PH__REGION_NAME_BYTES_MAX ? PH_OK : PH_EFORMAT);
	}
}

TEST(another_systems_transport_is_refused_with_the_way_out)
{
	assert_refused("posix_shared_memory", "windows_shared_memory", "without _shared");
}

TEST(a_key_of_the_wrong_type_or_given_twice_is_refused)
{
	assert_refused("\"frame\": 7", "\"frame\": \"7\"", "number");
	assert_refused("\"dtype\": \"uint8\"", "\"dtype\": 8", "string");
	assert_refused("\"shape\": [480, 640, 4]", "\"shape\": 4", "array");
	assert_refused("\"pose\": {", "\"pose\": 1, \"z\": {", "object");
	assert_refused("\"frame\": 7", "\"frame\": null", "number");
	assert_refused("\"frame\": 7", "\"frame\": 7, \"frame\": 7", "twice");
	assert_refused("\"x\": 100.5", "\"x\": 1, \"x\": 2", "twice");
}

TEST(what_is_no_json_is_refused)
{
	static const char *const texts[] = {
		"",          "{",         "}",        "[]",          "null",       "{}}",
		"{} x",      "{\"a\"}",   "{\"a\":}", "{\"a\":1,}",  "{a:1}",      "{\"a\":01}",
		"{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":0x1}", "{\"a\":nan}",
		"{\"a\":'b'}", "{\"a\":\"b}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\n\"}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":{\"b\"}}", "{\"a\":tru}",
	};
	struct ph__descriptor descriptor;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (read_text(texts[i], &descriptor) != PH_EFORMAT)
			fail_msg("'%s' was taken", texts[i]);
}

TEST(every_prefix_of_a_descriptor_is_refused)
{
	struct ph__descriptor descriptor;
	char text[sizeof(lit)];

	for (size_t length = 0; length < sizeof(lit) - 1; length++) {
		memcpy(text, lit, length);
		text[length] = '\0';
		assert_int_equal(read_text(text, &descriptor), PH_EFORMAT);
	}
}

TEST(no_change_of_a_single_byte_crashes_the_reader)
{
	struct ph__descriptor descriptor;
	char text[sizeof(lit)];

	for (size_t at = 0; at < sizeof(lit) - 1; at++)
		for (int byte = 1; byte < 256; byte += 5) {
			memcpy(text, lit, sizeof(lit));
			text[at] = (char)byte;
			ph_status status = read_text(text, &descriptor);
			assert_true(status == PH_OK || status == PH_EFORMAT);
		}
}

/* `count` times `open`, a 1, `count` times `close`. */
static ph_status read_nested(const char *open, const char *close, int count)
{
	char *text = malloc((size_t)count * 16 + 64);
	struct ph__descriptor descriptor;

	assert_non_null(text);
	char *at = stpcpy(text, "{\"a\":");
	for (int i = 0; i < count; i++)
		at = stpcpy(at, open);
	at = stpcpy(at, "1");
	for (int i = 0; i < count; i++)
		at = stpcpy(at, close);
	stpcpy(at, "}");
	ph_status status = read_text(text, &descriptor);
	free(text);
	return status;
}

TEST(deep_nesting_is_refused_before_the_stack_is_gone)
{
	assert_int_equal(read_nested("[", "]", 10000), PH_EFORMAT);
	assert_non_null(strstr(ph_last_error(), "deeper than 32"));
	assert_int_equal(read_nested("{\"a\":", "}", 10000), PH_EFORMAT);
	assert_non_null(strstr(ph_last_error(), "deeper than 32"));
	assert_int_equal(read_nested("[", "]", PH__JSON_DEPTH_MAX - 2), PH_EFORMAT);
	assert_non_null(strstr(ph_last_error(), "'transport'"));
}

TEST(numbers_are_read_with_a_point_in_a_locale_that_writes_a_comma)
{
	struct ph__descriptor descriptor;

	use_decimal_comma();
	assert_int_equal(ph__descriptor_read(ph__span_of(lit), &descriptor), PH_OK);
	assert_near(descriptor.frame.pose.position_m[0], 1.005);
}

/* Shared memory of this test's own: the name with a suffix. */
static const char *make_region(const char *suffix, size_t length, char fill)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s%s", test_name(), suffix);
	int fd = shm_open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)length), 0);
	char *bytes = mmap(NULL, length, PROT_WRITE, MAP_SHARED, fd, 0);
	memset(bytes, fill, length);
	munmap(bytes, length);
	close(fd);
	return name + 1;
}

static void remove_region(const char *name)
{
	char path[81] = "/";
	size_t length = strlen(name);

	assert_true(length < sizeof(path) - 1);
	memcpy(path + 1, name, length);
	assert_int_equal(shm_unlink(path), 0);
}

static ph_status find(struct ph__regions *regions, const char *name, uint64_t needed,
		      const char **bytes)
{
	const void *at;
	ph_status status = ph__regions_find(regions, ph__span_of(name), needed, &at);
	*bytes = at;
	return status;
}

TEST(a_region_is_mapped_once)
{
	struct ph__regions regions = {0};
	const char *name = make_region("_v1", 8192, 'a'), *first, *second;

	assert_int_equal(find(&regions, name, 100, &first), PH_OK);
	assert_int_equal(find(&regions, name, 8192, &second), PH_OK);
	assert_ptr_equal(first, second);
	assert_int_equal(first[8191], 'a');
	ph__regions_finish(&regions);
	remove_region(name);
}

TEST(a_new_version_takes_the_place_of_the_old_one)
{
	struct ph__regions regions = {0};
	const char *bytes;
	char old[64], new[64], other[64];

	strcpy(old, make_region("_a_v9", 4096, '9'));
	strcpy(new, make_region("_a_v10", 8192, 'X'));
	strcpy(other, make_region("_b_v9", 4096, 'b'));
	assert_int_equal(find(&regions, old, 4096, &bytes), PH_OK);
	assert_int_equal(bytes[0], '9');
	assert_int_equal(find(&regions, other, 4096, &bytes), PH_OK);
	assert_int_equal(find(&regions, new, 8192, &bytes), PH_OK);
	assert_int_equal(bytes[8191], 'X');
	assert_int_equal(regions.count, 2);
	ph__regions_finish(&regions);
	remove_region(old);
	remove_region(new);
	remove_region(other);
}

TEST(a_region_that_is_too_small_or_not_there_is_refused)
{
	struct ph__regions regions = {0};
	const char *name = make_region("_v1", 4096, 'a'), *bytes;

	assert_int_equal(find(&regions, name, 4097, &bytes), PH_EFORMAT);
	assert_non_null(strstr(ph_last_error(), "4096 bytes"));
	assert_null(bytes);
	remove_region(name);
	assert_int_equal(find(&regions, name, 4096, &bytes), PH_ENOENT);
	assert_non_null(strstr(ph_last_error(), "--ipc=host"));
	ph__regions_finish(&regions);
}

TEST(a_region_that_has_grown_is_mapped_again)
{
	struct ph__regions regions = {0};
	const char *name = make_region("_v1", 4096, 'a'), *bytes;

	assert_int_equal(find(&regions, name, 4096, &bytes), PH_OK);
	make_region("_v1", 65536, 'b');
	assert_int_equal(find(&regions, name, 65536, &bytes), PH_OK);
	assert_int_equal(bytes[65535], 'b');
	assert_int_equal(regions.count, 1);
	ph__regions_finish(&regions);
	remove_region(name);
}

TEST(what_is_no_shared_memory_is_refused_and_never_waited_for)
{
	struct ph__regions regions = {0};
	const char *bytes, *name = test_name() + 1;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm%s", test_name());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(find(&regions, name, 1, &bytes), PH_EFORMAT);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(find(&regions, name, 1, &bytes) < 0);
	rmdir(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_true(find(&regions, name, 1, &bytes) < 0);
	unlink(path);
	ph__regions_finish(&regions);
}

TEST(more_regions_than_a_client_may_map_are_refused)
{
	struct ph__regions regions = {0};
	const char *bytes;
	char names[4200][80];
	int count = 0;

	for (ph_status status = PH_OK; status == PH_OK; count++) {
		char suffix[16];
		assert_true(count < 4200);
		snprintf(suffix, sizeof(suffix), "_%d_v1", count);
		strcpy(names[count], make_region(suffix, 4096, 'a'));
		status = find(&regions, names[count], 4096, &bytes);
		assert_true(status == PH_OK || status == PH_ETOOBIG);
	}
	assert_int_equal(count, 4097);
	ph__regions_finish(&regions);
	for (int i = 0; i < count; i++)
		remove_region(names[i]);
}
