/* SPDX-License-Identifier: MIT */
/* program: what <tilewright/csl.h> hands out: an image and the settings it was compiled with. */
#ifndef TW_CSL_PROGRAM_PROGRAM_H
#define TW_CSL_PROGRAM_PROGRAM_H

#include "csl/lang/code/image.h"
#include "csl/lang/compile.h"
#include <tilewright/csl.h>

struct tw_csl_program {
    tw__csl_image *image;
    tw_csl_binding *params; /* parameters, then colours; names owned */
    size_t param_count, first_color;
};

/* Takes the image over, also on failure. `colors` may be NULL. NULL with a message when out of memory. */
tw_csl_program *tw__csl_program_new(tw__csl_image *image, const tw_csl_binding *params, size_t param_count,
                                    const tw_csl_binding *colors, size_t color_count);

/* The compiler's own options, with lists that the caller makes of those in `o`, keeps and frees (NULL: no memory). */
tw__csl_binding *tw__csl_bindings(const tw_csl_binding *from, size_t count);
tw__csl_compile_options tw__csl_inner_options(const char *file, const tw_csl_options *o,
                                              const tw__csl_binding *params, const tw__csl_binding *colors);

/* Checksum of a program file's body: FNV-1a, 64 bits. */
uint64_t tw__csl_checksum(const unsigned char *bytes, size_t size);

#endif
