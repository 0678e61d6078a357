/* SPDX-License-Identifier: MIT */
/* The UnrealCV protocol without sockets: bytes in, commands out. Contract: protocol/unrealcv.md.
 * Threads: any; there is no state. */
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

enum { PH__ARGS_MAX = 16, PH__TEMPLATES_MAX = 512 };

/* An argument, as its placeholder says: [str] fills `text` (bytes without a blank, maybe none, not
 * checked in any other way), [Anything] the rest of the command; [uint], [float] and [bool] fill
 * `number` as well. A [uint] is an integer up to UINT32_MAX and its text 1 to 19 digits, those of
 * the command or, for an empty one, "0". Within a path it names a camera and may be a CID instead
 * ("CID-..."): then its number is PH__NO_NUMBER. */
struct ph__arg {
	struct ph__span text;
	double number;
};

#define PH__NO_NUMBER (-1.0)

struct ph__command {
	uint32_t number; /* of its template, in the order of their adding */
	uint32_t arg_count;
	struct ph__arg args[PH__ARGS_MAX];
};

enum ph__parse_result {
	PH__PARSE_OK,
	PH__PARSE_UNKNOWN,      /* no such command: ph__command_unknown_text() */
	PH__PARSE_BAD_ARGUMENTS /* the command exists, these arguments do not fit it */
};

struct ph__words {
	struct ph__span verb, path, rest;
};

/* Templates ("vget /camera/[uint]/lit [str]") by what is literal in them. Once filled it is only
 * read. Rules for a template: single blanks; the verb and the first segment of a path are literal;
 * after a [str] within a path only literals follow; an [Anything] is the last word; at most
 * PH__ARGS_MAX placeholders. Its text must outlive the index. */
struct ph__command_index {
	uint32_t count;
	struct ph__words templates[PH__TEMPLATES_MAX];
	uint32_t keys[PH__TEMPLATES_MAX];
	uint16_t next[PH__TEMPLATES_MAX]; /* in the same bucket; as below a number + 1, or 0 */
	uint16_t buckets[1 << 9];
};

/* Where several templates fit a command the one that was added first wins. */
void ph__command_index_add(struct ph__command_index *index, const char *template_text);

/* Allocates and copies nothing: the texts of the arguments lie inside `text` (or are constants).
 * What it accepts is in protocol/unrealcv.md. *command is all zero unless the result is OK. */
enum ph__parse_result ph__command_parse(const struct ph__command_index *index, struct ph__span text,
					struct ph__command *command);

/* Appends text from outside to a reply that must stay text: a byte that is no UTF-8 or is a control
 * character becomes '?'; beyond `limit_bytes` it is cut before a character and ends with "...". */
void ph__text_quote(struct ph__span text, size_t limit_bytes, struct ph__buffer *reply);

/* Appends the reply to an unknown command, which it quotes so. */
void ph__command_unknown_text(struct ph__span command, struct ph__buffer *reply);

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

#define PH__UNREAL_NEAR_CM 1.0 /* what is nearer to the camera is not drawn */
#define PH__UNREAL_DEPTH_UNIT_M 0.01f
#define PH__UNREAL_DEPTH_FAR_CM 65504.0f /* the largest half float: what UnrealCV sends for "far" */

#endif
