/* SPDX-License-Identifier: MIT */
/* Publishes a moving picture to whoever looks, 30 times a second. Run 03_latest_reader beside it,
 * as often as you like; kill either at any time.
 *
 *     cc 02_latest_writer.c $(pkg-config --cflags --libs pinhole) -o writer && ./writer cam0 */
#define _POSIX_C_SOURCE 200809L /* nanosleep() */
#include <pinhole/latest.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH_PX = 640, HEIGHT_PX = 480, FRAMES = 300 };

static int fail(const char *what, ph_status status)
{
	fprintf(stderr, "%s: %s: %s\n", what, ph_status_name(status), ph_last_error());
	return 1;
}

/* Straight into the memory that readers will see: nothing is copied later. */
static void draw(unsigned char *pixels, int frame)
{
	for (int y = 0; y < HEIGHT_PX; y++)
		for (int x = 0; x < WIDTH_PX; x++, pixels += 4) {
			pixels[0] = (unsigned char)(x + frame);
			pixels[1] = (unsigned char)(y + frame);
			pixels[2] = (unsigned char)frame;
			pixels[3] = 255;
		}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "cam0";
	ph_latest *writer;
	ph_frame frame = {0};
	ph_status status = ph_frame_describe(&frame, PH_PIXEL_BGRA8, WIDTH_PX, HEIGHT_PX);
	if (status < 0)
		return fail("describe", status);
	status = ph_latest_create(name, PH_LATEST_OPTIONS(.frame_bytes = frame.length_bytes),
				  &writer);
	if (status < 0)
		return fail("create", status);
	for (int i = 0; i < FRAMES; i++) {
		void *pixels;
		uint64_t room_bytes;
		status = ph_latest_claim(writer, &pixels, &room_bytes);
		if (status < 0)
			break;
		frame.capture_time_ns = ph_now_ns();
		draw(pixels, i);
		status = ph_latest_publish(writer, &frame, NULL, 0);
		if (status < 0)
			break;
		nanosleep(&(struct timespec){.tv_nsec = 33333333}, NULL);
	}
	ph_latest_close(&writer);
	return status < 0 ? fail("publish", status) : 0;
}
