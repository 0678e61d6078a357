/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>

#include "base/sys.h"
#include "stage.h"

static void draw_something(struct ph__device *device, struct ph__scene *scene)
{
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot = {0};
	struct ph__view view = stage_view(16, 16, 90);
	struct ph__draw_times times;
	uint8_t pixels[16 * 16 * 4];

	view.pose = scene->cameras[0].pose;
	assert_int_equal(ph__renderer_create(device, &scene->assets, &renderer), PH_OK);
	assert_int_equal(ph__snapshot_take(&snapshot, scene), PH_OK);
	assert_int_equal(ph__renderer_draw(renderer, &snapshot, &view, PH__MODALITY_LIT, pixels,
					   sizeof(pixels), &times), PH_OK);
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	assert_int_equal(ph__device_error_count(device), 0);
}

TEST(software_is_software_where_there_is_a_gpu_too)
{
	struct ph__device *device;

	if (ph__device_open(PH_RENDERER_SOFTWARE, &device) < 0)
		skip_test("%s", ph_last_error());
	assert_true(ph__device_is_software(device));
	assert_true(strlen(ph__device_renderer(device)) > 1);
	assert_true(strncmp(ph__device_gl_version(device), "4.5", 3) >= 0);
	ph__device_close(&device);
	assert_null(device);
	ph__device_close(&device);
}

TEST(a_gpu_that_is_not_there_is_named_with_what_was_tried)
{
	struct ph__device *device;
	ph_status status = ph__device_open(PH_RENDERER_GPU, &device);

	if (status == PH_OK) {
		assert_false(ph__device_is_software(device));
		ph__device_close(&device);
		skip_test("there is a GPU here");
	}
	assert_null(device);
	if (status == PH_ENOTBUILT)
		skip_test("%s", ph_last_error());
	assert_int_equal(status, PH_ENOENT);
	assert_non_null(strstr(ph_last_error(), "tried:"));
}

TEST(a_device_can_be_opened_again)
{
	struct ph__scene *scene;

	assert_int_equal(ph__scene_create_builtin(16, 16, M_PI / 2, &scene), PH_OK);
	for (int round = 0; round < 3; round++) {
		struct ph__device *device = open_device_or_skip();
		draw_something(device, scene);
		ph__device_close(&device);
	}
	ph__scene_close(&scene);
}

/* Opens, draws, waits for the other to have done so, and draws again when the other has closed. */
static pthread_barrier_t barrier;

static void *use_a_device(void *closes_first)
{
	struct ph__scene *scene;
	struct ph__device *device = open_device_or_skip();

	assert_int_equal(ph__scene_create_builtin(16, 16, M_PI / 2, &scene), PH_OK);
	draw_something(device, scene);
	pthread_barrier_wait(&barrier);
	if (closes_first)
		ph__device_close(&device);
	pthread_barrier_wait(&barrier);
	if (!closes_first)
		draw_something(device, scene);
	ph__device_close(&device);
	ph__scene_close(&scene);
	return NULL;
}

TEST(closing_a_device_leaves_another_threads_device_alone)
{
	pthread_t other;

	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&other, NULL, use_a_device, &barrier), 0);
	use_a_device(NULL);
	pthread_join(other, NULL);
	pthread_barrier_destroy(&barrier);
}

/* Fails the allocation whose turn it is. */
static int allocations_left;

static void *failing_realloc(void *memory, size_t size)
{
	return allocations_left-- > 0 ? realloc(memory, size) : NULL;
}

static void *failing_calloc(size_t count, size_t size)
{
	return allocations_left-- > 0 ? calloc(count, size) : NULL;
}

TEST(a_renderer_without_memory_is_an_error_and_leaves_nothing)
{
	struct ph__device *device = open_device_or_skip();
	struct ph__sys failing = ph__sys_real;
	struct ph__renderer *renderer;
	struct ph__scene *scene;
	int failures = 0;

	assert_int_equal(ph__scene_create_builtin(16, 16, M_PI / 2, &scene), PH_OK);
	failing.realloc = failing_realloc;
	failing.calloc = failing_calloc;
	ph__sys = &failing;
	for (allocations_left = 0;; allocations_left = ++failures) {
		ph_status status = ph__renderer_create(device, &scene->assets, &renderer);
		if (status == PH_OK)
			break;
		assert_int_equal(status, PH_ENOSPC);
		assert_null(renderer);
	}
	ph__sys = &ph__sys_real;
	assert_true(failures >= 4);
	ph__renderer_close(&renderer);
	draw_something(device, scene);
	ph__scene_close(&scene);
	ph__device_close(&device);
}
