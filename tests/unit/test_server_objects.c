/* SPDX-License-Identifier: MIT */
/* Objects: lists, places, boxes, colours, spawning, names. */
#include <math.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

TEST(an_object_is_where_it_was_put)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn Cube Box", "Box"},
		{"vget /object/Box/location", "0.000 0.000 0.000"},
		{"vset /object/BOX/location 100 -20.5 1e2", NULL},
		{"vget /object/box/location", "100.000 -20.500 100.000"},
		{"vset /object/Box/rotation 10 -190 30.125", NULL},
		{"vget /object/Box/rotation", "10.000 -190.000 30.125"},
		{"vset /object/Box/scale 1 2 -3.5", NULL},
		{"vget /object/Box/scale", "1.000 2.000 -3.500"},
		{"vget /object/Box/uclass_name", "StaticMeshActor"},
		{"vget /object/Box/mobility", "Movable"},
		{"vset /object/Box/object_mobility false", NULL},
		{"vget /object/Box/mobility", "Static"},
		{"vset /object/Box/physics true", NULL},
		{"vset /object/Box/tickable_when_paused 1", NULL},
		{"vget /object/Box/tickable_when_paused", "true"},
		{"vget /object/Box/cast_shadow", "true"},
		{"vset /object/Box/cast_shadow false", NULL},
		{"vget /object/Box/cast_shadow", "false"},
		{"vset /object/Box/cast_shadow maybe", "error Argument Invalid"},
		{"vget /object/None/location", "error Cannot find object"},
		{"vset /object/None/hide", "error Cannot find object"},
		{"vget /object/Box/bones", "error No handler found for URI 'vget "
					   "/object/Box/bones' (Can not find a handler)"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(the_bounds_are_those_of_the_scaled_and_turned_mesh)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn Cube Box 10 20 30", "Box"},
		{"vget /object/Box/bounds", "-40.00 -30.00 -20.00 60.00 70.00 80.00"},
		{"vset /object/Box/scale 2 1 0.5", NULL},
		{"vget /object/Box/bounds", "-90.00 -30.00 5.00 110.00 70.00 55.00"},
		{"vset /object/Box/rotation 0 90 0", NULL},
		{"vget /object/Box/bounds", "-40.00 -80.00 5.00 60.00 120.00 55.00"},
		{"vset /objects/spawn Plane Floor_2", "Floor_2"},
		{"vget /object/Floor_2/bounds", "-50.00 -50.00 0.00 50.00 50.00 0.00"},
		{"vset /objects/spawn FusionCameraActor Cam 1 2 3", "Cam"},
		{"vget /object/Cam/bounds", "1.00 2.00 3.00 1.00 2.00 3.00"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(the_vertices_of_a_cube_are_its_corners)
{
	WITH_CLIENT(fixture, fd, 0);
	int count = 0;

	assert_string_equal(wire_ask(fd, "vset /objects/spawn_cube Box 1000 2000 3000"), "Box");
	char *lines = strdup(wire_ask(fd, "vget /object/Box/vertex_location"));
	assert_string_equal(wire_ask(fd, "vget /object/Box/vertices"), lines);
	assert_int_equal(lines[strlen(lines) - 1], '\n');
	for (char *rest = lines, *line; (line = strsep(&rest, "\n")) && *line; count++) {
		double xyz[3], center[3] = {1000, 2000, 3000};
		int end = 0;
		assert_int_equal(
			sscanf(line, "%lf     %lf     %lf%n", &xyz[0], &xyz[1], &xyz[2], &end), 3);
		assert_int_equal(end, strlen(line));
		for (int i = 0; i < 3; i++)
			assert_within(fabs(xyz[i] - center[i]), 50, 1e-4);
	}
	assert_true(count >= 8);
	free(lines);
	close(fd);
	fixture_stop(&fixture);
}

TEST(what_is_spawned_has_a_name_a_class_and_a_place)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn Cube", "Cube_0"},
		{"vset /objects/spawn cube", "Cube_1"},
		{"vset /objects/spawn Sphere Ball", "Ball"},
		{"vset /objects/spawn Sphere ball", "error Failed to spawn ball, object exists."},
		{"vset /objects/spawn Cylinder 1 2 3", "Cylinder_0"},
		{"vget /object/Cylinder_0/location", "1.000 2.000 3.000"},
		{"vset /objects/spawn Plane Flat 4 5 6", "Flat"},
		{"vget /object/Flat/location", "4.000 5.000 6.000"},
		{"vset /objects/spawn_cube", "CubeActor_0"},
		{"vget /object/CubeActor_0/uclass_name", "CubeActor"},
		{"vset /objects/spawn_cube Named 7 8 9", "Named"},
		{"vget /object/Named/location", "7.000 8.000 9.000"},
		{"vset /objects/spawn_wo_annotation Cube Plain", "Plain"},
		{"vset /objects/spawn bp_character_C Tom",
		 "error Can not find a class with name 'bp_character_C'"},
		{"vset /objects/spawn_from_path /Game/Chair.Chair A",
		 "error Can not find a class with name '/Game/Chair.Chair'"},
		{"vset /object/Ball/destroy", NULL},
		{"vget /object/Ball/location", "error Cannot find object"},
		{"vset /objects/spawn Sphere Ball", "Ball"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_spawned_object_shows_in_the_mask_in_its_colour)
{
	WITH_CLIENT(fixture, fd, .width_px = 33, .height_px = 33);
	unsigned rgb[3];

	assert_string_equal(wire_ask(fd, "vset /camera/0/pose -300 0 10000 0 0 0"), "ok");
	for (int round = 0; round < 2; round++) {
		assert_string_equal(wire_ask(fd, "vset /objects/spawn Sphere Ball 0 0 10000"),
				    "Ball");
		assert_int_equal(sscanf(wire_ask(fd, "vget /object/Ball/color"),
					"(R=%u,G=%u,B=%u,A=255)", &rgb[0], &rgb[1], &rgb[2]),
				 3);
		unsigned char *pixels = wire_ask_bmp(fd, "vget /camera/0/object_mask bmp", 33, 33);
		const unsigned char *middle = pixels + (16 * 33 + 16) * 4;
		assert_int_equal(middle[0], rgb[2]);
		assert_int_equal(middle[1], rgb[1]);
		assert_int_equal(middle[2], rgb[0]);
		assert_memory_equal(pixels, "\x00\x00\x00\xff", 4);
		free(pixels);
		assert_string_equal(wire_ask(fd, "vset /object/Ball/hide"), "ok");
		pixels = wire_ask_bmp(fd, "vget /camera/0/seg bmp", 33, 33);
		assert_memory_equal(pixels + (16 * 33 + 16) * 4, "\x00\x00\x00\xff", 4);
		free(pixels);
		assert_string_equal(wire_ask(fd, "vset /object/Ball/show"), "ok");
		assert_string_equal(wire_ask(fd, "vset /object/Ball/destroy"), "ok");
		pixels = wire_ask_bmp(fd, "vget /camera/0/seg bmp", 33, 33);
		assert_memory_equal(pixels + (16 * 33 + 16) * 4, "\x00\x00\x00\xff", 4);
		free(pixels);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_name_that_comes_back_has_the_colour_it_had)
{
	WITH_CLIENT(fixture, fd, 0);
	char color[64];

	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube Box"), "Box");
	snprintf(color, sizeof(color), "%s", wire_ask(fd, "vget /object/Box/color"));
	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube Other"), "Other");
	assert_string_not_equal(wire_ask(fd, "vget /object/Other/color"), color);
	assert_string_equal(wire_ask(fd, "vset /object/Box/destroy"), "ok");
	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube BOX"), "BOX");
	assert_string_equal(wire_ask(fd, "vget /object/Box/color"), color);
	close(fd);
	fixture_stop(&fixture);
}

/* All 256 values of a channel come out as they were set, in the answer and in the picture. */
TEST(every_mask_colour_comes_out_exactly)
{
	WITH_CLIENT(fixture, fd, .width_px = 9, .height_px = 9);
	char command[128], expected[64];

	assert_string_equal(wire_ask(fd, "vset /camera/0/pose -300 0 10000 0 0 0"), "ok");
	assert_string_equal(wire_ask(fd, "vset /objects/spawn Cube Box 0 0 10000"), "Box");
	for (unsigned v = 0; v < 256; v++) {
		snprintf(command, sizeof(command), "vset /object/Box/color %u %u %u", v, v,
			 v + 256);
		assert_string_equal(wire_ask(fd, command), "ok");
		snprintf(expected, sizeof(expected), "(R=%u,G=%u,B=%u,A=255)", v, v, v);
		assert_string_equal(wire_ask(fd, "vget /object/Box/color"), expected);
		unsigned char *pixels = wire_ask_bmp(fd, "vget /camera/0/object_mask bmp", 9, 9);
		const unsigned char *middle = pixels + (4 * 9 + 4) * 4;
		assert_true(middle[0] == v && middle[1] == v && middle[2] == v && middle[3] == 255);
		free(pixels);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(an_object_can_have_another_name)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn Cube Old", "Old"},
		{"vset /object/Old/name Old", "The name has already been set"},
		{"vset /object/Old/name ground",
		 "error Renaming an object to overwrite an existing object is not allowed: ground"},
		{"vset /object/Old/name OLD", NULL},
		{"vset /object/old/name a/b", NULL},
		{"vget /object/Old/location", "error Cannot find object"},
		{"vget /object/a/b/location", "0.000 0.000 0.000"},
		{"vset /object/A/B/name W\xC3\xBCrfel_\xE7\xAE\xB1", NULL},
		{"vget /object/w\xC3\xBCRFEL_\xE7\xAE\xB1/location", "0.000 0.000 0.000"},
		{"vset /object/W\xC3\xBCrfel_\xE7\xAE\xB1/name ",
		 "error a name has 1 to 512 bytes, not 0"},
		{"vset /object/W\xC3\xBCrfel_\xE7\xAE\xB1/name a\tb",
		 "error a name has no blanks and control characters"},
		{"vget /objects \xC3\xBCrfel", "W\xC3\xBCrfel_\xE7\xAE\xB1"},
		{"vget /objects NOWHERE_AT_ALL", "(no matches)"},
		{"vget /objects domino", "Domino1 Domino2 Domino3"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

TEST(every_name_in_the_list_finds_its_object)
{
	static const char *const names[] = {"Amouroux_3.5_Fati.stl",
					    "a/b",
					    "a//b",
					    "color",
					    "x/color",
					    "\xC3\xA4",
					    "%s%n",
					    "\"'\\",
					    "CID-Pawn-00"};
	WITH_CLIENT(fixture, fd, 0);
	char command[512];
	int count = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(command, sizeof(command), "vset /objects/spawn Cube %s", names[i]);
		assert_string_equal(wire_ask(fd, command), names[i]);
	}
	char *list = strdup(wire_ask(fd, "vget /objects"));
	for (char *rest = list, *name; (name = strsep(&rest, " ")); count++) {
		snprintf(command, sizeof(command), "vget /object/%s/location", name);
		if (strncmp(wire_ask(fd, command), "error", 5) == 0)
			fail_msg("'%s' is in the list and cannot be found", name);
	}
	assert_true(count > (int)(sizeof(names) / sizeof(names[0])));
	free(list);
	close(fd);
	fixture_stop(&fixture);
}

TEST(an_object_settles_on_what_lies_below_it)
{
	static const char *const pairs[][2] = {
		{"vset /objects/spawn Cube Base 5000 0 50", "Base"},
		{"vset /objects/spawn Cube Box 5000 10 700", "Box"},
		{"vset /object/Box/settle_to_ground", NULL},
		{"vget /object/Box/location", "5000.000 10.000 150.000"},
		{"vset /object/Box/settle_to_ground bounds 1000 3000 25", NULL},
		{"vget /object/Box/location", "5000.000 10.000 175.000"},
		{"vset /object/Box/settle_to_ground simple 1000 3000", NULL},
		{"vget /object/Box/location", "5000.000 10.000 100.000"},
		{"vset /object/Box/location 5000 0 900000", NULL},
		{"vset /object/Box/settle_to_ground bounds 100 3000",
		 "error there is no ground within 3000 cm"},
		{"vset /object/Box/settle_to_ground sideways", "error Argument Invalid"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	close(fd);
	fixture_stop(&fixture);
}

/* Names, ids and places stay right while many come and go. */
TEST(a_thousand_objects_come_and_go)
{
	enum { COUNT = 1000 };
	WITH_CLIENT(fixture, fd, .width_px = 16, .height_px = 16);
	char command[128], expected[64];

	for (int i = 0; i < COUNT; i++) {
		snprintf(command, sizeof(command), "vset /objects/spawn Cube N%d %d 0 0", i, i);
		snprintf(expected, sizeof(expected), "N%d", i);
		assert_string_equal(wire_ask(fd, command), expected);
	}
	for (int i = 0; i < COUNT; i += 2) {
		snprintf(command, sizeof(command), "vset /object/N%d/destroy", i);
		assert_string_equal(wire_ask(fd, command), "ok");
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(command, sizeof(command), "vget /object/n%d/location", i);
		snprintf(expected, sizeof(expected), "%d.000 0.000 0.000", i);
		assert_string_equal(wire_ask(fd, command),
				    i % 2 ? expected : "error Cannot find object");
	}
	assert_true(strncmp(wire_ask(fd, "vget /camera/0/lit_shared"), "{", 1) == 0);
	close(fd);
	fixture_stop(&fixture);
}

TEST(one_object_can_be_drawn_alone)
{
	static const char *const before[][2] = {
		{"vset /camera/0/pose -300 0 10000 0 0 0", NULL},
		{"vset /objects/spawn Cube Back 200 0 10000", "Back"},
		{"vset /object/Back/color 50 60 70", NULL},
		{"vset /objects/spawn Cube Front 0 0 10000", "Front"},
		{"vset /object/Front/color 10 20 30", NULL},
		{"vget /camera/0/oneobjmask bmp None", "error Cannot find object"},
		{"vget /camera/0/oneobjmask exr Back", "error Invalid filename type, filename exr"},
		{"vget /camera/9/oneobjmask bmp Back", "error Invalid sensor id"},
	};
	enum { SIDE_PX = 9, MIDDLE = (4 * SIDE_PX + 4) * 4 };
	WITH_CLIENT(fixture, fd, .width_px = SIDE_PX, .height_px = SIDE_PX);

	EXPECT(fd, before);
	unsigned char *lit = wire_ask_bmp(fd, "vget /camera/0/lit bmp", SIDE_PX, SIDE_PX);
	unsigned char *mask =
		wire_ask_bmp(fd, "vget /camera/0/oneobjmask bmp Back", SIDE_PX, SIDE_PX);
	assert_memory_equal(mask + MIDDLE, "\x46\x3c\x32\xff", 4);
	free(mask);
	free(wire_ask_bmp(fd, "vget /camera/0/oneobjlit bmp Back", SIDE_PX, SIDE_PX));
	/* And then everything is there again, shadows too. */
	mask = wire_ask_bmp(fd, "vget /camera/0/object_mask bmp", SIDE_PX, SIDE_PX);
	assert_memory_equal(mask + MIDDLE, "\x1e\x14\x0a\xff", 4);
	free(mask);
	unsigned char *again = wire_ask_bmp(fd, "vget /camera/0/lit bmp", SIDE_PX, SIDE_PX);
	assert_memory_equal(lit, again, SIDE_PX * SIDE_PX * 4);
	free(again);
	free(lit);
	assert_non_null(strstr(wire_ask(fd, "vget /object/front/metadata"),
			       "{\"name\":\"Front\",\"class\":\"StaticMeshActor\","
			       "\"mask_color\":[10,20,30],\"visible\":true,"));
	close(fd);
	fixture_stop(&fixture);
}
