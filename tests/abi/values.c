/* SPDX-License-Identifier: MIT */
/* Values that other programs have compiled in. None of these lines is ever changed; new values get
 * new lines. */
#include <pinhole/client.h>
#include <pinhole/server.h>

_Static_assert(PH_OK == 0, "");
_Static_assert(PH_EINVAL == -1, "");
_Static_assert(PH_EAGAIN == -2, "");
_Static_assert(PH_ETIMEDOUT == -3, "");
_Static_assert(PH_ECLOSED == -4, "");
_Static_assert(PH_EPEER == -5, "");
_Static_assert(PH_EEXIST == -6, "");
_Static_assert(PH_ENOENT == -7, "");
_Static_assert(PH_EPERM == -8, "");
_Static_assert(PH_ENOSPC == -9, "");
_Static_assert(PH_ETOOBIG == -10, "");
_Static_assert(PH_EFORMAT == -11, "");
_Static_assert(PH_EVERSION == -12, "");
_Static_assert(PH_ENOTBUILT == -13, "");
_Static_assert(PH_ESYS == -14, "");

_Static_assert(PH_LOG_ERROR == 0, "");
_Static_assert(PH_LOG_WARNING == 1, "");
_Static_assert(PH_LOG_INFO == 2, "");
_Static_assert(PH_LOG_DEBUG == 3, "");

_Static_assert(PH_PIXEL_NONE == 0, "");
_Static_assert(PH_PIXEL_GRAY8 == 1, "");
_Static_assert(PH_PIXEL_GRAY16 == 2, "");
_Static_assert(PH_PIXEL_RGB8 == 3, "");
_Static_assert(PH_PIXEL_BGR8 == 4, "");
_Static_assert(PH_PIXEL_RGBA8 == 5, "");
_Static_assert(PH_PIXEL_BGRA8 == 6, "");
_Static_assert(PH_PIXEL_I420 == 7, "");
_Static_assert(PH_PIXEL_NV12 == 8, "");
_Static_assert(PH_PIXEL_F32 == 9, "");
_Static_assert(PH_PIXEL_F32X2 == 10, "");
_Static_assert(PH_PIXEL_F32X3 == 11, "");
_Static_assert(PH_PIXEL_F32X4 == 12, "");
_Static_assert(PH_PLANES_MAX == 4, "");

_Static_assert(PH_REPLY_TEXT == 0, "");
_Static_assert(PH_REPLY_BYTES == 1, "");
_Static_assert(PH_REPLY_FRAME == 2, "");

_Static_assert(PH_RENDERER_AUTO == 0, "");
_Static_assert(PH_RENDERER_GPU == 1, "");
_Static_assert(PH_RENDERER_SOFTWARE == 2, "");

/* Options grow at their end: what was first stays first. */
_Static_assert(offsetof(ph_client_options, size) == 0, "");
_Static_assert(offsetof(ph_server_options, size) == 0, "");
