/* SPDX-License-Identifier: MIT */
/* The vertices of poplin, for the archive and the calls that use them. */
#ifndef TW_LIBS_POPLIN_CODES_H
#define TW_LIBS_POPLIN_CODES_H

#include "poplar/libs/popops/code.h"

enum { TW__SOLVE_SUBSTITUTE, TW__SOLVE_FACTOR, TW__SOLVE_CODES };
extern const tw__libs_code tw__solve_codes[TW__SOLVE_CODES], tw__qr_code, tw__lu_code;
extern const tw__libs_code tw__matmul_code, tw__conv_code;

#endif
