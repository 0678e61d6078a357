/* SPDX-License-Identifier: MIT */
/* One pass for each modality. */
#ifndef RENDER_PASSES_H
#define RENDER_PASSES_H

#include "render/camera.h"
#include "render/draw_list.h"
#include "render/faces.h"
#include "render/geometry.h"
#include "render/shadow.h"
#include "render/stream.h"
#include "render/targets.h"
#include "scene/caster.h"

struct ph__lit_programs {
	GLuint surface[2]; /* without and with a texture of the base colour */
	GLuint sky;
};

struct ph__renderer {
	struct ph__device *device;
	const struct ph__assets *assets;
	struct ph__geometry geometry;
	struct ph__stream stream;
	struct ph__targets targets;
	struct ph__faces faces[PH__TARGET_FORMAT_COUNT]; /* of panoramas */
	struct ph__shadow shadow;
	struct ph__draw_list list;
	struct ph__caster *caster; /* made when the first scan asks for it */
	struct ph__lit_programs lit, light; /* as a picture, as linear light */
	GLuint depth, mask, normal, radial, position;
	GLuint flow[2], flow_sky[2]; /* as floats, as a picture */
	GLuint panorama, panorama_preview, tone;
	uint32_t side_limit_px;
};

struct ph__pass;

struct ph__pass_input {
	const struct ph__pass *pass; /* the modality's */
	const struct ph__snapshot *snapshot;
	const struct ph__view *view;
	const struct ph__camera_frame *camera; /* the view's */
	const struct ph__record_before *before; /* NULL: nothing to compare with */
};

struct ph__pass {
	ph_status (*create)(struct ph__renderer *renderer); /* compiles its programs */
	void (*finish)(struct ph__renderer *renderer);

	/* The target is bound, the viewport set, the block filled and bound, the list collected and
	 * written. */
	void (*draw)(struct ph__renderer *renderer, const struct ph__pass_input *input);

	/* In its place where a picture is made of several passes. */
	ph_status (*compose)(struct ph__renderer *renderer, const struct ph__pass_input *input,
			     const struct ph__target *target);
	uint32_t pass_count; /* that compose() needs memory for at once */
	bool has_shadows;
	bool compares; /* with the view's `before` */
	enum ph__object_color color;
	enum ph__target_format target;
	GLenum read_format, read_type;
};

extern const struct ph__pass ph__lit_pass, ph__depth_pass, ph__mask_pass, ph__normal_pass,
	ph__flow_pass, ph__optical_flow_pass, ph__radial_pass, ph__position_pass, ph__instance_pass,
	ph__semantic_pass, ph__panoramic_pass, ph__panoramic_normal_pass, ph__panoramic_mask_pass,
	ph__panoramic_depth_pass, ph__panoramic_preview_pass, ph__movie_pass,
	ph__movie_panoramic_pass;

/* Of no modality: lit, as linear light. */
extern const struct ph__pass ph__light_pass;

/* Memory for so many passes over a snapshot, one more of them for a shadow. Whoever calls it has
 * waited for the device. Errors: PH_ENOSPC, PH_ESYS. */
ph_status ph__pass_reserve(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			   uint32_t pass_count);

/* Draws a pass into a framebuffer of the view's size. */
void ph__pass_draw(struct ph__renderer *renderer, const struct ph__pass *pass,
		   const struct ph__pass_input *input, GLuint framebuffer);

/* --- what passes are made of ------------------------------------------------------------------ */

/* Draws the list. */
void ph__pass_submit(struct ph__renderer *renderer, const struct ph__pass_input *input,
		     const GLuint programs[2]);

/* Clears and draws the list with one program. */
void ph__pass_fill(struct ph__renderer *renderer, const struct ph__pass_input *input,
		   GLuint program, const float background[4]);

/* Binds a framebuffer of the view's size. */
void ph__pass_bind(const struct ph__pass_input *input, GLuint framebuffer);

/* Runs a program for every pixel of the bound framebuffer. */
void ph__pass_cover(struct ph__renderer *renderer, const struct ph__pass_input *input,
		    GLuint program);

/* Behind everything: where no object was drawn, the depth is still 0. */
void ph__pass_draw_sky(GLuint program);

#endif
