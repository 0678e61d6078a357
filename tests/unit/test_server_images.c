/* SPDX-License-Identifier: MIT */
/* Pictures as clients get them: the bytes of each format, files, regions of shared memory. */
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spng.h>

#include "base/sys.h"
#include "test.h"
#include "wire.h"

static uint32_t u32(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

TEST(a_bmp_has_the_header_that_the_clients_expect)
{
	struct fixture fixture;
	size_t length;
	fixture_start(&fixture, (ph_server_options){.width_px = 101, .height_px = 37});
	int fd = wire_client(&fixture);

	const unsigned char *bmp = wire_ask_bytes(fd, "vget /camera/0/lit bmp", &length);
	assert_int_equal(length, 54 + 101 * 37 * 4);
	assert_memory_equal(bmp, "BM", 2);
	assert_int_equal(u32(bmp + 2), length);
	assert_int_equal(u32(bmp + 6), 0);
	assert_int_equal(u32(bmp + 10), 54);
	assert_int_equal(u32(bmp + 14), 40);
	assert_int_equal((int32_t)u32(bmp + 18), 101);
	assert_int_equal((int32_t)u32(bmp + 22), -37);
	assert_int_equal(u32(bmp + 26), 1 | 32 << 16);
	assert_int_equal(u32(bmp + 30), 0);
	assert_int_equal(u32(bmp + 34), 0);
	assert_int_equal(u32(bmp + 38), 1024);
	assert_int_equal(u32(bmp + 42), 1024);
	assert_int_equal(u32(bmp + 46), 0);
	assert_int_equal(u32(bmp + 50), 0);
	close(fd);
	fixture_stop(&fixture);
}

TEST(an_npy_has_the_header_that_numpy_writes)
{
	struct fixture fixture;
	size_t length;
	fixture_start(&fixture, (ph_server_options){.width_px = 640, .height_px = 480});
	int fd = wire_client(&fixture);

	const unsigned char *npy = wire_ask_bytes(fd, "vget /camera/0/depth npy", &length);
	assert_int_equal(length, 1228880);
	assert_memory_equal(npy, "\x93NUMPY\x01\x00\x46\x00", 10);
	assert_memory_equal(npy + 10,
			    "{'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }", 63);
	assert_int_equal(npy[79], '\n');
	close(fd);
	fixture_stop(&fixture);
}

static void decode_png(const unsigned char *png, size_t length, unsigned char *rgba,
		       size_t rgba_bytes)
{
	spng_ctx *context = spng_ctx_new(0);
	struct spng_ihdr header;

	assert_int_equal(spng_set_png_buffer(context, png, length), 0);
	assert_int_equal(spng_get_ihdr(context, &header), 0);
	assert_int_equal(header.color_type, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA);
	assert_int_equal(header.bit_depth, 8);
	assert_int_equal(spng_decode_image(context, rgba, rgba_bytes, SPNG_FMT_RGBA8, 0), 0);
	spng_ctx_free(context);
}

TEST(a_png_has_the_pixels_of_the_bmp)
{
	static const char *const modalities[] = {"lit", "object_mask", "seg"};
	enum { W = 65, H = 33, BYTES = W * H * 4 };
	struct fixture fixture;
	char command[64];
	size_t length;
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	for (int m = 0; m < 3; m++) {
		unsigned char rgba[BYTES];
		snprintf(command, sizeof(command), "vget /camera/0/%s bmp", modalities[m]);
		unsigned char *bgra = wire_ask_bmp(fd, command, W, H);
		snprintf(command, sizeof(command), "vget /camera/0/%s PNG", modalities[m]);
		const unsigned char *png = wire_ask_bytes(fd, command, &length);
		decode_png(png, length, rgba, sizeof(rgba));
		for (int i = 0; i < BYTES; i += 4) {
			assert_int_equal(rgba[i], bgra[i + 2]);
			assert_int_equal(rgba[i + 1], bgra[i + 1]);
			assert_int_equal(rgba[i + 2], bgra[i]);
			assert_int_equal(rgba[i + 3], 255);
		}
		free(bgra);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(seen_from_straight_above_the_ground_is_as_far_as_the_camera_is_high)
{
	static const float heights_cm[] = {2000, 2500, 4000};
	enum { W = 61, H = 47 };
	struct fixture fixture;
	char command[128];
	size_t length;
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vset /camera/0/fov 30"), "ok");
	for (int i = 0; i < 3; i++) {
		snprintf(command, sizeof(command), "vset /camera/0/pose 400 0 %g -90 0 0",
			 heights_cm[i]);
		assert_string_equal(wire_ask(fd, command), "ok");
		const unsigned char *npy = wire_ask_bytes(fd, "vget /camera/0/depth npy", &length);
		float deepest = 0;
		for (int p = 0; p < W * H; p++) {
			float depth;
			memcpy(&depth, npy + length - (size_t)(W * H - p) * 4, 4);
			assert_true(depth > 0 && depth <= 65504);
			if (depth < 65504)
				deepest =
					fmaxf(deepest, depth); /* things on the ground are nearer */
		}
		assert_within(deepest, heights_cm[i], heights_cm[i] * 1e-5f);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(the_next_picture_shows_what_was_set)
{
	enum { W = 96, H = 64, BYTES = W * H * 4 };
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	unsigned char *before = wire_ask_bmp(fd, "vget /camera/0/lit bmp", W, H);
	unsigned char *again = wire_ask_bmp(fd, "vget /camera/0/lit bmp", W, H);
	assert_memory_equal(before, again, BYTES);
	char *pose = strdup(wire_ask(fd, "vget /camera/0/pose"));
	assert_string_equal(wire_ask(fd, "vset /camera/0/rotation -20 50 0"), "ok");
	unsigned char *turned = wire_ask_bmp(fd, "vget /camera/0/lit bmp", W, H);
	assert_memory_not_equal(before, turned, BYTES);
	char command[256];
	snprintf(command, sizeof(command), "vset /camera/0/pose %s", pose);
	assert_string_equal(wire_ask(fd, command), "ok");
	unsigned char *back = wire_ask_bmp(fd, "vget /camera/0/lit bmp", W, H);
	assert_memory_equal(before, back, BYTES);
	free(before);
	free(again);
	free(turned);
	free(back);
	free(pose);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_colour_that_was_set_is_the_colour_in_the_mask)
{
	enum { W = 160, H = 120 };
	struct fixture fixture;
	char command[128];
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	for (int v = 1; v < 256; v += 25) {
		snprintf(command, sizeof(command), "vset /object/Ground/color %d %d %d", v, 255 - v,
			 v / 2);
		assert_string_equal(wire_ask(fd, command), "ok");
		unsigned char *mask = wire_ask_bmp(fd, "vget /camera/0/object_mask bmp", W, H);
		int found = 0;
		for (int i = 0; i < W * H; i++)
			found += mask[4 * i] == v / 2 && mask[4 * i + 1] == 255 - v &&
				 mask[4 * i + 2] == v && mask[4 * i + 3] == 255;
		assert_true(found > W * H / 20); /* the ground is seen */
		free(mask);
	}
	close(fd);
	fixture_stop(&fixture);
}

/* --- files ----------------------------------------------------------------------------------- */

static off_t size_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static off_t size_of(const char *format, ...)
{
	char path[512];
	struct stat st;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return lstat(path, &st) == 0 ? st.st_size : -1;
}

TEST(files_are_written_below_the_output_folder)
{
	struct fixture fixture;
	char command[256], name[192];
	fixture_start(&fixture, (ph_server_options){.width_px = 40, .height_px = 30});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vget /camera/0/lit one.bmp"), "one.bmp");
	assert_int_equal(size_of("%s/one.bmp", test_folder()), 54 + 40 * 30 * 4);
	assert_string_equal(wire_ask(fd, "vget /camera/0/depth a/b/two.NPY"), "a/b/two.NPY");
	assert_int_equal(size_of("%s/a/b/two.NPY", test_folder()), 80 + 40 * 30 * 4);
	snprintf(name, sizeof(name), "%s/three.png", test_folder());
	snprintf(command, sizeof(command), "vget /camera/0/object_mask %s", name);
	assert_string_equal(wire_ask(fd, command), name);
	assert_true(size_of("%s", name) > 50);
	assert_string_equal(wire_ask(fd, "vget /camera/0/lit"), "camera_0_lit.png");
	assert_true(size_of("%s/camera_0_lit.png", test_folder()) > 50);
	close(fd);
	fixture_stop(&fixture);
}

TEST(files_elsewhere_are_refused)
{
	static const char *const names[] = {
		"../up.png",  "a/../../up.png", "/tmp/elsewhere.png",
		"link/x.png", "..%2fup.png/..", "/etc/passwd.png",
	};
	struct fixture fixture;
	char command[256], link[128];
	fixture_start(&fixture, (ph_server_options){.width_px = 40, .height_px = 30});
	int fd = wire_client(&fixture);

	snprintf(link, sizeof(link), "%s/link", test_folder());
	assert_int_equal(symlink("/tmp", link), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(command, sizeof(command), "vget /camera/0/lit %s", names[i]);
		const char *reply = wire_ask(fd, command);
		if (strncmp(reply, "error ", 6) != 0)
			fail_msg("'%s' gave '%s'", command, reply);
	}
	assert_int_equal(size_of("%s/../up.png", test_folder()), -1);
	assert_int_equal(size_of("/tmp/elsewhere.png"), -1);
	assert_int_equal(size_of("/tmp/x.png"), -1);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_link_in_the_place_of_a_file_is_replaced_not_followed)
{
	struct fixture fixture;
	char link[128], target[128];
	struct stat st;
	fixture_start(&fixture, (ph_server_options){.width_px = 40, .height_px = 30});
	int fd = wire_client(&fixture);

	snprintf(target, sizeof(target), "%s/target", test_folder());
	snprintf(link, sizeof(link), "%s/picture.bmp", test_folder());
	close(open(target, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(symlink(target, link), 0);
	assert_string_equal(wire_ask(fd, "vget /camera/0/lit picture.bmp"), "picture.bmp");
	assert_int_equal(size_of("%s", target), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	close(fd);
	fixture_stop(&fixture);
}

/* --- the frame path -------------------------------------------------------------------------- */

static _Atomic int allocations, mappings;

static void *count_realloc(void *memory, size_t size)
{
	allocations++;
	return realloc(memory, size);
}

static void *count_calloc(size_t count, size_t size)
{
	allocations++;
	return calloc(count, size);
}

static void *count_mmap(void *hint, size_t length, int prot, int flags, int fd, off_t offset)
{
	mappings++;
	return mmap(hint, length, prot, flags, fd, offset);
}

TEST(a_warm_capture_allocates_and_maps_nothing)
{
	struct fixture fixture;
	struct ph__sys counting = ph__sys_real;
	size_t length;
	counting.realloc = count_realloc;
	counting.calloc = count_calloc;
	counting.mmap = count_mmap;
	ph__sys = &counting; /* before there is a second thread */
	fixture_start(&fixture, (ph_server_options){.width_px = 160, .height_px = 120});
	int fd = wire_client(&fixture);

	assert_true(allocations > 0 && mappings == 0);
	for (int round = 0; round < 6; round++) {
		if (round == 2)
			allocations = mappings = 0;
		wire_ask(fd, "vset /camera/0/rotation -5 10 0");
		wire_ask_bytes(fd, "vget /camera/0/lit bmp", &length);
		wire_ask_bytes(fd, "vget /camera/0/depth npy", &length);
		wire_ask_bytes(fd, "vget /camera/0/lit_shared", &length);
	}
	assert_int_equal(allocations, 0);
	assert_int_equal(mappings, 0);
	close(fd);
	fixture_stop(&fixture);
	ph__sys = &ph__sys_real;
}
