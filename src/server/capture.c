/* SPDX-License-Identifier: MIT */
/* The life of a capture: draw (render thread), then encode and write (file thread, when asked for),
 * then back to the network thread. */
#include "server/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "image/image.h"

static void come_back(struct ph__capture *capture, ph_status status)
{
	capture->status = status;
	snprintf(capture->error, sizeof(capture->error), "%s", status < 0 ? ph_last_error() : "");
	ph__mailbox_post(&capture->server->mailbox, &capture->job);
}

/* Memory of huge pages where there are some: a picture is read and written from end to end. */
static ph_status grow(struct ph__pixel_memory *memory, uint64_t needed)
{
	if (memory->capacity_bytes >= needed)
		return PH_OK;
	if (memory->bytes)
		ph__sys->munmap(memory->bytes, memory->capacity_bytes);
	*memory = (struct ph__pixel_memory){0};
	void *bytes = ph__sys->mmap(NULL, needed, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return ph__fail_errno("no memory for pictures of %" PRIu64 " bytes", needed);
	madvise(bytes, needed, MADV_HUGEPAGE);
	*memory = (struct ph__pixel_memory){bytes, needed};
	return PH_OK;
}

static ph_status find_region(struct ph__capture *capture, struct ph__shot *shot)
{
	char key[PH__REGION_KEY_BYTES];
	struct ph__region_entry *entry;

	snprintf(key, sizeof(key), "camera_%s_%s_%s", shot->camera,
		 ph__modality_name(shot->modality),
		 ph__modality_is_float(shot->modality) ? "float32" : "bgra8");
	ph_status status =
		ph__region_table_get(&capture->regions, key, shot->frame.length_bytes, &entry);
	if (status < 0)
		return status;
	shot->region = (uint32_t)(entry - capture->regions.entries);
	shot->frame.bytes = entry->region.bytes;
	return PH_OK;
}

/* Describes every picture and finds the place for its pixels. */
static ph_status find_memory(struct ph__capture *capture)
{
	uint64_t private_bytes = 0;
	ph_status status = PH_OK;

	for (uint32_t i = 0; i < capture->shot_count && status == PH_OK; i++) {
		struct ph__shot *shot = &capture->shots[i];
		status = ph_frame_describe(&shot->frame, ph__modality_pixel(shot->modality),
					   shot->view.width_px, shot->view.height_px);
		if (status == PH_OK && shot->delivery == PH__DELIVER_SHARED) {
			status = find_region(capture, shot);
			continue;
		}
		shot->memory_offset = private_bytes + PH__PREFIX_BYTES;
		private_bytes = shot->memory_offset + shot->frame.length_bytes;
	}
	if (status == PH_OK && private_bytes > 0)
		status = grow(&capture->memory, private_bytes);
	for (uint32_t i = 0; i < capture->shot_count && status == PH_OK; i++) {
		struct ph__shot *shot = &capture->shots[i];
		if (shot->delivery != PH__DELIVER_SHARED)
			shot->frame.bytes = capture->memory.bytes + shot->memory_offset;
	}
	return status;
}

static uint32_t shape_of(const struct ph__shot *shot, uint32_t shape[3])
{
	uint32_t channel_bytes = ph__modality_is_float(shot->modality) ? sizeof(float) : 1;
	uint32_t channel_count = ph_pixel_bytes(shot->frame.pixel) / channel_bytes;
	bool is_list = shot->modality == PH__MODALITY_LIDAR; /* of points, which are rows */

	shape[0] = is_list ? shot->frame.width_px : shot->frame.height_px;
	shape[1] = is_list ? channel_count : shot->frame.width_px;
	shape[2] = channel_count;
	return is_list || channel_count == 1 ? 2 : 3;
}

/* The picture's own header, right before the pixels; gives its length. */
static uint32_t write_picture_header(const struct ph__shot *shot, unsigned char *pixels)
{
	unsigned char header[PH__NPY_HEADER_BYTES_MAX];
	uint32_t length = 0;

	if (shot->delivery == PH__DELIVER_BMP) {
		ph__bmp_write_header(header, shot->frame.width_px, shot->frame.height_px);
		length = PH__BMP_HEADER_BYTES;
	} else if (shot->delivery == PH__DELIVER_NPY) {
		uint32_t shape[3], dimension_count = shape_of(shot, shape);
		length = ph__npy_write_header(header, shape, dimension_count);
	}
	memcpy(pixels - length, header, length);
	return length;
}

static struct ph__span picture_of(struct ph__capture *capture, const struct ph__shot *shot)
{
	if (shot->delivery == PH__DELIVER_PNG)
		return (struct ph__span){(char *)capture->png.bytes, capture->png.length};
	unsigned char *pixels = capture->memory.bytes + shot->memory_offset;
	uint32_t header_bytes = write_picture_header(shot, pixels);
	return (struct ph__span){(char *)pixels - header_bytes,
				 header_bytes + shot->frame.length_bytes};
}

struct ph__span ph__capture_picture(struct ph__capture *capture)
{
	return picture_of(capture, &capture->shots[0]);
}

static ph_status encode_and_write_one(struct ph__capture *capture, const struct ph__shot *shot)
{
	ph_status status = PH_OK;

	if (shot->delivery == PH__DELIVER_PNG) {
		ph__buffer_clear(&capture->png);
		status = ph__png_encode(&shot->frame, &capture->png);
	}
	if (status < 0 || !shot->file[0])
		return status;
	struct ph__span picture = picture_of(capture, shot);
	struct iovec piece = {(void *)picture.at, picture.length};
	return ph__output_write(&capture->server->output, shot->file, &piece, 1);
}

/* On the file thread. */
static void encode_and_write(struct ph__job *job)
{
	struct ph__capture *capture = (struct ph__capture *)job;
	ph_status status = PH_OK;

	for (uint32_t i = 0; i < capture->shot_count && status == PH_OK; i++)
		status = encode_and_write_one(capture, &capture->shots[i]);
	come_back(capture, status);
}

/* As many points as beams have hit something. */
static ph_status scan(struct ph__capture *capture, struct ph__shot *shot)
{
	struct ph__lidar_point *points = (void *)shot->frame.bytes;
	uint32_t count;

	ph_status status =
		ph__renderer_scan(capture->server->renderer, &capture->snapshot, &shot->view.pose,
				  &ph__lidar_default, points, &count, &shot->times);
	if (status < 0)
		return status;
	if (count == 0)
		return ph__fail(PH_ENOENT, "Captured data is empty");
	return ph_frame_describe(&shot->frame, PH_PIXEL_F32X4, count, 1);
}

static ph_status draw_shot(struct ph__capture *capture, struct ph__shot *shot)
{
	bool is_flow = ph__modality_is_flow(shot->modality);

	if (capture->is_abandoned)
		return ph__fail(PH_ECLOSED, "the client has left");
	if (shot->modality == PH__MODALITY_LIDAR)
		return scan(capture, shot);
	shot->view.cancelled = &capture->is_abandoned;
	if (is_flow)
		shot->view.before = ph__flow_recall(capture, shot);
	ph_status status = ph__renderer_draw(capture->server->renderer, &capture->snapshot,
					     &shot->view, shot->modality, (void *)shot->frame.bytes,
					     shot->frame.length_bytes, &shot->times);
	return status == PH_OK && is_flow ? ph__flow_keep(capture, shot) : status;
}

static ph_status draw(struct ph__capture *capture)
{
	ph_status status = find_memory(capture);

	for (uint32_t i = 0; i < capture->shot_count && status == PH_OK; i++)
		status = draw_shot(capture, &capture->shots[i]);
	return status;
}

static bool needs_files(const struct ph__capture *capture)
{
	for (uint32_t i = 0; i < capture->shot_count; i++)
		if (capture->shots[i].delivery == PH__DELIVER_PNG || capture->shots[i].file[0])
			return true;
	return false;
}

/* On the render thread. */
static void draw_and_pass_on(struct ph__job *job)
{
	struct ph__capture *capture = (struct ph__capture *)job;
	ph_status status = draw(capture);

	if (status < 0 || !needs_files(capture)) {
		come_back(capture, status);
		return;
	}
	capture->job.run = encode_and_write;
	ph__worker_push(&capture->server->file_worker, &capture->job);
}

/* --- asking for one --------------------------------------------------------------------------- */

ph_status ph__capture_begin(struct ph__capture *capture)
{
	capture->shot_count = 0;
	capture->is_list = false;
	capture->sim_time_ns = ph__sim_clock_read(&capture->server->clock, ph_now_ns());
	return ph__snapshot_take(&capture->snapshot, capture->server->scene);
}

static ph_status make_room(struct ph__capture *capture)
{
	if (capture->shot_count < capture->shot_capacity)
		return PH_OK;
	if (capture->shot_count == PH__SHOTS_MAX)
		return ph__fail(PH_ETOOBIG, "a capture has %d views at most", PH__SHOTS_MAX);
	uint32_t capacity = capture->shot_capacity ? 4 * capture->shot_capacity : 1;
	void *shots = ph__sys->realloc(capture->shots, capacity * sizeof(capture->shots[0]));
	if (!shots)
		return ph__fail(PH_ENOSPC, "no memory for %u views", capacity);
	capture->shots = shots;
	capture->shot_capacity = capacity;
	return PH_OK;
}

static struct ph__view view_of(const struct ph__camera *camera)
{
	return (struct ph__view){
		.pose = camera->pose,
		.fov_rad = camera->fov_rad,
		.is_orthographic = camera->is_orthographic,
		.ortho_width_m = camera->ortho_width_m,
		.exposure = exp2(camera->exposure_ev),
		.width_px = camera->width_px,
		.height_px = camera->height_px,
		.depth_unit_m = PH__UNREAL_DEPTH_UNIT_M,
		.depth_far = PH__UNREAL_DEPTH_FAR_CM,
		.face_px = camera->face_px,
		.preview = ph__camera_preview(camera),
	};
}

void ph__shot_set_panorama(struct ph__shot *shot, uint32_t face_px, uint32_t width_px,
			   uint32_t height_px)
{
	struct ph__view *view = &shot->view;
	uint32_t side_px;

	if (face_px > 0)
		view->face_px = face_px;
	side_px = view->face_px ? view->face_px : PH__FACE_PX;
	view->width_px = width_px ? width_px : 4 * side_px;
	view->height_px = height_px ? height_px : 2 * side_px;
}

ph_status ph__capture_add(struct ph__capture *capture, const struct ph__camera *camera,
			  struct ph__span camera_text, enum ph__modality modality,
			  enum ph__delivery delivery, struct ph__shot **at)
{
	ph_status status = make_room(capture);

	if (status < 0)
		return status;
	struct ph__shot *shot = &capture->shots[capture->shot_count++];
	shot->view = view_of(camera);
	shot->modality = modality;
	shot->delivery = delivery;
	if (ph__modality_is_panorama(modality))
		ph__shot_set_panorama(shot, 0, 0, 0);
	if (modality == PH__MODALITY_LIDAR) { /* room for every beam */
		shot->view.width_px =
			ph__lidar_default.channel_count * ph__lidar_default.beam_count;
		shot->view.height_px = 1;
	}
	memcpy(shot->cid, camera->cid, sizeof(shot->cid));
	snprintf(shot->camera, sizeof(shot->camera), "%.*s", (int)camera_text.length,
		 camera_text.at);
	shot->file[0] = '\0';
	*at = shot;
	return PH_OK;
}

void ph__capture_start(struct ph__capture *capture)
{
	capture->server->away_count++;
	capture->job.run = draw_and_pass_on;
	ph__worker_push(&capture->server->render_worker, &capture->job);
}

void ph__capture_finish(struct ph__capture *capture)
{
	ph__snapshot_finish(&capture->snapshot);
	ph__flow_finish(capture);
	ph__region_table_finish(&capture->regions);
	ph__buffer_finish(&capture->png);
	ph__sys->free(capture->shots);
	capture->shots = NULL;
	capture->shot_count = capture->shot_capacity = 0;
	if (capture->memory.bytes)
		ph__sys->munmap(capture->memory.bytes, capture->memory.capacity_bytes);
	capture->memory = (struct ph__pixel_memory){0};
}

/* --- describing it ---------------------------------------------------------------------------- */

static void describe_memory(const struct ph__capture *capture, const struct ph__shot *shot,
			    struct ph__buffer *json)
{
	bool shared = shot->delivery == PH__DELIVER_SHARED;
	const struct ph__region_entry *region =
		shared ? &capture->regions.entries[shot->region] : NULL;

	ph__buffer_print(json, "{\"transport\":\"%s\",\"modality\":\"%s\",\"name\":\"%s\",",
			 shared ? "posix_shared_memory" : "socket",
			 ph__modality_name(shot->modality), shared ? region->region.name : "");
	ph__buffer_print(json, "\"num_bytes\":%" PRIu64 ",\"version\":%u,\"offset_bytes\":0,",
			 shot->frame.length_bytes, shared ? region->version : 0);
}

/* "HW" and so on of pixels; a lidar's points are a list. */
static void describe_pixels(const struct ph__shot *shot, struct ph__buffer *json)
{
	static const char *const orders[] = {"", "", "XY", "XYZ", "XYZI"}; /* of so many floats */
	bool is_float = ph__modality_is_float(shot->modality);
	uint32_t shape[3], dimension_count = shape_of(shot, shape);
	const char *layout = shot->modality == PH__MODALITY_LIDAR ? "NC"
			     : dimension_count == 2               ? "HW"
								  : "HWC";

	ph__buffer_print(json, "\"shape\":[%u,%u", shape[0], shape[1]);
	if (dimension_count == 3)
		ph__buffer_print(json, ",%u", shape[2]);
	ph__buffer_print(json, "],\"dtype\":\"%s\",\"layout\":\"%s\",",
			 is_float ? "float32" : "uint8", layout);
	if (!is_float || shape[2] > 1)
		ph__buffer_print(json, "\"channel_order\":\"%s\",",
				 is_float ? orders[shape[2]] : "BGRA");
}

static void describe_shape(const struct ph__shot *shot, struct ph__buffer *json)
{
	describe_pixels(shot, json);
	if (shot->modality != PH__MODALITY_LIDAR)
		ph__buffer_print(json, "\"width\":%u,\"height\":%u,", shot->frame.width_px,
				 shot->frame.height_px);
	ph__buffer_print(json, "\"frame\":%" PRIu64 ",", shot->number);
	ph__buffer_print(json, "\"lifetime\":\"%s\",",
			 shot->delivery == PH__DELIVER_SHARED
				 ? "until this connection's next request on this route and camera, "
				   "or its end"
				 : "the reply");
}

static void describe_lidar(const struct ph__shot *shot, struct ph__buffer *json)
{
	const struct ph__lidar *lidar = &ph__lidar_default;

	ph__buffer_print(json,
			 "\"point_count\":%u,\"fields\":[\"x\",\"y\",\"z\",\"intensity\"],"
			 "\"coordinate_frame\":\"sensor_local\","
			 "\"axes\":{\"x\":\"forward\",\"y\":\"right\",\"z\":\"up\"},"
			 "\"units\":\"metres\",",
			 shot->frame.width_px);
	ph__buffer_print(json,
			 "\"ray_count\":%u,\"channels\":%u,\"horizontal_samples\":%u,"
			 "\"min_range_m\":%g,\"max_range_m\":%g,\"upper_fov_deg\":%g,"
			 "\"lower_fov_deg\":%g,\"horizontal_fov_start_deg\":%g,"
			 "\"horizontal_fov_end_deg\":%g",
			 lidar->channel_count * lidar->beam_count, lidar->channel_count,
			 lidar->beam_count, lidar->nearest_m, lidar->farthest_m,
			 ph__degrees_from_radians(lidar->upper_rad),
			 ph__degrees_from_radians(lidar->lower_rad),
			 ph__degrees_from_radians(lidar->start_rad),
			 ph__degrees_from_radians(lidar->end_rad));
}

static void describe_lens(const struct ph__view *view, struct ph__buffer *json)
{
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2));

	if (view->is_orthographic) /* pixels for a centimetre, wherever it is */
		focal_px = view->width_px / (view->ortho_width_m * 100);
	ph__buffer_print(json,
			 "\"intrinsics\":{\"fx\":%.9f,\"fy\":%.9f,\"cx\":%.1f,\"cy\":%.1f,"
			 "\"width\":%u,\"height\":%u,\"fov\":%.9f",
			 focal_px, focal_px, view->width_px / 2.0, view->height_px / 2.0,
			 view->width_px, view->height_px, ph__degrees_from_radians(view->fov_rad));
	if (view->is_orthographic)
		ph__buffer_print(json, ",\"projection\":\"orthographic\",\"ortho_width\":%.6f",
				 view->ortho_width_m * 100);
	ph__buffer_add_text(json, "}");
}

void ph__shot_describe_view(const struct ph__shot *shot, struct ph__buffer *json)
{
	struct ph__unreal_pose pose = ph__pose_to_unreal(&shot->view.pose);

	ph__buffer_print(json,
			 "\"pose\":{\"x\":%.6f,\"y\":%.6f,\"z\":%.6f,\"pitch\":%.9f,"
			 "\"yaw\":%.9f,\"roll\":%.9f},",
			 pose.x_cm, pose.y_cm, pose.z_cm, pose.pitch_deg, pose.yaw_deg,
			 pose.roll_deg);
	if (shot->modality == PH__MODALITY_LIDAR)
		describe_lidar(shot, json);
	else if (ph__modality_is_panorama(shot->modality))
		ph__buffer_print(json,
				 "\"intrinsics\":{\"projection\":\"equirectangular\","
				 "\"width\":%u,\"height\":%u,\"fov\":360}",
				 shot->view.width_px, shot->view.height_px);
	else
		describe_lens(&shot->view, json);
}

void ph__capture_describe(const struct ph__capture *capture, const struct ph__shot *shot,
			  struct ph__buffer *json)
{
	describe_memory(capture, shot, json);
	describe_shape(shot, json);
	ph__buffer_print(json,
			 "\"timestamp_ns\":%" PRId64 ",\"sim_time_ns\":%" PRId64
			 ",\"render_ns\":%" PRId64 ",\"copy_ns\":%" PRId64 ",",
			 shot->times.begin_ns, capture->sim_time_ns, shot->times.render_ns,
			 shot->times.copy_ns);
	ph__shot_describe_view(shot, json);
	ph__buffer_add_text(json, "}");
}
