/* SPDX-License-Identifier: MIT */
/* What a camera's pictures are like: size, field of view, projection, exposure. */
#include "server/routes.h"

#include <math.h>

#include "base/log.h"

#define FOV_LEAST_DEG    0.01
#define FOV_GREATEST_DEG 179.9
#define EXPOSURE_LIMIT_EV 64.0
#define ORTHO_LIMIT_CM   1e8

static void get_fov(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_camera(call);
	if (camera)
		ph__buffer_add_fixed(call->out, ph__degrees_from_radians(camera->fov_rad), 6);
}

static void set_fov(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_camera(call);
	double fov_deg = call->command->args[1].number;

	if (!camera)
		return;
	if (!(fov_deg >= FOV_LEAST_DEG && fov_deg <= FOV_GREATEST_DEG)) {
		ph__call_error(call, "Argument Invalid: a field of view is 0.01 to 179.9 degrees");
		return;
	}
	camera->fov_rad = ph__radians_from_degrees(fov_deg);
}

static void get_size(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_camera(call);
	if (camera)
		ph__buffer_print(call->out, "%u %u", camera->width_px, camera->height_px);
}

static void set_size(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_camera(call);
	double width_px = call->command->args[1].number, height_px = call->command->args[2].number;

	if (!camera)
		return;
	if (width_px == 0 || height_px == 0) {
		ph__log(PH_LOG_WARNING, "a camera's size of %.0f x %.0f is ignored", width_px,
			height_px);
		return;
	}
	if (width_px > call->server->side_limit_px || height_px > call->server->side_limit_px) {
		ph__call_error(call, "Argument Invalid: a side has %u pixels at most",
			       call->server->side_limit_px);
		return;
	}
	camera->width_px = (uint32_t)width_px;
	camera->height_px = (uint32_t)height_px;
}

static void set_projection(struct ph__call *call)
{
	static const char *const words[] = {"perspective", "orthographic", NULL};
	struct ph__camera *camera = ph__call_sensor(call);
	int word = ph__arg_word(&call->command->args[1], words);

	if (!camera)
		return;
	if (word < 0)
		ph__call_error_quoting(call, "Can not support camera mode ",
				       call->command->args[1].text,
				       ", available options are perspective and orthographic");
	else
		camera->is_orthographic = word == 1;
}

static void get_projection(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (camera)
		ph__buffer_add_text(call->out,
				    camera->is_orthographic ? "orthographic" : "perspective");
}

static void set_ortho_width(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_sensor(call);
	double width_cm = call->command->args[1].number;

	if (!camera)
		return;
	if (!(width_cm >= 0.001 && width_cm <= ORTHO_LIMIT_CM))
		ph__call_error(call, "Argument Invalid: a width is 0.001 to 1e8 cm");
	else
		camera->ortho_width_m = width_cm / 100;
}

static void get_ortho_width(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	if (camera)
		ph__buffer_add_fixed(call->out, camera->ortho_width_m * 100, 6);
}

static void set_exposure_bias(struct ph__call *call)
{
	struct ph__camera *camera = ph__call_camera(call);
	double stops = call->command->args[1].number;

	if (!camera)
		return;
	if (!(fabs(stops) <= EXPOSURE_LIMIT_EV))
		ph__call_error(call, "Argument Invalid: an exposure is -64 to 64 stops");
	else
		camera->exposure_ev = stops;
}

static void get_exposure_bias(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_camera(call);
	if (camera)
		ph__buffer_add_fixed(call->out, camera->exposure_ev, 6);
}

/* --- the physical camera ---------------------------------------------------------------------- */

static double focal_px_of(const struct ph__camera *camera)
{
	return camera->width_px / (2 * tan(camera->fov_rad / 2));
}

/* Row-major, for row vectors in Unreal's axes of a view (x right, y up, z forward), depth reversed
 * and without a far plane, as Unreal has it: clip = (x, y, z, 1) * M. */
static void print_projection_matrix(struct ph__buffer *out, const struct ph__camera *camera)
{
	double focal_px = focal_px_of(camera);

	ph__buffer_print(out,
			 "[%.9f,0,0,0,0,%.9f,0,0,0,0,0,1,0,0,%.1f,0]",
			 2 * focal_px / camera->width_px, 2 * focal_px / camera->height_px,
			 PH__UNREAL_NEAR_CM);
}

static void get_intrinsics(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	struct ph__buffer *out = call->out;

	if (!camera)
		return;
	double focal_px = focal_px_of(camera);
	double down_rad = 2 * atan(camera->height_px / (2 * focal_px));
	ph__buffer_print(out, "{\"width\":%u,\"height\":%u,\"fx\":%.9f,\"fy\":%.9f,",
			 camera->width_px, camera->height_px, focal_px, focal_px);
	ph__buffer_print(out,
			 "\"cx\":%.1f,\"cy\":%.1f,\"horizontal_fov_degrees\":%.9f,"
			 "\"vertical_fov_degrees\":%.9f,\"projection_offset\":[0,0],"
			 "\"projection_matrix\":",
			 camera->width_px / 2.0, camera->height_px / 2.0,
			 ph__degrees_from_radians(camera->fov_rad),
			 ph__degrees_from_radians(down_rad));
	print_projection_matrix(out, camera);
	ph__buffer_add_text(out, "}");
}

/* A 36 mm wide sensor of the picture's shape, and the lens that gives the field of view on it. */
static void get_cine(struct ph__call *call)
{
	const struct ph__camera *camera = ph__call_sensor(call);
	const double sensor_mm = 36;

	if (!camera)
		return;
	double focal_px = focal_px_of(camera);
	ph__buffer_print(call->out,
			 "{\"enabled\":false,\"filmback\":{\"sensor_width_mm\":%.6f,"
			 "\"sensor_height_mm\":%.6f},\"lens\":{\"focal_length_mm\":%.6f},"
			 "\"exposure\":{\"bias_ev\":%.6f},\"near_clip\":{\"distance_cm\":%.1f},",
			 sensor_mm, sensor_mm * camera->height_px / camera->width_px,
			 focal_px * sensor_mm / camera->width_px, camera->exposure_ev,
			 PH__UNREAL_NEAR_CM);
	ph__buffer_print(call->out,
			 "\"horizontal_fov_degrees\":%.9f,\"vertical_fov_degrees\":%.9f}",
			 ph__degrees_from_radians(camera->fov_rad),
			 ph__degrees_from_radians(2 * atan(camera->height_px / (2 * focal_px))));
}

static void get_cine_enabled(struct ph__call *call)
{
	if (ph__call_sensor(call))
		ph__buffer_add_text(call->out, "0");
}

static void set_cine_enabled(struct ph__call *call)
{
	if (ph__call_sensor(call) && call->command->args[1].number != 0)
		ph__call_error(call, "Not Implemented");
}

#define FOV_TEXT "The horizontal field of view in degrees"

static const struct ph__route routes[] = {
	{"vget /camera/[uint]/fov", get_fov, FOV_TEXT},
	{"vset /camera/[uint]/fov [float]", set_fov,
	 "Sets the horizontal field of view in degrees"},
	{"vget /camera/[uint]/horizontal_fieldofview", get_fov, "Another name of fov",
	 PH__ROUTE_OLD},
	{"vset /camera/[uint]/horizontal_fieldofview [float]", set_fov, "Another name of fov",
	 PH__ROUTE_OLD},
	{"vget /camera/[uint]/size", get_size,
	 "Width and height of the camera's pictures in pixels"},
	{"vset /camera/[uint]/size [uint] [uint]", set_size,
	 "Sets width and height of the camera's pictures in pixels"},
	{"vget /camera/[uint]/projection_type", get_projection, "perspective or orthographic"},
	{"vset /camera/[uint]/projection_type [str]", set_projection,
	 "perspective or orthographic"},
	{"vget /camera/[uint]/ortho_width", get_ortho_width,
	 "The width in cm of what an orthographic camera sees"},
	{"vset /camera/[uint]/ortho_width [float]", set_ortho_width,
	 "Sets the width in cm of what an orthographic camera sees"},
	{"vget /camera/[uint]/exposure_bias", get_exposure_bias, "The exposure in stops"},
	{"vset /camera/[uint]/exposure_bias [float]", set_exposure_bias,
	 "Sets the exposure in stops: 1 doubles the light"},
	{"vget /camera/[uint]/cine", get_cine, "The camera as a physical one, as JSON"},
	{"vget /camera/[uint]/cine/enabled", get_cine_enabled,
	 "Always 0: there is no physical camera", PH__ROUTE_ACCEPTED},
	{"vset /camera/[uint]/cine/enabled [uint]", set_cine_enabled,
	 "0 is accepted, 1 is an error: there is no physical camera", PH__ROUTE_ACCEPTED},
	{"vget /camera/[uint]/cine/intrinsics", get_intrinsics,
	 "Size, focal lengths, centre, fields of view and matrix, as JSON"},
};

const struct ph__route_table ph__lens_routes = PH__ROUTE_TABLE("Lenses", routes);
