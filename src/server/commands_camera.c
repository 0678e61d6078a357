/* SPDX-License-Identifier: MIT */
/* Cameras: which there are, where they stand, where they go. */
#include "server/routes.h"

#include <math.h>

/* What a client moves with moveto is a ball of this size, so that it keeps off walls. */
#define PAWN_RADIUS_M 0.1
/* And it stops this much before what it would touch. */
#define PAWN_GAP_M 0.005

/* --- lists ------------------------------------------------------------------------------------ */

static void get_cameras(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	for (uint32_t i = 0; i < scene->camera_count; i++) {
		ph__buffer_add_text(call->out, scene->cameras[i].name);
		ph__buffer_add(call->out, " ", 1);
	}
}

static void get_cids(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	for (uint32_t i = 0; i < scene->camera_count; i++) {
		ph__buffer_add_text(call->out, i > 0 ? " " : "");
		ph__buffer_add_text(call->out, scene->cameras[i].cid);
	}
}

static void print_identity(struct ph__call *call, const struct ph__camera *camera)
{
	struct ph__scene *scene = call->server->scene;
	const struct ph__object *owner = ph__scene_object_of_id(scene, camera->owner);

	ph__buffer_print(call->out, "{\"index\":%zu,\"camera_id\":\"%s\",\"actor_name\":",
			 (size_t)(camera - scene->cameras), camera->cid);
	ph__print_json_string(call->out, owner->name);
	ph__buffer_print(call->out, ",\"sensor_name\":\"%s\"}", camera->name);
}

static void get_ids(struct ph__call *call)
{
	const struct ph__scene *scene = call->server->scene;

	for (uint32_t i = 0; i < scene->camera_count; i++) {
		ph__buffer_add_text(call->out, i > 0 ? "," : "[");
		print_identity(call, &scene->cameras[i]);
	}
	ph__buffer_add_text(call->out, scene->camera_count > 0 ? "]" : "[]");
}

static void get_id(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (camera)
		print_identity(call, camera);
}

/* --- poses ------------------------------------------------------------------------------------ */

static void get_location(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (camera)
		ph__print_location(call->out, &camera->pose);
}

static void get_rotation(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (camera)
		ph__print_rotation(call->out, &camera->pose);
}

static void get_pose(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (!camera)
		return;
	ph__print_location(call->out, &camera->pose);
	ph__buffer_add(call->out, " ", 1);
	ph__print_rotation(call->out, &camera->pose);
}

void ph__place_camera(struct ph_server *server, struct ph__camera *camera, const ph_pose *pose)
{
	struct ph__object *owner = ph__scene_object_of_id(server->scene, camera->owner);

	if (owner->id == server->scene->pawn)
		owner->pose = *pose;
	camera->pose = *pose;
}

static void set_location(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_sensor(call);
	if (!camera)
		return;
	ph_pose pose = ph__with_location(&camera->pose, &call->command->args[1]);
	ph__place_camera(call->server, camera, &pose);
}

static void set_rotation(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_sensor(call);
	if (!camera)
		return;
	ph_pose pose = ph__with_rotation(&camera->pose, &call->command->args[1]);
	ph__place_camera(call->server, camera, &pose);
}

static void set_pose(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_sensor(call);
	if (!camera)
		return;
	ph_pose pose = ph__with_location(&camera->pose, &call->command->args[1]);
	pose = ph__with_rotation(&pose, &call->command->args[4]);
	ph__place_camera(call->server, camera, &pose);
}

/* --- moving ----------------------------------------------------------------------------------- */

static double distance_m(const double a[3], const double b[3])
{
	double apart[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
	return sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
}

static void move_to(struct ph__call *call)
{
	struct ph__camera *camera = ph__camera_of_arg(call, &call->command->args[0]);

	if (!camera || camera != call->server->scene->cameras) {
		ph__call_error(call, "MoveTo only supports the player camera with id 0");
		return;
	}
	ph_pose pose = ph__with_location(&camera->pose, &call->command->args[1]);
	const double *from_m = camera->pose.position_m;
	double way_m = distance_m(pose.position_m, from_m);
	double share = ph__scene_sweep(call->server->scene, from_m, pose.position_m, PAWN_RADIUS_M,
				       camera->owner);
	if (share < 1) {
		share = fmax(0, share - PAWN_GAP_M / way_m);
		for (int i = 0; i < 3; i++)
			pose.position_m[i] = from_m[i] + share * (pose.position_m[i] - from_m[i]);
	}
	ph__place_camera(call->server, camera, &pose);
}

/* Turns of the yaw that are tried for a place with a clear view, nearest first. */
enum { LOOK_STEPS = 12 };

static ph_pose looking_at(const double target_m[3], double distance_m, double pitch_rad,
			  double yaw_rad)
{
	ph_pose pose = {.pitch_rad = -pitch_rad, .yaw_rad = yaw_rad};

	pose.position_m[0] = target_m[0] - distance_m * cos(pitch_rad) * cos(yaw_rad);
	pose.position_m[1] = target_m[1] + distance_m * sin(pitch_rad);
	pose.position_m[2] = target_m[2] - distance_m * cos(pitch_rad) * sin(yaw_rad);
	return pose;
}

/* How far a camera must be for a ball about the box to fill its shorter side. */
static double fitting_distance_m(const struct ph__camera *camera, const double lower_m[3],
				 const double upper_m[3])
{
	double tan_x = tan(camera->fov_rad / 2);
	double tan_y = tan_x * camera->height_px / camera->width_px;

	return distance_m(lower_m, upper_m) / 2 / sin(atan(fmin(tan_x, tan_y)));
}

/* Puts the camera where the object fills the picture, within the limits of distance and elevation,
 * on the side where it stands now or on the next one from where nothing hides the object. */
static void look_at_object(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_sensor(call);
	const struct ph__arg *args = call->command->args;
	double lower_m[3], upper_m[3], middle_m[3];

	if (!camera)
		return;
	const struct ph__object *object = ph__scene_find_object(
		call->server->scene, args[1].text.at, args[1].text.length);
	if (!object) {
		ph__call_error(call, "Cannot find object");
		return;
	}
	if (!(args[2].number > 0 && args[2].number <= args[3].number &&
	      args[4].number <= args[5].number && fabs(args[4].number) < 90 &&
	      fabs(args[5].number) < 90)) {
		ph__call_error(call, "Argument Invalid: distances above 0, angles between -90 and "
				     "90 degrees, the lower one first");
		return;
	}
	ph__scene_object_bounds(call->server->scene, object, lower_m, upper_m);
	for (int i = 0; i < 3; i++)
		middle_m[i] = (lower_m[i] + upper_m[i]) / 2;
	double distance = fitting_distance_m(camera, lower_m, upper_m);
	distance = fmin(fmax(distance, args[2].number / 100), args[3].number / 100);
	double pitch = ph__radians_from_degrees((args[4].number + args[5].number) / 2);
	double yaw = atan2(middle_m[2] - camera->pose.position_m[2],
			   middle_m[0] - camera->pose.position_m[0]);
	ph_pose pose = looking_at(middle_m, distance, pitch, yaw);
	for (int i = 1; i < LOOK_STEPS && ph__scene_sweep(call->server->scene, middle_m,
							  pose.position_m, 0, object->id) < 1;
	     i++) {
		int steps = i % 2 ? (i + 1) / 2 : -i / 2;
		double turn = steps * (2 * M_PI / LOOK_STEPS);
		pose = looking_at(middle_m, distance, pitch, yaw + turn);
	}
	ph__place_camera(call->server, camera, &pose);
}

static const struct ph__route routes[] = {
	{"vget /cameras", get_cameras,
	 "The names of the cameras, in the order of their numbers"},
	{"vget /cameras_legacy", get_cameras, "Another name of /cameras"},
	{"vget /cameras_CID", get_cids, "The cameras' own names for life, in the same order"},
	{"vget /cameras/ids", get_ids, "Number, CID, object and kind of each camera, as JSON"},
	{"vget /camera/[uint]/id", get_id, "Number, CID, object and kind of a camera, as JSON"},
	{"vget /camera/[uint]/location", get_location, "Where the camera stands: x y z in cm"},
	{"vset /camera/[uint]/location [float] [float] [float]", set_location,
	 "Puts the camera at x y z in cm"},
	{"vget /camera/[uint]/rotation", get_rotation,
	 "Where the camera looks: pitch yaw roll in degrees"},
	{"vset /camera/[uint]/rotation [float] [float] [float]", set_rotation,
	 "Turns the camera to pitch yaw roll in degrees"},
	{"vget /camera/[uint]/pose", get_pose, "x y z in cm, pitch yaw roll in degrees"},
	{"vset /camera/[uint]/pose [float] [float] [float] [float] [float] [float]", set_pose,
	 "Puts the camera at x y z in cm and turns it to pitch yaw roll in degrees"},
	{"vset /camera/[uint]/moveto [float] [float] [float]", move_to,
	 "Moves camera 0 towards x y z in cm, up to the first obstacle"},
	{"vset /camera/[uint]/lookat_object_auto [str] [float] [float] [float] [float]",
	 look_at_object,
	 "Puts the camera before an object: least and greatest distance and elevation"},
};

const struct ph__route_table ph__camera_routes = PH__ROUTE_TABLE("Cameras", routes);
