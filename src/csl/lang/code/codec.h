/* SPDX-License-Identifier: MIT */
/* codec: an image as bytes, little endian, the same on every machine.
 *
 * tw__csl_image_encode appends to a growing buffer. tw__csl_image_decode trusts nothing: counts are bounded by the
 * bytes that are left before memory is taken, and the result has to pass tw__csl_verify(), which checks every
 * index. */
#ifndef TW_CSL_CODE_CODEC_H
#define TW_CSL_CODE_CODEC_H

#include "csl/lang/code/image.h"

/* Grows with every change of what codec.c writes: other versions are refused. */
#define TW__CSL_CODEC_VERSION 6u

/* malloc'ed; NULL when out of memory. */
unsigned char *tw__csl_image_encode(const tw__csl_image *image, size_t *size);
/* NULL with a message: TW_E_FILE_LOAD, or memory ran out. `origin` names the bytes in messages. */
tw__csl_image *tw__csl_image_decode(const unsigned char *bytes, size_t size, const char *origin);

#endif
