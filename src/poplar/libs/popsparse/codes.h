/* SPDX-License-Identifier: MIT */
/* The vertices of popsparse, for the archive and the calls that use them. */
#ifndef TW_LIBS_POPSPARSE_CODES_H
#define TW_LIBS_POPSPARSE_CODES_H

#include "poplar/libs/popops/code.h"

enum { TW__SPARSE_SOFTMAX, TW__SPARSE_SOFTMAX_GRADIENT, TW__SPARSE_SOFTMAX_CODES };
extern const tw__libs_code tw__sparse_softmax_codes[TW__SPARSE_SOFTMAX_CODES];
extern const tw__libs_code tw__sparse_product_code, tw__sparse_gradient_code, tw__sparse_rows_code,
    tw__sparse_update_code, tw__sparse_steps_code;

#endif
