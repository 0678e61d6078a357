/* SPDX-License-Identifier: MIT */
/* A frame: pixels in memory and the description that travels with them.
 *
 * World axes are glTF's: right-handed, metres, Y up. Unreal's (left-handed, centimetres, Z up) are
 * converted at the protocol's edge only: (x, y, z) here = (X, Z, Y) there / 100.
 *
 * A pose turns a body whose forward axis is +X and whose up axis is +Y by yaw about the up axis
 * (from +X towards +Z), then by pitch (nose up is positive), then by roll (clockwise, seen from
 * behind). With c and s for cosine and sine of yaw y, pitch p and roll r, its axes in the world are
 *     forward = ( cp*cy,               sp,     cp*sy              )
 *     right   = ( sr*sp*cy - cr*sy,   -sr*cp,  sr*sp*sy + cr*cy   )
 *     up      = (-cr*sp*cy - sr*sy,    cr*cp,  cy*sr - cr*sp*sy   )
 * which are Unreal's rotator axes with Y and Z exchanged. A camera looks along forward.
 */
#ifndef PINHOLE_FRAME_H
#define PINHOLE_FRAME_H

#include <pinhole/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the bytes of a pixel lie in memory, in order of address. The values are ABI. */
typedef enum ph_pixel {
	PH_PIXEL_NONE = 0,   /* bytes that are no picture */
	PH_PIXEL_GRAY8 = 1,
	PH_PIXEL_GRAY16 = 2, /* native byte order */
	PH_PIXEL_RGB8 = 3,
	PH_PIXEL_BGR8 = 4,
	PH_PIXEL_RGBA8 = 5,
	PH_PIXEL_BGRA8 = 6,
	PH_PIXEL_I420 = 7,   /* planes Y, U, V; U and V at half size, rounded up */
	PH_PIXEL_NV12 = 8,   /* planes Y, UV interleaved */
	PH_PIXEL_F32 = 9,    /* one float: depth in the unit that the frame's source states */
	PH_PIXEL_F32X2 = 10, /* two floats: optical flow in pixels, x right, y down */
	PH_PIXEL_F32X3 = 11,
	PH_PIXEL_F32X4 = 12
} ph_pixel;

enum { PH_PLANES_MAX = 4 };

typedef struct ph_plane {
	uint64_t offset_bytes; /* from the first byte of the frame */
	uint64_t stride_bytes; /* from one row to the next */
} ph_plane;

typedef struct ph_pose {
	double position_m[3];
	double pitch_rad, yaw_rad, roll_rad;
} ph_pose;

/* A pinhole camera with square pixels. The point (x right, y down, z forward) of the camera's own
 * axes lands on pixel (fx*x/z + cx, fy*y/z + cy); pixel (0, 0) spans [0,1) x [0,1). */
typedef struct ph_intrinsics {
	double fx_px, fy_px, cx_px, cy_px;
	double fov_rad; /* horizontal; 2*atan(width / (2*fx)) */
} ph_intrinsics;

/* All times are CLOCK_MONOTONIC but sim_time_ns, the clock of the simulated scene. A field that
 * its source does not know is 0. */
typedef struct ph_frame {
	const void *bytes;      /* not owned: its source says how long it stays valid */
	uint64_t length_bytes;
	ph_pixel pixel;
	uint32_t width_px, height_px;
	uint32_t plane_count;
	ph_plane planes[PH_PLANES_MAX];
	uint64_t sequence;      /* grows with each frame of one source, never reused */
	int64_t capture_time_ns;
	int64_t publish_time_ns;
	int64_t sim_time_ns;
	int64_t render_ns;      /* from the start of drawing until the pixels were in memory */
	int64_t copy_ns;        /* the part of render_ns that was reading them back */
	ph_pose pose;
	ph_intrinsics intrinsics;
} ph_frame;

/* The name of a pixel format ("BGRA8"; "?" for a value outside the set). Never NULL, never freed. */
PH_API const char *ph_pixel_name(ph_pixel pixel);

/* The size of one pixel of a single-plane format; 0 for NONE and the planar ones. */
PH_API uint32_t ph_pixel_bytes(ph_pixel pixel);

/* Fills pixel, size, planes and length_bytes of *frame for rows that follow each other without
 * padding; leaves the other fields alone. Sizes cannot overflow.
 * Errors: PH_EINVAL (a side of 0, or no pixel format), PH_ETOOBIG (a side above 65,536). */
PH_API ph_status ph_frame_describe(ph_frame *frame, ph_pixel pixel, uint32_t width_px,
				   uint32_t height_px);

/* Checks that every row of every plane lies inside length_bytes and that the format, the size and
 * the number of planes agree. For frames that come from outside.
 * Errors: PH_EINVAL, PH_ETOOBIG, PH_EFORMAT (a plane that leaves the frame). */
PH_API ph_status ph_frame_check(const ph_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
