/* SPDX-License-Identifier: MIT */
/* Time, lights, console, settings, the token, what is advertised. */
#include <math.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

static long long sim_time(int fd)
{
	return atoll(wire_ask(fd, "vget /action/game/sim_time"));
}

TEST(the_clock_stands_while_it_is_paused_and_moves_by_ticks)
{
	static const char *const pairs[][2] = {
		{"vget /action/game/is_paused", "false"},
		{"vset /action/game/pause", NULL},
		{"vget /action/game/is_paused", "true"},
		{"vset /action/game/pause", NULL},
		{"vset /action/tick_intervel 0.05", NULL},
		{"vset /action/tick_intervel 0",
		 "error Argument Invalid: a tick is above 0 and up to 3600 seconds"},
	};
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	EXPECT(fd, pairs);
	long long before = sim_time(fd);
	usleep(20000);
	assert_int_equal(sim_time(fd), before);
	for (int i = 1; i <= 3; i++) {
		assert_string_equal(wire_ask(fd, "vset /action/tick"), "ok");
		assert_int_equal(sim_time(fd), before + i * 50000000LL);
	}
	char key[64];
	snprintf(key, sizeof(key), "\"sim_time_ns\":%lld,", before + 150000000LL);
	assert_non_null(strstr(wire_ask(fd, "vget /camera/0/lit_shared"), key));
	assert_string_equal(wire_ask(fd, "vset /action/game/resume"), "ok");
	assert_string_equal(wire_ask(fd, "vget /action/game/is_paused"), "false");
	usleep(5000);
	assert_true(sim_time(fd) >= before + 155000000LL);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_fixed_frame_rate_makes_every_tick_a_frame)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	assert_string_equal(wire_ask(fd, "vset /action/set_fixed_frame_rate 50"), "ok");
	long long before = sim_time(fd);
	usleep(20000);
	assert_int_equal(sim_time(fd), before);
	assert_string_equal(wire_ask(fd, "vset /action/tick"), "ok");
	assert_int_equal(sim_time(fd), before + 20000000LL);
	assert_string_equal(wire_ask(fd, "vset /action/set_fixed_frame_rate 0"), "ok");
	usleep(2000);
	assert_true(sim_time(fd) > before + 20000000LL);
	close(fd);
	fixture_stop(&fixture);
}

TEST(time_runs_as_fast_as_it_is_told)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	assert_string_equal(wire_ask(fd, "vrun slomo 1000"), "ok");
	long long before = sim_time(fd);
	usleep(10000);
	assert_true(sim_time(fd) - before >= 10000000000LL);
	assert_string_equal(wire_ask(fd, "vset /captureactor/time_dilation 0.001"),
			    "Time dilation set to 0.00");
	before = sim_time(fd);
	usleep(10000);
	assert_true(sim_time(fd) - before < 5000000);
	assert_string_equal(wire_ask(fd, "vrun slomo -1"),
			    "error Argument Invalid: time runs above 0 and up to 1000 times as fast");
	close(fd);
	fixture_stop(&fixture);
}

static double brightness(int fd)
{
	enum { SIDE_PX = 48 };
	unsigned char *pixels = wire_ask_bmp(fd, "vget /camera/0/lit bmp", SIDE_PX, SIDE_PX);
	double sum = 0;

	for (int i = 0; i < SIDE_PX * SIDE_PX * 4; i++)
		sum += i % 4 < 3 ? pixels[i] : 0;
	free(pixels);
	return sum / (SIDE_PX * SIDE_PX * 3);
}

TEST(lights_and_exposure_change_the_picture)
{
	WITH_CLIENT(fixture, fd, .width_px = 48, .height_px = 48);

	assert_string_equal(wire_ask(fd, "vget /light/directional/intensity"), "1.00");
	double first = brightness(fd);
	assert_string_equal(wire_ask(fd, "vset /light/directional/intensity 0"),
			    "Set DirectionalLight intensity to 0.00");
	double without_sun = brightness(fd);
	assert_true(without_sun < first - 2);
	assert_string_equal(wire_ask(fd, "vset /light/skylight/intensity 0"),
			    "Set SkyLight intensity to 0.00");
	assert_true(brightness(fd) < 3); /* only what glows is left */
	assert_string_equal(wire_ask(fd, "vset /light/directional/intensity 1"),
			    "Set DirectionalLight intensity to 1.00");
	assert_string_equal(wire_ask(fd, "vset /light/skylight/intensity 1"),
			    "Set SkyLight intensity to 1.00");
	assert_true(brightness(fd) == first);
	assert_string_equal(wire_ask(fd, "vset /camera/0/exposure_bias -2"), "ok");
	assert_true(brightness(fd) < first * 0.7);
	assert_string_equal(wire_ask(fd, "vset /camera/0/exposure_bias 0"), "ok");
	assert_true(brightness(fd) == first);
	close(fd);
	fixture_stop(&fixture);
}

TEST(an_orthographic_camera_sees_things_as_large_wherever_they_are)
{
	static const char *const before[][2] = {
		{"vset /camera/0/pose -1000 0 10000 0 0 0", NULL},
		{"vset /camera/0/projection_type orthographic", NULL},
		{"vset /camera/0/ortho_width 400", NULL},
		{"vset /objects/spawn Cube Box 0 0 10000", "Box"},
		{"vset /object/Box/color 9 9 9", NULL},
	};
	static const int distances_cm[] = {-800, 0, 5000};
	enum { WIDTH = 80, HEIGHT = 40 }; /* 5 cm for each pixel */
	WITH_CLIENT(fixture, fd, .width_px = WIDTH, .height_px = HEIGHT);
	char command[128];
	size_t length;

	EXPECT(fd, before);
	for (int i = 0; i < 3; i++) {
		snprintf(command, sizeof(command), "vset /object/Box/location %d 50 10025",
			 distances_cm[i]);
		assert_string_equal(wire_ask(fd, command), "ok");
		unsigned char *mask = wire_ask_bmp(fd, "vget /camera/0/seg bmp", WIDTH, HEIGHT);
		const unsigned char *npy = wire_ask_bytes(fd, "vget /camera/0/depth npy", &length);
		const unsigned char *depths = npy + length - WIDTH * HEIGHT * 4;
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < WIDTH; x++) {
				/* 0 to 100 cm right, 25 below to 75 above the middle. */
				bool inside = x >= 40 && x < 60 && y >= 5 && y < 25;
				float cm;
				memcpy(&cm, depths + (y * WIDTH + x) * 4, sizeof(cm));
				assert_int_equal(mask[(y * WIDTH + x) * 4], inside ? 9 : 0);
				assert_within(cm, inside ? distances_cm[i] + 950 : 65504, 0.05);
			}
		free(mask);
	}
	assert_non_null(strstr(wire_ask(fd, "vget /camera/0/lit_shared"),
			       "\"projection\":\"orthographic\",\"ortho_width\":400.000000"));
	close(fd);
	fixture_stop(&fixture);
}

TEST(what_unreal_alone_has_is_answered_as_documented)
{
	static const char *const pairs[][2] = {
		{"vrun setres 640x480w", NULL},
		{"vrun r.ScreenPercentage 50", NULL},
		{"vcmd stat", NULL},
		{"vrun", NULL},
		{"vexec None f", "error Can not find actor with id 'None'"},
		{"vexec Pawn f", "error Argument Invalid"},
		{"vbp None set_move 1 2", "error Can not find actor with id 'None'"},
		{"vbp Pawn fly_away", "error Argument Invalid"},
		{"vbp Pawn set_move 30 100", "{}"},
		{"vbp Pawn get_speed", "{\"Speed\":\"0.0\"}"},
		{"vbp Pawn SitDown", "{\"Success\":\"false\"}"},
		{"vset /camera/0/rotation 0 33 0", NULL},
		{"vbp Pawn get_angle", "{\"Angle\":\"33.000000\"}"},
		{"vset /action/keyboard W 0.5", NULL},
		{"vset /action/input/enable", NULL},
		{"vset /action/game/level Some_Map", NULL},
		{"vget /persistent_level/id", "PersistentLevel"},
		{"vget /viewmode", "lit"},
		{"vset /viewmode Object_Mask", NULL},
		{"vget /viewmode", "object_mask"},
		{"vset /viewmode x", "error Can not set ViewMode to x"},
		{"vset /annotation/world", NULL},
		{"vset /annotation/object/Ground", NULL},
		{"vset /annotation/object/None", "error Cannot find object"},
		{"vset /annotation/cache/enable 1", "true"},
		{"vset /annotation/cache/enable 0", "false"},
		{"vget /mqrc/antialiasing", "tsr"},
		{"vset /mqrc/antialiasing FXAA", NULL},
		{"vget /mqrc/antialiasing", "fxaa"},
		{"vset /mqrc/antialiasing x", "error Argument Invalid"},
		{"vset /mqrc/lumen_quality 2 0.5", NULL},
		{"vget /mqrc/lumen_quality", "2.000000 0.500000"},
		{"vset /mqrc/override_motion_blur true", NULL},
		{"vget /mqrc/override_motion_blur", "true"},
		{"vset /captureactor/warmup_frames 7", NULL},
		{"vget /captureactor/warmup_frames", "7"},
		{"vget /camera/0/cine/enabled", "0"},
		{"vset /camera/0/cine/enabled 0", NULL},
		{"vset /camera/0/cine/enabled 1", "error Not Implemented"},
		{"vreflect Pawn functions",
		 "error No handler found for URI 'vreflect Pawn functions' "
		 "(Can not find a handler)"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	assert_string_equal(wire_ask(fd, "vget status"), strdup(wire_ask(fd, "vget /unrealcv/status")));
	close(fd);
	fixture_stop(&fixture);
}

/* --- who may --------------------------------------------------------------------------------- */

TEST(nothing_is_done_before_the_token)
{
	static const char *const pairs[][2] = {
		{"vget /unrealcv/version", "error token required"},
		{"no such thing", "error token required"},
		{"vset /camera/0/location x", "error token required"},
		{"vset /unrealcv/token secre", "error token required"},
		{"vset /unrealcv/token secret2", "error token required"},
		{"vset /unrealcv/token ", "error token required"},
		{"vset /unrealcv/token secret", NULL},
		{"vget /unrealcv/version", "2.0.0"},
	};
	WITH_CLIENT(fixture, fd, .token = "secret");
	int other = wire_client(&fixture);

	EXPECT(fd, pairs);
	assert_string_equal(wire_ask(other, "vget /cameras"), "error token required");
	close(other);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_server_without_a_token_takes_any)
{
	WITH_CLIENT(fixture, fd, 0);

	assert_string_equal(wire_ask(fd, "vset /unrealcv/token whatever"), "ok");
	close(fd);
	fixture_stop(&fixture);
}

static ph_status create(ph_server_options options)
{
	ph_server *server;

	options.size = sizeof(options);
	options.unix_path = "none";
	options.output_folder = test_folder();
	options.renderer = PH_RENDERER_SOFTWARE;
	ph_status status = ph_server_create(&options, &server);
	if (status == PH_OK)
		ph_server_close(&server);
	return status;
}

TEST(an_address_for_others_needs_a_token_or_insecure)
{
	assert_int_equal(create((ph_server_options){.bind_address = "0.0.0.0"}), PH_EPERM);
	assert_non_null(strstr(ph_last_error(), "--token"));
	assert_int_equal(create((ph_server_options){.bind_address = "::"}), PH_EPERM);
	assert_int_equal(create((ph_server_options){.bind_address = "::ffff:0.0.0.0"}), PH_EPERM);
	assert_int_equal(create((ph_server_options){.token = "two words"}), PH_EINVAL);
	assert_int_equal(create((ph_server_options){.token = ""}), PH_EINVAL);
	ph_status status = create((ph_server_options){.bind_address = "0.0.0.0", .token = "t"});
	if (status == PH_ENOTBUILT || status == PH_ESYS)
		skip_test("%s", ph_last_error());
	assert_int_equal(status, PH_OK);
	assert_int_equal(create((ph_server_options){.bind_address = "0.0.0.0", .insecure = 1}),
			 PH_OK);
	assert_int_equal(create((ph_server_options){.bind_address = "127.0.0.2"}), PH_OK);
}

TEST(shared_routes_are_advertised_on_request)
{
	WITH_CLIENT(fixture, fd, .advertise_shared = 1);

	const char *commands = wire_ask(fd, "vget /unrealcv/commands");
	assert_non_null(strstr(commands, "\nvget /camera/[uint]/lit_shared\n"));
	assert_non_null(strstr(commands, "\nvget /camera/[uint]/seg_shared\n"));
	assert_null(strstr(commands, "horizontal_fieldofview")); /* an old form stays out */
	assert_null(strstr(commands, "vreflect"));
	assert_null(strstr(wire_ask(fd, "vget /unrealcv/help"), "vreflect"));
	close(fd);
	fixture_stop(&fixture);
}
