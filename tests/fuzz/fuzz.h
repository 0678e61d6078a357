/* SPDX-License-Identifier: MIT */
/* A harness is one function that must hold for all bytes. With -Dfuzz=true (clang) libFuzzer calls
 * it; in every other build of the tests replay.c calls it with the files of its corpus. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>

#ifdef NDEBUG
#error "a harness needs its asserts: do not define NDEBUG"
#endif

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

#endif
