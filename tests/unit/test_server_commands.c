/* SPDX-License-Identifier: MIT */
/* What the commands say and do; texts and units are the protocol's. */
#include <unistd.h>

#include "test.h"
#include "wire.h"

TEST(what_was_set_is_what_is_got)
{
	static const char *const pairs[][3] = {
		{"vset /camera/0/location 100 -20.5 150.125", "vget /camera/0/location",
		 "100.000 -20.500 150.125"},
		{"vset /camera/0/location -6.12e-15 1e2 -3.5E+1", "vget /camera/0/location",
		 "0.000 100.000 -35.000"},
		{"vset /camera/0/location +5 .5 5.", "vget /camera/0/location",
		 "5.000 0.500 5.000"},
		{"vset /camera/0/rotation -10 90 0.5", "vget /camera/0/rotation",
		 "-10.000 90.000 0.500"},
		{"vset /camera/0/rotation 30 -179.999 359", "vget /camera/0/rotation",
		 "30.000 -179.999 359.000"},
		{"vset /camera/0/pose 1 2 3 4 5 6", "vget /camera/0/pose",
		 "1.000 2.000 3.000 4.000 5.000 6.000"},
		{"vset /camera/0/fov 60.25", "vget /camera/0/fov", "60.250000"},
		{"vset /camera/0/size 333 77", "vget /camera/0/size", "333 77"},
		{"vset /camera/0/size 0 77", "vget /camera/0/size", "333 77"},
	};
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vget /camera/0/size"), "640 480");
	assert_string_equal(wire_ask(fd, "vget /camera/0/fov"), "90.000000");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_string_equal(wire_ask(fd, pairs[i][0]), "ok");
		assert_string_equal(wire_ask(fd, pairs[i][1]), pairs[i][2]);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_command_that_is_refused_changes_nothing)
{
	static const char *const commands[] = {
		"vset /camera/0/location 1 x 3",
		"vset /camera/0/location 1 2",
		"vset /camera/0/location 1 2 3 4",
		"vset /camera/0/location nan 2 3",
		"vset /camera/0/location 1 inf 3",
		"vset /camera/0/location 0x10 2 3",
		"vset /camera/0/location 1e999 2 3",  "vset /camera/0/location 1e16 2 3",
		"vset /camera/0/pose 1 2 3 4 5",
		"vset /camera/0/rotation a b c",
		"vset /camera/0/fov 0",
		"vset /camera/0/fov 180",
		"vset /camera/0/fov -20",
		"vset /camera/0/size 100000 10",
		"vset /camera/0/size -4 10",
		"vset /camera/0/size 4294967296 10",
		"vset /camera/7/location 1 2 3",
	};
	struct fixture fixture;
	char pose[256];
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	snprintf(pose, sizeof(pose), "%s", wire_ask(fd, "vget /camera/0/pose"));
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *reply = wire_ask(fd, commands[i]);
		if (strncmp(reply, "error ", 6) != 0)
			fail_msg("'%s' gave '%s'", commands[i], reply);
		assert_string_equal(wire_ask(fd, "vget /camera/0/pose"), pose);
		assert_string_equal(wire_ask(fd, "vget /camera/0/fov"), "90.000000");
		assert_string_equal(wire_ask(fd, "vget /camera/0/size"), "640 480");
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(errors_have_the_texts_that_clients_compare)
{
	static const char *const pairs[][2] = {
		{"vget /no/such/thing",
		 "error No handler found for URI 'vget /no/such/thing' (Can not find a handler)"},
		{"DisableAllScreenMessages",
		 "error No handler found for URI 'DisableAllScreenMessages' "
		 "(Can not find a handler)"},
		{"vget /camera/9/location", "error Invalid sensor id"},
		{"vget /camera/9/rotation", "error Invalid sensor id"},
		{"vget /camera/9/lit png", "error Invalid sensor id"},
		{"vget /camera/9/lit_shared", "error Invalid sensor id"},
		{"vget /camera/9/fov", "error Argument Invalid"},
		{"vget /camera/9/size", "error Argument Invalid"},
		{"vset /camera/0/location 1 2 x", "error Argument Invalid"},
		{"vget /object/NoSuchObject/color", "error Cannot find object"},
		{"vget /camera/0/lit exr", "error Invalid filename type, filename exr"},
		{"vget /camera/0/lit picture.jpg",
		 "error Invalid filename type, filename picture.jpg"},
		{"vget /camera/0/lit npy", "error Invalid filename type, filename npy"},
		{"vget /camera/0/depth png", "error Invalid filename type, filename png"},
		{"vget /unrealcv/last_capture", "error no capture on this connection yet"},
	};
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_string_equal(wire_ask(fd, pairs[i][0]), pairs[i][1]);
	close(fd);
	fixture_stop(&fixture);
}

TEST(the_server_tells_about_itself)
{
	struct fixture fixture;
	char line[64];
	fixture_start(&fixture, (ph_server_options){.width_px = 320, .height_px = 200});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vget /unrealcv/version"), "2.0.0");
	assert_string_equal(wire_ask(fd, "vget /scene/name"), "Pinhole");
	assert_true(strlen(wire_ask(fd, "vget /level/name")) > 0);
	assert_string_equal(wire_ask(fd, "vget /cameras"), "PawnSensor ");
	const char *status = wire_ask(fd, "vget /unrealcv/status");
	snprintf(line, sizeof(line), "Port: %d\n", ph_server_port(fixture.server));
	assert_non_null(strstr(status, line));
	assert_non_null(strstr(status, "Width: 320\nHeight: 200\nFOV: 90.0\n"));
	snprintf(line, sizeof(line), "Config file: %s/unrealcv.ini\n", test_folder());
	assert_non_null(strstr(status, line));
	close(fd);
	fixture_stop(&fixture);
}

TEST(shared_routes_are_in_the_help_and_not_advertised)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	assert_non_null(
		strstr(wire_ask(fd, "vget /unrealcv/help"), "vget /camera/[uint]/lit_shared\n"));
	const char *commands = wire_ask(fd, "vget /unrealcv/commands");
	assert_null(strstr(commands, "_shared"));
	assert_non_null(strstr(commands, "vget /unrealcv/commands\n"));
	close(fd);
	fixture_stop(&fixture);
}

TEST(advertised_commands_are_sorted_and_each_is_there_once)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	char *commands = strdup(wire_ask(fd, "vget /unrealcv/commands"));
	char *previous = NULL;
	for (char *rest = commands, *line; (line = strsep(&rest, "\n")); previous = line)
		assert_true(!previous || strcmp(previous, line) < 0);
	free(commands);
	close(fd);
	fixture_stop(&fixture);
}

TEST(every_object_has_a_colour_of_its_own_and_none_is_black)
{
	enum { LIMIT = 256 };
	struct fixture fixture;
	char command[256], *colors[LIMIT];
	int count = 0;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	char *names = strdup(wire_ask(fd, "vget /objects"));
	for (char *rest = names, *name; (name = strsep(&rest, " ")) && *name;) {
		snprintf(command, sizeof(command), "vget /object/%s/color", name);
		colors[count] = strdup(wire_ask(fd, command));
		assert_string_not_equal(colors[count], "(R=0,G=0,B=0,A=255)");
		for (int i = 0; i < count; i++)
			assert_string_not_equal(colors[i], colors[count]);
		count++;
	}
	assert_true(count >= 22); /* ground, wall, at least 20 objects */
	assert_string_equal(colors[0], "(R=0,G=0,B=255,A=255)"); /* the list's index 1 */
	while (count > 0)
		free(colors[--count]);
	free(names);
	close(fd);
	fixture_stop(&fixture);
}

TEST(an_object_is_found_whatever_the_case_of_its_letters)
{
	struct fixture fixture;
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vset /object/gRoUnD/color 1 258 3"), "ok");
	assert_string_equal(wire_ask(fd, "vget /object/Ground/color"), "(R=1,G=2,B=3,A=255)");
	close(fd);
	fixture_stop(&fixture);
}

TEST(numbers_have_a_point_in_every_locale)
{
	struct fixture fixture;
	use_decimal_comma();
	fixture_start(&fixture, (ph_server_options){0});
	int fd = wire_client(&fixture);

	assert_string_equal(wire_ask(fd, "vset /camera/0/pose 1.5 -2.25 0.125 10.5 20.25 0"), "ok");
	assert_string_equal(wire_ask(fd, "vget /camera/0/pose"),
			    "1.500 -2.250 0.125 10.500 20.250 0.000");
	close(fd);
	fixture_stop(&fixture);
}
