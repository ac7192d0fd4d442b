/* SPDX-License-Identifier: MIT */
/* The optimiser: bytecode in, bytecode out, once per family of PEs (after code/share.h has found what they share).
 * It does what the vendor's compiler is known to do, so that the code, and what it costs, is like the vendor's. */
#ifndef TW_CSL_LANG_OPT_OPT_H
#define TW_CSL_LANG_OPT_OPT_H

#include "csl/lang/code/image.h"

/* Makes the code of all programs of the image better in place: same memory, wavelets, prints and faults; functions
 * that nothing reaches go. Lines, checked indices and frames of calls that are no more stay known
 * (tw__csl_program.frames).
 * False when out of memory: the image is not to be used then. */
bool tw__csl_optimize(tw__csl_image *image);

#endif
