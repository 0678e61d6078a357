/* SPDX-License-Identifier: MIT */
/* The UnrealCV protocol without sockets: bytes in, commands out. Contract: protocol/unrealcv.md.
 * Threads: any; nothing here has state. */
#ifndef UNREALCV_UNREALCV_H
#define UNREALCV_UNREALCV_H

#include <pinhole/frame.h>

#include "base/span.h"

/* --- packets ------------------------------------------------------------------------------- */

enum {
	PH__PACKET_HEADER_BYTES = 8,
	PH__PACKET_PAYLOAD_LIMIT = 256 << 20, /* of a request */
};

enum ph__packet_state {
	PH__PACKET_PARTIAL, /* more bytes are needed */
	PH__PACKET_WHOLE,
	PH__PACKET_BAD      /* not this protocol: drop the connection; `why` says what was wrong */
};

struct ph__packet {
	struct ph__span payload; /* inside the given bytes */
	size_t length_bytes;     /* header and payload; for a partial packet 0 or the whole it will be */
	const char *why;
};

/* Looks at the first packet in `bytes`. A wrong magic is seen at its first wrong byte, a length of
 * 0 or above the limit as soon as its four bytes are there. */
enum ph__packet_state ph__packet_read(const void *bytes, size_t length, struct ph__packet *packet);

/* Writes the 8 bytes before a payload. */
void ph__packet_write_header(unsigned char header[PH__PACKET_HEADER_BYTES], uint32_t payload_bytes);

struct ph__request {
	struct ph__span id;      /* digits, to be echoed as they are or as "0", see below */
	struct ph__span command; /* up to the first line break */
};

/* The first "<digits>:<command>" in a payload. An id that does not fit int32 counts as 0, as in the
 * original server. False: there is none, and the packet gets no reply. */
bool ph__request_parse(struct ph__span payload, struct ph__request *request);

/* --- commands ------------------------------------------------------------------------------ */

/* One entry for each line of the table in commands.c, in its order. */
enum ph__command_id {
	PH__GET_VERSION,
	PH__GET_STATUS,
	PH__GET_HELP,
	PH__GET_COMMANDS,
	PH__GET_ECHO,          /* [str] */
	PH__GET_LAST_CAPTURE,
	PH__GET_SCENE_NAME,
	PH__GET_LEVEL_NAME,
	PH__GET_CAMERAS,
	PH__GET_CAMERA_LOCATION, PH__SET_CAMERA_LOCATION,
	PH__GET_CAMERA_ROTATION, PH__SET_CAMERA_ROTATION,
	PH__GET_CAMERA_POSE,     PH__SET_CAMERA_POSE,
	PH__GET_CAMERA_FOV,      PH__SET_CAMERA_FOV,
	PH__GET_CAMERA_SIZE,     PH__SET_CAMERA_SIZE,
	PH__GET_LIT,             /* [camera] [str]: format or file name */
	PH__GET_DEPTH,
	PH__GET_OBJECT_MASK,
	PH__GET_SEG,
	PH__GET_LIT_SHARED,      /* [camera] */
	PH__GET_OBJECTS,
	PH__GET_OBJECT_COLOR, PH__SET_OBJECT_COLOR,
	PH__COMMAND_COUNT
};

enum { PH__ARGS_MAX = 8 };

/* An argument, as its placeholder says: [str] fills `text`; [uint] and [float] fill `number`
 * (an integer for [uint]) as well. */
struct ph__arg {
	struct ph__span text;
	double number;
};

struct ph__command {
	enum ph__command_id id;
	uint32_t arg_count;
	struct ph__arg args[PH__ARGS_MAX];
};

enum ph__parse_result {
	PH__PARSE_OK,
	PH__PARSE_UNKNOWN,      /* no such command: ph__command_unknown_text() */
	PH__PARSE_BAD_ARGUMENTS /* the command exists, these arguments do not fit it */
};

enum ph__parse_result ph__command_parse(struct ph__span text, struct ph__command *command);

struct ph__command_spec {
	const char *template_text; /* "vget /camera/[uint]/lit [str]" */
	const char *description;   /* one line */
	bool advertised;           /* listed by `vget /unrealcv/commands` */
};

/* For every id below PH__COMMAND_COUNT. The table that dispatches is the table that helps. */
const struct ph__command_spec *ph__command_spec(enum ph__command_id id);

/* --- units --------------------------------------------------------------------------------- */

/* Unreal: left-handed, X forward, Y right, Z up, centimetres; pitch, yaw, roll in degrees. */
struct ph__unreal_pose {
	double x_cm, y_cm, z_cm;
	double pitch_deg, yaw_deg, roll_deg;
};

struct ph__unreal_pose ph__pose_to_unreal(const ph_pose *pose);
ph_pose ph__pose_from_unreal(const struct ph__unreal_pose *pose);
double ph__degrees_from_radians(double radians);
double ph__radians_from_degrees(double degrees);

#define PH__UNREAL_DEPTH_UNIT_M 0.01f
#define PH__UNREAL_DEPTH_FAR_CM 65504.0f /* the largest half float: what UnrealCV sends for "far" */

#endif
