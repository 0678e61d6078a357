/* SPDX-License-Identifier: MIT */
/* Lists of views, as JSON from outside. */
#ifndef SERVER_VIEWS_H
#define SERVER_VIEWS_H

#include "server/internal.h"

/* Adds {"views":[{"camera":0,"modality":"lit"},...]} to a capture; a camera is its number or its
 * CID. Other keys are refused: a misspelt one would be taken for left out.
 * Errors: PH_EINVAL (the sentence starts with "Argument Invalid"), PH_ENOENT (a camera), PH_ETOOBIG
 * (too many views), PH_ENOSPC. */
ph_status ph__views_add(struct ph__capture *capture, struct ph__span json);

/* images.c */
bool ph__modality_of_name(const char *name, enum ph__modality *modality);

#endif
