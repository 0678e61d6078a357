/* SPDX-License-Identifier: MIT */
/* The cameras of a scene. Each is held by an object and goes where that goes. */
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "scene/pose.h"

enum { OWNER_IN_CID_BYTES = 44, FIRST_CAPACITY = 8 };

static ph_status make_room(struct ph__scene *scene)
{
	if (scene->camera_count < scene->camera_capacity)
		return PH_OK;
	uint32_t capacity = scene->camera_capacity ? 2 * scene->camera_capacity : FIRST_CAPACITY;
	void *cameras = ph__sys->realloc(scene->cameras, capacity * sizeof(scene->cameras[0]));
	if (!cameras)
		return ph__fail(PH_ENOSPC, "no memory for %u cameras", capacity);
	scene->cameras = cameras;
	scene->camera_capacity = capacity;
	return PH_OK;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* The first number, from 00, that makes it unique: two long names may have the same start. */
static void write_cid(struct ph__scene *scene, const char *owner, char cid[PH__CID_BYTES])
{
	char stem[OWNER_IN_CID_BYTES + 1];

	snprintf(stem, sizeof(stem), "%s", owner);
	for (char *c = stem; *c; c++)
		if (!is_plain(*c))
			*c = '_';
	for (unsigned number = 0;; number++) {
		snprintf(cid, PH__CID_BYTES, "CID-%s-%02x", stem, number);
		if (!ph__scene_find_camera(scene, cid, strlen(cid)))
			return;
	}
}

struct ph__camera *ph__scene_find_camera(struct ph__scene *scene, const char *cid, size_t length)
{
	for (uint32_t i = 0; i < scene->camera_count; i++)
		if (strlen(scene->cameras[i].cid) == length &&
		    memcmp(scene->cameras[i].cid, cid, length) == 0)
			return &scene->cameras[i];
	return NULL;
}

ph_status ph__scene_add_camera(struct ph__scene *scene, const struct ph__object *owner,
			       const char *name, double offset_m, uint32_t *index)
{
	struct ph__axes axes = ph__pose_axes(&owner->pose);
	struct ph__camera camera = scene->new_camera;

	*index = 0;
	ph_status status = make_room(scene);
	if (status < 0)
		return status;
	camera.name = name;
	camera.owner = owner->id;
	camera.pose = owner->pose;
	for (int i = 0; i < 3; i++)
		camera.pose.position_m[i] += offset_m * axes.right[i];
	write_cid(scene, owner->name, camera.cid);
	*index = scene->camera_count++;
	scene->cameras[*index] = camera;
	return PH_OK;
}

void ph__scene_remove_cameras_of(struct ph__scene *scene, uint64_t owner)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < scene->camera_count; i++) {
		if (scene->cameras[i].owner == owner)
			ph__stored_finish(&scene->cameras[i].stored);
		else
			scene->cameras[kept++] = scene->cameras[i];
	}
	scene->camera_count = kept;
}

/* --- riding along ----------------------------------------------------------------------------- */

static void rows_of(const ph_pose *pose, double rows[3][3])
{
	struct ph__axes axes = ph__pose_axes(pose);

	memcpy(rows[0], axes.forward, sizeof(rows[0]));
	memcpy(rows[1], axes.up, sizeof(rows[1]));
	memcpy(rows[2], axes.right, sizeof(rows[2]));
}

/* `vector` is turned as a body is that turns from one pose to the other. */
static void turn(double from[3][3], double to[3][3], const double vector[3], double turned[3])
{
	for (int i = 0; i < 3; i++)
		turned[i] = 0;
	for (int axis = 0; axis < 3; axis++) {
		double along = 0;
		for (int i = 0; i < 3; i++)
			along += from[axis][i] * vector[i];
		for (int i = 0; i < 3; i++)
			turned[i] += along * to[axis][i];
	}
}

static bool same_angles(const ph_pose *a, const ph_pose *b)
{
	return a->pitch_rad == b->pitch_rad && a->yaw_rad == b->yaw_rad &&
	       a->roll_rad == b->roll_rad;
}

static void set_angles(ph_pose *pose, const double forward[3], const double up[3],
		       const double right[3])
{
	pose->pitch_rad = asin(fmax(-1, fmin(1, forward[1])));
	pose->yaw_rad = atan2(forward[2], forward[0]);
	pose->roll_rad = atan2(-right[1], up[1]);
}

/* What looks along its holder goes on doing so, to the last digit. */
static void turn_camera(struct ph__camera *camera, const ph_pose *from_pose, const ph_pose *to_pose)
{
	double from[3][3], to[3][3], own[3][3], turned[3][3];

	if (same_angles(from_pose, to_pose))
		return;
	if (same_angles(&camera->pose, from_pose)) {
		camera->pose.pitch_rad = to_pose->pitch_rad;
		camera->pose.yaw_rad = to_pose->yaw_rad;
		camera->pose.roll_rad = to_pose->roll_rad;
		return;
	}
	rows_of(from_pose, from);
	rows_of(to_pose, to);
	rows_of(&camera->pose, own);
	for (int axis = 0; axis < 3; axis++)
		turn(from, to, own[axis], turned[axis]);
	set_angles(&camera->pose, turned[0], turned[1], turned[2]);
}

static void shift_camera(struct ph__camera *camera, const ph_pose *from_pose,
			 const ph_pose *to_pose)
{
	double from[3][3], to[3][3], offset[3], turned[3];

	for (int i = 0; i < 3; i++)
		offset[i] = turned[i] = camera->pose.position_m[i] - from_pose->position_m[i];
	if (!same_angles(from_pose, to_pose)) {
		rows_of(from_pose, from);
		rows_of(to_pose, to);
		turn(from, to, offset, turned);
	}
	for (int i = 0; i < 3; i++)
		camera->pose.position_m[i] = to_pose->position_m[i] + turned[i];
}

void ph__scene_carry_cameras(struct ph__scene *scene, uint64_t owner, const ph_pose *from,
			     const ph_pose *to)
{
	for (uint32_t i = 0; i < scene->camera_count; i++)
		if (scene->cameras[i].owner == owner) {
			shift_camera(&scene->cameras[i], from, to);
			turn_camera(&scene->cameras[i], from, to);
		}
}
