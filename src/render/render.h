/* SPDX-License-Identifier: MIT */
/* Draws snapshots of a scene into memory that the caller lends. Knows nothing of channels.
 *
 * Threads: everything here belongs to the thread that opened the device: its GL context is current
 * there for life. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <stdatomic.h>

#include <pinhole/server.h>

#include "scene/lidar.h"

struct ph__device;
struct ph__renderer;

/* A GL 4.5 core context without a display: first a GPU through EGL's device platform, then Mesa's
 * software device, then Mesa's surfaceless platform. The message of a failure lists what was tried.
 * The first call sets LP_NUM_THREADS, unless it is set: llvmpipe uses the processors that this
 * process may run on, 16 at most.
 * Errors: PH_ENOTBUILT, PH_ENOENT (a GPU was asked for and there is none), PH_ESYS. */
ph_status ph__device_open(ph_renderer_kind kind, struct ph__device **device);
void ph__device_close(struct ph__device **device);

/* "llvmpipe (LLVM 15.0.6, 256 bits)", "4.5 (Core Profile) Mesa 22.3.6". Owned by the device. */
const char *ph__device_renderer(const struct ph__device *device);
const char *ph__device_gl_version(const struct ph__device *device);
bool ph__device_is_software(const struct ph__device *device);
uint32_t ph__device_error_count(const struct ph__device *device); /* errors that GL has reported */

enum ph__modality {
	/* BGRA8, sRGB, alpha 255. Linear light below 0.75 keeps its colour within a byte's step;
	 * what is brighter nears 1, keeps its hue and turns to white far above. */
	PH__MODALITY_LIT,
	PH__MODALITY_DEPTH,       /* F32: distance along the camera's forward axis */
	PH__MODALITY_OBJECT_MASK, /* BGRA8: the objects' colours exactly, background 0, 0, 0, 255 */
	/* BGRA8: the normal n of the shaded surface, in Unreal's axes: R, G, B = 127.5 (n + 1);
	 * background 128, 128, 128, 255. */
	PH__MODALITY_NORMAL,
	/* F32X2: where the point that a pixel shows is now, less where it was, in pixels, x right,
	 * y down: see struct ph__before. 0 where nothing is known. */
	PH__MODALITY_FLOW,
	/* BGRA8: R, G = 128 + 30 flow, B = 255; B = 0 where nothing is known. */
	PH__MODALITY_OPTICAL_FLOW,
	PH__MODALITY_RADIAL_DEPTH, /* F32: distance from the camera's position */
	/* F32X3: the world's X, Y, Z in Unreal's axes, in the unit of depth; background NAN. */
	PH__MODALITY_POSITION,
	/* BGRA8: B + 256 G + 65536 R = the object's place in the scene, from 1; background 0. */
	PH__MODALITY_INSTANCE,
	PH__MODALITY_SEMANTIC, /* BGRA8: the colour of the object's label; background 0 */
	/* The whole sphere about the camera, equirectangular, of any size: with u and v from 0 to
	 * 1 across and down, a pixel looks (2 u - 1) half turns to the right of the camera's
	 * forward axis and (1 - 2 v) quarter turns up. Each is the modality of that name in a cube
	 * of six faces, looked up; of depth (radial), normals and masks nothing is blended. */
	PH__MODALITY_PANORAMIC,
	PH__MODALITY_PANORAMIC_NORMAL,
	PH__MODALITY_PANORAMIC_MASK,
	PH__MODALITY_PANORAMIC_DEPTH,
	PH__MODALITY_PANORAMIC_PREVIEW, /* BGRA8: depth for eyes, see struct ph__preview */
	/* BGRA8: lit in movie quality: the mean of several samples, with smooth edges and soft
	 * shadows; flat and as a panorama. */
	PH__MODALITY_MOVIE,
	PH__MODALITY_MOVIE_PANORAMIC,
	PH__MODALITY_COUNT,
	PH__MODALITY_LIDAR = PH__MODALITY_COUNT, /* not drawn: see ph__renderer_scan() */
	PH__MODALITY_ALL_COUNT
};

ph_pixel ph__modality_pixel(enum ph__modality modality);
const char *ph__modality_name(enum ph__modality modality); /* "lit", "depth", "object_mask" */
bool ph__modality_is_float(enum ph__modality modality);
bool ph__modality_is_panorama(enum ph__modality modality);
bool ph__modality_is_flow(enum ph__modality modality); /* it compares with struct ph__before */

/* What flow is relative to: a view (of which pose and lens count) of a snapshot. Objects that the
 * snapshot does not have have not moved. Without a snapshot flow is 0 and not known. */
struct ph__before {
	const struct ph__snapshot *snapshot;
	const struct ph__view *view;
};

/* Colours for depth, in its unit: red at the nearest, over yellow, green and cyan to blue at the
 * farthest and beyond; the background is black. */
struct ph__preview {
	float nearest, farthest;
	float exponent; /* of the way between the two; 0 is 1 */
}; /* all 0: up to 20 m */

struct ph__view {
	ph_pose pose;
	double fov_rad; /* horizontal, in (0, pi) */
	bool is_orthographic;
	double ortho_width_m; /* what an orthographic view is wide */
	double exposure;      /* a factor of all light before it becomes a colour; 0 is 1 */
	uint32_t width_px, height_px;
	float depth_unit_m;  /* depth is written in this unit: 0.01 for centimetres */
	float depth_far;     /* in that unit: what is farther, and the background, reads as this */
	struct ph__before before;
	uint32_t face_px; /* the side of a panorama's faces; 0: as fine as the panorama is */
	struct ph__preview preview;
	uint32_t sample_count;        /* of movie quality; 0: 16 */
	const atomic_bool *cancelled; /* ends movie quality between two samples; may be NULL */
};

struct ph__draw_times {
	int64_t begin_ns;  /* CLOCK_MONOTONIC */
	int64_t render_ns; /* until the pixels are whole in the caller's memory */
	int64_t copy_ns;   /* the part of it that was read-back */
};

/* Compiles every shader and uploads the assets, so that the first picture is as fast as the next.
 * The assets must outlive the renderer. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__renderer_create(struct ph__device *device, const struct ph__assets *assets,
			      struct ph__renderer **renderer);
void ph__renderer_close(struct ph__renderer **renderer);

/* The longest side of a picture that the device can draw. */
uint32_t ph__renderer_side_limit_px(const struct ph__renderer *renderer);

/* Draws one modality; row 0 is the top row, rows follow each other without padding. `pixels` has
 * `length_bytes` = exactly what ph_frame_describe() says. Allocates nothing once it has drawn a
 * picture of this size.
 * Errors: PH_EINVAL (a size of 0, a field of view outside (0, pi), the wrong length), PH_ETOOBIG,
 * PH_ENOSPC, PH_ECLOSED (it was cancelled), PH_ESYS (what GL said). */
ph_status ph__renderer_draw(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const struct ph__view *view, enum ph__modality modality, void *pixels,
			    uint64_t length_bytes, struct ph__draw_times *times);

/* Scans a snapshot with a lidar: scene/lidar.h. `points` has room for one of each beam. The first
 * scan takes longer: it makes trees of all meshes. Errors: PH_ENOSPC. */
ph_status ph__renderer_scan(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const ph_pose *pose, const struct ph__lidar *lidar,
			    struct ph__lidar_point *points, uint32_t *count,
			    struct ph__draw_times *times);

#endif
