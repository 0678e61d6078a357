/* SPDX-License-Identifier: MIT */
/* Cameras: coming and going, their order and names, poses, lenses, moving. */
#include <math.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

TEST(a_new_camera_has_the_highest_number_and_the_first_size)
{
	static const char *const pairs[][2] = {
		{"vget /cameras", "PawnSensor "},
		{"vset /cameras/spawn", "FusionCameraActor_0"},
		{"vget /cameras", "PawnSensor FusionCameraSensor "},
		{"vget /cameras_legacy", "PawnSensor FusionCameraSensor "},
		{"vget /camera/1/pose", "0.000 0.000 0.000 0.000 0.000 0.000"},
		{"vget /camera/1/size", "320 200"},
		{"vget /camera/1/fov", "90.000000"},
		{"vset /camera/1/size 100 50", NULL},
		{"vget /camera/1/size", "100 50"},
		{"vget /camera/0/size", "320 200"},
		{"vset /objects/spawn FusionCameraActor Cam_1", "Cam_1"},
		{"vset /captureactor/spawn_free_cam", "3"},
		{"vget /camera/3/size", "320 200"},
		{"vget /camera/4/size", "error Argument Invalid"},
	};
	WITH_CLIENT(fixture, fd, .width_px = 320, .height_px = 200);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(numbers_close_up_when_a_camera_goes_and_cids_stay)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn FusionCameraActor A", "A"},
		{"vset /objects/spawn FusionCameraActor B", "B"},
		{"vget /cameras_CID", "CID-Pawn-00 CID-A-00 CID-B-00"},
		{"vset /camera/2/location 1 2 3", NULL},
		{"vset /object/A/destroy", NULL},
		{"vget /cameras_CID", "CID-Pawn-00 CID-B-00"},
		{"vget /camera/1/location", "1.000 2.000 3.000"},
		{"vget /camera/CID-B-00/location", "1.000 2.000 3.000"},
		{"vget /camera/CID-A-00/location", "error Invalid sensor id"},
		{"vget /camera/CID-A-00/fov", "error Argument Invalid"},
		{"vget /camera/1/id",
		 "{\"index\":1,\"camera_id\":\"CID-B-00\",\"actor_name\":\"B\","
		 "\"sensor_name\":\"FusionCameraSensor\"}"},
		{"vset /object/B/destroy", NULL},
		{"vget /cameras/ids", "[{\"index\":0,\"camera_id\":\"CID-Pawn-00\","
				      "\"actor_name\":\"Pawn\",\"sensor_name\":\"PawnSensor\"}]"},
		{"vset /object/Pawn/destroy", NULL},
		{"vget /cameras", "ok"},
		{"vget /cameras/ids", "[]"},
		{"vget /pawn/location", "error The pawn is invalid"},
		{"vget /screenshot png", "error No valid game viewport"},
		{"vget /camera/0/lit png", "error Invalid sensor id"},
		{"vset /cameras/spawn", "FusionCameraActor_0"},
	};
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

/* A name may be as long and as strange as it likes; a CID is short, plain and unique. */
TEST(the_cids_of_two_long_names_differ)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);
	char command[700], name[301], cids[2][80];

	memset(name, 'x', 300);
	name[300] = '\0';
	for (int i = 0; i < 2; i++) {
		name[299] = (char)('0' + i);
		snprintf(command, sizeof(command), "vset /objects/spawn FusionCameraActor %s",
			 name);
		assert_string_equal(wire_ask(fd, command), name);
		snprintf(command, sizeof(command), "vget /camera/%d/id", i + 1);
		assert_non_null(strstr(wire_ask(fd, command), name));
	}
	assert_int_equal(
		sscanf(wire_ask(fd, "vget /cameras_CID"), "%*s %79s %79s", cids[0], cids[1]), 2);
	assert_string_not_equal(cids[0], cids[1]);
	snprintf(command, sizeof(command), "vget /camera/%s/lit_shared", cids[1]);
	assert_non_null(strstr(wire_ask(fd, command), cids[1]));
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_camera_goes_where_its_object_goes)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn FusionCameraActor Cam", "Cam"},
		{"vset /object/Cam/location 100 200 300", NULL},
		{"vget /camera/1/location", "100.000 200.000 300.000"},
		{"vset /object/Cam/rotation 10 20 30", NULL},
		{"vget /camera/1/rotation", "10.000 20.000 30.000"},
		/* An offset in front of the object is carried round with it. */
		{"vset /object/Cam/rotation 0 0 0", NULL},
		{"vset /camera/1/pose 150 200 300 0 45 0", NULL},
		{"vget /object/Cam/location", "100.000 200.000 300.000"},
		{"vset /object/Cam/rotation 0 90 0", NULL},
		{"vget /camera/1/pose", "100.000 250.000 300.000 0.000 135.000 0.000"},
		{"vset /object/Cam/location 0 0 0", NULL},
		{"vget /camera/1/location", "0.000 50.000 0.000"},
		/* The pawn is what camera 0 is. */
		{"vset /camera/0/pose 1 2 3 4 5 6", NULL},
		{"vget /object/Pawn/location", "1.000 2.000 3.000"},
		{"vget /pawn/rotation", "4.000 5.000 6.000"},
		{"vset /pawn/location 7 8 9", "Set pawn location to (7.00, 8.00, 9.00)"},
		{"vget /camera/0/pose", "7.000 8.000 9.000 4.000 5.000 6.000"},
		{"vset /pawn/rotation 1 2 3", "Set pawn rotation to (1.00, 2.00, 3.00)"},
		{"vget /camera/0/rotation", "1.000 2.000 3.000"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_stereo_pair_is_80_cm_apart)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn StereoCameraActor Eyes", "Eyes"},
		{"vget /camera/1/location", "0.000 -40.000 0.000"},
		{"vget /camera/2/location", "0.000 40.000 0.000"},
		{"vget /cameras_CID", "CID-Pawn-00 CID-Eyes-00 CID-Eyes-01"},
		{"vset /object/Eyes/rotation 0 90 0", NULL},
		{"vget /camera/1/location", "40.000 0.000 0.000"},
		{"vget /camera/2/location", "-40.000 0.000 0.000"},
		{"vset /object/eyes/destroy", NULL},
		{"vget /cameras", "PawnSensor "},
		{"vset /action/eyes_distance 20", "error Not Implemented"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_lens_is_what_it_was_set_to)
{
	static const char *const pairs[][2] = {
		{"vget /camera/0/horizontal_fieldofview", "90.000000"},
		{"vset /camera/0/horizontal_fieldofview 60", NULL},
		{"vget /camera/0/fov", "60.000000"},
		{"vset /camera/0/projection_type Orthographic", NULL},
		{"vget /camera/0/projection_type", "orthographic"},
		{"vset /camera/0/projection_type fisheye",
		 "error Can not support camera mode fisheye, available options are perspective and "
		 "orthographic"},
		{"vget /camera/0/ortho_width", "512.000000"},
		{"vset /camera/0/ortho_width 300.5", NULL},
		{"vget /camera/0/ortho_width", "300.500000"},
		{"vset /camera/0/ortho_width 0",
		 "error Argument Invalid: a width is 0.001 to 1e8 cm"},
		{"vset /camera/0/exposure_bias -1.5", NULL},
		{"vget /camera/0/exposure_bias", "-1.500000"},
		{"vset /camera/9/exposure_bias 1", "error Argument Invalid"},
		{"vset /camera/9/projection_type perspective", "error Invalid sensor id"},
		{"vset /camera/0/lit_source x",
		 "error Can not support lit source x, available options are ftc_hdr, fc_hdr, "
		 "sc_hdr, "
		 "scna_hdr, ldr, base, color_depth, scene_depth, device_depth, normal"},
		{"vset /camera/0/lit_source ldr", NULL},
		{"vset /camera/0/reflection Lumen", NULL},
		{"vset /camera/0/reflection x",
		 "error Can not support reflection method x, available options are none, lumen, "
		 "screen_space."},
		{"vset /camera/0/illumination x",
		 "error Can not support global illumination method x, available options are none, "
		 "lumen, screen_space, plugin."},
		{"vset /camera/0/exposure_method x",
		 "error Can not support auto exposure mode x, available options are histogram, "
		 "basic and manual"},
		{"vset /camera/0/auto_speed 20 20", NULL},
		{"vset /camera/9/auto_speed 20 20", "error Argument Invalid"},
		{"vset /camera/0/motion_blur 1 2 3 4", NULL},
		{"vset /camera/0/focal 1 2", NULL},
		{"vget /camera/0/use_fast_capture", "0"},
		{"vset /camera/0/use_fast_capture 1", NULL},
		{"vget /camera/0/use_fast_capture", "1"},
		{"vset /camera/0/depth/min_distance 12.5", NULL},
		{"vget /camera/0/depth/min_distance", "12.500000"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

static double number_after(const char *json, const char *key)
{
	const char *at = strstr(json, key);

	if (!at)
		fail_msg("there is no %s in %s", key, json);
	return strtod(at + strlen(key), NULL);
}

TEST(intrinsics_are_those_of_the_descriptor)
{
	static const double fovs[] = {30, 60, 90, 120};
	static const int sizes[][2] = {{640, 480}, {480, 640}, {1000, 500}};
	WITH_CLIENT(fixture, fd, 0);
	char command[128];

	for (int i = 0; i < 12; i++) {
		int width = sizes[i / 4][0], height = sizes[i / 4][1];
		double focal = width / 2.0 / tan(fovs[i % 4] * M_PI / 360);
		snprintf(command, sizeof(command), "vset /camera/0/size %d %d", width, height);
		assert_string_equal(wire_ask(fd, command), "ok");
		snprintf(command, sizeof(command), "vset /camera/0/fov %g", fovs[i % 4]);
		assert_string_equal(wire_ask(fd, command), "ok");
		const char *json = wire_ask(fd, "vget /camera/0/cine/intrinsics");
		assert_within(number_after(json, "\"fx\":"), focal, 1e-6);
		assert_within(number_after(json, "\"fy\":"), focal, 1e-6);
		assert_within(number_after(json, "\"cx\":"), width / 2.0, 1e-6);
		assert_within(number_after(json, "\"vertical_fov_degrees\":"),
			      2 * atan(height / 2.0 / focal) * 180 / M_PI, 1e-6);
	}
	assert_non_null(strstr(wire_ask(fd, "vget /camera/0/cine"), "\"enabled\":false"));
	close(fd);
	fixture_stop(&fixture);
}

static void location_of(int fd, const char *command, double xyz[3])
{
	assert_int_equal(sscanf(wire_ask(fd, command), "%lf %lf %lf", &xyz[0], &xyz[1], &xyz[2]),
			 3);
}

TEST(moveto_goes_all_the_way_where_nothing_stands)
{
	static const char *const pairs[][2] = {
		{"vset /camera/0/location 0 0 5000", NULL},
		{"vset /camera/0/moveto 1000 -2000 6000", NULL},
		{"vget /camera/0/location", "1000.000 -2000.000 6000.000"},
		{"vset /camera/0/moveto 1000 -2000 6000", NULL},
		{"vget /camera/0/location", "1000.000 -2000.000 6000.000"},
		{"vset /cameras/spawn", "FusionCameraActor_0"},
		{"vset /camera/1/moveto 0 0 0",
		 "error MoveTo only supports the player camera with id 0"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(moveto_stops_at_a_wall_an_edge_and_a_corner)
{
	static const struct {
		const char *to;
		double stop_x_cm; /* where the ball of 10 cm touches a cube of 100 cm at the origin
				   */
	} moves[] = {
		{"0 0 10000", -60},
		{"0 45 10045", -60},
		/* Beside the edge at y = 50: the ball's side meets it, 10 cm away at y = 56. */
		{"0 56 10000", -58},
		/* Past it. */
		{"0 61 10000", 0},
	};
	WITH_CLIENT(fixture, fd, 0);
	char command[128];
	double xyz[3], y;

	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube Wall 0 0 10000"), "Wall");
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		double z = i == 1 ? 10045 : 10000;
		assert_int_equal(sscanf(moves[i].to, "%*f %lf", &y), 1);
		snprintf(command, sizeof(command), "vset /camera/0/location -500 %g %g", y, z);
		assert_string_equal(wire_ask(fd, command), "ok");
		snprintf(command, sizeof(command), "vset /camera/0/moveto %s", moves[i].to);
		assert_string_equal(wire_ask(fd, command), "ok");
		location_of(fd, "vget /camera/0/location", xyz);
		assert_within(xyz[0], moves[i].stop_x_cm, 0.51); /* the gap of 0.5 cm */
		assert_within(xyz[1], y, 0.001);
	}
	/* What is hidden is not in the way. */
	assert_string_equal(wire_ask(fd, "vset /object/Wall/hide"), "ok");
	assert_string_equal(wire_ask(fd, "vset /camera/0/location -500 0 10000"), "ok");
	assert_string_equal(wire_ask(fd, "vset /camera/0/moveto 0 0 10000"), "ok");
	location_of(fd, "vget /camera/0/location", xyz);
	assert_within(xyz[0], 0, 0.001);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_camera_that_looks_at_an_object_sees_it_in_the_middle)
{
	WITH_CLIENT(fixture, fd, .width_px = 65, .height_px = 65);

	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube Target 0 0 10000"), "Target");
	assert_string_equal(wire_ask(fd, "vset /object/Target/color 1 2 3"), "ok");
	assert_string_equal(wire_ask(fd, "vset /camera/0/lookat_object_auto target 100 500 -10 30"),
			    "ok");
	unsigned char *pixels = wire_ask_bmp(fd, "vget /camera/0/object_mask bmp", 65, 65);
	assert_memory_equal(pixels + (32 * 65 + 32) * 4, "\x03\x02\x01\xff", 4);
	assert_memory_equal(pixels, "\x00\x00\x00\xff", 4);
	free(pixels);
	assert_string_equal(wire_ask(fd, "vset /camera/0/lookat_object_auto None 1 2 3 4"),
			    "error Cannot find object");
	assert_int_equal(strncmp(wire_ask(fd, "vset /camera/0/lookat_object_auto Target 5 2 3 4"),
				 "error Argument Invalid", 22),
			 0);
	close(fd);
	fixture_stop(&fixture);
}
