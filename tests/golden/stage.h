/* SPDX-License-Identifier: MIT */
/* A small scene for one test: a few shapes, put where the test wants them, and pictures of them.
 *
 *     struct stage *stage = stage_open();
 *     uint32_t ball = stage_add(stage, stage_ball(stage), RED, (struct placing){.at = {4, 0, 0}});
 *     stage_start(stage);
 *     uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
 *     stage_close(stage);
 *
 * A test is skipped when no OpenGL device can be opened here. */
#ifndef GOLDEN_STAGE_H
#define GOLDEN_STAGE_H

#include "render/render.h"
#include "scene/shape.h"
#include "test.h"

enum { STAGE_SHAPES_MAX = 8, STAGE_OBJECTS_MAX = 40 };

enum stage_material { RED, GREEN, BLUE, GLOWING_GREY, STAGE_MATERIAL_COUNT };

struct placing {
	double at[3];
	double pitch_deg, yaw_deg, roll_deg;
	double scale[3]; /* {0, 0, 0} means {1, 1, 1} */
};

struct stage {
	struct ph__device *device;
	struct ph__renderer *renderer;
	struct ph__scene scene;
	struct ph__snapshot snapshot;
	struct ph__mesh meshes[STAGE_SHAPES_MAX];
	struct ph__material materials[STAGE_MATERIAL_COUNT];
	struct ph__part parts[STAGE_OBJECTS_MAX];
	struct ph__object objects[STAGE_OBJECTS_MAX];
	struct ph__draw_times times; /* of the last picture */
	void *pixels;
	uint64_t capacity_bytes;
};

struct stage *stage_open(void);
void stage_close(struct stage *stage);

/* Shapes: numbers for stage_add(). A box of 1 m and a ball of 1 m across about the origin, and a
 * square of 1 m that faces -X (towards a camera that looks along +X). */
uint32_t stage_box(struct stage *stage);
uint32_t stage_ball(struct stage *stage);
uint32_t stage_square(struct stage *stage);

/* Any other shape; it is empty afterwards. */
uint32_t stage_take(struct stage *stage, struct ph__shape *shape);

/* Adds an object; its mask colour is that of its number + 1. Returns the number. */
uint32_t stage_add(struct stage *stage, uint32_t shape, enum stage_material material,
		   struct placing placing);

/* After the last stage_add(): makes the renderer. */
void stage_start(struct stage *stage);

/* A camera at the origin that looks along +X, depth in metres up to 655.04. */
struct ph__view stage_view(uint32_t width_px, uint32_t height_px, double fov_deg);
ph_pose pose_deg(double x, double y, double z, double pitch_deg, double yaw_deg, double roll_deg);

/* A picture, in memory of the stage's: valid until the next one. Fails the test on any error, an
 * OpenGL error message too. */
void *stage_draw(struct stage *stage, const struct ph__view *view, enum ph__modality modality);

/* Where a point lands, by the formulas of <pinhole/frame.h> alone; false if it is behind. */
bool project(const struct ph__view *view, const double point_m[3], double *x_px, double *y_px,
	     double *depth_m);

/* The number of the object whose mask colour a BGRA pixel has; -1 is the background. */
int object_of(const uint8_t *bgra);

void assert_near(double value, double wanted, double error);

/* A device, or the test is skipped. */
struct ph__device *open_device_or_skip(void);

#endif
