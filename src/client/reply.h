/* SPDX-License-Identifier: MIT */
/* What the bytes of a reply are: text, a picture in place, or something else. */
#ifndef CLIENT_REPLY_H
#define CLIENT_REPLY_H

#include <pinhole/client.h>

#include "base/span.h"

/* Fills kind, text, bytes and frame. A NUL must follow the body.
 *
 *  - A 32-bit BMP with its top row first and an NPY 1.0 file of float32 rows are frames, if the
 *    lengths they state are those they have: the frame's pixels are inside the body.
 *  - UTF-8 without NUL is text.
 *  - All else is bytes. */
void ph__reply_read(struct ph__span body, ph_reply *reply);

#endif
