/* SPDX-License-Identifier: MIT */
#ifndef RENDER_PROGRAM_H
#define RENDER_PROGRAM_H

#include <epoxy/gl.h>

#include <pinhole/base.h>

enum { PH__SOURCES_MAX = 4 };

/* A program is its sources and the permutation that `defines` chooses ("#define X\n" lines):
 * software renderers do not skip a branch cheaply, so choices are made by the compiler. */
struct ph__program_source {
	const char *defines;
	const char *vertex[PH__SOURCES_MAX];   /* glued together; unused ones are NULL */
	const char *fragment[PH__SOURCES_MAX]; /* none: depth alone is written */
};

/* Errors: PH_ESYS, with the first line of the compiler's log. */
ph_status ph__program_build(const struct ph__program_source *source, GLuint *program);

#endif
