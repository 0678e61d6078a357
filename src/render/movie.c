/* SPDX-License-Identifier: MIT */
/* Movie quality: the mean of many pictures in linear light, each a little beside the last one's
 * pixels and with the sun at another point of its disc; then one tone mapping for all.
 *
 * What sample n looks like depends on n alone: the same request gives the same bytes, and more
 * samples only add to fewer. */
#include <math.h>

#include "base/status.h"
#include "render/panorama.h"
#include "render/program.h"
#include "render/shaders.h"

enum { SAMPLE_COUNT = 16 };

static ph_status create(struct ph__renderer *renderer)
{
	static const struct ph__program_source source = {
		.defines = "",
		.vertex = {ph__glsl_frame, ph__glsl_sky_vert},
		.fragment = {ph__glsl_frame, ph__glsl_light, ph__glsl_tone_frag},
	};
	return ph__program_build(&source, &renderer->tone);
}

static void finish(struct ph__renderer *renderer)
{
	glDeleteProgram(renderer->tone);
}

/* The digits of a number behind the point, turned round: fills [0, 1) ever more evenly (van der
 * Corput's sequence, Halton's for several bases). */
static double turned_round(uint32_t number, uint32_t base)
{
	double value = 0, digit = 1;

	for (; number > 0; number /= base) {
		digit /= base;
		value += digit * (number % base);
	}
	return value;
}

/* From -0.5 to 0.5, the mean of the first 16 near 0. */
static double offset_of(uint32_t sample, uint32_t base)
{
	double value = turned_round(sample, base) + 0.5 / pow(base, round(log(16) / log(base)));
	return value - floor(value) - 0.5;
}

static void shift_picture(struct ph__camera_frame *camera, uint32_t sample, uint32_t width_px,
			  uint32_t height_px)
{
	camera->shift[0] = 2 * offset_of(sample, 2) / width_px;
	camera->shift[1] = 2 * offset_of(sample, 3) / height_px;
}

static void cross(const double a[3], const double b[3], double product[3])
{
	for (int i = 0; i < 3; i++)
		product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Moves the sun to a point of its disc, all parts of which are met as often. */
static void move_sun(struct ph__sun *sun, uint32_t sample)
{
	double radius = tan((double)sun->radius_rad) * sqrt(turned_round(sample, 5));
	double angle = 2 * M_PI * turned_round(sample, 7), length = 0, moved[3], across[3],
	       along[3];
	const double d[3] = {sun->direction[0], sun->direction[1], sun->direction[2]};
	const double helper[3] = {fabs(d[1]) >= 0.7, fabs(d[1]) < 0.7, 0};

	cross(d, helper, across);
	for (int i = 0; i < 3; i++)
		length += across[i] * across[i];
	for (int i = 0; i < 3; i++)
		across[i] /= sqrt(length);
	cross(d, across, along);
	length = 0;
	for (int i = 0; i < 3; i++) {
		moved[i] = d[i] + radius * (cos(angle) * across[i] + sin(angle) * along[i]);
		length += moved[i] * moved[i];
	}
	for (int i = 0; i < 3; i++)
		sun->direction[i] = (float)(moved[i] / sqrt(length));
}

/* Adds one picture to what the framebuffer holds. */
typedef ph_status sample_drawer(struct ph__renderer *renderer, const struct ph__pass_input *input,
				uint32_t sample, GLuint framebuffer);

static ph_status draw_flat(struct ph__renderer *renderer, const struct ph__pass_input *input,
			   uint32_t sample, GLuint framebuffer)
{
	struct ph__camera_frame camera = *input->camera;
	struct ph__pass_input shifted = *input;

	shift_picture(&camera, sample, input->view->width_px, input->view->height_px);
	shifted.camera = &camera;
	glEnable(GL_BLEND);
	ph__pass_draw(renderer, &ph__light_pass, &shifted, framebuffer);
	glDisable(GL_BLEND);
	return PH_OK;
}

static ph_status draw_panorama(struct ph__renderer *renderer, const struct ph__pass_input *input,
			       uint32_t sample, GLuint framebuffer)
{
	uint32_t side_px = ph__panorama_side_px(input->view);
	struct ph__camera_frame camera = *input->camera;
	struct ph__pass_input shifted = *input;
	struct ph__faces *faces;

	shift_picture(&camera, sample, side_px, side_px);
	shifted.camera = &camera;
	ph_status status = ph__panorama_draw_faces(renderer, &ph__light_pass, &shifted, &faces);
	if (status < 0)
		return status;
	ph__pass_bind(input, framebuffer);
	glEnable(GL_BLEND);
	ph__panorama_look_up(renderer, input, faces, GL_LINEAR, renderer->panorama);
	glDisable(GL_BLEND);
	return PH_OK;
}

static ph_status draw_sample(struct ph__renderer *renderer, const struct ph__pass_input *input,
			     uint32_t sample, GLuint framebuffer, sample_drawer *draw)
{
	struct ph__snapshot snapshot = *input->snapshot;
	struct ph__pass_input lit = *input;
	ph_status status = ph__pass_reserve(renderer, &snapshot, input->pass->pass_count);

	if (status < 0)
		return status;
	move_sun(&snapshot.sun, sample);
	lit.snapshot = &snapshot;
	renderer->shadow.drawn = false; /* it is that of the sample before */
	status = draw(renderer, &lit, sample, framebuffer);
	renderer->shadow.drawn = false;
	glFinish(); /* the stream is filled anew; and whoever cancels need not wait for more */
	return status;
}

static ph_status add_samples(struct ph__renderer *renderer, const struct ph__pass_input *input,
			     GLuint framebuffer, sample_drawer *draw)
{
	static const float nothing[4] = {0, 0, 0, 0};
	const struct ph__view *view = input->view;
	uint32_t count = view->sample_count ? view->sample_count : SAMPLE_COUNT;
	ph_status status = PH_OK;

	glClearNamedFramebufferfv(framebuffer, GL_COLOR, 0, nothing);
	glBlendFunc(GL_ONE, GL_ONE);
	for (uint32_t sample = 0; sample < count && status == PH_OK; sample++) {
		if (view->cancelled && atomic_load(view->cancelled))
			return ph__fail(PH_ECLOSED,
					"the picture was cancelled after %u of %u samples", sample,
					count);
		status = draw_sample(renderer, input, sample, framebuffer, draw);
	}
	return status;
}

static ph_status compose(struct ph__renderer *renderer, const struct ph__pass_input *input,
			 const struct ph__target *target, sample_drawer *draw)
{
	const struct ph__target *sum;
	ph_status status = ph__targets_get(&renderer->targets, renderer->device, target->width_px,
					   target->height_px, PH__TARGET_FLOAT4, &sum);

	if (status == PH_OK)
		status = add_samples(renderer, input, sum->framebuffers[PH__TARGET_FLOAT4], draw);
	if (status == PH_OK)
		status = ph__pass_reserve(renderer, input->snapshot, 1);
	if (status < 0)
		return status;
	ph__pass_bind(input, target->framebuffers[PH__TARGET_BYTES]);
	glBindTextureUnit(PH__UNIT_SUM, sum->views[PH__TARGET_FLOAT4]);
	ph__pass_cover(renderer, input, renderer->tone);
	return PH_OK;
}

static ph_status compose_flat(struct ph__renderer *renderer, const struct ph__pass_input *input,
			      const struct ph__target *target)
{
	return compose(renderer, input, target, draw_flat);
}

static ph_status compose_panorama(struct ph__renderer *renderer, const struct ph__pass_input *input,
				  const struct ph__target *target)
{
	return compose(renderer, input, target, draw_panorama);
}

#define BYTES .target = PH__TARGET_BYTES, .read_format = GL_RGBA, .read_type = GL_UNSIGNED_BYTE

const struct ph__pass ph__movie_pass = {
	.create = create, .finish = finish, .compose = compose_flat, .pass_count = 1, BYTES};

const struct ph__pass ph__movie_panoramic_pass = {
	.compose = compose_panorama, .pass_count = PH__FACE_COUNT + 1, BYTES};
