/* SPDX-License-Identifier: MIT */
#include "server/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sys.h"

enum { FOLDER_BYTES = 512 };

struct ph__recording {
	struct ph__watch watch; /* first; of the timer */
	struct ph_server *server;
	struct ph__recording *next; /* of the server's list */
	int timer_fd;
	char cid[PH__CID_BYTES];
	char camera[PH__CAMERA_TEXT_BYTES]; /* in names of files */
	char folder[FOLDER_BYTES];
	double frames_per_s;
	enum ph__modality modalities[PH__RECORDING_MODALITIES_MAX];
	uint32_t modality_count, frame_count, frames_done;
	bool is_away; /* its capture */
	bool is_paused, stops, has_ended;
	struct ph__capture capture;
	struct ph__buffer json; /* of the frames that are done */
	char error[512];
};

/* --- the files -------------------------------------------------------------------------------- */

/* Without the folder. */
static void name_file(const struct ph__recording *recording, enum ph__modality modality,
		      char name[PH__FILE_NAME_BYTES / 2])
{
	snprintf(name, PH__FILE_NAME_BYTES / 2, "camera_%s_%s_%06u.%s", recording->camera,
		 ph__modality_name(modality), recording->frames_done,
		 ph__modality_is_float(modality) ? "npy" : "png");
}

static void note_frame(struct ph__recording *recording)
{
	const struct ph__capture *capture = &recording->capture;
	struct ph__buffer *json = &recording->json;
	char name[PH__FILE_NAME_BYTES / 2];

	ph__buffer_print(json, "%s\n{\"frame\":%u,\"files\":{", recording->frames_done ? "," : "",
			 recording->frames_done);
	for (uint32_t i = 0; i < capture->shot_count; i++) {
		enum ph__modality modality = capture->shots[i].modality;
		name_file(recording, modality, name);
		ph__buffer_print(json, "%s\"%s\":\"%s\"", i > 0 ? "," : "",
				 ph__modality_name(modality), name);
	}
	ph__buffer_print(json, "},\"timestamp_ns\":%" PRId64 ",\"sim_time_ns\":%" PRId64 ",",
			 capture->shots[0].times.begin_ns, capture->sim_time_ns);
	ph__shot_describe_view(&capture->shots[0], json);
	ph__buffer_add_text(json, "}");
}

static ph_status write_json(struct ph__recording *recording)
{
	char path[PH__FILE_NAME_BYTES], head[256];
	static const char tail[] = "\n]}\n";

	snprintf(path, sizeof(path), "%s/camera_%s_recording.json", recording->folder,
		 recording->camera);
	int head_length = snprintf(head, sizeof(head),
				   "{\"camera\":\"%s\",\"frames_per_s\":%g,\"frames\":[",
				   recording->cid, recording->frames_per_s);
	struct iovec pieces[] = {{head, (size_t)head_length},
				 {recording->json.bytes, recording->json.length},
				 {(void *)tail, sizeof(tail) - 1}};
	if (recording->json.failed)
		return ph__fail(PH_ENOSPC, "no memory for the list of frames");
	return ph__output_write(&recording->server->output, path, pieces, 3);
}

/* --- its course ------------------------------------------------------------------------------- */

static void end(struct ph__recording *recording, const char *error)
{
	struct ph_server *server = recording->server;

	recording->has_ended = true;
	snprintf(recording->error, sizeof(recording->error), "%s", error);
	ph__poller_remove(&server->poller, recording->timer_fd);
	close(recording->timer_fd);
	recording->timer_fd = -1;
	if (write_json(recording) < 0 && !recording->error[0])
		snprintf(recording->error, sizeof(recording->error), "%s", ph_last_error());
	if (recording->error[0])
		ph__log(PH_LOG_ERROR, "recording of %s ended after %u of %u frames: %s",
			recording->cid, recording->frames_done, recording->frame_count,
			recording->error);
	else
		ph__log(PH_LOG_INFO, "recording of %s: %u frames in '%s'", recording->cid,
			recording->frames_done, recording->folder);
	ph__capture_finish(&recording->capture);
	ph__buffer_finish(&recording->json);
}

static void captured(void *owner)
{
	struct ph__recording *recording = owner;

	recording->is_away = false;
	if (recording->capture.status < 0) {
		end(recording, recording->capture.error);
		return;
	}
	note_frame(recording);
	recording->frames_done++;
	if (recording->stops || recording->frames_done == recording->frame_count)
		end(recording, "");
}

static ph_status add_shot(struct ph__recording *recording, const struct ph__camera *camera,
			  enum ph__modality modality)
{
	enum ph__delivery delivery =
		ph__modality_is_float(modality) ? PH__DELIVER_NPY : PH__DELIVER_PNG;
	char name[PH__FILE_NAME_BYTES / 2];
	struct ph__shot *shot;

	ph_status status = ph__capture_add(&recording->capture, camera,
					   ph__span_of(recording->camera), modality, delivery,
					   &shot);
	if (status < 0)
		return status;
	name_file(recording, modality, name);
	snprintf(shot->file, sizeof(shot->file), "%s/%s", recording->folder, name);
	return PH_OK;
}

static ph_status take(struct ph__recording *recording)
{
	const struct ph__camera *camera = ph__scene_find_camera(
		recording->server->scene, recording->cid, strlen(recording->cid));

	if (!camera)
		return ph__fail(PH_ENOENT, "its camera is gone");
	ph_status status = ph__capture_begin(&recording->capture);
	for (uint32_t i = 0; i < recording->modality_count && status == PH_OK; i++)
		status = add_shot(recording, camera, recording->modalities[i]);
	if (status < 0)
		return status;
	recording->is_away = true;
	ph__capture_start(&recording->capture);
	return PH_OK;
}

/* The timer says that a picture is due. One that cannot be taken yet is due again next time. */
static void tick(struct ph__watch *watch, uint32_t events)
{
	struct ph__recording *recording = (struct ph__recording *)watch;
	uint64_t count;

	(void)events;
	if (read(recording->timer_fd, &count, sizeof(count)) < 0)
		return;
	if (recording->is_away || recording->is_paused || recording->server->batching ||
	    recording->server->stopping)
		return;
	if (take(recording) < 0)
		end(recording, ph_last_error());
}

static ph_status start_timer(struct ph__recording *recording)
{
	int64_t period_ns = (int64_t)(1e9 / recording->frames_per_s);
	struct timespec period = {period_ns / 1000000000, period_ns % 1000000000};
	struct itimerspec times = {period, period};

	recording->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (recording->timer_fd < 0 ||
	    timerfd_settime(recording->timer_fd, 0, &times, NULL) != 0)
		return ph__fail_errno("cannot make a timer");
	return ph__poller_add(&recording->server->poller, recording->timer_fd, EPOLLIN,
			      &recording->watch);
}

/* --- life ------------------------------------------------------------------------------------- */

static void forget(struct ph__recording **link)
{
	struct ph__recording *recording = *link;

	*link = recording->next;
	if (recording->timer_fd >= 0)
		close(recording->timer_fd);
	ph__capture_finish(&recording->capture);
	ph__buffer_finish(&recording->json);
	ph__sys->free(recording);
}

/* Frees what has ended of this camera or of one that is gone; gives how many are left. */
static uint32_t tidy(struct ph_server *server, const struct ph__camera *camera)
{
	uint32_t count = 0;

	for (struct ph__recording **link = &server->recordings; *link;) {
		struct ph__recording *at = *link;
		bool is_old = strcmp(at->cid, camera->cid) == 0 ||
			      !ph__scene_find_camera(server->scene, at->cid, strlen(at->cid));
		if (at->has_ended && is_old) {
			forget(link);
			continue;
		}
		count++;
		link = &at->next;
	}
	return count;
}

static void fill(struct ph__recording *recording, struct ph_server *server,
		 const struct ph__recording_plan *plan)
{
	recording->watch.ready = tick;
	recording->server = server;
	recording->timer_fd = -1;
	recording->frames_per_s = plan->frames_per_s;
	recording->frame_count = plan->frame_count;
	recording->modality_count = plan->modality_count;
	memcpy(recording->modalities, plan->modalities, sizeof(recording->modalities));
	snprintf(recording->cid, sizeof(recording->cid), "%s", plan->camera->cid);
	snprintf(recording->camera, sizeof(recording->camera), "%.*s",
		 (int)plan->camera_text.length, plan->camera_text.at);
	snprintf(recording->folder, sizeof(recording->folder), "%.*s", (int)plan->folder.length,
		 plan->folder.at);
	recording->capture.server = server;
	recording->capture.owner = recording;
	recording->capture.returned = captured;
}

ph_status ph__recording_start(struct ph_server *server, const struct ph__recording_plan *plan)
{
	if (plan->folder.length == 0 || plan->folder.length >= FOLDER_BYTES)
		return ph__fail(PH_ETOOBIG, "a folder's name has 1 to %d bytes", FOLDER_BYTES - 1);
	if (tidy(server, plan->camera) >= PH__RECORDINGS_MAX)
		return ph__fail(PH_ETOOBIG, "there are %d recordings; stop one first",
				PH__RECORDINGS_MAX);
	if (ph__recording_of(server, plan->camera))
		return ph__fail(PH_EEXIST, "the camera is recording; stop that first");
	struct ph__recording *recording = ph__sys->calloc(1, sizeof(*recording));
	if (!recording)
		return ph__fail(PH_ENOSPC, "no memory for a recording");
	fill(recording, server, plan);
	recording->next = server->recordings;
	server->recordings = recording;
	ph_status status = start_timer(recording);
	if (status == PH_OK)
		status = take(recording);
	if (status < 0)
		forget(&server->recordings);
	return status;
}

struct ph__recording *ph__recording_of(struct ph_server *server, const struct ph__camera *camera)
{
	for (struct ph__recording *at = server->recordings; at; at = at->next)
		if (strcmp(at->cid, camera->cid) == 0)
			return at;
	return NULL;
}

bool ph__recording_goes_on(const struct ph__recording *recording)
{
	return recording && !recording->has_ended;
}

const char *ph__recording_error(const struct ph__recording *recording)
{
	return recording ? recording->error : "";
}

void ph__recording_stop(struct ph__recording *recording)
{
	recording->stops = true;
	if (!recording->is_away)
		end(recording, "");
}

bool ph__recording_is_paused(const struct ph__recording *recording)
{
	return recording->is_paused;
}

void ph__recording_pause(struct ph__recording *recording, bool paused)
{
	recording->is_paused = paused;
}

void ph__recordings_close(struct ph_server *server)
{
	while (server->recordings) {
		if (!server->recordings->has_ended)
			end(server->recordings, "");
		forget(&server->recordings);
	}
}
