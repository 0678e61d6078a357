/* SPDX-License-Identifier: MIT */
#include "server/views.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

enum { JSON_BYTES_MAX = 256 << 10 };

static ph_status invalid(const char *what)
{
	return ph__fail(PH_EINVAL, "Argument Invalid: %s", what);
}

/* The camera of {"camera": 3} or {"camera": "CID-Pawn-00"}, and its text for names of regions. */
static ph_status find_camera(struct ph__scene *scene, const json_t *json,
			     char text[PH__CAMERA_TEXT_BYTES], const struct ph__camera **camera)
{
	*camera = NULL;
	if (json_is_integer(json)) {
		json_int_t number = json_integer_value(json);
		snprintf(text, PH__CAMERA_TEXT_BYTES, "%" JSON_INTEGER_FORMAT, number);
		if (number >= 0 && number < scene->camera_count)
			*camera = &scene->cameras[number];
	} else if (json_is_string(json)) {
		size_t length = json_string_length(json);
		if (length < PH__CAMERA_TEXT_BYTES)
			*camera = ph__scene_find_camera(scene, json_string_value(json), length);
		if (*camera)
			snprintf(text, PH__CAMERA_TEXT_BYTES, "%s", json_string_value(json));
	} else {
		return invalid("a view's camera is a number or a CID");
	}
	return *camera ? PH_OK : ph__fail(PH_ENOENT, "there is no such camera");
}

static ph_status add_view(struct ph__capture *capture, const json_t *view)
{
	const json_t *name = json_object_get(view, "modality");
	char text[PH__CAMERA_TEXT_BYTES];
	const struct ph__camera *camera;
	enum ph__modality modality;
	struct ph__shot *shot;

	if (!json_is_object(view) || json_object_size(view) != 2)
		return invalid("a view is {\"camera\":...,\"modality\":...} and nothing more");
	if (!json_is_string(name) || !ph__modality_of_name(json_string_value(name), &modality))
		return invalid("a view's modality is the name of a picture: lit, depth, normal, ...");
	ph_status status = find_camera(capture->server->scene, json_object_get(view, "camera"),
				       text, &camera);
	if (status < 0)
		return status;
	return ph__capture_add(capture, camera, ph__span_of(text), modality, PH__DELIVER_SHARED,
			       &shot);
}

static ph_status add_views(struct ph__capture *capture, const json_t *root)
{
	const json_t *views = json_object_get(root, "views");
	ph_status status = PH_OK;

	if (json_object_size(root) != 1 || !json_is_array(views) || json_array_size(views) == 0)
		return invalid("what is wanted is {\"views\":[...]} with at least one view");
	for (size_t i = 0; i < json_array_size(views) && status == PH_OK; i++)
		status = add_view(capture, json_array_get(views, i));
	return status;
}

ph_status ph__views_add(struct ph__capture *capture, struct ph__span text)
{
	json_error_t error;

	if (text.length > JSON_BYTES_MAX)
		return invalid("more than 256 KiB of JSON");
	json_t *root = json_loadb(text.at, text.length, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return ph__fail(PH_EINVAL, "Argument Invalid: no JSON at byte %d: %s",
				error.position, error.text);
	ph_status status = add_views(capture, root);
	json_decref(root);
	return status;
}
