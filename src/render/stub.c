/* SPDX-License-Identifier: MIT */
/* In place of the renderer in a build without it. */
#include "render/render.h"

#include "base/status.h"

static ph_status not_built(void)
{
	return ph__fail(PH_ENOTBUILT,
			"this build cannot render: configure it with -Drender=enabled "
			"(libepoxy-dev, libegl-dev)");
}

ph_status ph__device_open(ph_renderer_kind kind, struct ph__device **device)
{
	(void)kind;
	*device = NULL;
	return not_built();
}

void ph__device_close(struct ph__device **device)
{
	*device = NULL;
}

const char *ph__device_renderer(const struct ph__device *device)
{
	(void)device;
	return "none";
}

const char *ph__device_gl_version(const struct ph__device *device)
{
	(void)device;
	return "none";
}

bool ph__device_is_software(const struct ph__device *device)
{
	(void)device;
	return true;
}

uint32_t ph__device_error_count(const struct ph__device *device)
{
	(void)device;
	return 0;
}

ph_status ph__renderer_create(struct ph__device *device, const struct ph__assets *assets,
			      struct ph__renderer **renderer)
{
	(void)device;
	(void)assets;
	*renderer = NULL;
	return not_built();
}

void ph__renderer_close(struct ph__renderer **renderer)
{
	*renderer = NULL;
}

uint32_t ph__renderer_side_limit_px(const struct ph__renderer *renderer)
{
	(void)renderer;
	return 0;
}

ph_status ph__renderer_draw(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const struct ph__view *view, enum ph__modality modality, void *pixels,
			    uint64_t length_bytes, struct ph__draw_times *times)
{
	(void)renderer;
	(void)snapshot;
	(void)view;
	(void)modality;
	(void)pixels;
	(void)length_bytes;
	(void)times;
	return not_built();
}

ph_status ph__renderer_scan(struct ph__renderer *renderer, const struct ph__snapshot *snapshot,
			    const ph_pose *pose, const struct ph__lidar *lidar,
			    struct ph__lidar_point *points, uint32_t *count,
			    struct ph__draw_times *times)
{
	(void)renderer;
	(void)snapshot;
	(void)pose;
	(void)lidar;
	(void)points;
	(void)count;
	(void)times;
	return not_built();
}
