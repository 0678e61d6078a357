/* SPDX-License-Identifier: MIT */
/* Commands, one on a line, carried out on a scene without a renderer: pictures are asked for and
 * never drawn. Whatever they are, the scene stays whole and an error is one line of text. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "server/recording.h"
#include "server/routes.h"

static struct ph_server server;
static struct ph__peer peer;
static uint32_t first_count; /* of objects */

static void returned(void *owner)
{
	(void)owner;
}

static void make_scene(void)
{
	if (ph__scene_create_builtin(64, 48, 1, &server.scene) < 0)
		abort();
	first_count = server.scene->object_count;
	server.first_sun = server.scene->sun;
	server.first_sky = server.scene->sky;
}

static void begin(void)
{
	if (server.scene)
		return;
	ph_log_set_level(PH_LOG_ERROR);
	make_scene();
	if (ph__poller_init(&server.poller) < 0)
		abort();
	server.output.fd = -1; /* no file is ever written */
	server.output.folder = strdup("/nonexistent");
	server.viewmode = "lit";
	server.sun_intensity = server.sky_intensity = 1;
	server.side_limit_px = 4096;
	ph__sim_clock_start(&server.clock, 0);
	peer.server = &server;
	peer.is_trusted = true;
	peer.capture.server = &server;
	peer.capture.owner = &peer;
	peer.capture.returned = returned;
}

static void check_reply(const struct ph__buffer *out)
{
	assert(!out->failed);
	if (out->length < 6 || memcmp(out->bytes, "error ", 6) != 0)
		return;
	for (size_t i = 0; i < out->length; i++)
		assert(out->bytes[i] >= 0x20 && out->bytes[i] != 0x7F);
}

static void check_scene(void)
{
	struct ph__scene *scene = server.scene;

	for (uint32_t i = 0; i < scene->object_count; i++) {
		struct ph__object *object = &scene->objects[i];
		assert(ph__scene_find_object(scene, object->name, strlen(object->name)) == object);
		assert(ph__scene_object_of_id(scene, object->id) == object);
	}
	for (uint32_t i = 0; i < scene->camera_count; i++) {
		struct ph__camera *camera = &scene->cameras[i];
		assert(ph__scene_object_of_id(scene, camera->owner));
		assert(ph__scene_find_camera(scene, camera->cid, strlen(camera->cid)) == camera);
		assert(camera->width_px > 0 && camera->height_px > 0);
	}
}

/* What was asked of the other threads is dropped. */
static void forget_jobs(void)
{
	server.render_worker.jobs = (struct ph__job_list){NULL, NULL};
	server.away_count = 0;
	server.batching = NULL;
	peer.capturing = false;
	peer.batch_left = 0;
}

static void execute(struct ph__span text)
{
	struct ph__command command;
	struct ph__buffer out = {0};
	struct ph__call call = {
		.server = &server,
		.peer = &peer,
		.command = &command,
		.text = text,
		.out = &out,
	};

	if (ph__route_parse(text, &command) == PH__PARSE_OK)
		ph__route_execute(&call);
	check_reply(&out);
	ph__buffer_finish(&out);
	forget_jobs();
}

static void tidy(void)
{
	struct ph__scene *scene = server.scene;

	ph__recordings_close(&server);
	while (scene->object_count > first_count)
		ph__scene_remove_object(scene, &scene->objects[scene->object_count - 1]);
	if (scene->object_count < first_count) {
		ph__scene_close(&server.scene);
		ph__snapshot_finish(&peer.capture.snapshot);
		make_scene();
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	const char *at = (const char *)bytes, *end = at + length;

	begin();
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		execute((struct ph__span){at, (size_t)(line_end - at)});
		at = line_end + 1;
	}
	check_scene();
	tidy();
	return 0;
}
