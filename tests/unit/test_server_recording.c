/* SPDX-License-Identifier: MIT */
/* Recordings: files that are all there, and errors that say why they are not. */
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "wire.h"

static void wait_for(int fd, const char *command, const char *reply)
{
	for (int i = 0; i < 2000; i++) {
		if (strcmp(wire_ask(fd, command), reply) == 0)
			return;
		usleep(10000);
	}
	fail_msg("'%s' never gave '%s'", command, reply);
}

static int count_files(const char *folder, const char *part)
{
	DIR *open_folder = opendir(folder);
	int count = 0;

	if (!open_folder)
		return 0;
	for (struct dirent *entry; (entry = readdir(open_folder));)
		count += strstr(entry->d_name, part) != NULL;
	closedir(open_folder);
	return count;
}

static char *read_text(const char *folder, const char *name)
{
	static char text[65536];
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

TEST(a_recording_leaves_every_picture_and_what_is_known_of_it)
{
	WITH_CLIENT(fixture, fd, .width_px = 16, .height_px = 8);
	char folder[128];

	snprintf(folder, sizeof(folder), "%s/run", test_folder());
	assert_string_equal(wire_ask(fd, "vget /captureactor/0/is_recording"), "false");
	assert_string_equal(wire_ask(fd, "vset /captureactor/0/record run 50 0.1 lit,depth,seg"),
			    "Recording started: Camera 0, File: run, FPS: 50, Frames: 5, "
			    "Types: (lit,depth,object_mask)");
	wait_for(fd, "vget /captureactor/0/is_recording", "false");
	assert_int_equal(count_files(folder, ".png"), 10);
	assert_int_equal(count_files(folder, "camera_0_depth_00000"), 5);
	const char *json = read_text(folder, "camera_0_recording.json");
	assert_int_equal(strncmp(json, "{\"camera\":\"CID-Pawn-00\",\"frames_per_s\":50,"
				       "\"frames\":[\n", 53), 0);
	for (int i = 0; i < 5; i++) {
		char part[256];
		snprintf(part, sizeof(part),
			 "{\"frame\":%d,\"files\":{\"lit\":\"camera_0_lit_%06d.png\",\"depth\":"
			 "\"camera_0_depth_%06d.npy\",\"object_mask\":\"camera_0_object_mask_%06d.png\"},"
			 "\"timestamp_ns\":", i, i, i, i);
		assert_non_null(strstr(json, part));
	}
	assert_non_null(strstr(json, "\"pose\":{\"x\":-490.000000,"));
	assert_non_null(strstr(json, "\"intrinsics\":{\"fx\":8.0"));
	assert_string_equal(wire_ask(fd, "vset /captureactor/0/stop_record"),
			    "error Camera 0 is not recording");
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_recording_can_be_stopped_halted_and_begun_again)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);
	char folder[128];

	snprintf(folder, sizeof(folder), "%s/a/b", test_folder());
	assert_int_equal(strncmp(wire_ask(fd, "vset /captureactor/CID-Pawn-00/record a/b 100 60"),
				 "Recording started", 17), 0);
	assert_string_equal(wire_ask(fd, "vget /captureactor/0/is_recording"), "true");
	assert_string_equal(wire_ask(fd, "vset /captureactor/0/record a/b 10 1"),
			    "error the camera is recording; stop that first");
	assert_string_equal(wire_ask(fd, "vset /captureactor/0/paused 1"), "ok");
	assert_string_equal(wire_ask(fd, "vget /captureactor/0/paused"), "true");
	assert_string_equal(wire_ask(fd, "vset /captureactor/0/stop_record"),
			    "Recording stopped for camera 0");
	wait_for(fd, "vget /captureactor/0/is_recording", "false");
	assert_true(count_files(folder, "camera_CID-Pawn-00_lit_") >= 1);
	assert_non_null(strstr(read_text(folder, "camera_CID-Pawn-00_recording.json"), "\n]}\n"));
	assert_int_equal(strncmp(wire_ask(fd, "vset /captureactor/0/record a/c 100 0.01"),
				 "Recording started", 17), 0);
	wait_for(fd, "vget /captureactor/0/is_recording", "false");
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_recording_that_cannot_be_is_refused)
{
	static const char *const commands[] = {
		"vset /captureactor/0/record a 0 1",
		"vset /captureactor/0/record a 1001 1",
		"vset /captureactor/0/record a 10 0",
		"vset /captureactor/0/record a 10 1e9",
		"vset /captureactor/0/record a 10 -1",
		"vset /captureactor/0/record a 10 1 thermal",
		"vset /captureactor/0/record a 10 1 lit,lit",
		"vset /captureactor/0/record a 10 1 lit,rgb",
		"vset /captureactor/9/record a 10 1",
		"vset /captureactor/0/record a x 1",
		"vget /captureactor/0/paused",
	};
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strncmp(wire_ask(fd, commands[i]), "error ", 6) != 0)
			fail_msg("'%s' is not refused", commands[i]);
	assert_int_equal(count_files(test_folder(), "camera_"), 0);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_recording_outside_the_folder_ends_and_says_so)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);

	assert_int_equal(strncmp(wire_ask(fd, "vset /captureactor/0/record ../x 10 1"),
				 "Recording started", 17), 0);
	wait_for(fd, "vget /captureactor/0/is_recording", "false");
	const char *reply = wire_ask(fd, "vset /captureactor/0/stop_record");
	assert_int_equal(strncmp(reply, "error Camera 0 is not recording: ", 33), 0);
	assert_non_null(strstr(reply, "../x"));
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_recording_ends_with_its_camera)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);
	char folder[128];

	snprintf(folder, sizeof(folder), "%s/gone", test_folder());
	assert_string_equal(wire_ask(fd, "vset /objects/spawn FusionCameraActor Cam"), "Cam");
	assert_int_equal(strncmp(wire_ask(fd, "vset /captureactor/1/record gone 100 60"),
				 "Recording started", 17), 0);
	assert_string_equal(wire_ask(fd, "vset /object/Cam/destroy"), "ok");
	for (int i = 0; i < 500 && count_files(folder, ".json") == 0; i++)
		usleep(10000);
	assert_int_equal(count_files(folder, ".json"), 1);
	close(fd);
	fixture_stop(&fixture);
}

TEST(a_server_that_stops_finishes_its_recordings)
{
	WITH_CLIENT(fixture, fd, .width_px = 8, .height_px = 8);
	char folder[128];

	snprintf(folder, sizeof(folder), "%s/late", test_folder());
	assert_int_equal(strncmp(wire_ask(fd, "vset /captureactor/0/record late 100 60"),
				 "Recording started", 17), 0);
	close(fd);
	fixture_stop(&fixture);
	assert_true(count_files(folder, ".png") >= 1);
	assert_non_null(strstr(read_text(folder, "camera_0_recording.json"), "\n]}\n"));
}

/* A file system of this process's own that holds two pages. */
static void mount_tiny(const char *folder)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		skip_test("needs its own mounts, which this user may not have");
	assert_int_equal(mkdir(folder, 0700), 0);
	if (mount("tiny", folder, "tmpfs", 0, "size=64k") != 0)
		skip_test("cannot mount a file system");
}

TEST(a_full_disk_ends_a_recording_with_that_reason)
{
	char folder[128];

	snprintf(folder, sizeof(folder), "%s/tiny", test_folder());
	mount_tiny(folder);
	WITH_CLIENT(fixture, fd, .width_px = 64, .height_px = 64);
	assert_int_equal(strncmp(wire_ask(fd, "vset /captureactor/0/record tiny 100 1 depth"),
				 "Recording started", 17), 0);
	wait_for(fd, "vget /captureactor/0/is_recording", "false");
	const char *reply = wire_ask(fd, "vset /captureactor/0/stop_record");
	assert_non_null(strstr(reply, "tiny/camera_0_depth_"));
	assert_non_null(strstr(reply, "No space left on device"));
	assert_int_equal(count_files(folder, ".part"), 0);
	assert_string_equal(wire_ask(fd, "vget /unrealcv/echo on"), "on");
	close(fd);
	fixture_stop(&fixture);
	umount(folder);
}
