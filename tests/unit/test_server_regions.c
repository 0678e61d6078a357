/* SPDX-License-Identifier: MIT */
/* Regions of shared memory: what is in them, what they are called, when they go away. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

/* The text after "key": in a descriptor. */
static const char *value_of(const char *json, const char *key)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	const char *found = strstr(json, pattern);
	if (!found)
		fail_msg("no \"%s\" in %s", key, json);
	return found + strlen(pattern);
}

static double number_of(const char *json, const char *key)
{
	return strtod(value_of(json, key), NULL);
}

static void name_of(const char *json, char name[256])
{
	assert_int_equal(sscanf(value_of(json, "name"), "\"%255[^\"]\"", name), 1);
}

/* A mapping of a region as a client makes it, or NULL when there is none of that name. */
static unsigned char *map_region(const char *name, size_t length)
{
	char path[300];

	snprintf(path, sizeof(path), "/%s", name);
	int fd = shm_open(path, O_RDONLY, 0);
	if (fd < 0)
		return NULL;
	unsigned char *bytes = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	return bytes;
}

static bool region_exists(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "/dev/shm/%s", name);
	return access(path, F_OK) == 0;
}

/* The server is another thread: what it does after a client has left takes a moment. */
static bool region_goes_away(const char *name)
{
	for (int i = 0; i < 2000 && region_exists(name); i++)
		usleep(5000);
	return !region_exists(name);
}

TEST(shared_memory_holds_the_bytes_that_tcp_sends)
{
	enum { W = 333, H = 77, BYTES = W * H * 4 };
	struct fixture fixture;
	char name[256];
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	unsigned char *sent = wire_ask_bmp(fd, "vget /camera/0/lit bmp", W, H);
	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), name);
	unsigned char *shared = map_region(name, BYTES);
	assert_memory_equal(shared, sent, BYTES);
	munmap(shared, BYTES);
	free(sent);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_descriptor_says_all_that_a_client_needs)
{
	struct fixture fixture;
	char expected[1024], name[256];
	fixture_start(&fixture, (ph_server_options){.width_px = 320, .height_px = 200});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vset /camera/0/pose 10 -20 130 -5 15 2"), "ok");
	int64_t before_ns = ph_now_ns();
	const char *json = wire_ask(fd, "vget /camera/0/lit_shared");
	name_of(json, name);
	snprintf(expected, sizeof(expected), "UnrealCV_%d_c1_camera_0_lit_bgra8_v1", (int)getpid());
	assert_string_equal(name, expected);
	snprintf(expected, sizeof(expected),
		 "{\"transport\":\"posix_shared_memory\",\"modality\":\"lit\",\"name\":\"%s\","
		 "\"num_bytes\":256000,\"version\":1,\"offset_bytes\":0,\"shape\":[200,320,4],"
		 "\"dtype\":\"uint8\",\"layout\":\"HWC\",\"channel_order\":\"BGRA\",",
		 name);
	assert_memory_equal(json, expected, strlen(expected));
	assert_non_null(strstr(json, "\"width\":320,\"height\":200,\"frame\":1,\"lifetime\":\""));
	assert_true(number_of(json, "timestamp_ns") >= (double)before_ns);
	assert_true(number_of(json, "render_ns") > 0);
	assert_true(number_of(json, "copy_ns") > 0);
	assert_true(number_of(json, "copy_ns") < number_of(json, "render_ns"));
	assert_within(number_of(json, "x"), 10, 1e-5);
	assert_within(number_of(json, "y"), -20, 1e-5);
	assert_within(number_of(json, "z"), 130, 1e-5);
	assert_within(number_of(json, "pitch"), -5, 1e-5);
	assert_within(number_of(json, "yaw"), 15, 1e-5);
	assert_within(number_of(json, "roll"), 2, 1e-5);
	assert_within(number_of(json, "fx"), 160, 1e-3); /* 320 / 2 / tan(45 degrees) */
	assert_within(number_of(json, "fy"), 160, 1e-3);
	assert_within(number_of(json, "cx"), 160, 1e-3);
	assert_within(number_of(json, "cy"), 100, 1e-3);
	assert_within(number_of(json, "fov"), 90, 1e-5);
	char *kept = strdup(json);
	assert_string_equal(wire_ask(fd, "vget /unrealcv/last_capture"), kept);
	free(kept);
	close(fd);
	fixture_stop(&fixture);
}

TEST(the_last_capture_by_tcp_is_described_too)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){.width_px = 32, .height_px = 20});
	int fd = wire_client(&fixture);
	size_t length;

	wire_ask_bytes(fd, "vget /camera/0/depth npy", &length);
	const char *json = wire_ask(fd, "vget /unrealcv/last_capture");
	assert_non_null(
		strstr(json, "\"transport\":\"socket\",\"modality\":\"depth\",\"name\":\"\","));
	assert_non_null(strstr(
		json, "\"shape\":[20,32],\"dtype\":\"float32\",\"layout\":\"HW\",\"width\""));
	assert_true(number_of(json, "render_ns") > 0);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_region_keeps_its_name_while_the_picture_fits)
{
	struct fixture fixture;
	char first[256], name[256], grown[256];
	fixture_start(&fixture, (ph_server_options){.width_px = 128, .height_px = 128});
	int fd = wire_client(&fixture);

	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), first);
	const char *json = wire_ask(fd, "vget /camera/0/lit_shared");
	name_of(json, name);
	assert_string_equal(name, first);
	assert_within(number_of(json, "frame"), 2, 0);
	assert_string_equal(wire_ask(fd, "vset /camera/0/size 64 64"), "ok");
	json = wire_ask(fd, "vget /camera/0/lit_shared");
	name_of(json, name);
	assert_string_equal(name, first);
	assert_within(number_of(json, "num_bytes"), 64 * 64 * 4, 0);
	assert_string_equal(wire_ask(fd, "vset /camera/0/size 256 256"), "ok");
	json = wire_ask(fd, "vget /camera/0/lit_shared");
	name_of(json, grown);
	assert_within(number_of(json, "version"), 2, 0);
	assert_string_not_equal(grown, first);
	assert_true(region_exists(grown));
	assert_true(region_exists(first)); /* a client may be about to open it */
	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), name);
	assert_string_equal(name, grown);
	assert_false(region_exists(first));
	close(fd);
	assert_true(region_goes_away(grown));
	fixture_stop(&fixture);
}

TEST(a_region_that_was_cut_or_removed_is_made_anew)
{
	enum { W = 64, H = 64, BYTES = W * H * 4 };
	struct fixture fixture;
	char first[256], name[256], path[300];
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), first);
	snprintf(path, sizeof(path), "/dev/shm/%s", first);
	assert_int_equal(truncate(path, 0), 0); /* as any process of this user may */
	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), name);
	assert_string_not_equal(name, first);
	unsigned char *bytes = map_region(name, BYTES);
	assert_int_equal(bytes[BYTES - 1], 255);
	munmap(bytes, BYTES);
	snprintf(path, sizeof(path), "/dev/shm/%s", name);
	assert_int_equal(unlink(path), 0);
	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), first);
	assert_true(region_exists(first));
	close(fd);
	wire_assert_serves(&fixture);
	fixture_stop(&fixture);
}

TEST(two_clients_never_share_a_region)
{
	enum { W = 100, H = 80, BYTES = W * H * 4 };
	struct fixture fixture;
	char names[2][256];
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fds[2] = {wire_client(&fixture), wire_client(&fixture)};

	name_of(wire_ask(fds[0], "vget /camera/0/lit_shared"), names[0]);
	unsigned char *mine = map_region(names[0], BYTES);
	unsigned char *kept = malloc(BYTES);
	memcpy(kept, mine, BYTES);
	assert_string_equal(wire_ask(fds[1], "vset /camera/0/rotation 0 170 0"), "ok");
	name_of(wire_ask(fds[1], "vget /camera/0/lit_shared"), names[1]);
	assert_string_not_equal(names[0], names[1]);
	assert_memory_equal(mine, kept, BYTES); /* untouched by the other's capture */
	close(fds[1]);
	assert_true(region_goes_away(names[1]));
	assert_true(region_exists(names[0]));
	assert_memory_equal(mine, kept, BYTES);
	munmap(mine, BYTES);
	free(kept);
	close(fds[0]);
	fixture_stop(&fixture);
}

TEST(a_mapped_region_outlives_its_connection)
{
	enum { W = 64, H = 64, BYTES = W * H * 4 };
	struct fixture fixture;
	char name[256];
	fixture_start(&fixture, (ph_server_options){.width_px = W, .height_px = H});
	int fd = wire_client(&fixture);

	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), name);
	unsigned char *mine = map_region(name, BYTES);
	close(fd);
	assert_true(region_goes_away(name));
	int sum = 0;
	for (int i = 3; i < BYTES; i += 4)
		sum += mine[i] == 255;
	assert_int_equal(sum, W * H);
	munmap(mine, BYTES);
	fixture_stop(&fixture);
}

TEST(the_owner_of_a_region_holds_its_lock)
{
	struct fixture fixture;
	char name[256], path[300];
	fixture_start(&fixture, (ph_server_options){.width_px = 16, .height_px = 16});
	int fd = wire_client(&fixture);
	struct stat st;

	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), name);
	snprintf(path, sizeof(path), "/dev/shm/%s", name);
	int region = open(path, O_RDWR);
	assert_int_equal(flock(region, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(fstat(region, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(st.st_blocks * 512 >= st.st_size); /* every page is reserved */
	close(region);
	close(fd);
	fixture_stop(&fixture);
}

TEST(memory_over_the_limit_is_refused_with_figures)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){.width_px = 512,
						    .height_px = 512,
						    .shared_bytes_limit = 1 << 20});
	int fd = wire_client(&fixture), other = wire_client(&fixture);

	assert_int_equal(wire_ask(fd, "vget /camera/0/lit_shared")[0], '{');
	const char *refused = wire_ask(other, "vget /camera/0/lit_shared");
	assert_memory_equal(refused, "error ", 6);
	assert_non_null(strstr(refused, "needs 1048576 bytes"));
	assert_non_null(strstr(refused, "1048576 of the 1048576 that --max-shared-bytes allows"));
	assert_int_equal(wire_ask(fd, "vget /camera/0/lit_shared")[0], '{');
	close(fd); /* gives it back */
	const char *reply = "error";
	for (int i = 0; i < 1000 && reply[0] == 'e'; i++)
		reply = wire_ask(other, "vget /camera/0/lit_shared");
	assert_int_equal(reply[0], '{');
	close(other);
	fixture_stop(&fixture);
}

static int make_region(const char *name, bool locked)
{
	char path[300];

	snprintf(path, sizeof(path), "/%s", name);
	int fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	if (locked)
		assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	return fd;
}

TEST(a_start_removes_what_dead_servers_left_and_nothing_else)
{
	/* pid 1 lives: pids prove nothing, locks do. */
	const char *dead = "UnrealCV_1_c3_camera_0_lit_bgra8_v2";
	const char *alive = "UnrealCV_999999999_c3_camera_0_lit_bgra8_v2";
	char others[3][64];
	struct fixture fixture;

	snprintf(others[0], sizeof(others[0]), "UnrealCV_%d_camera_0_lit", (int)getpid());
	snprintf(others[1], sizeof(others[1]), "ph-test-%d-other", (int)getpid());
	snprintf(others[2], sizeof(others[2]), "UnrealCV_%d_c1x_camera_0", (int)getpid());
	close(make_region(dead, false));
	int lock = make_region(alive, true);
	for (int i = 0; i < 3; i++)
		close(make_region(others[i], false));

	fixture_start(&fixture, (ph_server_options){0});
	assert_false(region_exists(dead));
	assert_true(region_exists(alive));
	for (int i = 0; i < 3; i++)
		assert_true(region_exists(others[i]));
	fixture_stop(&fixture);

	close(lock);
	shm_unlink("/UnrealCV_999999999_c3_camera_0_lit_bgra8_v2");
	for (int i = 0; i < 3; i++) {
		char path[256];
		snprintf(path, sizeof(path), "/%s", others[i]);
		shm_unlink(path);
	}
}

TEST(two_servers_that_run_at_once_leave_each_others_regions_alone)
{
	struct fixture first, second;
	char name[256];
	fixture_start(&first, (ph_server_options){.width_px = 16, .height_px = 16});
	int fd = wire_client(&first);

	name_of(wire_ask(fd, "vget /camera/0/lit_shared"), name);
	fixture_start(&second, (ph_server_options){.unix_path = "none"});
	assert_true(region_exists(name));
	fixture_stop(&second);
	assert_true(region_exists(name));
	close(fd);
	fixture_stop(&first);
}
