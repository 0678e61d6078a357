/* SPDX-License-Identifier: MIT */
/* Every modality as clients get it: by TCP, as a file, in shared memory. What the pixels have to be
 * is tested in golden/; here they have to be the same by every way. */
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

enum { W = 48, H = 32 };

static const struct {
	const char *path;
	uint32_t width_px, height_px;
} of_colors[] = {
	{"lit", W, H},
	{"object_mask", W, H},
	{"normal", W, H},
	{"instance", W, H},
	{"semantic", W, H},
	{"panoramic", 128, 64},
	{"mqrc/lit", W, H},
	{"panoramic/normal", 128, 64},
	{"panoramic/mask", 128, 64},
	{"optical_flow", W, H},
	{"mqrc/panoramic", 128, 64},
};
enum { COLOR_COUNT = sizeof(of_colors) / sizeof(of_colors[0]) };

static const struct {
	const char *path, *shape, *json;
	size_t data_bytes;
} of_floats[] = {
	{"depth", "(32, 48)", "\"shape\":[32,48],\"dtype\":\"float32\",\"layout\":\"HW\",",
	 4 * W *H},
	{"radial_depth", "(32, 48)", "\"shape\":[32,48],\"dtype\":\"float32\",\"layout\":\"HW\",",
	 4 * W *H},
	{"flow", "(32, 48, 2)",
	 "\"shape\":[32,48,2],\"dtype\":\"float32\",\"layout\":\"HWC\",\"channel_order\":\"XY\",",
	 8 * W *H},
	{"position", "(32, 48, 3)",
	 "\"shape\":[32,48,3],\"dtype\":\"float32\",\"layout\":\"HWC\",\"channel_order\":\"XYZ\",",
	 12 * W *H},
	{"panoramic/depth", "(64, 128)",
	 "\"shape\":[64,128],\"dtype\":\"float32\",\"layout\":\"HW\",", 4 * 128 * 64},
};
enum { FLOAT_COUNT = sizeof(of_floats) / sizeof(of_floats[0]) };

/* vget /camera/0/PATHWAY, the way "_shared", " bmp", ... */
static const char *ask(int fd, const char *path, const char *way)
{
	char command[128];
	snprintf(command, sizeof(command), "vget /camera/0/%s%s", path, way);
	return wire_ask(fd, command);
}

/* The memory of a descriptor; free it. */
static unsigned char *copy_region(const char *json, size_t wanted_bytes)
{
	char name[192], path[256];
	size_t length;
	const char *at = strstr(json, "\"name\":\"");

	if (!at)
		fail_msg("no descriptor: %s", json);
	assert_int_equal(sscanf(at, "\"name\":\"%191[^\"]\",\"num_bytes\":%zu", name, &length), 2);
	assert_int_equal(length, wanted_bytes);
	snprintf(path, sizeof(path), "/dev/shm/%s", name);
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	void *bytes = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(bytes != MAP_FAILED);
	unsigned char *copy = malloc(length);
	memcpy(copy, bytes, length);
	munmap(bytes, length);
	close(fd);
	return copy;
}

TEST(colours_are_the_same_by_tcp_and_in_shared_memory)
{
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);

	assert_string_equal(wire_ask(fd, "vset /camera/0/panoramic/resolution 32"), "ok");
	ask(fd, "optical_flow", "_shared"); /* the first knows of no flow, later ones do */
	for (int i = 0; i < COLOR_COUNT; i++) {
		uint32_t width_px = of_colors[i].width_px, height_px = of_colors[i].height_px;
		size_t length = (size_t)width_px * height_px * 4;
		char command[96], shape[64];
		snprintf(command, sizeof(command), "vget /camera/0/%s bmp", of_colors[i].path);
		unsigned char *sent = wire_ask_bmp(fd, command, width_px, height_px);
		const char *json = ask(fd, of_colors[i].path, "_shared");
		unsigned char *shared = copy_region(json, length);
		snprintf(shape, sizeof(shape), "\"shape\":[%u,%u,4],\"dtype\":\"uint8\"", height_px,
			 width_px);
		assert_non_null(strstr(json, shape));
		assert_non_null(strstr(json, "\"channel_order\":\"BGRA\""));
		assert_memory_equal(sent, shared, length);
		free(shared);
		free(sent);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(floats_are_the_same_by_tcp_and_in_shared_memory)
{
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);

	assert_string_equal(wire_ask(fd, "vset /camera/0/panoramic/resolution 32"), "ok");
	for (int i = 0; i < FLOAT_COUNT; i++) {
		size_t bytes = of_floats[i].data_bytes, length;
		char command[96];
		const char *json = ask(fd, of_floats[i].path, "_shared");
		unsigned char *shared = copy_region(json, bytes);
		assert_non_null(strstr(json, of_floats[i].json));
		assert_non_null(strstr(json, "_float32_v1\""));
		snprintf(command, sizeof(command), "vget /camera/0/%s npy", of_floats[i].path);
		const unsigned char *npy = wire_ask_bytes(fd, command, &length);
		assert_true(length > bytes && length <= bytes + 128 && (length - bytes) % 16 == 0);
		assert_non_null(strstr((const char *)npy + 10, of_floats[i].shape));
		assert_int_equal(npy[length - bytes - 1], '\n');
		assert_memory_equal(npy + length - bytes, shared, bytes);
		free(shared);
		assert_int_equal(strncmp(ask(fd, of_floats[i].path, " jpg"),
					 "error Invalid filename type", 27),
				 0);
	}
	close(fd);
	fixture_stop(&fixture);
}

static float largest_flow(int fd, const char *command)
{
	float largest = 0, *flow;

	flow = (float *)(void *)copy_region(wire_ask(fd, command), (size_t)W * H * 8);
	for (int i = 0; i < 2 * W * H; i++)
		largest = fmaxf(largest, fabsf(flow[i]));
	free(flow);
	return largest;
}

TEST(flow_is_relative_to_this_connections_last_flow_of_that_camera)
{
	static const char command[] = "vget /camera/0/flow_shared";
	static const char other_camera[] = "vget /camera/1/flow_shared";
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);
	int other = wire_client(&fixture);

	assert_float_equal(largest_flow(fd, command), 0, 0);
	assert_string_equal(wire_ask(fd, "vset /camera/0/rotation -11 5 0"), "ok");
	assert_float_equal(largest_flow(other, command), 0, 0); /* its first */
	assert_true(largest_flow(fd, command) > 1);
	assert_float_equal(largest_flow(fd, command), 0, 0); /* nothing moved since */
	wire_ask(fd, "vget /camera/0/depth npy");
	assert_string_equal(wire_ask(fd, "vset /object/BlueCube/location -135 -25 70"), "ok");
	wire_ask(fd, "vget /camera/0/optical_flow bmp"); /* has a memory of its own */
	assert_true(largest_flow(fd, command) > 1);
	wire_ask(fd, "vset /cameras/spawn");
	assert_float_equal(largest_flow(fd, other_camera), 0, 0);
	assert_string_equal(wire_ask(fd, "vset /camera/1/location 0 10 0"), "ok");
	assert_float_equal(largest_flow(fd, command), 0, 0);
	assert_true(largest_flow(fd, other_camera) > 0.1f);
	close(other);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_destroyed_and_a_spawned_object_do_not_confuse_flow)
{
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);

	largest_flow(fd, "vget /camera/0/flow_shared");
	assert_string_equal(wire_ask(fd, "vset /object/Arch/destroy"), "ok");
	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube Box 100 0 100"), "Box");
	assert_float_equal(largest_flow(fd, "vget /camera/0/flow_shared"), 0, 0);
	close(fd);
	fixture_stop(&fixture);
}

TEST(panoramas_have_the_size_that_is_asked_for_or_that_the_faces_give)
{
	static const char *const pairs[][2] = {
		{"vget /camera/0/panoramic/resolution", "512"},
		{"vset /camera/0/panoramic/resolution 40", NULL},
		{"vget /camera/0/panoramic/resolution", "40"},
		{"vset /camera/9/panoramic/resolution 40", "error Invalid sensor id"},
		{"vset /camera/0/panoramic/resolution 9999999",
		 "error Argument Invalid: a face may be 16384 pixels at most"},
		{"vget /camera/0/panoramic_shared 0 5",
		 "error Invalid panoramic dimensions or data size: 0x5, samples=0 (each side may "
		 "be 1 "
		 "to 16384 pixels)"},
		{"vget /camera/0/panoramic bmp 99999 5",
		 "error Invalid panoramic dimensions or data size: 99999x5, samples=0 (each side "
		 "may "
		 "be 1 to 16384 pixels)"},
	};
	static const struct {
		const char *command;
		size_t bytes;
	} sizes[] = {
		{"vget /camera/0/panoramic_shared", 160 * 80 * 4},
		{"vget /camera/0/panoramic_shared 33 44", 33 * 44 * 4},
		{"vget /camera/0/panoramic/normal_shared 10 5", 10 * 5 * 4},
		{"vget /camera/0/panoramic/mask_shared 10 5", 10 * 5 * 4},
		{"vget /camera/0/panoramic/depth_shared 11 5", 11 * 5 * 4},
		{"vget /camera/0/mqrc/panoramic_shared 12 6", 12 * 6 * 4},
		{"vget /camera/0/mqrc/panoramic_shared 12 6 100", 12 * 6 * 4},
	};
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);
	size_t length;

	EXPECT(fd, pairs);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *json = wire_ask(fd, sizes[i].command);
		free(copy_region(json, sizes[i].bytes));
		assert_non_null(strstr(json, "\"projection\":\"equirectangular\""));
	}
	wire_ask_bytes(fd, "vget /camera/0/panoramic bmp 64 48", &length);
	assert_int_equal(length, 64 * 48 * 4 + 54);
	close(fd);
	fixture_stop(&fixture);
}

TEST(the_depth_of_a_panorama_is_a_preview_for_eyes_and_metric_for_programs)
{
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);
	struct stat file;
	char path[256];

	unsigned char *preview =
		wire_ask_bmp(fd, "vget /camera/0/panoramic/depth bmp 64 32", 64, 32);
	assert_memory_equal(preview, "\0\0\0\xff", 4); /* the sky */
	assert_true(preview[4 * 31 * 64 + 2] > 200);   /* red: the ground below is near */
	free(preview);
	assert_string_equal(wire_ask(fd, "vset /camera/0/depth/max_distance 10"), "ok");
	preview = wire_ask_bmp(fd, "vget /camera/0/panoramic/depth bmp 64 32", 64, 32);
	assert_memory_equal(preview + 4 * 31 * 64, "\xff\0\0\xff", 4); /* now it is far */
	free(preview);
	assert_string_equal(wire_ask(fd, "vget /camera/0/panoramic/depth all/around.png 64 32"),
			    "all/around.png");
	snprintf(path, sizeof(path), "%s/all/around.png", test_folder());
	assert_int_equal(stat(path, &file), 0);
	assert_true(file.st_size > 60);
	assert_string_equal(wire_ask(fd, "vget /camera/0/panoramic/depth around.npy 64 32"),
			    "around.npy");
	snprintf(path, sizeof(path), "%s/around.npy", test_folder());
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(file.st_size, 80 + 4 * 64 * 32);
	close(fd);
	fixture_stop(&fixture);
}

TEST(lidar_points_come_as_a_list_with_everything_that_readers_ask_for)
{
	static const char *const keys[] = {
		"\"transport\":\"posix_shared_memory\"",
		"\"modality\":\"lidar\"",
		"\"offset_bytes\":0",
		"\"dtype\":\"float32\"",
		"\"layout\":\"NC\"",
		"\"channel_order\":\"XYZI\"",
		"\"fields\":[\"x\",\"y\",\"z\",\"intensity\"]",
		"\"coordinate_frame\":\"sensor_local\"",
		"\"axes\":",
		"\"units\":\"metres\"",
		"\"ray_count\":5760",
		"\"channels\":32",
		"\"horizontal_samples\":180",
	};
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);
	uint32_t count, point_count;
	size_t length;

	const char *json = wire_ask(fd, "vget /camera/0/lidar_shared");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_non_null(strstr(json, keys[i]));
	assert_int_equal(sscanf(strstr(json, "\"shape\":["), "\"shape\":[%u,4]", &count), 1);
	assert_int_equal(
		sscanf(strstr(json, "\"point_count\":"), "\"point_count\":%u", &point_count), 1);
	assert_int_equal(count, point_count);
	assert_in_range(count, 1000, 5760);
	float *points = (float *)(void *)copy_region(json, (size_t)count * 16);
	for (uint32_t i = 0; i < count; i++) {
		double range = sqrt((double)points[4 * i] * points[4 * i] +
				    (double)points[4 * i + 1] * points[4 * i + 1] +
				    (double)points[4 * i + 2] * points[4 * i + 2]);
		assert_true(range >= 0.1 - 1e-6 && range <= 100 + 1e-4);
		assert_true(points[4 * i + 3] >= 0 && points[4 * i + 3] <= 1);
	}
	const unsigned char *npy = wire_ask_bytes(fd, "vget /camera/0/lidar npy", &length);
	assert_memory_equal(npy + length - (size_t)count * 16, points, (size_t)count * 16);
	assert_string_equal(wire_ask(fd, "vset /camera/0/location 0 0 9000000"), "ok");
	assert_string_equal(wire_ask(fd, "vget /camera/0/lidar npy"),
			    "error Captured data is empty");
	free(points);
	close(fd);
	fixture_stop(&fixture);
}

TEST(labels_have_the_colours_of_the_semantic_picture)
{
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);

	assert_string_equal(wire_ask(fd, "vset /objects/spawn Sphere Ball_7 0 0 90000"), "Ball_7");
	assert_string_equal(wire_ask(fd, "vset /camera/0/location -200 0 90000"), "ok");
	assert_string_equal(wire_ask(fd, "vset /camera/0/rotation 0 0 0"), "ok");
	assert_string_equal(wire_ask(fd, "vset /object/Ball_7/color 9 9 9"), "ok");
	unsigned char *labels = wire_ask_bmp(fd, "vget /camera/0/semantic bmp", W, H);
	assert_memory_equal(labels, "\0\0\0\xff", 4);
	const unsigned char *at = labels + 4 * (H / 2 * W + W / 2);
	char wanted[96];
	snprintf(wanted, sizeof(wanted), "\"name\":\"ball\",\"color\":[%d,%d,%d],\"objects\":[",
		 at[2], at[1], at[0]);
	const char *json = wire_ask(fd, "vget /scene/semantic_annotations");
	const char *ball = strstr(json, wanted);
	assert_non_null(ball);
	assert_non_null(strstr(ball, "\"RedSphere\",\"MarbleSphere\",\"BeachBall\",\"Ball_7\"]"));
	free(labels);
	close(fd);
	fixture_stop(&fixture);
}

TEST(any_modalities_can_be_in_one_list)
{
	WITH_CLIENT(fixture, fd, .width_px = W, .height_px = H);

	wire_ask(fd, "vset /camera/0/panoramic/resolution 32");
	const char *json = wire_ask(
		fd,
		"vget /cameras/capture_shared {\"views\":[{\"camera\":0,\"modality\":\"normal\"},"
		"{\"camera\":0,\"modality\":\"flow\"},{\"camera\":0,\"modality\":\"lidar\"},"
		"{\"camera\":0,\"modality\":\"panoramic/depth\"},"
		"{\"camera\":0,\"modality\":\"mqrc/lit\"}]}");
	if (strstr(json, "jansson"))
		skip_test("lists of views are not built");
	assert_non_null(strstr(json, "\"modality\":\"normal\""));
	assert_non_null(strstr(json, "\"shape\":[32,48,2]"));
	assert_non_null(strstr(json, "\"layout\":\"NC\""));
	assert_non_null(strstr(json, "\"modality\":\"panoramic_depth\""));
	assert_non_null(strstr(json, "\"modality\":\"mqrc_lit\""));
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_client_that_leaves_ends_its_movie_picture)
{
	WITH_CLIENT(fixture, fd, .width_px = 1600, .height_px = 1200);

	int leaver = wire_client(&fixture);
	wire_send_packet(leaver, "0:vget /camera/0/mqrc/panoramic bmp 6000 3000");
	usleep(300000);
	close(leaver);
	int64_t before_ns = ph_now_ns();
	wire_ask(fd, "vset /camera/0/size 16 16");
	wire_ask(fd, "vget /camera/0/lit bmp");
	assert_true(ph_now_ns() - before_ns < 15000000000); /* 16 such samples take far longer */
	close(fd);
	fixture_stop(&fixture);
}
