/* SPDX-License-Identifier: MIT */
/* The UnrealCV protocol without sockets: bytes in, commands out. Contract: protocol/unrealcv.md.
 * Threads: any; the only state is an index of the commands, made at the first use. */
#ifndef UNREALCV_UNREALCV_H
#define UNREALCV_UNREALCV_H

#include <pinhole/frame.h>

#include "base/buffer.h"
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
	size_t length_bytes;     /* header and payload; 0 while a partial packet's is not known */
	const char *why;
};

/* Looks at the first packet in `bytes`. A wrong magic is seen at its first wrong byte, a length of
 * 0 or above the limit as soon as its four bytes are there. */
enum ph__packet_state ph__packet_read(const void *bytes, size_t length, struct ph__packet *packet);

/* Writes the 8 bytes before a payload. */
void ph__packet_write_header(unsigned char header[PH__PACKET_HEADER_BYTES], uint32_t payload_bytes);

struct ph__request {
	struct ph__span id;      /* at most 10 digits, to be echoed */
	struct ph__span command; /* up to the first line break or NUL, which it never contains */
};

/* The first "<digits>:<command>" in a payload; what comes before it is ignored. As in the original
 * server an id loses its leading zeros, and one that does not fit int32 is "0". False: there is
 * none, and the packet gets no reply. */
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
	PH__GET_LIT_TO_FILE,     /* [camera]: into "camera_<camera>_lit.png" */
	PH__GET_DEPTH_TO_FILE,   /* "camera_<camera>_depth.npy" */
	PH__GET_OBJECT_MASK_TO_FILE, /* "camera_<camera>_object_mask.png" */
	PH__GET_SEG_TO_FILE,     /* the same file */
	PH__GET_LIT_SHARED,      /* [camera] */
	PH__GET_OBJECTS,
	PH__GET_OBJECT_COLOR, PH__SET_OBJECT_COLOR,
	PH__COMMAND_COUNT
};

enum { PH__ARGS_MAX = 8 };

/* An argument, as its placeholder says: [str] fills `text` (bytes without a blank, maybe none, not
 * checked in any other way); [uint] and [float] fill `number` as well. A [uint] is an integer up to
 * UINT32_MAX and its text 1 to 19 digits, those of the command or, for an empty one, "0". */
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

/* Allocates and copies nothing: the texts of the arguments lie inside `text` (or are constants).
 * What it accepts is in protocol/unrealcv.md. *command is all zero unless the result is OK. */
enum ph__parse_result ph__command_parse(struct ph__span text, struct ph__command *command);

/* Appends text from outside to a reply that must stay text: a byte that is no UTF-8 or is a control
 * character becomes '?'; beyond `limit_bytes` it is cut before a character and ends with "...". */
void ph__text_quote(struct ph__span text, size_t limit_bytes, struct ph__buffer *reply);

/* Appends the reply to an unknown command, which it quotes so. */
void ph__command_unknown_text(struct ph__span command, struct ph__buffer *reply);

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

/* What was set is what is read back: exactly when it had up to seven decimals and was below
 * 5e7, and else within a rounding error. No sign is ever changed: -0 comes from -0 only. */
struct ph__unreal_pose ph__pose_to_unreal(const ph_pose *pose);
ph_pose ph__pose_from_unreal(const struct ph__unreal_pose *pose);
double ph__degrees_from_radians(double radians);
double ph__radians_from_degrees(double degrees);

#define PH__UNREAL_DEPTH_UNIT_M 0.01f
#define PH__UNREAL_DEPTH_FAR_CM 65504.0f /* the largest half float: what UnrealCV sends for "far" */

#endif
