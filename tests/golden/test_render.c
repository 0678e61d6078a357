/* SPDX-License-Identifier: MIT */
/* What holds for pictures of every modality. */
#include <math.h>

#include "base/sys.h"
#include "stage.h"

enum { PIXEL_BYTES_MAX = 16 };

static uint64_t picture_bytes(const struct ph__view *view, int modality)
{
	return (uint64_t)view->width_px * view->height_px *
	       ph_pixel_bytes(ph__modality_pixel(modality));
}

TEST(a_hidden_object_is_in_no_picture)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(64, 64, 60), before = stage_view(64, 64, 61);
	static uint8_t empty[64 * 64 * PIXEL_BYTES_MAX];
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}});
	stage_start(stage);
	before.pose.position_m[0] = 0.5;
	view.before = (struct ph__before){&stage->snapshot, &before};

	for (int modality = 0; modality < PH__MODALITY_COUNT; modality++) {
		uint64_t length_bytes = picture_bytes(&view, modality);
		stage->objects[0].hidden = true;
		ph__scene_touch(&stage->scene);
		memcpy(empty, stage_draw(stage, &view, modality), length_bytes);
		stage->objects[0].hidden = false;
		ph__scene_touch(&stage->scene);
		assert_memory_not_equal(stage_draw(stage, &view, modality), empty, length_bytes);
		stage->objects[0].hidden = true;
		stage->objects[0].pose.position_m[0] = -30; /* behind: the same as hidden */
		ph__scene_touch(&stage->scene);
		assert_memory_equal(stage_draw(stage, &view, modality), empty, length_bytes);
		stage->objects[0].pose.position_m[0] = 3;
	}
	stage_close(stage);
}

TEST(the_same_draw_gives_the_same_bytes)
{
	enum { WIDTH = 320, HEIGHT = 240 };
	struct ph__device *device = open_device_or_skip();
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot = {0};
	struct ph__view view = stage_view(WIDTH, HEIGHT, 90), before;
	static uint8_t first[WIDTH * HEIGHT * PIXEL_BYTES_MAX], second[sizeof(first)];
	struct ph__draw_times times;

	assert_int_equal(ph__scene_create_builtin(WIDTH, HEIGHT, M_PI / 2, &scene), PH_OK);
	assert_int_equal(ph__renderer_create(device, &scene->assets, &renderer), PH_OK);
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	view.pose = scene->cameras[0].pose;
	before = view;
	before.pose.yaw_rad += 0.01;
	view.before = (struct ph__before){&snapshot, &before};
	for (int modality = 0; modality < PH__MODALITY_COUNT; modality++) {
		uint64_t length_bytes = picture_bytes(&view, modality);
		assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, modality, first,
						   length_bytes, &times), PH_OK);
		assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, modality, second,
						   length_bytes, &times), PH_OK);
		assert_memory_equal(first, second, length_bytes);
		assert_true(times.begin_ns > 0 && times.copy_ns > 0 &&
				times.render_ns > times.copy_ns);
	}
	assert_int_equal(ph__device_error_count(device), 0);
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	ph__scene_close(&scene);
	ph__device_close(&device);
}

static ph_status try_draw(struct stage *stage, struct ph__view view, int modality,
			  uint64_t length_bytes)
{
	static uint8_t pixels[64 * 64 * 4];
	struct ph__draw_times times;
	return ph__renderer_draw(stage->renderer, &stage->snapshot, &view, modality, pixels,
				 length_bytes, &times);
}

TEST(a_picture_that_cannot_be_drawn_is_refused)
{
	struct stage *stage = stage_open();
	struct ph__view good = stage_view(64, 64, 90), view;
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}});
	stage_start(stage);
	stage_draw(stage, &good, PH__MODALITY_LIT);
	uint32_t limit = ph__renderer_side_limit_px(stage->renderer);

	assert_true(limit >= 4096);
	view = stage_view(limit + 1, 1, 90);
	assert_int_equal(try_draw(stage, view, 0, ((uint64_t)limit + 1) * 4), PH_ETOOBIG);
	view = stage_view(1, limit + 1, 90);
	assert_int_equal(try_draw(stage, view, 0, ((uint64_t)limit + 1) * 4), PH_ETOOBIG);
	assert_int_equal(try_draw(stage, stage_view(0, 1, 90), 0, 0), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(1, 0, 90), 0, 0), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, 0, 64 * 64 * 4 - 1), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, 0, 64 * 64 * 3), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, PH__MODALITY_COUNT, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(64, 64, 0), 0, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(64, 64, 180), 0, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, stage_view(64, 64, NAN), 0, 64 * 64 * 4), PH_EINVAL);
	assert_int_equal(try_draw(stage, good, 0, 64 * 64 * 4), PH_OK);
	stage_close(stage);
}

TEST(the_longest_picture_can_be_drawn)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED, (struct placing){.at = {1, 0, 0}});
	stage_start(stage);
	uint32_t limit = ph__renderer_side_limit_px(stage->renderer);
	struct ph__view wide = stage_view(limit, 2, 60), tall = stage_view(2, limit, 0.001);

	const uint8_t *mask = stage_draw(stage, &wide, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * (size_t)(limit / 2)), 0);
	assert_int_equal(object_of(mask), -1);
	mask = stage_draw(stage, &tall, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * (size_t)limit), 0);
	stage_close(stage);
}

/* Memory of ours: counted, then real. */
static int allocations;

static void *counting_realloc(void *memory, size_t size)
{
	allocations++;
	return realloc(memory, size);
}

static void *counting_calloc(size_t count, size_t size)
{
	allocations++;
	return calloc(count, size);
}

TEST(nothing_is_allocated_once_each_size_has_been_drawn)
{
	struct stage *stage = stage_open();
	struct ph__sys counting = ph__sys_real;
	stage_add(stage, stage_box(stage), RED, (struct placing){.at = {3, 0, 0}});
	stage_start(stage);
	counting.realloc = counting_realloc;
	counting.calloc = counting_calloc;
	ph__sys = &counting;

	for (int round = 0; round < 3; round++) {
		int before = allocations;
		for (int size = 0; size < 5; size++)
			for (int modality = 0; modality < PH__MODALITY_COUNT; modality++) {
				struct ph__view view = stage_view(64u << size, 48u << size, 90);
				stage->objects[0].pose.yaw_rad += 0.1;
				ph__scene_touch(&stage->scene);
				stage_draw(stage, &view, modality);
			}
		assert_true(round == 0 ? allocations > 0 : allocations == before);
	}
	ph__sys = &ph__sys_real;
	stage_close(stage);
}

TEST(more_sizes_than_are_kept_can_be_drawn_in_turn)
{
	struct stage *stage = stage_open();
	stage_add(stage, stage_square(stage), RED,
		  (struct placing){.at = {1, 0, 0}, .scale = {1, 9, 9}});
	stage_start(stage);

	for (int round = 0; round < 2; round++)
		for (uint32_t size = 1; size < 25; size++) {
			struct ph__view view = stage_view(size, 2 * size, 60);
			const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
			for (size_t i = 0; i < (size_t)2 * size * size; i++)
				assert_int_equal(object_of(mask + 4 * i), 0);
		}
	stage_close(stage);
}

TEST(a_scene_without_objects_is_sky)
{
	struct stage *stage = stage_open();
	struct ph__view view = stage_view(16, 16, 90);
	stage_start(stage);

	const float *depth = stage_draw(stage, &view, PH__MODALITY_DEPTH);
	assert_float_equal(depth[0], 655.04f, 0);
	const uint8_t *mask = stage_draw(stage, &view, PH__MODALITY_OBJECT_MASK);
	assert_int_equal(object_of(mask + 4 * 100), -1);
	const uint8_t *lit = stage_draw(stage, &view, PH__MODALITY_LIT);
	assert_in_range(lit[0], 123, 125); /* 0.2 in sRGB is 123.8 */
	stage_close(stage);
}
