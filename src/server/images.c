/* SPDX-License-Identifier: MIT */
/* The commands that take pictures. */
#include "server/internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static enum ph__modality modality_of(enum ph__command_id id)
{
	switch (id) {
	case PH__GET_DEPTH:
	case PH__GET_DEPTH_TO_FILE: return PH__MODALITY_DEPTH;
	case PH__GET_OBJECT_MASK:
	case PH__GET_OBJECT_MASK_TO_FILE:
	case PH__GET_SEG:
	case PH__GET_SEG_TO_FILE: return PH__MODALITY_OBJECT_MASK;
	default: return PH__MODALITY_LIT;
	}
}

static const struct {
	const char *extension;
	enum ph__delivery delivery;
	bool of_floats;
} formats[] = {
	{"png", PH__DELIVER_PNG, false},
	{"bmp", PH__DELIVER_BMP, false},
	{"npy", PH__DELIVER_NPY, true},
};

/* An argument is a format ("png"), or a file name whose extension is one ("depth/1.npy"). */
static bool read_format(struct ph__span arg, ph_pixel pixel, enum ph__delivery *delivery)
{
	const char *dot = memrchr(arg.at, '.', arg.length);
	struct ph__span extension = arg;

	if (dot)
		extension = (struct ph__span){dot + 1, (size_t)(arg.at + arg.length - dot - 1)};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (extension.length == 3 &&
		    strncasecmp(extension.at, formats[i].extension, 3) == 0 &&
		    formats[i].of_floats == (pixel == PH_PIXEL_F32)) {
			*delivery = formats[i].delivery;
			return true;
		}
	return false;
}

/* The camera of the first argument; answers an error when there is none of that index. */
static const struct ph__camera *find_camera(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_camera(call, &call->command->args[0]);

	if (!camera)
		ph__call_error(call, "Invalid sensor id");
	return camera;
}

static void start(struct ph__call *call, const struct ph__camera *camera,
		  enum ph__modality modality, enum ph__delivery delivery)
{
	struct ph__capture *capture = &call->peer->capture;
	struct ph__span id = call->command->args[0].text;

	if (ph__snapshot_take(&capture->snapshot, call->server->scene) < 0) {
		ph__call_error(call, "%s", ph_last_error());
		return;
	}
	snprintf(capture->camera, sizeof(capture->camera), "%.*s", (int)id.length, id.at);
	capture->modality = modality;
	capture->delivery = delivery;
	capture->view = (struct ph__view){
		.pose = camera->pose,
		.fov_rad = camera->fov_rad,
		.width_px = camera->width_px,
		.height_px = camera->height_px,
		.depth_unit_m = PH__UNREAL_DEPTH_UNIT_M,
		.depth_far = PH__UNREAL_DEPTH_FAR_CM,
	};
	call->peer->capturing = true;
	call->server->away_count++;
	ph__capture_start(capture);
}

void ph__call_image(struct ph__call *call)
{
	struct ph__capture *capture = &call->peer->capture;
	const struct ph__camera *camera = find_camera(call);
	struct ph__span arg = call->command->args[1].text;
	enum ph__modality modality = modality_of(call->command->id);
	enum ph__delivery delivery;

	if (!camera)
		return;
	if (arg.length == 0) {
		ph__call_error(call, "Filename can not be empty");
		return;
	}
	if (!read_format(arg, ph__modality_pixel(modality), &delivery) ||
	    arg.length >= sizeof(capture->file)) {
		ph__call_error(call, "Invalid filename type, filename ");
		ph__text_quote(arg, 256, call->out);
		return;
	}
	bool is_file = memchr(arg.at, '.', arg.length);
	snprintf(capture->file, sizeof(capture->file), "%.*s", is_file ? (int)arg.length : 0,
		 arg.at);
	start(call, camera, modality, delivery);
}

void ph__call_image_to_file(struct ph__call *call)
{
	struct ph__capture *capture = &call->peer->capture;
	const struct ph__camera *camera = find_camera(call);
	enum ph__modality modality = modality_of(call->command->id);
	bool of_floats = ph__modality_pixel(modality) == PH_PIXEL_F32;
	struct ph__span id = call->command->args[0].text;

	if (!camera)
		return;
	snprintf(capture->file, sizeof(capture->file), "camera_%.*s_%s.%s", (int)id.length, id.at,
		 ph__modality_name(modality), of_floats ? "npy" : "png");
	start(call, camera, modality, of_floats ? PH__DELIVER_NPY : PH__DELIVER_PNG);
}

void ph__call_image_shared(struct ph__call *call)
{
	const struct ph__camera *camera = find_camera(call);

	if (!camera)
		return;
	call->peer->capture.file[0] = '\0';
	start(call, camera, modality_of(call->command->id), PH__DELIVER_SHARED);
}

void ph__call_last_capture(struct ph__call *call)
{
	const struct ph__buffer *last = &call->peer->last_capture;

	if (last->length == 0)
		ph__call_error(call, "no capture on this connection yet");
	else
		ph__buffer_add(call->out, last->bytes, last->length);
}
