/* SPDX-License-Identifier: MIT */
/* The life of a picture: draw (render thread), then encode and write (file thread, when asked for),
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
static ph_status grow(struct ph__pixel_memory *memory, uint64_t length_bytes)
{
	uint64_t needed = length_bytes + PH__PREFIX_BYTES;

	if (memory->capacity_bytes >= needed)
		return PH_OK;
	if (memory->bytes)
		ph__sys->munmap(memory->bytes, memory->capacity_bytes);
	*memory = (struct ph__pixel_memory){0};
	void *bytes = ph__sys->mmap(NULL, needed, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return ph__fail_errno("no memory for a picture of %" PRIu64 " bytes", length_bytes);
	madvise(bytes, needed, MADV_HUGEPAGE);
	*memory = (struct ph__pixel_memory){bytes, needed};
	return PH_OK;
}

static ph_status find_memory(struct ph__capture *capture, unsigned char **pixels)
{
	uint64_t length_bytes = capture->frame.length_bytes;
	char key[PH__REGION_KEY_BYTES];
	ph_status status;

	if (capture->delivery != PH__DELIVER_SHARED) {
		status = grow(&capture->memory, length_bytes);
		*pixels = status == PH_OK ? capture->memory.bytes + PH__PREFIX_BYTES : NULL;
		return status;
	}
	snprintf(key, sizeof(key), "camera_%s_%s_%s", capture->camera,
		 ph__modality_name(capture->modality),
		 capture->frame.pixel == PH_PIXEL_F32 ? "float32" : "bgra8");
	status = ph__region_table_get(&capture->regions, key, length_bytes, &capture->region);
	*pixels = status == PH_OK ? capture->region->region.bytes : NULL;
	return status;
}

/* The picture's own header, right before the pixels; gives its length. */
static uint32_t write_picture_header(struct ph__capture *capture)
{
	unsigned char header[PH__NPY_HEADER_BYTES_MAX];
	uint32_t length = 0;

	if (capture->delivery == PH__DELIVER_BMP) {
		ph__bmp_write_header(header, capture->view.width_px, capture->view.height_px);
		length = PH__BMP_HEADER_BYTES;
	} else if (capture->delivery == PH__DELIVER_NPY) {
		length = ph__npy_write_header(header, capture->view.width_px,
					      capture->view.height_px);
	}
	memcpy(capture->memory.bytes + PH__PREFIX_BYTES - length, header, length);
	return length;
}

struct ph__span ph__capture_picture(struct ph__capture *capture)
{
	if (capture->delivery == PH__DELIVER_PNG)
		return (struct ph__span){(char *)capture->png.bytes, capture->png.length};
	uint32_t header_bytes = write_picture_header(capture);
	return (struct ph__span){(char *)capture->memory.bytes + PH__PREFIX_BYTES - header_bytes,
				 header_bytes + capture->frame.length_bytes};
}

/* On the file thread. */
static void encode_and_write(struct ph__job *job)
{
	struct ph__capture *capture = (struct ph__capture *)job;
	ph_status status = PH_OK;

	if (capture->delivery == PH__DELIVER_PNG) {
		ph__buffer_clear(&capture->png);
		status = ph__png_encode(&capture->frame, &capture->png);
	}
	if (status == PH_OK && capture->file[0]) {
		struct ph__span picture = ph__capture_picture(capture);
		struct iovec piece = {(void *)picture.at, picture.length};
		status = ph__output_write(&capture->server->output, capture->file, &piece, 1);
	}
	come_back(capture, status);
}

static ph_status draw(struct ph__capture *capture)
{
	unsigned char *pixels = NULL;
	ph_status status = ph_frame_describe(&capture->frame, ph__modality_pixel(capture->modality),
					     capture->view.width_px, capture->view.height_px);
	if (status == PH_OK)
		status = find_memory(capture, &pixels);
	if (status < 0)
		return status;
	capture->frame.bytes = pixels;
	return ph__renderer_draw(capture->server->renderer, &capture->snapshot, &capture->view,
				 capture->modality, pixels, capture->frame.length_bytes,
				 &capture->times);
}

/* On the render thread. */
static void draw_and_pass_on(struct ph__job *job)
{
	struct ph__capture *capture = (struct ph__capture *)job;
	ph_status status = draw(capture);

	if (status < 0 || (capture->delivery != PH__DELIVER_PNG && !capture->file[0])) {
		come_back(capture, status);
		return;
	}
	capture->job.run = encode_and_write;
	ph__worker_push(&capture->server->file_worker, &capture->job);
}

void ph__capture_start(struct ph__capture *capture)
{
	capture->job.run = draw_and_pass_on;
	ph__worker_push(&capture->server->render_worker, &capture->job);
}

void ph__capture_finish(struct ph__capture *capture)
{
	ph__snapshot_finish(&capture->snapshot);
	ph__region_table_finish(&capture->regions);
	ph__buffer_finish(&capture->png);
	if (capture->memory.bytes)
		ph__sys->munmap(capture->memory.bytes, capture->memory.capacity_bytes);
	capture->memory = (struct ph__pixel_memory){0};
}

static void describe_memory(const struct ph__capture *capture, struct ph__buffer *json)
{
	const struct ph__region_entry *region = capture->region;
	bool shared = capture->delivery == PH__DELIVER_SHARED;

	ph__buffer_print(json, "{\"transport\":\"%s\",\"modality\":\"%s\",\"name\":\"%s\",",
			 shared ? "posix_shared_memory" : "socket",
			 ph__modality_name(capture->modality), shared ? region->region.name : "");
	ph__buffer_print(json, "\"num_bytes\":%" PRIu64 ",\"version\":%u,\"offset_bytes\":0,",
			 capture->frame.length_bytes, shared ? region->version : 0);
}

static void describe_shape(const struct ph__capture *capture, struct ph__buffer *json)
{
	uint32_t width_px = capture->view.width_px, height_px = capture->view.height_px;

	if (capture->frame.pixel == PH_PIXEL_F32)
		ph__buffer_print(json, "\"shape\":[%u,%u],\"dtype\":\"float32\",\"layout\":\"HW\",",
				 height_px, width_px);
	else
		ph__buffer_print(json,
				 "\"shape\":[%u,%u,4],\"dtype\":\"uint8\",\"layout\":\"HWC\","
				 "\"channel_order\":\"BGRA\",",
				 height_px, width_px);
	ph__buffer_print(json, "\"width\":%u,\"height\":%u,\"frame\":%" PRIu64 ",", width_px,
			 height_px, capture->number);
	ph__buffer_print(json, "\"lifetime\":\"%s\",",
			 capture->delivery == PH__DELIVER_SHARED
				 ? "until this connection's next request on this route and camera, "
				   "or its end"
				 : "the reply");
}

static void describe_view(const struct ph__capture *capture, struct ph__buffer *json)
{
	const struct ph__view *view = &capture->view;
	struct ph__unreal_pose pose = ph__pose_to_unreal(&view->pose);
	double focal_px = view->width_px / (2 * tan(view->fov_rad / 2));

	ph__buffer_print(json,
			 "\"pose\":{\"x\":%.6f,\"y\":%.6f,\"z\":%.6f,\"pitch\":%.9f,"
			 "\"yaw\":%.9f,\"roll\":%.9f},",
			 pose.x_cm, pose.y_cm, pose.z_cm, pose.pitch_deg, pose.yaw_deg,
			 pose.roll_deg);
	ph__buffer_print(json,
			 "\"intrinsics\":{\"fx\":%.9f,\"fy\":%.9f,\"cx\":%.1f,\"cy\":%.1f,"
			 "\"width\":%u,\"height\":%u,\"fov\":%.9f}}",
			 focal_px, focal_px, view->width_px / 2.0, view->height_px / 2.0,
			 view->width_px, view->height_px, ph__degrees_from_radians(view->fov_rad));
}

void ph__capture_describe(const struct ph__capture *capture, struct ph__buffer *json)
{
	describe_memory(capture, json);
	describe_shape(capture, json);
	ph__buffer_print(json,
			 "\"timestamp_ns\":%" PRId64 ",\"sim_time_ns\":%" PRId64
			 ",\"render_ns\":%" PRId64 ",\"copy_ns\":%" PRId64 ",",
			 capture->times.begin_ns, (int64_t)0, capture->times.render_ns,
			 capture->times.copy_ns);
	describe_view(capture, json);
}
