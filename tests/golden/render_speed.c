/* SPDX-License-Identifier: MIT */
/* How long a picture of the built-in scene takes, for each size and modality: medians of wall time,
 * processor time of all threads, and read-back. One JSON line each. Not a test: run it by hand.
 *
 *     render-speed [gpu | software] [PICTURES]      writes lit, depth and mask PNGs to that folder
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "image/image.h"
#include "render/render.h"

enum { ROUNDS_MAX = 41 };

static const struct {
	const char *name;
	uint32_t width_px, height_px, rounds;
} sizes[] = {
	{"480p", 640, 480, 41}, {"720p", 1280, 720, 31}, {"1080p", 1920, 1080, 21}, {"4K", 3840, 2160, 9},
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

	if (modality == PH__MODALITY_DEPTH) /* as grey: 255 at the camera, 0 from 15 m */
		for (uint32_t i = 0; i < view->width_px * view->height_px; i++) {
			float depth = ((float *)pixels)[i];
			((uint8_t *)pixels)[i] = (uint8_t)fmaxf(0, 255 - 17 * depth);
		}
	need(ph_frame_describe(&frame, modality == PH__MODALITY_DEPTH ? PH_PIXEL_GRAY8 : PH_PIXEL_BGRA8,
			       view->width_px, view->height_px));
	need(ph__png_encode(&frame, &file));
	snprintf(path, sizeof(path), "%s/%s_%s.png", folder, ph__modality_name(modality), size_name);
	FILE *out = fopen(path, "w");
	if (!out || fwrite(file.bytes, 1, file.length, out) != file.length || fclose(out) != 0) {
		perror(path);
		exit(1);
	}
	ph__buffer_finish(&file);
}

/* `moving`: each picture has a scene of its own, so its shadows are drawn as well. */
static void measure(struct ph__renderer *renderer, struct ph__snapshot *snapshot,
		    const struct ph__view *view, enum ph__modality modality, bool moving,
		    uint32_t rounds, const char *size_name, void *pixels)
{
	double wall_ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX], copy_ms[ROUNDS_MAX];
	uint64_t length_bytes = (uint64_t)view->width_px * view->height_px * 4;
	struct ph__draw_times times;

	need(ph__renderer_draw(renderer, snapshot, view, modality, pixels, length_bytes, &times));
	double first_ms = (double)times.render_ns / 1e6;
	for (uint32_t i = 0; i < rounds; i++) {
		int64_t before_ns = processor_ns();
		snapshot->version += moving;
		need(ph__renderer_draw(renderer, snapshot, view, modality, pixels, length_bytes, &times));
		cpu_ms[i] = (double)(processor_ns() - before_ns) / 1e6;
		wall_ms[i] = (double)times.render_ns / 1e6;
		copy_ms[i] = (double)times.copy_ns / 1e6;
	}
	printf("{\"modality\": \"%s%s\", \"size\": \"%s\", \"wall_ms\": %.2f, \"cpu_ms\": %.2f, "
	       "\"copy_ms\": %.3f, \"first_ms\": %.2f}\n", ph__modality_name(modality),
	       moving ? ", moving" : "", size_name, median(wall_ms, rounds), median(cpu_ms, rounds), median(copy_ms, rounds), first_ms);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	ph_renderer_kind kind = PH_RENDERER_AUTO;
	struct ph__device *device;
	struct ph__scene *scene;
	struct ph__renderer *renderer;
	struct ph__snapshot snapshot = {0};

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "gpu") == 0 || strcmp(argv[i], "software") == 0)
			kind = argv[i][0] == 'g' ? PH_RENDERER_GPU : PH_RENDERER_SOFTWARE;
	const char *folder = argc > 1 && strchr(argv[argc - 1], '/') ? argv[argc - 1] : NULL;
	int64_t start_ns = ph_now_ns();
	need(ph__device_open(kind, &device));
	int64_t opened_ns = ph_now_ns();
	need(ph__scene_create_builtin(640, 480, M_PI / 2, &scene));
	int64_t made_ns = ph_now_ns();
	need(ph__renderer_create(device, &scene->assets, &renderer));
	need(ph__snapshot_take(&snapshot, scene));
	printf("{\"renderer\": \"%s\", \"open_ms\": %.1f, \"scene_ms\": %.1f, \"warm_ms\": %.1f}\n",
	       ph__device_renderer(device), (double)(opened_ns - start_ns) / 1e6,
	       (double)(made_ns - opened_ns) / 1e6, (double)(ph_now_ns() - made_ns) / 1e6);
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct ph__view view = {
			.pose = scene->cameras[0].pose,
			.fov_rad = scene->cameras[0].fov_rad,
			.width_px = sizes[i].width_px,
			.height_px = sizes[i].height_px,
			.depth_unit_m = 1,
			.depth_far = 655.04f,
		};
		void *pixels = calloc((size_t)view.width_px * view.height_px, 4);
		for (int modality = 0; pixels && modality < PH__MODALITY_COUNT; modality++) {
			measure(renderer, &snapshot, &view, modality, false, folder ? 1 : sizes[i].rounds,
				sizes[i].name, pixels);
			if (modality == PH__MODALITY_LIT && !folder)
				measure(renderer, &snapshot, &view, modality, true, sizes[i].rounds,
					sizes[i].name, pixels);
			if (folder)
				write_png(&view, modality, pixels, folder, sizes[i].name);
		}
		free(pixels);
	}
	ph__snapshot_finish(&snapshot);
	ph__renderer_close(&renderer);
	ph__scene_close(&scene);
	ph__device_close(&device);
	return 0;
}
