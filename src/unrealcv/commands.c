/* SPDX-License-Identifier: MIT */
/* The commands. This table dispatches, answers `vget /unrealcv/help` and `/unrealcv/commands`. */
#include "unrealcv/unrealcv.h"

#include <assert.h>

/* Rules for a template, which the tests check: single blanks; the verb and the first segment of the
 * path are literal; after a [str] within a path only literals follow; at most PH__ARGS_MAX
 * placeholders. Routes of shared memory are not advertised: the usual Python client would use each
 * that is on its own, through a call that Linux does not have. */
static const struct ph__command_spec specs[] = {
	[PH__GET_VERSION] = {"vget /unrealcv/version",
		"The version of the protocol, digits and points", true},
	[PH__GET_STATUS] = {"vget /unrealcv/status",
		"The state of the server and its configuration", true},
	[PH__GET_HELP] = {"vget /unrealcv/help",
		"Every command with one line about it", true},
	[PH__GET_COMMANDS] = {"vget /unrealcv/commands",
		"Every advertised command, one per line, sorted", true},
	[PH__GET_ECHO] = {"vget /unrealcv/echo [str]",
		"The word, as it came", true},
	[PH__GET_LAST_CAPTURE] = {"vget /unrealcv/last_capture",
		"The description of this connection's last picture, as JSON", true},
	[PH__GET_SCENE_NAME] = {"vget /scene/name",
		"The name of the scene", true},
	[PH__GET_LEVEL_NAME] = {"vget /level/name",
		"The name of the level", true},
	[PH__GET_CAMERAS] = {"vget /cameras",
		"The names of the cameras, in the order of their numbers", true},
	[PH__GET_CAMERA_LOCATION] = {"vget /camera/[uint]/location",
		"Where the camera is: x y z in cm", true},
	[PH__SET_CAMERA_LOCATION] = {"vset /camera/[uint]/location [float] [float] [float]",
		"Puts the camera at x y z in cm", true},
	[PH__GET_CAMERA_ROTATION] = {"vget /camera/[uint]/rotation",
		"Where the camera looks: pitch yaw roll in degrees", true},
	[PH__SET_CAMERA_ROTATION] = {"vset /camera/[uint]/rotation [float] [float] [float]",
		"Turns the camera to pitch yaw roll in degrees", true},
	[PH__GET_CAMERA_POSE] = {"vget /camera/[uint]/pose",
		"x y z in cm, pitch yaw roll in degrees", true},
	[PH__SET_CAMERA_POSE] = {
		"vset /camera/[uint]/pose [float] [float] [float] [float] [float] [float]",
		"Puts the camera at x y z in cm and turns it to pitch yaw roll in degrees", true},
	[PH__GET_CAMERA_FOV] = {"vget /camera/[uint]/fov",
		"The horizontal field of view in degrees", true},
	[PH__SET_CAMERA_FOV] = {"vset /camera/[uint]/fov [float]",
		"Sets the horizontal field of view in degrees", true},
	[PH__GET_CAMERA_SIZE] = {"vget /camera/[uint]/size",
		"Width and height of the camera's pictures in pixels", true},
	[PH__SET_CAMERA_SIZE] = {"vset /camera/[uint]/size [uint] [uint]",
		"Sets width and height of the camera's pictures in pixels", true},
	[PH__GET_LIT] = {"vget /camera/[uint]/lit [str]",
		"The lit picture as png or bmp, or into a file of that name", true},
	[PH__GET_DEPTH] = {"vget /camera/[uint]/depth [str]",
		"Planar depth in cm as npy, or into a file of that name", true},
	[PH__GET_OBJECT_MASK] = {"vget /camera/[uint]/object_mask [str]",
		"The colour of each pixel's object as png or bmp, or into a file of that name", true},
	[PH__GET_SEG] = {"vget /camera/[uint]/seg [str]",
		"Another name of object_mask", true},
	[PH__GET_LIT_TO_FILE] = {"vget /camera/[uint]/lit",
		"The lit picture into a file that the server names (old form)", false},
	[PH__GET_DEPTH_TO_FILE] = {"vget /camera/[uint]/depth",
		"Planar depth in cm into a file that the server names (old form)", false},
	[PH__GET_OBJECT_MASK_TO_FILE] = {"vget /camera/[uint]/object_mask",
		"The object mask into a file that the server names (old form)", false},
	[PH__GET_SEG_TO_FILE] = {"vget /camera/[uint]/seg",
		"Another name of object_mask (old form)", false},
	[PH__GET_LIT_SHARED] = {"vget /camera/[uint]/lit_shared",
		"The lit picture into shared memory; a description of it as JSON", false},
	[PH__GET_OBJECTS] = {"vget /objects",
		"The names of the objects", true},
	[PH__GET_OBJECT_COLOR] = {"vget /object/[str]/color",
		"The object's colour in object_mask", true},
	[PH__SET_OBJECT_COLOR] = {"vset /object/[str]/color [uint] [uint] [uint]",
		"Sets the object's colour in object_mask: red green blue", true},
};

static_assert(sizeof(specs) / sizeof(specs[0]) == PH__COMMAND_COUNT, "one line for each id");

const struct ph__command_spec *ph__command_spec(enum ph__command_id id)
{
	assert(id < PH__COMMAND_COUNT);
	return &specs[id];
}
