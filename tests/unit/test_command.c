/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>

#include "server/routes.h"

static enum ph__parse_result parse(const char *text, struct ph__command *command)
{
	/* A copy of just this size, without a NUL: AddressSanitizer sees a byte read too many. */
	static char *copy;
	size_t length = strlen(text);

	free(copy);
	copy = malloc(length + 1);
	memcpy(copy + 1, text, length);
	return ph__route_parse((struct ph__span){copy + 1, length}, command);
}

static const char *template_of(const struct ph__command *command)
{
	return ph__route_at(command->number, NULL)->template_text;
}

static struct ph__command parsed(const char *text, const char *template_text)
{
	struct ph__command command;
	enum ph__parse_result result = parse(text, &command);

	if (result != PH__PARSE_OK)
		fail_msg("'%s': result %d", text, result);
	if (strcmp(template_of(&command), template_text) != 0)
		fail_msg("'%s' is '%s'", text, template_of(&command));
	return command;
}

static void assert_result(const char *text, enum ph__parse_result expected)
{
	struct ph__command command;
	enum ph__parse_result result = parse(text, &command);

	if (result != expected)
		fail_msg("'%s': result %d", text, result);
}

static void assert_unknown(const char *text)
{
	assert_result(text, PH__PARSE_UNKNOWN);
}

static void assert_bad(const char *text)
{
	assert_result(text, PH__PARSE_BAD_ARGUMENTS);
}

static void assert_text(const struct ph__command *command, uint32_t index, const char *text)
{
	assert_true(index < command->arg_count);
	assert_int_equal(command->args[index].text.length, strlen(text));
	assert_memory_equal(command->args[index].text.at, text, strlen(text));
}

/* A command of this template, with each placeholder replaced; returns how many there were. */
static uint32_t fill_template(const char *template_text, const char *uint, const char *number,
			      const char *string, char *text)
{
	uint32_t count = 0;

	while (*template_text) {
		const char *filling = NULL;
		if (strncmp(template_text, "[uint]", 6) == 0)
			filling = uint;
		else if (strncmp(template_text, "[float]", 7) == 0)
			filling = number;
		else if (strncmp(template_text, "[bool]", 6) == 0)
			filling = "true";
		else if (template_text[0] == '[')
			filling = string;
		if (filling) {
			text = stpcpy(text, filling);
			template_text = strchr(template_text, ']') + 1;
			count++;
		} else {
			*text++ = *template_text++;
		}
	}
	*text = '\0';
	return count;
}

TEST(every_template_parses_to_its_own_route)
{
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++) {
		char text[512];
		uint32_t count = fill_template(route->template_text, "7", "-1.5", "a/b", text);
		struct ph__command command = parsed(text, route->template_text);
		assert_int_equal(command.arg_count, count);
	}
}

TEST(every_command_has_a_description_of_one_line)
{
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++) {
		assert_in_range(strlen(route->description), 1, 120);
		assert_null(strchr(route->description, '\n'));
		assert_non_null(route->run);
	}
}

/* What the matcher relies on; see unrealcv.h. */
TEST(every_template_keeps_the_rules_of_the_index)
{
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++) {
		const char *text = route->template_text;
		const char *path = strchr(text, ' ') + 1;
		const char *path_end = path + strcspn(path, " ");
		const char *string = strstr(path, "[str]");
		const char *anything = strstr(path, "[Anything]");
		uint32_t count = 0;
		assert_null(strstr(text, "  "));
		assert_true(text[strlen(text) - 1] != ' ');
		assert_true(text + strcspn(text, "[") >= path);
		assert_true(path[0] != '/' || path[1] != '[');
		if (anything)
			assert_string_equal(anything, "[Anything]");
		if (string && string < path_end)
			assert_null(memchr(string + 1, '[', (size_t)(path_end - string - 1)));
		for (const char *at = text; (at = strchr(at, '[')); at++)
			count++;
		assert_true(count <= PH__ARGS_MAX);
	}
}

TEST(no_two_commands_have_the_same_template)
{
	const struct ph__route *a, *b;

	for (uint32_t i = 0; (a = ph__route_at(i, NULL)); i++)
		for (uint32_t k = 0; k < i && (b = ph__route_at(k, NULL)); k++)
			assert_string_not_equal(a->template_text, b->template_text);
}

TEST(every_route_of_shared_memory_is_marked_as_one)
{
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, NULL)); i++)
		assert_int_equal(strstr(route->template_text, "_shared") != NULL,
				 route->kind == PH__ROUTE_SHARED);
}

TEST(a_batch_may_have_its_number_stuck_to_it)
{
	struct ph__command command = parsed("vbatch12", "vbatch [Anything]");

	assert_text(&command, 0, "12");
	command = parsed("vbatch 12 ", "vbatch [Anything]");
	assert_text(&command, 0, "12");
	command = parsed("VBatch7", "vbatch [Anything]");
	assert_text(&command, 0, "7");
	command = parsed("vbatch", "vbatch [Anything]");
	assert_text(&command, 0, "");
}

TEST(anything_is_the_rest_of_the_command)
{
	struct ph__command command = parsed("vrun  setres 640x480w ", "vrun [Anything]");

	assert_text(&command, 0, "setres 640x480w");
	command = parsed("vrun /Game/Map", "vrun [Anything]");
	assert_text(&command, 0, "/Game/Map");
	command = parsed("vget /cameras/capture_shared {\"views\": [ ]}",
			 "vget /cameras/capture_shared [Anything]");
	assert_text(&command, 0, "{\"views\": [ ]}");
}

TEST(a_cid_may_stand_for_the_number_of_a_camera)
{
	struct ph__command command = parsed("vget /camera/CID-Pawn-00/lit png",
					    "vget /camera/[uint]/lit [str]");

	assert_text(&command, 0, "CID-Pawn-00");
	assert_true(command.args[0].number == PH__NO_NUMBER);
	assert_bad("vget /camera/Pawn/lit png");
	assert_bad("vset /camera/0/size CID-Pawn-00 3");
}

TEST(a_bool_is_true_or_false_or_a_number)
{
	static const char template_text[] = "vset /mqrc/override_motion_blur [bool]";

	assert_true(parsed("vset /mqrc/override_motion_blur true", template_text).args[0].number == 1);
	assert_true(parsed("vset /mqrc/override_motion_blur FALSE", template_text).args[0].number == 0);
	assert_true(parsed("vset /mqrc/override_motion_blur 1", template_text).args[0].number == 1);
	assert_bad("vset /mqrc/override_motion_blur yes");
}

TEST(blanks_before_between_and_after_words_change_nothing)
{
	parsed("vget /cameras   ", "vget /cameras");
	parsed("vget   /cameras", "vget /cameras");
	parsed("  vget /cameras", "vget /cameras");
	struct ph__command command =
		parsed(" vset  /camera/2/location   1  2   3  ", "vset /camera/[uint]/location [float] [float] [float]");
	assert_int_equal(command.arg_count, 4);
	assert_text(&command, 3, "3");
}

TEST(only_a_blank_separates_words)
{
	assert_unknown("vget\t/cameras");
	assert_unknown("vget /cameras\t");
	assert_unknown("vget\xC2\xA0/cameras");
}

TEST(the_verb_is_compared_ignoring_case_and_the_rest_is_not)
{
	parsed("VGET /cameras", "vget /cameras");
	parsed("vGeT /camera/0/lit png", "vget /camera/[uint]/lit [str]");
	assert_unknown("vget /Cameras");
	assert_unknown("vget /camera/0/LIT png");
	assert_unknown("vget /unrealcv/Version");
}

TEST(a_verb_with_other_bytes_is_unknown)
{
	assert_unknown("v\xC7\x85T /cameras"); /* differs from "vget" by the bit of the case */
	assert_unknown("v'et /cameras");
	assert_unknown("wget /cameras");
	assert_unknown("vge /cameras");
	assert_unknown("vgett /cameras");
}

TEST(words_that_are_no_command_are_unknown)
{
	assert_unknown("");
	assert_unknown(" ");
	assert_unknown("vget");
	assert_unknown("vget ");
	assert_unknown("/cameras");
	assert_unknown("DisableAllScreenMessages");
	assert_unknown("vget cameras");
	assert_unknown("vget /");
	assert_unknown("vget /camera");
	assert_unknown("vget /camerass");
	assert_unknown("vget /camera/0/lit_share");
	assert_unknown("vget /camera/0/lit_shared_");
	assert_unknown("vget /camera/0/x/lit png");
	assert_unknown("vget //camera/0/lit png");
	assert_unknown("vget /camera/0/lit/ png");
	assert_unknown("vget /object/color");
	assert_unknown("vset /unrealcv/version");
}

TEST(a_literal_route_is_not_taken_for_another_with_an_argument)
{
	parsed("vget /camera/0/lit_shared", "vget /camera/[uint]/lit_shared");
	parsed("vget /camera/0/lit shared", "vget /camera/[uint]/lit [str]");
	parsed("vget /camera/0/lit", "vget /camera/[uint]/lit");
	assert_bad("vget /camera/0/lit_shared png");
}

TEST(the_old_form_without_an_argument_is_a_command_of_its_own)
{
	parsed("vget /camera/0/depth", "vget /camera/[uint]/depth");
	parsed("vget /camera/0/object_mask", "vget /camera/[uint]/object_mask");
	struct ph__command command = parsed("vget /camera/3/seg", "vget /camera/[uint]/seg");
	assert_int_equal(command.arg_count, 1);
	assert_text(&command, 0, "3");
}

TEST(a_last_string_is_empty_when_only_blanks_stand_in_its_place)
{
	struct ph__command command = parsed("vget /camera/0/lit ", "vget /camera/[uint]/lit [str]");

	assert_int_equal(command.arg_count, 2);
	assert_text(&command, 1, "");
	command = parsed("vget /unrealcv/echo   ", "vget /unrealcv/echo [str]");
	assert_text(&command, 0, "");
	assert_bad("vget /unrealcv/echo");
}

TEST(a_camera_id_is_digits)
{
	struct ph__command command = parsed("vget /camera/12/lit png", "vget /camera/[uint]/lit [str]");

	assert_int_equal(command.args[0].number, 12);
	assert_text(&command, 0, "12");
	command = parsed("vget /camera/007/fov", "vget /camera/[uint]/fov");
	assert_int_equal(command.args[0].number, 7);
	assert_text(&command, 0, "007");
	assert_bad("vget /camera/x/lit png");
	assert_bad("vget /camera/-1/lit png");
	assert_bad("vget /camera/1.0/lit png");
	assert_bad("vget /camera/\xD9\xA1/fov"); /* an Arabic digit */
}

TEST(an_empty_camera_id_is_0)
{
	struct ph__command command = parsed("vget /camera//lit png", "vget /camera/[uint]/lit [str]");

	assert_int_equal(command.args[0].number, 0);
	assert_text(&command, 0, "0");
}

TEST(a_number_that_does_not_fit_is_a_bad_argument)
{
	parsed("vget /camera/4294967295/fov", "vget /camera/[uint]/fov");
	assert_bad("vget /camera/4294967296/fov");
	assert_bad("vget /camera/18446744073709551616/fov");
	assert_bad("vget /camera/00000000000000000000000000001/fov");
	assert_bad("vset /camera/0/fov 1e309");
	assert_bad("vset /camera/0/size 640 99999999999");
	assert_bad("vset /object/a/color 1 2 4294967296");
}

static double number_of(const char *number)
{
	char text[128];

	snprintf(text, sizeof(text), "vset /camera/0/fov %s", number);
	struct ph__command command = parsed(text, "vset /camera/[uint]/fov [float]");
	return command.args[1].number;
}

TEST(a_float_has_every_form_that_python_prints)
{
	assert_true(number_of("90") == 90);
	assert_true(number_of("90.0") == 90);
	assert_true(number_of("-90.5") == -90.5);
	assert_true(number_of("+5") == 5);
	assert_true(number_of(".5") == 0.5);
	assert_true(number_of("-.5") == -0.5);
	assert_true(number_of("1.") == 1);
	assert_true(number_of("1e-05") == 1e-05);
	assert_true(number_of("1E5") == 1e5);
	assert_true(number_of("1.5e+14") == 1.5e14);
	assert_true(number_of("0.1") == 0.1);
	assert_true(number_of("12.345678901234567") == 12.345678901234567);
	assert_true(number_of("4.9e-324") == 4.9e-324);
	assert_true(number_of("-6.12e-15") == -6.12e-15);
	assert_true(number_of("1e-400") == 0);
	assert_true(number_of("-0") == 0 && signbit(number_of("-0")));
}

TEST(what_is_no_finite_decimal_number_is_a_bad_argument)
{
	static const char *const numbers[] = {
		"nan", "inf", "-inf", "NaN", "infinity", "0x10", "1e", "1e+", "e5", ".", "+",
		"-", "--1", "1.2.3", "1,5", "1f", "1/2", "\xEF\xBC\x91", "one", "1e999",
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "vset /camera/0/fov %s", numbers[i]);
		assert_bad(text);
	}
}

static void assert_read_as_the_c_library(const char *number)
{
	if (strlen(number) < 64 && number_of(number) != strtod(number, NULL))
		fail_msg("%s", number);
}

TEST(a_random_float_is_read_as_the_c_library_reads_it)
{
	uint64_t bits = 88172645463325252u;

	for (int i = 0; i < 50000; i++) {
		char text[512];
		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		/* Up to 1e14: beyond 1e15 is refused. */
		double value = (double)(int64_t)bits * pow(10, i % 60 - 64);
		snprintf(text, sizeof(text), "%.3f", value);
		assert_read_as_the_c_library(text);
		snprintf(text, sizeof(text), "%.17g", value);
		assert_read_as_the_c_library(text);
		snprintf(text, sizeof(text), "%.*e", i % 20, value);
		assert_read_as_the_c_library(text);
		snprintf(text, sizeof(text), "%.0f.", value);
		assert_read_as_the_c_library(text);
	}
}

TEST(a_command_with_one_wrong_argument_fails_as_a_whole)
{
	struct ph__command command;

	assert_int_equal(parse("vset /camera/0/location 1 x 3", &command),
			 PH__PARSE_BAD_ARGUMENTS);
	assert_int_equal(command.arg_count, 0);
	assert_bad("vset /camera/0/location x 2 3");
	assert_bad("vset /camera/0/location 1 2 x");
}

TEST(the_wrong_count_of_arguments_is_a_bad_argument)
{
	assert_bad("vset /camera/0/location");
	assert_bad("vset /camera/0/location 1 2");
	assert_bad("vset /camera/0/location 1 2 ");
	assert_bad("vset /camera/0/location 1 2 3 4");
	assert_bad("vset /camera/0/pose 1 2 3 4 5");
	assert_bad("vset /camera/0/size 640 ");
	assert_bad("vget /camera/0/lit png bmp");
	assert_bad("vget /cameras 1");
	assert_bad("vset /object/a/color 1 2 3 4 5 6 7 8 9 10 11 12");
}

TEST(a_negative_colour_is_a_bad_argument)
{
	assert_bad("vset /object/a/color -1 0 0");
	assert_bad("vset /object/a/color 1.5 0 0");
}

TEST(an_object_name_may_have_slashes_and_any_bytes_but_a_blank)
{
	struct ph__command command = parsed("vget /object/a/b/color", "vget /object/[str]/color");

	assert_text(&command, 0, "a/b");
	command = parsed("vget /object/color/color", "vget /object/[str]/color");
	assert_text(&command, 0, "color");
	command = parsed("vget /object//color", "vget /object/[str]/color");
	assert_text(&command, 0, "");
	command = parsed("vget /object/W\xC3\xBCrfel_\xE7\xAE\xB1/color", "vget /object/[str]/color");
	assert_text(&command, 0, "W\xC3\xBCrfel_\xE7\xAE\xB1");
	command = parsed("vset /object/a/color/color 1 2 3", "vset /object/[str]/color [uint] [uint] [uint]");
	assert_text(&command, 0, "a/color");
	assert_int_equal(command.args[3].number, 3);
}

TEST(a_file_name_may_have_slashes_and_dots)
{
	struct ph__command command =
		parsed("vget /camera/0/lit out/../a.b.png", "vget /camera/[uint]/lit [str]");

	assert_text(&command, 1, "out/../a.b.png");
}

TEST(a_very_long_command_is_read_like_a_short_one)
{
	size_t length = 8 << 20;
	char *text = malloc(length + 1);
	struct ph__command command;

	memset(text, 'a', length);
	text[length] = '\0';
	assert_unknown(text);
	memcpy(text, "vget /object/", 13);
	memcpy(text + length - 6, "/color", 6);
	assert_int_equal(parse(text, &command), PH__PARSE_OK);
	assert_int_equal(command.args[0].text.length, length - 19);
	memset(text + 13, '/', length - 19);
	assert_int_equal(parse(text, &command), PH__PARSE_OK);
	memset(text + 4, ' ', length - 4);
	assert_unknown(text);
	free(text);
}

static const char *quoted(const char *text)
{
	static char copy[1024];
	struct ph__buffer reply = {0};

	ph__text_quote(ph__span_of(text), 256, &reply);
	assert_false(reply.failed);
	assert_true(reply.length < sizeof(copy));
	memcpy(copy, reply.bytes, reply.length);
	copy[reply.length] = '\0';
	ph__buffer_finish(&reply);
	return copy;
}

TEST(the_reply_to_an_unknown_command_has_the_words_of_both_servers)
{
	struct ph__buffer reply = {0};
	const char *expected =
		"error No handler found for URI 'vget /x' (Can not find a handler)";

	ph__command_unknown_text(ph__span_of("vget /x"), &reply);
	assert_int_equal(reply.length, strlen(expected));
	assert_memory_equal(reply.bytes, expected, reply.length);
	ph__buffer_finish(&reply);
}

TEST(a_quoted_text_keeps_well_formed_characters)
{
	assert_string_equal(quoted("vget /x ' \" \\"), "vget /x ' \" \\");
	assert_string_equal(quoted("\xC3\xBC \xE2\x82\xAC \xF0\x9F\x93\xB7"),
			    "\xC3\xBC \xE2\x82\xAC \xF0\x9F\x93\xB7");
	assert_string_equal(quoted("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");
}

TEST(a_quoted_text_has_no_control_characters_and_no_broken_ones)
{
	assert_string_equal(quoted("a\tb\x1b[31m\x7f"), "a?b?[31m?");
	assert_string_equal(quoted("\x80"), "?");
	assert_string_equal(quoted("\xC3("), "?(");
	assert_string_equal(quoted("\xE2\x82"), "??");
	assert_string_equal(quoted("\xC0\xAF"), "??");             /* too long a form */
	assert_string_equal(quoted("\xED\xA0\x80"), "???");        /* a surrogate */
	assert_string_equal(quoted("\xF4\x90\x80\x80"), "????");   /* above U+10FFFF */
	assert_string_equal(quoted("\xFF\xFE"), "??");
}

TEST(a_quoted_text_is_cut_before_a_character_at_256_bytes)
{
	char text[600];

	memset(text, 'x', sizeof(text));
	text[256] = '\0';
	assert_string_equal(quoted(text), text);
	text[256] = 'x';
	text[599] = '\0';
	assert_int_equal(strlen(quoted(text)), 259);
	memcpy(text + 255, "\xC3\xBC", 2);
	const char *cut = quoted(text);
	assert_int_equal(strlen(cut), 258);
	assert_string_equal(cut + 254, "x...");
}
