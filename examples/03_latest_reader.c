/* SPDX-License-Identifier: MIT */
/* Looks at the newest frame of 02_latest_writer until it ends, and says how fresh it was.
 *
 *     cc 03_latest_reader.c $(pkg-config --cflags --libs pinhole) -o reader && ./reader cam0 */
#include <pinhole/latest.h>

#include <stdio.h>

static int fail(const char *what, ph_status status)
{
	fprintf(stderr, "%s: %s: %s\n", what, ph_status_name(status), ph_last_error());
	return 1;
}

/* The pixels are read where they lie; they cannot change while the frame is held. */
static double mean(const ph_frame *frame)
{
	const unsigned char *row = frame->bytes;
	double sum = 0;

	for (uint32_t y = 0; y < frame->height_px; y++, row += frame->planes[0].stride_bytes)
		for (uint32_t x = 0; x < frame->width_px; x++)
			sum += row[4 * x];
	return sum / frame->width_px / frame->height_px;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "cam0";
	ph_latest *reader;
	ph_latest_frame held;
	ph_status status = ph_latest_open(name, NULL, &reader);
	if (status < 0)
		return fail("open", status);
	while ((status = ph_latest_acquire(reader, -1, &held)) == PH_OK) {
		if (held.frame.pixel != PH_PIXEL_BGRA8) {
			fprintf(stderr, "%s frames are not for this program\n",
				ph_pixel_name(held.frame.pixel));
			break;
		}
		printf("frame %llu, %llu missed, %.0f us old, mean blue %.1f\n",
		       (unsigned long long)held.frame.sequence, (unsigned long long)held.missed,
		       (double)(ph_now_ns() - held.frame.publish_time_ns) / 1e3, mean(&held.frame));
		ph_latest_release(reader, &held);
	}
	ph_latest_close(&reader);
	return status == PH_ECLOSED ? 0 : fail("acquire", status);
}
