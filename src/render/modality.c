/* SPDX-License-Identifier: MIT */
#include "render/render.h"

static const struct {
	const char *name;
	ph_pixel pixel;
} modalities[PH__MODALITY_COUNT] = {
	[PH__MODALITY_LIT]          = {"lit", PH_PIXEL_BGRA8},
	[PH__MODALITY_DEPTH]        = {"depth", PH_PIXEL_F32},
	[PH__MODALITY_OBJECT_MASK]  = {"object_mask", PH_PIXEL_BGRA8},
	[PH__MODALITY_NORMAL]       = {"normal", PH_PIXEL_BGRA8},
	[PH__MODALITY_FLOW]         = {"flow", PH_PIXEL_F32X2},
	[PH__MODALITY_OPTICAL_FLOW] = {"optical_flow", PH_PIXEL_BGRA8},
	[PH__MODALITY_RADIAL_DEPTH] = {"radial_depth", PH_PIXEL_F32},
	[PH__MODALITY_POSITION]     = {"position", PH_PIXEL_F32X3},
	[PH__MODALITY_INSTANCE]     = {"instance", PH_PIXEL_BGRA8},

	[PH__MODALITY_PANORAMIC]         = {"panoramic", PH_PIXEL_BGRA8},
	[PH__MODALITY_PANORAMIC_NORMAL]  = {"panoramic_normal", PH_PIXEL_BGRA8},
	[PH__MODALITY_PANORAMIC_MASK]    = {"panoramic_mask", PH_PIXEL_BGRA8},
	[PH__MODALITY_PANORAMIC_DEPTH]   = {"panoramic_depth", PH_PIXEL_F32},
	[PH__MODALITY_PANORAMIC_PREVIEW] = {"panoramic_depth_preview", PH_PIXEL_BGRA8},
	[PH__MODALITY_MOVIE]             = {"mqrc_lit", PH_PIXEL_BGRA8},
	[PH__MODALITY_MOVIE_PANORAMIC]   = {"mqrc_panoramic", PH_PIXEL_BGRA8},
};

ph_pixel ph__modality_pixel(enum ph__modality modality)
{
	return modalities[modality].pixel;
}

const char *ph__modality_name(enum ph__modality modality)
{
	return modalities[modality].name;
}
