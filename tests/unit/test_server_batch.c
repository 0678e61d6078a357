/* SPDX-License-Identifier: MIT */
/* Several commands or views together: vbatch, capture_shared. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

static void send_command(int fd, int id, const char *command)
{
	char payload[512];

	snprintf(payload, sizeof(payload), "%d:%s", id, command);
	wire_send_packet(fd, payload);
}

static void expect_reply(int fd, int id, const char *body)
{
	struct packet packet;
	char expected[512];

	snprintf(expected, sizeof(expected), "%d:%s", id, body);
	assert_true(wire_receive(fd, &packet));
	assert_string_equal((char *)packet.bytes, expected);
	packet_free(&packet);
}

TEST(a_batch_is_answered_at_once_and_executed_when_it_is_complete)
{
	WITH_CLIENT(fixture, fd, 0);
	int other = wire_client(&fixture);

	send_command(fd, 1, "vbatch3");
	expect_reply(fd, 1, "ok");
	send_command(fd, 2, "vset /camera/0/location 1 2 3");
	send_command(fd, 3, "vget /camera/0/location");
	/* Two of three are there: nothing has happened yet. */
	assert_string_not_equal(wire_ask(other, "vget /camera/0/location"), "1.000 2.000 3.000");
	send_command(fd, 4, "vset /camera/0/location 4 5 6");
	expect_reply(fd, 2, "ok");
	expect_reply(fd, 3, "1.000 2.000 3.000");
	expect_reply(fd, 4, "ok");
	assert_string_equal(wire_ask(other, "vget /camera/0/location"), "4.000 5.000 6.000");
	send_command(fd, 5, "vget /unrealcv/echo after");
	expect_reply(fd, 5, "after");
	close(other);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_batch_of_less_than_one_command_is_none)
{
	static const char *const pairs[][2] = {
		{"vbatch0", NULL},
		{"vbatch -3", NULL},
		{"vget /unrealcv/echo a", "a"},
		{"vbatch", "error Argument Invalid"},
		{"vbatchx", "error Argument Invalid"},
		{"vbatch 1.5", "error Argument Invalid"},
		{"vbatch 99999999999",
		 "error Argument Invalid: a batch has 1000000 commands at most"},
	};
	WITH_CLIENT(fixture, fd, 0);

	EXPECT(fd, pairs);
	send_command(fd, 1, "vbatch 1");
	send_command(fd, 2, "vbatch 2");
	expect_reply(fd, 1, "ok");
	expect_reply(fd, 2, "error Argument Invalid: a batch within a batch");
	close(fd);
	fixture_stop(&fixture);
}

TEST(nothing_comes_between_the_commands_of_a_batch)
{
	enum { ROUNDS = 20 };
	WITH_CLIENT(fixture, fd, .width_px = 64, .height_px = 64);
	int other = wire_client(&fixture);
	struct packet packet;

	/* The other keeps moving the camera; within the batch it stays where the batch puts it,
	 * though a picture is drawn in between. */
	for (int round = 0; round < ROUNDS; round++) {
		send_command(fd, 1, "vbatch 4");
		send_command(fd, 2, "vset /camera/0/location 1 2 3");
		send_command(fd, 3, "vget /camera/0/lit_shared");
		send_command(fd, 4, "vget /camera/0/location");
		for (int i = 0; i < 50; i++)
			send_command(other, i, "vset /camera/0/location 7 7 7");
		send_command(fd, 5, "vget /camera/0/pose");
		expect_reply(fd, 1, "ok");
		expect_reply(fd, 2, "ok");
		assert_true(wire_receive(fd, &packet));
		assert_non_null(strstr((char *)packet.bytes,
				       "\"x\":1.000000,\"y\":2.000000,\"z\":3.000000"));
		packet_free(&packet);
		expect_reply(fd, 4, "1.000 2.000 3.000");
		assert_true(wire_receive(fd, &packet));
		assert_int_equal(strncmp((char *)packet.bytes, "5:1.000 2.000 3.000", 19), 0);
		packet_free(&packet);
		for (int i = 0; i < 50; i++)
			expect_reply(other, i, "ok");
	}
	close(other);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_batch_that_its_client_leaves_half_filled_never_happens)
{
	WITH_CLIENT(fixture, fd, 0);
	int other = wire_client(&fixture);

	send_command(fd, 1, "vbatch 2");
	send_command(fd, 2, "vset /camera/0/location 1 2 3");
	expect_reply(fd, 1, "ok");
	close(fd);
	for (int i = 0; i < 20; i++) {
		assert_string_not_equal(wire_ask(other, "vget /camera/0/location"),
					"1.000 2.000 3.000");
		usleep(5000);
	}
	close(other);
	fixture_stop(&fixture);
}

TEST(the_others_are_served_when_a_batch_is_not_read)
{
	WITH_CLIENT(fixture, fd, .width_px = 2048, .height_px = 2048);
	int other = wire_client(&fixture);

	send_command(fd, 1, "vbatch 3");
	for (int i = 2; i < 5; i++)
		send_command(fd, i, "vget /camera/0/depth npy");
	assert_string_equal(wire_ask(other, "vget /unrealcv/echo here"), "here");
	struct packet packet;
	for (int i = 1; i < 5; i++) { /* and nothing of the batch is lost */
		assert_true(wire_receive(fd, &packet));
		assert_int_equal(packet.bytes[0], '0' + i);
		packet_free(&packet);
	}
	close(other);
	close(fd);
	fixture_stop(&fixture);
}

/* --- many views ---------------------------------------------------------------------------------
 */

static void *map_view(const char *json, size_t *length)
{
	char name[192], path[256];
	const char *at = strstr(json, "\"name\":\"");

	assert_non_null(at);
	assert_int_equal(sscanf(at, "\"name\":\"%191[^\"]\",\"num_bytes\":%zu", name, length), 2);
	snprintf(path, sizeof(path), "/dev/shm/%s", name);
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	void *bytes = mmap(NULL, *length, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(bytes != MAP_FAILED);
	close(fd);
	return bytes;
}

TEST(views_of_one_request_show_one_moment)
{
	static const char *const before[][2] = {
		{"vset /cameras/spawn", "FusionCameraActor_0"},
		{"vset /camera/1/pose -300 0 10000 0 0 0", NULL},
		{"vset /camera/1/size 33 17", NULL},
		{"vset /objects/spawn Cube Box 0 0 10000", "Box"},
		{"vset /object/Box/color 10 20 30", NULL},
	};
	WITH_CLIENT(fixture, fd, .width_px = 64, .height_px = 48);
	size_t length;

	EXPECT(fd, before);
	char *json = strdup(wire_ask(fd, "vget /cameras/capture_shared {\"views\": [ "
					 "{\"camera\":0,\"modality\":\"lit\"},"
					 "{\"camera\":1,\"modality\":\"depth\"},"
					 "{\"camera\":\"CID-FusionCameraActor_0-00\","
					 "\"modality\":\"seg\"}]}"));
	assert_int_equal(strncmp(json, "{\"frame\":1,\"timestamp_ns\":", 26), 0);
	char *lit = strstr(json, "\"modality\":\"lit\"");
	char *depth = strstr(json, "\"modality\":\"depth\"");
	char *mask = strstr(json, "\"modality\":\"object_mask\"");
	assert_true(lit && lit < depth && depth < mask);
	unsigned char *pixels = map_view(lit, &length);
	assert_int_equal(length, 64 * 48 * 4);
	munmap(pixels, length);
	pixels = map_view(depth, &length);
	assert_int_equal(length, 33 * 17 * 4);
	float cm;
	memcpy(&cm, pixels + (8 * 33 + 16) * 4, sizeof(cm));
	assert_within(cm, 250, 0.01); /* the near face of the cube */
	munmap(pixels, length);
	pixels = map_view(mask, &length);
	assert_memory_equal(pixels + (8 * 33 + 16) * 4, "\x1e\x14\x0a\xff", 4);
	munmap(pixels, length);
	/* The last view is what last_capture tells of. */
	assert_non_null(strstr(json, wire_ask(fd, "vget /unrealcv/last_capture")));
	free(json);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_list_of_views_that_is_none_is_refused)
{
	static const char *const lists[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"views\":{}}",
		"{\"views\":[]}",
		"{\"views\":[1]}",
		"{\"views\":[{\"camera\":0}]}",
		"{\"views\":[{\"modality\":\"lit\"}]}",
		"{\"views\":[{\"camera\":0,\"modality\":\"lit\",\"size\":3}]}",
		"{\"views\":[{\"camera\":0.5,\"modality\":\"lit\"}]}",
		"{\"views\":[{\"camera\":0,\"modality\":\"x\"}]}",
		"{\"views\":[{\"camera\":0,\"modality\":\"lit\"}],\"more\":1}",
		"{\"views\":[{\"camera\":0,\"camera\":0,\"modality\":\"lit\"}]}",
		"{\"views\":[{\"camera\":0,\"modality\":\"lit\"}]} x",
	};
	static const char *const cameras[] = {"1",        "-1",   "99999999999999",
					      "\"Pawn\"", "\"\"", "\"CID-Pawn-01\""};
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);
	char command[512];

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(command, sizeof(command), "vget /cameras/capture_shared %s", lists[i]);
		const char *reply = wire_ask(fd, command);
		if (strncmp(reply, "error Argument Invalid: ", 24) != 0)
			fail_msg("'%s' gave '%s'", lists[i], reply);
	}
	for (size_t i = 0; i < sizeof(cameras) / sizeof(cameras[0]); i++) {
		snprintf(command, sizeof(command),
			 "vget /cameras/capture_shared {\"views\":[{\"camera\":%s,"
			 "\"modality\":\"lit\"}]}",
			 cameras[i]);
		assert_string_equal(wire_ask(fd, command), "error Invalid sensor id");
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_list_has_256_views_at_most)
{
	WITH_CLIENT(fixture, fd, .width_px = 4, .height_px = 4);
	static const char view[] = "{\"camera\":0,\"modality\":\"lit\"}";
	static char payload[64 + 300 * sizeof(view)];

	for (int count = 256; count <= 257; count++) {
		char *at =
			payload + sprintf(payload, "0:vget /cameras/capture_shared {\"views\":[");
		for (int i = 0; i < count; i++)
			at += sprintf(at, "%s%s", i > 0 ? "," : "", view);
		strcpy(at, "]}");
		struct packet packet;
		wire_send_packet(fd, payload);
		assert_true(wire_receive(fd, &packet));
		assert_int_equal(
			strncmp((char *)packet.bytes,
				count == 256 ? "0:{\"frame\":" : "0:error a capture has 256", 10),
			0);
		packet_free(&packet);
	}
	close(fd);
	fixture_stop(&fixture);
}

TEST(depth_and_mask_are_lent_like_lit)
{
	WITH_CLIENT(fixture, fd, .width_px = 16, .height_px = 8);
	size_t length;

	const char *json = wire_ask(fd, "vget /camera/0/depth_shared");
	assert_non_null(strstr(json, "_camera_0_depth_float32_v1\""));
	assert_non_null(strstr(json, "\"shape\":[8,16],\"dtype\":\"float32\",\"layout\":\"HW\","
				     "\"width\""));
	float *depths = map_view(json, &length);
	const unsigned char *npy = wire_ask_bytes(fd, "vget /camera/0/depth npy", &length);
	assert_memory_equal(npy + length - 16 * 8 * 4, depths, 16 * 8 * 4);
	munmap(depths, 16 * 8 * 4);
	char *mask = strdup(wire_ask(fd, "vget /camera/0/object_mask_shared"));
	assert_non_null(strstr(mask, "_camera_0_object_mask_bgra8_v1\""));
	assert_non_null(strstr(mask, "\"frame\":1,"));
	json = wire_ask(fd, "vget /camera/0/seg_shared");
	assert_non_null(strstr(json, "_camera_0_object_mask_bgra8_v1\"")); /* the same region */
	assert_non_null(strstr(json, "\"frame\":2,"));
	free(mask);
	close(fd);
	fixture_stop(&fixture);
}
