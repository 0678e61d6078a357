/* SPDX-License-Identifier: MIT */
/* ph_frame_write_png(): a frame as a file that a person can look at. */
#include <pinhole/server.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "image/image.h"

struct range {
	float least, most; /* least > most: nothing is finite */
	float far;         /* from here on nothing counts; infinite: no such limit */
};

static bool counts(const struct range *range, float value)
{
	return value > 0 && isfinite(value) && value < range->far;
}

static float value_at(const ph_frame *frame, uint32_t x, uint32_t y)
{
	const ph_plane *plane = &frame->planes[0];
	float value;

	memcpy(&value,
	       (const char *)frame->bytes + plane->offset_bytes + y * plane->stride_bytes +
		       x * sizeof(value),
	       sizeof(value));
	return value;
}

static struct range find_range(const ph_frame *frame, double far_value)
{
	struct range range = {INFINITY, 0, far_value > 0 ? (float)far_value : INFINITY};

	for (uint32_t y = 0; y < frame->height_px; y++)
		for (uint32_t x = 0; x < frame->width_px; x++) {
			float value = value_at(frame, x, y);
			if (!counts(&range, value))
				continue;
			range.least = fminf(range.least, value);
			range.most = fmaxf(range.most, value);
		}
	return range;
}

/* Near is white, the farthest dark grey, nothing black; even steps of the logarithm. */
static unsigned char shade(const struct range *range, float value)
{
	if (!counts(range, value))
		return 0;
	float span = logf(range->most / range->least);
	float depth = span > 0 ? logf(value / range->least) / span : 0;
	return (unsigned char)lrintf(255 - 215 * depth);
}

static ph_status to_gray(const ph_frame *frame, double far_value, ph_frame *gray)
{
	ph_status status =
		ph_frame_describe(gray, PH_PIXEL_GRAY8, frame->width_px, frame->height_px);
	if (status < 0)
		return status;
	unsigned char *shades = ph__sys->calloc(frame->height_px, frame->width_px);
	if (!shades)
		return ph__fail(PH_ENOSPC, "no memory for a picture of %u x %u", frame->width_px,
				frame->height_px);
	struct range range = find_range(frame, far_value);
	for (uint32_t y = 0; y < frame->height_px; y++)
		for (uint32_t x = 0; x < frame->width_px; x++)
			shades[(size_t)y * frame->width_px + x] =
				shade(&range, value_at(frame, x, y));
	gray->bytes = shades;
	return PH_OK;
}

static ph_status write_file(const char *path, const struct ph__buffer *file)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return ph__fail_errno("cannot write '%s'", path);
	ph_status status = PH_OK;
	for (size_t done = 0; done < file->length && status == PH_OK;) {
		ssize_t length = write(fd, file->bytes + done, file->length - done);
		if (length > 0)
			done += (size_t)length;
		else if (errno != EINTR)
			status = ph__fail_errno("cannot write '%s'", path);
	}
	if (close(fd) != 0 && status == PH_OK)
		status = ph__fail_errno("cannot write '%s'", path);
	if (status < 0)
		unlink(path); /* half a picture is worse than none */
	return status;
}

ph_status ph_frame_write_png(const ph_frame *frame, const char *path, double far_value)
{
	struct ph__buffer file = {0};
	ph_frame gray = {0};
	ph_status status = ph_frame_check(frame);

	if (status == PH_OK && frame->pixel == PH_PIXEL_F32)
		status = to_gray(frame, far_value, &gray);
	if (status == PH_OK)
		status = ph__png_encode(gray.bytes ? &gray : frame, &file);
	if (status == PH_OK)
		status = write_file(path, &file);
	ph__buffer_finish(&file);
	ph__sys->free((void *)gray.bytes);
	return status;
}
