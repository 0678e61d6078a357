/* SPDX-License-Identifier: MIT */
#include "render/render.h"

enum kind { FLAT, FLOW, PANORAMA };

static const struct {
	const char *name;
	ph_pixel pixel;
	enum kind kind;
} modalities[PH__MODALITY_ALL_COUNT] = {
	[PH__MODALITY_LIT]          = {"lit", PH_PIXEL_BGRA8, FLAT},
	[PH__MODALITY_DEPTH]        = {"depth", PH_PIXEL_F32, FLAT},
	[PH__MODALITY_OBJECT_MASK]  = {"object_mask", PH_PIXEL_BGRA8, FLAT},
	[PH__MODALITY_NORMAL]       = {"normal", PH_PIXEL_BGRA8, FLAT},
	[PH__MODALITY_FLOW]         = {"flow", PH_PIXEL_F32X2, FLOW},
	[PH__MODALITY_OPTICAL_FLOW] = {"optical_flow", PH_PIXEL_BGRA8, FLOW},
	[PH__MODALITY_RADIAL_DEPTH] = {"radial_depth", PH_PIXEL_F32, FLAT},
	[PH__MODALITY_POSITION]     = {"position", PH_PIXEL_F32X3, FLAT},
	[PH__MODALITY_INSTANCE]     = {"instance", PH_PIXEL_BGRA8, FLAT},
	[PH__MODALITY_SEMANTIC]     = {"semantic", PH_PIXEL_BGRA8, FLAT},

	[PH__MODALITY_PANORAMIC]         = {"panoramic", PH_PIXEL_BGRA8, PANORAMA},
	[PH__MODALITY_PANORAMIC_NORMAL]  = {"panoramic_normal", PH_PIXEL_BGRA8, PANORAMA},
	[PH__MODALITY_PANORAMIC_MASK]    = {"panoramic_mask", PH_PIXEL_BGRA8, PANORAMA},
	[PH__MODALITY_PANORAMIC_DEPTH]   = {"panoramic_depth", PH_PIXEL_F32, PANORAMA},
	[PH__MODALITY_PANORAMIC_PREVIEW] = {"panoramic_depth_preview", PH_PIXEL_BGRA8, PANORAMA},
	[PH__MODALITY_MOVIE]             = {"mqrc_lit", PH_PIXEL_BGRA8, FLAT},
	[PH__MODALITY_MOVIE_PANORAMIC]   = {"mqrc_panoramic", PH_PIXEL_BGRA8, PANORAMA},
	[PH__MODALITY_LIDAR]             = {"lidar", PH_PIXEL_F32X4, FLAT},
};

ph_pixel ph__modality_pixel(enum ph__modality modality)
{
	return modalities[modality].pixel;
}

const char *ph__modality_name(enum ph__modality modality)
{
	return modalities[modality].name;
}

bool ph__modality_is_float(enum ph__modality modality)
{
	return modalities[modality].pixel != PH_PIXEL_BGRA8;
}

bool ph__modality_is_panorama(enum ph__modality modality)
{
	return modalities[modality].kind == PANORAMA;
}

bool ph__modality_is_flow(enum ph__modality modality)
{
	return modalities[modality].kind == FLOW;
}
