/* SPDX-License-Identifier: MIT */
/* What users of other servers reported as broken, each as a test of ours. The number is that of the
 * report in our own list of them. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

/* R057 */
TEST(every_mode_and_format_gives_data_or_an_error_and_never_a_bare_ok)
{
	static const char *const modes[] = {"lit",    "depth",       "plane_depth", "vis_depth",
					    "normal", "object_mask", "seg"};
	static const char *const formats[] = {"png", "bmp",   "npy",   "exr",   "jpg",  "none",
					      "",    "a.png", "a.npy", "a.bmp", "a.exr"};
	WITH_CLIENT(fixture, fd, .width_px = 16, .height_px = 8);
	char command[128], path[256];
	struct stat file;
	size_t length;

	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
		for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
			snprintf(command, sizeof(command), "vget /camera/0/%s %s", modes[m],
				 formats[f]);
			const char *reply = (const char *)wire_ask_bytes(fd, command, &length);
			assert_true(length > 2);
			if (strncmp(reply, "error ", 6) == 0)
				continue;
			if (!strchr(formats[f], '.')) {
				assert_true((unsigned char)reply[0] > 0x7F || reply[0] == 'B');
				continue;
			}
			assert_string_equal(reply, formats[f]);
			snprintf(path, sizeof(path), "%s/%s", test_folder(), reply);
			assert_int_equal(stat(path, &file), 0);
			assert_true(file.st_size > 64);
			unlink(path);
		}
	close(fd);
	fixture_stop(&fixture);
}

static void assert_shape(const char *json, int width, int height)
{
	char shape[64];

	snprintf(shape, sizeof(shape), "\"shape\":[%d,%d", height, width);
	if (!strstr(json, shape))
		fail_msg("not %s: %s", shape, json);
}

/* R061 */
TEST(a_size_holds_for_every_mode_and_for_its_camera_only)
{
	WITH_CLIENT(fixture, fd, .width_px = 96, .height_px = 64);
	char command[128];
	size_t length;

	assert_non_null(strstr(wire_ask(fd, "vget /unrealcv/status"), "Width: 96\nHeight: 64\n"));
	assert_string_equal(wire_ask(fd, "vset /cameras/spawn"), "FusionCameraActor_0");
	assert_string_equal(wire_ask(fd, "vset /camera/0/size 128 72"), "ok");
	for (int camera = 0; camera < 2; camera++) {
		int width = camera ? 96 : 128, height = camera ? 64 : 72;
		size_t pixels = (size_t)width * (size_t)height * 4;
		snprintf(command, sizeof(command), "vget /camera/%d/size", camera);
		char size[32];
		snprintf(size, sizeof(size), "%d %d", width, height);
		assert_string_equal(wire_ask(fd, command), size);
		snprintf(command, sizeof(command), "vget /camera/%d/lit_shared", camera);
		assert_shape(wire_ask(fd, command), width, height);
		snprintf(command, sizeof(command), "vget /camera/%d/depth_shared", camera);
		assert_shape(wire_ask(fd, command), width, height);
		snprintf(command, sizeof(command), "vget /camera/%d/seg_shared", camera);
		assert_shape(wire_ask(fd, command), width, height);
		snprintf(command, sizeof(command), "vget /camera/%d/object_mask bmp", camera);
		wire_ask_bytes(fd, command, &length);
		assert_int_equal(length, 54 + pixels);
	}
	close(fd);
	fixture_stop(&fixture);
}

/* The middle of what has this blue in the mask; false: it is not seen. */
static bool find_middle(const unsigned char *mask, int width, int height, int blue, double at[2])
{
	double count = 0, sum[2] = {0, 0};

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			if (mask[(y * width + x) * 4] == blue) {
				count++;
				sum[0] += x + 0.5;
				sum[1] += y + 0.5;
			}
	at[0] = sum[0] / count;
	at[1] = sum[1] / count;
	return count > 0;
}

struct axes {
	double forward[3], right[3], up[3];
};

/* Unreal's rotator, written out from its documentation, not taken from the server. */
static struct axes axes_of(double pitch_deg, double yaw_deg, double roll_deg)
{
	double p = pitch_deg * M_PI / 180, y = yaw_deg * M_PI / 180, r = roll_deg * M_PI / 180;
	double cp = cos(p), sp = sin(p), cy = cos(y), sy = sin(y), cr = cos(r), sr = sin(r);

	return (struct axes){
		{cp * cy, cp * sy, sp},
		{sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp},
		{-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp},
	};
}

struct shot {
	int width, height;
	double fov_deg, pitch, yaw, roll;
};

enum { POINTS = 5 };

/* Of small cubes: forward, right, up of the view, in cm. */
static const double offsets[POINTS][3] = {
	{1000, 0, 0}, {1000, 150, 100}, {1500, -250, 120}, {900, 120, -140}, {1200, -90, -90},
};

static void make_points(int fd)
{
	char command[256];

	for (int i = 0; i < POINTS; i++) {
		snprintf(command, sizeof(command), "vset /objects/spawn Cube P%d", i);
		wire_ask(fd, command);
		snprintf(command, sizeof(command), "vset /object/P%d/scale 0.1 0.1 0.1", i);
		assert_string_equal(wire_ask(fd, command), "ok");
		snprintf(command, sizeof(command), "vset /object/P%d/color 1 2 %d", i, 200 + i);
		assert_string_equal(wire_ask(fd, command), "ok");
	}
}

/* Sets the camera up, and the points in front of it. */
static void set_up(int fd, const struct shot *shot)
{
	static const double eye[3] = {100, 200, 50000};
	struct axes axes = axes_of(shot->pitch, shot->yaw, shot->roll);
	char command[256];

	snprintf(command, sizeof(command), "vset /camera/0/pose 100 200 50000 %g %g %g",
		 shot->pitch, shot->yaw, shot->roll);
	assert_string_equal(wire_ask(fd, command), "ok");
	snprintf(command, sizeof(command), "vset /camera/0/size %d %d", shot->width, shot->height);
	assert_string_equal(wire_ask(fd, command), "ok");
	snprintf(command, sizeof(command), "vset /camera/0/fov %g", shot->fov_deg);
	assert_string_equal(wire_ask(fd, command), "ok");
	for (int i = 0; i < POINTS; i++) {
		double place[3];
		for (int k = 0; k < 3; k++)
			place[k] = eye[k] + offsets[i][0] * axes.forward[k] +
				   offsets[i][1] * axes.right[k] + offsets[i][2] * axes.up[k];
		snprintf(command, sizeof(command), "vset /object/P%d/location %.6f %.6f %.6f", i,
			 place[0], place[1], place[2]);
		assert_string_equal(wire_ask(fd, command), "ok");
	}
}

/* R059 and R064: small cubes at known places are where a pinhole camera of the documented
 * convention sees them, for several lenses, sizes and rotations. */
TEST(known_points_land_where_the_lens_and_the_rotation_say)
{
	static const struct shot shots[] = {
		{320, 240, 90, 0, 0, 0},       {240, 320, 60, 0, 90, 0},
		{500, 250, 30, 30, 0, 0},      {320, 240, 120, 30, 40, 20},
		{320, 240, 60, -35, 200, -50},
	};
	WITH_CLIENT(fixture, fd, 0);
	int compared = 0;

	make_points(fd);
	for (size_t c = 0; c < sizeof(shots) / sizeof(shots[0]); c++) {
		int width = shots[c].width, height = shots[c].height;
		double focal = width / 2.0 / tan(shots[c].fov_deg * M_PI / 360);
		set_up(fd, &shots[c]);
		unsigned char *mask = wire_ask_bmp(fd, "vget /camera/0/object_mask bmp",
						   (uint32_t)width, (uint32_t)height);
		for (int i = 0; i < POINTS; i++) {
			double x = width / 2.0 + focal * offsets[i][1] / offsets[i][0];
			double y = height / 2.0 - focal * offsets[i][2] / offsets[i][0];
			double seen[2];
			if (x < 10 || x > width - 10 || y < 10 || y > height - 10)
				continue; /* not whole in the picture */
			assert_true(find_middle(mask, width, height, 200 + i, seen));
			assert_within(seen[0], x, 0.7);
			assert_within(seen[1], y, 0.7);
			compared++;
		}
		free(mask);
	}
	assert_true(compared > 20);
	close(fd);
	fixture_stop(&fixture);
}

/* R064, for an object: its own axes are turned by the same convention. */
TEST(an_object_is_turned_as_a_camera_is)
{
	WITH_CLIENT(fixture, fd, 0);
	struct axes axes = axes_of(30, 40, 20);
	double size[3] = {400, 200, 100}, bounds[6];

	wire_ask(fd, "vset /objects/spawn Cube Box");
	assert_string_equal(wire_ask(fd, "vset /object/Box/scale 4 2 1"), "ok");
	assert_string_equal(wire_ask(fd, "vset /object/Box/rotation 30 40 20"), "ok");
	assert_int_equal(sscanf(wire_ask(fd, "vget /object/Box/bounds"), "%lf %lf %lf %lf %lf %lf",
				&bounds[0], &bounds[1], &bounds[2], &bounds[3], &bounds[4],
				&bounds[5]),
			 6);
	for (int k = 0; k < 3; k++) {
		double half = fabs(axes.forward[k]) * size[0] / 2 +
			      fabs(axes.right[k]) * size[1] / 2 + fabs(axes.up[k]) * size[2] / 2;
		assert_within(bounds[k], -half, 0.02);
		assert_within(bounds[3 + k], half, 0.02);
	}
	close(fd);
	fixture_stop(&fixture);
}

/* R080 */
TEST(two_hundred_pipelined_commands_have_their_own_ids_in_their_order)
{
	enum { COUNT = 200 };
	WITH_CLIENT(fixture, fd, .width_px = 512, .height_px = 256);
	char payload[64], expected[64];
	uint32_t random = 12345, ids[COUNT], id = 0;

	for (int i = 0; i < COUNT; i++) {
		random = random * 1664525 + 1013904223;
		ids[i] = id += 1 + (random >> 8) % 10000000;
		snprintf(payload, sizeof(payload),
			 i % 20 == 7 ? "%u:vget /camera/0/depth npy" : "%u:vget /unrealcv/echo e%u",
			 id, id);
		wire_send_packet(fd, payload);
	}
	for (int i = 0; i < COUNT; i++) {
		struct packet packet;
		assert_true(wire_receive(fd, &packet));
		snprintf(expected, sizeof(expected), i % 20 == 7 ? "%u:\x93NUMPY" : "%u:e%u",
			 ids[i], ids[i]);
		assert_memory_equal(packet.bytes, expected, strlen(expected));
		packet_free(&packet);
	}
	close(fd);
	fixture_stop(&fixture);
}

/* R086 */
TEST(a_file_name_that_cannot_be_is_an_error_that_says_so)
{
	static const char *const commands[] = {
		"vget /camera/0/lit /tmp/a b.png",
		"vget /camera/0/lit ../../x.png",
		"vget /camera/0/lit /nonexistent/x.png",
		"vget /camera/0/lit x.xyz",
		"vget /camera/0/lit .png.",
		"vget /camera/0/lit /.png/",
	};
	static const char *const pairs[][2] = {
		{"vget /camera/0/lit", "camera_0_lit.png"},
		{"vget /camera/0/lit x.png", "x.png"},
		{"vget /screenshot shot.bmp", "shot.bmp"},
	};
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	EXPECT(fd, pairs);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strncmp(wire_ask(fd, commands[i]), "error ", 6) != 0)
			fail_msg("'%s' is no error", commands[i]);
	assert_int_equal(strncmp(wire_ask(fd, "vget /screenshot png"), "\x89PNG", 4), 0);
	close(fd);
	fixture_stop(&fixture);
}

/* R118 */
TEST(a_picture_that_is_asked_for_right_behind_a_change_shows_it)
{
	enum { ROUNDS = 100, SIDE_PX = 9, MIDDLE = (4 * SIDE_PX + 4) * 4 };
	WITH_CLIENT(fixture, fd, .width_px = SIDE_PX, .height_px = SIDE_PX);
	char command[128];
	struct packet packet;

	for (int i = 0; i < 8; i++) { /* a ring of cubes, each of its own colour */
		snprintf(command, sizeof(command), "vset /objects/spawn Cube C%d %.3f %.3f 20000",
			 i, 500 * cos(i * M_PI / 4), 500 * sin(i * M_PI / 4));
		wire_ask(fd, command);
	}
	for (int i = 0; i < ROUNDS; i++) {
		int cube = i * 5 % 8;
		snprintf(command, sizeof(command), "1:vset /camera/0/pose 0 0 20000 0 %d 0",
			 cube * 45);
		wire_send_packet(fd, command);
		snprintf(command, sizeof(command), "2:vset /object/C%d/color %d 7 9", cube, i);
		wire_send_packet(fd, command);
		wire_send_packet(fd, "3:vget /camera/0/object_mask bmp");
		snprintf(command, sizeof(command), "4:vset /object/C%d/%s", cube,
			 i % 2 ? "show" : "hide");
		wire_send_packet(fd, command);
		wire_send_packet(fd, "5:vget /camera/0/object_mask bmp");
		snprintf(command, sizeof(command), "6:vset /object/C%d/show", cube);
		wire_send_packet(fd, command);
		for (int reply = 1; reply <= 6; reply++) {
			assert_true(wire_receive(fd, &packet));
			assert_int_equal(packet.bytes[0], '0' + reply);
			const unsigned char *middle = packet.bytes + 2 + 54 + MIDDLE;
			if (reply == 3 || (reply == 5 && i % 2))
				assert_true(middle[0] == 9 && middle[1] == 7 && middle[2] == i);
			if (reply == 5 && i % 2 == 0)
				assert_true(middle[0] == 0 && middle[1] == 0 && middle[2] == 0);
			packet_free(&packet);
		}
	}
	close(fd);
	fixture_stop(&fixture);
}

/* R120 and R122 */
TEST(numbers_and_times_of_pictures_rise_and_a_paused_world_stands_still)
{
	WITH_CLIENT(fixture, fd, .width_px = 64, .height_px = 48);
	long long frame = 0, time_ns = 0;
	unsigned char *first = NULL;

	assert_string_equal(wire_ask(fd, "vset /action/game/pause"), "ok");
	for (int i = 0; i < 10; i++) {
		const char *json = wire_ask(fd, "vget /camera/0/lit_shared");
		long long next_frame = atoll(strstr(json, "\"frame\":") + 8);
		long long next_ns = atoll(strstr(json, "\"timestamp_ns\":") + 15);
		assert_true(next_frame > frame && next_ns > time_ns);
		frame = next_frame;
		time_ns = next_ns;
		unsigned char *pixels = wire_ask_bmp(fd, "vget /camera/0/lit bmp", 64, 48);
		if (!first)
			first = pixels;
		assert_memory_equal(pixels, first, 64 * 48 * 4);
		if (pixels != first)
			free(pixels);
	}
	free(first);
	close(fd);
	fixture_stop(&fixture);
}
