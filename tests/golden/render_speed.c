/* SPDX-License-Identifier: MIT */
/* How long a picture of the built-in scene takes, for each size and modality: medians of wall time,
 * processor time of all threads, and read-back. One JSON line each. Not a test: run it by hand.
 *
 *     render-speed [gpu | software] [480p | 720p | 1080p | 4K] [FOLDER/]
 *
 * With a folder it writes the pictures of colours there as PNG files and measures nothing. After
 * the modalities it compares a panorama with flat pictures of as many pixels in its six directions,
 * and movie quality with lit pictures of moving scenes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "image/image.h"
#include "render/render.h"

enum { ROUNDS_MAX = 41 };

static const struct size {
	const char *name;
	uint32_t width_px, height_px, rounds;
} sizes[] = {
	{"480p", 640, 480, 41},
	{"720p", 1280, 720, 31},
	{"1080p", 1920, 1080, 21},
	{"4K", 3840, 2160, 9},
};

static int64_t processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, uint32_t count)
{
	qsort(values, count, sizeof(values[0]), compare);
	return values[count / 2];
}

static void need(ph_status status)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_last_error());
	exit(1);
}

static void write_png(const struct ph__view *view, enum ph__modality modality, void *pixels,
		      const char *folder, const char *size_name)
{
	struct ph__buffer file = {.length = 0};
	ph_frame frame = {.bytes = pixels};
	char path[512];

	need(ph_frame_describe(&frame, PH_PIXEL_BGRA8, view->width_px, view->height_px));
	need(ph__png_encode(&frame, &file));
	snprintf(path, sizeof(path), "%s/%s_%s.png", folder, ph__modality_name(modality),
		 size_name);
	FILE *out = fopen(path, "w");
	if (!out || fwrite(file.bytes, 1, file.length, out) != file.length || fclose(out) != 0) {
		perror(path);
		exit(1);
	}
	ph__buffer_finish(&file);
}

static struct ph__scene *scene;
static struct ph__device *device;
static struct ph__renderer *renderer;
static struct ph__snapshot snapshot;

static uint64_t bytes_of(const struct ph__view *view, enum ph__modality modality)
{
	return (uint64_t)view->width_px * view->height_px *
	       ph_pixel_bytes(ph__modality_pixel(modality));
}

/* `moving`: each picture has a scene of its own, so its shadows are drawn as well. */
static double measure(const struct ph__view *view, enum ph__modality modality, bool moving,
		      const struct size *size, void *pixels)
{
	double wall_ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX], copy_ms[ROUNDS_MAX], first_ms = 0;
	uint64_t length_bytes = bytes_of(view, modality);

	for (uint32_t i = 0; i <= size->rounds; i++) { /* the first is on its own */
		struct ph__draw_times times;
		uint32_t at = i > 0 ? i - 1 : 0;
		int64_t before_ns = processor_ns();
		snapshot.version += moving;
		need(ph__renderer_draw(renderer, &snapshot, view, modality, pixels, length_bytes,
				       &times));
		cpu_ms[at] = (double)(processor_ns() - before_ns) / 1e6;
		wall_ms[at] = (double)times.render_ns / 1e6;
		copy_ms[at] = (double)times.copy_ns / 1e6;
		first_ms = i == 0 ? wall_ms[0] : first_ms;
	}
	double cpu = median(cpu_ms, size->rounds);
	printf("{\"modality\": \"%s%s\", \"size\": \"%s\", \"wall_ms\": %.2f, \"cpu_ms\": %.2f, "
	       "\"copy_ms\": %.3f, \"first_ms\": %.2f}\n",
	       ph__modality_name(modality), moving ? ", moving" : "", size->name,
	       median(wall_ms, size->rounds), cpu, median(copy_ms, size->rounds), first_ms);
	fflush(stdout);
	return cpu;
}

static void start(ph_renderer_kind kind)
{
	int64_t start_ns = ph_now_ns();
	need(ph__device_open(kind, &device));
	int64_t opened_ns = ph_now_ns();
	need(ph__scene_create_builtin(640, 480, M_PI / 2, &scene));
	int64_t made_ns = ph_now_ns();
	need(ph__renderer_create(device, &scene->assets, &renderer));
	int64_t warm_ns = ph_now_ns();
	need(ph__snapshot_take(&snapshot, scene));
	printf("{\"renderer\": \"%s\", \"open_ms\": %.1f, \"scene_ms\": %.1f, \"warm_ms\": %.1f}\n",
	       ph__device_renderer(device), (double)(opened_ns - start_ns) / 1e6,
	       (double)(made_ns - opened_ns) / 1e6, (double)(warm_ns - made_ns) / 1e6);
}

static void finish(void)
{
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	ph__scene_close(&scene);
	ph__device_close(&device);
}

/* The six directions of a panorama, as flat pictures of a sixth of its pixels each. */
static double flat_around(const struct ph__view *panorama, const struct size *size, void *pixels)
{
	static const double turns[6][2] = {{0, 0}, {0, 90}, {0, 180}, {0, 270}, {89, 0}, {-89, 0}};
	struct size quiet = *size;
	struct ph__view flat = *panorama;
	double sum = 0;

	flat.width_px = flat.height_px =
		(uint32_t)sqrt((double)panorama->width_px * panorama->height_px / 6);
	quiet.name = "a face";
	for (int i = 0; i < 6; i++) {
		flat.pose.pitch_rad = turns[i][0] * M_PI / 180;
		flat.pose.yaw_rad = turns[i][1] * M_PI / 180;
		sum += measure(&flat, PH__MODALITY_LIT, false, &quiet, pixels);
	}
	return sum;
}

static void compare_all(const double cpu_ms[PH__MODALITY_COUNT], double moving_ms,
			const struct ph__view *view, const struct size *size, void *pixels)
{
	double flat_ms = flat_around(view, size, pixels);

	printf("{\"size\": \"%s\", \"panorama_to_flat\": %.2f, \"movie_sample_to_lit_moving\": "
	       "%.2f}\n",
	       size->name, cpu_ms[PH__MODALITY_PANORAMIC] / flat_ms,
	       cpu_ms[PH__MODALITY_MOVIE] / 16 / moving_ms);
}

static void run_size(const struct size *size, const char *folder)
{
	struct ph__view view = {
		.pose = scene->cameras[0].pose,
		.fov_rad = scene->cameras[0].fov_rad,
		.width_px = size->width_px,
		.height_px = size->height_px,
		.depth_unit_m = 1,
		.depth_far = 655.04f,
	};
	struct ph__view before = view;
	double cpu_ms[PH__MODALITY_COUNT] = {0}, moving_ms = 0;
	struct ph__draw_times times;
	void *pixels = calloc(16, (uint64_t)size->width_px * size->height_px);

	before.pose.yaw_rad += 0.01;
	view.before = (struct ph__before){&snapshot, &before};
	for (int modality = 0; pixels && modality < PH__MODALITY_COUNT; modality++) {
		struct size rounds = *size;
		if (modality == PH__MODALITY_MOVIE || modality == PH__MODALITY_MOVIE_PANORAMIC)
			rounds.rounds = 3;
		if (folder && ph__modality_is_float(modality))
			continue;
		if (folder) {
			need(ph__renderer_draw(renderer, &snapshot, &view, modality, pixels,
					       bytes_of(&view, modality), &times));
			write_png(&view, modality, pixels, folder, size->name);
			continue;
		}
		cpu_ms[modality] = measure(&view, modality, false, &rounds, pixels);
		if (modality == PH__MODALITY_LIT)
			moving_ms = measure(&view, modality, true, size, pixels);
	}
	if (pixels && !folder)
		compare_all(cpu_ms, moving_ms, &view, size, pixels);
	free(pixels);
}

int main(int argc, char **argv)
{
	ph_renderer_kind kind = PH_RENDERER_AUTO;
	const char *folder = NULL, *only_size = NULL;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "gpu") == 0 || strcmp(argv[i], "software") == 0)
			kind = argv[i][0] == 'g' ? PH_RENDERER_GPU : PH_RENDERER_SOFTWARE;
		else if (strchr(argv[i], '/'))
			folder = argv[i];
		else
			only_size = argv[i];
	start(kind);
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!only_size || strcmp(only_size, sizes[i].name) == 0)
			run_size(&sizes[i], folder);
	finish();
	return 0;
}
